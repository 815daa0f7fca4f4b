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
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autopar.nest import ir

SEQUENCES = frozenset(("sum", "any", "all", "min", "max", "list", "map", "filter"))
"""Builtins that are written out here."""

_PURE = frozenset(
    (
        "abs", "bool", "complex", "enumerate", "float", "int", "len", "range", "reversed", "round",
        "zip",
    )
)  # fmt: skip
"""Builtins that draw no random numbers, and have no effect but their value."""
_ODD = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.SetComp | ast.DictComp

MOVED = "_moved"
"""The attribute of a function that is called before what Python evaluates first."""

Items = tuple[ast.expr, list[ast.comprehension]]
"""What the items of a sequence are, and of what."""


class Builtins(ast.Pass):
    """A statement that does nothing, and says which builtins the text around it has called."""

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.names = names


def without(nodes: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`nodes` with comprehensions and their like written out."""
    if not any(_written_out(inner) for node in nodes for inner in ast.walk(node)):
        return nodes
    return _Loops().block(copy.deepcopy(list(nodes)))


def _written_out(node: ast.AST) -> bool:
    """Whether `node` is something that may be written out."""
    match node:
        case ast.ListComp() | ast.GeneratorExp():
            return True
        case ast.Call(func=ast.Name(id="map" | "filter")):
            return True
        case ast.Call(func=ast.Name(id="list"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Name(id="max" | "min"), args=[_], keywords=[ast.keyword("key")]):
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
    before
        What is to be done before the statement at hand.
    used
        Builtins that it calls.
    count
        Names of ours so far.
    """

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
        done = False
        if not _draws(node):
            _mark_moved(node)
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
            case ast.Assign(targets=[ast.Name() as target], value=value) if not _mentions(
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
        _place([made], node)
        self.before += self.block([made])

    def name(self, word: str) -> str:
        """A name that no user can write."""
        self.count += 1
        return f"<{word} {self.count}>"

    def set(self, word: str, value: ast.expr, node: ast.AST) -> str:
        """A name of ours with `value`."""
        name = self.name(word)
        self.emit(_assign(name, value), node)
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
                func=ast.Name(id="max" | "min" as name),
                args=[arg],
                keywords=[ast.keyword(arg="key", value=key)],
            ):
                found, item = self.items(arg), self.name("item")
                rank = None if found is None else _called(key, [item])
                if found is not None and rank is not None:
                    self.used.add(name)
                    return self.extreme(name, *found, node, item, rank)
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
            return _load(name, node)
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
            _place(body, node.iter)
            node.target, node.iter, node.body = source.target, source.iter, body
            _place([node], node.iter)

    def source(self, node: ast.expr) -> ast.expr:
        """What a comprehension goes through: nothing that it does changes what comes next."""
        match node:
            case ast.Call(func=ast.Name(id="map" | "filter")):
                found = self.items(node)
                return node if found is None else self.listed(found, node)
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed"), args=args):
                # `zip` asks no sequence for more items once another one has ended.
                node.args = [arg if _drawing(arg) else self.source(arg) for arg in args]
                return node
        return self.expr(node)

    # ------------------------------------------------------------------ lists

    def display(self, items: Sequence[ast.expr], target: ast.Name, node: ast.AST) -> None:
        """``target = [items]``."""
        own = target
        if any(_mentions(item, target.id) for item in items):
            own = ast.Name(self.name("list"), ast.Store())
        self.emit(ast.Assign([own], ast.List([], ast.Load())), node)
        for item in items:
            self.emit(_append(own.id, item), node)
        if own is not target:
            self.emit(ast.Assign([target], _load(own.id)), node)

    def filled(self, found: Items, target: ast.Name, node: ast.AST) -> None:
        """``target = [value for …]``."""
        value, generators = found
        generators[0].iter = self.source(generators[0].iter)  # how long it is, is known by then
        self.emit(ast.Assign([target], ast.List([], ast.Load())), node)
        self.emit(_loops(generators, [_append(target.id, value)]), node)

    def listed(self, found: Items, node: ast.expr) -> ast.expr:
        """A list of these items."""
        name = self.name("list")
        self.filled(found, ast.Name(name, ast.Store()), node)
        return _load(name, node)

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
        return _load(held), [ast.comprehension(counter, several, [], 0)]

    # ------------------------------------------------------------------ sequences

    def sequence(
        self, name: str, arg: ast.expr, rest: Sequence[ast.expr], node: ast.expr
    ) -> ast.expr | None:
        """``name(arg)`` for a sequence that can be gone through item by item."""
        # NumPy has functions of these names, and a whole array is for `nest.library`.
        whole = isinstance(arg, ast.Name | ast.Attribute | ast.Subscript) and name != "list"
        found = None if whole else self.items(arg)
        if found is None or name in ("map", "filter"):
            return None
        value, generators = found
        if name == "list":
            return self.listed(found, node)
        if name == "sum":
            if rest:
                total = self.set("sum", rest[0], node)
                more = _assign(total, ast.BinOp(_load(total), ast.Add(), value))
                self.emit(_loops(generators, [more]), node)
                return _load(total, node)
            # Zero in the type of the items: there must be some, unless they are ints themselves.
            total, some = self.name("sum"), self.set("some", ast.Constant(False), node)
            self.emit(_assign(total, _ours(f"{ir.START}{total}>")), node)
            more = _assign(total, ast.BinOp(_load(total), ast.Add(), value))
            self.emit(_loops(generators, [more, _assign(some, ast.Constant(True))]), node)
            self.emit(_assign(self.name("none"), _ours(f"{ir.BEGUN}{total}>", some)), node)
            return _load(total, node)
        if name in ("any", "all"):
            found_one = self.set(name, ast.Constant(name == "all"), node)
            test = value if name == "any" else ast.UnaryOp(ast.Not(), value)
            done = [_assign(found_one, ast.Constant(name == "any")), ast.Break()]
            flag: ast.expr = _load(found_one)
            flag = flag if name == "any" else ast.UnaryOp(ast.Not(), flag)
            self.emit(_loops(generators, [ast.If(test, done, [])], flag), node)
            return _load(found_one, node)
        return self.extreme(name, value, generators, node)

    def extreme(
        self,
        name: str,
        value: ast.expr,
        generators: list[ast.comprehension],
        node: ast.expr,
        item: str = "",
        key: ast.expr | None = None,
    ) -> ast.expr:
        """The first of the largest or smallest items, or of those whose `key` is."""
        some, item = self.set("some", ast.Constant(False), node), item or self.name("item")
        best = self.name(name)
        self.emit(_assign(best, _ours(f"{ir.NOTHING}{best}>")), node)
        better = ast.Gt() if name == "max" else ast.Lt()
        names = {item: best}  # what is compared comes last
        ranks: list[ast.stmt] = []
        if key is not None:
            rank, highest = self.name("key"), self.name("key")
            self.emit(_assign(highest, _ours(f"{ir.NOTHING}{highest}>")), node)
            names[rank] = highest
            ranks.append(_assign(rank, key))
        new, old = list(names.items())[-1]
        taken = [_assign(to, _load(of)) for of, to in names.items()]
        test = ast.Compare(_load(new), [better], [_load(old)])
        replaced = ast.If(test, copy.deepcopy(taken), [])
        first = [*taken, _assign(some, ast.Constant(True))]
        look = [_assign(item, value), *ranks, ast.If(_load(some), [replaced], first)]
        self.emit(_loops(generators, look), node)
        # Of no items Python raises an exception: so must the nest be given up.
        fail = _assign(self.name("none"), ast.BinOp(ast.Constant(1), ast.FloorDiv(), _zero(some)))
        self.emit(fail, node)
        return _load(best, node)

    def items(self, node: ast.expr) -> Items | None:
        """The items of a sequence, if it is one that is known by its form."""
        match node:
            case ast.GeneratorExp() | ast.ListComp():
                if any(g.is_async for g in node.generators):
                    return None
                return self.apart(node)
            case ast.Call(func=ast.Name(id="map"), args=[function, *sources], keywords=[]):
                names = [self.name("item") for _ in sources]
                value = _called(function, names)
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
                test = _called(function, [item])
                if test is None:
                    return None
                self.used.add("filter")
                target = ast.Name(item, ast.Store())
                return _load(item), [ast.comprehension(target, source, [test], 0)]
            case ast.Name() | ast.Attribute() | ast.Subscript():
                pass
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "range" | "reversed")):
                pass
            case _:
                return None
        item = self.name("item")
        return _load(item), [ast.comprehension(ast.Name(item, ast.Store()), node, [], 0)]

    def apart(self, node: ast.GeneratorExp | ast.ListComp) -> Items:
        """The parts of a comprehension, its variables under names that are its own."""
        targets = [n for g in node.generators for n in ast.walk(g.target)]
        own = {n.id: self.name(n.id) for n in targets if isinstance(n, ast.Name)}
        rename = _Renamed(own).visit
        for k, one in enumerate(node.generators):
            one.target = rename(one.target)
            one.iter = one.iter if k == 0 else rename(one.iter)
            one.ifs = list(map(rename, one.ifs))
        return rename(node.elt), node.generators


class _Renamed(ast.NodeTransformer):
    """Other names for some variables, but where an inner function has its own."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        args = node.args
        params = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        inner = {name: other for name, other in self.names.items() if name not in params}
        node.body = _Renamed(inner).visit(node.body)
        return node


def _called(function: ast.expr, names: Sequence[str]) -> ast.expr | None:
    """``function(*names)``; of a lambda, what it computes."""
    match function:
        case ast.Lambda(args=ast.arguments(args=params, defaults=[]) as own, body=body):
            others = (own.posonlyargs, own.kwonlyargs, own.vararg, own.kwarg)
            if any(others) or len(params) != len(names):
                return None
            meant = {p.arg: name for p, name in zip(params, names, strict=True)}
            made: ast.expr = _Renamed(meant).visit(copy.deepcopy(body))
            return made
        case ast.Name() | ast.Attribute():
            return ast.Call(function, [_load(name) for name in names], [])
    return None


def _loops(
    generators: Sequence[ast.comprehension], body: list[ast.stmt], done: ast.expr | None = None
) -> ast.stmt:
    """`body` in loops over `generators`, which are left once `done`."""
    first, *rest = generators
    inside = body
    if rest:
        inside = [_loops(rest, body, done)]
        if done is not None:
            inside.append(ast.If(copy.deepcopy(done), [ast.Break()], []))
    for test in reversed(first.ifs):
        inside = [ast.If(test, inside, [])]
    return ast.For(first.target, first.iter, inside, [])


def _place(nodes: Sequence[ast.AST], where: ast.AST) -> None:
    """Give what is ours in `nodes` the place of `where`."""
    for node in nodes:
        for inner in ast.walk(node):
            if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
                ast.copy_location(inner, where)


def _load(name: str, node: ast.AST | None = None) -> ast.Name:
    made = ast.Name(name, ast.Load())
    return made if node is None else ast.copy_location(made, node)


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _append(name: str, value: ast.expr) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(_load(name), "append", ast.Load()), [value], []))


def _ours(function: str, *args: str) -> ast.expr:
    """A call of something that has a meaning in the IR only."""
    return ast.Call(_load(function), [_load(arg) for arg in args], [])


def _zero(flag: str) -> ast.expr:
    """An integer that is zero unless `flag`."""
    return ast.BinOp(_load(flag), ast.Mult(), ast.Constant(1))


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))


def _mark_moved(node: ast.stmt) -> None:
    """Note of the calls in `node` which of them would change their places."""
    own = [e for e in ast.iter_child_nodes(node) if isinstance(e, ast.expr)]
    inner = [part for top in own for part in ast.walk(top)]
    if not any(_written_out(part) or _is_sequence(part) for part in inner):
        return
    in_place = {id(part) for top in _one_by_one(node) for part in ast.walk(top)}
    for part in inner:
        if isinstance(part, ast.Call) and id(part) not in in_place:
            for function in (part.func, *_handed(part)):
                setattr(function, MOVED, True)


def _one_by_one(node: ast.stmt) -> list[ast.AST]:
    """What a statement that consists of one sequence evaluates in turn for each item."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=value):
            pass
        case ast.AugAssign(target=ast.Name(), value=value) | ast.If(test=value):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[value])):
            pass
        case _:
            return []
    match value:
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in SEQUENCES:
            value = inner
    if not isinstance(value, ast.ListComp | ast.GeneratorExp):
        return []
    found: list[ast.AST] = [value.elt]
    for k, one in enumerate(value.generators):
        found += [*one.ifs, *([one.iter] if k else [])]
    return found


def _handed(node: ast.AST) -> list[ast.expr]:
    """Functions that `node` calls for each item of a sequence."""
    match node:
        case ast.Call(func=ast.Name(id="map" | "filter"), args=[function, *_]):
            return [function]
        case ast.Call(func=ast.Name(id="max" | "min"), keywords=[ast.keyword("key", key)]):
            return [key]
    return []


def _is_sequence(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in SEQUENCES
    return False


def _draws(node: ast.stmt) -> bool:
    """Whether to move a part of `node` may change which random number goes where."""
    own = [e for e in ast.iter_child_nodes(node) if isinstance(e, ast.expr)]
    inner = [part for top in own for part in ast.walk(top)]
    if any(isinstance(part, _ODD) for part in inner):
        return True
    return sum(map(_drawing_itself, inner)) > 1


def _drawing(node: ast.expr) -> bool:
    """Whether `node` may draw random numbers."""
    return any(map(_drawing_itself, ast.walk(node)))


def _drawing_itself(node: ast.AST) -> bool:
    match node:
        case ast.Call() if _handed(node):
            return any(isinstance(f, ast.Name) and _unknown(f) for f in _handed(node))
        case ast.Call(func=function):
            return _unknown(function)
    return False


def _unknown(function: ast.expr) -> bool:
    match function:
        case ast.Name(id=name):
            return name not in _PURE and name not in SEQUENCES
        case ast.Attribute(value=ast.Name(id="np" | "numpy" | "math")):
            return False
        case ast.Attribute(attr="append"):
            return False
    return True
