"""Dependences that need no arithmetic: through scalars, and on whether a statement runs at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from autopar.deps.data import ALWAYS, Dependence
from autopar.deps.domains import Place
from autopar.nest.flow import exposed, names
from autopar.nest.ir import Assign, For, If, Leave, Name, Stmt, While
from autopar.nest.show import header, lines, text
from autopar.nest.walking import assigned, blocks, expressions, statements
from autopar.records import dataclass

_Kind = Literal["true", "anti", "output", "control"]


@dataclass(frozen=True, slots=True)
class _Use:
    stmt: Stmt
    name: str
    writes: bool
    order: int


def scalar_dependences(nest: For, places: Mapping[int, Place]) -> Iterator[Dependence]:
    """Dependences through scalars, unconditional.

    Notes
    -----
    A scalar that is not exposed in a loop's body is private to the loop: every iteration has its
    own, so the loop carries nothing through it.  Within one iteration writes and reads keep their
    textual order; there is no scalar expansion, so statements that share a private scalar of a
    loop must stay in the same copy of that loop (`sched.distribute` sees to it).  A loop variable
    read inside its own loop is the loop's own affair and makes no dependence.
    """
    uses = _uses(nest)
    needed = {s.id: exposed(s.body) for s in statements(nest) if isinstance(s, For)}
    by_name: dict[str, list[_Use]] = {}
    for use in uses:
        by_name.setdefault(use.name, []).append(use)
    for name, group in by_name.items():
        if not any(use.writes for use in group):
            continue
        for one in group:
            for two in group:
                if not (one.writes or two.writes):
                    continue
                yield from _between(name, one, two, places, needed)


def _between(
    name: str,
    one: _Use,
    two: _Use,
    places: Mapping[int, Place],
    needed: Mapping[int, frozenset[str]],
) -> Iterator[Dependence]:
    here, there = places[one.stmt.id], places[two.stmt.id]
    common = [
        a.loop.id for a, b in zip(here.loops, there.loops, strict=False) if a.loop.id == b.loop.id
    ]
    kind: _Kind = "output" if one.writes and two.writes else "true" if one.writes else "anti"
    for level, loop in enumerate(common, start=1):
        if name in needed[loop]:
            yield _edge(one.stmt, two.stmt, name, kind, level, len(common))
    together = any(loops == len(common) for _, loops in set(here.whiles) & set(there.whiles))
    if one.stmt.id != two.stmt.id and (one.order < two.order or together):
        yield _edge(one.stmt, two.stmt, name, kind, None, len(common))


def _uses(nest: For) -> list[_Use]:
    found: list[_Use] = []

    def visit(stmt: Stmt, own: frozenset[str]) -> None:
        for name in sorted(names(expressions(stmt)) - own):
            found.append(_Use(stmt, name, False, len(found)))
        inner = own
        match stmt:
            case Assign(target=Name(id=name)):
                found.append(_Use(stmt, name, True, len(found)))
            case For(var=var):
                found.append(_Use(stmt, var, True, len(found)))
                rebound = any(var in assigned(child) for child in stmt.body)
                inner = own - {var} if rebound else own | {var}
        for block in blocks(stmt):
            for child in block:
                visit(child, inner)

    visit(nest, frozenset())
    return found


def control_dependences(nest: For, places: Mapping[int, Place]) -> Iterator[Dependence]:
    """What decides whether a statement runs, unconditional.

    Notes
    -----
    From an `If` or `While` to the statements in it, and from a `Leave` to the statements after it
    in the loop that it leaves, within one iteration.  A `break` of a `for` is carried by that
    loop, from itself to every statement in it, itself included: whether a later iteration runs
    at all is known only when the earlier ones are done.  A `break` of a `while` is internal to it.
    """
    for stmt in statements(nest):
        if isinstance(stmt, If | While):
            for block in blocks(stmt):
                for child in block:
                    for inner in statements(child):
                        depth = _shared(places, stmt, inner)
                        yield _edge(stmt, inner, "", "control", None, depth)
    yield from _leaving(nest, places)


def _leaving(loop: For | While, places: Mapping[int, Place]) -> Iterator[Dependence]:
    inside = [s for child in loop.body for s in statements(child)]
    for leave in inside:
        if isinstance(leave, For | While):
            yield from _leaving(leave, places)
    for leave in own_leaves(loop):
        at = next(k for k, s in enumerate(inside) if s.id == leave.id)
        for stmt in inside[at + 1 :]:
            yield _edge(leave, stmt, "", "control", None, _shared(places, leave, stmt))
        if leave.kind == "break" and isinstance(loop, For):
            level = len(places[loop.id].loops) + 1
            for stmt in inside:
                depth = _shared(places, leave, stmt)
                yield _edge(leave, stmt, "", "control", level, depth)


def own_leaves(loop: For | While) -> Iterator[Leave]:
    """The `break` and `continue` statements whose innermost loop is `loop`."""
    pending: list[Stmt] = list(loop.body)
    while pending:
        stmt = pending.pop(0)
        if isinstance(stmt, Leave):
            yield stmt
        elif isinstance(stmt, If):
            pending[:0] = [*stmt.body, *stmt.orelse]


def _shared(places: Mapping[int, Place], one: Stmt, two: Stmt) -> int:
    pairs = zip(places[one.id].loops, places[two.id].loops, strict=False)
    return sum(a.loop.id == b.loop.id for a, b in pairs)


def _edge(
    source: Stmt, sink: Stmt, name: str, kind: _Kind, level: int | None, depth: int
) -> Dependence:
    equal = depth if level is None else level - 1
    rest = depth - equal
    return Dependence(
        source=source.id,
        sink=sink.id,
        variable=name,
        kind=kind,
        level=level,
        distance=(0,) * equal + (None,) * rest,
        direction=("=",) * equal + ("<",) * (rest > 0) + ("*",) * (rest - 1),
        when=ALWAYS,
        source_line=source.line,
        sink_line=sink.line,
        source_text=name or _first_line(source),
        sink_text=name or _first_line(sink),
        scalar=kind != "control",
    )


def _first_line(stmt: Stmt) -> str:
    match stmt:
        case For():
            return header(stmt)
        case If(test=test):
            return f"if {text(test)}:"
        case While(test=test):
            return f"while {text(test)}:"
    return lines(stmt)[0]
