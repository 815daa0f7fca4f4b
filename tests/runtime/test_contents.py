"""What index arrays hold, and that nobody relies on it once it has changed."""

from __future__ import annotations

import numpy as np
import pytest
from harness import run
from hypothesis import given
from hypothesis import strategies as st

from autopar.deps.data import ROOM
from autopar.runtime.choice import contents
from autopar.runtime.choice.contents import LIMIT, Interest, Outcome, inspected

pytestmark = pytest.mark.usefixtures("quiet")
KINDS = [np.int64, np.int32, np.int8, np.uint8, np.uint64]
SCATTER = "for i in range(n):\n    a[p[i]] += v[i]\n"
N = 60


def random(seed=0):
    return np.random.default_rng(seed)


def scattered(p, n=N, **more):
    names = {"n": len(p), "a": random().random(n), "p": p, "v": random(1).random(N), **more}
    return run(SCATTER, **names)


# ---------------------------------------------------------------------------- inspection


@given(
    values=st.one_of(
        st.lists(st.integers(-9, 9), min_size=1, max_size=12),
        st.lists(st.integers(-9, 9), min_size=1, max_size=12).map(sorted),
        st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=12),
        st.permutations(range(9)),
    ),
    block=st.integers(1, 12),
)
def test_an_array_is_what_it_is_said_to_be(values, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "_BLOCK", block)
        found = inspected(np.array(values))
    assert found is not None
    assert (found.low, found.high) == (min(values), max(values))
    assert found.distinct == (len(set(values)) == len(values))
    assert found.rising == (list(values) == sorted(values))


@pytest.mark.parametrize("kind", KINDS)
def test_every_integer_dtype_is_looked_at_to_its_ends(kind):
    info = np.iinfo(kind)
    low, high = max(int(info.min), -LIMIT), min(int(info.max), LIMIT)
    found = inspected(np.array([high, low], kind))
    assert found is not None
    assert (found.low, found.high, found.distinct, found.rising) == (low, high, True, False)
    fits = low - ROOM >= info.min and high + ROOM <= info.max
    assert found.roomy == fits
    assert fits == (kind is np.int64)


def test_very_large_elements_are_not_spoken_of():
    assert inspected(np.array([0, LIMIT + 1])) is None
    assert inspected(np.array([0, 2**63], np.uint64)) is None


def test_nothing_is_said_of_empty_arrays_or_of_too_large_ones(monkeypatch):
    assert contents.contents(np.zeros(0, np.int64), 1) is None
    monkeypatch.setattr(contents, "_KEPT", 64)
    assert contents.contents(np.zeros(9, np.int64), 1) is None
    assert contents.contents(np.zeros(8, np.int64), 1) is not None


def test_a_content_is_looked_at_once(monkeypatch):
    monkeypatch.setattr(contents, "_BLOCK", 4)
    p = np.arange(10)[::-1].copy()
    copy, found, fresh = contents.contents(p, 2)
    assert fresh
    assert copy is not p
    again = contents.contents(p[:], 2)
    assert again[0] is copy
    assert again[1:] == (found, False)
    p[9] = 9
    changed = contents.contents(p, 2)
    assert changed[2]
    assert not changed[1].distinct
    assert copy[9] == 0
    p[9] = 0
    assert contents.contents(p, 2)[1:] == (found, True)


def test_a_view_with_gaps_is_another_array():
    base = np.array([0, 5, 1, 5, 2, 5])
    assert contents.contents(base[::2], 1)[1].distinct
    assert not contents.contents(base[:3][::1] * 0, 1)[1].distinct
    assert contents.contents(base[::2][::-1], 1)[0].tolist() == [2, 1, 0]


def test_copies_are_kept_within_bounds(monkeypatch):
    monkeypatch.setattr(contents, "_KEPT", 3 * 80)
    monkeypatch.setattr(contents, "_known", {})
    arrays = [np.arange(10) + k for k in range(5)]
    for array in arrays:
        contents.contents(array, 1)
    assert [c[0] for c, _ in contents._known.values()] == [2, 3, 4]
    assert not contents.contents(arrays[2], 1)[2]
    contents.contents(arrays[0], 1)
    assert [c[0] for c, _ in contents._known.values()] == [4, 2, 0]


# ---------------------------------------------------------------------------- whether to look


def test_looks_that_do_not_pay_become_rare():
    p = np.array([0, 1, 1])
    nothing = Outcome(False, frozenset())
    wanted = Interest(("p",), nothing, 1, rich=False, eager=False)
    looked = 0
    for _ in range(100):
        seen, new = wanted.look({"p": p})
        looked += bool(seen)
        wanted.learn(nothing, new)
    assert 4 <= looked <= 10
    better = Outcome(True, frozenset())
    wanted = Interest(("p",), nothing, 1, rich=False, eager=False)
    for _ in range(100):
        seen, new = wanted.look({"p": p})
        assert seen
        wanted.learn(better, new)


def test_new_contents_each_time_are_looked_at_only_for_a_long_nest():
    nothing, better = Outcome(False, frozenset()), Outcome(True, frozenset())
    for rich in (False, True):
        wanted = Interest(("p",), nothing, 1, rich=rich, eager=False)
        looked = 0
        for k in range(100):
            seen, new = wanted.look({"p": np.arange(5) + k})
            looked += bool(seen)
            wanted.learn(better, new)
        assert looked == 100 if rich else looked < 20


def test_a_short_nest_is_not_worth_a_look():
    arrays = {"p": np.zeros(1_000_000, np.int64)}
    nothing = Outcome(False, frozenset())
    assert contents.interest(arrays, ("p",), nothing, 1e-4, 1, False) is None
    assert contents.interest(arrays, ("p",), nothing, 1e-1, 1, False) is not None
    assert contents.interest(arrays, ("p",), nothing, 1e-4, 1, True) is not None
    assert contents.interest(arrays, (), nothing, 1e-1, 1, True) is None


def test_one_copy_stands_for_a_content_whenever_it_was_seen():
    """Found on a busy machine, which gave two arrays the addresses of older ones such as they."""
    p = np.random.default_rng(4).permutation(100)
    one, inside, _ = contents.contents(p, 1)
    others = [np.random.default_rng(seed).permutation(100) for seed in range(5, 25)]
    assert all(contents.contents(other, 1)[0] is not one for other in others)
    q = p.copy()
    two, also, fresh = contents.contents(q, 1)
    assert two is one
    assert fresh
    assert also == inside
    q[0], q[1] = q[1], q[0]
    assert contents.contents(q, 1)[0] is not one
