"""Calls like an earlier one are recognised at a glance, and others are not taken for such."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from outcome import both

from autopar import config
from autopar.runtime import engine, steady
from autopar.runtime.engine import Engine
from autopar.runtime.run import pool, repeat, spare
from autopar.runtime.steady import Steady
from autopar.runtime.values.facts import Reader

pytestmark = [pytest.mark.usefixtures("way"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
import warnings
from types import SimpleNamespace
n = 40
def new(dtype=float):
    return np.arange(1, n + 1).astype(dtype)
def out():
    return np.zeros(n)
def helper(x, s):
    return x * s + 1
def plus(x, s):
    return x + s
def scale(c, a, s, n):
    for i in range(n):
        c[i] = a[i] * s
def helped(c, a, s, n):
    for i in range(n):
        c[i] = helper(a[i], s)
def shifted(c, a, s, n):
    for i in range(1, n):
        c[i] = a[i - 1] * s
def summed(c, a, s, n):
    t = s
    for i in range(n):
        t = t + a[i]
        c[i] = t
    return t
def held(c, a, s, n):
    box = SimpleNamespace(c=c, a=a, s=s)
    for i in range(n):
        box.c[i] = box.a[i] * box.s
def looked(c, a, s, n):
    for i in range(n):
        c[i] = a[int(a[i]) % n] * s
def also(c, a, s, n):
    for i in range(n):
        c[i] = abs(a[i]) * s
def table(c, a, s, n):
    t = np.stack([a, a])
    for k in range(2):
        for i in range(n):
            c[i] = t[k, i] * s
order = np.arange(n)[::-1].copy()
def placed(c, a, s, n):
    for i in range(n):
        c[order[i]] = a[i] * s
def private(c, a, s, n):
    line = np.arange(n + 1.0)
    for i in range(4):
        for j in range(n):
            line[j] = a[j] * s + i
        for j in range(n):
            c[i] += line[j] * line[n - 1 - j]
    return line
def counted(c, a, s, n):
    line, count = np.arange(n + 1.0), 0
    for i in range(4):
        for j in range(n):
            line[j] = a[j] * s + i
        for j in range(n):
            if line[j] > line[n - 1 - j] + s:
                count += j
    return count, line
def noted(c, a, s, n):
    for i in range(4):
        t = 0.0
        for j in range(n):
            t += a[j] * (s + i)
        for j in range(n):
            c[j] += a[j] * t
def tell(f, c, a, s, n):
    try:
        told = f(c, a, s, n)
        print(f.__name__, type(told), np.array(told, object).tolist())
    except Exception as error:
        print(f.__name__, type(error).__name__, error)
    for x in (c, a):
        print(type(x), x.dtype, np.shape(x), x.tolist(), x.flags.writeable)
every = (scale, helped, shifted, summed, held, looked, also, table, placed, private, noted)
for f in every:
    for _ in range(6):
        tell(f, out(), new(), 2.5, n)
"""

# Other calls of each of these functions, or what is changed before the next ones.
CHANGES = {
    "another dtype": "for f in every: tell(f, out(), new(np.float32), 2.5, n)",
    "integers": "for f in every: tell(f, new(int), new(int), 2, n)",
    "of another C type": """
for f in every:
    for kind in (np.longlong, np.int64, np.longlong):
        tell(f, new(kind), new(kind), 2, n)""",
    "another type of number": """
for f in every:
    for s in (2, True, np.float64(2.5), np.float32(2.5), np.int64(2), 2.5, 1, 1.0, True, 2j):
        tell(f, out(), new(), s, n)""",
    "another number of turns": """
for f in every:
    for m in (3, 0, -1, n - 1, n, n + 1, n): tell(f, out(), new(), 2.5, m)""",
    "as booleans": """
for f in every:
    for m in (1, True, np.int64(1)): tell(f, out(), new(), 2.5, m)""",
    "a shorter array": "for f in every: tell(f, out(), new()[:7].copy(), 2.5, n)",
    "shaped in place": """
for f in every:
    a, c = new(), out()
    for _ in range(3): tell(f, c, a, 2.5, n)
    a.shape = (2, n // 2)
    tell(f, c, a, 2.5, n)
    a.shape = (n,)
    tell(f, c, a, 2.5, n)""",
    "another dtype in place": """
for f in every:
    a, c = new(), out()
    for _ in range(3): tell(f, c, a, 2.5, n)
    a.dtype = np.int64
    tell(f, c, a, 2.5, n)""",
    "made read-only": """
for f in every:
    a, c = new(), out()
    for _ in range(3): tell(f, c, a, 2.5, n)
    c.flags.writeable = False
    tell(f, c, a, 2.5, n)""",
    "resized": """
for f in every:
    a, c = new(), out()
    for _ in range(3): tell(f, c, a, 2.5, n)
    a.resize(n // 2, refcheck=False)
    tell(f, c, a, 2.5, n)""",
    "one array twice": """
for f in every:
    for _ in range(3):
        a = new()
        tell(f, a, a, 2.5, n)
        tell(f, out(), new(), 2.5, n)""",
    "views that overlap": """
for f in every:
    for k in (0, 1, 2, 1, 0, n, 1):
        x = np.arange(2.0 * n)
        tell(f, x[k : k + n], x[1 : 1 + n], 2.5, n)
        tell(f, out(), new(), 2.5, n)""",
    "views with gaps": """
for f in every:
    for k in (1, 2, 3, 1):
        x = np.arange(3.0 * n)
        tell(f, x[::-1][:n], x[::k][:n], 2.5, n)""",
    "the same views": """
for f in every:
    x = np.arange(4.0 * n)
    c, a = x[:n], x[2 * n : 3 * n]
    for _ in range(4): tell(f, c, a, 2.5, n)
    for b in (x, x[1 : n + 1], c[:n], c, x[:n], a): tell(f, c, b, 2.5, n)
    for _ in range(2): tell(f, x, a, 2.5, n)
    a = x[: 2 * n : 2]
    for _ in range(4): tell(f, c, a, 2.5, n)
    a.strides = (24,)
    for _ in range(2): tell(f, c, a, 2.5, n)""",
    "views of bytes": """
for f in every:
    room = bytearray(16 * n)
    c, a = np.frombuffer(room)[:n], np.frombuffer(room)[n:]
    for _ in range(4): tell(f, c, a, 2.5, n)
    for _ in range(2): tell(f, c, np.frombuffer(room)[1 : n + 1], 2.5, n)""",
    "NumPy's floats": """
for f in every:
    c, a = out(), new()
    for s in np.arange(4) / 3: tell(f, c, a, s, n)
    tell(f, c, a, 0.1, n)
    for s in (np.float64(1e308), np.float64(-0.0), np.nan): tell(f, c, a, s, n)""",
    "a list": "for f in every: tell(f, [0.0] * n if 0 else out(), list(map(float, new())), 2.5, n)",
    "an array of another class": """
class Odd(np.ndarray):
    def __getitem__(self, key):
        return 7.0
for f in every: tell(f, out(), new().view(Odd), 2.5, n)""",
    "another helper": """
helper = plus
for f in every: tell(f, out(), new(), 2.5, n)
def helper(x, s):
    return x - s
for f in every: tell(f, out(), new(), 2.5, n)""",
    "other code of the helper": """
helper.__code__ = plus.__code__
for f in every: tell(f, out(), new(), 2.5, n)""",
    "another builtin": """
abs = lambda x: -x
for f in every: tell(f, out(), new(), 2.5, n)
range = lambda *bounds: [0, 1]
for f in every: tell(f, out(), new(), 2.5, n)
del abs, range
for f in every: tell(f, out(), new(), 2.5, n)""",
    "another attribute": """
class SimpleNamespace:
    def __init__(self, **names): self.names = names
    def __getattr__(self, name): return self.names[name] * 2
for f in every: tell(f, out(), new(), 2.5, n)""",
    "subscripts read from other numbers": """
for f in every:
    a = new()
    for k in (3, 1e6, -5, 2):
        a[4] = k
        tell(f, out(), a, 2.5, n)
    tell(f, out(), a, np.nan, n)
    a[4] = np.nan
    tell(f, out(), a, 2.5, n)""",
    "other places": """
for there in (1, 2, -3, n, 7, n - 1 - 4, -n - 1, 0):
    order[4] = there
    for _ in range(2): tell(placed, out(), new(), 2.5, n)
for order in (np.arange(n), np.arange(n), np.arange(n).astype(np.int8), np.arange(2 * n)[::2]):
    for _ in range(3): tell(placed, out(), new(), 2.5, n)
x = np.zeros(2 * n, np.int64)
order = x[n:]
order[:] = np.arange(n)
for k in (0, n // 2, n, n, 0):
    tell(placed, x[k : k + n], new(), 2, n)
    order[:] = np.arange(n)""",
    "an array that is no longer there": """
for f in every:
    for m in (n, n, n // 2):
        a = np.arange(float(m))
        tell(f, out(), a, 2.5, n)
        del a""",
}


@pytest.fixture(params=["verified", "alone", "steady", "replayed"])
def way(request: pytest.FixtureRequest, lenient: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """With each nest run by the interpreter, too, and as users get it but for small nests.

    Of these, with and without many calls before, so that they are steady; step by step, or the
    second one already whole in machine code.
    """
    monkeypatch.setattr(steady, "_FIRST", 1 if request.param == "replayed" else -1)
    if request.param != "verified":
        request.getfixturevalue("soon")
        monkeypatch.setattr(steady, "_PAYS", 0)
    if request.param == "alone":
        monkeypatch.setattr(engine, "AFTER", -1)
    return "steady" if request.param == "replayed" else request.param


@pytest.fixture
def recalled(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call that was looked at was recognised, or found to be steady."""
    found: list[bool] = []
    recall = Engine.recalled

    def noted(self: Engine, *args: Any) -> Any:
        before = recall(self, *args)
        found.append(before is not None)
        return before

    monkeypatch.setattr(Engine, "recalled", noted)
    result = Steady.result

    def also_noted(self: Steady, roots: tuple[Any, ...]) -> Any:
        results = result(self, roots)
        if results is not None:
            found.append(True)
        return results

    monkeypatch.setattr(Steady, "result", also_noted)
    return found


@pytest.fixture
def steadily(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call of a site with steady calls was one of them."""
    found: list[bool] = []
    result = Steady.result

    def noted(self: Steady, roots: tuple[Any, ...]) -> Any:
        results = result(self, roots)
        found.append(results is not None)
        return results

    monkeypatch.setattr(Steady, "result", noted)
    return found


def test_runs_of_what_is_recognised_are_used_again(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[bool] = []
    usual = Engine.repeated

    def noted(self: Engine, *args: Any) -> Any:
        found = usual(self, *args)
        ran.append(found is not None)
        return found

    monkeypatch.setattr(Engine, "repeated", noted)
    both(HEAD)
    assert sum(ran) >= (8 if way == "alone" else 0)
    assert all(ran)


@pytest.mark.parametrize("way", ["alone", "steady", "replayed"], indirect=True)
@pytest.mark.parametrize("name", CHANGES)
def test_what_has_changed_is_noticed(
    name: str,
    way: str,
    steadily: list[bool],
    recalled: list[bool],
    replays: list[bool],
) -> None:
    again = "for f in every: tell(f, out(), new(), 2.5, n)"
    often = "\n".join([again] * (5 if steady._FIRST > 0 else 1))
    both(f"{HEAD}{CHANGES[name]}\n{often}\n{CHANGES[name]}\n{often}")
    assert sum(recalled) > 50
    if way == "steady":
        assert sum(steadily) > 10
        assert (sum(replays) > 10) == (steady._FIRST > 0)
    else:
        assert not steadily


@pytest.mark.parametrize(
    ("f", "c", "s"),
    [
        ("scale", "x[:n]", 2.5),
        ("added", "out()", 2.5),
        ("scale", "out()", "np.float64(2.5)"),
        ("placed", "out()", 2.5),
        ("private", "out()", 2.5),
        ("counted", "out()", 2.5),
        ("noted", "out()", 2.5),
    ],
    ids=[
        "views",
        "a sum",
        "a NumPy float",
        "subscripts",
        "arrays of each chunk",
        "and a sum",
        "temporaries",
    ],
)
def test_these_are_steady(f: str, c: str, s: object, way: str, steadily: list[bool]) -> None:
    both(f"""{HEAD.rpartition("for f in every")[0]}
def added(c, a, s, n):
    for i in range(n):
        s += a[i]
    return s
x = np.arange(4.0 * n)
c, a = {c}, x[2 * n :]
for _ in range(9):
    tell({f}, c, a, {s}, n)
""")
    assert sum(steadily) == (7 if way == "steady" else 0)


@pytest.mark.parametrize(
    "other",
    [
        "x[:n], a",
        "c, x[2 * n : 3 * n]",
        "c, x[n - 1 : 2 * n - 1]",
        "c, y",
        "y, a",
        "c, turned(a)",
        "c, elsewhere(a)",
    ],
)
def test_other_views_are_others(other: str, way: str, steadily: list[bool]) -> None:
    both(f"""{HEAD.rpartition("for f in every")[0]}
y = np.arange(4.0 * n)
x = y[:]
c, a = x[:n], x[2 * n : 3 * n]
if {other!r} == "y, a":
    y = new()
    c, a = out(), y[:]
if "turned" in {other!r}:
    a = y[: 2 * n : 2]
def turned(a):
    a.strides = (24,)
    return a
def elsewhere(a):
    try:
        a.data = x[n : 2 * n]
    except AttributeError:  # as NumPy has it by now
        a = x[n : 2 * n]
    return a
for _ in range(9):
    tell(shifted, c, a, 2.5, n)
tell(shifted, {other}, 2.5, n)
tell(shifted, {other}, 2.5, n)
""")
    assert steadily == ([True] * 7 + [False] * 2 if way == "steady" else [])


def test_threads_are_woken_for_a_call_after_a_pause(
    way: str, steadily: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[int] = []
    monkeypatch.setattr(pool, "stir", woken.append)
    monkeypatch.setattr(steady, "_RESTED_S", 0.1)
    both(f"""{HEAD.rpartition("for f in every")[0]}
import time
c, a = out(), new()
for k in range(9):
    if k in (5, 7):
        time.sleep(0.2)
    tell(scale, c, a, 2.5, n)
""")
    threads = config.current().threads
    assert woken == ([threads] * 2 if way == "steady" else [])


def test_results_are_those_of_this_call(way: str, steadily: list[bool]) -> None:
    both(f"""{HEAD.rpartition("for f in every")[0]}
def found(c, a, s, n):
    for i in range(n):
        if a[i] > s:
            t = a[i]
    return t
c, a = out(), new()
for s in (1.5, 2.5, 3.5, 1e9, 4.5, 1e9, 5.5):
    tell(found, c, a, s, n)
""")
    assert sum(steadily) == (5 if way == "steady" else 0)


@pytest.mark.parametrize("given", ["np.frombuffer(room)[:n]", "x[n:]"])
def test_views_of_who_knows_what_are_not_steady(given: str, way: str, steadily: list[bool]) -> None:
    both(f"""{HEAD.rpartition("for f in every")[0]}
room = bytearray(8 * n)
x = np.arange(2.0 * n)
c, a = x, {given}
for _ in range(9):
    tell(scale, c, a, 2.5, n)
""")
    assert not steadily


def test_what_has_run_does_not_run_again_where_memory_ends(
    way: str, steadily: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(list[Any]):
        def append(self, one: Any) -> None:
            raise MemoryError

    class NoneLeft(dict[int, Any]):
        def setdefault(self, *args: Any) -> Any:
            raise MemoryError

    monkeypatch.setattr(repeat, "defaultdict", lambda kind: defaultdict(Full))
    monkeypatch.setattr(spare, "_free", NoneLeft())
    both(
        HEAD.rpartition("for f in every")[0]
        + """
def doubled(c, a, s, n):
    for i in range(n):
        c[i] = c[i] * 2 + a[int(a[i]) % n]
for f in (doubled, noted, private):
    for _ in range(9):
        tell(f, out(), new(), 2.5, n)
"""
    )
    assert sum(steadily) == (21 if way == "steady" else 0)


def test_steady_calls_are_undone_and_warn_as_others_do(way: str, steadily: list[bool]) -> None:
    both(f"""{HEAD}
def late(c, a, s, n):
    for i in range(n):
        c[i] = c[i] + 1
        c[i] = c[i] / a[i] * s
def strict(c, a, s, n):
    for i in range(n):
        c[i] = c[i] + 1 / s
        c[int(a[i])] = 3.0
for f in (late, strict, scale):
    for k in range(12):
        a = new() - 1
        a[7] = 1e6 if k in (5, 9) else 0.0 if k in (3, 6, 7) else np.inf if k == 10 else 3.0
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
            warnings.simplefilter("always")
            tell(f, out(), a, 1e300 if k == 11 else 2.5, n)
        print([(str(w.message), w.lineno) for w in caught])
with np.errstate(all="ignore"):
    for k in range(12):
        tell(scale, out(), new() * 1e300, 1e300, n)
""")
    assert sum(steadily) > 4 or way != "steady"


def test_what_is_watched_or_counted_is_not_steady(way: str, steadily: list[bool]) -> None:
    both(f"""{HEAD}
import sys
for k in range(4):
    tell(scale, out(), new(), 2.5, n)
lines = []
def tracer(frame, event, argument):
    if frame.f_code.co_name == "scale":
        lines.append(event)
    return tracer
sys.settrace(tracer)
tell(scale, out(), new(), 2.5, n)
sys.settrace(None)
print(len(lines) > n)
tell(scale, out(), new(), 2.5, n)
""")
    assert len(steadily) > 2 or way != "steady"


def test_steady_calls_that_may_not_pay_are_tried_out(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the interpreter may be faster, calls are left to it now and then, steady or not."""
    kept: list[tuple[Steady, tuple[Any, ...]]] = []
    result = Steady.result

    def noted(self: Steady, roots: tuple[Any, ...]) -> Any:
        results = result(self, roots)
        if results is not None:
            kept.append((self, roots))
        return results

    monkeypatch.setattr(Steady, "result", noted)
    both(HEAD)
    if way != "steady":
        return
    one, roots = kept[-1]
    site = one.site
    assert site.trial is None
    one.choice = replace(one.choice, brief=True, interpreted_s=1e-9)
    calls = 0
    while one.result(roots) is not None:
        calls += 1
    assert calls > 32
    assert site.trial is not None
    left = site.patience.left
    assert left == 8
    for _ in range(left):
        assert site.run(roots) is None
    site.trial.began = -1e9  # as if these had taken long
    assert site.run(roots) is not None
    assert one.result(roots) is not None


def test_what_is_recognised_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    usual = Reader.read

    def noted(self: Reader, *args: Any) -> Any:
        read.append(self.place.line)
        return usual(self, *args)

    monkeypatch.setattr(Reader, "read", noted)
    both(HEAD)
    lines = {line: read.count(line) for line in set(read)}
    one_nest, helper_written_out = 2, 3
    assert min(lines.values()) <= one_nest
    assert sorted(lines.values())[1] <= helper_written_out


@pytest.mark.parametrize("mode", ["ignore", "raise", "print"])
def test_other_ways_with_errors_are_noticed(mode: str, recalled: list[bool]) -> None:
    both(f"""{HEAD}
for f in every:
    for where in ("ignore", {mode!r}, "ignore", {mode!r}):
        with np.errstate(all=where):
            tell(f, out(), new() * 1e308, 2.5, n)
""")
    assert sum(recalled) > 50


def test_warnings_are_those_of_python(recalled: list[bool]) -> None:
    both(f"""{HEAD}
for f in every:
    for action in ("ignore", "error", "always", "ignore"):
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
            warnings.simplefilter(action)
            tell(f, out(), new() * 1e308, 2.5, n)
            print([(str(w.message), w.lineno) for w in caught])
""")
    assert sum(recalled) > 50


def test_kernels_that_gave_up_are_given_up() -> None:
    """A subscript that is out of bounds now and then; after some times nobody tries any more."""
    found = both(f"""{HEAD}
for k in [3, 1e6] * 8:
    a = new()
    a[4] = k
    tell(looked, out(), a, 2.5, n)
    tell(looked, out()[:4], a, 2.5, n)
""")
    assert found.error is None
