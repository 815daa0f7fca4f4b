"""Which loops may run in parallel for which statements: worked out from traces, by brute force.

A pair of a loop and a statement may run in parallel when, with all loops outside of it in order,
the statement's strongly connected component of the dependence graph within the loop has no
dependence that the loop carries (Allen & Kennedy, "Automatic translation of FORTRAN programs to
vector form", ACM TOPLAS 9(4), 1987, section 5): distribution then gives the component a parallel
copy of the loop.  What counts as a dependence, within one execution of the loop:

* between array elements, any two accesses of one address of which one writes;
* between scalars, a read and the write whose value it gets: each iteration may have a scalar of
  its own, so the other kinds are no obstacle;
* the same for an array that each iteration writes before it reads it, if the last iteration that
  writes it leaves all cells that any wrote (an array that is only written is a result);
* a test and what it decides on (see `shape`);
* but nothing between updates of one accumulator of integers, or of the least or greatest value,
  that the loop uses for nothing else.  A float sum is a chain of dependences.

A loop may also be cut, in three parts at the most, one after the other: a pair that may run in
parallel within each of them may do so *in parts*.

The graph is that of several runs on different random data, so that branches go both ways.

Notes
-----
Of the accesses to one address only neighbours in time are joined.  Every other pair is joined by
a path of such edges, one of which is carried by the loop if the pair is; both ends of the pair
being in one component, so is the path.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import networkx as nx

from .loop import Case
from .shape import Shape, shape
from .trace import Trace, traced

SEEDS = (1, 2, 3)
Pair = tuple[int, int]  # line of the loop's header, line of the assignment
Turns = tuple[int, int]  # numbers of two iterations of a loop
_MOST_CUTS = 2
_FEWEST_TURNS = 8  # of a loop that is cut: a few iterations can always be taken apart


@dataclass
class Truth:
    """What may run in parallel for one call.

    Attributes
    ----------
    shape
        The loops of the function.
    legal
        Pairs that may; only assignments that more than one iteration ran.
    possible
        Pairs that could be asked for: the others did not run twice.
    carried
        For each loop, the pairs of statements between which it carries a dependence.
    parts
        Pairs that may in parts, and not otherwise.
    """

    shape: Shape
    legal: set[Pair] = field(default_factory=set)
    possible: set[Pair] = field(default_factory=set)
    carried: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    parts: set[Pair] = field(default_factory=set)

    @property
    def stuck(self) -> bool:
        """Whether there are iterations, but no loop may run in parallel as it stands."""
        return bool(self.possible) and not self.legal


@functools.cache
def truth(case: Case) -> Truth:
    """Trace `case` with several random data."""
    return judged(shape(case.loop.source), [traced(case, seed) for seed in SEEDS])


def judged(found: Shape, traces: Iterable[Trace]) -> Truth:
    """What `traces` of one call say together."""
    traces = list(traces)
    result = Truth(found)
    for loop in found.loops:
        inside = found.inside[loop]
        graph = nx.DiGraph()
        graph.add_nodes_from(inside)
        carried: dict[tuple[int, int], set[Turns]] = defaultdict(set)
        for source, sink, over in (*_observed(loop, traces), *_decided(loop, found)):
            graph.add_edge(source, sink)
            if over is not None:
                carried[source, sink].add(over)
        result.carried[loop] = set(carried)
        part = {
            line: number
            for number, members in enumerate(nx.strongly_connected_components(graph))
            for line in members
        }
        spans: dict[int, set[Turns]] = defaultdict(set)
        for (source, sink), turns in carried.items():
            if part[source] == part[sink]:
                spans[part[source]] |= turns
        long = _turns(loop, traces) >= _FEWEST_TURNS
        cut = {number for number, turns in spans.items() if long and _separated(turns)}
        twice = _twice(loop, traces) & inside & found.assignments
        result.possible |= {(loop, line) for line in twice}
        result.legal |= {(loop, line) for line in twice if part[line] not in spans}
        result.parts |= {(loop, line) for line in twice if part[line] in cut}
    return result


Edge = tuple[int, int, Turns | None]  # from, to, and between which iterations the loop carries it
_ANY: Turns = (0, 0)


def _separated(carried: set[Turns]) -> bool:
    """Whether a few cuts have the two iterations of each in different parts."""
    cuts: list[int] = []
    for source, sink in sorted(carried, key=lambda turns: turns[1]):
        if source >= sink:
            return False
        if not cuts or cuts[-1] <= source:
            cuts.append(sink)
    return len(cuts) <= _MOST_CUTS


def _turns(loop: int, traces: Iterable[Trace]) -> int:
    """Most iterations of one execution of `loop`."""
    ran = (turn for trace in traces for _, at in trace.ran for line, turn in at if line == loop)
    return 1 + max(ran, default=-1)


def _decided(loop: int, found: Shape) -> Iterator[Edge]:
    inside = found.inside[loop]
    for one in found.controls:
        here = one.carrier is None or one.carrier == loop or one.carrier in inside
        if here and {one.source, one.sink} <= inside:
            yield one.source, one.sink, _ANY if one.carrier == loop else None


def _twice(loop: int, traces: Iterable[Trace]) -> set[int]:
    """Assignments that ran in more than one iteration of one execution of `loop`."""
    found: set[int] = set()
    for trace in traces:
        seen: dict[tuple[object, int], int] = {}
        for line, at in trace.ran:
            k = _position(at, loop)
            if k is not None and seen.setdefault((at[:k], line), at[k][1]) != at[k][1]:
                found.add(line)
    return found


def _position(at: tuple[tuple[int, int], ...], loop: int) -> int | None:
    return next((k for k, (line, _) in enumerate(at) if line == loop), None)


# ---------------------------------------------------------------------------- from accesses


@dataclass(frozen=True, slots=True)
class _Access:
    kind: str
    line: int
    turn: int  # iteration of the loop


def _observed(loop: int, traces: Iterable[Trace]) -> set[Edge]:
    edges: set[Edge] = set()
    for trace in traces:
        executions: dict[object, dict[str | int, list[_Access]]] = {}
        partners: dict[str, tuple[str, ...]] = {}
        for event in trace.events:
            k = _position(event.at, loop)
            if k is None:
                continue
            partners[event.kind] = event.partners
            cells = executions.setdefault(event.at[:k], defaultdict(list))
            cells[event.cell].append(_Access(event.kind, event.line, event.at[k][1]))
        for cells in executions.values():
            edges |= _within(cells, trace, partners)
    return edges


def _within(
    cells: dict[str | int, list[_Access]], trace: Trace, partners: dict[str, tuple[str, ...]]
) -> set[Edge]:
    """Dependences of one execution of the loop."""
    edges: set[Edge] = set()
    private = _private(cells, trace)
    for cell, accesses in cells.items():
        kinds = {a.kind for a in accesses}
        if len(kinds) == 1 and not kinds & {"r", "w"}:
            others = [a for name in partners[next(iter(kinds))] for a in cells.get(name, ())]
            if all(a.kind == "w" for a in others):
                continue
        if isinstance(cell, str):
            edges |= set(_by_value(accesses))
        elif trace.owners[cell] in private:
            turns: dict[int, list[_Access]] = defaultdict(list)
            for access in accesses:
                turns[access.turn].append(access)
            for alone in turns.values():
                edges |= set(_by_memory(alone))
        else:
            edges |= set(_by_memory(accesses))
    return edges


def _by_value(accesses: list[_Access]) -> Iterator[Edge]:
    last: _Access | None = None
    for access in accesses:
        if access.kind != "w" and last is not None:
            yield last.line, access.line, _over(last, access)
        if access.kind != "r":
            last = access


def _by_memory(accesses: list[_Access]) -> Iterator[Edge]:
    """Writes stand alone, reads between two writes together; neighbours depend."""
    before: dict[_Access, None] = {}
    here: dict[_Access, None] = {}
    reading = False
    for access in accesses:
        steps = (access.kind,) if access.kind in "rw" else ("r", "w")
        for kind in steps:
            if not (reading and kind == "r"):
                before, here = here, {}
            reading = kind == "r"
            one = _Access(kind, access.line, access.turn)
            if one in here:
                continue
            here[one] = None
            for other in before:
                yield other.line, one.line, _over(other, one)


def _over(one: _Access, two: _Access) -> Turns | None:
    return None if one.turn == two.turn else (one.turn, two.turn)


def _private(cells: dict[str | int, list[_Access]], trace: Trace) -> set[int]:
    """Memory that each iteration writes before it reads it, and that the last one leaves whole."""
    exposed: set[int] = set()
    read: set[int] = set()
    wrote: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for cell, accesses in cells.items():
        if isinstance(cell, str):
            continue
        owner = trace.owners[cell]
        written: int | None = None
        for access in accesses:
            if access.kind != "w":
                read.add(owner)
                if written != access.turn:
                    exposed.add(owner)
            if access.kind != "r":
                written = access.turn
                wrote[owner][access.turn].add(cell)
    return {
        owner
        for owner, turns in wrote.items()
        if owner in read - exposed and turns[max(turns)] == set().union(*turns.values())
    }
