"""Comprehensions and their like, as the loops that they mean.

``y = [f(v) for v in x if v > 0]`` becomes::

    y = []
    for <v> in x:
        if <v> > 0:
            y.append(f(<v>))

and ``sum``, ``any``, ``all``, ``min``, ``max``, ``list``, ``map`` and ``filter`` of such sequences
become loops as well, in front of the statement that they stand in.  Nothing that runs there can be
seen from outside, so the order does not matter, but for calls that nobody knows: they may draw
random numbers, or store into arrays, which is refused where something would have been read before
(`MOVED`).  What is evaluated under a condition is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from autopar.nest import ir
from autopar.nest.marks import LENT, mark
from autopar.nest.text import folding, inner
from autopar.nest.text.building import (
    append,
    load,
    loops,
    mentions,
    place,
)
from autopar.nest.text.drawing import SEQUENCES, drawing, draws
from autopar.nest.text.moved import joined, mark_moved, written_out
from autopar.nest.text.sequences import Items, Sequences
from autopar.nest.trees import all_copied, every
from autopar.records import dataclass

_NUMBERS = (
    ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Attribute, ast.Subscript, ast.Call,
)  # fmt: skip
"""What may be a number; that it is no list is seen where it becomes an item."""


class Builtins(ast.Pass):
    """A statement that does nothing, and says which builtins the text around it has called."""

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.names = names


def without(
    nodes: Sequence[ast.stmt], functions: Mapping[str, inner.Own] | None = None
) -> Sequence[ast.stmt]:
    """`nodes` with comprehensions and their like written out, and calls of these `functions`."""
    parts = (part for node in nodes for part in every(node))
    if not functions and not any(map(written_out, parts)):
        return nodes
    return _Loops(functions or {}).block(all_copied(nodes))


@dataclass(slots=True)
class _Loops(Sequences):
    """Statements, expressions and lists that are written out."""

    # ------------------------------------------------------------------ statements

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [made for node in nodes for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """`node`, and before it the loops that it needs."""
        outside, used = self.before, self.used
        self.before, self.used = [], set()
        done = False
        if not draws(node, self.functions):
            mark_moved(node, self.functions)
            done = self.top(node)
        if isinstance(node, ast.For | ast.While | ast.If):
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        made = self.before if done else [*self.before, node]
        if self.used:
            made.insert(0, ast.copy_location(Builtins(frozenset(self.used)), node))
        self.before, self.used = outside, used
        return made

    def top(self, node: ast.stmt) -> bool:
        """Write out what `node` evaluates once, whatever happens; True if nothing is left of it."""
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=ast.List(elts=[_, *_]) as value):
                self.display(value.elts, target, node)
                return True
            case ast.Assign(
                targets=[ast.Name() as target], value=ast.BinOp(op=ast.Add()) as value
            ) if (items := joined(value)) is not None:
                self.display(items, target, node)
                return True
            case ast.Assign(targets=[ast.Name() as target], value=value) if not mentions(
                value, target.id
            ):
                found = self.list_items(value)
                if found is not None:
                    self.filled(found, target, node)
                    return True
                node.value = self.expr(value)
            case ast.Assign(targets=targets, value=value):
                if isinstance(value, ast.GeneratorExp) and _apart(targets):
                    whole = ast.ListComp(value.elt, value.generators)
                    value = ast.copy_location(whole, value)
                node.value = self.expr(value)
                node.targets = [self.expr(target) for target in targets]
            case ast.AugAssign(value=value):
                node.value = self.expr(value)
            case ast.AnnAssign(value=ast.expr() as value):
                node.value = self.expr(value)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="append"), args=[arg], keywords=[]) as call
            ):
                call.args = [self.item(arg)]
            case ast.If(test=test):
                node.test = self.expr(test)
            case ast.For():
                node.iter = self.expr(self.lazily(node))
        return False

    # ------------------------------------------------------------------ expressions

    def expr(self, node: ast.expr) -> ast.expr:
        """`node`, with names for what has been computed before it."""
        match node:
            case ast.BinOp(op=ast.Add()) if (items := joined(node)) is not None:
                return self.together(items, node)
            case ast.ListComp() | ast.BinOp(op=ast.Mult()):
                found = self.list_items(node)
                if found is not None:
                    return self.listed(found, node)
            case ast.Call(func=ast.Name(id=name), args=[arg, *rest], keywords=[]) if (
                name in SEQUENCES and len(rest) <= (name == "sum")
            ):
                made = self.sequence(name, arg, rest, node)
                if made is not None:
                    self.used.add(name)
                    return made
            case ast.Call(
                func=ast.Name(id="min" | "max" as name),
                args=[arg],
                keywords=[ast.keyword("key", key)],
            ):
                made = self.sequence(name, arg, [], node, key)
                if made is not None:
                    self.used.add(name)
                    return made
            case ast.Call(func=func, args=[function, arg, *rest], keywords=[]) if (
                folding.named(func) == "reduce" and len(rest) < 2
            ):
                made = self.reduced(function, arg, rest, node)
                if made is not None:
                    self.used.add(ast.unparse(func))
                    return made
            case ast.Call(func=ast.Name(id=name), args=args) if name in self.functions:
                return self.inlined(self.functions[name], args, node)
            case ast.BoolOp(values=values):
                node.values = [self.expr(values[0]), *values[1:]]
                return node
            case ast.IfExp(test=test):
                node.test = self.expr(test)
                return node
            case ast.Compare(left=left, comparators=others):
                node.left = self.expr(left)
                node.comparators = [self.expr(others[0]), *others[1:]]
                return node
            case ast.Lambda() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return node
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self.expr(value))
            elif isinstance(value, list):
                setattr(node, name, [self.expr(v) if isinstance(v, ast.expr) else v for v in value])
        return node

    def item(self, node: ast.expr) -> ast.expr:
        """What becomes an item of a list."""
        if isinstance(node, ast.List) and node.elts:
            return self.together(node.elts, node)
        return self.expr(node)

    def lazily(self, node: ast.For) -> ast.expr:
        """What a loop goes through; it computes items of `map` and `filter` in their own turns.

        By then it may have changed what they are made of.
        """
        while True:
            match node.iter:
                case ast.Call(func=ast.Name(id="map" | "filter")):
                    found = self.items(node.iter)
                case _:
                    found = None
            if found is None:
                return node.iter
            value, (source,) = found
            body: list[ast.stmt] = [ast.Assign([node.target], value), *node.body]
            for test in reversed(source.ifs):
                body = [ast.If(test, body, [])]
            place(body, node.iter)
            node.target, node.iter, node.body = source.target, source.iter, body
            place([node], node.iter)

    def source(self, node: ast.expr) -> ast.expr:
        """What a comprehension goes through: nothing that it does changes what comes next."""
        match node:
            case ast.Call(func=ast.Name(id="map" | "filter")):
                found = self.items(node)
                return node if found is None else self.listed(found, node)
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed"), args=args):
                node.args = list(map(self.part, args))
                return node
            case ast.Subscript(slice=ast.Slice() as piece):
                mark(piece, LENT)
                node.value = self.expr(node.value)
                return node
            case ast.List(elts=elts) if any(isinstance(e, ast.Starred) for e in elts):
                name = self.name("list")
                self.display(elts, ast.Name(name, ast.Store()), node, lent=True)
                return load(name, node)
            case ast.Call(func=ast.Name(id="range")):
                return self.expr(node)
            case ast.Call():
                made = self.expr(node)
                again = isinstance(made, ast.Call)
                return load(self.set("items", made, node)) if again else made
        return self.expr(node)

    def turns(self, node: ast.expr) -> ast.expr:
        """The same where items of `map` and `filter` are computed in their own turns."""
        match node:
            case ast.Call(func=ast.Name(id="map" | "filter")) | ast.GeneratorExp():
                return node
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed"), args=args):
                node.args = list(map(self.turns, args))
                return node
            case ast.Call(func=ast.Name(id="range")) | ast.ListComp():
                return node
        return self.source(node)

    def part(self, node: ast.expr) -> ast.expr:
        """One of several sequences that are gone through together."""
        match node:
            case ast.Call(func=ast.Name(id="map" | "filter")) | ast.GeneratorExp():
                # `zip` asks no sequence for more items once another one has ended.
                if drawing(node, self.functions):
                    return node
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed")):
                if any(drawing(arg, self.functions) for arg in node.args):
                    return node
        return self.source(node)

    # ------------------------------------------------------------------ lists

    def together(self, items: Sequence[ast.expr], node: ast.expr) -> ast.expr:
        """A list of these items."""
        name = self.name("list")
        self.display(items, ast.Name(name, ast.Store()), node)
        return load(name, node)

    def display(
        self, items: Sequence[ast.expr], target: ast.Name, node: ast.AST, lent: bool = False
    ) -> None:
        """``target = [items]``; `lent` items are only read, and stay what they are."""
        own = target
        if any(mentions(item, target.id) for item in items):
            own = ast.Name(self.name("list"), ast.Store())
        self.emit(ast.Assign([own], ast.List([], ast.Load())), node)
        for item in items:
            if isinstance(item, ast.Starred):
                each = self.name("item")
                more = append(own.id, _lent(load(each)) if lent else load(each))
                several = [ast.comprehension(ast.Name(each, ast.Store()), item.value, [], 0)]
                several[0].iter = self.source(item.value)
                self.emit(loops(several, [more]), node)
            else:
                self.emit(append(own.id, _lent(item) if lent else item), node)
        if own is not target:
            self.emit(ast.Assign([target], load(own.id)), node)

    def filled(self, found: Items, target: ast.Name, node: ast.AST) -> None:
        """``target = [value for …]``."""
        value, generators = found
        generators[0].iter = self.source(generators[0].iter)  # how long it is, is known by then
        self.emit(ast.Assign([target], ast.List([], ast.Load())), node)
        self.emit(loops(generators, [append(target.id, value)]), node)

    def listed(self, found: Items, node: ast.expr) -> ast.expr:
        """A list of these items."""
        name = self.name("list")
        self.filled(found, ast.Name(name, ast.Store()), node)
        return load(name, node)

    def list_items(self, node: ast.expr) -> Items | None:
        """The items of a new list."""
        match node:
            case ast.ListComp():
                return self.items(node)
            case ast.Call(func=ast.Name(id="list"), args=[arg], keywords=[]):
                self.used.add("list")
                return self.items(arg)
            case ast.BinOp(op=ast.Mult(), left=ast.List(elts=[item]), right=times):
                return self.repeated(item, times, node)
            case ast.BinOp(op=ast.Mult(), left=times, right=ast.List(elts=[item])):
                return self.repeated(item, times, node)
        return None

    def repeated(self, item: ast.expr, times: ast.expr, node: ast.expr) -> Items | None:
        """``[item] * times``, which is no list of lists: these would be one and the same."""
        if not isinstance(item, _NUMBERS):
            return None
        self.used.add("range")
        held = self.set("item", item, node)
        # A number of floats is a range that nobody takes.
        several = ast.Call(ast.Name("range", ast.Load()), [times], [])
        counter = ast.Name(self.name("place"), ast.Store())
        return load(held), [ast.comprehension(counter, several, [], 0)]


def _lent(node: ast.expr) -> ast.expr:
    """`node` for somebody who only reads it."""
    return ast.Call(load(ir.LENT), [node], [])


def _apart(targets: Sequence[ast.expr]) -> bool:
    """Whether a value is taken apart, all of whose items are found before the first is assigned."""
    return len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List)
