"""What is taken from the user's text, and what is refused with which reason and line."""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopar.nest import ir, walking
from autopar.nest.text.lift import lift, lift_text
from autopar.verdict import Reason, Refusal, Refused

ACCEPTED = [
    "for i in range(n):\n    a[i] = 1\n",
    "for i in range(1, n, 2):\n    pass\n",
    "for i in range(n):\n    for j in range(i):\n        a[i, j] += b[j][i]\n",
    "for i in range(len(a)):\n    a[i] = self.x[i] * self.p.q\n",
    "for i in range(n):\n    while a[i] < 3:\n        a[i] = a[i] + 1\n",
    "for i in range(n):\n    if i:\n        continue\n    elif a[i]:\n        break\n    else:\n        pass\n",
    "for i in range(n):\n    a[i], s = s, a[i]\n",
    "for i in range(n):\n    s = a[i] = t = 1.5\n",
    "for i in range(n):\n    'words'\n",
    "for i in range(n):\n    a[-1] = 0 < i < 3 and not b[i] or 1j\n",
    "for i in range(n):\n    a[i] = x if i else -y\nelse:\n    z = 1\n",
    "for i in range(a.shape[0]):\n    a[i] = math.exp(min(i, 2))\n",
    "for i in range(n):\n    for j in range(3):\n        if j:\n            break\n",
    "for i in range(n):\n    i = 3\n",
    "for i in range(n):\n    for i in range(3):\n        pass\n",
    "for i in range(n):\n    for j in range(3):\n        i += 1\n",
    "for _ in range(n):\n    for _ in range(3):\n        for _ in range(3):\n            a[_] = _\n",
    "for i in range(n):\n    while i:\n        pass\n    else:\n        pass\n",
    "for i in range(n):\n    for j in range(3):\n        break\n    else:\n        break\n",
    "for i in range(n):\n    a[i] = b[i].real + (x * 2).imag + c[i].conjugate()\n",
    "for i in range(a.shape[-1]):\n    pass\n",
    "for i in range(n):\n    a[i] = x\nelse:\n    x = 1\n",
]
REFUSED = [  # text, reason, line
    ("for i in f(x):\n    pass\n", Reason.NOT_RANGE, 1),
    ("for i in range(n, step=2):\n    pass\n", Reason.NOT_RANGE, 1),
    ("for i in range(*n):\n    pass\n", Reason.NOT_RANGE, 1),
    ("for i in range(1, 2, 3, 4):\n    pass\n", Reason.NOT_RANGE, 1),
    ("for i in range(n):\n    for j in {a}:\n        pass\n", Reason.NOT_RANGE, 2),
    ("for i in range(n):\n    for j in zip(a):\n        pass\n", Reason.NOT_RANGE, 2),
    ("for i in range(n):\n    range = 3\n", Reason.SHADOWED, 1),
    ("for i, j in range(n):\n    pass\n", Reason.SYNTAX, 1),
    ("for a[0] in range(n):\n    pass\n", Reason.SYNTAX, 1),
    ("for i in range(n):\n    pass\n    print(i)\n", Reason.CALL, 3),
    ("for i in range(n):\n    a[i] = f(**x)\n", Reason.CALL, 2),
    ("for i in range(n):\n    a[i] = f(*b, *c)\n", Reason.CALL, 2),
    ("for i in range(n):\n    a[i] = g(i)(i)\n", Reason.CALL, 2),
    ("for i in range(n):\n    a[i] = 'text'\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    a[i] = i is 3\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    a[i] = i in b[i]\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    a[i] = []\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    a[i] = s + (s := i)\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    a[i] = b[i].flat(c)\n", Reason.CALL, 2),
    ("for i in range(n):\n    a @= c\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    f().x = i\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    x: int = i\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    s, *t = i, 2\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    s, *t = a\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    s, t = 1, 2, 3\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    del a\n", Reason.SYNTAX, 2),
    (
        "for i in range(n):\n    try:\n        continue\n    finally:\n        pass\n",
        Reason.SYNTAX,
        2,
    ),
    ("for i in range(n):\n    with x:\n        pass\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    with i: pass\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    del i\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    import os\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    def f(): pass\n", Reason.SYNTAX, 2),
    ("for i in range(n):\n    break\nelse:\n    pass\n", Reason.SYNTAX, 1),
]


@pytest.mark.parametrize("source", ACCEPTED)
def test_takes(source):
    nest = lift_text(source)
    ids = [stmt.id for stmt in walking.statements(nest.loop)]
    ids += [access.id for _, access in walking.accesses(nest.loop)]
    assert len(ids) == len(set(ids))
    assert nest.scalars == tuple(sorted(walking.assigned(nest.loop)))
    assert set(nest.roots) >= {path.split(".")[0] for path in nest.paths}


@pytest.mark.parametrize(("source", "reason", "line"), REFUSED)
def test_refuses_with_reason_and_line(source, reason, line):
    with pytest.raises(Refused) as caught:
        lift_text(source)
    refusal = caught.value.refusal
    assert (refusal.reason, refusal.span.line) == (reason, line)
    assert refusal.span.file == "<text>"


def test_every_outcome_is_a_nest_or_a_refusal():
    """No construct of the language makes it fail in another way."""
    for stmt in ("x = yield", "x = await y", "x = lambda: 1", "x = f'{y}'", "x = a[1:2]",
                 "x = a[...]", "x = {1: 2}", "x = {1}", "x = [i for i in a]", "x = *a, 1",
                 "global x", "x = a.b.c[1]", "x = a().b", "x = -a[1][2].c", "match x:\n    case 1: pass",
                 "x[1].y = 2", "x = a[*b]", "x = b'1'", "x = ..."):  # fmt: skip
        body = "\n".join("    " + line for line in stmt.splitlines())
        loop = ast.parse(f"for i in range(n):\n{body}\n").body[0]
        assert isinstance(loop, ast.For)
        assert isinstance(lift(loop, "f", "g", lambda name: True), ir.Nest | Refusal)


def test_live_out_asks_and_leaves_out_what_is_ours():
    loop = ast.parse("for i in range(n):\n    s, t = t, s\n").body[0]
    assert isinstance(loop, ast.For)
    nest = lift(loop, "f", "g", lambda name: name != "i")
    assert isinstance(nest, ir.Nest)
    assert nest.live_out == ("s", "t")
    assert {"s", "t"} <= set(nest.roots)


def test_a_chain_becomes_a_conjunction_and_a_sign_goes_into_the_literal():
    nest = lift_text("for i in range(n):\n    a[i] = 0 < x < -3\n")
    (stmt,) = nest.loop.body
    assert isinstance(stmt, ir.Assign)
    assert isinstance(stmt.value, ir.Logic)
    assert [type(v) for v in stmt.value.values] == [ir.Compare, ir.Compare]
    last = stmt.value.values[1]
    assert isinstance(last, ir.Compare)
    assert last.right == ir.Const(-3)


NUMBERS = st.recursive(
    st.sampled_from(["1", "2", "i", "n", "7"]),
    lambda part: (
        st.builds("({} {} {})".format, part, st.sampled_from(list("+-*%&|^")), part)
        | st.builds("(-{})".format, part)
        | st.builds("(~{})".format, part)
        | st.builds("({} if {} else {})".format, part, part, part)
    ),
    max_leaves=8,
)


def value(expr: ir.Expr, env: dict[str, int]) -> int:
    """The tree evaluated directly: what the text must mean."""
    match expr:
        case ir.Const(value=const):
            return const  # type: ignore[return-value]
        case ir.Name(id=name):
            return env[name]
        case ir.Unary(op=op, operand=operand):
            return eval(f"{op}(x)", {"x": value(operand, env)})
        case ir.Binary(op=op, left=left, right=right):
            return eval(f"x {op} y", {"x": value(left, env), "y": value(right, env)})
        case ir.Select(test=test, body=body, orelse=orelse):
            return value(body if value(test, env) else orelse, env)
    raise AssertionError(expr)


@settings(max_examples=150, deadline=None, database=None, derandomize=True)
@given(text=NUMBERS, i=st.integers(-9, 9), n=st.integers(-9, 9))
def test_an_expression_means_what_its_text_means(text, i, n):
    nest = lift_text(f"for i in range(n):\n    s = {text}\n")
    (stmt,) = nest.loop.body
    assert isinstance(stmt, ir.Assign)
    try:
        wanted = eval(text, {"i": i, "n": n})
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            value(stmt.value, {"i": i, "n": n})
        return
    assert value(stmt.value, {"i": i, "n": n}) == wanted
