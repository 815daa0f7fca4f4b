"""What the text of a loop says of how much it may do."""

from __future__ import annotations

import ast

import pytest

from autopar.nest.hidden import CONSECUTIVE, USUAL
from autopar.nest.text.reach import Reach, functions, reach


def found(text: str, *roots: str) -> Reach:
    return reach(ast.parse(text).body, roots)


def test_operations_stand_by_the_loops_around_them() -> None:
    flat = found("for i in range(n):\n    a[i] = 1.0\n", "a", "n")
    deep = found("for i in range(n):\n    for j in range(n):\n        a[i, j] = 1.0\n", "a", "n")
    assert len(flat.operations) == 2
    assert len(deep.operations) == 3
    assert all(count > 0 for count in (*flat.operations, *deep.operations))


def test_more_text_means_more_operations() -> None:
    little = found("for i in range(n):\n    a[i] = b[i]\n", "a", "b", "n")
    more = found("for i in range(n):\n    a[i] = b[i] * b[i] + a[i] ** 2\n", "a", "b", "n")
    assert more.operations[1] > little.operations[1]


@pytest.mark.parametrize(
    "items",
    [
        "range(n)",
        "range(len(a))",
        "range(1, a.shape[0] - 1)",
        "range(n - 1, -1, -1)",
        "range(min(n, 7))",
        "a",
        "a[0]",
        "enumerate(a)",
        "zip(a, range(n))",
        "reversed(range(n))",
        "(1, 2, 3)",
    ],
)
def test_loops_that_go_through_what_is_at_hand(items: str) -> None:
    nest = found(f"for i in {items}:\n    b[0] += 1.0\n", "a", "b", "n")
    assert nest.operations
    assert all(least != USUAL for _, least in nest.bounds)


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(2 ** n):\n    b[0] += 1.0\n",
        "for i in range(f(k).value):\n    b[0] += 1.0\n",
        "for i in f(n):\n    b[0] += 1.0\n",
        "for i in range(n):\n    b[i] = f(i)\n",
        "for i in range(n):\n    b[i] = x.value(i)\n",
        "for i in range(n):\n    m = n * n\n    for j in range(m):\n        b[i] += 1.0\n",
        "for i in range(n):\n    n += n\n    for j in range(n):\n        b[i] += 1.0\n",
        "for i in a.items():\n    b[0] += 1.0\n",
        "for i in [0] * n:\n    b[0] += 1.0\n",
    ],
)
def test_loops_of_which_nobody_knows(text: str) -> None:
    assert found(text, "a", "b", "k", "n", "x") == Reach()


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(n):\n    while b[i] > 1.0:\n        b[i] *= 0.5\n",
        "for i in range(n):\n    for k in range(a[i], a[i + 1]):\n        b[i] += 1.0\n",
    ],
)
def test_loops_that_nobody_can_know_before(text: str) -> None:
    nest = found(text, "a", "b", "n")
    assert nest.bounds[1][1] == USUAL
    assert len(nest.operations) == 3


def test_each_loop_has_what_says_how_often_it_runs() -> None:
    text = "for i in range(n):\n    m = len(a)\n    for j in range(i, m):\n        b[j] += 1.0\n"
    assert found(text, "a", "b", "k", "n").bounds == (((3,), 0), ((0, 3), 0))
    text = "for i in range(7):\n    for j in range(200000):\n        b[j] += 1.0\n"
    assert found(text, "b", "n").bounds == (((), 7), ((), 200000))
    text = "for i in range(n):\n    while b[i] > k:\n        b[i] *= 0.5\n"
    (_, least), (by, usual) = found(text, "b", "k", "n").bounds
    assert (least, usual) == (0, USUAL)
    assert set(by) >= {0, 1}


ROW = "for i in range(n):\n    for k in range({items}):\n        b[i] += {used}\n"


@pytest.mark.parametrize("items", ["p[i], p[i + 1]", "p[i - 1], p[i]"])
def test_rows_of_a_compressed_matrix_have_all_of_it(items: str) -> None:
    roots = "a", "b", "n", "p", "s"
    nest = found(ROW.format(items=items, used="a[k]"), *roots)
    by, least = nest.bounds[1]
    assert least == CONSECUTIVE
    assert 0 in by
    text = "for i in range(n):\n    b[i] = sum(a[k] for k in range(p[i], p[i + 1]))\n"
    assert found(text, *roots).bounds[1][1] == CONSECUTIVE


@pytest.mark.parametrize(
    "text",
    [
        ROW.format(items="p[i], p[i + 2]", used="a[k]"),  # they overlap
        ROW.format(items="p[i], p[i + 1]", used="a[i]"),  # of what, nobody knows
        ROW.format(items="p[i], s[i + 1]", used="a[k]"),
        ROW.format(items="p[i], p[i + 1]", used="a[k]")
        + "    for j in range(p[i]):\n        b[j] = 0\n",
    ],
)
def test_other_parts_may_each_be_long(text: str) -> None:
    assert found(text, "a", "b", "n", "p", "s").bounds[1][1] == USUAL


def test_whole_arrays_are_those_of_the_loops_that_they_stand_in() -> None:
    text = "for t in range(n):\n    a[:] = 0.0\n    for i in range(n):\n        a[i] += b[i][0]\n"
    levels = dict(zip("abn", found(text, "a", "b", "n").levels, strict=True))
    assert levels["a"] == (1, 2)
    assert levels["b"] == (-1, -1, 2)
    named = "for t in range(n):\n    c = a[t]\n    for i in range(n):\n        b[i] = c * 2.0\n"
    assert found(named, "a", "b", "n").levels[0][1] > 2  # of any loop
    through = "for row in a:\n    for i in range(n):\n        b[i] += row\n"
    assert found(through, "a", "b", "n").levels[0][1] > 2


def test_a_name_that_means_something_else_may_be_anything() -> None:
    text = "for i in range(n):\n    m = len(a[i])\n    for j in range(m):\n        b[j] += 1.0\n"
    assert found(text, "a", "b", "n").bounds[1][0] == (0, 2)


def test_a_product_is_as_many_loops() -> None:
    square = found("for i in range(n * n):\n    b[0] += 1.0\n", "b", "n")
    both = found("for i in range(n):\n    for j in range(n):\n        b[0] += 1.0\n", "b", "n")
    assert len(square.operations) == len(both.operations) == 3
    assert len(found("for i in range(b.size):\n    b[0] += 1.0\n", "b").operations) == 3


def test_arrays_that_are_worked_on_as_a_whole() -> None:
    text = "for i in range(n):\n    a[i] = b[i][0] + c[i, 1:] * x + s.shape[0] + len(t)\n"
    nest = found(text, "a", "b", "c", "n", "s", "t", "x")
    indexed = dict(zip("abcnstx", nest.indexed, strict=True))
    assert (indexed["a"], indexed["b"], indexed["c"], indexed["x"]) == (1, 2, 1, 0)
    assert min(indexed["s"], indexed["t"]) > 9


def test_attributes_are_read_at_the_call() -> None:
    text = "for i in range(s.n):\n    s.u[i, 1] = s.part.v[i].x * s.u.shape[0] + a.size\n"
    nest = found(text, "a", "s")
    assert nest.operations
    assert {(place, names): least for place, names, least in nest.paths} == {
        (1, ("n",)): 0,
        (1, ("u",)): 2,
        (1, ("part", "v")): 1,
    }
    assert min(nest.indexed) > 9


def test_comprehensions_are_loops() -> None:
    nest = found("y = [x * x for x in a if x > 0]\n", "a")
    assert len(nest.operations) == 2
    assert found("y = [x for row in a for x in row]\n", "a").operations[2:]
    assert found("y = [f(x) for x in a]\n", "a", "f") == Reach()


MODULE = """
def inner(x, m):
    total = 0.0
    for k in range(m):
        total += x[k]
    return total

def again(x):
    return again(x)

def unknown(x):
    for k in range(everything):
        x[k] = 0.0
"""


def test_functions_of_the_module_count_where_they_are_called() -> None:
    known = functions(ast.parse(MODULE))

    def found(call: str) -> Reach:
        return reach(ast.parse(f"for i in range(n):\n    a[i] = {call}\n").body, "an", known)

    assert len(found("inner(a, n)").operations) == 3
    assert found("again(a)") == found("unknown(a)") == found("absent(a)") == Reach()
    assert functions(ast.parse(MODULE + MODULE)) == {}


def test_what_is_deeper_than_anybody_writes_is_unknown() -> None:
    text = "".join(f"{'    ' * k}for i{k} in range(n):\n" for k in range(9)) + "    " * 9 + "pass\n"
    assert found(text, "n") == Reach()
