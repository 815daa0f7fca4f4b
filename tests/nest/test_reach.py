"""What the text of a loop says of how much it may do."""

from __future__ import annotations

import ast

import pytest

from autopar.nest.hidden import ANY, CONSECUTIVE, TWICE, USUAL
from autopar.nest.text.reach import Reach, functions, reach


def found(text: str, *roots: str) -> Reach:
    return reach(ast.parse(text).body, roots)


def bounds(text: str, *roots: str) -> list[tuple[tuple[tuple[int, int], ...], int]]:
    """What says how often each loop of a text runs."""
    return [(by, least) for _, _, _, by, least, _ in found(text, *roots).loops[1:]]


def operations(nest: Reach) -> list[int]:
    return [count for _, count, *_ in nest.loops]


def test_operations_stand_by_the_loops_around_them() -> None:
    flat = found("for i in range(n):\n    a[i] = 1.0\n", "a", "n")
    deep = found("for i in range(n):\n    for j in range(n):\n        a[i, j] = 1.0\n", "a", "n")
    assert len(flat.loops) == 2
    assert [around for around, *_ in deep.loops] == [0, 0, 1]
    assert all(count > 0 for count in (*operations(flat), *operations(deep)))


def test_loops_one_behind_the_other_have_operations_of_their_own() -> None:
    text = "for i in range(n):\n    for j in range(n):\n        a[i] += b[j] * b[j]\n"
    text += "    for j in range(m):\n        a[j] = 0.0\n"
    nest = found(text, "a", "b", "m", "n")
    assert [around for around, *_ in nest.loops] == [0, 0, 1, 1]
    assert operations(nest)[2] > operations(nest)[3]
    assert [by for _, _, _, by, *_ in nest.loops[1:]] == [((3, ANY),), ((3, ANY),), ((2, ANY),)]


def test_more_text_means_more_operations() -> None:
    little = found("for i in range(n):\n    a[i] = b[i]\n", "a", "b", "n")
    more = found("for i in range(n):\n    a[i] = b[i] * b[i] + a[i] ** 2\n", "a", "b", "n")
    assert operations(more)[1] > operations(little)[1]


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
    assert all(
        least != USUAL
        for _, least in bounds(f"for i in {items}:\n    b[0] += 1.0\n", "a", "b", "n")
    )
    assert found(f"for i in {items}:\n    b[0] += 1.0\n", "a", "b", "n").loops


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
    assert [least for *_, least, _ in nest.loops] == [1, 0, USUAL]


def test_each_loop_has_what_says_how_often_it_runs() -> None:
    text = "for i in range(n):\n    m = len(a)\n    for j in range(i, m):\n        b[j] += 1.0\n"
    assert bounds(text, "a", "b", "k", "n") == [(((3, ANY),), 0), (((0, 0), (3, ANY)), 0)]
    text = "for i in range(7):\n    for j in range(200000):\n        b[j] += 1.0\n"
    assert bounds(text, "b", "n") == [((), 7), ((), 200000)]
    text = "for i in range(n):\n    while b[i] > k:\n        b[i] *= 0.5\n"
    (_, least), (by, usual) = bounds(text, "b", "k", "n")
    assert (least, usual) == (0, USUAL)
    assert {place for place, _ in by} >= {0, 1}


ROW = "for i in range(n):\n    for k in range({items}):\n        b[i] += {used}\n"


@pytest.mark.parametrize("items", ["p[i], p[i + 1]", "p[i - 1], p[i]"])
def test_rows_of_a_compressed_matrix_have_all_of_it(items: str) -> None:
    roots = "a", "b", "n", "p", "s"
    by, least = bounds(ROW.format(items=items, used="a[k]"), *roots)[1]
    assert least == CONSECUTIVE
    assert (0, ANY) in by
    text = "for i in range(n):\n    b[i] = sum(a[k] for k in range(p[i], p[i + 1]))\n"
    assert bounds(text, *roots)[1][1] == CONSECUTIVE


@pytest.mark.parametrize(
    "text",
    [
        ROW.format(items="p[i], p[i + 2]", used="a[k]"),  # they overlap
        # Which of them come, and how often, is the user's business.
        "for i in range(n):\n    t = s[i]\n"
        "    for k in range(p[t], p[t + 1]):\n        b[i] += a[k]\n",
        "for i in range(n):\n    for j in range(n):\n"
        "        for k in range(p[i], p[i + 1]):\n            b[j] += a[k]\n",
        "for i in s:\n    for k in range(p[i], p[i + 1]):\n        b[0] += a[k]\n",
        "for i in range(n):\n    i = 0\n"
        "    for k in range(p[i], p[i + 1]):\n        b[0] += a[k]\n",
        ROW.format(items="p[i], p[i + 1]", used="a[i]"),  # of what, nobody knows
        ROW.format(items="p[i], s[i + 1]", used="a[k]"),
        ROW.format(items="p[i], p[i + 1]", used="a[k]")
        + "    for j in range(p[i]):\n        b[j] = 0\n",
    ],
)
def test_other_parts_may_each_be_long(text: str) -> None:
    assert bounds(text, "a", "b", "n", "p", "s")[-1][1] == USUAL


def test_whole_arrays_are_those_of_the_loops_that_they_stand_in() -> None:
    text = "for t in range(n):\n    a[:] = 0.0\n    for i in range(n):\n        a[i] += b[i][0]\n"
    uses = dict(zip("abn", found(text, "a", "b", "n").uses, strict=True))
    assert uses["a"] == ((1,), (2,))
    assert uses["b"] == ((), (), (2,))
    named = (
        "for t in range(n):\n    c = a[t] + 1.0\n    for i in range(n):\n        b[i] = c * 2.0\n"
    )
    assert found(named, "a", "b", "n").uses[0][1] == (0, 1, 2)  # any of them


@pytest.mark.parametrize(
    "first",
    ["for row in a:", "for k, row in enumerate(a):", "for row, t in zip(a, c):",
     "for t in range(n):\n    row = a[t]", "for t, row in enumerate(reversed(a), 1):"],
)  # fmt: skip
def test_a_row_is_used_where_its_name_is(first: str) -> None:
    text = f"{first}\n    b[0] = 1.0\n    for i in range(n):\n        b[i] += row\n"
    nest = found(text, "a", "b", "c", "n")
    assert nest.uses[0] == ((), (2,))
    text = f"{first}\n    for x in row:\n        b[0] += x\n"
    nest = found(text, "a", "b", "c", "n")
    assert nest.uses[0] == ((), (), (2,))
    assert nest.loops[2][3] == ((0, 1),)  # as long as a row is


def test_a_number_of_an_array_is_no_array() -> None:
    text = "for t in range(n):\n    c = a[t].sum() + np.mean(a)\n"
    text += "    for i in range(n):\n        b[i] = c\n"
    assert found(text, "a", "b", "n").uses[0] == ((1,), (1,))


def test_numbers_that_are_written_out_say_how_often() -> None:
    text = "m = 7\nfor i in range(m):\n    b[i] = 0.0\n"
    assert bounds(text, "b") == [((), 7)]
    inside = "def f(b, m=9):\n    for i in range(m):\n        b[i] = 0.0\n"
    tree = ast.parse(f"{inside}f(b)\nf(b, 3)\nf(b, m=len(b))\n")
    made = reach(tree.body[1:], ("b",), functions(tree))
    assert [(by, least) for _, _, _, by, least, _ in made.loops[1:]] == [
        ((), 9), ((), 3), (((0, 0),), 0),
    ]  # fmt: skip
    grown = "m = 7\nm += n\nfor i in range(m):\n    b[i] = 0.0\n"
    assert found(grown, "b", "n").loops == ()


def test_calls_are_worth_more_than_operations() -> None:
    def calls(text: str) -> int:
        return found(f"for i in range(n):\n    a[i] = {text}\n", "a", "n").loops[1][2]

    assert calls("a[i]") == 0 < calls("math.cos(a[i])") < calls("min(a[i], i)")
    assert calls("min(a[i], i)") < calls("np.cos(a[i])")


def test_a_name_that_means_something_else_may_be_anything() -> None:
    text = "for i in range(n):\n    m = len(a[i])\n    for j in range(m):\n        b[j] += 1.0\n"
    assert bounds(text, "a", "b", "n")[1][0] == ((0, 1),)
    text = text.replace("len(a[i])", "len(a[i] + b)")
    assert bounds(text, "a", "b", "n") == [(((2, ANY),), 0), (((0, ANY), (1, ANY), (2, ANY)), 0)]


@pytest.mark.parametrize(
    "first", ["n, m = a.shape", "n, m = a.shape[0], a.shape[1]", "n = len(a)\nm = a.shape[1]"]
)
def test_axes_say_how_often_loops_run(first: str) -> None:
    loops = "for i in range(n):\n    for j in range(i, m):\n        b[i] += a[i, j]\n"
    outer, inner = bounds(f"{first}\n{loops}", "a", "b")
    assert (outer[0], inner[0]) == (((0, 0),), ((0, 0), (0, 1)))
    other = bounds(f"a = a + b\n{first}\n{loops}", "a", "b")[0][0]
    assert set(other) == {(0, ANY), (1, ANY)}
    inside = "def f(a):\n    for i in range(len(a)):\n        a[i] = 0.0\nf(b)\n"
    tree = ast.parse(inside)
    helped = reach([tree.body[1]], ("a", "b"), functions(tree)).loops[1]
    assert helped[3] == ((1, 0),)  # its own `a`
    starred = "*rest, m = a.shape\nfor i in range(m):\n    b[i] = 0.0\n"
    assert bounds(starred, "a", "b")[0][0] == ((0, ANY),)
    last = bounds("for i in range(a.shape[-1]):\n    a[0, i] = 1.0\n", "a")[0][0]
    assert last == ((0, ANY),)


def test_what_an_iteration_leaves_to_the_next_may_be_anything() -> None:
    inner = "    for j in range(last):\n        b[j] += 1.0\n    last = i\n"
    text = f"last = 0\nfor i in range(n):\n{inner}"
    assert bounds(text, "a", "b", "n")[1][0] == ((0, ANY), (1, ANY), (2, ANY))


def test_loops_that_run_as_often_are_one() -> None:
    one = "    for j in range(n):\n        b[j] += 1.0\n"
    nest = found("for i in range(n):\n" + 9 * one, "b", "n")
    assert len(nest.loops) == 3
    assert operations(nest)[2] == 9 * operations(found("for i in range(n):\n" + one, "b", "n"))[2]


def test_a_range_of_nothing_is_for_python_to_say() -> None:
    assert len(found("for i in range():\n    b[0] += 1.0\n", "b").loops) == 2


def test_a_product_is_as_many_loops() -> None:
    square = found("for i in range(n * n):\n    b[0] += 1.0\n", "b", "n")
    both = found("for i in range(n):\n    for j in range(n):\n        b[0] += 1.0\n", "b", "n")
    assert len(square.loops) == len(both.loops) == 3
    assert len(found("for i in range(b.size):\n    b[0] += 1.0\n", "b").loops) == 3


def test_arrays_that_are_worked_on_as_a_whole() -> None:
    text = "for i in range(n):\n    a[i] = b[i][0] + c[i, 1:] * x + s.shape[0] + len(t)\n"
    nest = found(text, "a", "b", "c", "n", "s", "t", "x")
    indexed = dict(zip("abcnstx", nest.indexed, strict=True))
    assert (indexed["a"], indexed["b"], indexed["c"], indexed["x"]) == (1, 2, 1, 0)
    assert min(indexed["s"], indexed["t"]) > 9


def test_attributes_are_read_at_the_call() -> None:
    text = "for i in range(s.n):\n    s.u[i, 1] = s.part.v[i].x * s.u.shape[0] + a.size\n"
    nest = found(text, "a", "s")
    assert nest.loops
    assert {(place, names): least for place, names, least in nest.paths} == {
        (1, ("n",)): 0,
        (1, ("u",)): 2,
        (1, ("part", "v")): 1,
    }
    assert min(nest.indexed) > 9


def test_comprehensions_are_loops() -> None:
    nest = found("y = [x * x for x in a if x > 0]\n", "a")
    assert len(nest.loops) == 2
    assert found("y = [x for row in a for x in row]\n", "a").loops[2:]
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

    assert len(found("inner(a, n)").loops) == 3
    assert found("again(a)") == found("unknown(a)") == found("absent(a)") == Reach()
    assert functions(ast.parse(MODULE + MODULE)) == {}


def test_what_is_deeper_than_anybody_writes_is_unknown() -> None:
    text = "".join(f"{'    ' * k}for i{k} in range(n):\n" for k in range(9)) + "    " * 9 + "pass\n"
    assert found(text, "n") == Reach()


def test_what_a_while_loop_does_not_change_bounds_it() -> None:
    text = "for i in range(n):\n    k = 0\n    while k < m{}:\n        b[k] = 0.0\n        k += 1\n"
    assert bounds(text.format(""), "b", "n", "m")[1] == (((2, ANY),), USUAL)
    assert [early for *_, early in found(text.format(""), "b", "n", "m").loops] == [False] * 3
    both = found(text.format(" and b[k] > 0.0"), "b", "n", "m").loops[2]
    assert both[3:] == (((2, ANY),), USUAL, True)
    chased = "for i in range(n):\n    k = i\n    while k >= 0:\n        k = b[k]\n"
    assert bounds(chased, "b", "n")[1] == (((0, ANY), (1, ANY)), USUAL)  # any of them


@pytest.mark.parametrize(
    ("inside", "early"),
    [
        ("if a[i] > 0.0: break", True), ("if a[i] > 0.0: continue", False),
        ("for j in range(3):\n        break", False), ("a[i] = 1.0", False),
        ("while a[i] > 1.0:\n        if a[i] > 2.0: break\n        a[i] -= 1.0", False),
    ],
)  # fmt: skip
def test_loops_that_may_end_early(inside: str, early: bool) -> None:
    assert found(f"for i in range(n):\n    {inside}\n", "a", "n").loops[1][-1] == early


def test_a_function_that_returns_from_a_loop_ends_it_early() -> None:
    text = "def f(a):\n    for i in range(9):\n        for j in range(7):\n"
    text += "            if a[j] > 0.0:\n                return j\nfor k in range(n):\n    f(a)\n"
    tree = ast.parse(text)
    made = reach(tree.body[1:], ("a", "n"), functions(tree))
    assert [early for *_, early in made.loops] == [False, False, True, True]


@pytest.mark.parametrize(
    ("items", "by"),
    [
        ("range(i - r, i + r + 1)", ((2, TWICE),)),
        ("range(i, i + r)", ((2, ANY),)),
        ("range(-r, r)", ((2, TWICE),)),
        ("range(i, r)", ((0, 0), (1, ANY), (2, ANY))),
        ("range(i - 1, i + 2)", ()),
        ("range(2 * i - r, 2 * i + r)", ((0, 0), (1, ANY), (2, ANY))),
    ],
)
def test_a_range_around_something_is_as_long_as_what_else_is_in_it(
    items: str, by: tuple[tuple[int, int], ...]
) -> None:
    text = f"for i in range(max(n, len(a))):\n    for j in {items}:\n        a[j] = 0.0\n"
    assert bounds(text, "a", "n", "r")[1][0] == by


def test_attributes_have_lengths_of_their_own() -> None:
    text = (
        "for i, row in enumerate(self.rows):\n    for x in row:\n        for k in range(self.n):\n"
    )
    nest = found(f"{text}            self.a[k] += x\n", "self")
    names = [names for _, names, _ in nest.paths]
    found_by = [[(*names[place - 1], axis) for place, axis in by] for *_, by, _, _ in nest.loops]
    assert found_by == [[], [("rows", 0)], [("rows", 1)], [("n", ANY)]]


def test_a_part_of_an_array_is_not_all_of_it() -> None:
    nest = found("for i in range(n):\n    b[i] = np.sum(a[i - n : i])\n", "a", "b", "n")
    assert nest.uses[0] == ()
    nest = found("for i in range(n):\n    b[i] = np.sum(a[i:])\n", "a", "b", "n")
    assert nest.uses[0] == ((1,),)


def test_functions_that_call_one_another_several_times_do_not_double() -> None:
    chain = [
        f"def f{k}(x):\n" + f"    x = x + f{k + 1}(x)\n" * 6 + "    return x\n" for k in range(8)
    ]
    tree = ast.parse("".join(chain) + "def f8(x):\n    return x\nfor i in range(n):\n    f0(i)\n")
    counted = functions(tree)
    assert reach(tree.body[-1:], ("n",), counted) == Reach()
    assert reach(ast.parse("for i in range(n):\n    f6(i)\n").body, ("n",), counted).loops


def test_numbers_in_a_text_may_be_as_large_as_they_like() -> None:
    text = (
        f"m = {10**400}\nfor i in range({10**300}):\n    for j in range(m):\n        a[j] = 0.0\n"
    )
    assert all(0 <= least < 2**50 for _, least in bounds(text, "a"))
