"""Why loops run in order, and what spares others from it, in the user's names and lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from autopar.deps.data import Dependence
from autopar.kernel import Reduction
from autopar.nest.hidden import GENERATOR
from autopar.nest.ir import ONCE, For, Stmt
from autopar.nest.walking import statements
from autopar.sched.plan import BLOCK, FEW, OWN, PANEL, Branch, Loop, Node, launched, walk
from autopar.verdict import spoken

_FIRST = {"true": 0, "output": 1, "anti": 2, "control": 3}
_DOES = {"true": ("writes", "reads"), "anti": ("reads", "writes"), "output": ("writes", "writes")}
_FAULTS = {
    "repeats": "names an element twice",
    "falls": "has an element smaller than the one before it",
}


def in_order(
    nodes: tuple[Node, ...], deps: Sequence[Dependence], joinable: Collection[Dependence]
) -> Iterator[str]:
    """One sentence for each loop of the user's that must run in order.

    Parameters
    ----------
    joinable
        Dependences that would not have kept a loop in order by themselves.
    """
    for node, first, _ in _carrying(nodes, deps, joinable):
        if not node.cut and not node.loop.var.startswith((PANEL, OWN, BLOCK, FEW)):
            yield _sentence(first, node.loop)


def in_parts(
    nodes: tuple[Node, ...], deps: Sequence[Dependence], joinable: Collection[Dependence]
) -> Iterator[str]:
    """One sentence for each reduction and for each loop that is cut: what spares them from order.

    Parameters
    ----------
    joinable
        As for `in_order`.
    """
    yield from (_joined(r) for loop in launched(nodes) for r in loop.reductions)
    for node, first, strip in _carrying(nodes, deps, joinable):
        if node.cut:
            yield f"{_what(first)}: {_cut(node, strip)}"


def _carrying(
    nodes: tuple[Node, ...], deps: Sequence[Dependence], joinable: Collection[Dependence]
) -> Iterator[tuple[Loop, Dependence, bool]]:
    """The loops that carry dependences, with the first to name, and whether as strips."""
    for node, level, strip in _loops(nodes, 1):
        if node.parallel != bool(node.cut):
            continue
        inside = {s.id for n in walk(node.body) for s in statements(_statement(n))}
        reasons = [d for d in deps if d.level == level and d.source in inside and d.sink in inside]
        if reasons:
            yield node, min(reasons, key=lambda d: _rank(d, joinable)), strip


def _rank(dep: Dependence, joinable: Collection[Dependence]) -> tuple[bool, int, int]:
    return dep in joinable, _FIRST[dep.kind], dep.source_line


def _joined(reduction: Reduction) -> str:
    name = spoken(reduction.name)
    if reduction.private:
        return f"`{name}` is filled anew in each iteration: each thread has a copy of it"
    what = f"`{name}`" + " and what is assigned with it" * bool(reduction.taken)
    return f"{what} is computed in parts that are joined"


def _statement(node: Node) -> Stmt:
    return node.loop if isinstance(node, Loop) else node.stmt


def _loops(
    nodes: tuple[Node, ...], level: int, strip: bool = False
) -> Iterator[tuple[Loop, int, bool]]:
    """All loops with the level of the user's loop that they are, and whether as a strip of it."""
    for node in nodes:
        if isinstance(node, Loop):
            yield node, level, strip
            strips = bool(node.cut) and not node.parallel
            yield from _loops(node.body, level if strips else level + 1, strips)
        elif isinstance(node, Branch):
            yield from _loops((*node.body, *node.orelse), level)


def _called(loop: For) -> str:
    """How a user calls `loop`."""
    if loop.var == ONCE:  # which is around a `while`
        return f"the loop of line {loop.line}"
    return f"loop `{spoken(loop.var)}`"


def _sentence(dep: Dependence, loop: For) -> str:
    called = _called(loop)
    order = f"{called} must run in order"
    if dep.kind == "control":
        return f"line {dep.source_line} may leave {called} early: {order}"
    if dep.blame is not None:
        array, fault = dep.blame
        return f"`{spoken(array)}` {_FAULTS[fault]}: {order}"
    if dep.scalar:
        line = dep.source_line
        return (
            f"line {line} carries `{spoken(dep.variable)}` from one iteration to the next: {order}"
        )
    if dep.variable.startswith(GENERATOR):
        return f"line {dep.source_line} draws a random number, each from the one before: {order}"
    distance = dep.distance[dep.level - 1] if dep.level else None
    apart = "" if distance is None else f" (distance {distance})"
    return f"{_what(dep)}: {order}{apart}"


def _what(dep: Dependence) -> str:
    one, two = _DOES[dep.kind]
    return (
        f"line {dep.source_line} {one} `{spoken(dep.source_text)}`, "
        f"line {dep.sink_line} {two} `{spoken(dep.sink_text)}`"
    )


def _cut(node: Loop, strip: bool) -> str:
    how = "strips" if strip else f"{len(node.cut) + 1} parts"
    return f"{_called(node.loop)} is cut into {how}, each of them parallel"
