"""Comprehensions and their like, as the loops that they mean.

``y = [f(v) for v in x if v > 0]`` becomes::

    y = []
    for <v> in x:
        if <v> > 0:
            y.append(f(<v>))

and ``sum``, ``any``, ``all``, ``min``, ``max``, ``list``, ``map`` and ``filter`` of such sequences
become loops as well, in front of the statement that they stand in.  Nothing that runs there can be
seen from outside, so the order does not matter, but for calls that nobody knows: they may draw
random numbers.  What is evaluated under a condition is left alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autopar.nest import folding, inner, ir
from autopar.nest.building import (
    Renamed,
    append,
    assign,
    called,
    load,
    loops,
    mentions,
    ours,
    place,
    spread,
    stores,
    zero,
)
from autopar.nest.drawing import SEQUENCES, drawing, draws

Items = tuple[ast.expr, list[ast.comprehension]]
"""What the items of a sequence are, and of what."""


class Builtins(ast.Pass):
    """A statement that does nothing, and says which builtins the text around it has called."""

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.names = names


def without(
    nodes: Sequence[ast.stmt], functions: Mapping[str, inner.Own] | None = None
) -> Sequence[ast.stmt]:
    """`nodes` with comprehensions and their like written out, and calls of these `functions`."""
    parts = (part for node in nodes for part in ast.walk(node))
    if not functions and not any(map(_written_out, parts)):
        return nodes
    return _Loops(functions or {}).block(copy.deepcopy(list(nodes)))


def _written_out(node: ast.AST) -> bool:
    """Whether `node` is something that may be written out."""
    match node:
        case ast.ListComp() | ast.GeneratorExp():
            return True
        case ast.Call(func=ast.Name(id="map" | "filter")):
            return True
        case ast.Call(func=ast.Name(id="list"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Name(id="min" | "max"), keywords=[ast.keyword("key")]):
            return True
        case ast.Call(func=func) if folding.named(func) is not None:
            return True
        case ast.BinOp(op=ast.Mult(), left=ast.List(elts=[_])):
            return True
        case ast.BinOp(op=ast.Mult(), right=ast.List(elts=[_])):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.List(elts=elts)):
            return bool(elts)
        case ast.Call(func=ast.Attribute(attr="append"), args=[ast.List(elts=elts)]):
            return bool(elts)
    return False


@dataclass(slots=True)
class _Loops:
    """What is written out.

    Attributes
    ----------
    functions
        Those that the text around defines for itself.
    before
        What is to be done before the statement at hand.
    used
        Builtins that it calls, and the like.
    count
        Names of ours so far.
    """

    functions: Mapping[str, inner.Own]
    before: list[ast.stmt] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    count: int = 0

    # ------------------------------------------------------------------ statements

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [made for node in nodes for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """`node`, and before it the loops that it needs."""
        outside, used = self.before, self.used
        self.before, self.used = [], set()
        done = not draws(node, self.functions) and self.top(node)
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
            case ast.Assign(targets=[ast.Name() as target], value=value) if not mentions(
                value, target.id
            ):
                found = self.list_items(value)
                if found is not None:
                    self.filled(found, target, node)
                    return True
                node.value = self.expr(value)
            case ast.Assign(targets=targets, value=value):
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

    def emit(self, made: ast.stmt, node: ast.AST) -> None:
        """Do `made` before the statement at hand, in the place of `node`."""
        place([made], node)
        self.before += self.block([made])

    def name(self, word: str) -> str:
        """A name that no user can write."""
        self.count += 1
        return f"<{word} {self.count}>"

    def set(self, word: str, value: ast.expr, node: ast.AST) -> str:
        """A name of ours with `value`."""
        name = self.name(word)
        self.emit(assign(name, value), node)
        return name

    # ------------------------------------------------------------------ expressions

    def expr(self, node: ast.expr) -> ast.expr:
        """`node`, with names for what has been computed before it."""
        match node:
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
            name = self.name("list")
            self.display(node.elts, ast.Name(name, ast.Store()), node)
            return load(name, node)
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
                piece.lent = True  # type: ignore[attr-defined]
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
        if not isinstance(item, ast.Constant | ast.Name | ast.UnaryOp):
            return None
        self.used.add("range")
        held = self.set("item", item, node)
        # A number of floats is a range that nobody takes.
        several = ast.Call(ast.Name("range", ast.Load()), [times], [])
        counter = ast.Name(self.name("place"), ast.Store())
        return load(held), [ast.comprehension(counter, several, [], 0)]

    # ------------------------------------------------------------------ sequences

    def sequence(
        self,
        name: str,
        arg: ast.expr,
        rest: Sequence[ast.expr],
        node: ast.expr,
        key: ast.expr | None = None,
    ) -> ast.expr | None:
        """``name(arg)`` for a sequence that can be gone through item by item."""
        # NumPy has functions of these names, and a whole array is for `nest.library`.
        named = isinstance(arg, ast.Name | ast.Attribute | ast.Subscript)
        whole = named and name != "list" and key is None
        found = None if whole else self.items(arg)
        if found is None or name in ("map", "filter"):
            return None
        value, generators = found
        if name == "list":
            return self.listed(found, node)
        generators[0].iter = self.turns(generators[0].iter)
        if name == "sum":
            if rest:
                total = self.set("sum", rest[0], node)
                more = assign(total, ast.BinOp(load(total), ast.Add(), value))
                self.emit(loops(generators, [more]), node)
                return load(total, node)
            # Zero in the type of the items: there must be some, unless they are ints themselves.
            total, some = self.name("sum"), self.set("some", ast.Constant(False), node)
            self.emit(assign(total, ours(f"{ir.START}{total}>")), node)
            more = assign(total, ast.BinOp(load(total), ast.Add(), value))
            self.emit(loops(generators, [more, assign(some, ast.Constant(True))]), node)
            self.emit(assign(self.name("none"), ours(f"{ir.BEGUN}{total}>", some)), node)
            return load(total, node)
        if name in ("any", "all"):
            found_one = self.set(name, ast.Constant(name == "all"), node)
            test = value if name == "any" else ast.UnaryOp(ast.Not(), value)
            done = [assign(found_one, ast.Constant(name == "any")), ast.Break()]
            flag: ast.expr = load(found_one)
            flag = flag if name == "any" else ast.UnaryOp(ast.Not(), flag)
            self.emit(loops(generators, [ast.If(test, done, [])], flag), node)
            return load(found_one, node)
        return self.extreme(name, value, generators, node, key)

    def extreme(
        self,
        name: str,
        value: ast.expr,
        generators: list[ast.comprehension],
        node: ast.expr,
        key: ast.expr | None,
    ) -> ast.expr | None:
        """The first of the largest or smallest items, or of those whose `key` is."""
        item, best = self.name("item"), self.name(name)
        rank, most = (item, best) if key is None else (self.name("key"), self.name("most"))
        by = None if key is None else called(key, [item])
        if key is not None and by is None:
            return None
        some = self.set("some", ast.Constant(False), node)
        for one in dict.fromkeys((best, most)):
            self.emit(assign(one, ours(f"{ir.NOTHING}{one}>")), node)
        better = ast.Gt() if name == "max" else ast.Lt()
        taken = [assign(one, load(other)) for one, other in {best: item, most: rank}.items()]
        replaced = ast.If(ast.Compare(load(rank), [better], [load(most)]), copy.deepcopy(taken), [])
        first = [*taken, assign(some, ast.Constant(True))]
        ranked = [] if by is None else [assign(rank, by)]
        look = [assign(item, value), *ranked, ast.If(load(some), [replaced], first)]
        self.emit(loops(generators, look), node)
        # Of no items Python raises an exception: so must the nest be given up.
        fail = assign(self.name("none"), ast.BinOp(ast.Constant(1), ast.FloorDiv(), zero(some)))
        self.emit(fail, node)
        return load(best, node)

    def reduced(
        self, function: ast.expr, arg: ast.expr, rest: Sequence[ast.expr], node: ast.expr
    ) -> ast.expr | None:
        """``reduce(function, arg, *rest)``."""
        several = folding.zipped(arg)
        item = self.name("item")
        if several is None and not isinstance(arg, ast.Name | ast.Attribute | ast.Subscript):
            found = self.items(arg) if rest else None
            total = self.name("total")
            more = called(function, [total, item])
            if found is None or more is None:
                return None
            value, generators = found
            generators[0].iter = self.source(generators[0].iter)
            self.emit(assign(total, rest[0]), node)
            self.emit(loops(generators, [assign(item, value), assign(total, more)]), node)
            return load(total, node)
        parts = [self.source(part) for part in several or [arg]]
        if called(function, [item, item]) is None or (several is not None and not rest):
            return None
        sources = [
            p if isinstance(p, ast.Name) else load(self.set("items", p, node)) for p in parts
        ]
        if several is not None:
            self.used.add("zip")

        def step(total: str, names: Sequence[str]) -> ast.expr:
            made = called(function, [total, item])
            assert made is not None
            return spread(made, item, names) if several is not None else _renamed(made, item, names)

        total = self.name("total")
        if rest:
            # What comes of a step may have another type than what it starts from: ``0 + 0.5``.
            begin = self.set("total", rest[0], node)
            first = [self.set("item", folding.first(p), node) for p in sources]
            self.emit(assign(total, step(begin, first)), node)
        else:
            self.emit(assign(total, folding.first(sources[0])), node)
        names = [self.name("item") for _ in sources]
        self.emit(folding.others(names, sources, assign(total, step(total, names))), node)
        return load(total, node)

    def inlined(self, own: inner.Own, args: Sequence[ast.expr], node: ast.expr) -> ast.expr:
        """What a call of a function of the text's own comes to."""
        meant: dict[str, str] = {name: self.name(name) for name in sorted(own.stored)}
        for param, arg in zip(own.params, args, strict=True):
            if isinstance(arg, ast.Name) and param not in meant:
                meant[param] = arg.id
            else:
                held = meant.setdefault(param, self.name(param))
                self.emit(assign(held, arg), node)
        body, result = own.copied(meant)
        for stmt in body:
            self.emit(stmt, node)
        place([result], node)
        return self.expr(result)

    def items(self, node: ast.expr) -> Items | None:
        """The items of a sequence, if it is one that is known by its form."""
        match node:
            case ast.GeneratorExp() | ast.ListComp():
                if any(g.is_async for g in node.generators):
                    return None
                return self.apart(node)
            case ast.Call(func=ast.Name(id="map"), args=[function, *sources], keywords=[]):
                names = [self.name("item") for _ in sources]
                value = called(function, names)
                if value is None or not names:
                    return None
                self.used.add("map")
                target: ast.expr = ast.Name(names[0], ast.Store())
                source = sources[0]
                if len(names) > 1:
                    self.used.add("zip")
                    target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
                    source = ast.Call(ast.Name("zip", ast.Load()), sources, [])
                return value, [ast.comprehension(target, source, [], 0)]
            case ast.Call(func=ast.Name(id="filter"), args=[function, source], keywords=[]):
                item = self.name("item")
                test = called(function, [item])
                if test is None:
                    return None
                self.used.add("filter")
                target = ast.Name(item, ast.Store())
                return load(item), [ast.comprehension(target, source, [test], 0)]
            case ast.Name() | ast.Attribute() | ast.Subscript():
                pass
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "range" | "reversed")):
                pass
            case _:
                return None
        item = self.name("item")
        return load(item), [ast.comprehension(ast.Name(item, ast.Store()), node, [], 0)]

    def apart(self, node: ast.GeneratorExp | ast.ListComp) -> Items:
        """The parts of a comprehension, its variables under names that are its own."""
        targets = [n for g in node.generators for n in ast.walk(g.target)]
        own = {n.id: self.name(n.id) for n in targets if isinstance(n, ast.Name)}
        rename = Renamed(own).visit
        for k, one in enumerate(node.generators):
            one.target = rename(one.target)
            one.iter = one.iter if k == 0 else rename(one.iter)
            one.ifs = list(map(rename, one.ifs))
        return self.spread(rename(node.elt), node.generators)

    def spread(self, value: ast.expr, generators: list[ast.comprehension]) -> Items:
        """The same where a name is a tuple of what is gone through together: a name for each."""
        for k, one in enumerate(generators):
            several = folding.zipped(one.iter)
            if several is None or not isinstance(one.target, ast.Name):
                continue
            name = one.target.id
            after = [*one.ifs, value, *(e for g in generators[k + 1 :] for e in ast.walk(g.iter))]
            if any(stores(part, name) for part in (*after, *generators[k + 1 :])):
                continue
            names = [self.name("item") for _ in several]
            one.target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
            one.ifs = [spread(test, name, names) for test in one.ifs]
            for later in generators[k + 1 :]:
                later.iter = spread(later.iter, name, names)
                later.ifs = [spread(test, name, names) for test in later.ifs]
            value = spread(value, name, names)
        return value, generators


def _lent(node: ast.expr) -> ast.expr:
    """`node` for somebody who only reads it."""
    return ast.Call(load(ir.LENT), [node], [])


def _renamed(node: ast.expr, name: str, names: Sequence[str]) -> ast.expr:
    made: ast.expr = Renamed({name: names[0]}).visit(node)
    return made
