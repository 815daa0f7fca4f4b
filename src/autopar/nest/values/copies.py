"""Scalars that only repeat another one, a number or an extent: parameters of helpers, items of
tuples.

References
----------
Copy propagation: Muchnick, *Advanced Compiler Design and Implementation*, section 12.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from autopar.nest import walking
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Load,
    Name,
    Nest,
    Stmt,
    While,
)
from autopar.nest.meaning import rebuilt, rewritten
from autopar.records import replace


def propagated(nest: Nest) -> Nest:
    """`nest` with what is copied in place of the copies that no user has named; itself if none.

    A copy is dropped where all that reads it follows in its own block, and what it repeats is not
    assigned before the last of these reads.
    """
    copies = _Copies(nest)
    (shorter,) = copies.block((nest.loop,))
    if not copies.known:
        return nest
    loop = rewritten(shorter, copies.expr)
    assert isinstance(loop, For)
    return replace(nest, loop=loop, scalars=tuple(sorted(walking.assigned(loop))))


class _Copies:
    """Drops copies; `known` says what each of them repeats."""

    def __init__(self, nest: Nest) -> None:
        self.known: dict[str, Expr] = {}
        stmts = list(walking.statements(nest.loop))
        targets = Counter(
            s.target.id for s in stmts if isinstance(s, Assign) and isinstance(s.target, Name)
        )
        paths = {path for stmt in stmts for path in _paths(stmt)}
        kept = {*nest.live_out, *paths, *(s.var for s in stmts if isinstance(s, For))}
        self.candidates = {
            name
            for name, times in targets.items()
            if times == 1 and name.startswith("<") and name not in kept
        }
        self.assigned = walking.assigned(nest.loop)
        self.reads: dict[int, Counter[str]] = {}
        self.total = self.count(nest.loop)

    def count(self, stmt: Stmt) -> Counter[str]:
        """How often `stmt`, with all in it, reads each name."""
        found = Counter(
            expr.id
            for top in walking.expressions(stmt)
            for expr in walking.walk(top)
            if isinstance(expr, Name)
        )
        for block in walking.blocks(stmt):
            for inner in block:
                found.update(self.count(inner))
        self.reads[stmt.id] = found
        return found

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        for k, stmt in enumerate(stmts):
            match stmt:
                case Assign(target=Name(id=name), value=value) if self.plain(value):
                    source = self.expr(value)
                    if name in self.candidates and self.repeats(name, source, stmts[k + 1 :]):
                        self.known[name] = source
                        continue
            made.append(self.without(stmt))
        return tuple(made)

    def plain(self, value: Expr) -> bool:
        """Whether to evaluate `value` again is as good as to keep it."""
        match value:
            case Name() | Const():
                return True
            case Dim(array=path, attribute=True):  # no list, which may grow
                return path not in self.assigned
        return False

    def repeats(self, name: str, source: Expr, rest: Sequence[Stmt]) -> bool:
        """Whether `rest` has all reads of `name`, and `source` is the same at each."""
        left = self.total[name]
        for stmt in rest:
            if not left:
                break
            left -= self.reads[stmt.id][name]
            if isinstance(source, Name) and source.id in walking.assigned(stmt):
                # A read may come first, in the last of these statements only.
                return not left and isinstance(stmt, Assign)
        return not left

    def without(self, stmt: Stmt) -> Stmt:
        """`stmt` without the copies in it."""
        match stmt:
            case If(body=body, orelse=orelse):
                return replace(stmt, body=self.block(body), orelse=self.block(orelse))
            case While(body=body) | For(body=body):
                return replace(stmt, body=self.block(body))
        return stmt

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Name(id=name):
                return self.known.get(name, expr)
        return rebuilt(expr, self.expr)


def _paths(stmt: Stmt) -> Iterator[str]:
    """What `stmt` names in another way than as a number."""
    if isinstance(stmt, Assign) and isinstance(stmt.target, Element):
        yield stmt.target.array
    for top in walking.expressions(stmt):
        for expr in walking.walk(top):
            match expr:
                case Load(array=path) | Dim(array=path):
                    yield path
                case Call(func=func):
                    yield func.partition(" ")[2][:-1]
