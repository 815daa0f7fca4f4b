"""Functions of the user's that compute a value, or store into arrays, as statements of the IR."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from copy import copy as shallow

from autopar.nest import flow, ir, walking
from autopar.nest.bound import stored
from autopar.nest.calls.definition import RESULT, Helper
from autopar.nest.text.building import assign, ours
from autopar.nest.text.comprehensions import without
from autopar.nest.text.inner import apart
from autopar.nest.text.leaving import breaks
from autopar.nest.text.lift import Lifter
from autopar.nest.text.plainer import plainer, returns
from autopar.nest.text.stored import in_lists
from autopar.nest.trees import every
from autopar.verdict import Reason, Refusal, Refused

_RETURNED = "<returned>"
_DEEPEST = 50  # branches in one another
_MOST_NODES = 2000  # of a body, in which what follows an `if` may stand twice


def helper(
    node: ast.FunctionDef | ast.Lambda,
    file: str,
    free: Iterable[str] = (),
    own: Iterable[str] = (),
) -> Helper | Refusal:
    """The helper that `node` defines, or why it is not one.

    Parameters
    ----------
    free, own
        Names of functions around it, and its own, as Python has compiled it: what it never
        reaches decides of that, too.
    """
    name = node.name if isinstance(node, ast.FunctionDef) else "lambda"
    args = node.args
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
    else:
        body = node.body
    lifter = Lifter(file, name, frozenset())
    try:
        if args.vararg or args.kwarg:
            raise lifter.refuse(Reason.SYNTAX, node, f"the parameters of {name}")
        functions, body = apart(in_lists(plainer(body, helper=True), lambda name: False))
        body = list(without(_Tail(lifter, _returning(body)).block(body), functions))
        params = tuple(arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))
        lifter.assigned = stored(body) | (frozenset(own) - set(params))
        lifter.doubtful = frozenset({*params, *_none(body)})
        stmts = lifter.block(body)
        variables = frozenset().union(*(walking.assigned(stmt) for stmt in stmts))
        unset = sorted((flow.exposed(stmts) & (variables | lifter.assigned)) - set(params))
        counting = {path.partition(".")[0] for path in lifter.counting}
        shadowed = sorted(counting & {*params, *free, *own})
        if shadowed:
            raise lifter.refuse(Reason.SHADOWED, node, f"{shadowed[0]} in {name}")
        lifter.check(node, stmts)
        if lifter.conditions:
            raise lifter.refuse(Reason.NOT_RANGE, node, f"ndindex in {name}")
        private = sorted(p for p in lifter.paths if p.startswith("__") and p not in params)
        if private:  # in a class it is another name
            raise lifter.refuse(Reason.SYNTAX, node, f"{private[0]} in {name}")
        if unset:
            raise lifter.refuse(Reason.UNBOUND, node, f"{unset[0]} in {name}")
    except Refused as refused:
        return refused.refusal
    made = _made(stmts) - set(params)
    return Helper(
        name,
        params,
        len(args.defaults),
        stmts,
        variables,
        frozenset(lifter.paths),
        frozenset(free),
        nameless=frozenset(arg.arg for arg in args.posonlyargs),
        keywords=tuple(
            (arg.arg, default is not None)
            for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        ),
        counting=tuple(sorted(lifter.counting.items())),
        stores=any(_acts(s, variables, made) for stmt in stmts for s in walking.statements(stmt)),
    )


def _none(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Names to which `body` assigns None."""
    for stmt in body:
        for node in every(stmt):
            match node:
                case ast.Assign(targets=targets, value=ast.Constant(value=None)):
                    yield from (one.id for one in targets if isinstance(one, ast.Name))


def _made(stmts: Sequence[ir.Stmt]) -> frozenset[str]:
    """Names that are lists which `stmts` have made, and nothing else."""
    given: dict[str, bool] = {}
    for stmt in (inner for top in stmts for inner in walking.statements(top)):
        match stmt:
            case ir.Assign(target=ir.Name(id=name), value=value):
                new = isinstance(value, ir.Call) and value.func == ir.LIST
                given[name] = given.get(name, True) and new
    return frozenset(name for name, new in given.items() if new)


def _acts(stmt: ir.Stmt, own: frozenset[str], made: frozenset[str]) -> bool:
    """Whether `stmt` stores into an array, or may: what is called for nothing else may do so.

    What is put at the end of a list of its `own`, or stored in one that it has `made`, is seen by
    nobody else.
    """
    match stmt:
        case (
            ir.Assign(target=ir.Element(array=name, index=[_]))
            | ir.Put(target=ir.View(array=ir.Name(id=name)))
        ) if name in made:
            return False
        case ir.Put(target=ir.View(array=ir.Name(id=name), index=("append",) | ("pop",))) if (
            name in own
        ):
            return False
        case ir.Put() | ir.Assign(target=ir.Element()):
            return True
        case ir.Assign(target=ir.Name(id=name)):
            return name.startswith(ir.DROPPED)
    return False


def _returning(body: Sequence[ast.stmt]) -> bool:
    """Whether something other than None is returned."""
    returned = (n.value for stmt in body for n in every(stmt) if isinstance(n, ast.Return))
    return any(value is not None and not _is_none(value) for value in returned)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class _Tail:
    """Makes `RESULT` of what is returned, and leaves nothing to be done after a ``return``.

    What follows an ``if`` that returns goes into its branches.  A loop that returns is left, with
    the flag `_RETURNED` up, and what follows it is done unless that is so; a number that is
    returned then is as good before it.
    """

    def __init__(self, lifter: Lifter, returning: bool) -> None:
        self.lifter, self.returning = lifter, returning
        self.nodes = self.depth = 0
        self.last: ast.stmt | None = None

    def block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        """`stmts`, which come last in the function."""
        made: list[ast.stmt] = []
        stmts = self.without_else(stmts)
        for k, stmt in enumerate(stmts):
            self.count(stmt)
            rest = stmts[k + 1 :]
            if isinstance(stmt, ast.Return):
                return [*made, *self.result(stmt)]
            if not _leaving(stmt):
                made.append(stmt)
            elif isinstance(stmt, ast.If):
                if self.depth == _DEEPEST:
                    raise self.lifter.refuse(Reason.SYNTAX, stmt, "too many ways to return")
                self.depth += 1
                both = [
                    self.block([*branch, *(() if returns(branch) else rest)])
                    for branch in (stmt.body, stmt.orelse)
                ]
                self.depth -= 1
                return [*made, ast.copy_location(ast.If(stmt.test, *both), stmt)]
            else:
                first = [] if _endless(stmt) else self.otherwise(stmt, rest)
                if first is not None:
                    made += [*first, _set_flag(False, stmt)]
                    return made + self.inside([stmt], False)
                made += [*self.unknown(stmt), _set_flag(False, stmt), *self.inside([stmt], False)]
                end = ast.If(_flag(ast.Load()), [ast.Pass()], self.block(rest))
                return [*made, _placed(end, stmt)]
        return made + self.nothing()

    def unknown(self, stmt: ast.stmt) -> list[ast.stmt]:
        """A value of `RESULT` that nobody sees, so that it has one."""
        if not self.returning:
            return []
        return [_placed(assign(RESULT, ours(f"{ir.NOTHING}{RESULT}>")), stmt)]

    def otherwise(self, stmt: ast.stmt, rest: Sequence[ast.stmt]) -> list[ast.stmt] | None:
        """What is returned unless the loop `stmt` returns: said first, so that there is a value.

        None: it can only be said after the loop.
        """
        match rest:
            case []:
                return self.nothing()
            case [ast.Return(value=ast.expr() as value), *_]:
                parts = list(every(value))
                plain = (
                    ast.Constant
                    | ast.Name
                    | ast.Tuple
                    | ast.UnaryOp
                    | ast.unaryop
                    | ast.expr_context
                )
                signs = [part.operand for part in parts if isinstance(part, ast.UnaryOp)]
                names = {part.id for part in parts if isinstance(part, ast.Name)}
                harmless = all(isinstance(p, plain) for p in parts) and all(
                    isinstance(operand, ast.Constant) for operand in signs
                )
                if harmless and not names & stored([stmt]):
                    return self.result(rest[0])
        return None

    def inside(self, stmts: Sequence[ast.stmt], loop: bool) -> list[ast.stmt]:
        """`stmts`, in a `loop` or on the way to one, where a ``return`` breaks out of loops."""
        made: list[ast.stmt] = []
        for stmt in self.without_else(stmts):
            self.count(stmt)
            match stmt:
                case ast.Return():
                    leave = ast.copy_location(ast.Break(), stmt)
                    return [*made, *self.result(stmt), _set_flag(True, stmt), leave]
                case ast.If() if _leaving(stmt):
                    both = (self.inside(block, loop) for block in (stmt.body, stmt.orelse))
                    made.append(ast.copy_location(ast.If(stmt.test, *both), stmt))
                case ast.For() | ast.While() if _leaving(stmt):
                    assert not any(map(_leaving, stmt.orelse))
                    copy = shallow(stmt)
                    copy.body = self.inside(stmt.body, True)
                    made.append(copy)
                    if loop:
                        left = _placed(ast.If(_flag(ast.Load()), [ast.Break()], []), stmt)
                        made.append(left)
                case _ if _leaving(stmt):
                    raise self.lifter.refuse(Reason.SYNTAX, stmt)
                case _:
                    made.append(stmt)
        return made

    def without_else(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        """`stmts`, with what returns in the ``else`` of a loop in an ``if`` after it."""
        made: list[ast.stmt] = []
        for stmt in stmts:
            if not isinstance(stmt, ast.For | ast.While) or not any(map(_leaving, stmt.orelse)):
                made.append(stmt)
                continue
            self.count(stmt)
            loop, flag = shallow(stmt), f"<left {self.nodes}>"
            loop.orelse = []
            otherwise = stmt.orelse
            if breaks(stmt.body):
                loop.body = self.with_flags(stmt.body, flag)
                made.append(_placed(assign(flag, ast.Constant(False)), stmt))
                test = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
                otherwise = [_placed(ast.If(test, stmt.orelse, []), stmt)]
            made += [loop, *self.without_else(otherwise)]
        return made

    def with_flags(self, stmts: Sequence[ast.stmt], flag: str) -> list[ast.stmt]:
        """`stmts` of the body of a loop, with `flag` up before each ``break`` out of it."""
        made: list[ast.stmt] = []
        for stmt in stmts:
            copy = stmt
            match stmt:
                case ast.Break():
                    made.append(_placed(assign(flag, ast.Constant(True)), stmt))
                case ast.If():
                    copy = shallow(stmt)
                    copy.body = self.with_flags(stmt.body, flag)
                    copy.orelse = self.with_flags(stmt.orelse, flag)
                case ast.For() | ast.While():
                    copy = shallow(stmt)
                    copy.orelse = self.with_flags(stmt.orelse, flag)
                case _ if breaks([stmt]):
                    raise self.lifter.refuse(Reason.SYNTAX, stmt)
            made.append(copy)
        return made

    def result(self, stmt: ast.stmt) -> list[ast.stmt]:
        assert isinstance(stmt, ast.Return)
        if not self.returning:
            return []
        target = ast.copy_location(ast.Name(RESULT, ast.Store()), stmt)
        value = stmt.value or ast.copy_location(ast.Constant(None), stmt)
        return [ast.copy_location(ast.Assign([target], value), stmt)]

    def nothing(self) -> list[ast.stmt]:
        """None is returned where no statement says so."""
        return self.result(_placed(ast.Return(), self.last)) if self.last is not None else []

    def count(self, stmt: ast.stmt) -> None:
        self.nodes += 1
        self.last = stmt
        if self.nodes > _MOST_NODES:
            raise self.lifter.refuse(Reason.SYNTAX, stmt, "too many ways to return")


def _endless(stmt: ast.stmt) -> bool:
    """Whether nothing but a ``return`` leaves the loop `stmt`."""
    match stmt:
        case ast.While(test=ast.Constant(value=True), body=body, orelse=[]):
            return not breaks(body)
    return False


def _leaving(stmt: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return | ast.Raise | ast.Assert) for node in every(stmt))


def _flag(context: ast.expr_context) -> ast.Name:
    return ast.Name(_RETURNED, context)


def _set_flag(value: bool, stmt: ast.stmt) -> ast.stmt:
    return _placed(ast.Assign([_flag(ast.Store())], ast.Constant(value)), stmt)


def _placed(made: ast.stmt, stmt: ast.stmt) -> ast.stmt:
    """`made`, where `stmt` stands."""
    for node in every(made):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, stmt)
    return made
