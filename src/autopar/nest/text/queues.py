"""Queues that a nest makes, as lists of which the first items have been taken.

``q = deque([s])`` becomes ``q = [s]; first = 0``, and ``u = q.popleft()`` reads ``q[first]`` and
counts `first` up, unless that is how long the list is: then the nest gives up, and the interpreter
raises.  So is a list of which the first item is taken, ``q.pop(0)``, and a `deque` of a greatest
length, whose first item goes when another one comes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from autopar.nest import ir
from autopar.nest.bound import stored
from autopar.nest.text.building import (
    assign,
    in_scope_of_its_own,
    load,
    mentions,
    often,
    ours,
    place,
)
from autopar.nest.text.comprehensions import Builtins
from autopar.nest.text.held import Held
from autopar.nest.text.pieces import (
    Piece,
    Pieces,
    appended,
    begins_first,
    counted,
    counts,
    gone_through,
    uses,
)
from autopar.nest.text.reading import LENGTH
from autopar.nest.trees import all_copied, copied, every
from autopar.records import dataclass

_MOST = 2**62  # items


@dataclass(frozen=True, slots=True)
class _Begun:
    """How a queue begins.

    Attributes
    ----------
    items
        What it has in it then.
    function
        What is called to make it; empty for a list.
    most
        How many items it may have at the most, if that is said.
    """

    items: list[ast.expr]
    function: str = ""
    most: ast.expr | None = None


def as_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with lists in place of their queues.

    Parameters
    ----------
    live
        Whether a name may be read afterwards.
    """
    made: dict[str, list[_Begun]] = {}
    for node in nodes:
        for inner in every(node):
            for name, begun in _beginning(inner):
                made.setdefault(name, []).append(begun)
    kept = stored(nodes)
    found = {
        name: begins[0].most
        for name, begins in made.items()
        if not (live(name) and begins[0].most is not None)
        and _alike(begins)
        and not (isinstance(begins[0].most, ast.Name) and begins[0].most.id in kept)
        and _is_queue(nodes, name, bool(begins[0].function))
    }
    if not found:
        return nodes
    queues = {name: bool(made[name][0].function) for name in found}
    seen = frozenset(filter(live, found))
    return _Lists(found, queues, seen, counts(nodes, found)).block(all_copied(nodes))


def _beginning(node: ast.AST) -> Iterator[tuple[str, _Begun]]:
    """The queue that begins with the statement `node`, if there is one."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            begun = _begun(value)
            if begun is not None:
                yield name, begun


def _begun(value: ast.expr) -> _Begun | None:
    match value:
        case ast.List(elts=items) if not any(isinstance(item, ast.Starred) for item in items):
            return _Begun(items)
        case ast.Call(func=func, args=args, keywords=words) if _dotted(func) in (
            "deque", "collections.deque",
        ):  # fmt: skip
            most: ast.expr | None = None
            match words:
                case []:
                    pass
                case [ast.keyword(arg="maxlen", value=said)] if isinstance(
                    said, ast.Constant | ast.Name
                ):
                    most = said
                case _:
                    return None
            match args:
                case []:
                    return _Begun([], _dotted(func), most)
                case [ast.List(elts=items) | ast.Tuple(elts=items)]:
                    if any(isinstance(item, ast.Starred) for item in items):
                        return None
                    if most is None:
                        return _Begun(items, _dotted(func), most)
    return None


def _dotted(func: ast.expr) -> str:
    match func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return f"{owner}.{name}"
    return ""


def _alike(begins: Sequence[_Begun]) -> bool:
    """Whether these are queues of one kind."""
    said = {(b.function, None if b.most is None else ast.dump(b.most)) for b in begins}
    return len(said) == 1


def _is_queue(nodes: Sequence[ast.stmt], name: str, made: bool) -> bool:
    """Whether all that `nodes` do with `name` is known of a queue, and it is one from the start.

    Parameters
    ----------
    made
        Whether it is one in any case; else it is a list, of which the first item must be taken.
    """
    if in_scope_of_its_own(nodes, name):
        return False
    parts = [inner for node in nodes for inner in every(node)]
    known, first = uses(parts, name, _read), made
    for inner in parts:
        if any(begun == name for begun, _ in _beginning(inner)):
            known += 1
        taken = _taken(inner, name, made)
        if taken is not None:
            known, first = known + 1, first or taken
    return known == often(nodes, name) and first and begins_first(nodes, name, _begins)


def _begins(node: ast.stmt, name: str) -> bool:
    """Whether the queue `name` begins with `node`, with nothing of another one."""
    return any(
        found == name and not any(mentions(item, name) for item in begun.items)
        for found, begun in _beginning(node)
    )


def _taken(node: ast.AST, name: str, made: bool) -> bool | None:
    """Whether the statement `node` takes the first item of `name`, or the last one; None: none.

    Each kind of them, such as a queue that is `made`, has its own word for the first one.
    """
    match node:
        case ast.Assign(targets=[target], value=value) if not mentions(target, name):
            pass
        case ast.AugAssign(target=ast.Name(), value=value) | ast.Expr(value=value):
            pass
        case _:
            return None
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr), args=args) if (
            owner == name and not value.keywords
        ):
            match attr, args:
                case "popleft", []:
                    return True if made else None
                case "pop", [ast.Constant(value=number)] if type(number) is int and number == 0:
                    return None if made else True
                case "pop", []:
                    return False
    return None


def _read(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of `node` that may be a queue, but where items of it are taken."""
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=one, attr="clear"), args=[], keywords=[])
        ):
            yield one
        case ast.Subscript(value=one, slice=part, ctx=ast.Load()) if _end(part) is not None:
            yield one
        case _:
            yield from appended(node)
            yield from counted(node)
            yield from gone_through(node)


def _end(part: ast.expr) -> bool | None:
    """Whether a subscript is that of the first item, or of the last one; None: of another."""
    match part:
        case ast.Constant(value=number) if type(number) is int and number == 0:
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=number)):
            return False if type(number) is int and number == 1 else None
    return None


class _Lists(Pieces):
    """Statements and expressions about queues, about lists.

    Parameters
    ----------
    most
        The queues, and how many items they may have at the most, if that is said.
    made
        Whether they are queues for Python, and no lists.
    live
        Those of them that must be there in the end.
    """

    def __init__(
        self,
        most: dict[str, ast.expr | None],
        made: dict[str, bool],
        live: frozenset[str],
        called: frozenset[str],
    ) -> None:
        super().__init__({name: Piece(name, _first(name)) for name in most}, called)
        self.most, self.made, self.live = most, made, live

    # ------------------------------------------------------------------ statements

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self.assigned(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        return self.assigned(node)

    def assigned(self, node: ast.Assign | ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        for name, begun in _beginning(node):
            if name in self.most:
                items = [self.visit(item) for item in begun.items]
                called = Builtins(self.called | ({begun.function} if begun.function else set()))
                whole = assign(name, ast.List(items, ast.Load()))
                start = assign(_first(name), ast.Constant(0))
                made = [called, *self.held(name), *self.limited(name), whole, start]
                return self.statements(made, node)
        return self.taking(node)

    def held(self, name: str) -> list[ast.stmt]:
        """Say that there must be a queue in the end, if so."""
        kind = "deque" if self.made[name] else "list"
        return [Held(name, kind, name, first=_first(name))] if name in self.live else []

    def limited(self, name: str) -> list[ast.stmt]:
        """Give up where the greatest length of a queue is none."""
        most = self.most[name]
        if most is None:
            return []
        # What is no int of Python's is none of those that are taken there, nor here.
        limits: list[ast.expr] = [ast.Constant(1), ast.Constant(_MOST)]
        some = ast.Call(load("<within>"), [copied(most), *limits], [])
        return [assign(self.name("ok", name), some)]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        return self.taking(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="clear")) if (
                name in self.most
            ):
                gone = assign(_first(name), ours(LENGTH, name))
                return self.statements([gone], node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")) if (
                name in self.most
            ):
                node.value.args = list(map(self.visit, node.value.args))
                most = self.most[name]
                if most is None:
                    return node
                over = ast.Compare(self.pieces[name].length, [ast.Gt()], [copied(most)])
                return self.statements([node, ast.If(over, [self.counted(name)], [])], node)
        return self.taking(node)

    def taking(self, node: ast.stmt) -> ast.AST | list[ast.stmt]:
        """A statement that takes the first item of a queue, or the last one."""
        for name in self.most:
            first = _taken(node, name, self.made[name])
            if first is None:
                continue
            made = [assign(self.name("ok", name), self.within(name))]
            item = self.pieces[name].item(_first(name))
            match node:
                case ast.Assign(targets=targets):
                    node.targets = [self.visit(target) for target in targets]
                    node.value = item if first else node.value
                    made.append(node)
                case ast.AugAssign():
                    node.value = item if first else node.value
                    made.append(node)
                case _ if not first:
                    made.append(node)
            return self.statements([*made, *([self.counted(name)] if first else [])], node)
        return self.generic_visit(node)

    def within(self, name: str) -> ast.expr:
        """Give up where the queue is empty."""
        limits: list[ast.expr] = [ast.Constant(1), ast.Constant(_MOST)]
        return ast.Call(load("<within>"), [self.pieces[name].length, *limits], [])

    def counted(self, name: str) -> ast.stmt:
        """One item less."""
        more = ast.BinOp(load(_first(name)), ast.Add(), ast.Constant(1))
        return assign(_first(name), more)

    def visit_For(self, node: ast.For) -> ast.AST:
        match node.iter:
            case ast.Name(id=name) if name in self.most:
                at, piece = self.name("place", name), self.pieces[name]
                node.body = [ast.Assign([node.target], piece.item(at)), *self.block(node.body)]
                node.orelse = self.block(node.orelse)
                node.target, node.iter = ast.Name(at, ast.Store()), piece.places
                place([node], node)
                return node
        return self.generic_visit(node)

    # ------------------------------------------------------------------ expressions

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=part) if name in self.most:
                piece = self.pieces[name]
                where = piece.begin
                if not _end(part):
                    where = ast.BinOp(piece.stop, ast.Sub(), ast.Constant(1))
                node.slice = ast.Call(load(ir.GIVEN), [where, piece.some], [])
                return self.placed(node, node)
        return self.generic_visit(node)


def _first(name: str) -> str:
    return f"<first of {name}>"
