"""From ``ast`` to `Nest`: says what it knows, refuses the rest with the text and the line."""

from __future__ import annotations

import ast
import builtins
import io
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from autopar.nest import flow, ir, walking
from autopar.nest.bound import attributes_named, stored
from autopar.nest.text.comprehensions import Builtins, without
from autopar.nest.text.counted import alone, apart
from autopar.nest.text.each import each_written_out
from autopar.nest.text.folding import REST
from autopar.nest.text.grown import with_grown
from autopar.nest.text.held import Held, handed_out
from autopar.nest.text.iteration import Iteration, Range, called
from autopar.nest.text.leaving import (
    Exit,
    Loop,
    breaks,
    every_exit,
    exits,
    heading,
    reached,
    seen_by,
    without_values,
)
from autopar.nest.text.plainer import plainer
from autopar.nest.text.reading import BINARY, LENGTH
from autopar.nest.text.runs import RETURNED, returned, versions
from autopar.nest.text.stored import in_lists
from autopar.nest.trees import every
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused

_MODULE = "<module>"
# Builtins, and methods of what is no array: they do what no nest can do.
_BUILTINS = frozenset(dir(builtins))
_KNOWN = frozenset().union(*map(dir, (builtins, list, dict, set, str, io.TextIOBase)))


def lift(
    loop: Loop, file: str, function: str, live_after: Callable[[str], bool]
) -> ir.Nest | Refusal:
    """The nest that `loop` means, or why it is not one.

    Parameters
    ----------
    loop
        The outermost one.
    file, function
        Where it stands, for messages.
    live_after
        Whether a name may be read after the loop.
    """
    written = loop
    match plainer([loop]):
        case [ast.For() | ast.While() as inner]:
            loop = inner
    leaving = exits(written)
    live = seen_by(leaving, live_after)
    named = attributes_named([each_written_out(loop, live)])
    match without(_in_lists(named, function, live)):
        case [ast.For() | ast.While() as inner]:  # and nothing to be done before it
            loop = inner
    lifter = Lifter(file, function, stored([*heading(loop), *loop.body]))
    lifter.sequences = _sequences([loop])
    try:
        # The interpreter runs it as written, with what breaks where an exception is handled.
        if loop.orelse and (breaks(loop.body) or breaks(written.body)):
            raise lifter.refuse(Reason.SYNTAX, loop, "else after a loop that breaks")
        found = lifter.loop(loop)
        if lifter.before:
            raise lifter.refuse(Reason.NOT_RANGE, heading(loop)[-1])
        lifter.check(loop, (found,))
        if any(map(live, lifter.tuples)):
            raise lifter.refuse(Reason.SYNTAX, loop, f"{', '.join(lifter.tuples)} after the loop")
    except Refused as refused:
        return refused.refusal
    if len(leaving) != lifter.exits:  # in plainer words, fewer of them are ever reached
        return lifter.refuse(Reason.SYNTAX, written).refusal
    if leaving:  # whoever leaves an inner loop leaves all of them, so this is 0 when it is read
        found = replace(found, body=(lifter.set(ir.EXIT, 0, loop), *found.body))
    top = with_grown(found if isinstance(found, ir.For) else alone(found, lifter.next_id()))
    return _nest(lifter, top, named, lambda name: _seen(name, live))


def _in_lists(
    nodes: Sequence[ast.stmt], function: str, live: Callable[[str], bool]
) -> Sequence[ast.stmt]:
    """`nodes` with lists in place of sets, queues and their like; see `nest.text.stored`."""
    parts = [part for node in nodes for part in every(node)]
    if function == _MODULE and any(isinstance(part, ast.AnnAssign) for part in parts):
        return nodes  # which are refused
    return in_lists(without_values(nodes), live)


def _nest(
    lifter: Lifter, top: ir.For, written: Sequence[ast.stmt], seen: Callable[[str], bool]
) -> ir.Nest:
    """The nest of `top`, which `lifter` has made of `written`; who of its names may be `seen`."""
    scalars = walking.assigned(top)
    after = {n for n in scalars if n == ir.EXIT or (not n.startswith("<") and seen(n))}
    names = _in_order(written, after | lifter.held.keys())
    live, holders = handed_out(names, lifter.held)
    return ir.Nest(
        file=lifter.file,
        function=lifter.function,
        loop=top,
        roots=_roots(lifter.paths, top),
        paths=tuple(sorted(lifter.paths)),
        scalars=tuple(sorted(scalars)),
        live_out=live,
        holders=holders,
        names=(*names, *live[len(names) :]) if holders else (),
        conditions=tuple(lifter.conditions),
        counting=tuple(sorted(lifter.counting.items())),
        idle=frozenset(lifter.idle),
    )


def lift_run(
    run: Sequence[ast.stmt], file: str, function: str, live_after: Callable[[str], bool]
) -> ir.Nest | Refusal:
    """The nest that a run of statements means, which is gone through once; see `lift`."""
    named = attributes_named(returned(plainer(run)))
    nodes, last = versions(without(named))
    lifter = Lifter(file, function, stored(nodes))
    lifter.sequences = _sequences(nodes)
    try:
        body = lifter.block(nodes)
    except Refused as refused:
        return refused.refusal
    top = with_grown(ir.once(body, lifter.next_id(), run[0].lineno))
    scalars = walking.assigned(top)
    own = (n for n in last if n[0] != "<" and _seen(n, live_after))
    names = _in_order(named, {*own, *last.keys() & {RETURNED}})
    return ir.Nest(
        file=file,
        function=function,
        loop=top,
        roots=_roots({*lifter.paths, *(name for name in names if "." in name)}, top),
        paths=tuple(sorted(lifter.paths)),
        scalars=tuple(sorted(scalars)),
        live_out=tuple(last[name] for name in names),
        names=names,
        counting=tuple(sorted(lifter.counting.items())),
        idle=frozenset(lifter.idle),
    )


def lift_together(
    nodes: Sequence[ast.stmt], file: str, function: str, live_after: Callable[[str], bool]
) -> ir.Nest | Refusal:
    """The nest that loops next to one another mean; see `lift`.

    None of them is left for good, but for the last one.
    """
    leaving = exits(nodes[-1]) if isinstance(nodes[-1], Loop) else ()
    live = seen_by(leaving, live_after)
    named = attributes_named(plainer(nodes))
    made = without(_in_lists(named, function, live))
    lifter = Lifter(file, function, stored(made))
    lifter.sequences = _sequences(made)
    try:
        body = lifter.block(made)
        lifter.check(nodes[0], body)
        if lifter.tuples:
            raise lifter.refuse(Reason.SYNTAX, nodes[0], ", ".join(lifter.tuples))
    except Refused as refused:
        return refused.refusal
    if len(leaving) != lifter.exits:
        return lifter.refuse(Reason.SYNTAX, nodes[-1]).refusal
    if leaving:
        body = (lifter.set(ir.EXIT, 0, nodes[0]), *body)
    top = with_grown(ir.once(body, lifter.next_id(), nodes[0].lineno))
    return _nest(lifter, top, named, lambda name: _seen(name, live))


def _roots(paths: Iterable[str], top: ir.For) -> tuple[str, ...]:
    """Names that a nest must be handed; an attribute that it assigns needs its object."""
    scalars = walking.assigned(top)
    attributes = {name for name in scalars if "." in name and not name.startswith("<")}
    inputs = flow.exposed((top,)) & scalars
    return tuple(sorted({path.split(".")[0] for path in {*paths, *inputs, *attributes}}))


def _in_order(nodes: Sequence[ast.stmt], names: Iterable[str]) -> tuple[str, ...]:
    """`names` in the order in which `nodes` assign them, which dictionaries of names show."""
    places: dict[str, tuple[int, int]] = {}
    for top in nodes:
        for node in every(top):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                here = node.lineno, node.col_offset
                places[node.id] = min(here, places.get(node.id, here))
    return tuple(sorted(names, key=lambda name: (places.get(name, (0, 0)), name)))


def _seen(name: str, live_after: Callable[[str], bool]) -> bool:
    """Whether a name, or an attribute, may be read later."""
    return "." in name or live_after(name)


def lift_text(source: str) -> ir.Nest:
    """The nest of `source`, whose last statement is a loop; for tests and demonstrations.

    Raises
    ------
    Refused
        When the loop is not taken.
    """
    loop = ast.parse(source).body[-1]
    assert isinstance(loop, Loop)
    found = lift(loop, "<text>", _MODULE, lambda name: True)
    if isinstance(found, Refusal):
        raise Refused(found)
    return found


def _in_a_row(targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
    """Whether names are given others, none of which has been given another one by then."""
    if not all(isinstance(one, ast.Name) for one in (*targets, *values)):
        return False
    given: set[str] = set()
    for target, value in zip(targets, values, strict=True):
        assert isinstance(target, ast.Name)
        assert isinstance(value, ast.Name)
        if value.id in given:
            return False
        given.add(target.id)
    return True


@dataclass(slots=True)
class Lifter(Iteration):
    """Statements of a nest.

    Attributes
    ----------
    broke
        For each loop around, the flag that says that it was left, if there is one.
    exits
        Statements so far that leave the nest for good.
    sequences
        Texts of what is subscripted, or appended to, somewhere in it.
    doubtful, idle
        Names that may be None in a helper; those of `ir.Nest.idle`.
    held
        By name, what must be there in the end, and is in lists of the nest's own.
    """

    broke: list[str | None] = field(default_factory=lambda: [None])
    exits: int = 0
    sequences: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()
    idle: set[str] = field(default_factory=set)
    held: dict[str, Held] = field(default_factory=dict)

    # ------------------------------------------------------------------ statements

    def loop(self, node: Loop) -> ir.For | ir.While:
        if isinstance(node, ast.While):
            condition, here = self.expr(node.test), self.next_id()
            written = ir.While(condition, self.block(node.body), here, node.lineno)
            made = apart(written, self.next_id, self.doubtful)
            self.idle |= flow.names((condition,)) - flow.names((made.test,))
            return made
        axes = self.axes(node.iter, _width(node.target))
        if axes is not None:
            return self.over_product(node, axes)
        found = self.range(node.iter)
        if found is None:
            return self.over_items(node)
        if not isinstance(node.target, ast.Name):
            raise self.refuse(Reason.SYNTAX, node.target)
        here, var, first = self.next_id(), node.target.id, []
        if found.numpy or called(node.iter) != "range" or var in stored(node.body):
            # What the body does to the variable does not change which value comes next.
            var = self.hide(var)
            item = found.item(ir.Name(var), node.lineno)
            first = self.assigned_to(node.target, item, node)
        body = (*first, *self.counted({node.target.id: ir.Name(var)}, node.body))
        return ir.For(var, found.start, found.stop, found.step, body, here, node.lineno)

    def counted(
        self, counters: dict[str, ir.Expr], nodes: Sequence[ast.stmt]
    ) -> tuple[ir.Stmt, ...]:
        """Statements in which these names are integers, unless they change them."""
        outside = self.counters
        changed = stored(nodes)
        kept = {**outside, **counters}
        self.counters = {name: value for name, value in kept.items() if name not in changed}
        made = self.block(nodes)
        self.counters = outside
        return made

    def over_items(self, node: ast.For) -> ir.For:
        """A loop over the items of an array, or of several, numbered perhaps, or backwards."""
        line, here = node.lineno, self.next_id()
        words = (part.id for part in every(node.target) if isinstance(part, ast.Name))
        whose = "" if isinstance(node.target, ast.Name) else "place of "  # a list may be its item
        place = self.hide(whose + next(words, "items").strip("<>").partition(" ")[0])
        changed = stored([*node.body, node.target])
        if not _counted_in(node.iter).isdisjoint(_called_in(node.body)):
            raise self.refuse(Reason.NOT_RANGE, node.iter)  # another row, once that is longer
        lengths: list[ir.Expr] = []
        source, first = node.iter, 0
        match source:
            case ast.Call(func=ast.Name(id=name), args=[whole]) if name == REST:
                source, first = whole, 1
        items = self.items(source, node.target, ir.Name(place), changed, lengths)
        stop = lengths[0] if len(lengths) == 1 else ir.Call("<min>", tuple(lengths), line)
        if all(_only_names(target) for target, _ in items[:-1]):
            bound = [
                stmt for target, value in items for stmt in self.assigned_to(target, value, node)
            ]
        else:  # what is stored into an array may be an item
            bound = self.one_by_one([target for target, _ in items], [v for _, v in items], node)
        body = (*bound, *self.counted({}, node.body))
        return ir.For(place, ir.Const(first), stop, ir.Const(1), body, here, line)

    def over_product(self, node: ast.For, axes: Sequence[Range]) -> ir.For:
        """A loop over all combinations of integers: one loop in another."""
        line = node.lineno
        changed = stored([*node.body, node.target])
        self.steady(node.iter, changed)
        for axis in axes:
            parts = (axis.start, axis.stop, axis.step)
            if any(
                isinstance(e, ir.Load | ir.View | ir.Call) for p in parts for e in walking.walk(p)
            ):
                raise self.refuse(Reason.NOT_RANGE, node.iter)
            if not isinstance(axis.step, ir.Const):
                raise self.refuse(Reason.NOT_RANGE, node.iter)
        targets = node.target.elts if isinstance(node.target, ast.Tuple | ast.List) else []
        if targets and len(targets) != len(axes):
            raise self.refuse(Reason.SYNTAX, node.target)
        words = [t.id if isinstance(t, ast.Name) else "place" for t in targets]
        names = [self.hide(word) for word in words or ["place"] * len(axes)]
        flag = None
        if breaks(node.body) or any(every_exit(node.body)):  # whoever leaves one leaves all of them
            flag = self.broke[-1] = self.broke[-1] or self.hide("broke")
        inside: tuple[ir.Stmt, ...] = ()
        if targets:
            pairs = zip(targets, names, strict=True)
            inside = tuple(
                stmt for t, name in pairs for stmt in self.assigned_to(t, ir.Name(name), node)
            )
            counters: dict[str, ir.Expr] = dict(zip(words, map(ir.Name, names), strict=True))
            inside += self.counted(counters, node.body)
        else:
            inside = self.with_tuple(node, names)
        for name, axis in zip(reversed(names), reversed(axes), strict=True):
            if flag is not None and name == names[0]:
                inside = (self.set(flag, False, node), *inside)
            here = self.next_id()
            loop = ir.For(name, axis.start, axis.stop, axis.step, inside, here, line)
            inside = (loop, *self.onwards(flag, node))
        return loop

    def onwards(self, flag: str | None, node: ast.For) -> tuple[ir.Stmt, ...]:
        """What follows a loop in another one that is left with it, when `flag` is up."""
        if flag is None:
            return ()
        leave = ir.Leave("break", self.next_id(), node.lineno)
        return (ir.If(ir.Name(flag), (leave,), (), self.next_id(), node.lineno),)

    def with_tuple(self, node: ast.For, names: Sequence[str]) -> tuple[ir.Stmt, ...]:
        """The body of a loop whose variable is a tuple of these numbers."""
        if not isinstance(node.target, ast.Name) or node.target.id in stored(node.body):
            raise self.refuse(Reason.SYNTAX, node.target)
        name = node.target.id
        if name in self.tuples:
            raise self.refuse(Reason.SYNTAX, node.target)
        self.tuples[name] = tuple(map(ir.Name, names))
        made = self.counted({}, node.body)
        self.tuples[name] = ()
        return made

    def check(self, node: ast.AST, stmts: Sequence[ir.Stmt]) -> None:
        """Refuse names of tuples that mean something else in other places."""
        seen = flow.written(stmts) | {
            e.id
            for top in stmts
            for stmt in walking.statements(top)
            for expr in walking.expressions(stmt)
            for e in walking.walk(expr)
            if isinstance(e, ir.Name)
        }
        for name in sorted(seen & self.tuples.keys()):
            raise self.refuse(Reason.SYNTAX, node, f"{name}, a tuple")

    def inner(self, node: Loop) -> list[ir.Stmt]:
        """A loop in the nest, and its ``else``, which runs unless the loop was left."""
        leaving = any(every_exit(node.body))
        may_break = leaving or breaks(node.body)
        flag = self.hide("broke") if node.orelse and may_break else None
        clear = [] if flag is None else [self.set(flag, False, node)]
        self.broke.append(flag)
        outside, self.before = self.before, []
        loop = self.loop(node)
        first, self.before = self.before, outside
        self.broke.pop()
        onwards: list[ir.Stmt] = []
        if leaving:
            left = ir.Compare("!=", ir.Name(ir.EXIT), ir.Const(0), node.lineno)
            onwards = [ir.If(left, self.leave(node), (), self.next_id(), node.lineno)]
        here = self.next_id()
        other = self.block(node.orelse)
        if flag is None:
            return [*first, loop, *onwards, *other]
        whole = ir.Unary("not", ir.Name(flag), node.lineno)
        return [*clear, *first, loop, *onwards, ir.If(whole, other, (), here, node.lineno)]

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
        """What is executed of `nodes`: nothing after a statement that is always left."""
        return tuple(stmt for node in reached(nodes) for stmt in self.statement(node))

    def statement(self, node: ast.stmt) -> list[ir.Stmt]:
        match node:
            case Builtins(names=names):
                return self.builtins(names, node)
            case Held(name=name):
                self.held[name] = node
                return []
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return []
            case ast.Assign(targets=[ast.Name() as target], value=ast.List(elts=[])):
                return [self.assign(target, ir.Call(ir.LIST, (), node.lineno), node)]
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=owner, attr="append"), args=[item], keywords=[]
                )
            ):
                place = ir.View(self.expr(owner), ("append",), node.lineno)
                return [ir.Put(place, self.expr(item), self.next_id(), node.lineno)]
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=owner, attr="sort"), args=[])
            ) if self.sequence(owner):
                return [self.sorted(owner, node)]
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=owner, attr="reverse"), args=[], keywords=[]
                )
            ) if self.sequence(owner):
                all_of_it = ir.View(self.expr(owner), (ir.Slice(None, None, None),), node.lineno)
                return [self.turned(all_of_it, owner, node)]
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Slice()) as target],
                value=ast.Call(func=ast.Name("reversed"), args=[items], keywords=[]),
            ):
                part = self.place(target)
                assert isinstance(part, ir.View)
                known = self.builtins(frozenset(("reversed",)), node)
                return [*known, self.turned(part, items, node)]
            case (
                ast.Assign(
                    value=ast.Call(
                        func=ast.Attribute(value=owner, attr="pop"), args=[], keywords=[]
                    )
                )
                | ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=owner, attr="pop"), args=[], keywords=[]
                    )
                )
            ) if self.sequence(owner):
                return self.popped(owner, node)
            case ast.Assign(targets=[ast.Tuple() as left], value=ast.Tuple() as right):
                return self.swap(node, left, right)
            case ast.Assign(targets=[ast.Subscript() as target], value=ast.List(elts=elts)) if elts:
                # A row of an array; a list in a list is refused later on.
                row = ir.Items(tuple(map(self.expr, elts)), node.lineno)
                return self.assigned_to(target, row, node)
            case ast.Assign(
                targets=[ast.Tuple(elts=[_, _] as left) | ast.List(elts=[_, _] as left)],
                value=ast.Call(func=ast.Name(id="divmod") as func, args=[one, two], keywords=[]),
            ) if self.path(func) is not None:
                return self.divided(left, one, two, node)
            case ast.Assign(targets=[target], value=value):
                return self.assigned_to(target, self.expr(value), node)
            case ast.Assign(targets=targets, value=value):
                first = self.temporary(self.expr(value), node)
                held = self.name_of(first)
                return [first, *(s for t in targets for s in self.assigned_to(t, held, node))]
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
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=func, attr="at"),
                    args=[array, index, value],
                    keywords=[],
                )
            ) if self.path(func) is not None:
                return [self.each(func, array, index, value)]
            case ast.Expr(value=ast.Call(func=func) as call) if self.acts(func):
                here = self.next_id()
                nobody = ir.Name(f"{ir.DROPPED}{here}>")
                return [ir.Assign(nobody, self.expr(call), here, node.lineno)]
            case ast.Expr(value=ast.Call()):
                raise self.refuse(Reason.CALL, node)
        raise self.refuse(Reason.SYNTAX, node)

    def sequence(self, owner: ast.expr) -> bool:
        """Whether `owner` may be a list: what is subscripted or appended to is no other object."""
        return self.path(owner) is None or ast.unparse(owner) in self.sequences

    def popped(self, owner: ast.expr, node: ast.Assign | ast.Expr) -> list[ir.Stmt]:
        """``target = owner.pop()``: its last item, which is read and then taken away."""
        line = node.lineno
        held = self.temporary(ir.View(self.expr(owner), (ir.Const(-1),), line), node)
        place = ir.View(self.expr(owner), ("pop",), line)
        made: list[ir.Stmt] = [held, ir.Put(place, ir.Const(0), self.next_id(), line)]
        for target in node.targets if isinstance(node, ast.Assign) else ():
            made += self.assigned_to(target, self.name_of(held), node)
        return made

    def sorted(self, owner: ast.expr, node: ast.Expr) -> ir.Put:
        """``owner.sort()``."""
        match node.value:
            case ast.Call(keywords=[]):
                order = ir.UP
            case ast.Call(keywords=[ast.keyword("reverse", ast.Constant(value=bool(down)))]):
                order = ir.DOWN if down else ir.UP
            case _:
                raise self.refuse(Reason.CALL, node)
        line = node.lineno
        whole = ir.Call(order, (self.expr(owner),), line)
        all_of_it = ir.View(self.expr(owner), (ir.Slice(None, None, None),), line)
        return ir.Put(all_of_it, whole, self.next_id(), line)

    def turned(self, place: ir.View, items: ast.expr, node: ast.stmt) -> ir.Put:
        """`place` of a list is assigned `items` from the last to the first."""
        value = ir.Call(ir.BACKWARDS, (self.expr(items),), node.lineno)
        return ir.Put(place, value, self.next_id(), node.lineno)

    def each(self, func: ast.expr, array: ast.expr, index: ast.expr, value: ast.expr) -> ir.Put:
        """``func.at(array, index, value)``."""
        line = func.end_lineno or func.lineno
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        target = ir.View(self.expr(array), tuple(map(self.part, parts)), line)
        call = ir.Call(self.live_in(func), (self.expr(value),), line)
        return ir.Put(target, call, self.next_id(), line, other=True)

    def builtins(self, names: frozenset[str], node: ast.stmt) -> list[ir.Stmt]:
        """Note which builtins must be what they seem."""
        roots = {name.partition(".")[0] for name in names}
        if roots & self.assigned:
            raise self.refuse(Reason.SHADOWED, node, min(roots & self.assigned))
        self.paths |= names
        self.counting |= {name: name.rpartition(".")[2] for name in names}
        return []

    def acts(self, func: ast.expr) -> bool:
        """Whether `func` may be a function of the user's that stores into arrays."""
        path = self.path(func)
        if path is None:
            return False
        owner, _, name = path.rpartition(".")
        return name not in (_KNOWN if owner else _BUILTINS)  # `update` may be a function of theirs

    def swap(self, node: ast.stmt, left: ast.Tuple, right: ast.Tuple) -> list[ir.Stmt]:
        """``a, b = x, y``: all values first, then the targets from left to right."""
        if len(left.elts) != len(right.elts):
            raise self.refuse(Reason.SYNTAX, node)
        if _in_a_row(left.elts, right.elts):
            pairs = zip(left.elts, map(self.expr, right.elts), strict=True)
            return [
                made for target, value in pairs for made in self.assigned_to(target, value, node)
            ]
        return self.one_by_one(left.elts, map(self.expr, right.elts), node)

    def one_by_one(
        self, targets: Iterable[ast.expr], values: Iterable[ir.Expr], node: ast.stmt
    ) -> list[ir.Stmt]:
        """All values first, then the targets from left to right."""
        held = [self.temporary(value, node) for value in values]
        pairs = zip(targets, held, strict=True)
        after = (self.assigned_to(target, self.name_of(temp), node) for target, temp in pairs)
        return [*held, *chain.from_iterable(after)]

    def divided(
        self, targets: Iterable[ast.expr], one: ast.expr, two: ast.expr, node: ast.stmt
    ) -> list[ir.Stmt]:
        """``q, r = divmod(one, two)``.

        NumPy warns of `divmod` then, so the interpreter runs a nest in which it does.
        """
        counted = self.builtins(frozenset(("divmod",)), node)
        held = [self.temporary(self.expr(number), node) for number in (one, two)]
        a, b = map(self.name_of, held)
        line = node.lineno
        results = [ir.Binary(op, a, b, line, reduced=True) for op in ("//", "%")]
        return [*counted, *held, *self.one_by_one(targets, results, node)]

    def temporary(self, value: ir.Expr, node: ast.stmt) -> ir.Assign:
        here = self.next_id()
        # Angle brackets: a name that no user can write.
        return ir.Assign(ir.Name(f"<t {here}>"), value, here, node.lineno)

    def name_of(self, stmt: ir.Assign) -> ir.Name:
        assert isinstance(stmt.target, ir.Name)
        return stmt.target

    def assigned_to(self, target: ast.expr, value: ir.Expr, node: ast.stmt) -> list[ir.Stmt]:
        """``target = value``, where the target may be a tuple of targets."""
        if not isinstance(target, ast.Tuple | ast.List):
            return [self.assign(target, value, node)]
        if not target.elts or any(isinstance(part, ast.Starred) for part in target.elts):
            raise self.refuse(Reason.SYNTAX, node)
        here, line = self.next_id(), node.lineno
        held = ir.Name(f"{ir.UNPACKED}{here}>")
        whole = ir.Call(f"{ir.UNPACK}{len(target.elts)}>", (value,), line)
        made: list[ir.Stmt] = [ir.Assign(held, whole, here, line)]
        for k, part in enumerate(target.elts):
            made += self.assigned_to(part, ir.View(held, (ir.Const(k),), line), node)
        return made

    def assign(self, target: ast.expr, value: ir.Expr, node: ast.stmt) -> ir.Assign | ir.Put:
        match target:
            case ast.Name(id=name):
                return ir.Assign(ir.Name(name), value, self.next_id(), node.lineno)
            case ast.Subscript():
                place = self.place(target)
                if isinstance(place, ir.View):
                    return ir.Put(place, value, self.next_id(), node.lineno)
                element = ir.Element(
                    place.array, place.index, place.id, place.line, place.tupled, place.nested
                )
                return ir.Assign(element, value, self.next_id(), node.lineno)
        raise self.refuse(Reason.SYNTAX, node)


def _sequences(nodes: Sequence[ast.stmt]) -> frozenset[str]:
    """Texts of what `nodes` subscript or append to."""
    found = set()
    for node in (inner for top in nodes for inner in every(top)):
        match node:
            case ast.Subscript(value=value) | ast.Attribute(value=value, attr="append"):
                if isinstance(value, ast.Name | ast.Attribute):
                    found.add(ast.unparse(value))
    return frozenset(found)


def _counted_in(node: ast.expr) -> frozenset[str]:
    """Names of what is counted in `node`."""
    found = set()
    for part in every(node):
        match part:
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=one)]) if name in (
                "len",
                LENGTH,
            ):
                found.add(one)
    return frozenset(found)


def _called_in(nodes: Sequence[ast.stmt]) -> frozenset[str]:
    """Names of that of which methods are called, and which may be longer then, or shorter."""
    found = set()
    for node in (inner for top in nodes for inner in every(top)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                found.add(name)
    return frozenset(found)


def _only_names(target: ast.expr) -> bool:
    """Whether nothing but names is assigned."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_only_names, target.elts))
    return isinstance(target, ast.Name)


def _width(target: ast.expr) -> int | None:
    """How many parts `target` has."""
    return len(target.elts) if isinstance(target, ast.Tuple | ast.List) else None
