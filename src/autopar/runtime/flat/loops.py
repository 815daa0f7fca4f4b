"""Loops of text that is written out for the objects of a call."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence, Set
from typing import TypeAlias

from autopar.nest.bound import stored
from autopar.nest.marks import said, stands_for
from autopar.nest.text import methods
from autopar.nest.trees import every
from autopar.records import dataclass, replace
from autopar.runtime.flat.scene import Crowd, Group
from autopar.runtime.flat.text import (
    COLUMN,
    CROWD,
    PLACE,
    Again,
    Frame,
    Member,
    Part,
    Round,
    Value,
    text_name,
    written_as,
)
from autopar.runtime.flat.values import Expressions
from autopar.verdict import DOT

Item: TypeAlias = "Value | list[Item]"
"""An item of what a loop over objects goes through; a tuple is so many."""


@dataclass(frozen=True, slots=True)
class Through:
    """What a loop over a list of objects goes through.

    Attributes
    ----------
    items
        The list of which it has items; None: where they are.
    low, high
        From which place on, and up to which.
    down
        Whether it begins with the last one.
    part
        Whether there may be nothing to go through.
    """

    items: list[Crowd | None]
    low: ast.expr
    high: ast.expr
    down: bool = False
    part: bool = False


@dataclass(slots=True)
class Loops(Expressions):
    """Loops that are written out, or stay loops."""

    def loop(self, node: ast.For, frame: Frame) -> None:
        found = self.unrolled(node.iter, frame)
        if found is not None:
            if any(map(leaves, node.body)) or any(map(returns, node.body)):
                raise self.refuse("a loop over objects that is left")
            for item in found:
                self.bind(node.target, item, frame)
                self.block(node.body, frame)
            return
        through = self.objects(node.iter, frame)
        if through is not None:
            self.over_objects(node, through, frame)
            return
        value = self.value(node.iter, frame)
        if isinstance(value, Part):
            self.over_part(node, value, frame)
            return
        source = self.plain(value, node.iter)
        if isinstance(node.target, ast.Tuple):
            columns = self.columns(source, len(node.target.elts))
            if columns is not None:
                source = ast.Call(self.native("zip"), [text_name(one) for one in columns], [])
        self.repeated(node, frame, source)

    def over_part(self, node: ast.For, part: Part, frame: Frame) -> None:
        """A loop over a part of a list of tuples."""
        target = node.target
        if not isinstance(target, ast.Tuple) or len(target.elts) != len(part.columns):
            raise self.refuse(node.target)
        first: list[ast.Assign] = []
        for k, (one, column) in enumerate(zip(target.elts, part.columns, strict=True)):
            if not isinstance(one, ast.Name) or one.id in frame.homes:
                raise self.refuse(node.target)
            frame.env[COLUMN + str(k)] = text_name(column)
            item = ast.Subscript(text_name(COLUMN + str(k)), text_name(PLACE), ast.Load())
            first.append(ast.Assign([one], item))
        body = [*first, *node.body]
        place = stands_for(ast.Name(PLACE, ast.Store()), first[0].targets[0])
        whole = ast.For(place, node.iter, body, [])
        ends: list[ast.expr] = [text_name(part.low), text_name(part.high)]
        self.repeated(whole, frame, ast.Call(self.native("range"), ends, []))

    def objects(self, node: ast.expr, frame: Frame) -> Through | None:
        """What a loop over lists of objects goes through."""
        match node:
            case ast.Name() | ast.Attribute():
                found = self.value(node, frame)
                return self.whole(found) if isinstance(found, Crowd) else None
            case ast.Subscript(value=base, slice=ast.Slice() as part) if _is_path(base):
                found = self.value(base, frame)
                if not isinstance(found, Crowd):
                    return None
                if part.upper is not None or part.step is not None:
                    raise self.refuse(node)
                return replace(self.whole(found), low=self.from_on(part.lower, frame), part=True)
            case ast.Call(func=ast.Name(id="reversed" as name), args=[inner], keywords=[]):
                through = self.objects(inner, frame)
                if through is None:
                    return None
                self.genuine(name, through, frame)
                if through.down or not isinstance(inner, ast.Name | ast.Attribute):
                    raise self.refuse(node)
                return replace(through, down=True)
            case ast.Call(func=ast.Name(id="enumerate" as name), args=[inner], keywords=[]):
                through = self.objects(inner, frame)
                if through is None:
                    return None
                self.genuine(name, through, frame)
                if not isinstance(inner, ast.Name | ast.Attribute):
                    raise self.refuse(node)
                return replace(through, items=[None, through.items[0]])
        return None

    def whole(self, crowd: Crowd) -> Through:
        return Through([crowd], ast.Constant(0), self.length_of(crowd))

    def from_on(self, low: ast.expr | None, frame: Frame) -> ast.expr:
        """Where a part of a list begins; no kernel gets past what is counted from its end."""
        if low is None:
            return ast.Constant(0)
        found = self.expr(low, frame)
        match found:
            case ast.Name(id=name) if name in self.natural:
                return found
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=int(k))):
                if name in self.natural and k >= 0:
                    return found
        first = self.let(self.fresh("first"), found)
        below = ast.Compare(first, [ast.Lt()], [ast.Constant(0)])
        self.emit(ast.If(below, [self.failing(first)], []))
        return first

    def over_objects(self, node: ast.For, through: Through, frame: Frame) -> None:
        """A loop over lists of objects."""
        targets = [node.target]
        if len(through.items) > 1:
            if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
                raise self.refuse(node.target)
            targets = node.target.elts
        first: list[ast.Assign] = []
        for one, crowd in zip(targets, through.items, strict=True):
            if not isinstance(one, ast.Name):
                raise self.refuse(node.target)
            item: ast.expr = text_name(PLACE)
            if crowd is not None:
                frame.env[CROWD + str(crowd.number)] = crowd
                item = ast.Subscript(text_name(CROWD + str(crowd.number)), item, ast.Load())
            made = ast.Assign([one], ast.copy_location(item, one))
            first.append(ast.copy_location(made, node))
        place = stands_for(ast.Name(PLACE, ast.Store()), targets[-1])
        whole = ast.For(place, node.iter, [*first, *node.body], [])
        ends = [through.low, through.high]
        if through.down:
            last = ast.BinOp(through.high, ast.Sub(), ast.Constant(1))
            ends = [last, *(ast.UnaryOp(ast.USub(), ast.Constant(1)) for _ in range(2))]
        fixed = {one.id for one in targets if isinstance(one, ast.Name)} - stored(node.body)
        if through.part:
            fixed = set()
        fixed -= frame.homes.keys()
        at = self.repeated(whole, frame, ast.Call(self.native("range"), ends, []), fixed)
        assert isinstance(at, ast.Name)
        for one, crowd in zip(targets, through.items, strict=True):
            if isinstance(one, ast.Name) and one.id in fixed:
                then = text_name(at.id)
                frame.env[one.id] = then if crowd is None else Member(crowd, then)

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

    def repeated(
        self,
        node: ast.For | ast.While,
        frame: Frame,
        source: ast.expr | None = None,
        fixed: Set[str] = frozenset(),
    ) -> ast.expr | None:
        """A loop that stays one; its variables.

        Parameters
        ----------
        fixed
            Names that its variable says the value of, in the loop and after it.
        """
        if any(map(returns, node.body)):
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
        own = {n for n in targets - stored(node.body) if frame.env.get(n) is None} | fixed
        added = self.housed(changed - own, [node], carried, frame)
        before = dict(frame.env)
        for name in changed:
            if name not in frame.homes:
                frame.env[name] = None
        around = Round(self.fresh("ran"))
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
            if any(leaves(stmt) for stmt in inner):
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
        return target

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
                    mine = frame.function is None and name != PLACE
                    base = written_as(said(target)) + DOT * (name == PLACE)
                    ours = name if mine else self.fresh(base)
                    if name == PLACE:
                        self.places.add(ours)
                        self.natural.add(ours)
                frame.env[name] = ast.Name(ours, ast.Load())
                return ast.Name(ours, ast.Store())
            case ast.Tuple(elts=elts):
                return ast.Tuple([self.targets(e, frame) for e in elts], ast.Store())
        raise self.refuse(target)

    def housed(
        self,
        changed: frozenset[str],
        block: Sequence[ast.stmt],
        carried: frozenset[str],
        frame: Frame,
    ) -> list[str]:
        """Give variables to those names `changed` in a block that matter outside of it."""
        outside = frame.live | _read_outside(frame.text, frozenset(map(id, block)))
        added = [n for n in sorted(changed & (outside | carried)) if n not in frame.homes]
        for name in added:
            ours = name if frame.function is None else self.fresh(name)
            frame.homes[name] = ours
            self.unsteady.add(ours)
            value = frame.env.get(name)
            if name in carried:
                self.plainly.add(ours)
            if value is not None:
                if isinstance(value, Member) and name not in carried:
                    frame.env[name] = self.chosen(ours, value, name)
                elif isinstance(value, ast.expr):
                    self.plainly.add(ours)
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
            frame.env[name] = None if home is None else self.at_home(home)
        for name in added:
            del frame.homes[name]

    def chosen(self, home: str, value: Member, name: str) -> Member:
        """Let a variable say which object of a list `name` means; raises `Refused`."""
        if home in self.plainly or self.members.setdefault(home, value.crowd) != value.crowd:
            raise self.refuse(f"{name}, which is not always an object")
        self.let(home, value.index)
        return value if self.lasts(value.index) else Member(value.crowd, text_name(home))

    def lasts(self, index: ast.expr) -> bool:
        """Whether an index stays what it is while a name stands for its object."""
        match index:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name not in self.unsteady
        return False

    def at_home(self, home: str) -> Value:
        """What is in a variable."""
        crowd = self.members.get(home)
        return text_name(home) if crowd is None else Member(crowd, text_name(home))

    @abstractmethod
    def block(self, stmts: Sequence[ast.stmt], frame: Frame) -> Value | None:
        """Write out `stmts`; what they return, if they do."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """``target = value``."""


def _is_path(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _read_outside(stmts: Sequence[ast.stmt], block: frozenset[int]) -> frozenset[str]:
    """Names that `stmts` may read without having assigned them, but for those of a `block` in them.

    So what the block leaves in others matters to nobody.
    """
    mine = [id(s) in block or any(id(node) in block for node in every(s)) for s in stmts]
    if not any(mine):
        return methods.exposed(stmts)
    first, last = mine.index(True), len(mine) - mine[::-1].index(True)
    found = methods.exposed(stmts[:first]) | methods.exposed(stmts[last:])
    for stmt in stmts[first:last]:
        match stmt:
            case _ if id(stmt) in block:
                pass
            case ast.For(iter=head, body=body):
                found |= methods.exposed([ast.Expr(head)]) | _read_outside(body, block)
            case ast.While(test=head, body=body):
                found |= methods.exposed([ast.Expr(head)]) | _read_outside(body, block)
            case ast.If(test=head, body=body, orelse=orelse):
                found |= methods.exposed([ast.Expr(head)])
                found |= _read_outside(body, block) | _read_outside(orelse, block)
            case _:
                found |= methods.exposed([stmt])
    return found


def _leaf_names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    assert isinstance(target, ast.Tuple)
    return [name for part in target.elts for name in _leaf_names(part)]


def returns(stmt: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in every(stmt))


def leaves(stmt: ast.stmt) -> bool:
    """Whether a ``break`` or ``continue`` belongs to the loop around `stmt`."""
    if isinstance(stmt, ast.Break | ast.Continue):
        return True
    return isinstance(stmt, ast.If) and any(map(leaves, (*stmt.body, *stmt.orelse)))
