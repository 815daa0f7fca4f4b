"""Calls of methods written out in the text of a loop, for the objects of one call.

``for layer in self.layers: x = layer.forward(x)`` becomes the statements of `forward`, once for
each layer; the attributes of the layers become names.  A value that an attribute is given stays
under the name that it has already: at the end of the nest, the attribute is given what this name
means then.  So two attributes that are one list for Python are one list here.

What is written out in front of a statement comes before all that the statement evaluates, so
nothing may have been read by then that it could change.

References
----------
Online partial evaluation with partially static structures: Jones, Gomard & Sestoft, *Partial
Evaluation and Automatic Program Generation*, chapters 4, 7 and 15.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any

from autopar.nest.bound import stored
from autopar.nest.trees import copied, every
from autopar.records import dataclass, replace
from autopar.runtime.flat.loops import Loops, returns
from autopar.runtime.flat.scene import Bound, Code, Said, Scene, Source, Thing, Unlike
from autopar.runtime.flat.text import Again, Final, Frame, Key, Member, Value
from autopar.verdict import Refused, Span

_DEEPEST = 16  # calls in one another


@dataclass(slots=True)
class Flattener(Loops):
    """Writes out one loop."""

    def flat(self, loop: ast.For) -> tuple[list[ast.stmt], list[Final]]:
        """The text without calls of methods, and what its names and attributes are in the end."""
        own = stored([loop])
        self.names = {*self.roots, *own}
        frame = Frame({}, {}, [loop], None, frozenset(self.live), own)
        frame.homes |= {name: name for name in _augmented([loop])}
        self.plainly |= {*frame.homes}
        self.unsteady |= set(frame.homes)
        self.block([loop], frame)
        finals = [
            Final(name, value, None)
            for name in self.live
            if (value := frame.env.get(name)) is not None
        ]
        for key in self.in_order():
            if key in self.kept:
                finals.append(Final(key, ast.Name(self.own(key), ast.Load()), self.notes.get(key)))
            else:
                value, _, ran, _ = self.attributes[key]
                finals.append(Final(key, value, ran))
        written = {name for stmt in self.out for name in _written(stmt)}
        for name in sorted(self.apart_from & written):
            raise self.refuse(f"{name}, a list of tuples that is written")
        self.items = {k: item for k, item in self.items.items() if self.stays(item[0], written)}
        if not self.scene.seen.apart:
            raise self.refuse("an object that is met in two ways")
        given = {name for _, name in (*self.attributes, *self.kept)} | self.scene.given
        for function in self.called:
            names = _mentioned(function, set())
            if given and (names is None or given & names):
                raise self.refuse(f"{function.__name__}, which may read attributes that change")
        return self.out, finals

    def stays(self, path: str, written: set[str]) -> bool:
        """Whether the items of a list are in the end what they were when they were read.

        Each attribute of objects in a list is a list of its own; others may be one by two names.
        """
        columns = {name for name, source in self.sources.items() if source[0] == "each"}
        return path not in written and (path in columns or written <= columns)

    def block(self, stmts: Sequence[ast.stmt], frame: Frame) -> Value | None:
        """Write out `stmts`; what they return, if they do."""
        outside = self.at
        found = self.statements(stmts, frame)
        self.at = outside
        return found

    def statements(self, stmts: Sequence[ast.stmt], frame: Frame) -> Value | None:
        for k, stmt in enumerate(stmts):
            self.read = False
            self.at = stmt
            rest = stmts[k + 1 :]
            match stmt:
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.Return(value=None):
                    return Said(None)
                case ast.Return(value=ast.expr() as value):
                    return self.held(self.value(value, frame), self.returning(frame))
                case ast.If(test=test, body=body, orelse=orelse):
                    said = self.value(test, frame)
                    if isinstance(said, ast.Constant):
                        branch = body if said.value else orelse
                        return self.block([*branch, *rest], frame)
                    if not isinstance(said, ast.expr):
                        raise self.refuse(test)
                    if any(map(returns, (*body, *orelse))):
                        return self.parted(said, body, orelse, rest, frame)
                    self.branched(said, body, orelse, frame)
                case ast.For():
                    self.loop(stmt, frame)
                case ast.While(test=test, body=body):
                    self.repeated(stmt, frame)
                case _:
                    self.simple(stmt, frame)
        return None

    def simple(self, stmt: ast.stmt, frame: Frame) -> None:
        match stmt:
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Tuple(elts=values)):
                self.together(stmt, elts, values, frame)
            case ast.Assign(targets=[target], value=value):
                self.assign(target, self.value(value, frame), frame)
            case ast.Assign(targets=targets, value=value):
                held = self.held(self.value(value, frame), "value")
                for target in targets:
                    self.assign(target, held, frame)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self.assign(target, self.value(value, frame), frame)
            case ast.AugAssign(target=target, op=op, value=value):
                place = self.place(target, frame)
                given = self.expr(value, frame)
                self.emit(ast.AugAssign(place, op, given))
                if isinstance(target, ast.Name):
                    frame.env[target.id] = ast.Name(frame.homes[target.id], ast.Load())
            case ast.Expr(value=ast.Call() as call):
                found = self.call(call, frame)
                if isinstance(found, ast.Call):
                    self.emit(ast.Expr(found))
            case ast.Break() | ast.Continue():
                self.emit(stmt)
            case _:
                raise self.refuse(stmt)

    def together(
        self,
        stmt: ast.stmt,
        targets: Sequence[ast.expr],
        values: Sequence[ast.expr],
        frame: Frame,
    ) -> None:
        """``a, b = x, y``."""
        if len(targets) != len(values):
            raise self.refuse(stmt)
        found = [self.value(value, frame) for value in values]
        names = all(isinstance(target, ast.Name) for target in targets)
        plain = [value for value in found if isinstance(value, ast.expr)]
        if names and len(plain) == len(found):
            self.assign(ast.Tuple([*targets], ast.Store()), ast.Tuple(plain, ast.Load()), frame)
            return
        held = [self.held(value, "value") for value in found]
        for target, value in zip(targets, held, strict=True):
            self.assign(target, value, frame)

    def place(self, target: ast.expr, frame: Frame) -> ast.Name | ast.Subscript:
        """What is assigned in place."""
        match target:
            case ast.Name(id=name):
                return ast.Name(frame.homes[name], ast.Store())
            case ast.Subscript(value=base, slice=index):
                where = self.expr(base, frame), self.expr(index, frame)
                self.read = True
                return ast.Subscript(*where, ast.Store())
            case ast.Attribute(value=base, attr=name):
                owner = self.value(base, frame)
                if isinstance(owner, Member):
                    self.read = True
                    return self.spot(owner, target)
                if isinstance(owner, Thing):
                    key = owner.number, name
                    if key not in self.kept:
                        raise Again(key)
                    self.assigns(owner, name)
                    self.noted(key)
                    self.read = True
                    return ast.Name(self.own(key, target), ast.Store())
        raise self.refuse(target)

    def spot(self, owner: Member, node: ast.Attribute) -> ast.Subscript:
        """The attribute of an object in a list that is assigned."""
        self.scene.assigned_each(owner.crowd, node.attr)
        return ast.Subscript(self.column(owner, node), owner.index, ast.Store())

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        match target:
            case ast.Name(id=name) if name in frame.homes and isinstance(value, Member):
                frame.env[name] = self.chosen(frame.homes[name], value, name)
            case ast.Name(id=name) if name in frame.homes:
                home = frame.homes[name]
                plain = self.plain(value, target)
                if home in self.members:
                    raise self.refuse(f"{name}, which is not always an object")
                self.plainly.add(home)
                frame.env[name] = self.let(home, plain)
            case ast.Name(id=name):
                frame.env[name] = self.held(value, name)
            case ast.Attribute(value=base):
                self.read = True  # the value has been evaluated
                owner = self.value(base, frame)
                if isinstance(owner, Member):
                    place = self.spot(owner, target)
                    self.emit(ast.Assign([place], self.plain(value, target)))
                    return
                if not isinstance(owner, Thing):
                    raise self.refuse(target)
                self.give(owner, target, value)
            case ast.Subscript(value=base, slice=index):
                self.read = True  # the value has been evaluated
                where = self.expr(base, frame), self.expr(index, frame)
                place = ast.Subscript(*where, ast.Store())
                self.emit(ast.Assign([place], self.plain(value, target)))
            case ast.Tuple(elts=elts):
                names = [e.id if isinstance(e, ast.Name) else None for e in elts]
                if None in names or len(set(names)) < len(names):
                    raise self.refuse(target)
                plain = self.plain(value, target)
                targets: list[ast.expr] = []
                for one in elts:
                    assert isinstance(one, ast.Name)
                    if frame.homes.get(one.id) in self.members:
                        raise self.refuse(f"{one.id}, which is not always an object")
                    self.plainly |= {frame.homes[one.id]} if one.id in frame.homes else set()
                    home = frame.homes.get(one.id) or self.fresh(one.id)
                    targets.append(ast.Name(home, ast.Store()))
                    frame.env[one.id] = ast.Name(home, ast.Load())
                self.emit(ast.Assign([ast.Tuple(targets, ast.Store())], plain))
            case _:
                raise self.refuse(target)

    def branched(
        self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], frame: Frame
    ) -> None:
        """An ``if`` that a call decides on its way."""
        changed = stored([*body, *orelse])
        added = self.housed(changed, [*body, *orelse], frozenset(), frame)
        before = dict(frame.env)
        blocks = []
        self.forks += 1
        for branch in (body, orelse):
            frame.env = dict(before)
            with self.apart() as inner:
                self.block(branch, frame)
            blocks.append(inner)
        self.forks -= 1
        self.left(before, changed, added, frame)
        self.emit(ast.If(test, blocks[0] or [ast.Pass()], blocks[1]))

    def parted(
        self,
        test: ast.expr,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        rest: Sequence[ast.stmt],
        frame: Frame,
    ) -> Value:
        """An ``if`` that returns in one of its branches: what follows goes into the others."""
        result = self.fresh(self.returning(frame))
        before = dict(frame.env)
        blocks = []
        self.forks += 1
        for branch in (body, orelse):
            frame.env = dict(before)
            with self.apart() as inner:
                found = self.block([*branch, *rest], frame)
                if found is None:
                    raise self.refuse(test, "a function that may return None")
                self.let(result, self.plain(found, test))
            blocks.append(inner)
        self.forks -= 1
        self.emit(ast.If(test, blocks[0], blocks[1]))
        return ast.Name(result, ast.Load())

    def returning(self, frame: Frame) -> str:
        """What messages call that which is returned."""
        assert frame.function is not None
        return frame.function.__name__.strip("<>")

    def written(
        self, call: ast.Call, func: Bound | Code, node: ast.FunctionDef, frame: Frame
    ) -> Value:
        """The statements of a function in place of its call."""
        function = func.function
        code = function.__code__
        if code.co_filename != self.file or function.__globals__ is not self.space:
            self.elsewhere = True
            node = _on_line(node, self.at)
        if len(self.stack) == _DEEPEST:
            raise self.refuse(call, "calls that are too deep")
        self.scene.called(function)
        given: list[Value] = [self.value(arg, frame) for arg in call.args]
        named = [(k.arg, self.value(k.value, frame)) for k in call.keywords]
        if isinstance(func, Bound) and func.owner is not None:
            given.insert(0, func.owner)
        params = [arg.arg for arg in node.args.args]
        values: dict[str, Value] = dict(zip(params, given, strict=False))
        for name, value in named:
            if name is None or name in values or name not in params:
                raise self.refuse(call)
            values[name] = value
        defaults = function.__defaults__ or ()
        for name, value in zip(params[len(params) - len(defaults) :], defaults, strict=True):
            if name not in values:
                values[name] = self.default(value, call)
        if len(given) > len(params) or values.keys() != set(params):
            raise self.refuse(call)
        own = frozenset(function.__code__.co_varnames) | frozenset(function.__code__.co_cellvars)
        inner = Frame({}, {}, node.body, function, own=own)
        augmented = _augmented(node.body)
        for name in sorted(augmented):
            inner.homes[name] = self.fresh(name)
            self.unsteady.add(inner.homes[name])
        for name in values:
            value = self.held(values[name], name)
            if name in inner.homes:
                self.plainly.add(inner.homes[name])
                value = self.let(inner.homes[name], self.plain(value, call))
            inner.env[name] = value
        self.stack.append(function)
        before = self.sheltered
        found = self.block(node.body, inner)
        self.stack.pop()
        assert before == self.sheltered
        self.read = False
        return Said(None) if found is None else found

    def default(self, value: object, call: ast.Call) -> Value:
        if value is None or type(value) is str:
            return Said(value)
        if type(value) in (int, float, bool):
            return ast.Constant(value)  # type: ignore[arg-type]
        raise self.refuse(call)


def _on_line(node: ast.FunctionDef, at: ast.stmt) -> ast.FunctionDef:
    """A function of another module, as if it stood where it is called."""
    node = copied(node)
    for part in every(node):
        if isinstance(part, ast.stmt | ast.expr):
            ast.copy_location(part, at)
    return node


def _written(top: ast.stmt) -> Iterator[str]:
    """Names of lists that may be changed in `top`."""
    for node in every(top):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                yield name
            case ast.Attribute(value=ast.Name(id=name)):
                yield name


def _mentioned(function: FunctionType, seen: set[FunctionType]) -> frozenset[str] | None:
    """Names in the text of a function that stays a call, and of all that it may call.

    None: it may call methods, or find objects in lists.
    """
    seen.add(function)
    names: set[str] = set()
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        names |= {*code.co_names, *code.co_freevars}
        todo += [one for one in code.co_consts if isinstance(one, type(code))]
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_set(cell)]
    values = [*cells, *(function.__globals__[n] for n in names if n in function.__globals__)]
    for value in [*values]:
        if isinstance(value, ModuleType):
            values += [vars(value)[n] for n in names if n in vars(value)]
    for value in values:
        if type(value) is FunctionType:
            more = frozenset[str]() if value in seen else _mentioned(value, seen)
            if more is None:
                return None
            names |= more
        elif not isinstance(value, ModuleType | BuiltinFunctionType | int | float | complex):
            return None
    return frozenset(names)


def _is_set(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _augmented(stmts: Sequence[ast.stmt]) -> frozenset[str]:
    """Names that are assigned in place."""
    return frozenset(
        node.target.id
        for top in stmts
        for node in every(top)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    )


def flattened(
    loop: ast.For,
    roots: Sequence[str],
    live: tuple[str, ...],
    place: tuple[str, dict[str, Any]],
    scene: Callable[[frozenset[Source] | None], Scene],
) -> tuple[list[ast.stmt], list[Final], Flattener]:
    """`loop`, of this file and module, without calls of methods; raises `Refused`."""
    kept: frozenset[Key] = frozenset()
    single: frozenset[Source] | None = frozenset()
    first: Refused | None = None
    while True:
        made = Flattener(scene(single), roots, *place, loop, kept, live)
        made.site_names = stored([loop])
        try:
            stmts, finals = made.flat(copied(loop))
        except Again as again:
            if again.key in kept or len(kept) > 64:
                raise made.refuse("attributes that change") from None
            kept |= {again.key}
            continue
        except Unlike as unlike:
            assert single is not None
            kept, single = frozenset(), single | {unlike.source}
            continue
        except Refused as refused:
            refusal = refused.refusal
            if not refusal.span.line:
                where = Span(made.file, made.at.lineno)
                refused = Refused(replace(refusal, span=where))
            if made.scene.crowds:  # it may be taken with one object after the other
                kept, single, first = frozenset(), None, refused
                continue
            raise first or refused from None
        return stmts, finals, made
