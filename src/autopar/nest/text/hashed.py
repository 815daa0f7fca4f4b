"""Sets and dictionaries of integers, or of tuples of integers, that a nest makes, as hash tables.

``seen = set()`` becomes a list of what has been added, in that order, one for each number of its
items, and chains through it: ``heads`` has the latest item of each bucket, and ``next`` of each
item the one before it there.  ``seen.add((x, y))`` and ``(x, y) in seen`` go through a chain::

    at = heads[hash(x, y) & len(heads) - 1]
    while at >= 0 and (x != xs[at] or y != ys[at]):
        at = next[at]

Of a dictionary, another list has the values; what it is gone through is in the order in which keys
have come.  A set is taken where nothing in the nest depends on Python's order; whoever looks at it
afterwards finds one that has been filled in the same order.

References
----------
D. E. Knuth, The Art of Computer Programming 3, section 6.4, algorithm C with separate lists.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence

from autopar.nest import ir
from autopar.nest.text.building import (
    Renamed,
    Rewriting,
    append,
    assign,
    load,
    ours,
    place,
)
from autopar.nest.text.comprehensions import Builtins
from autopar.nest.text.held import Held
from autopar.nest.text.lookups import (
    Begun,
    Kind,
    beginning,
    in_order,
    keys_of,
    lookup,
    stored_in,
    what_of,
)
from autopar.nest.text.reading import LENGTH
from autopar.nest.text.shapes import (
    Shape,
    Unlike,
    guessed,
    item_of,
    leaves_of,
    numbers,
    shape_of_all,
    width,
)
from autopar.nest.trees import all_copied, copied, every
from autopar.records import dataclass

WORDS = frozenset(("Counter", "defaultdict", "dict", "set"))
_BUCKETS = 8
_FACTOR = 1000003  # larger than most coordinates, so that few tuples are mixed to the same number
_FOUND = """
B = (M ^ M >> 15) & LENGTH(HEADS) - 1
P = HEADS[B]
while P >= 0 and (OTHER):
    P = NEXT[P]
"""
_ADDED = """
if P < 0:
    P = LENGTH(NEXT)
    MORE
    NEXT.append(HEADS[B])
    HEADS[B] = P
    N = LENGTH(HEADS)
    if P >= N:
        Q = 0
        while Q < N:
            HEADS[Q] = -1
            HEADS.append(-1)
            Q = Q + 1
        Q = 0
        while Q <= P:
            B = (M ^ M >> 15) & 2 * N - 1
            NEXT[Q] = HEADS[B]
            HEADS[B] = Q
            Q = Q + 1
"""


def as_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with lists in place of these.

    Parameters
    ----------
    live
        Whether a name may be read afterwards.
    """
    parts = [part for node in nodes for part in every(node)]
    kinds: dict[str, set[Kind]] = {}
    odd = set()
    for part in parts:
        begun = beginning(part)
        if begun is not None:
            kinds.setdefault(begun.name, set()).add(begun.kind)
            odd |= set() if in_order(part) else {begun.name}
    tables, names = {}, guessed(parts) if kinds else {}
    for name, (kind, *others) in kinds.items():
        if not others and not (name in odd and live(name)):
            keys = keys_of(nodes, parts, name, kind)
            if keys:
                with contextlib.suppress(Unlike):
                    tables[name] = _Table(name, kind, shape_of_all(keys, names), live(name))
    return _Tables(tables).block(all_copied(nodes)) if tables else nodes


@dataclass(frozen=True, slots=True)
class _Table:
    """The lists for a set or a dictionary.

    Attributes
    ----------
    live
        Whether there must be one in the end.
    """

    name: str
    kind: Kind
    shape: Shape
    live: bool

    @property
    def heads(self) -> str:
        return f"<heads of {self.name}>"

    @property
    def next(self) -> str:
        return f"<next of {self.name}>"

    @property
    def values(self) -> str:
        return f"<values of {self.name}>"

    @property
    def keys(self) -> list[str]:
        return [f"<keys {k} of {self.name}>" for k in range(width(self.shape))]

    @property
    def length(self) -> ast.expr:
        return ours(LENGTH, self.next)

    @property
    def held(self) -> Held:
        """What says so, if there must be one in the end."""
        kind, word = self.kind, self.kind.made.rpartition(".")[2]
        if kind.fills:
            word += f" {type(kind.missing).__name__}"
        values = self.values if kind.valued else ""
        return Held(self.name, word or ("dict" if kind.valued else "set"), self.leaves, values)

    @property
    def leaves(self) -> ir.Leaves:
        """The lists of its keys, as their numbers are in these."""
        return leaves_of(iter(self.keys), self.shape)

    def key(self, at: str) -> ast.expr:
        """The key of the item there."""
        there = (ast.Subscript(load(one), load(at), ast.Load()) for one in self.keys)
        return item_of(there, self.shape)

    def value(self, at: str) -> ast.expr:
        """The value of the item there, if there is one."""
        some = ast.Compare(load(at), [ast.GtE()], [ast.Constant(0)])
        where = ast.Call(load(ir.GIVEN), [load(at), some], [])
        return ast.Subscript(load(self.values), where, ast.Load())


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a key is, or would be: the names for its place, its bucket, and its numbers."""

    at: str
    bucket: str
    numbers: tuple[str, ...]
    given: tuple[str, ...]

    def key(self, shape: Shape) -> ast.expr:
        """The key, of that shape."""
        return item_of(map(load, self.given), shape)


class _Tables(Rewriting):
    """Statements and expressions about tables, about lists."""

    def __init__(self, tables: dict[str, _Table]) -> None:
        self.tables = tables
        self.count = 0

    # ------------------------------------------------------------------ statements

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        begun, stored, made = beginning(node), stored_in(node), list[ast.stmt]()
        if begun is not None and begun.name in self.tables:
            return self.begun(begun, node)
        node.value = self.expr(node.value, made)
        if stored is None or stored[0] not in self.tables:
            node.targets = [self.expr(target, made) for target in node.targets]
            return self.placed([*made, node], node)
        table = self.tables[stored[0]]
        self.put(table, stored[1], node.value, made)
        return self.placed(made, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        begun, made = beginning(node), list[ast.stmt]()
        if begun is not None and begun.name in self.tables:
            return self.begun(begun, node)
        if node.value is not None:
            node.value = self.expr(node.value, made)
        return self.placed([*made, node], node)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        stored, made = stored_in(node), list[ast.stmt]()
        if stored is None or stored[0] not in self.tables:
            target = self.expr(node.target, made)
            assert isinstance(target, ast.Name | ast.Attribute | ast.Subscript)
            node.target, node.value = target, self.expr(node.value, made)
            return self.placed([*made, node], node)
        table = self.tables[stored[0]]
        key, missing = self.expr(stored[1], made), table.kind.missing
        if table.kind.fills:
            place = self.added(table, key, made, ast.Constant(missing))
        else:
            place = self.found(table, key, made)
        before = table.value(place.at)
        if missing is not None:
            there = ast.Compare(load(place.at), [ast.GtE()], [ast.Constant(0)])
            before = ast.IfExp(there, before, ast.Constant(missing))
        old, new = self.name("value", table), self.name("value", table)
        made.append(assign(old, before))
        value = ast.BinOp(load(old), node.op, self.expr(node.value, made))
        made.append(assign(new, value))
        if missing is not None and not table.kind.fills:  # it is there once there is a value
            place = self.added(table, place.key(table.shape), made, load(new))
        made.append(self.store(table, place, load(new)))
        return self.placed(made, node)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        stored, made = stored_in(node), list[ast.stmt]()
        if stored is not None and stored[0] in self.tables:
            table = self.tables[stored[0]]
            self.added(table, self.expr(stored[1], made), made)
            return self.placed(made, node)
        node.value = self.expr(node.value, made)
        return self.placed([*made, node], node)

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        if node.value is not None:
            node.value = self.expr(node.value, made)
        return self.placed([*made, node], node)

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        node.test = self.expr(node.test, made)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return self.placed([*made, node], node)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        test = self.expr(node.test, made)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        if made:  # looked up before each iteration
            leave = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
            node.test, node.body = ast.Constant(True), [*made, leave, *node.body]
        else:
            node.test = test
        return self.placed([node], node)

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        word = None
        for name, table in self.tables.items():
            word = what_of(node, name)
            if word is not None:
                self.gone_through(node, table, word)
                break
        if word is None:
            node.iter = self.expr(node.iter, made)
        first = 0 if word is None else 1
        node.body = [*node.body[:first], *self.block(node.body[first:])]
        node.orelse = self.block(node.orelse)
        return self.placed([*made, node], node)

    def gone_through(self, node: ast.For, table: _Table, word: str) -> None:
        """Let `node` go through places, and begin with what is there."""
        at = self.name("place", table)
        value = ast.Subscript(load(table.values), load(at), ast.Load())
        items = {"keys": table.key(at), "values": value}
        item = items.get(word) or ast.Tuple([table.key(at), value], ast.Load())
        node.body.insert(0, ast.Assign([node.target], item))
        node.target = ast.Name(at, ast.Store())
        node.iter = ast.Call(load("range"), [table.length], [])

    # ------------------------------------------------------------------ tables

    def begun(self, begun: Begun, node: ast.stmt) -> list[ast.stmt]:
        table, kind = self.tables[begun.name], begun.kind
        called = {"len", "range", *([kind.made] if kind.made else [])}
        if kind.fills:
            called |= {"int" if type(kind.missing) is int else "float"}
        made: list[ast.stmt] = [Builtins(frozenset(called)), *([table.held] if table.live else [])]
        for one in (table.next, *table.keys, *([table.values] if kind.valued else [])):
            made.append(assign(one, ast.List([], ast.Load())))
        bucket: ast.expr = ast.List([ast.Constant(-1)], ast.Load())
        made.append(assign(table.heads, ast.BinOp(bucket, ast.Mult(), ast.Constant(_BUCKETS))))
        for k, key in enumerate(begun.keys):
            there = self.expr(key, made)
            if kind.valued:
                given = []
                for number in self.numbers(table, there, made):
                    given.append(self.name("key", table))
                    made.append(assign(given[-1], number))
                there = item_of(map(load, given), table.shape)
                self.put(table, there, self.expr(begun.values[k], made), made)
            else:
                self.added(table, there, made)
        return self.placed(made, node)

    def put(self, table: _Table, key: ast.expr, given: ast.expr, made: list[ast.stmt]) -> None:
        """Put the value that is `given` under `key`, which is evaluated after it."""
        value = self.name("value", table)
        made.append(assign(value, given))
        place = self.added(table, self.expr(key, made), made, load(value))
        made.append(self.store(table, place, load(value)))

    def store(self, table: _Table, place: _Place, value: ast.expr) -> ast.stmt:
        target = ast.Subscript(load(table.values), load(place.at), ast.Store())
        return ast.Assign([target], value)

    def found(self, table: _Table, key: ast.expr, made: list[ast.stmt]) -> _Place:
        """Look up `key`; the place is below zero where it is not there."""
        given, found = [], []
        for number in self.numbers(table, key, made):
            given.append(self.name("key", table))
            found.append(self.name("number", table))
            made.append(assign(given[-1], number))
            made.append(assign(found[-1], ours("<index>", given[-1])))
        place = _Place(
            self.name("place", table), self.name("bucket", table), tuple(found), tuple(given)
        )
        mixed = self.name("mixed", table)
        made.append(assign(mixed, self.mixed([load(one) for one in found])))
        pairs = zip(found, table.keys, strict=True)
        others = " or ".join(f"K{k} != L{k}[P]" for k, _ in enumerate(pairs))
        words = {f"K{k}": one for k, one in enumerate(found)}
        words |= {f"L{k}": one for k, one in enumerate(table.keys)} | {"M": mixed}
        made += self.filled(_FOUND.replace("OTHER", others), table, place, words)
        return place

    def added(
        self, table: _Table, key: ast.expr, made: list[ast.stmt], value: ast.expr | None = None
    ) -> _Place:
        """Look up `key`, and put it there, with `value`, unless it is there already."""
        place = self.found(table, key, made)
        more = [
            append(one, load(given)) for one, given in zip(table.keys, place.given, strict=True)
        ]
        if value is not None:
            more.append(append(table.values, copied(value)))
        again = [self.name("number", table) for _ in table.keys]
        mixed, last = self.name("mixed", table), self.name("last", table)
        count = self.name("count", table)
        words = {"M": mixed, "Q": last, "N": count}
        (whole,) = self.filled(_ADDED, table, place, words)
        assert isinstance(whole, ast.If)
        whole.body[1:2] = more
        grown = whole.body[-1]
        assert isinstance(grown, ast.If)
        again_through = grown.body[-1]
        assert isinstance(again_through, ast.While)
        items = (ast.Subscript(load(one), load(last), ast.Load()) for one in table.keys)
        found = [
            assign(a, ast.Call(load("<index>"), [i], [])) for a, i in zip(again, items, strict=True)
        ]
        found.append(assign(mixed, self.mixed([load(one) for one in again])))
        again_through.body[:0] = found
        made.append(whole)
        return place

    def numbers(self, table: _Table, key: ast.expr, made: list[ast.stmt]) -> Iterator[ast.expr]:
        """The numbers of a key."""
        return numbers(key, table.shape, made, lambda: self.name("tuple", table))

    def mixed(self, numbers: list[ast.expr]) -> ast.expr:
        """A number that says little of each of `numbers`."""
        whole, *others = numbers
        for one in others:
            whole = ast.BinOp(ast.BinOp(whole, ast.Mult(), ast.Constant(_FACTOR)), ast.Add(), one)
        return whole

    def filled(
        self, text: str, table: _Table, place: _Place, words: dict[str, str]
    ) -> list[ast.stmt]:
        """The statements of `text`, with these names."""
        names = {"B": place.bucket, "P": place.at, "HEADS": table.heads, "NEXT": table.next}
        renamed = Renamed({**names, "LENGTH": LENGTH, **words})
        return [renamed.visit(stmt) for stmt in ast.parse(text).body]

    # ------------------------------------------------------------------ expressions

    def expr(self, node: ast.expr, made: list[ast.stmt]) -> ast.expr:
        """`node`, of which all that is looked up is looked up by what is `made`."""
        found = lookup(node, True)
        if found is None or found.name not in self.tables:
            if not isinstance(
                node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
            ):
                for field, value in ast.iter_fields(node):
                    if isinstance(value, ast.expr):
                        setattr(node, field, self.expr(value, made))
                    elif isinstance(value, list):
                        parts = [
                            self.expr(v, made) if isinstance(v, ast.expr) else v for v in value
                        ]
                        setattr(node, field, parts)
            return node
        table = self.tables[found.name]
        if found.key is None:
            return table.length
        at = self.found(table, self.expr(found.key, made), made).at
        there = ast.Compare(load(at), [ast.GtE()], [ast.Constant(0)])
        match node:
            case ast.Compare(ops=[ast.In()]):
                return there
            case ast.Compare():
                return ast.Compare(load(at), [ast.Lt()], [ast.Constant(0)])
            case ast.Call(args=[_, default]):
                return ast.IfExp(there, table.value(at), default)
        return table.value(at)

    def name(self, word: str, table: _Table) -> str:
        """A name that no user can write."""
        self.count += 1
        return f"<{word} {self.count} of {table.name}>"

    def placed(self, made: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
        place(made, node)
        return made
