"""Questions about what a nest does not change: ``mode == "open"``, ``mask is None``.

A call knows the answers before it starts.  The branches that are not taken are left out, and with
them what has no meaning in this call: ``mask[i]`` where `mask` is None.

References
----------
Partial evaluation of conditionals: Jones, Gomard & Sestoft, *Partial Evaluation and Automatic
Program Generation*, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from autopar.nest import walking
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Asked,
    Call,
    Compare,
    Const,
    Expr,
    For,
    If,
    Logic,
    Name,
    Nest,
    Select,
    Stmt,
    Unary,
    While,
    Word,
)
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason, Refusal, Span

NEVER = "<never "
"""How the names begin in `Nest.live_out` of what is not assigned in any branch that is left."""

Answer = Callable[[Expr], bool | None]
"""What is answered to an `Asked` or a `Compare`; None: it is left as it is."""


def questions(nest: Nest) -> tuple[Asked, ...]:
    """What `nest` asks."""
    found = (e for _, e in _expressions(nest) if isinstance(e, Asked))
    return tuple(dict.fromkeys(found))


def needed(nest: Nest, members: Mapping[str, object]) -> bool:
    """Whether `nest` asks anything; for `members`, see `answered`."""
    return any(
        isinstance(e, Asked | Word) or (isinstance(e, Compare) and _about(e, members))
        for _, e in _expressions(nest)
    )


def answered(
    nest: Nest,
    answers: Mapping[Asked, bool],
    members: Mapping[str, object],
    plain: Collection[str],
) -> Nest | Refusal:
    """`nest` with the answers in place of the questions.

    Parameters
    ----------
    members, plain
        Paths of values that are equal to themselves alone, with what they are, and paths of values
        of Python's own types.
    """

    def answer(expr: Expr) -> bool | None:
        match expr:
            case Asked():
                return answers[expr]
            case Compare(op=op, left=left, right=right) if _about(expr, members):
                one, two = (_path(side) for side in (left, right))
                if all(side in members or side in plain for side in (one, two)):
                    return (members.get(one) is members.get(two)) == (op == "==")
        return None

    (loop,) = pruned((nest.loop,), answer)
    assert isinstance(loop, For)
    for stmt in walking.statements(loop):
        for top in walking.expressions(stmt):
            for expr in outside_calls(top):
                if isinstance(expr, Word) and expr.value is not None:
                    where = Span(nest.file, stmt.line)
                    return Refusal(Reason.SYNTAX, where, text(expr))
    scalars = walking.assigned(loop)
    read = exposed((loop,)) & frozenset(nest.scalars) - scalars
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted({*nest.paths, *read})),
        scalars=tuple(sorted(scalars)),
        live_out=tuple(
            n if n in scalars or n.startswith(NEVER) else f"{NEVER}{n}>" for n in nest.live_out
        ),
        names=nest.results,
    )


def pruned(stmts: Sequence[Stmt], answer: Answer) -> tuple[Stmt, ...]:
    """`stmts` without the branches that the answers rule out."""
    return tuple(made for stmt in stmts for made in _statement(stmt, answer))


def _statement(stmt: Stmt, answer: Answer) -> tuple[Stmt, ...]:
    match stmt:
        case If(test=test, body=body, orelse=orelse):
            test = settled(test, answer)
            if _decided(test) is not None:
                return pruned(body if _decided(test) else orelse, answer)
            then, other = pruned(body, answer), pruned(orelse, answer)
            return (replace(stmt, test=test, body=then, orelse=other),)
        case While(test=test, body=body):
            test = settled(test, answer)
            if _decided(test) is False:
                return ()
            return (replace(stmt, test=test, body=pruned(body, answer)),)
        case For(body=body):
            ends = (settled(e, answer) for e in (stmt.start, stmt.stop, stmt.step))
            start, stop, step = ends
            inside = pruned(body, answer)
            return (replace(stmt, start=start, stop=stop, step=step, body=inside),)
    return (rewritten(stmt, lambda expr: settled(expr, answer)),)


def settled(expr: Expr, answer: Answer) -> Expr:
    """`expr` with the answers, and without the operands that are not evaluated then."""
    match expr:
        case Asked() | Compare():
            found = answer(expr)
            if found is not None:
                return Const(found)
        case Unary(op="not", operand=operand):
            inner = settled(operand, answer)
            known = _decided(inner)
            return replace(expr, operand=inner) if known is None else Const(not known)
        case Logic(chain=False):
            return _logic(expr, answer)
        case Select(test=test, body=body, orelse=orelse):
            known = _decided(settled(test, answer))
            if known is not None:
                return settled(body if known else orelse, answer)
    return rebuilt(expr, lambda operand: settled(operand, answer))


def _logic(expr: Logic, answer: Answer) -> Expr:
    """The last operand that is evaluated, without those that make no difference."""
    values: list[Expr] = []
    last = len(expr.values) - 1
    for k, operand in enumerate(expr.values):
        value = settled(operand, answer)
        known = _decided(value)
        if known is not None and known == (expr.op == "or"):
            values.append(value)
            break
        if known is None or k == last:
            values.append(value)
    return values[0] if len(values) == 1 else replace(expr, values=tuple(values))


def _decided(expr: Expr) -> bool | None:
    return expr.value if isinstance(expr, Const) and isinstance(expr.value, bool) else None


def _path(side: Expr) -> str:
    """What `side` names; nothing for a literal."""
    return side.id if isinstance(side, Name) else ""


def _about(expr: Compare, members: Mapping[str, object]) -> bool:
    """Whether it asks for one of `members`."""
    sides = expr.left, expr.right
    named = all(isinstance(side, Name | Const) for side in sides)
    return named and expr.op in ("==", "!=") and any(_path(side) in members for side in sides)


def _expressions(nest: Nest) -> Iterator[tuple[Stmt, Expr]]:
    for stmt in walking.statements(nest.loop):
        for top in walking.expressions(stmt):
            for expr in walking.walk(top):
                yield stmt, expr


def outside_calls(expr: Expr) -> Iterator[Expr]:
    """What `expr` consists of, but for words that are arguments, of which others know."""
    yield expr
    for child in walking.children(expr):
        if not (isinstance(expr, Call) and isinstance(child, Word)):
            yield from outside_calls(child)
