"""Calls that are repeated step by step, without their driver, leave what Python leaves."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcome import both

from autopar import config
from autopar.cpu import build
from autopar.kernel import Kernel, Program, Reduction, Status, border
from autopar.nest.typed.types import ArrayType, Typed
from autopar.runtime import steady
from autopar.runtime.run import repeat, steps
from autopar.runtime.run.frames import Frames
from autopar.runtime.run.own import Own
from autopar.runtime.run.replay import Replay
from autopar.runtime.run.team import Team

HEAD = """
import numpy as np
def stepped(a, b, steps, factor):
    n, m = a.shape
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(m):
                b[i, j] = a[i - 1, j] + factor * a[i + 1, j] + t
        for i in range(1, n - 1):
            for j in range(m):
                a[i, j] = b[i, j] * 0.5
def lines(a, b, steps, factor):
    n, m = a.shape
    row = np.zeros(m)
    for i in range(n):
        for j in range(m):
            row[j] = a[i, j] * factor + steps
        for j in range(m):
            b[i, j] = row[j] + row[m - 1 - j]
def kept(a, b, row, factor):
    n, m = a.shape
    for i in range(n):
        for j in range(1, m):
            row[j] = row[j - 1] * factor + a[i, j]
        for j in range(m):
            b[i, j] = row[m - 1 - j]
def indexed(a, b, steps, factor):
    n, m = a.shape
    for t in range(steps):
        for k in range(1, 3):
            for i in range(n):
                for j in range(m):
                    b[i, j] = b[i, j] + a[int(factor * 4) * t, j] * k
def triangle(a, b, steps, factor):
    n, m = a.shape
    for t in range(steps):
        for i in range(n):
            for j in range(i):
                b[i, j] += a[i, j] * factor
def data(n=37, m=29):
    return np.arange(1.0, n * m + 1).reshape(n, m), np.zeros((n, m))
def tell(f, a, b, third, factor=0.25):
    try:
        f(a, b, third, factor)
    except Exception as error:
        print(f.__name__, type(error).__name__, error)
    print(f.__name__, a.tobytes(), b.tobytes(), third)
every = (stepped, lines, triangle, indexed)
for _ in range(6):
    for f in every: tell(f, *data(), 5)
    tell(kept, *data(), np.ones(29))
"""
CHANGES = {
    "as before": "for f in every: tell(f, *data(), 5)",
    "another number of steps": """
for f in every:
    for s in (4, 0, 1, 5, 6, 300, 5): tell(f, *data(), s)
for s in (700, 700, 700, 5): tell(stepped, *data(9, 70), s)""",
    "other shapes": """
for shape in ((29, 37), (37, 29), (1, 1), (2, 3), (3, 2), (0, 4), (4, 0), (8, 8), (9, 8)):
    for f in every: tell(f, *data(*shape), 5)
    tell(kept, *data(*shape), np.ones(shape[1]))""",
    "gaps": """
for f in every:
    for _ in range(3):
        a, b = data(74, 29)
        tell(f, a[::2], b[::2], 5)
for k in (1, 2, 1, 2):
    tell(kept, *data(), np.ones(29 * k)[::k])""",
    "the last ones hold other numbers": """
for k in range(4):
    row = np.full(29, float(k))
    tell(kept, *data(), row)
    tell(kept, *data(), row)""",
    "one array twice": """
for f in every:
    a, b = data()
    tell(f, a, a, 5)
    tell(f, *data(), 5)
a, b = data()
tell(kept, a, b, a[3])
tell(kept, *data(), np.ones(29))""",
    "other numbers": """
for f in every:
    for factor in (0.5, 0.75, -0.25, 2.0, 3.0, 0.25): tell(f, *data(), 5, factor)""",
    "what warns": """
a, b = data()
a[5, 5] = np.inf
a[6, 5] = -np.inf
for f in every: tell(f, a.copy(), b.copy(), 5, np.inf)
for f in every: tell(f, *data(), 5, 1e308)""",
}


class Repeated(list):
    """On how many threads calls ran step by step, and those whose steps were run all `at_once`."""

    def __init__(self):
        self.at_once = []


@pytest.fixture(params=["one by one", "replayed"])
def repeated(request, soon, monkeypatch):
    """As `Repeated` says, at calls that are gone through one by one, or whole in machine code."""
    found = Repeated()
    if request.param == "replayed":
        monkeypatch.setattr(steady, "_FIRST", 2)
        run = Replay.run

        def replayed(replay, roots):
            warned = run(replay, roots)
            if warned is not None:
                found.append(replay.threads)
                found.at_once += [replay] * (replay.kept[1].table is not None)
            return warned

        monkeypatch.setattr(Replay, "run", replayed)
    again, note, at_once = steps.again, steps._note, found.at_once

    def noted(launch, kept):
        found.append(launch.threads)
        return again(launch, kept)

    monkeypatch.setattr(repeat, "again", noted)
    monkeypatch.setattr(steps, "_note", lambda *given: at_once.append(given) or note(*given))
    config.use(replace(config.current(), threads=2))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", CHANGES)
def test_calls_that_are_repeated(repeated, change):
    both(HEAD + CHANGES[change])
    assert 2 in repeated
    assert repeated.at_once


def test_steps_that_give_up_are_undone(repeated):
    """What raises in one of the last steps, or warns there, is Python's to say."""
    both(
        HEAD.partition("every = ")[0]
        + """
import warnings
every = (stepped, indexed)
for k, factor in enumerate((0.25,) * 6 + (1e200, 0.25, 1e308, 9.25, 0.25, np.inf, 2.25, 0.25)):
    for f in every:
        a, b = data()
        a[-2] *= 1.0 if k % 3 else factor
        usual = np.errstate(all="warn", under="ignore")
        with warnings.catch_warnings(record=True) as caught, usual:
            warnings.simplefilter("default")
            tell(f, a, b, 7, factor)
        print(sorted({(str(w.message), w.lineno) for w in caught}))
"""
    )
    assert repeated.at_once


def test_a_kernel_with_a_number_of_that_name_is_another(repeated):
    """What is a variable of a loop around in one is handed over in the other: the text is alike."""
    found = both("""
import numpy as np
def once(x, t):
    for i in range(1, x.shape[1] - 1):
        x[t + 1, i] = x[t, i - 1] + 0.5 * x[t, i + 1] + t
def often(x, steps):
    for t in range(steps):
        for i in range(1, x.shape[1] - 1):
            x[t + 1, i] = x[t, i - 1] + 0.5 * x[t, i + 1] + t
def data(n):
    return np.arange(21.0 * n).reshape(21, n)
for k in range(6):
    for f, n, t in ((once, 900, 3), (often, 900, 20), (once, 400, 4)):
        x = data(n)
        f(x, t)
        print(f.__name__, x.tobytes())
""")
    assert list(found.loops.values()).count("compiled") == 2
    assert repeated.at_once


@pytest.mark.parametrize(("name", "at"), [("Steps", 1), ("Step", 4)])
def test_no_room_for_what_was_done(repeated, monkeypatch, name, at):
    """All has run then: it is not run again."""
    usual, calls = getattr(steps, name), []

    def cramped(*given):
        calls.append(given)
        if len(calls) == at:
            raise MemoryError
        return usual(*given)

    monkeypatch.setattr(steps, name, cramped)
    both(HEAD.partition("every = ")[0] + "for _ in range(6): tell(stepped, *data(), 5)\n")
    assert len(calls) >= at


def test_what_the_launch_must_do_itself_is_not_repeated(repeated):
    """A loop that is left where the data say so has its driver ask, each time."""
    source = (
        HEAD.partition("every = ")[0]
        + """
def until(a, b, limit, factor):
    n, m = a.shape
    for t in range(50):
        if a[0, 0] > limit:
            break
        for i in range(n):
            for j in range(m):
                a[i, j] += b[i, j] + 1.0
for k in (3, 9, 0, 200, 20, 7, 8, 9) * 2:
    tell(until, *data(), float(k))
"""
    )
    both(source)
    assert not repeated


@given(trips=st.integers(0, 400), chunks=st.integers(1, 40), grain=st.sampled_from((1, 2, 4, 8)))
def test_borders(trips, chunks, grain):
    """Chunks come one after the other, none is empty that need not be, and grains stay whole."""
    found = [border(k, chunks, trips, grain) for k in range(chunks + 1)]
    assert found[0] == 0
    assert found[-1] == trips
    assert found == sorted(found)
    if trips >= chunks:
        assert len(set(found)) == chunks + 1
    if trips >= chunks * grain:
        assert all(at % grain == 0 for at in found[:-1])


TEXT = """\
def kernel0(stop, chunk, lo, hi, places, own):
    for k in range(lo, hi):
        places[k] = chunk
        own[0] = own[0] + 1
    return 0
"""


def made(grain, private):
    """A kernel that notes which chunk has each iteration, and counts its own."""
    kernel = Kernel(
        "kernel0", TEXT, True, False, ("places", "own"), (), (), (), False, False, (),
        reductions=(Reduction("own", "last", frozenset(), array=True),) if private else (),
        grain=grain,
    )  # fmt: skip
    arrays = [(name, ArrayType("int64", 1, "C", True, True)) for name in kernel.arrays]
    typed = Typed(None, tuple(arrays), (), (), ())  # type: ignore[arg-type]
    return kernel, build.build(kernel, typed, Program((kernel,), "", (), (), (), (), (), ()), None)


@pytest.mark.parametrize("grain", [1, 4, 8])
def test_a_team_cuts_where_python_does(grain):
    _, built = made(grain, private=False)
    team, word = Team(2, build.teams(None)), np.zeros(1, np.int64)
    assert team.gather()
    for trips in (1, 2, 7, 15, 16, 17, 63, 64, 65, 200):
        for chunks in (2, 3, 16):
            places, own = np.full(trips, -1), np.zeros(1, np.int64)
            team.run(built.call, word.ctypes.data, min(chunks, trips), trips, (places, own))
            ends = [border(k, min(chunks, trips), trips, grain) for k in range(chunks + 1)]
            for chunk in range(min(chunks, trips)):
                assert (places[ends[chunk] : ends[chunk + 1]] == chunk).all()
    team.dismiss()


NOTED = """\
def kernel0(stop, chunk, lo, hi, seen, cube, whole, scale, flag, t, u):
    for k in range(lo, hi):
        if flag:
            more = scale.imag + float64(whole + u * 100)
            seen[k, t] = seen[k, t] + (cube[0, 0, 0] * scale.real + more)
    return cube.shape[2] if t == 3 else 0
"""


def test_loops_that_a_team_runs_one_after_the_other():
    """Each kernel is called with what it has noted, and with the variables of its step."""
    kernel = Kernel(
        "kernel0", NOTED, True, False, ("seen", "cube"), ("whole", "scale", "flag"), ("t", "u"),
        (), False, False, (),
    )  # fmt: skip
    arrays = (
        ("seen", ArrayType("float64", 2, "C", True, True)),
        ("cube", ArrayType("float64", 3, "C", True, True)),
    )
    numbers = (("whole", "int"), ("scale", "complex"), ("flag", "bool"))
    typed = Typed(None, arrays, numbers, (), ())  # type: ignore[arg-type]
    built = build.build(kernel, typed, Program((kernel,), "", (), (), (), (), (), ()), None)
    team, word = Team(3, build.teams(None)), np.zeros(1, np.int64)
    assert team.gather()
    seen, cube = np.zeros((40, 5)), np.full((2, 3, 1), 0.5)
    given = (seen, cube, 7, 2.0 + 3.0j, True)
    frames = Frames(1)
    outer = ((0, 1), (1, 2), (2, 0), (1, 1))
    each = [steps.Step(built.call, 0, 1 + k, 40 - k, around) for k, around in enumerate(outer)]
    built.call(word.ctypes.data, -1, frames.place(0, (*given, 0, 0)), -1, *given, 0, 0)
    assert not seen.any()
    expected = np.zeros_like(seen)
    for k, (t, u) in enumerate(outer):
        expected[: 40 - k, t] += 0.5 * 2.0 + 3.0 + 7 + u * 100
    found = steps.Table(each)
    assert team.steps(found.address, frames.address, word.ctypes.data) == Status.DONE
    assert (seen == expected).all()
    # A step that does not come to its end is the last one: its status is the extent of the cube.
    for chunks in (1, 3):
        before = seen.copy()
        failing = each[1]._replace(chunks=chunks, outer=(3, 0))
        found = steps.Table([each[0], failing, each[2]])
        assert team.steps(found.address, frames.address, word.ctypes.data) == Status.FAILED
        assert (seen[:, 2] == before[:, 2]).all()
        assert (seen[:, 0] > before[:, 0]).all()
        word[:] = 0
    team.dismiss()


def test_arrays_that_chunks_have_of_their_own():
    """The last chunk has that of the call; the others begin with what it holds."""
    kernel, _ = made(1, private=True)
    first, second = np.full(3, 5), np.full(3, 7)
    own = Own(kernel, 4, (np.zeros(9), first))
    for array in (first, second):
        args = (np.zeros(9), array)
        assert own.serves(args)
        own.begin(args)
        copies = own.copies(args)["own"]
        assert copies[-1] is array
        assert [part.tolist() for part in copies] == [array.tolist()] * 4
        assert own.table is not None
        places = [part.ctypes.data for part in copies[:-1]]
        assert own.table[:, 0].tolist() == [*places, 0]  # the last one is that of the call
        copies[0][:] = -1
    del args, copies
    assert sys.getrefcount(second) == 3  # this name, the loop's and the argument
    assert not own.serves((np.zeros(9), np.full(6, 7)[::2]))
    assert not own.serves((np.zeros(9), np.full(4, 7)))
