"""Iterations that go on together leave what they leave one after the other, bit for bit."""

from __future__ import annotations

import warnings
from dataclasses import replace

import harness
import numpy as np
import pytest

from autopar import config
from autopar.cpu import lanes as cpu_lanes
from autopar.cpu import powers, runs
from autopar.nest.text.lift import lift_text
from autopar.runtime.site import FallbackError
from autopar.sched import lanes as sched_lanes
from autopar.sched.machine import MACHINE

BLOCK = 3
SMALL = replace(MACHINE, strip_lanes=4, packed_bytes=0, panel_lanes=3, least_lanes=2)


@pytest.fixture(autouse=True)
def small(apart, monkeypatch):
    """Strips of few lanes, so that small arrays have several."""
    apart(f"{SMALL!r} {BLOCK}")
    monkeypatch.setattr(runs, "_BLOCK", BLOCK)
    monkeypatch.setattr(cpu_lanes, "MACHINE", SMALL)
    monkeypatch.setattr(sched_lanes, "MACHINE", SMALL)


PRODUCT = """\
for i in range(n):
    for j in range(m):
        total = 0.0
        for k in range(p):
            total += a[i, k] * b[k, j]
        c[i, j] = total
"""
IN_PLACE = """\
for i in range(n):
    for j in range(m):
        c[i, j] = beta * c[i, j]
        for k in range(p):
            c[i, j] += alpha * a[i, k] * b[k, j]
"""
ROWS = """\
for i in range(n):
    for k in range(p):
        x[i] += a[i, k] * z[k]
"""
COLUMNS = """\
for j in range(m):
    for k in range(p):
        y[j] += b[k, j] * z[k]
"""
TRIANGLE = """\
for i in range(n):
    for j in range(i + 1):
        for k in range(p):
            c[i, j] += a[i, k] * a[j, k]
"""
UPPER = """\
for i in range(n - 1):
    c[i, i] = 1.0
    for j in range(i + 1, n):
        s = 0.0
        for k in range(p):
            s += b[k, i] * b[k, j]
        c[i, j] = s
        c[j, i] = s
"""
BAND = """\
for i in range(n):
    for j in range(max(0, i - 2), min(m, i + 3)):
        s = c[i, j]
        for k in range(p):
            s -= a[i, k] * b[k, j]
        c[i, j] = s
"""
ABOVE = """\
for i in range(n):
    for j in range(m):
        for k in range(i + 1, n):
            c[i, j] += a[k, i] * c[k, j]
        c[i, j] = alpha * c[i, j]
"""
WINDOW = """\
for i in range(n - 2):
    for j in range(m - 2):
        s = 0.0
        for u in range(3):
            for v in range(3):
                s += c[i + u, j + v] * w[u, v]
        d[i, j] = s
"""
CHOICES = """\
for i in range(n):
    for j in range(m):
        best = a[i, 0] * b[0, j]
        where = 0
        for k in range(1, p):
            q = a[i, k] * b[k, j]
            if q > best:
                best = q
                where = k
        c[i, j] = best
        h[i, j] = where
"""
SWEEP = """\
for i in range(p):
    for j in range(m):
        for k in range(i):
            b[k, j] = b[k, j] + alpha * d[i, j] * a[0, k]
"""
SEVERAL = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        t = 1.0
        for k in range(p):
            r = a[i, k] - b[k, j]
            s += r * r
            t = t * 0.5 + r
        u = s - t
        for k in range(p):
            u += b[k, j] * s
        c[i, j] = u
"""
SINGLE = """\
for i in range(n):
    for j in range(m):
        s = f[i, 0] * f[0, j]
        for k in range(p):
            s += f[i, k] * f[k, j]
        g[i, j] = s
"""
INTEGERS = """\
for i in range(n):
    for j in range(m):
        s = h[i, j]
        for k in range(p):
            s += e[i, k] * e[k, j]
        h[i, j] = s
"""
FLAGS = """\
for i in range(n):
    for j in range(m):
        found = False
        for k in range(p):
            found = found or a[i, k] > b[k, j]
        c[i, j] = 1.0 if found else 2.0
"""
UNIFORM = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        if p > 2:
            for k in range(p):
                s += a[i, k] * b[k, j]
        else:
            for k in range(p - 1, -1, -1):
                s -= a[i, k] * b[k, j]
        c[i, j] = s
"""
PAIRS = """\
for i in range(n):
    for j in range(m):
        u = a[i, 0] - b[j, 0]
        v = a[i, 1] - b[j, 1]
        c[i, j] = u * u + v * v
"""
FORCES = """\
for i in range(n):
    s = 0.0
    for k in range(p):
        u = a[k, 0] - a[i, 0]
        v = a[k, 1] - a[i, 1]
        s += u / (u * u + v * v + 0.5)
    x[i] = s
"""
POWERS = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            t = a[i, k] - b[k, j]
            s += t ** 2 + (t ** 2 * 0.5 + alpha) ** 3 * b[k, j] ** 2
        c[i, j] = s
"""
SQUARES_IN_ORDER = """\
for i in range(n):
    mean = 0.0
    for k in range(m):
        mean += a[i, k]
    s = t = 0.0
    for k in range(m):
        u = a[i, k] - mean
        s += u ** 2
        t = (t * 0.01) ** 2 + (a[k, 0] * 0.5) ** 3
    x[i] = s - t
"""
POWERS_OF_STORED = """\
for i in range(n):
    for j in range(m):
        for k in range(p):
            d[i, j] = (d[i, j] * 0.25) ** 2 + a[i, k]
            c[k, j] = (c[k, j] * 0.25 - a[i, k]) ** 2 + (b[k, j] * 0.5) ** 2
"""
SUMS_AND_SHARES = """\
for k in range(p):
    for j in range(k + 1, m):
        d[k, j] = 0.0
        for i in range(n):
            d[k, j] += b[i, k] * a[i, j]
        for i in range(n):
            a[i, j] = a[i, j] - b[i, k] * d[k, j]
"""
BOTH_WAYS = """\
for i in range(n):
    x[i] = 0.0
    for j in range(m):
        y[j] += z[i] * a[i, j]
        x[i] += a[i, j] * b[0, j]
"""
PROGRAMS = {
    "sums and shares": SUMS_AND_SHARES,
    "both ways": BOTH_WAYS,
    "pairs": PAIRS,
    "powers": POWERS,
    "powers of stored": POWERS_OF_STORED,
    "squares in order": SQUARES_IN_ORDER,
    "forces": FORCES,
    "product": PRODUCT,
    "in place": IN_PLACE,
    "rows": ROWS,
    "columns": COLUMNS,
    "triangle": TRIANGLE,
    "upper": UPPER,
    "band": BAND,
    "above": ABOVE,
    "window": WINDOW,
    "choices": CHOICES,
    "sweep": SWEEP,
    "several": SEVERAL,
    "single": SINGLE,
    "integers": INTEGERS,
    "flags": FLAGS,
    "uniform": UNIFORM,
}


def given(n, m, p, order="C"):
    rng = np.random.default_rng(n * 100 + m * 10 + p)
    most = max(n, m, p, 3) + 1

    def table(*shape, dtype=float):
        return np.array(rng.random(shape) * 9 - 4, dtype, order=order)

    return {
        "n": n, "m": m, "p": p, "alpha": 1.25, "beta": 0.5,
        "a": table(most, most), "b": table(most, most), "c": table(most, most),
        "d": table(most, most), "w": table(3, 3),
        "e": table(most, most, dtype="int32"), "h": table(most, most, dtype="int64"),
        "f": table(most, most, dtype="float32"), "g": table(most, most, dtype="float32"),
        "x": table(most), "y": table(most), "z": table(most),
    }  # fmt: skip


SIZES = [(7, 11, 5), (8, 9, 4), (1, 3, 6), (3, 1, 0), (6, 2, 1), (0, 5, 5), (5, 13, 2)]


def unseen(source):
    """The nest of `source`, whose variables nobody sees."""
    return replace(lift_text(source), live_out=())


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("alone", [False, True])
def test_as_the_interpreter(name, order, alone, monkeypatch):
    """On three threads at module level, and on one in a function, where nobody sees variables."""
    if alone:
        config.use(replace(config.current(), threads=1))
        monkeypatch.setattr(harness, "lift_text", unseen)
    for n, m, p in SIZES if order == "C" else SIZES[::2]:
        _, left = harness.run(PROGRAMS[name], **given(n, m, p, order))
        assert left is not None, (n, m, p)


EMPTY = {
    "beside other statements": """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            for l in range(q):
                c[i, j] += a[i, k] * b[l, j]
            s += b[k, j]
        d[i, j] = s
""",
    "alone": """\
for i in range(n):
    for j in range(m):
        for k in range(p):
            for l in range(q):
                c[i, j] += a[i, k] * b[l, j]
""",
}


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("q", [0, 3])
def test_around_an_empty_loop_the_others_go_on(name, q):
    """A cell is no scalar where nobody comes to it, and what else is done there is done."""
    config.use(replace(config.current(), threads=1))
    _, left = harness.run(EMPTY[name], **given(6, 7, 4), q=q)
    assert left is not None


LEANING = {
    "rows below the diagonal": """\
for i in range(n):
    for j in range(i + 1):
        for k in range(p):
            c[i, j] += a[i, k] * b[k, j]
""",
    "what does not depend on the row": """\
for i in range(n):
    for j in range(i, n):
        s = 0.0
        for k in range(p):
            s += a[k, j] * b[j, k]
        c[i, j] = s
""",
}


@pytest.mark.parametrize("name", LEANING)
def test_a_range_that_leans_on_a_strip(name, monkeypatch):
    """Each lane of a strip over the rows would need a range of its own.

    In a function nobody sees which iteration was the last, so triangles go on together.  On one
    thread a chunk has more than a row.
    """
    config.use(replace(config.current(), threads=1))
    monkeypatch.setattr(harness, "lift_text", unseen)
    for n, p in [(7, 5), (9, 3), (1, 4)]:
        names = given(n, n, p, "F")
        copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in names.items()}
        exec(compile(LEANING[name], "<text>", "exec"), {"__name__": "user", **copies})
        harness.run(LEANING[name], **names)
        assert np.array_equal(names["c"], copies["c"])


@pytest.mark.parametrize(
    "name",
    ["product", "rows", "columns", "above", "window", "pairs", "forces", "both ways"],
)
def test_they_do_go_on_together(name):
    here, _ = harness.run(PROGRAMS[name], **given(9, 9, 9))
    plans = [str(v.plan) for s in here.engine.states.values() for v in s.variants.values()]
    assert any("side by side" in plan or "at a time" in plan for plan in plans)


@pytest.mark.parametrize("name", ["product", "in place", "columns"])
def test_warnings_are_those_of_the_interpreter(name):
    names = given(6, 9, 5)
    names["a"][2, 1] = names["b"][1, 4] = names["z"][1] = 1e300
    copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in names.items()}
    with warnings.catch_warnings(record=True) as wanted:
        warnings.simplefilter("default")
        exec(compile(PROGRAMS[name], "<text>", "exec"), {"__name__": "user", **copies})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        _, left = harness.run(PROGRAMS[name], **names)
    assert left is not None
    assert wanted
    assert [str(w.message) for w in found] == [str(w.message) for w in wanted]
    assert np.array_equal(names["c"], copies["c"])


@pytest.mark.usefixtures("quiet")
def test_a_division_by_zero_leaves_what_came_before():
    source = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            s += float(a[i, k]) / float(b[k, j])
        c[i, j] = s
"""
    names = given(6, 9, 5)
    names["b"][3, 7] = 0.0
    before = names["c"].copy()
    with pytest.raises(FallbackError):
        harness.run(source, **names)
    assert np.array_equal(names["c"], before)


FOUR_DEEP = """\
for i in range(n):
    for j in range(m):
        for k in range(p):
            for l in range(k, q):
                c[i, j] = c[i, j] + a[i, k] * b[l, j]
            c[i, j] = c[i, j] * 0.5
"""


@pytest.mark.parametrize("sizes", [(7, 3, 0, 2), (3, 0, 4, 4), (4, 6, 3, 5), (2, 5, 1, 0)])
def test_an_empty_loop_leaves_no_variable_of_a_loop_inside(sizes):
    """Around an empty loop `j` goes on to its last number, inside of it it never starts."""
    n, m, p, q = sizes
    _, left = harness.run(FOUR_DEEP, **given(n, m, p), q=q)
    assert left is not None


OVERLAPPING = """\
for i in range(n):
    for k in range(p):
        x[i] += y[k] * z[k]
"""


def test_a_cell_that_another_name_may_mean_is_no_scalar():
    """`y` begins one cell before `x`, so what is added to `x` is read as `y` later on."""
    cells = np.arange(12.0)
    names = given(5, 5, 6) | {"x": cells[1:], "y": cells[:-1]}
    _, left = harness.run(OVERLAPPING, **names)
    assert left is not None


def test_what_may_be_stored_meanwhile_is_not_packed():
    """The columns of `b` are cells of `c`, so they cannot be read before."""
    names = given(6, 9, 5)
    names["b"] = names["c"]
    _, left = harness.run(PAIRS, **names)
    assert left is not None


REFUSED = {
    "a loop that is left": """\
for i in range(n):
    for k in range(p):
        if z[k] > 3.0:
            break
        x[i] += a[i, k] * z[k]
""",
    "a range that differs from lane to lane": """\
for i in range(n):
    s = 0.0
    for k in range(i):
        s += a[k, i]
    x[i] = s
""",
    "a value from the iteration before": """\
for i in range(n):
    for k in range(p):
        s = s * 0.5 + a[k, i]
    x[i] = s
""",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_on_together(name):
    here, left = harness.run(REFUSED[name], **given(9, 9, 5), s=0.5)
    assert left is not None
    plans = [str(v.plan) for s in here.engine.states.values() for v in s.variants.values()]
    assert plans
    assert not any("side by side" in plan for plan in plans)


IN_FULL = {
    "if u != 0 or v != 0:\n                    s += c[i + u, j + v] * 0.5": ("-1, 2", "1, -2, -1"),
    "s = s * 0.5 + c[i + u, j - v]": ("1, -2, -1", "-1, 2"),
    "t = c[i - u, j]\n                s += t * u + v": ("3", "-1, 2"),
}
"""Statements in two loops, and the ranges of these."""


@pytest.mark.parametrize("body", IN_FULL)
def test_loops_of_few_steps_are_written_in_full(body, kernel_texts):
    outer, inner = IN_FULL[body]
    source = f"""\
for i in range(2, n):
    for j in range(2, m):
        s = 0.0
        for u in range({outer}):
            for v in range({inner}):
                {body}
        d[i, j] = s
"""
    for n, m in [(5, 9), (3, 14), (2, 9)]:
        names = given(n, m, 5)
        plain = {k: np.copy(v) if isinstance(v, np.ndarray) else v for k, v in names.items()}
        exec(compile(source, "<text>", "exec"), plain)
        _, left = harness.run_unseen(source, **names)
        assert left is not None
        assert names["d"].tobytes() == plain["d"].tobytes()
    strips = [text for text in kernel_texts if "lane_ = " in text]
    assert strips
    assert not any("for v in" in text.partition("else:")[0] for text in strips)


def test_a_step_that_python_would_not_survive_is_left_to_it():
    source = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for u in range(3):
            s += a[i, k[u]]
        d[i, j] = s
"""
    config.use(replace(config.current(), fail_on_fallback=False))
    for last, takes in ((2, True), (99, False)):
        _, left = harness.run_unseen(source, **given(5, 9, 3), k=np.array([0, 1, last]))
        assert (left is not None) is takes


ahead_of_pow = pytest.mark.skipif(not powers.known(), reason="powers are left to the C library")


@ahead_of_pow
def test_powers_are_found_for_a_block_of_a_sum_in_order(kernel_texts):
    """Some rows at a time; what a recurrence itself goes into is not known ahead."""
    harness.run_unseen(SQUARES_IN_ORDER, **given(9, 9, 9))
    (text,) = kernel_texts
    assert text.count('many_("squares_"') == text.count('many_("power_3_"') > 1


@ahead_of_pow
def test_powers_are_found_for_a_strip(kernel_texts):
    """The same ones once, for each of the steps that are taken together."""
    harness.run_unseen(POWERS, **given(9, 9, 9))
    (text,) = kernel_texts
    ahead = text.partition("else:")[0]
    assert ahead.count('many_("squares_"') == 2 * ahead.count('many_("power_3_"') > 0
    assert "squares_(" not in ahead.replace('many_("squares_"', "")
