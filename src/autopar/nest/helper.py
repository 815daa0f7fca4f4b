"""Functions of the user's that compute a value and do nothing else, as statements of the IR."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autopar.nest import flow, ir
from autopar.nest.lift import Lifter, stored
from autopar.verdict import Reason, Refusal, Refused, Span

RESULT = "<result>"
_LEAVING = ast.Return, ast.Raise, ast.Assert
_MOST_NODES = 2000  # of a body, in which what follows an `if` may stand twice


@dataclass(frozen=True, slots=True)
class Helper:
    """One function.

    Attributes
    ----------
    name
        As it was defined.
    params
        Parameters that take arguments by position, in order.
    defaults
        How many of them, from the last on, have defaults.
    body
        Its statements; each way through them assigns `RESULT`, at its end.
    variables
        Scalars that it assigns, parameters among them.
    paths
        Live-in paths that begin with a parameter, with a name of its module, or of a function
        around it.
    free
        The names of functions around it.
    """

    name: str
    params: tuple[str, ...]
    defaults: int
    body: tuple[ir.Stmt, ...]
    variables: frozenset[str]
    paths: frozenset[str]
    free: frozenset[str]


def helper(
    node: ast.FunctionDef | ast.Lambda, file: str, free: Iterable[str] = ()
) -> Helper | Refusal:
    """The helper that `node` defines, or why it is not one."""
    name = node.name if isinstance(node, ast.FunctionDef) else "lambda"
    args = node.args
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
    else:
        body = node.body
    lifter = Lifter(file, name, frozenset())
    try:
        if args.vararg or args.kwarg or args.kwonlyargs:
            raise lifter.refuse(Reason.SYNTAX, node, f"the parameters of {name}")
        tail = _Tail(lifter)
        body = tail.block(body)
        lifter.assigned = stored(body)
        stmts = lifter.block(body)
        params = tuple(arg.arg for arg in (*args.posonlyargs, *args.args))
        variables = frozenset().union(*(ir.assigned(stmt) for stmt in stmts))
        unset = sorted((flow.exposed(stmts) & variables) - set(params))
        if unset:
            raise lifter.refuse(Reason.UNBOUND, node, f"{unset[0]} in {name}")
    except Refused as refused:
        return refused.refusal
    return Helper(
        name,
        params,
        len(args.defaults),
        stmts,
        variables,
        frozenset(lifter.paths),
        frozenset(free),
    )


class _Tail:
    """Puts what follows an ``if`` that returns into its branches, so that returns come last."""

    def __init__(self, lifter: Lifter) -> None:
        self.lifter = lifter
        self.nodes = 0

    def block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for k, stmt in enumerate(stmts):
            self.nodes += 1
            if self.nodes > _MOST_NODES:
                raise self.lifter.refuse(Reason.SYNTAX, stmt, "too many ways to return")
            if isinstance(stmt, ast.Return) and stmt.value is not None:
                target = ast.copy_location(ast.Name(RESULT, ast.Store()), stmt)
                return [*made, ast.copy_location(ast.Assign([target], stmt.value), stmt)]
            if not any(
                isinstance(node, ast.Return | ast.Raise | ast.Assert) for node in ast.walk(stmt)
            ):
                made.append(stmt)
            elif isinstance(stmt, ast.If):
                rest = stmts[k + 1 :]
                both = [
                    self.block([*branch, *(() if _returns(branch) else rest)])
                    for branch in (stmt.body, stmt.orelse)
                ]
                return [*made, ast.copy_location(ast.If(stmt.test, *both), stmt)]
            else:
                raise self.lifter.refuse(Reason.SYNTAX, stmt)
        where = Span(self.lifter.file, stmts[-1].lineno if stmts else 0)
        raise Refused(Refusal(Reason.SYNTAX, where, f"{self.lifter.function} may return None"))


def _returns(stmts: Sequence[ast.stmt]) -> bool:
    """Whether every way through `stmts` returns."""
    match [*stmts]:
        case [*_, ast.Return()]:
            return True
        case [*_, ast.If(body=body, orelse=orelse)]:
            return _returns(body) and _returns(orelse)
    return False
