"""Which triangles may run in panels of columns, and what these leave."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.columns import in_columns
from autopar.deps.data import Facts, Overlap
from autopar.nest.check import check
from autopar.nest.ir import Assign, For
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.nest.walking import statements
from autopar.sched import plan
from autopar.sched.distribute import schedule
from autopar.sched.triangles import on_one_thread, panels
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "x": 1, "b": 1}
FACTS = Facts(frozenset("nm"), tuple(sorted(RANKS.items())))
LU = """\
for i in range(n):
    for j in range(i):
        for k in range(j):
            A[i, j] -= A[i, k] * A[k, j]
        A[i, j] /= A[j, j]
    for j in range(i, n):
        for k in range(i):
            A[i, j] -= A[i, k] * A[k, j]
"""
SCALAR = """\
for i in range(n):
    for j in range(i):
        w = A[i, j]
        for k in range(j):
            w -= A[i, k] * A[j, k]
        A[i, j] = w / A[j, j]
"""
SUBSTITUTION = """\
for i in range(n):
    for j in range(i):
        x[i] -= A[i, j] * x[j]
    x[i] /= A[i, i]
"""
BEGUN = SUBSTITUTION.replace("    for j", "    x[i] = b[i]\n    for j")
BEGUN_IN_A_SCALAR = """\
for i in range(n):
    w = b[i]
    for j in range(i):
        w -= A[i, j] * x[j]
    x[i] = w / A[i, i]
"""
FOUND = {
    "lu": LU,
    "from another number on": LU.replace("range(i)", "range(m, i)")
    .replace("range(j)", "range(m, j)")
    .replace("range(n)", "range(m, n)"),
    "a scalar": SCALAR,
    "a scalar, and nothing but that": SCALAR.replace("w / A[j, j]", "w"),
    "rows of which others need the diagonal": LU + "    A[i, i] *= 0.5\n",
    "substitution": SUBSTITUTION,
    "rows that begin with something else": BEGUN,
    "rows that begin with something else, in a scalar": BEGUN_IN_A_SCALAR,
    "rows that begin with the one before": BEGUN.replace("b[i]", "b[i]\n    b[i + 1] = x[i]"),
    "two arrays": LU.replace("A[k, j]", "B[k, j]") + "    B[i, i] += A[i, i]\n",
}
OTHERS = {
    "the first loop is not the outermost": "for t in range(m):\n"
    + "".join(f"    {line}\n" for line in LU.splitlines()),
    "all columns of a row at once": LU.replace("range(j)", "range(i)"),
    "a loop that goes farther": LU.replace("range(j)", "range(j + 1)"),
    "a loop that begins later": LU.replace("for j in range(i):", "for j in range(1, i):"),
    "no sum to wait for": "for i in range(n):\n    for k in range(i):\n        A[i, k] /= A[k, k]\n"
    "        for j in range(k + 1, n):\n            A[i, j] -= A[i, k] * A[k, j]\n",
    "no triangle": LU.replace("range(j)", "range(n)").replace("range(i)", "range(n)"),
    "down": LU.replace("range(i)", "range(i - 1, -1, -1)"),
    "a branch": LU.replace("        A[i, j] /=", "        if j > 3:\n            A[i, j] /="),
    "a scalar that is seen later": SCALAR + "    A[i, i] += w\n",
    "a scalar of another cell": SCALAR.replace("w = A[i, j]", "w = A[i, j + n]"),
    "a scalar that goes on": SCALAR.replace("        w = A[i, j]\n", "").replace(
        "    for j", "    w = A[i, 0]\n    for j", 1
    ),
    "what a loop has left behind": LU + "    A[i, i] += A[i, j]\n",
    "a bound that changes": SUBSTITUTION.replace("range(i)", "range(i * 1)"),
}
WRONG = {
    "what is right of the column": LU.replace("A[i, k] * A[k, j]", "A[i, k + 1] * A[k, j]", 1),
    "what is above, later": LU.replace("A[j, j]", "A[i - 1, j + 1]"),
    "a row below": SUBSTITUTION.replace("* x[j]", "* x[j + 1]"),
    "the cell of the scalar, after it": SCALAR.replace("w / A[j, j]", "w * A[i, j]"),
    "a cell for all": SUBSTITUTION + "    x[0] += x[i]\n",
    "the cell of the scalar": SCALAR.replace("A[i, k] * A[j, k]", "A[i, k] * A[i, j]"),
    "a row that begins with a result": BEGUN.replace("b[i]", "x[i - 1]"),
    "a row that begins with a result, in a scalar": BEGUN_IN_A_SCALAR.replace("b[i]", "x[i - 1]"),
    "a row that begins with what its sum changes": BEGUN.replace("x[i] -=", "b[i + 1] -="),
    "any cell": SCALAR.replace("A[i, k] * A[j, k]", "A[i, k * k]"),
}


def typed(source, live_out=(), dtype="float64"):
    nest = replace(lift_text(source), live_out=live_out)
    arrays = {p: ArrayType(dtype, RANKS[p], "C", True, True) for p in nest.paths if p in RANKS}
    found = infer(nest, arrays, {p: "int" for p in nest.paths if p in ("n", "m")}, {})
    assert not hasattr(found, "reason"), found
    return found


def allowed(found, facts=FACTS):
    return in_columns(found.nest, facts, found.columns, found.cells)


@pytest.mark.parametrize("source", FOUND.values(), ids=FOUND)
def test_in_panels(source):
    found = panels(typed(source))
    check(found.nest)
    check(found.typed.nest)
    assert allowed(found)


@pytest.mark.parametrize("source", OTHERS.values(), ids=OTHERS)
def test_other_nests(source):
    assert panels(typed(source)) is None


@pytest.mark.parametrize("source", WRONG.values(), ids=WRONG)
def test_dependences_that_lead_to_the_left(source):
    assert not allowed(panels(typed(source)))


@pytest.mark.parametrize("name", "ijk")
def test_what_the_last_iteration_leaves_is_seen(name):
    assert panels(typed(LU, (name,))) is None


@pytest.mark.parametrize("source", [LU, SCALAR], ids=["lu", "a scalar"])
def test_arrays_that_overlap(source):
    found = panels(typed(source.replace("A[k, j]", "B[k, j]").replace("A[j, k]", "B[j, k]")))
    assert allowed(found)
    same = replace(FACTS, same=(("A", "B"),))
    assert allowed(found, same)
    assert not allowed(found, replace(FACTS, tangled=frozenset((Overlap("A", "B"),))))
    assert not allowed(found, replace(FACTS, tangled=frozenset((Overlap("A", "A"),))))


def test_below_a_panel_rows_are_independent():
    found = panels(typed(LU))
    analysis = analyse(found.typed.nest, FACTS)
    sizes = {"n": 40, **{f"{a}.shape[{k}]": 40 for a in RANKS for k in range(2)}}
    held = analysis.held(sizes)
    assert len(analysis.inside(sizes)) == len(analysis.in_bounds)
    made = schedule(found.typed.nest, analysis, held)
    (outer,) = on_one_thread(made.body)
    own, below = outer.body
    assert (own.parallel, own.brief) == (False, True)
    assert (below.parallel, below.brief) == (True, False)
    assert list(plan.launched((outer,))) == [below]
    assert outer.stands_for == ()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_panels_leave_the_same(data):
    def draw(*choices):
        return data.draw(sampled_from(choices))

    def element(*names):
        shifts = [draw("", "", "", "", " - 1", " + 1") for _ in "ij"]
        array = draw("A", "A", "A", "B", "x")
        index = [f"{data.draw(sampled_from(names))}{shift}" for shift in shifts]
        return f"{array}[{', '.join(index[: RANKS[array]])}]"

    lines = ["for i in range(n):", "    for j in range(i):"]
    scalar = draw(True, False)
    cell = draw("A[i, j]", "A[i, j]", "A[j, i]", "B[i, j]", "x[j]")
    lines += [f"        w = {cell}"] * scalar
    target = "w" if scalar else cell
    lines += [f"        for k in range({draw('j', 'j', 'j', 'i')}):"]
    terms = draw(("A[i, k]", "A[k, j]"), ("A[i, k]", "A[j, k]"), None)
    one, two = terms or (element("i", "k"), element("j", "k", "k"))
    if draw(True, False, False, False):
        two = cell
    lines += [f"            {target} = {target} + {one} * {two}"]
    last = draw("3", "A[j, j]", element("j"), element("i", "j"), cell)
    if scalar or draw(True, False):
        lines += [f"        {cell} = {target} * {last}"]
    if draw(True, False):
        lines += ["    for j in range(i, n):", "        for k in range(i):"]
        cell = draw("A[i, j]", "B[i, j]")
        lines += [f"            {cell} = {cell} + A[i, k] * {element('k', 'j')}"]
    if draw(True, False):
        lines += [f"    {element('i')} = {element('i')} + 1"]
    source = "\n".join(lines) + "\n"
    kinds = typed(source, dtype="int64")
    found = panels(kinds)
    if found is None or not allowed(found):
        return
    size = data.draw(st.integers(0, 37))
    machines = [Machine({"n": size}, {}, budget=1_000_000) for _ in range(3)]
    for machine, nest in zip(machines, (kinds.nest, found.nest, found.typed.nest), strict=True):
        machine.run(nest.loop)
    plain, cells, other = (machine.cells for machine in machines)
    assert cells == plain, source
    assert other == plain, source


@pytest.mark.parametrize("source", [BEGUN, BEGUN_IN_A_SCALAR], ids=["cells", "a scalar"])
def test_what_rows_begin_with_goes_before_all_panels(source):
    found = panels(typed(source))
    analysis = analyse(found.typed.nest, FACTS)
    sizes = {"n": 400, **{f"{a}.shape[{k}]": 400 for a in RANKS for k in range(2)}}
    made = schedule(found.typed.nest, analysis, analysis.held(sizes))
    (once,) = on_one_thread(made.body)
    first, outer = once.body
    assert first.parallel
    assert outer.loop.step.value == 128
    own, below = outer.body
    assert (own.parallel, below.parallel) == (False, True)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_rows_of_one_number_leave_the_same(data):
    def draw(*choices):
        return data.draw(sampled_from(choices))

    begin = draw("b[i]", "x[i]", "x[i - 1]", "x[i + 1]", "b[i] * 2", "b[i - 1]", "A[i, i]")
    term = f"A[{draw('i, j', 'j, i', 'i, j + 1')}] * {draw('x[j]', 'x[j]', 'b[j]', 'x[i]')}"
    last = draw("3", "A[i, i]", "x[i]", "b[i]", "x[i - 1]")
    if draw(True, False):
        lines = [f"    w = {begin}", "    for j in range(i):", f"        w = w - {term}"]
        lines += [f"    x[i] = w * {last}"]
    else:
        lines = [f"    x[i] = {begin}", "    for j in range(i):", f"        x[i] = x[i] - {term}"]
        lines += [f"    x[i] = x[i] * {last}"] * draw(0, 1)
    if draw(True, False, False):
        lines.insert(draw(0, 1, len(lines)), f"    b[{draw('i', 'i + 1', 'i - 1')}] = x[i] + 1")
    source = "\n".join(["for i in range(n):", *lines]) + "\n"
    kinds = typed(source, dtype="int64")
    found = panels(kinds)
    if found is None or not allowed(found):
        return
    size = data.draw(sampled_from((0, 1, 63, 65, 130)))
    machines = [Machine({"n": size}, {}, budget=1_000_000) for _ in range(3)]
    for machine, nest in zip(machines, (kinds.nest, found.nest, found.typed.nest), strict=True):
        machine.run(nest.loop)
    plain, cells, other = (machine.cells for machine in machines)
    assert cells == plain, source
    assert other == plain, source


def test_statements_are_copied_with_numbers_of_their_own():
    found = panels(typed(LU))
    loops = [s for s in statements(found.typed.nest.loop) if isinstance(s, For)]
    stores = [s for s in statements(found.typed.nest.loop) if isinstance(s, Assign)]
    assert len({s.id for s in (*loops, *stores)}) == len(loops) + len(stores)
    assert len(stores) == 6  # left and right of the diagonal is one loop
