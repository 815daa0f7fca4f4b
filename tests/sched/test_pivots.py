"""Which eliminations may have their pivots in blocks, and what these leave."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts, Overlap
from autopar.deps.pivots import copied
from autopar.nest.check import check
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.sched import plan
from autopar.sched.distribute import schedule
from autopar.sched.pivots import WIDTH, form, in_blocks
from autopar.sched.triangles import on_one_thread
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "x": 1}
FACTS = Facts(frozenset("nm"), tuple(sorted(RANKS.items())))
PATHS = """\
for k in range(n):
    for i in range(n):
        for j in range(n):
            if A[i, k] + A[k, j] < A[i, j]:
                A[i, j] = A[i, k] + A[k, j]
"""
LU = """\
for k in range(n):
    for i in range(k + 1, n):
        A[i, k] /= A[k, k]
        for j in range(k + 1, n):
            A[i, j] -= A[i, k] * A[k, j]
"""
JORDAN = """\
for k in range(n):
    p = A[k, k]
    for j in range(n):
        A[k, j] /= p
    for i in range(n):
        if i != k:
            w = A[i, k]
            for j in range(n):
                A[i, j] -= w * A[k, j]
"""
ABOVE = """\
    for i in range(k):
        w = A[i, k]
        for j in range(k, n):
            A[i, j] -= w * A[k, j]
"""
BELOW = ABOVE.replace("range(k)", "range(k + 1, n)")
COLUMNS = """\
for k in range(n):
    s = 0.0
    for i in range(m):
        s += A[i, k] * A[i, k]
    x[k] = s
    for j in range(k + 1, n):
        B[k, j] = 0.0
        for i in range(m):
            B[k, j] += A[i, k] * A[i, j]
        for i in range(m):
            A[i, j] -= A[i, k] * B[k, j]
"""
FOUND = {
    # What it is, and how many accesses need copies.
    "shortest paths": (PATHS, 2),
    "lu": (LU, 0),
    "lu, the column first": (
        LU.replace("        for j in", "    for i in range(k + 1, n):\n        for j in"),
        0,
    ),
    "from another number on": (LU.replace("k in range(n)", "k in range(m, n)"), 0),
    "fewer pivots than rows": (LU.replace("k in range(n)", "k in range(m)"), 0),
    "fewer rows than pivots": (PATHS.replace("i in range(n)", "i in range(m)"), 2),
    "a right side": (
        LU.replace("        for j in", "        x[i] -= A[i, k] * x[k]\n        for j in"),
        0,
    ),
    "jordan": (JORDAN, 1),
    "jordan, above and below": ("for k in range(n):\n" + ABOVE + BELOW, 2),
    "above only": ("for k in range(n):\n" + ABOVE, 1),
    "a pivot of another array": (PATHS.replace("A[k, j]", "B[k, j]") + "    B[k, 0] += 1\n", 2),
    "one that is ready": (
        PATHS.replace("A[k, j]", "B[k, j]").replace(":\n", ":\n    B[k, 0] += 1\n", 1),
        0,
    ),
    "a pivot that all rows of another array follow": (
        PATHS.replace("A[k, j]", "B[k, j]")
        + "    for i in range(n):\n        for j in range(n):\n            B[i, j] += B[k, j]\n",
        3,
    ),
}
OTHERS = {
    "the next pivot": PATHS.replace("A[k, j]", "A[k + 1, j]"),
    "columns, which are no rows in memory": COLUMNS,
    "an end that changes": PATHS.replace("i in range(n)", "i in range(m)") + "    n = k\n",
    "no pivot": "for k in range(n):\n    for i in range(n):\n        for j in range(n):\n"
    "            A[i, j] += B[k, j]\n",
    "pivots that go down": PATHS.replace("k in range(n)", "k in range(n - 1, -1, -1)"),
    "rows two by two": PATHS.replace("i in range(n)", "i in range(0, n, 2)"),
    "rows that begin elsewhere": PATHS.replace("i in range(n)", "i in range(k + 2, n)"),
    "a scalar that is handed on": JORDAN.replace("w = A[i, k]", "w += A[i, k]").replace(
        "    p =", "    w = 0.0\n    p ="
    ),
    "a scalar of another row, in another loop": "for k in range(n):\n"
    + BELOW
    + BELOW.replace("        w = A[i, k]\n", ""),
    "a scalar of the row above": "for k in range(n):\n"
    + ABOVE
    + BELOW.replace("        w = A[i, k]\n", ""),
    "a scalar for the next pivot": "for k in range(n):\n"
    + BELOW.replace("        w = A[i, k]\n", "")
    + BELOW,
    "the last number of a loop over another row": "for k in range(n):\n"
    + ABOVE
    + BELOW.replace("A[i, k]", "j"),
    "a scalar of the pivot": JORDAN.replace("w = A[i, k]", "w = A[i, k] * p"),
    "a scalar of the last row": JORDAN.replace("p = A[k, k]", "p = w"),
    "rows left early": JORDAN.replace("if i != k:", "if i == 7:\n            break\n        else:"),
    "two ways through the matrix": PATHS + "            A[j, i] += 1\n",
    "rows of two names": (
        "for k in range(n):\n" + BELOW + BELOW.replace("for i", "for r").replace("[i", "[r")
    ),
    "rows of two ranges": "for k in range(n):\n" + BELOW + PATHS.partition("\n")[2],
}
WRONG = {
    "the row above": PATHS.replace("A[i, k] +", "A[i - 1, k] +"),
    "a row for all": PATHS + "    A[0, 0] += 1\n",
    "what is done once for a pivot needs a row": PATHS + "    x[k] = A[n - 1, k]\n",
    "a row that changes the pivot": PATHS.replace(
        "                A[i, j] =", "                A[i, j] = A[j, k]\n                A[i, j] ="
    ),
    "any row": PATHS.replace("A[i, k] +", "A[i * i, k] +"),
}


def typed(source, live_out=(), dtype="float64"):
    nest = replace(lift_text(source), live_out=live_out)
    arrays = {p: ArrayType(dtype, RANKS[p], "C", True, True) for p in nest.paths if p in RANKS}
    found = infer(nest, arrays, {p: "int" for p in nest.paths if p in ("n", "m")}, {})
    assert not hasattr(found, "reason"), found
    return found


def needed(kinds, facts=FACTS):
    """The accesses that need copies; None where pivots go one by one."""
    found = form(kinds)
    return None if found is None else copied(kinds.nest, facts, found.rows, found.pivots)


@pytest.mark.parametrize(("source", "copies"), FOUND.values(), ids=FOUND)
def test_in_blocks(source, copies):
    kinds = typed(source)
    found = needed(kinds)
    assert found is not None
    assert len(found) == copies
    made = in_blocks(kinds, found)
    check(made.nest)
    assert made.nest.loop.step.value == WIDTH


@pytest.mark.parametrize("source", OTHERS.values(), ids=OTHERS)
def test_other_nests(source):
    assert form(typed(source)) is None


@pytest.mark.parametrize("source", WRONG.values(), ids=WRONG)
def test_rows_that_need_other_rows(source):
    kinds = typed(source)
    assert form(kinds) is not None
    assert needed(kinds) is None


@pytest.mark.parametrize("name", "ijk")
def test_what_the_last_iteration_leaves_is_seen(name):
    assert form(typed(PATHS, (name,))) is None


def test_arrays_that_overlap():
    kinds = typed(FOUND["one that is ready"][0])
    assert needed(kinds) == frozenset()
    assert needed(kinds, replace(FACTS, same=(("A", "B"),))) is not None
    assert needed(kinds, replace(FACTS, tangled=frozenset((Overlap("A", "B"),)))) is None
    assert needed(kinds, replace(FACTS, tangled=frozenset((Overlap("A", "A"),)))) is None


def test_beside_a_block_rows_are_independent():
    kinds = typed(PATHS)
    made = in_blocks(kinds, needed(kinds))
    ranks = {path: kind.ndim for path, kind in made.arrays}
    facts = replace(FACTS, ranks=tuple(sorted(ranks.items())))
    analysis = analyse(made.nest, facts)
    sizes = {"n": 400, **{f"{a}.shape[{k}]": 400 for a in ranks for k in range(2)}}
    sizes |= {f"{copy.path}.shape[0]": WIDTH for copy in made.nest.locals}
    assert len(analysis.inside(sizes)) == len(analysis.in_bounds)
    found = schedule(made.nest, analysis, analysis.held(sizes))
    (outer,) = on_one_thread(found.body)
    own, above, below = outer.body
    assert (own.loop.var, own.stands_for) == ("<own of k>", ())
    assert all(node.brief for node in own.body)
    assert list(plan.launched((outer,))) == [own, above, below]
    assert outer.stands_for == ()


def ran(nest, size):
    """What is in the arrays after `nest`, but for those that are its own."""
    machine = Machine({"n": size, "m": 5}, {}, budget=3_000_000)
    machine.run(nest.loop)
    return {cell: value for cell, value in machine.cells.items() if cell[0] in RANKS}


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 17])
@pytest.mark.parametrize(("source", "copies"), FOUND.values(), ids=FOUND)
def test_blocks_leave_what_the_nest_leaves(source, copies, size):
    kinds = typed(source.replace("/=", "-=").replace("0.0", "0"), dtype="int64")
    found = needed(kinds)
    assert len(found) == copies
    assert ran(in_blocks(kinds, found).nest, size) == ran(kinds.nest, size)


@settings(max_examples=90, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_eliminations_leave_the_same(data):
    def draw(*choices):
        return data.draw(sampled_from(choices))

    def element(*names):
        array = draw("A", "A", "A", "A", "B", "x")
        shifts = [draw("", "", "", "", "", " - 1", " + 1") for _ in "ij"]
        index = [f"{draw(*names)}{shift}" for shift in shifts]
        return f"{array}[{', '.join(index[: RANKS[array]])}]"

    def rows(target):
        low, high = draw(("0", "n"), ("k + 1", "n"), ("0", "k"), ("0", "n"), ("2", "m"))
        far = draw("n", "n", "i", "k")
        near = draw("0", "0", "k + 1", "k")
        lines = [f"    for i in range({low}, {high}):"]
        pad = "        "
        if draw(True, False, False):
            lines.append(f"{pad}if i != k:")
            pad += "    "
        first = draw("A[i, k]", "A[i, k]", element("i", "k"))
        if draw(True, False):
            lines.append(f"{pad}w = {first}")
            first = "w"
        if draw(True, False, False):
            cell = draw("A[i, k]", "x[i]", element("i", "k"))
            lines.append(f"{pad}{cell} = {cell} - {element('k')}")
        second = draw("A[k, j]", "A[k, j]", "A[k, j]", element("k", "j"))
        lines.append(f"{pad}for j in range({near}, {far}):")
        test = draw("", "", f"if {second} < {target}: ")
        lines.append(f"{pad}    {test}{target} = {target} - {first} * {second}")
        return lines

    target = draw("A[i, j]", "A[i, j]", "A[i, j]", element("i", "j"))
    lines = ["for k in range(n):"]
    if draw(True, False, False):
        cell = draw("A[k, k]", "x[k]", element("k"))
        lines.append(f"    {cell} = {cell} * 3")
    if draw(True, False, False):
        lines += ["    for j in range(n):", f"        A[k, j] = A[k, j] - {element('k', 'j')}"]
    lines += rows(target)
    if draw(True, False, False):
        lines += rows(target)
    if draw(True, False, False):
        lines.append(f"    {element('k')} = {element('k')} + 1")
    source = "\n".join(lines) + "\n"
    kinds = typed(source, dtype="int64")
    found = needed(kinds)
    if found is None:
        return
    size = data.draw(sampled_from((0, 1, 5, 8, 9, 16, 19)))
    assert ran(in_blocks(kinds, found).nest, size) == ran(kinds.nest, size), source
