"""Names that have no value when a nest begins: a flag beside each says whether it has got one.

Wherever such a name is read, a kernel looks at the flag, and gives up if there is no value: the
interpreter raises there, or the name has got one from somebody else.  This comes first of all, for
what comes after it may find out that nobody needs what is read.
"""

from __future__ import annotations

from itertools import count

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import Absent, Assign, Call, Const, Element, Expr, For, Name, Nest, Stmt
from autopar.nest.meaning import rebuilt, rewritten
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Span


def valued(nest: Nest, unset: frozenset[str]) -> Nest | Refusal:
    """`nest`, where the scalars `unset` have a value of no interest at first, and a flag.

    Nothing but numbers is taken, and nothing that is None: that is for the types to show.
    """
    entered = exposed((nest.loop,)) & frozenset(nest.scalars)
    odd = sorted(unset - entered | unset & (nest.idle | _wholes(nest)))
    if odd:
        where = Span(nest.file, nest.loop.line)
        return Refusal(Reason.UNBOUND, where, odd[0].strip("<>"))
    valuer = _Valuer(unset, walking.new_ids(nest.loop))
    line = nest.loop.line
    (loop,) = valuer.block((nest.loop,))
    first: list[Stmt] = []
    for name in sorted(unset):
        nothing = Call(f"{ir.NOTHING}{name}>", (), line)
        first += (
            valuer.set(Name(name), nothing, line),
            valuer.set(_flag(name), Const(False), line),
        )
    assert isinstance(loop, For)
    loop = ir.preceded(loop, tuple(first), next(valuer.ids))
    live, absents = list(nest.live_out), list(nest.absents)
    for position, name in enumerate(nest.live_out):
        if name in unset:
            absents.append(Absent(position, len(live), unset=True))
            live.append(_flag(name).id)
    return replace(
        nest,
        loop=loop,
        scalars=tuple(sorted(walking.assigned(loop))),
        live_out=tuple(live),
        absents=tuple(absents),
        names=(*nest.results, *live[len(nest.live_out) :]),
    )


def _wholes(nest: Nest) -> frozenset[str]:
    """Names that are used as something else than numbers, or go through a range."""
    found: set[str] = set()
    for stmt in walking.statements(nest.loop):
        match stmt:
            case For(var=var):
                found.add(var)
            case ir.Put(target=ir.View(array=array)):
                found |= {one.id for one in walking.walk(array) if isinstance(one, Name)}
            case Assign(target=Element(array=path)):
                found.add(path.split(".")[0])
        for expr in (expr for top in walking.expressions(stmt) for expr in walking.walk(top)):
            match expr:
                case ir.View(array=Name(id=name)) | Call(func=ir.IS_NONE, args=(Name(id=name),)):
                    found.add(name)
                case ir.Load(array=path) | ir.Dim(array=path) | Call(func=path):
                    found.add(path.split(".")[0])
    return frozenset(found)


def _flag(name: str) -> Name:
    return Name(f"<{name.strip('<>')} set>")


@dataclass(slots=True)
class _Valuer:
    """Puts a flag beside each of the names `unset`."""

    unset: frozenset[str]
    ids: count[int]
    line: int = field(default=0, init=False)

    def set(self, name: Name, value: Expr, line: int) -> Stmt:
        return Assign(name, value, next(self.ids), line)

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        for stmt in stmts:
            self.line = stmt.line
            made.append(rewritten(stmt, self.expr, self.block))
            match stmt:
                case Assign(target=Name(id=name), line=line) if name in self.unset:
                    made.append(self.set(_flag(name), Const(True), line))
        return tuple(made)

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Name(id=name) if name in self.unset:
                return Call(ir.GIVEN, (expr, _flag(name)), self.line)
        return rebuilt(expr, self.expr)
