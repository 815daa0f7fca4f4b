"""What ``sum``, ``max``, ``reduce`` and their like make of what they go through, as loops."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from autopar.nest import ir
from autopar.nest.text import folding, inner
from autopar.nest.text.building import (
    Renamed,
    assign,
    called,
    load,
    loops,
    ours,
    place,
    spread,
    stores,
    zero,
)
from autopar.nest.trees import all_copied, every
from autopar.records import dataclass, field

Items = tuple[ast.expr, list[ast.comprehension]]
"""What the items of a sequence are, and of what."""


@dataclass(slots=True)
class Sequences:
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

    @abstractmethod
    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        """`nodes`, written out."""

    @abstractmethod
    def expr(self, node: ast.expr) -> ast.expr:
        """`node`, with names for what has been computed before it."""

    @abstractmethod
    def source(self, node: ast.expr) -> ast.expr:
        """What a comprehension goes through."""

    @abstractmethod
    def turns(self, node: ast.expr) -> ast.expr:
        """The same where items of `map` and `filter` are computed in their own turns."""

    @abstractmethod
    def listed(self, found: Items, node: ast.expr) -> ast.expr:
        """A list of these items."""

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
        match arg:
            case ast.Call(func=func, args=[inner, *others], keywords=[]) if (
                name == "list" and folding.named(func) == "accumulate" and len(others) < 2
            ):
                return self.accumulated(func, inner, others, node)
        # NumPy has functions of these names, and a whole array is for `nest.arrays.library`.
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
                self.added(total, value, generators, [], node)
                self.emit(assign(self.name("none"), ours(f"{ir.SUMMED}{total}>")), node)
                return load(total, node)
            # Zero in the type of the items: there must be some, unless they are ints themselves.
            total, some = self.name("sum"), self.set("some", ast.Constant(False), node)
            self.emit(assign(total, ours(f"{ir.START}{total}>")), node)
            self.added(total, value, generators, [assign(some, ast.Constant(True))], node)
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

    def added(
        self,
        total: str,
        value: ast.expr,
        generators: list[ast.comprehension],
        also: list[ast.stmt],
        node: ast.expr,
    ) -> None:
        """Add up all items, and what is lost to rounding where this Python does so."""
        if not ir.COMPENSATED:
            more = assign(total, ast.BinOp(load(total), ast.Add(), value))
            self.emit(loops(generators, [more, *also]), node)
            return
        lost, item = self.set("lost", ast.Constant(0.0), node), self.name("item")
        steps = [
            assign(item, value),
            assign(lost, ours(f"{ir.LOST}{total}>", lost, total, item)),
            assign(total, ast.BinOp(load(total), ast.Add(), load(item))),
        ]
        self.emit(loops(generators, [*steps, *also]), node)
        self.emit(assign(total, ours(f"{ir.WHOLE}{total}>", total, lost)), node)

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
        replaced = ast.If(ast.Compare(load(rank), [better], [load(most)]), all_copied(taken), [])
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

    def accumulated(
        self, func: ast.expr, arg: ast.expr, rest: Sequence[ast.expr], node: ast.expr
    ) -> ast.expr | None:
        """``list(accumulate(arg, *rest))``: running sums, or what a function makes of them."""
        total, item = self.name("total"), self.name("item")
        more: ast.expr | None = ast.BinOp(load(total), ast.Add(), load(item))
        if rest:
            more = called(rest[0], [total, item])
        found = self.items(arg)
        if more is None or (found is None and not isinstance(arg, ast.Name | ast.Attribute)):
            return None
        if found is None:
            each = ast.comprehension(ast.Name(item, ast.Store()), arg, [], 0)
            found = load(item), [each]
        value, generators = found
        generators[0].iter = self.source(generators[0].iter)
        made, some = self.name("list"), self.set("some", ast.Constant(False), node)
        self.emit(assign(total, ours(f"{ir.NOTHING}{total}>")), node)
        self.emit(assign(made, ast.List([], ast.Load())), node)
        begin = [assign(total, load(item)), assign(some, ast.Constant(True))]
        grown = ast.Call(ast.Attribute(load(made), "append", ast.Load()), [load(total)], [])
        body = [
            *([] if isinstance(value, ast.Name) and value.id == item else [assign(item, value)]),
            ast.If(load(some), [assign(total, more)], begin),
            ast.Expr(grown),
        ]
        self.emit(loops(generators, body), node)
        self.used.add(ast.unparse(func))
        return load(made, node)

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
        targets = [n for g in node.generators for n in every(g.target)]
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
            after = [*one.ifs, value, *(e for g in generators[k + 1 :] for e in every(g.iter))]
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


def _renamed(node: ast.expr, name: str, names: Sequence[str]) -> ast.expr:
    made: ast.expr = Renamed({name: names[0]}).visit(node)
    return made
