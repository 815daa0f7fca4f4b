"""An array beside itself turned over: ``S + S.T``, which two names would hide.

``S.T`` is an attribute like any other, and so a live-in of its own, until the values of a call say
that `S` is an array.  Then it is said by `S`, and what is written into the one is seen to be read
from the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from autopar.nest.ir import Assign, Call, Dim, Element, Expr, For, If, Load, Name, Nest, Stmt, While
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.walking import accesses
from autopar.records import replace

TURNED = ".T"


def turned_back(nest: Nest, ranks: Mapping[str, int]) -> Nest:
    """`nest` without the paths of arrays that are others turned over; itself where there are none.

    Parameters
    ----------
    ranks
        Number of axes of each live-in array.
    """
    names = [path for path in ranks if path.endswith(TURNED)]
    owners = {path: path.removesuffix(TURNED) for path in names}
    owners = {path: owner for path, owner in owners.items() if owner in ranks}
    parts = {a.array for _, a in accesses(nest.loop) if len(a.index) != ranks.get(a.array)}
    owners = {path: owner for path, owner in owners.items() if path not in parts}
    if not owners:
        return nest

    def change(expr: Expr) -> Expr:
        made = rebuilt(expr, change)
        match made:
            case Name(id=path) if path in owners:
                return Call("<.T>", (Name(owners[path]),), nest.loop.line)
            case Load(array=path, index=index) if path in owners:
                return replace(made, array=owners[path], index=index[::-1])
            case Dim(array=path, axis=int(axis)) if path in owners:
                return replace(made, array=owners[path], axis=-1 - axis)
            case Dim(array=path) if path in owners:
                return replace(made, array=owners[path])
        return made

    def placed(stmt: Stmt) -> Stmt:
        match stmt:
            case Assign(target=Element(array=path, index=index) as target) if path in owners:
                return replace(stmt, target=replace(target, array=owners[path], index=index[::-1]))
            case If(body=body, orelse=orelse):
                then, other = (tuple(map(placed, block)) for block in (body, orelse))
                return replace(stmt, body=then, orelse=other)
            case While(body=body) | For(body=body):
                return replace(stmt, body=tuple(map(placed, body)))
        return stmt

    loop = placed(rewritten(nest.loop, change))
    assert isinstance(loop, For)
    return replace(nest, loop=loop, paths=tuple(p for p in nest.paths if p not in owners))
