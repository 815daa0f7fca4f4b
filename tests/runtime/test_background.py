"""Kernels that copies of a process make while the program goes on."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autopar import config
from autopar.runtime import background, before, copied
from autopar.runtime.background import Background
from autopar.runtime.before import Before, Call, Loss
from autopar.runtime.budget import BUDGET
from autopar.site_spec import SiteSpec

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")

SPEC = SiteSpec("a.py", 1, "f", ("a",), (), b"", "for i in range(n): pass", None)
PROGRAM = """
import sys
import numpy as np

def smooth(a, b):
    for i in range(1, len(a) - 1):
        b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1]

a, b = np.linspace(0.0, 1.0, 3000) ** 2, np.zeros(3000)
for step in range(int(sys.argv[1])):
    smooth(a, b)
    a, b = b, a
print(repr(float(a.sum())))
"""


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Path]:
    """Settings of a user, with a cache of their own."""
    known = config.current()
    tmp_path.chmod(0o700)
    config.use(replace(known, verify=False, check=False, cache_dir=tmp_path))
    yield tmp_path
    config.use(known)


def ran(folder: Path, steps: int, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(PROGRAM)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "autopar", *options, "program.py", str(steps)]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=True
    )


def kernels(folder: Path) -> int:
    return len(list(folder.glob("cache/kernels/*.bin")))


def test_the_next_process_finds_what_the_first_has_not_waited_for(tmp_path: Path) -> None:
    expected = subprocess.run(
        [sys.executable, "-c", PROGRAM, "60"], capture_output=True, text=True, check=True
    )
    first = ran(tmp_path, 60, "-vv")
    assert " made in" not in first.stderr
    end = time.monotonic() + 60
    while not kernels(tmp_path):
        assert time.monotonic() < end, "nobody has made kernels"
        time.sleep(0.05)
    time.sleep(0.2)  # other kernels of the same loop
    second = ran(tmp_path, 60, "-vv")
    assert "read from the cache" in second.stderr
    assert " made in" not in second.stderr
    assert first.stdout == second.stdout == expected.stdout


def test_the_first_process_goes_on_with_them(tmp_path: Path) -> None:
    # Where others are always at work, it makes them itself, or has ended before the copy has.
    for steps in (4000, 4000, 8000, 16000, 32000):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        done = ran(folder, steps, "-vv")
        if " made in" not in done.stderr and "read from the cache" in done.stderr:
            break
    assert "read from the cache" in done.stderr
    assert " made in" not in done.stderr


OBJECTS = """
import sys

class Layer:
    def __init__(self, k):
        self.w = [0.5 + 0.01 * (j + k) for j in range(3)]

    def forward(self, x):
        return [w * v + 0.25 for w, v in zip(self.w, x)]

def through(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x

x, layers = [1.0, 2.0, 3.0], [Layer(0), Layer(1)]
for step in range(int(sys.argv[1])):
    x = through(layers, x)
print(x, "numpy" in sys.modules)
"""


def test_what_a_copy_has_asked_in_vain_is_known_to_the_next_process(tmp_path: Path) -> None:
    """To write out what its methods do takes longer than they do."""
    (tmp_path / "layers.py").write_text(OBJECTS)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("AUTOPAR_VERIFY", "AUTOPAR_FAIL_ON_FALLBACK"):
        env.pop(name, None)
    command = [sys.executable, "-m", "autopar", "layers.py"]
    end = time.monotonic() + 60
    while not list(tmp_path.glob("cache/marks/*.vain")):
        assert time.monotonic() < end, "nobody has asked"
        subprocess.run([*command, "120000"], cwd=tmp_path, env=env, check=True, capture_output=True)
        time.sleep(0.5)


def test_nobody_is_sent_where_that_is_not_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOPAR_BACKGROUND", "0")
    done = ran(tmp_path, 4000, "-vv")
    assert " made in" in done.stderr


def nothing() -> None:
    """Asks, and does not learn that nobody ever needs to."""


def lost(monkeypatch: pytest.MonkeyPatch, seconds: float) -> Before:
    """A site that has lost so much, where a second would promise kernels."""
    found = Before(SPEC)
    left(monkeypatch, Loss(found, seconds, lambda: 1.0))
    return found


def left(
    monkeypatch: pytest.MonkeyPatch, loss: Loss, since: float = 0.0, guess_s: float = 0.0
) -> Call:
    """A call that has just been left to the interpreter."""
    call = Call(loss, since, guess_s)
    monkeypatch.setattr(before.LATELY, "open", [call])
    return call


class Copy:
    """Instead of a copy of pytest."""

    def __init__(self, work: functools.partial[None]) -> None:
        self.work, self.ended, self.made = work, False, True


@pytest.fixture
def copies(plain: Path, monkeypatch: pytest.MonkeyPatch) -> Background:
    monkeypatch.setattr(copied, "Copy", Copy)
    monkeypatch.setattr(copied, "possible", lambda: True)
    monkeypatch.setattr(copied, "idle", lambda: True)
    monkeypatch.setattr(background, "active_count", lambda: 1)  # pytest may have others
    monkeypatch.setattr(background.config, "found_only", list)
    found = Background()
    found.most = 1
    return found


def test_one_is_sent_once_something_has_been_lost(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seconds, sent in ((0.1, 0), (0.3, 1), (0.9, 1)):
        known = lost(monkeypatch, seconds)
        copies.consider(0.0, nothing)
        assert len(copies.out) == sent
    assert copies.serve(known)


def test_one_is_sent_at_once_for_a_call_that_is_likely_to_be_long(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process runs it once: none of them would have lost anything before."""
    for guess_s, sure, sent in ((9.0, False, 0), (1.5, True, 0), (2.5, True, 1)):
        known = Loss(Before(SPEC), 0.0, lambda: 1.0, sure)
        left(monkeypatch, known, guess_s=guess_s)
        copies.consider(0.0, nothing)
        assert len(copies.out) == sent


def test_one_is_sent_for_a_call_that_goes_on_around_others(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process runs it once, and nobody knew that it would be long."""
    call = left(monkeypatch, Loss(Before(SPEC), 0.0, lambda: 1.0, sure=False), 2.0, 9.0)
    copies.consider_again(call, 2.1, nothing)
    assert not copies.out
    for _ in range(2):
        copies.consider_again(call, 2.3, nothing)
        assert len(copies.out) == 1
    other = left(
        monkeypatch, Loss(Before(replace_spec(line=9, text="")), 0.0, lambda: 1.0), 2.0, 9.0
    )
    copies.consider_again(other, 2.3, nothing)
    assert len(copies.out) == 1  # for it goes on


def test_a_loss_of_another_question_sends_nobody(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    left(monkeypatch, Loss(Before(SPEC), 0.9, lambda: 1.0), since=3.0)
    copies.consider(4.0, nothing)
    assert not copies.out
    copies.consider(3.0, nothing)
    assert copies.out


def replace_spec(**changes: object) -> SiteSpec:
    from autopar.records import replace as changed

    return changed(SPEC, **changes)


def test_some_wait_until_there_is_a_processor_to_spare(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is at work, and three wait behind it; a nest that is entered once is not met again."""
    for k, out in enumerate((1, 2, 3, 4, 4)):
        spec = replace_spec(text=f"for i in range({k}): pass")
        left(monkeypatch, Loss(Before(spec), 0.5, lambda: 1.0))
        copies.consider(0.0, nothing)
        assert len(copies.out) == out
    assert copies.serve(Before(spec))  # it is going to be its turn
    ends = [one.end for one in copies.out]
    assert ends == sorted(ends)
    copies.out[0].copy.ended = True
    copies.looked = 0.0
    copies.consider(0.0, nothing)
    assert copies.out[-1].before.spec == spec
    assert len(copies.out) == 4
    *ahead, last = [one.copy for one in copies.out]
    assert last.work.args[2] == ahead


def test_what_has_led_to_nothing_is_not_waited_for_again(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = lost(monkeypatch, 0.5)
    copies.consider(0.0, nothing)
    assert copies.serve(known)
    copies.out[0].copy.ended = True
    copies.looked = 0.0
    assert not copies.serve(known)
    assert not known.compiled
    copies.consider(0.0, nothing)
    assert not copies.out


def test_kernels_that_one_has_made_are_known_of(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, other = lost(monkeypatch, 0.5), Before(SPEC)
    assert not other.compiled
    copies.consider(0.0, nothing)
    other.note()
    assert not known.compiled
    copies.out[0].copy.ended = True
    copies.looked = 0.0
    assert not copies.serve(known)
    assert known.compiled
    assert Before(SPEC).compiled


def test_nobody_is_waited_for_longer_than_a_copy_may_take(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_PATIENCE_S", 0)
    known = lost(monkeypatch, 0.5)
    copies.consider(0.0, nothing)
    copies.looked = 0.0
    assert not copies.serve(known)


@pytest.mark.parametrize(
    "changes",
    [
        {"background": False},
        {"verify": True},
        {"check": True},
        {"fail_on_fallback": True},
        {"device": "opencl"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_settings_that_are_about_this_process(
    changes: dict[str, object], copies: Background
) -> None:
    assert copies.serve(Before(SPEC))
    config.use(replace(config.current(), **changes))  # type: ignore[arg-type]
    assert not copies.serve(Before(SPEC))


def test_nobody_waits_for_copies_that_never_come(copies: Background) -> None:
    for lost_s, waits in ((0.5, True), (0.4, True), (0.3, True), (0.0, False)):
        assert copies.serve(Before(SPEC)) == waits
        Before(SPEC).loses(lost_s)


def test_no_other_thread_sends_any(copies: Background) -> None:
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(copies.serve(Before(SPEC))))
    thread.start()
    thread.join()
    assert found == [False]


def test_nobody_forks_a_process_with_threads(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "active_count", lambda: 2)
    assert not copies.serve(Before(SPEC))


@pytest.mark.parametrize("found", [True, False])
def test_a_copy_asks_and_sends_none(
    found: bool, copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask() -> None:
        asked.append(copies.here)
        if found:
            BUDGET.read = True
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass

    asked: list[bool] = []
    monkeypatch.setattr(copied, "in_a_child", lambda work: work())
    monkeypatch.setattr(BUDGET, "read", False)
    known = Before(SPEC)
    copies.work(known, ask, [])
    assert asked == [True] * (1 + found)
    assert not copies.serve(Before(SPEC))
    assert (Before(SPEC).asks_s > 0.04) == found
    assert not os.path.exists(f"{known.mark}.vain")


@pytest.mark.parametrize("found", [True, False])
def test_a_copy_leaves_word_that_a_loop_is_declined_for_what_it_is(
    found: bool, copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask() -> tuple[object, ...]:
        BUDGET.read = found  # kernels of another call, or of a loop within it
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return ([1.0] * 9, 7)

    monkeypatch.setattr(copied, "in_a_child", lambda work: work())
    monkeypatch.setattr(BUDGET, "read", False)
    assert copies.serve(Before(SPEC))
    copies.work(Before(SPEC), ask, [])
    known = Before(SPEC)
    known.meets(([1.0] * 20, 7), 1.0)
    assert (known.waits_s > 0.0) is not found
    assert not Background().serve(known)
    known.meets(([1.0] * 50, 7), 1.0)  # which may be another matter
    assert Background().serve(known) is not found  # there are kernels of a sort


@pytest.mark.parametrize("fault", ["impossible", "refused"])
def test_where_there_can_be_none_nobody_tries_again(
    fault: str, copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(work: object) -> Copy:
        found = Copy(work)
        found.made = False
        return found

    if fault == "impossible":
        monkeypatch.setattr(copied, "possible", lambda: False)
    else:
        monkeypatch.setattr(copied, "Copy", refused)
    known = lost(monkeypatch, 0.5)
    copies.consider(0.0, nothing)
    assert not copies.out
    assert not copies.serve(known)


def test_nobody_waits_where_other_threads_never_rest(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copied, "idle", lambda: False)
    known = lost(monkeypatch, 0.5)
    for _ in range(background._TRIES - 1):
        copies.consider(0.0, nothing)
        assert copies.serve(known)
    copies.consider(0.0, nothing)
    assert not copies.serve(known)
    assert not copies.out
    monkeypatch.setattr(copied, "idle", lambda: True)
    other = Before(replace_spec(text="for i in range(3): pass"))
    left(monkeypatch, Loss(other, 0.5, lambda: 1.0))
    copies.consider(0.0, nothing)
    assert copies.serve(other)


def test_there_are_only_so_many_in_all(copies: Background, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_MOST_SENT", 2)
    copies.most = 9
    for k in range(3):
        spec = replace_spec(text=f"for i in range({k}): pass")
        left(monkeypatch, Loss(Before(spec), 0.5, lambda: 1.0))
        copies.consider(0.0, nothing)
    assert len(copies.out) == 2
    assert not copies.serve(Before(spec))


@pytest.mark.parametrize("meanwhile", ["nothing", "kernels", "in vain"])
def test_a_copy_does_not_do_again_what_one_of_another_process_has_done(
    meanwhile: str, copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(mark: str) -> bool:
        if meanwhile == "kernels":
            Before(SPEC).note(0.01)
        elif meanwhile == "in vain":
            Before(SPEC).in_vain(0.5, (1, 2.0))
        return mark == known.mark

    monkeypatch.setattr(copied, "by_itself", waits)
    monkeypatch.setattr(copied, "in_a_child", lambda work: asked.append(True))
    known = Before(SPEC)
    assert copies.serve(known)
    asked: list[bool] = []
    copies.work(known, nothing, [])
    assert asked == [True] * (meanwhile == "nothing")


def test_a_copy_whose_turn_never_comes_asks_nothing(
    copies: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead: list[copied.Copy] = []
    monkeypatch.setattr(copied, "give_way", lambda tries: None)
    monkeypatch.setattr(copied, "first_of", lambda others, most: others is not ahead or most != 1)
    asked: list[int] = []
    copies.work(Before(SPEC), lambda: asked.append(1), ahead)
    assert not asked
