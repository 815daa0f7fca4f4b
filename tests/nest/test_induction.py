"""Closed forms of integer scalars, as text; and what has none."""

from __future__ import annotations

import builtins
import textwrap
from dataclasses import replace

import pytest

from autopar.nest.check import check
from autopar.nest.forward import definitions
from autopar.nest.functions import known
from autopar.nest.show import show, text
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.induction import Closed, without_induction
from autopar.nest.typed.types import ArrayType, Typed, infer, roles

ARRAY = ArrayType("float64", 1, "C", True, True)


def closed(source: str, **atoms: str) -> Closed:
    """The pass on `source`, whose arrays are vectors and whose numbers are ints unless said."""
    nest = lift_text(source)
    arrays, calls, numbers = roles(nest)
    typed = infer(
        nest,
        dict.fromkeys(arrays, ARRAY),
        {path: atoms.get(path, "int") for path in numbers - arrays - calls},
        {path: known(getattr(builtins, path)) for path in calls},
    )
    assert isinstance(typed, Typed), typed
    found = without_induction(typed)
    check(found.nest)
    return found


def made(source: str, **atoms: str) -> str:
    return show(closed(textwrap.dedent(source), **atoms).nest)


def is_same(source: str, **atoms: str) -> bool:
    """Whether nothing in `source` has a closed form."""
    found = closed(textwrap.dedent(source), **atoms)
    return found.nest == lift_text(textwrap.dedent(source)) and found.given == ()


def wanted(source: str) -> str:
    return textwrap.dedent(source).strip()


def test_reads_before_and_after_the_update():
    assert made("""
        for i in range(n):
            a[k] = b[k]
            k += 2
            c[k] = 1
    """) == wanted("""
        for i in range(n):
            a[<k at entry> + 2 * i] = b[<k at entry> + 2 * i]
            k = <k at entry> + 2 * i + 2
            c[<k at entry> + 2 * i + 2] = 1
    """)


def test_what_the_call_must_know():
    found = closed("for i in range(n):\n    for j in range(2, m, 3):\n        k = 1 + k\n")
    assert [(g.name, text(g.value), g.step) for g in found.given] == [
        ("<k at entry>", "k", 0),
        ("<trips of 2>", "m - 2", 3),
    ]
    assert {"<k at entry>", "<trips of 2>"} <= set(found.nest.paths)


@pytest.mark.parametrize(
    ("header", "update", "form"),
    [
        ("range(n)", "k += m", "<k at entry> + i * m"),
        ("range(m, n)", "k = k - 1", "<k at entry> + m - i"),
        ("range(n, 0, -1)", "k += 1", "<k at entry> + n - i"),
        ("range(n, 0, -2)", "k += 4", "<k at entry> + 2 * n - 2 * i"),
        ("range(1, n, 3)", "k += 1", "(i - 1) // 3 + <k at entry>"),
        ("range(n, 0, -3)", "k += 1", "(n - i) // 3 + <k at entry>"),
        ("range(0, n, m)", "k += m", "<k at entry> + i"),
        ("range(n)", "k += i", "(i * i - i) // 2 + <k at entry>"),
        ("range(n)", "k = i", "<k at entry> if i == 0 else i - 1"),
        ("range(m, n, 2)", "k = i * 3", "<k at entry> if i == m else 3 * i - 6"),
        ("range(n)", "k = 7", "<k at entry> if i == 0 else 7"),
        ("range(n)", "k = ~k + 2 * k + 2", "<k at entry> + i"),
    ],
)
def test_forms(header: str, update: str, form: str):
    source = f"for i in {header}:\n    a[k] = 1.0\n    {update}\n"
    assert f"a[{form}] = 1.0" in show(closed(source).nest)


def test_the_number_of_iterations_of_loops_inside():
    source = """
        for i in range(n):
            k = m
            for j in range(i, i + 3):
                k += 2
            a[k] = 1.0
            for j in range(m):
                a[k] = 2.0
                k -= 1
            a[k] = 3.0
    """
    assert made(source) == wanted(f"""
        for i in range(n):
            k = m
            for j in range(i, i + 3):
                k = 2 * j + m + 2 - 2 * i
            a[m + 6] = 1.0
            for j in range(m):
                a[m + 6 - j] = 2.0
                k = m + 5 - j
            a[m + 6 - {_trips(source)}] = 3.0
    """)


def _trips(source: str) -> str:
    (found,) = closed(textwrap.dedent(source)).given
    return found.name


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("range(i)", "(i * i - i) // 2 + <k at entry> + j"),
        ("range(i, n)", "<k at entry> + j + i * n - (i * i - i) // 2 - i"),
        ("range(i, -1, -1)", "(i * i - i) // 2 + <k at entry> + 2 * i - j"),
        ("range(n - i)", "<k at entry> + j + i * n - (i * i - i) // 2"),
    ],
)
def test_triangles(header: str, form: str):
    source = f"for i in range(n):\n    for j in {header}:\n        a[k] = 1.0\n        k += 1\n"
    assert f"a[{form}] = 1.0" in show(closed(source).nest)


@pytest.mark.parametrize(
    "header", ["range(1, i)", "range(0, i, 2)", "range(i - n)", "range(i, m)", "range(i * i)"]
)
def test_refused_where_a_loop_inside_may_be_short_of_a_negative_number(header: str):
    """With a negative number of iterations there are none, which no polynomial says."""
    assert is_same(
        f"for i in range(n):\n    for j in {header}:\n        a[k] = 1.0\n        k += 1\n"
    )


def test_what_goes_around_from_the_value_before_it_needs_no_condition():
    assert "b[j - 1]" in made("""
        for i in range(n):
            prev = -1
            for j in range(n):
                a[j] = b[prev]
                prev = j
    """)


def test_one_wraps_around_after_another():
    assert made("""
        for i in range(n):
            a[i] = b[q]
            q = p
            p = i
    """) == wanted("""
        for i in range(n):
            a[i] = b[<q at entry> if i == 0 else <p at entry> if i - 1 == 0 else i - 2]
            q = <p at entry> if i == 0 else i - 1
            p = i
    """)


def test_after_a_loop_that_may_not_run():
    source = """
        for i in range(n):
            p = m
            for j in range(m):
                p = j
            a[p] = 1.0
    """
    trips = _trips(source)
    assert f"a[m if {trips} == 0 else {trips} - 1]" in made(source)


def test_a_continue_after_the_update_is_none_before_it():
    assert "a[<k at entry> + i + 1]" in made("""
        for i in range(n):
            k += 1
            if b[i] > 0:
                continue
            a[k] = 1.0
    """)


def test_both_branches_may_agree():
    assert "a[<k at entry> + i]" in made("""
        for i in range(n):
            a[k] = 1.0
            if b[i] > 0:
                k += 1
            else:
                k = k + 2 - 1
    """)


def test_what_nobody_reads_is_not_computed():
    nest = lift_text(
        "for i in range(n):\n    for j in range(3):\n        a[k] = b[i]\n        k += 1\n"
    )
    hidden = replace(nest, live_out=())
    typed = infer(
        hidden, {"a": ARRAY, "b": ARRAY}, {"n": "int", "k": "int"}, {"range": known(range)}
    )
    assert isinstance(typed, Typed)
    found = without_induction(typed).nest
    check(found)
    assert show(found) == wanted("""
        for i in range(n):
            for j in range(3):
                a[<k at entry> + 3 * i + j] = b[i]
    """)


def test_names_in_between_are_seen_through_afterwards():
    nest = closed("for i in range(n):\n    s = k\n    k += 1\n    a[s] = b[k]\n").nest
    assert {name: text(expr) for name, expr in definitions(nest).items()} == {
        "s": "<k at entry> + i",
        "k": "<k at entry> + i + 1",
    }


@pytest.mark.parametrize(
    "body",
    [
        "if b[i] > 0:\n        k += 1",
        "if b[i] > 0:\n        continue\n    k += 1",
        "while k < i:\n        k += 1",
        "k = k * 2",
        "k = k // 2",
        "k = k ** 2",
        "k, s = s, k",
        "for j in range(i * i):\n        k += 1",
        "for j in range(9):\n        if b[j] > 0:\n            break\n        k += 1",
    ],
)
def test_refused(body: str):
    assert is_same(f"for i in range(n):\n    {body}\n    a[k] = 1.0\n", s="int")


@pytest.mark.parametrize(
    "atoms", [{"k": "np.int64"}, {"m": "np.int64"}, {"k": "float"}, {"m": "float"}]
)
def test_refused_for_other_types(atoms: dict[str, str]):
    """NumPy's integers wrap; what they are added to becomes one."""
    assert is_same("for i in range(n):\n    c[i] = k\n    k = k + m\n", **atoms)


@pytest.mark.parametrize("name", ["m", "s"])
def test_refused_for_ranges_that_numpy_integers_begin(name: str):
    source = f"for i in range({name}, n):\n    c[i] = k\n    k = k + 1\n"
    assert is_same(source, **{name: "np.int64"})
    assert not is_same(source)


def test_refused_where_it_would_grow_and_grow():
    squares = [f"p{k} = p{k + 1} * p{k + 1}" for k in range(40)]
    sums = " * ".join(f"(x{k} + y{k})" for k in range(60))
    found = closed(
        "\n    ".join(["for i in range(n):", *squares, "p40 = i", f"q = {sums}", "q += 1\n"])
    )
    assert "p39 = (<p40 at entry> if i == 0 else i - 1) * (" in show(found.nest)
    assert "p0 = p1 * p1" in show(found.nest)
    assert f"q = {sums}\n" in show(found.nest)
    deep = "".join(f"{'    ' * k}for i{k} in range(n):\n" for k in range(17))
    assert is_same(f"{deep}{'    ' * 17}k += 1\n")
