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
import builtins
import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import TypeAlias

from autopar.nest import methods
from autopar.nest.bound import stored
from autopar.runtime.helpers import function_node
from autopar.runtime.plain import plain_attribute
from autopar.runtime.scene import (
    Bound,
    Code,
    Group,
    Meaning,
    Other,
    Said,
    Scene,
    Source,
    Thing,
    is_thing,
)
from autopar.verdict import Reason, Refusal, Refused, Span

_DEEPEST = 16  # calls in one another
_MOST = 1500  # statements
_PLACE, _COLUMN = "autopar_place", "autopar_column_"  # names of a loop over a part of a list
_SIMPLE = (list, tuple, int, float, complex, bool)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)
Value: TypeAlias = "Thing | Group | Said | Code | Bound | Part | ast.expr"
Item: TypeAlias = "Value | list[Item]"
"""An item of what a loop over objects goes through; a tuple is so many."""
Key = tuple[int, str]
"""An object and an attribute of it."""


class Again(Exception):
    """An attribute needs a variable of its own, from the start."""

    def __init__(self, key: Key) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Final:
    """What a name or an attribute is in the end.

    Attributes
    ----------
    target
        The name, or the object and its attribute.
    value
        A name of the text, a literal, or an object.
    ran
        The variable that is assigned where `target` was; None: it always is.
    """

    target: str | Key
    value: Value
    ran: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a list of tuples, which is gone through or counted.

    Attributes
    ----------
    columns
        Names of lists for the items of the tuples.
    low, high, size
        Names for its ends, and for how many items it has.
    """

    columns: tuple[str, ...]
    low: str
    high: str
    size: str


@dataclass(slots=True)
class Frame:
    """One call that is being written out.

    Attributes
    ----------
    env
        What its names mean.
    homes
        Names that are variables of their own, since several statements assign them.
    text
        All of its statements.
    function
        None for the loop itself.
    """

    env: dict[str, Value | None]
    homes: dict[str, str]
    text: Sequence[ast.stmt]
    function: FunctionType | None
    live: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()


@dataclass(slots=True)
class Round:
    """A loop around the statement at hand.

    Attributes
    ----------
    ran
        The variable that is assigned in it.
    reads
        Attributes read in it that were given their values outside.
    """

    ran: str
    reads: set[Key] = field(default_factory=set)
    used: bool = False


@dataclass(slots=True)
class Flattener:
    """Writes out one loop.

    Attributes
    ----------
    roots
        Names that the loop is handed, in order.
    kept
        Attributes that are variables of their own.
    sources
        Names of the text made so far, and where their values are found.
    items
        Names of items of a list from outside: the list, and the name that says which.
    """

    scene: Scene
    roots: Sequence[str]
    line: int
    kept: frozenset[Key]
    live: tuple[str, ...]
    sources: dict[str, Source] = field(default_factory=dict)
    named: dict[object, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    out: list[ast.stmt] = field(default_factory=list)
    attributes: dict[Key, tuple[Value, int, str | None, bool]] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    stack: list[FunctionType] = field(default_factory=list)
    unsteady: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    called: set[FunctionType] = field(default_factory=set)
    apart_from: set[str] = field(default_factory=set)
    items: dict[str, tuple[str, str]] = field(default_factory=dict)
    forks: int = 0
    sheltered: int = 0
    read: bool = False
    count: int = 0
    site_names: frozenset[str] = frozenset()

    # ------------------------------------------------------------------ the loop

    def flat(self, loop: ast.For) -> tuple[list[ast.stmt], list[Final]]:
        """The text without calls of methods, and what its names and attributes are in the end."""
        own = stored([loop])
        self.names = {*self.roots, *own}
        frame = Frame({}, {}, [loop], None, frozenset(self.live), own)
        frame.homes |= {name: name for name in _augmented([loop])}
        self.unsteady |= set(frame.homes)
        self.block([loop], frame)
        finals = [
            Final(name, value, None)
            for name in self.live
            if (value := frame.env.get(name)) is not None
        ]
        for key, (value, _, ran, _) in self.attributes.items():
            finals.append(Final(key, value, ran))
        finals += [Final(key, ast.Name(self.own(key), ast.Load()), None) for key in self.kept]
        written = {name for stmt in self.out for name in _written(stmt)}
        for name in sorted(self.apart_from & written):
            raise self.refuse(f"{name}, a list of tuples that is written")
        given = {name for _, name in (*self.attributes, *self.kept)}
        for function in self.called:
            names = _mentioned(function, set())
            if given and (names is None or given & names):
                raise self.refuse(f"{function.__name__}, which may read attributes that change")
        return self.out, finals

    def refuse(self, node: ast.AST | str, why: str = "") -> Refused:
        detail = node if isinstance(node, str) else ast.unparse(node)
        return Refused(Refusal(Reason.CALL, Span("", self.line), why or detail))

    def fresh(self, base: str) -> str:
        """A name of ours."""
        name = base
        while name in self.names:
            self.count += 1
            name = f"{base}_{self.count}"
        self.names.add(name)
        return name

    def emit(self, stmt: ast.stmt) -> None:
        self.count += 1
        if self.count > _MOST:
            raise self.refuse("methods that are too long")
        self.out.append(stmt)

    def let(self, name: str, value: ast.expr) -> ast.Name:
        if isinstance(value, ast.ListComp) and name not in self.unsteady:
            self.lists.add(name)
        self.emit(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    @contextmanager
    def apart(self) -> Iterator[list[ast.stmt]]:
        """Statements that become a block of their own."""
        outside, self.out = self.out, []
        inner = self.out
        yield inner
        self.out = outside

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[ast.stmt], frame: Frame) -> Value | None:
        """Write out `stmts`; what they return, if they do."""
        for k, stmt in enumerate(stmts):
            self.read = False
            rest = stmts[k + 1 :]
            match stmt:
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.Return(value=None):
                    return Said(None)
                case ast.Return(value=ast.expr() as value):
                    return self.held(self.value(value, frame), "result")
                case ast.If(test=test, body=body, orelse=orelse):
                    said = self.value(test, frame)
                    if isinstance(said, ast.Constant):
                        branch = body if said.value else orelse
                        return self.block([*branch, *rest], frame)
                    if not isinstance(said, ast.expr):
                        raise self.refuse(test)
                    if any(map(_returns, (*body, *orelse))):
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
            case ast.Assign(targets=[target], value=value):
                self.assign(target, self.value(value, frame), frame)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self.assign(target, self.value(value, frame), frame)
            case ast.AugAssign(target=target, op=op, value=value):
                place = self.place(target, frame)
                given = self.expr(value, frame)
                self.emit(ast.AugAssign(place, op, given))
            case ast.Expr(value=ast.Call() as call):
                found = self.call(call, frame)
                if isinstance(found, ast.Call):
                    self.emit(ast.Expr(found))
            case ast.Break() | ast.Continue():
                self.emit(stmt)
            case _:
                raise self.refuse(stmt)

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
                if isinstance(owner, Thing):
                    key = owner.number, name
                    if key not in self.kept:
                        raise Again(key)
                    self.scene.assigned(owner, name)
                    self.read = True
                    return ast.Name(self.own(key), ast.Store())
        raise self.refuse(target)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        match target:
            case ast.Name(id=name) if name in frame.homes:
                home = frame.homes[name]
                frame.env[name] = self.let(home, self.plain(value, target))
            case ast.Name(id=name):
                frame.env[name] = self.held(value, name)
            case ast.Attribute(value=base, attr=name):
                owner = self.value(base, frame)
                if not isinstance(owner, Thing):
                    raise self.refuse(target)
                self.give(owner, name, value)
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
                    home = frame.homes.get(one.id) or self.fresh(one.id)
                    targets.append(ast.Name(home, ast.Store()))
                    frame.env[one.id] = ast.Name(home, ast.Load())
                self.emit(ast.Assign([ast.Tuple(targets, ast.Store())], plain))
            case _:
                raise self.refuse(target)

    def held(self, value: Value, base: str) -> Value:
        """`value` as something that stays what it is."""
        match value:
            case ast.Constant():
                return value
            case ast.Name(id=name) if name not in self.unsteady:
                return value
            case ast.Subscript(value=ast.Name(id=path), slice=ast.Name(id=place)):
                made = self.let(self.fresh(f"{base}_"), value)
                if path in self.sources and place.startswith(_PLACE):
                    self.items[made.id] = path, place
                return made
            case ast.expr():
                return self.let(self.fresh(f"{base}_"), value)
        return value

    def plain(self, value: Value, node: ast.AST) -> ast.expr:
        if isinstance(value, Said):
            return ast.Constant(value.value)
        if isinstance(value, Code):
            return ast.Name(self.named_source(value.function.__name__, value.source), ast.Load())
        if not isinstance(value, ast.expr):
            raise self.refuse(node)
        return value

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
        result = self.fresh("result_")
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

    def housed(
        self,
        changed: frozenset[str],
        block: Sequence[ast.stmt],
        carried: frozenset[str],
        frame: Frame,
    ) -> list[str]:
        """Give variables to those names `changed` in a block that matter outside of it."""
        loads_all, loads_in = _load_counts(frame.text), _load_counts(block)
        outside = frame.live | {n for n in changed if loads_all.get(n, 0) > loads_in.get(n, 0)}
        added = [n for n in sorted(changed & (outside | carried)) if n not in frame.homes]
        for name in added:
            ours = name if frame.function is None else self.fresh(f"{name}_")
            frame.homes[name] = ours
            self.unsteady.add(ours)
            value = frame.env.get(name)
            if value is not None:
                if isinstance(value, ast.expr):
                    frame.env[name] = self.let(ours, value)
                else:
                    raise self.refuse(f"{name}, which is not always an object")
            elif frame.function is None and name in self.roots:
                frame.env[name] = ast.Name(ours, ast.Load())
        return added

    def left(
        self,
        before: dict[str, Value | None],
        changed: frozenset[str],
        added: Sequence[str],
        frame: Frame,
    ) -> None:
        """After a block."""
        frame.env = dict(before)
        for name in changed:
            home = frame.homes.get(name)
            frame.env[name] = None if home is None else ast.Name(home, ast.Load())
        for name in added:
            del frame.homes[name]

    # ------------------------------------------------------------------ loops

    def loop(self, node: ast.For, frame: Frame) -> None:
        found = self.unrolled(node.iter, frame)
        if found is not None:
            if any(map(_leaves, node.body)) or any(map(_returns, node.body)):
                raise self.refuse("a loop over objects that is left")
            for item in found:
                self.bind(node.target, item, frame)
                self.block(node.body, frame)
            return
        value = self.value(node.iter, frame)
        if isinstance(value, Part):
            self.over_part(node, value, frame)
            return
        source = self.plain(value, node.iter)
        if isinstance(node.target, ast.Tuple):
            columns = self.columns(source, len(node.target.elts))
            if columns is not None:
                source = ast.Call(self.native("zip"), [_name(one) for one in columns], [])
        self.repeated(node, frame, source)

    def columns(self, source: ast.expr, width: int | None) -> list[str] | None:
        """Names of lists for the items of uneven tuples, if `source` is a list of such."""
        found = self.outer_path(source)
        if found is None or found[1]:
            return None
        name = found[0]
        meaning = self.scene.known[self.sources[name]]
        rows = meaning.value if isinstance(meaning, Other) else None
        if type(rows) not in (list, tuple) or not rows or type(rows[0]) is not tuple:
            return None
        if width is not None and len(rows[0]) != width:
            return None
        if all(type(item) in (int, float) for item in rows[0]):
            return None
        width = len(rows[0])
        assert isinstance(meaning, Other)
        parts: list[str] = []
        for k in range(width):
            column = self.scene.meaning(("column", meaning.source, k, width))
            if not isinstance(column, Other):
                raise self.refuse(source)
            parts.append(self.named_source(f"{name}_at_{k}", column.source))
        self.apart_from.add(name)
        return parts

    def native(self, name: str) -> ast.Name:
        """A builtin that the text does not mention."""
        value = self.scene.native(name)
        return ast.Name(self.named_source(name, value.source, value.value), ast.Load())

    def part(self, owner: ast.expr, index: ast.Slice, frame: Frame) -> Part | None:
        """A part of a list of uneven tuples."""
        columns = None if index.step is not None else self.columns(owner, None)
        if columns is None:
            return None
        count = ast.Call(self.native("len"), [_name(columns[0])], [])
        length = self.let(self.fresh("length_"), count)
        ends: list[ast.expr] = []
        for end, base in ((index.lower, "low_"), (index.upper, "high_")):
            if end is None:
                ends.append(ast.Constant(0) if base == "low_" else length)
                continue
            given = self.let(self.fresh(base), self.expr(end, frame))
            below = ast.Compare(given, [ast.Lt()], [ast.Constant(0)])  # which is from the end on
            self.emit(ast.If(below, [self.failing(given)], []))
            within = ast.Compare(given, [ast.Lt()], [length])
            ends.append(ast.IfExp(within, given, length))
        low = self.let(self.fresh("low_"), ends[0])
        high = self.let(self.fresh("high_"), ends[1])
        some = ast.Compare(low, [ast.Lt()], [high])
        size = ast.IfExp(some, ast.BinOp(high, ast.Sub(), low), ast.Constant(0))
        self.read = True
        return Part(tuple(columns), low.id, high.id, self.let(self.fresh("size_"), size).id)

    def over_part(self, node: ast.For, part: Part, frame: Frame) -> None:
        """A loop over a part of a list of tuples."""
        target = node.target
        if not isinstance(target, ast.Tuple) or len(target.elts) != len(part.columns):
            raise self.refuse(node.target)
        first: list[ast.stmt] = []
        for k, (one, column) in enumerate(zip(target.elts, part.columns, strict=True)):
            if not isinstance(one, ast.Name) or one.id in frame.homes:
                raise self.refuse(node.target)
            frame.env[_COLUMN + str(k)] = _name(column)
            item = ast.Subscript(_name(_COLUMN + str(k)), _name(_PLACE), ast.Load())
            first.append(ast.Assign([one], item))
        body = [*first, *node.body]
        whole = ast.For(ast.Name(_PLACE, ast.Store()), node.iter, body, [])
        ends: list[ast.expr] = [_name(part.low), _name(part.high)]
        self.repeated(whole, frame, ast.Call(self.native("range"), ends, []))

    def bind(self, target: ast.expr, item: Item, frame: Frame) -> None:
        """Let `target` be an item of a list of objects."""
        if isinstance(target, ast.Name) and not isinstance(item, list):
            self.assign(target, item, frame)
        elif isinstance(target, ast.Tuple) and isinstance(item, list):
            if len(target.elts) != len(item):
                raise self.refuse(target)
            for part, one in zip(target.elts, item, strict=True):
                self.bind(part, one, frame)
        else:
            raise self.refuse(target)

    def unrolled(self, node: ast.expr, frame: Frame) -> list[Item] | None:
        """The items of a list of objects."""
        match node:
            case ast.Name() | ast.Attribute():
                found = self.value(node, frame)
                return list(found.items) if isinstance(found, Group) else None
            case ast.Call(func=ast.Name(id="reversed" as name), args=[inner], keywords=[]):
                items = self.unrolled(inner, frame)
                self.genuine(name, items, frame)
                return None if items is None else items[::-1]
            case ast.Call(func=ast.Name(id="enumerate" as name), args=[inner], keywords=[]):
                items = self.unrolled(inner, frame)
                self.genuine(name, items, frame)
                if items is None:
                    return None
                return [[ast.Constant(k), one] for k, one in enumerate(items)]
            case ast.Call(func=ast.Name(id="zip" as name), args=args, keywords=[]) if args:
                several = [self.unrolled(arg, frame) for arg in args]
                if any(items is None for items in several):
                    return None
                self.genuine(name, several[0], frame)
                lists = [items for items in several if items is not None]
                return [list(row) for row in zip(*lists, strict=False)]
        return None

    def genuine(self, name: str, items: object, frame: Frame) -> None:
        """See to it that a builtin is what it seems, where its result is written out."""
        if items is None:
            return
        found = self.meant(name, frame)
        if not isinstance(found, Other) or found.value is not getattr(builtins, name):
            raise self.refuse(name)

    def repeated(
        self, node: ast.For | ast.While, frame: Frame, source: ast.expr | None = None
    ) -> None:
        """A loop that stays one."""
        if any(map(_returns, node.body)):
            raise self.refuse("a loop that returns")
        targets = stored([node.target]) if isinstance(node, ast.For) else frozenset[str]()
        changed = stored(node.body) | targets
        carried = methods.exposed(
            [*node.body, ast.Expr(node.test)] if isinstance(node, ast.While) else node.body
        )
        if isinstance(node, ast.While):
            carried |= methods.exposed([ast.Expr(node.test)])
        carried -= targets
        # A variable that has no value before the loop has the same name after it.
        own = {n for n in targets - stored(node.body) if frame.env.get(n) is None}
        added = self.housed(changed - own, [node], carried, frame)
        before = dict(frame.env)
        for name in changed:
            if name not in frame.homes:
                frame.env[name] = None
        around = Round(self.fresh("ran_"))
        self.rounds.append(around)
        test = None
        if isinstance(node, ast.While):
            self.sheltered += 1
            test = self.expr(node.test, frame)
            self.sheltered -= 1
        entered = dict(self.attributes)
        target: ast.expr | None = None
        with self.apart() as inner:
            if isinstance(node, ast.For):
                target = self.targets(node.target, frame)
            self.block(node.body, frame)
        self.rounds.pop()
        if around.used:
            inner.append(ast.Assign([ast.Name(around.ran, ast.Store())], ast.Constant(1)))
            if any(_leaves(stmt) for stmt in inner):
                raise self.refuse("a loop that is left beside attributes that it assigns")
        for key, (value, depth, ran, _) in self.attributes.items():
            if depth > len(self.rounds) and self.attributes[key] is not entered.get(key):
                if key in entered:
                    raise Again(key)
                self.attributes[key] = value, depth, ran, True
        self.left(before, changed, added, frame)
        for name in targets - frame.homes.keys():
            frame.env[name] = self.bound_after(name, target, node)
        if isinstance(node, ast.For):
            assert target is not None
            assert source is not None
            self.emit(ast.For(target, source, inner or [ast.Pass()], []))
        else:
            assert test is not None
            self.emit(ast.While(test, inner or [ast.Pass()], []))

    def bound_after(
        self, name: str, target: ast.expr | None, node: ast.For | ast.While
    ) -> ast.Name | None:
        """What the variable of a loop means after it."""
        assert isinstance(node, ast.For)
        assert target is not None
        pairs = zip(_leaf_names(node.target), _leaf_names(target), strict=True)
        found = [ours for theirs, ours in pairs if theirs == name]
        return ast.Name(found[0], ast.Load()) if len(found) == 1 else None

    def targets(self, target: ast.expr, frame: Frame) -> ast.expr:
        match target:
            case ast.Name(id=name):
                ours = frame.homes.get(name)
                if ours is None:
                    mine = frame.function is None and name != _PLACE
                    ours = name if mine else self.fresh(f"{name}_")
                frame.env[name] = ast.Name(ours, ast.Load())
                return ast.Name(ours, ast.Store())
            case ast.Tuple(elts=elts):
                return ast.Tuple([self.targets(e, frame) for e in elts], ast.Store())
        raise self.refuse(target)

    # ------------------------------------------------------------------ attributes

    def own(self, key: Key) -> str:
        """The variable of an attribute that has one."""
        source: Source = ("attr", *key)
        name = self.named.get(source)
        if name is None:
            name = self.named[source] = self.fresh(f"{key[1]}_of_{key[0]}")
            self.sources[name] = source
            self.unsteady.add(name)
        return name

    def give(self, owner: Thing, name: str, value: Value) -> None:
        """``owner.name = value``."""
        key = owner.number, name
        self.scene.assigned(owner, name)
        if key in self.kept:
            self.let(self.own(key), self.plain(value, ast.Name(name, ast.Load())))
            return
        if self.forks or any(key in around.reads for around in self.rounds):
            raise Again(key)
        if isinstance(value, Group | Code | Bound | Part):
            raise self.refuse(f".{name}, which is assigned")
        ran = self.rounds[-1] if self.rounds else None
        if ran is not None:
            ran.used = True
        value = self.held(value, name)
        self.attributes.pop(key, None)
        self.attributes[key] = value, len(self.rounds), ran.ran if ran else None, False

    def attribute(self, owner: Thing, name: str) -> Value:
        """``owner.name``."""
        key = owner.number, name
        if key in self.kept:
            self.read = True
            return ast.Name(self.own(key), ast.Load())
        found = self.attributes.get(key)
        if found is None:
            for around in self.rounds:
                around.reads.add(key)
            return self.handed(self.scene.attribute(owner, name), name)
        value, depth, _, after = found
        if after:
            raise Again(key)
        for around in self.rounds[depth:]:
            around.reads.add(key)
        return value

    # ------------------------------------------------------------------ names from outside

    def handed(self, meaning: Meaning, base: str) -> Value:
        """What is found outside, as a value of the text."""
        if not isinstance(meaning, Other):
            return meaning
        source = meaning.source
        if source[0] == "attr":
            base = f"{base}_of_{source[1]}"
        name = self.named_source(base, source, meaning.value if meaning.native else None)
        return ast.Name(name, ast.Load())

    def named_source(self, base: str, source: Source, value: object = None) -> str:
        """The name for what is at `source`; one for each function of Python's or module."""
        key: object = source if value is None else id(value)
        name = self.named.get(key)
        if name is None:
            if value is not None and base in self.roots:
                place = self.roots.index(base)
                if self.scene.roots[place] is value:
                    source = "root", place
                    self.scene.meaning(source)
            name = self.roots[source[1]] if source[0] == "root" else self.fresh(base)
            self.named[key] = name
            self.sources[name] = source
        if value is not None and name != base and value is getattr(builtins, base, None):
            raise self.refuse(base)
        return name

    def meant(self, name: str, frame: Frame) -> Meaning:
        """A name that the frame does not assign."""
        if frame.function is None:
            if name not in self.roots:
                raise self.refuse(name)
            return self.scene.meaning(("root", self.roots.index(name)))
        if name in self.site_names:  # functions may read these very variables
            raise self.refuse(f"{name}, which a function reads")
        return self.scene.meaning(self.scene.outside(frame.function, name))

    def name(self, node: ast.Name, frame: Frame) -> Value:
        name = node.id
        if name in frame.env:
            value = frame.env[name]
            if value is None:
                raise self.refuse(f"{name}, which may have several values")
            return value
        if name in frame.homes and (frame.function is not None or name not in self.roots):
            return ast.Name(frame.homes[name], ast.Load())
        if name in frame.homes:
            return ast.Name(name, ast.Load())
        if name in frame.own and (frame.function is not None or name not in self.roots):
            raise self.refuse(f"{name}, which has no value yet")
        return self.handed(self.meant(name, frame), name)

    # ------------------------------------------------------------------ expressions

    def expr(self, node: ast.expr, frame: Frame) -> ast.expr:
        """`node` as an expression of the text."""
        return self.plain(self.value(node, frame), node)

    def value(self, node: ast.expr, frame: Frame) -> Value:
        match node:
            case ast.Constant():
                return node
            case ast.Name():
                return self.name(node, frame)
            case ast.Attribute(value=base, attr=name):
                return self.member(node, self.value(base, frame), name)
            case ast.Subscript(value=base, slice=index):
                owner = self.value(base, frame)
                if isinstance(owner, Group):
                    return self.item(owner, self.value(index, frame), node)
                if isinstance(index, ast.Slice) and isinstance(owner, ast.Name):
                    part = self.part(owner, index, frame)
                    if part is not None:
                        return part
                if isinstance(index, ast.Constant) and isinstance(index.value, str):
                    raise self.refuse(node)  # a dictionary may lead to other objects
                where = self.expr(index, frame)
                self.read = True
                return ast.Subscript(self.plain(owner, node), where, ast.Load())
            case ast.Call():
                return self.call(node, frame)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                one, two = self.value(left, frame), self.value(right, frame)
                said = _compared(one, op, two)
                if said is not None:
                    return ast.Constant(said)
                self.read = True
                return ast.Compare(self.plain(one, node), [op], [self.plain(two, node)])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.value(operand, frame)
                if isinstance(inner, ast.Constant):
                    return ast.Constant(not inner.value)
                return ast.UnaryOp(ast.Not(), self.plain(inner, node))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                found = self.value(test, frame)
                if isinstance(found, ast.Constant):
                    return self.value(body if found.value else orelse, frame)
                self.sheltered += 1
                parts = self.expr(body, frame), self.expr(orelse, frame)
                self.sheltered -= 1
                return ast.IfExp(self.plain(found, node), *parts)
            case ast.BoolOp(op=op, values=values):
                return self.logic(op, values, frame)
            case ast.ListComp() | ast.GeneratorExp():
                return self.comprehension(node, frame)
            case ast.BinOp(left=left, op=op, right=right):
                first, second = self.expr(left, frame), self.expr(right, frame)
                self.read = True
                return ast.BinOp(first, op, second)
            case ast.UnaryOp(op=op, operand=operand):
                inner_expr = self.expr(operand, frame)
                self.read = self.read or not isinstance(inner_expr, ast.Constant)
                return ast.UnaryOp(op, inner_expr)
            case ast.Tuple(elts=elts):
                return ast.Tuple([self.expr(e, frame) for e in elts], ast.Load())
            case ast.List(elts=elts):
                return ast.List([self.expr(e, frame) for e in elts], ast.Load())
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = [None if e is None else self.expr(e, frame) for e in (lower, upper, step)]
                return ast.Slice(*ends)
            case ast.Compare(left=left, ops=ops, comparators=others):
                self.sheltered += 1
                made = [self.expr(e, frame) for e in (left, *others)]
                self.sheltered -= 1
                return ast.Compare(made[0], ops, made[1:])
        raise self.refuse(node)

    def logic(self, op: ast.boolop, values: Sequence[ast.expr], frame: Frame) -> Value:
        """``and`` or ``or`` without the operands that are known."""
        made: list[Value] = []
        self.sheltered += 1
        for k, node in enumerate(values):
            found = self.value(node, frame)
            last = k == len(values) - 1
            if isinstance(found, ast.Constant):
                if bool(found.value) == isinstance(op, ast.Or):
                    made.append(found)
                    break
                if not last:
                    continue
            made.append(found)
        self.sheltered -= 1
        if len(made) == 1:
            return made[0]
        return ast.BoolOp(op, [self.plain(one, values[0]) for one in made])

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> ast.expr:
        inside = Frame(dict(frame.env), frame.homes, frame.text, frame.function, own=frame.own)
        parts = []
        for k, part in enumerate(node.generators):
            if part.is_async:
                raise self.refuse(node)
            self.sheltered += k > 0
            source = self.expr(part.iter, inside)
            self.sheltered -= k > 0
            for name in stored([part.target]):
                if name in frame.homes:
                    raise self.refuse(f"{name} in a comprehension")
            target = self.comprehended(part.target, inside)
            self.sheltered += 1
            tests = [self.expr(test, inside) for test in part.ifs]
            self.sheltered -= 1
            parts.append(ast.comprehension(target, source, tests, 0))
        self.sheltered += 1
        item = self.expr(node.elt, inside)
        self.sheltered -= 1
        self.read = True
        return type(node)(item, parts)

    def comprehended(self, target: ast.expr, frame: Frame) -> ast.expr:
        match target:
            case ast.Name(id=name):
                ours = self.fresh(f"{name}_")
                frame.env[name] = ast.Name(ours, ast.Load())
                return ast.Name(ours, ast.Store())
            case ast.Tuple(elts=elts):
                return ast.Tuple([self.comprehended(e, frame) for e in elts], ast.Store())
        raise self.refuse(target)

    def member(self, node: ast.Attribute, owner: Value, name: str) -> Value:
        if isinstance(owner, Thing):
            return self.attribute(owner, name)
        path = self.outer_path(owner)
        if path is not None:
            root, names = path
            meaning = self.scene.known[self.sources[root]]
            assert isinstance(meaning, Other)
            found = meaning.value
            for one in (*names, name):
                if not isinstance(found, ModuleType) and not _holds_numbers(found):
                    raise self.refuse(node)  # another way to an object
                found = plain_attribute(found, one) if isinstance(found, ModuleType) else None
            if is_thing(found) or type(found) in (list, tuple, dict, FunctionType):
                raise self.refuse(node)
        elif not isinstance(owner, ast.Name):
            raise self.refuse(node)
        return ast.Attribute(self.plain(owner, node), name, ast.Load())

    def outer_path(self, owner: Value) -> tuple[str, list[str]] | None:
        """The name from outside that `owner` begins with, and the attributes that follow."""
        names: list[str] = []
        while isinstance(owner, ast.Attribute):
            names.insert(0, owner.attr)
            owner = owner.value
        if isinstance(owner, ast.Name) and owner.id in self.sources:
            known = self.scene.known.get(self.sources[owner.id])
            return (owner.id, names) if isinstance(known, Other) else None
        return None

    def item(self, group: Group, index: Value, node: ast.expr) -> Thing:
        match index:
            case ast.Constant(value=int(k)) if -len(group.items) <= k < len(group.items):
                return group.items[k]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(k))):
                if 1 <= k <= len(group.items):
                    return group.items[-k]
        raise self.refuse(node)

    # ------------------------------------------------------------------ calls

    def call(self, node: ast.Call, frame: Frame) -> Value:
        """What a call returns; a call that stays one is a call."""
        steady = not self.read and not self.sheltered
        func = self.callee(node.func, frame)
        if isinstance(func, Bound | Code):
            body = self.text(func.function)
            if body is not None and steady and func.function not in self.stack:
                return self.written(node, func, body, frame)
            if isinstance(func, Bound):
                raise self.refuse(node)
        match func:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr="index"):
                if name in self.lists and not self.sheltered:
                    return self.index_of(owner, node, frame)
        if isinstance(node.func, ast.Name) and len(node.args) == 1 and node.func.id == "len":
            found = self.value(node.args[0], frame)
            if isinstance(found, Group | Part):
                self.genuine("len", found, frame)
                if isinstance(found, Part):
                    return _name(found.size)
                return ast.Constant(len(found.items))
            columns = self.columns(found, None) if isinstance(found, ast.Name) else None
            if columns is not None:
                return ast.Call(self.plain(func, node), [_name(columns[0])], [])
        if isinstance(func, Code):
            self.called.add(func.function)
        args = [self.expr(arg, frame) for arg in node.args]
        names = [ast.keyword(k.arg, self.expr(k.value, frame)) for k in node.keywords]
        self.read = True
        return ast.Call(self.plain(func, node), args, names)

    def index_of(self, items: ast.Name, node: ast.Call, frame: Frame) -> ast.expr:
        """``items.index(x)``: from the last item on, what is equal is put down, so the first stays.

        Where there is none, or one that is found by its identity alone, nothing is divided.
        """
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(node)
        wanted = self.let(self.fresh("wanted_"), self.expr(node.args[0], frame))
        count = self.let(self.fresh("count_"), ast.Call(self.native("len"), [items], []))
        found = self.let(self.fresh("found_"), count)
        place = self.fresh("place_")
        minus_one = ast.UnaryOp(ast.USub(), ast.Constant(1))
        last = ast.BinOp(count, ast.Sub(), ast.Constant(1))
        backwards = ast.Call(self.native("range"), [last, minus_one, minus_one], [])
        item = ast.Subscript(items, _name(place), ast.Load())
        equal = ast.Compare(item, [ast.Eq()], [wanted])
        here = ast.Assign([ast.Name(found.id, ast.Store())], _name(place))
        body: list[ast.stmt] = [ast.If(equal, [here], [])]
        self.emit(ast.For(ast.Name(place, ast.Store()), backwards, body, []))
        missing = ast.Compare(found, [ast.Eq()], [count])
        self.emit(ast.If(missing, [self.failing(found)], []))
        self.read = True
        return found

    def failing(self, number: ast.expr) -> ast.stmt:
        """A statement that no kernel gets past: then the interpreter runs the loop."""
        nothing = ast.BinOp(number, ast.Sub(), number)
        quotient = ast.BinOp(number, ast.FloorDiv(), nothing)
        return ast.Assign([ast.Name(self.fresh("outside_"), ast.Store())], quotient)

    def callee(self, node: ast.expr, frame: Frame) -> Value:
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value, frame)
            if isinstance(owner, Thing):
                key = owner.number, node.attr
                if key in self.attributes or key in self.kept:
                    raise self.refuse(node)
                found = self.scene.method(owner, node.attr)
                for around in self.rounds:
                    around.reads.add(key)
                return self.attribute(owner, node.attr) if found is None else found
            return self.member(node, owner, node.attr)
        return self.value(node, frame)

    def text(self, function: FunctionType) -> ast.FunctionDef | None:
        """The definition of a function, if it can be written out."""
        node = function_node(function)
        if not isinstance(node, ast.FunctionDef) or not methods.taken(node.body):
            return None
        args = node.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            return None
        return node

    def written(
        self, call: ast.Call, func: Bound | Code, node: ast.FunctionDef, frame: Frame
    ) -> Value:
        """The statements of a function in place of its call."""
        function = func.function
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
            inner.homes[name] = self.fresh(f"{name}_")
            self.unsteady.add(inner.homes[name])
        for name in values:
            value = self.held(values[name], name)
            if name in inner.homes:
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


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _holds_numbers(value: object) -> bool:
    """Whether what has this attribute, or had it, is no way to other objects."""
    return value is None or type(value).__module__ == "numpy" or type(value) in _SIMPLE


def _compared(one: Value, op: ast.cmpop, two: Value) -> bool | None:
    """What a comparison of texts, of None or of objects says."""

    def said(value: Value) -> Value:
        match value:
            case ast.Constant(value=None | str() as literal):
                return Said(literal)
        return value

    left, right = said(one), said(two)
    words = isinstance(left, Said) and isinstance(right, Said)
    things = isinstance(left, Thing | Said) and isinstance(right, Thing | Said)
    nothing = Said(None) in (left, right)
    match op:
        case ast.Eq() | ast.NotEq() if words:
            return (left == right) == isinstance(op, ast.Eq)
        case ast.Is() | ast.IsNot() if things and (nothing or not words):
            return (left == right) == isinstance(op, ast.Is)
    return None


def _written(top: ast.stmt) -> Iterator[str]:
    """Names of lists that may be changed in `top`."""
    for node in ast.walk(top):
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
        for node in ast.walk(top)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    )


def _load_counts(stmts: Sequence[ast.stmt]) -> dict[str, int]:
    found: dict[str, int] = {}
    for top in stmts:
        for node in ast.walk(top):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found[node.id] = found.get(node.id, 0) + 1
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found[node.target.id] = found.get(node.target.id, 0) + 1
    return found


def _leaf_names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    assert isinstance(target, ast.Tuple)
    return [name for part in target.elts for name in _leaf_names(part)]


def _returns(stmt: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(stmt))


def _leaves(stmt: ast.stmt) -> bool:
    """Whether a ``break`` or ``continue`` belongs to the loop around `stmt`."""
    if isinstance(stmt, ast.Break | ast.Continue):
        return True
    return isinstance(stmt, ast.If) and any(map(_leaves, (*stmt.body, *stmt.orelse)))


def flattened(
    loop: ast.For,
    roots: Sequence[str],
    live: tuple[str, ...],
    line: int,
    scene: Callable[[], Scene],
) -> tuple[list[ast.stmt], list[Final], Flattener]:
    """`loop` without calls of methods; raises `Refused`."""
    kept: frozenset[Key] = frozenset()
    while True:
        made = Flattener(scene(), roots, line, kept, live)
        made.site_names = stored([loop])
        try:
            stmts, finals = made.flat(copy.deepcopy(loop))
        except Again as again:
            if again.key in kept or len(kept) > 64:
                raise made.refuse("attributes that change") from None
            kept |= {again.key}
            continue
        return stmts, finals, made
