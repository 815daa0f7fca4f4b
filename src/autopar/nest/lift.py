"""From ``ast`` to `Nest`: says what it knows, refuses the rest with the text and the line."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from autopar.nest import flow, ir
from autopar.nest.reading import BINARY, Reading
from autopar.nest.runs import versions
from autopar.verdict import Reason, Refusal, Refused

_MODULE = "<module>"


def lift(
    loop: ast.For, file: str, function: str, live_after: Callable[[str], bool]
) -> ir.Nest | Refusal:
    """The nest that `loop` means, or why it is not one.

    Parameters
    ----------
    loop
        The outermost ``for``.
    file, function
        Where it stands, for messages.
    live_after
        Whether a name may be read after the loop.
    """
    (loop,) = attributes_named([loop])
    lifter = Lifter(file, function, stored([loop.target, loop.iter, *loop.body]))
    try:
        if loop.orelse and breaks(loop.body):
            raise lifter.refuse(Reason.SYNTAX, loop, "else after a loop that breaks")
        top = lifter.loop(loop)
    except Refused as refused:
        return refused.refusal
    leaving = exits(loop)
    read = {n.id for stmt in leaving for n in ast.walk(stmt) if isinstance(n, ast.Name)}
    if leaving:  # whoever leaves an inner loop leaves all of them, so this is 0 when it is read
        top = replace(top, body=(lifter.set(ir.EXIT, 0, loop), *top.body))
    scalars = ir.assigned(top)
    return ir.Nest(
        file=file,
        function=function,
        loop=top,
        roots=_roots(lifter.paths, top),
        paths=tuple(sorted(lifter.paths)),
        scalars=tuple(sorted(scalars)),
        live_out=tuple(
            sorted(
                name
                for name in scalars
                if name == ir.EXIT
                or (not name.startswith("<") and (name in read or _seen(name, live_after)))
            )
        ),
    )


def lift_run(
    run: Sequence[ast.stmt], file: str, function: str, live_after: Callable[[str], bool]
) -> ir.Nest | Refusal:
    """The nest that a run of statements means, which is gone through once; see `lift`."""
    nodes, last = versions(attributes_named(run))
    lifter = Lifter(file, function, stored(nodes))
    try:
        body = lifter.block(nodes)
    except Refused as refused:
        return refused.refusal
    ends = ir.Const(0), ir.Const(1), ir.Const(1)
    top = ir.For(ir.ONCE, *ends, body, lifter.next_id(), run[0].lineno)
    scalars = ir.assigned(top)
    names = tuple(sorted(name for name in last if _seen(name, live_after)))
    return ir.Nest(
        file=file,
        function=function,
        loop=top,
        roots=_roots({*lifter.paths, *(name for name in names if "." in name)}, top),
        paths=tuple(sorted(lifter.paths)),
        scalars=tuple(sorted(scalars)),
        live_out=tuple(last[name] for name in names),
        names=names,
    )


def _roots(paths: Iterable[str], top: ir.For) -> tuple[str, ...]:
    """Names that a nest must be handed; an attribute that it assigns needs its object."""
    scalars = ir.assigned(top)
    attributes = {name for name in scalars if "." in name and not name.startswith("<")}
    inputs = flow.exposed((top,)) & scalars
    return tuple(sorted({path.split(".")[0] for path in {*paths, *inputs, *attributes}}))


def _seen(name: str, live_after: Callable[[str], bool]) -> bool:
    """Whether a name, or an attribute, may be read later."""
    return "." in name or live_after(name)


T = TypeVar("T", bound=ast.stmt)


def attributes_named(nodes: Sequence[T]) -> Sequence[T]:
    """`nodes` with a name like ``self.t`` for each attribute that they assign.

    That of an object which they do not assign itself; the run time shows that no other path leads
    to the same attribute, and that assigning it runs nothing of the user's.
    """
    inner = [n for top in nodes for n in ast.walk(top) if isinstance(n, ast.Attribute)]
    targets = {_dotted(n) for n in inner if isinstance(n.ctx, ast.Store)} - {None}
    if not targets:
        return nodes
    plain = stored(nodes)
    named = {path for path in targets if path and path.split(".")[0] not in plain}

    class Named(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            path = _dotted(node)
            if path in named:
                return ast.copy_location(ast.Name(path, node.ctx), node)
            return self.generic_visit(node)

    return [Named().visit(copy.deepcopy(node)) for node in nodes]


def _dotted(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            base = _dotted(value)
            private = attr.startswith("__") and not attr.endswith("__")
            return None if base is None or private else f"{base}.{attr}"
    return None


def lift_text(source: str) -> ir.Nest:
    """The nest of `source`, whose last statement is a loop; for tests and demonstrations.

    Raises
    ------
    Refused
        When the loop is not taken.
    """
    loop = ast.parse(source).body[-1]
    assert isinstance(loop, ast.For)
    found = lift(loop, "<text>", _MODULE, lambda name: True)
    if isinstance(found, Refusal):
        raise Refused(found)
    return found


def stored(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names that `nodes` bind or delete."""
    return frozenset(
        node.id
        for top in nodes
        for node in ast.walk(top)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )


Exit = ast.Return | ast.Raise | ast.Assert


def exits(loop: ast.For) -> tuple[Exit, ...]:
    """Statements in `loop` that leave it for good, in textual order; see `ir.EXIT`.

    `Lifter.exit` numbers them in the same order, from 1 on: both must see the loop as written.
    """
    return tuple(_exits(loop.body))


def _exits(nodes: Iterable[ast.stmt]) -> Iterator[Exit]:
    for node in nodes:
        if isinstance(node, ast.Return | ast.Raise) or (isinstance(node, ast.Assert) and __debug__):
            yield node
        for name in ("body", "orelse"):
            yield from _exits(getattr(node, name, ()))


def breaks(nodes: Iterable[ast.stmt]) -> bool:
    """Whether a ``break`` in the body of a loop ends this very loop."""
    return any(
        isinstance(node, ast.Break)
        or breaks(getattr(node, "orelse", ()))
        or (not isinstance(node, ast.For | ast.While) and breaks(getattr(node, "body", ())))
        for node in nodes
    )


@dataclass(slots=True)
class Lifter(Reading):
    """Statements of a nest.

    Attributes
    ----------
    broke
        For each loop around, the flag that says that it was left, if there is one.
    hidden
        Names of ours so far.
    exits
        Statements so far that leave the nest for good.
    """

    broke: list[str | None] = field(default_factory=lambda: [None])
    hidden: set[str] = field(default_factory=set)
    exits: int = 0

    # ------------------------------------------------------------------ statements

    def loop(self, node: ast.For) -> ir.For:
        if called(node.iter) != "range":
            return self.over_items(node)
        if not isinstance(node.target, ast.Name):
            raise self.refuse(Reason.SYNTAX, node.target)
        var = node.target.id
        start, stop, step = self.range(node.iter)
        here = self.next_id()
        first: list[ir.Stmt] = []
        if var in stored(node.body):
            # What the body does to the variable does not change which value comes next.
            var = self.hide(var)
            first = [self.assign(node.target, ir.Name(var), node)]
        body = (*first, *self.block(node.body))
        return ir.For(var, start, stop, step, body, here, node.lineno)

    def builtin(self, node: ast.expr, least: int, most: int) -> list[ast.expr]:
        """The arguments of a call of a builtin that is no call in the IR."""
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise self.refuse(Reason.NOT_RANGE, node)
        if not least <= len(node.args) <= most:
            raise self.refuse(Reason.NOT_RANGE, node)
        if node.func.id in self.assigned:
            raise self.refuse(Reason.SHADOWED, node)
        self.paths.add(node.func.id)
        return node.args

    def range(self, node: ast.expr) -> tuple[ir.Expr, ir.Expr, ir.Expr]:
        """Start, stop and step."""
        args = [self.expr(arg) for arg in self.builtin(node, 1, 3)]
        start, stop = (ir.Const(0), args[0]) if len(args) == 1 else (args[0], args[1])
        return start, stop, args[2] if len(args) == 3 else ir.Const(1)

    def over_items(self, node: ast.For) -> ir.For:
        """A loop over the items of an array, or of several, numbered perhaps, or backwards."""
        line, here = node.lineno, self.next_id()
        if called(node.iter) == "reversed":
            (inner,) = self.builtin(node.iter, 1, 1)
            if called(inner) == "range" and isinstance(node.target, ast.Name):
                hidden = self.hide(node.target.id)
                ends = _backwards(*self.range(inner), line)
                if ends is None:
                    raise self.refuse(Reason.NOT_RANGE, node.iter)
                first = self.assign(node.target, ir.Name(hidden), node)
                return ir.For(hidden, *ends, (first, *self.block(node.body)), here, line)
        place = self.hide("place")
        changed = stored([*node.body, node.target])
        lengths: list[ir.Expr] = []
        items = self.items(node.iter, node.target, ir.Name(place), changed, lengths)
        stop = lengths[0] if len(lengths) == 1 else ir.Call("<min>", tuple(lengths), line)
        bound = [self.assign(target, value, node) for target, value in items]
        body = (*bound, *self.block(node.body))
        return ir.For(place, ir.Const(0), stop, ir.Const(1), body, here, line)

    def items(
        self,
        source: ast.expr,
        target: ast.expr,
        place: ir.Expr,
        changed: frozenset[str],
        lengths: list[ir.Expr],
    ) -> list[tuple[ast.expr, ir.Expr]]:
        """What the parts of `target` are at a place of `source`.

        Parameters
        ----------
        changed
            Names that the loop assigns.
        lengths
            Where to put how many items there are.
        """
        line = source.lineno
        match called(source), target:
            case "enumerate", ast.Tuple(elts=[number, item]):
                inner, *begin = self.builtin(source, 1, 2)
                count = place
                if begin:
                    self.steady(begin[0], changed)
                    count = ir.Binary("+", self.expr(begin[0]), place, line)
                return [(number, count), *self.items(inner, item, place, changed, lengths)]
            case "zip", ast.Tuple(elts=elts):
                sources = self.builtin(source, len(elts), len(elts))
                pairs = zip(sources, elts, strict=True)
                return [
                    found
                    for inner, item in pairs
                    for found in self.items(inner, item, place, changed, lengths)
                ]
        self.steady(source, changed)
        if not isinstance(source, ast.Name | ast.Attribute | ast.Subscript):
            raise self.refuse(Reason.NOT_RANGE, source)
        lengths.append(self.length(source))
        path = self.path(source)
        if path is not None:
            return [(target, ir.Load(path, (place,), self.next_id(), line))]
        return [(target, ir.View(self.expr(source), (place,), line))]

    def steady(self, node: ast.expr, changed: frozenset[str]) -> None:
        """Refuse what the loop would change: it is evaluated once."""
        if any(isinstance(n, ast.Name) and n.id in changed for n in ast.walk(node)):
            raise self.refuse(Reason.NOT_RANGE, node)

    def hide(self, name: str) -> str:
        """A name of ours that looks like the user's."""
        ours = f"<{name}>"
        while ours in self.hidden:
            ours = f"<{name}{self.next_id()}>"
        self.hidden.add(ours)
        return ours

    def inner(self, node: ast.For | ast.While) -> list[ir.Stmt]:
        """A loop in the nest, and its ``else``, which runs unless the loop was left."""
        leaving = any(_exits(node.body))
        may_break = leaving or breaks(node.body)
        flag = self.hide("broke") if node.orelse and may_break else None
        clear = [] if flag is None else [self.set(flag, False, node)]
        self.broke.append(flag)
        if isinstance(node, ast.For):
            loop: ir.Stmt = self.loop(node)
        else:
            condition, here = self.expr(node.test), self.next_id()
            loop = ir.While(condition, self.block(node.body), here, node.lineno)
        self.broke.pop()
        onwards: list[ir.Stmt] = []
        if leaving:
            left = ir.Compare("!=", ir.Name(ir.EXIT), ir.Const(0), node.lineno)
            onwards = [ir.If(left, self.leave(node), (), self.next_id(), node.lineno)]
        here = self.next_id()
        other = self.block(node.orelse)
        if flag is None:
            return [loop, *onwards, *other]
        whole = ir.Unary("not", ir.Name(flag), node.lineno)
        return [*clear, loop, *onwards, ir.If(whole, other, (), here, node.lineno)]

    def leave(self, node: ast.stmt) -> tuple[ir.Stmt, ...]:
        """Break out of the innermost loop."""
        flag = self.broke[-1]
        leave = ir.Leave("break", self.next_id(), node.lineno)
        return (leave,) if flag is None else (self.set(flag, True, node), leave)

    def exit(self, node: Exit) -> list[ir.Stmt]:
        """Say by which statement all loops are left, and leave the innermost one."""
        self.exits += 1
        leave = (self.set(ir.EXIT, self.exits, node), *self.leave(node))
        if not isinstance(node, ast.Assert):
            return list(leave)
        fails = ir.Unary("not", self.expr(node.test), node.lineno)
        return [ir.If(fails, leave, (), self.next_id(), node.lineno)]

    def set(self, flag: str, value: int, node: ast.stmt) -> ir.Stmt:
        return ir.Assign(ir.Name(flag), ir.Const(value), self.next_id(), node.lineno)

    def block(self, nodes: Sequence[ast.stmt]) -> tuple[ir.Stmt, ...]:
        return tuple(stmt for node in nodes for stmt in self.statement(node))

    def statement(self, node: ast.stmt) -> list[ir.Stmt]:
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return []
            case ast.Assign(targets=[ast.Tuple() as left], value=ast.Tuple() as right):
                return self.swap(node, left, right)
            case ast.Assign(targets=[target], value=value):
                return [self.assign(target, self.expr(value), node)]
            case ast.Assign(targets=targets, value=value):
                first = self.temporary(self.expr(value), node)
                return [first, *(self.assign(t, self.name_of(first), node) for t in targets)]
            case ast.AnnAssign(target=target, value=ast.expr() as value) if (
                self.function != _MODULE
            ):
                # In a function the annotation is not evaluated.
                return [self.assign(target, self.expr(value), node)]
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in BINARY:
                old = self.expr(target)
                new = ir.Binary(BINARY[type(op)], old, self.expr(value), node.lineno)
                return [replace(self.assign(target, new, node), augmented=True)]
            case ast.If(test=test, body=body, orelse=orelse):
                condition, here = self.expr(test), self.next_id()
                then, other = self.block(body), self.block(orelse)
                return [ir.If(condition, then, other, here, node.lineno)]
            case ast.While() | ast.For():
                return self.inner(node)
            case ast.Break():
                return list(self.leave(node))
            case ast.Return() | ast.Raise():
                return self.exit(node)
            case ast.Assert():
                return self.exit(node) if __debug__ else []
            case ast.Continue():
                return [ir.Leave("continue", self.next_id(), node.lineno)]
            case ast.Expr(value=ast.Call()):
                raise self.refuse(Reason.CALL, node)
        raise self.refuse(Reason.SYNTAX, node)

    def swap(self, node: ast.stmt, left: ast.Tuple, right: ast.Tuple) -> list[ir.Stmt]:
        """``a, b = x, y``: all values first, then the targets from left to right."""
        if len(left.elts) != len(right.elts):
            raise self.refuse(Reason.SYNTAX, node)
        held = [self.temporary(self.expr(value), node) for value in right.elts]
        return [
            *held,
            *(
                self.assign(target, self.name_of(temp), node)
                for target, temp in zip(left.elts, held, strict=True)
            ),
        ]

    def temporary(self, value: ir.Expr, node: ast.stmt) -> ir.Assign:
        here = self.next_id()
        # Angle brackets: a name that no user can write.
        return ir.Assign(ir.Name(f"<t {here}>"), value, here, node.lineno)

    def name_of(self, stmt: ir.Assign) -> ir.Name:
        assert isinstance(stmt.target, ir.Name)
        return stmt.target

    def assign(self, target: ast.expr, value: ir.Expr, node: ast.stmt) -> ir.Assign | ir.Put:
        match target:
            case ast.Name(id=name):
                return ir.Assign(ir.Name(name), value, self.next_id(), node.lineno)
            case ast.Subscript():
                place = self.place(target)
                if isinstance(place, ir.View):
                    return ir.Put(place, value, self.next_id(), node.lineno)
                element = ir.Element(place.array, place.index, place.id, place.line, place.tupled)
                return ir.Assign(element, value, self.next_id(), node.lineno)
        raise self.refuse(Reason.SYNTAX, node)


def called(node: ast.expr) -> str | None:
    """The name of the function that `node` calls."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return None


def _backwards(
    start: ir.Expr, stop: ir.Expr, step: ir.Expr, line: int
) -> tuple[ir.Expr, ir.Expr, ir.Expr] | None:
    """The range that `reversed` makes of one whose step is a number."""
    match step:
        case ir.Const(value=int(size)) if type(size) is int and size in (1, -1):
            last = ir.Binary("-", stop, ir.Const(size), line)
            return last, ir.Binary("-", start, ir.Const(size), line), ir.Const(-size)
    return None
