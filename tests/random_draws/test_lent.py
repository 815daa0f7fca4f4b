"""What is lent to kernels in place of the user's generators."""

from __future__ import annotations

import random
import threading
from unittest import mock

import numpy as np
import pytest
from outcome import plain, taken

from autopar.kernel import Words
from autopar.runtime.values import generators, lent
from autopar.runtime.values.generators import drawing, is_known, method_of
from autopar.runtime.values.lent import Lent


def owners() -> list[object]:
    return [random.Random(3), np.random.RandomState(4), np.random.default_rng(5)]


@pytest.mark.parametrize("number", range(3))
def test_nothing_happens_to_a_generator_before_the_end(number: int) -> None:
    owner = owners()[number]
    one = Lent([owner], frozenset((0,) if number < 2 else ()))
    before = one.states()
    one.begin()
    one.loans[0].spare.generator.random_raw(700)
    assert one.states() == before
    assert one.commit()
    assert one.states() != before
    one.put(before)
    assert owner.random() == owners()[number].random()
    one.close()


@pytest.mark.parametrize("number", range(3))
def test_whoever_else_has_drawn_meanwhile_is_right(number: int) -> None:
    owner = owners()[number]
    one = Lent([owner], frozenset())
    one.begin()
    owner.random()
    after = one.states()
    assert not one.commit()
    assert one.states() == after


def test_the_second_number_of_a_pair_goes_both_ways() -> None:
    for owner, draw in ((random.Random(3), "gauss"), (np.random.RandomState(3), "normal")):
        getattr(owner, draw)(0.0, 1.0)
        one = Lent([owner], frozenset((0,)))
        one.begin()
        (words,) = one.arrays
        assert words[Words.KEPT] == 1
        words[Words.KEPT], words[Words.OTHER] = 0, 0
        assert one.commit()
        assert one.states()[0][1] == (0, 0.0)


def test_a_lock_is_waited_for() -> None:
    generator = np.random.default_rng(5)
    one = Lent([generator], frozenset())
    started, done = threading.Event(), threading.Event()

    def begin() -> None:
        started.set()
        one.begin()
        done.set()

    with generator.bit_generator.lock:
        thread = threading.Thread(target=begin)
        thread.start()
        started.wait()
        assert not done.wait(0.05)
    thread.join()
    assert done.is_set()


def test_a_spare_serves_again() -> None:
    owner = np.random.default_rng(5)
    one = Lent([owner], frozenset())
    one.close()
    two = Lent([owner], frozenset())
    assert one.loans[0].spare is two.loans[0].spare


SOURCE = """\
import numpy as np
rng = np.random.default_rng(3)
a = np.zeros(50)
for i in range(50):
    a[i] = rng.random()
state = rng.bit_generator.state
"""


@pytest.mark.usefixtures("lenient")
def test_arrays_are_put_back_where_another_thread_has_drawn() -> None:
    with mock.patch.object(lent.Lent, "commit", return_value=False):
        found = taken(SOURCE)
    assert found == plain(SOURCE)
    assert list(found.loops.values()) == ["failed-inside"]


@pytest.mark.usefixtures("lenient")
def test_a_state_that_lies_elsewhere_is_left_alone() -> None:
    with mock.patch.object(generators, "_sound", return_value=False):
        found = taken(SOURCE)
    assert found == plain(SOURCE)
    assert list(found.loops.values()) == ["draw"]


def test_what_is_a_method_of_a_generator() -> None:
    class Sub(random.Random):
        pass

    odd = random.Random(1)
    odd.random = lambda: 0.5  # type: ignore[method-assign]
    found = drawing(random.random), drawing(np.random.rand), method_of(random.Random(1), "gauss")
    assert [d.name for d in found if d is not None] == ["random", "rand", "gauss"]
    for value in (Sub(1).random, odd.random, odd.uniform, len, [].append, random.random):
        assert (drawing(value) is None) == (value is not random.random)
    assert method_of(Sub(1), "random") is None
    assert method_of(np.random.default_rng(1), "bit_generator") is None
    assert not is_known(np.random.bit_generator.BitGenerator)
