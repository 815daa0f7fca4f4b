"""What work items of a block read by way of the chip, and where they need not wait for others."""

from __future__ import annotations

import pytest

from autopar.nest.ir import For
from autopar.nest.text.lift import lift_text
from autopar.sched.staged import staged

LOOP = "for k in range({}):\n    s = s + {}"
LAYOUTS = {"b": "C", "f": "F", "t": "C", "x": "C", "h": "C"}


def found(inner, block=("i", "j"), arrays="bfth", steps=4):
    """Arrays and axes of what is staged of `inner`, in loops over `i` and `j`."""
    body = "".join(f"        {line}\n" for line in inner.splitlines())
    loop = lift_text(f"for i in range(n):\n    for j in range(n):\n{body}").loop
    (last,) = loop.body
    assert isinstance(last, For)
    some = staged(last.body, block, frozenset(arrays) | {"x"}, LAYOUTS, steps)
    return [(one.load.array, one.axes) for loop in some.values() for one in loop]


@pytest.mark.parametrize(
    ("cell", "axes"),
    [
        ("b[i, k]", (("i",), ("k",))),
        ("b[k, j]", (("k",), ("j",))),
        ("b[j, k]", (("j",), ("k",))),
        ("b[k + 1, j + m - 2]", (("k",), ("j",))),
        ("x[k]", (("k",),)),
        ("x[i + k]", (("i", "k"),)),
        ("t[m, k, i]", ((), ("k",), ("i",))),
        ("b[i + k, j]", (("i", "k"), ("j",))),  # each reads what its neighbours read
    ],
)
def test_what_several_work_items_read(cell, axes):
    expected = [] if cell == "b[i + k, j]" else [(cell[0], axes)]
    assert found(LOOP.format("p", cell)) == expected


def test_of_one_loop_what_neighbours_read_far_apart():
    assert found(LOOP.format("p", "b[j, k]"), ("j",)) == [("b", (("j",), ("k",)))]
    assert found(LOOP.format("p", "f[k, j]"), ("j",)) == [("f", (("k",), ("j",)))]
    assert not found(LOOP.format("p", "b[k, j]"), ("j",))  # side by side, and once
    assert not found(LOOP.format("p", "f[j, k]"), ("j",))
    assert found(LOOP.format("p", "x[k]"), ("j",)) == [("x", (("k",),))]


def test_what_is_around_the_block_stays():
    assert found(LOOP.format("p", "t[i, j, k]"), ("j",)) == [("t", ((), ("j",), ("k",)))]
    inner = "for l in range(p):\n    " + LOOP.format("p", "t[l, i, k]").replace("\n", "\n    ")
    assert found(inner) == [("t", ((), ("i",), ("k",)))]


@pytest.mark.parametrize(
    "cell",
    [
        "b[i, j]",  # the same in each step
        "b[k, k]", "b[i, i + k]", "b[2 * k, i]", "b[m - k, i]", "b[i, h[j]]",
        "b[i, k * j]", "b[s, k]", "b[i, k % 2]",
    ],
)  # fmt: skip
def test_what_does_not_fill_a_box(cell):
    assert not [one for one in found(LOOP.format("p", cell)) if one[0] == "b"]


@pytest.mark.parametrize("stop", ["i", "j", "j + 1", "h[0]", "s", "h[i]"])
def test_not_where_a_range_may_differ_from_item_to_item(stop):
    assert not found(LOOP.format(stop, "b[i, k]"))


@pytest.mark.parametrize("around", ["if s > 0.0:", "if i < m:", "if h[0] > 1:", "while s < 9.0:"])
def test_not_where_some_items_may_not_come(around):
    text = f"{around}\n    " + LOOP.format("p", "b[i, k]").replace("\n", "\n    ")
    assert not found(text)


def test_where_all_items_come():
    assert found("if m > 0:\n    " + LOOP.format("p", "b[i, k]").replace("\n", "\n    "))


def test_not_what_is_stored_or_shared_or_read_under_a_test():
    plain = LOOP.format("p", "b[i, k]")
    assert found(plain)
    assert not found(plain + "\nb[i, j] = s")
    assert not found(plain, arrays="ft")
    assert not found("for k in range(p):\n    if s > 0.0:\n        s = s + b[i, k]")
    assert not found("for k in range(p):\n    s = s + (b[i, k] if s > 0.0 else 1.0)")
    assert not found("for k in range(p):\n    t[k, i, j] = b[i, j]")


def test_not_where_something_leaves_early():
    leaving = "\n    if s > 9.0:\n        break"
    assert not found(LOOP.format("p", "b[i, k]") + leaving)
    assert not found("if s > 9.0:\n    continue\n" + LOOP.format("p", "b[i, k]"))


def test_not_a_loop_that_is_too_short_or_goes_another_way():
    assert not found(LOOP.format("3", "b[i, k]"))
    assert found(LOOP.format("4", "b[i, k]"))
    assert not found(LOOP.format("0, p, 2", "b[i, k]"))
    assert not found(LOOP.format("p, 0, -1", "b[i, k]"))


def test_boxes():
    body = LOOP.format("p", "x[i + k]")
    text = "".join(f"        {line}\n" for line in body.splitlines())
    loop = lift_text(f"for i in range(n):\n    for j in range(n):\n{text}").loop
    (last,) = loop.body
    assert isinstance(last, For)
    ((one,),) = staged(last.body, ("i", "j"), ("x",), LAYOUTS, 4).values()
    assert one.box({"i": 32, "j": 64, "k": 16}) == {0: 47}
