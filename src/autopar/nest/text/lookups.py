"""What is done with sets and dictionaries of a nest's own, as far as it is known; see `hashed`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autopar.nest.text.building import in_scope_of_its_own, mentions, often
from autopar.nest.text.pieces import begins_first
from autopar.nest.trees import every
from autopar.records import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name stands for.

    Attributes
    ----------
    valued
        Whether it is a dictionary.
    made
        What is called to make it, if that is said.
    missing
        What is under a key that is not there when something is added to it; None: an exception.
    """

    valued: bool
    made: str = ""
    missing: float | None = None

    @property
    def fills(self) -> bool:
        """Whether a key that is asked for is there from then on."""
        return self.made.rpartition(".")[2] == "defaultdict"


@dataclass(frozen=True, slots=True)
class Begun:
    """What begins under a name, with these keys; and the values of a dictionary."""

    name: str
    kind: Kind
    keys: Sequence[ast.expr] = ()
    values: Sequence[ast.expr] = ()


def beginning(node: ast.AST) -> Begun | None:
    """The set or dictionary that begins with the statement `node`."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            pass
        case _:
            return None
    match value:
        case ast.Dict(keys=keys, values=values):
            known = [key for key in keys if key is not None]
            return Begun(name, Kind(True), known, values) if len(known) == len(keys) else None
        case ast.Set(elts=items) if not _starred(items):
            return Begun(name, Kind(False), items)
        case ast.Call(
            func=ast.Name(id="set"), args=[ast.List(elts=items) | ast.Tuple(elts=items)]
        ) if not value.keywords and not _starred(items):
            return Begun(name, Kind(False, "set"), items)
        case ast.Call(func=func, args=args, keywords=[]):
            made = ast.unparse(func)
            match made.rpartition(".")[2], args:
                case "set" | "dict" as word, [] if made == word:
                    return Begun(name, Kind(word == "dict", word))
                case "Counter", []:
                    return Begun(name, Kind(True, made, 0))
                case "defaultdict", [ast.Name(id="int")]:
                    return Begun(name, Kind(True, made, 0))
                case "defaultdict", [ast.Name(id="float")]:
                    return Begun(name, Kind(True, made, 0.0))
    return None


def _starred(items: Sequence[ast.expr]) -> bool:
    return any(isinstance(item, ast.Starred) for item in items)


def in_order(node: ast.AST) -> bool:
    """Whether what begins with `node` has its first items in the order of the text.

    Python makes a set of three constants, or more, from one that it has made by then.
    """
    match node:
        case ast.Assign(value=ast.Set(elts=items)) | ast.AnnAssign(value=ast.Set(elts=items)):
            return len(items) < 3 or not all(isinstance(one, ast.Constant) for one in items)
    return True


def keys_of(
    nodes: Sequence[ast.stmt], parts: Sequence[ast.AST], name: str, kind: Kind
) -> list[ast.expr] | None:
    """The keys of all that `nodes` do with `name`; None where something else is done."""
    if in_scope_of_its_own(nodes, name):
        return None
    known, keys = 0, list[ast.expr]()
    for part in parts:
        if not isinstance(part, ast.stmt):
            continue
        begun = beginning(part)
        if begun is not None and begun.name == name:
            known += 1
            keys += begun.keys
        stored = stored_in(part)
        if stored is not None and stored[0] == name and isinstance(part, ast.Expr) != kind.valued:
            known += 1
            keys.append(stored[1])
        if kind.valued and what_of(part, name) is not None:
            known += 1
        for found in (one for top in _heads(part) for one in _lookups(top)):
            if found.name == name and found.fits(kind):
                known += 1
                keys += [] if found.key is None else [found.key]
    if known != often(nodes, name) or not begins_first(nodes, name, _begins):
        return None
    return keys


def _begins(node: ast.stmt, name: str) -> bool:
    begun = beginning(node)
    if begun is None or begun.name != name:
        return False
    return not any(mentions(one, name) for one in (*begun.keys, *begun.values))


def stored_in(node: ast.AST) -> tuple[str, ast.expr] | None:
    """The table to which the statement `node` adds something, or in which it stores; the key."""
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="add"), args=[key], keywords=[]
            )
        ) if not isinstance(key, ast.Starred):
            return name, key
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=key))
        ):
            return name, key
    return None


def what_of(node: ast.AST, name: str) -> str | None:
    """What of a dictionary the loop `node` goes through, which changes nothing of it."""
    match node:
        case ast.For(iter=ast.Name(id=one)) if one == name:
            word = "keys"
        case ast.For(
            iter=ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id=one), attr="keys" | "values" | "items" as word
                ),
                args=[],
                keywords=[],
            )
        ) if one == name:
            pass
        case _:
            return None
    inner = [part for stmt in node.body for part in every(stmt)]
    stores = (stored_in(part) for part in inner)
    changed = {stored[0] for stored in stores if stored is not None}
    changed |= {begun.name for begun in map(beginning, inner) if begun is not None}
    return None if name in changed else word


def _heads(node: ast.stmt) -> list[ast.expr]:
    """What `node` itself evaluates, once."""
    match node:
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target], value=value):
            return [value, target]
        case ast.Assign(value=value):  # of several targets, each is assigned before the next
            return [value]
        case ast.AugAssign(target=target, value=value):
            return [target, value]
        case ast.AnnAssign(value=ast.expr() as value) | ast.Expr(value=value):
            return [value]
        case ast.Return(value=ast.expr() as value) | ast.If(test=value) | ast.For(iter=value):
            return [value]
        case ast.While(test=value, orelse=[]):
            return [value]
    return []


@dataclass(frozen=True, slots=True)
class Lookup:
    """An expression that asks a table.

    Attributes
    ----------
    name, key
        Of the table, and what is looked up; None: nothing, it is counted.
    certain
        Whether it is evaluated whenever the statement is.
    valued
        Whether only dictionaries are asked so.
    """

    name: str
    key: ast.expr | None
    certain: bool
    valued: bool = False

    def fits(self, kind: Kind) -> bool:
        """Whether it is known of such a table, and may be evaluated before all else."""
        counts = not self.valued or (kind.valued and kind.missing is None)
        return counts and (self.key is None or self.certain or is_plain(self.key))


def _lookups(node: ast.expr, certain: bool = True) -> Iterator[Lookup]:
    """All in `node` but those that functions and comprehensions in it would make."""
    first: list[ast.expr] = []
    later: list[ast.expr] = []
    match node:
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return
        case ast.BoolOp(values=[one, *others]):
            first, later = [one], others
        case ast.IfExp(test=test, body=body, orelse=orelse):
            first, later = [test], [body, orelse]
        case ast.Compare(left=left, comparators=[right, *others]):
            first, later = [left, right], others
        case _:
            first = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
    found = lookup(node, certain)
    if found is not None:
        yield found
    for one in first:
        yield from _lookups(one, certain)
    for one in later:
        yield from _lookups(one, False)


def lookup(node: ast.expr, certain: bool) -> Lookup | None:
    """What `node` itself looks up."""
    match node:
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]):
            return Lookup(name, key, certain)
        case ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Load()):
            return Lookup(name, key, certain, True)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="get"),
            args=[key, default],
            keywords=[],
        ) if is_plain(default):
            return Lookup(name, key, certain, True)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
            return Lookup(name, None, certain)
    return None


def is_plain(node: ast.expr) -> bool:
    """Whether it may be evaluated where Python would not: nothing comes of it but a number."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Tuple(elts=elts):
            return all(map(is_plain, elts))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_plain(operand)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult(), left=left, right=right):
            return is_plain(left) and is_plain(right)
    return False
