"""Nests of parallel loops whose iterations all go to work items of a device, as one range.

    parallel for i in range(n):                 parallel for t in range(n * m):
        parallel for j in range(m):                 i, j = t // m, t % m
            a[i, j] = b[j, i]                       a[i, j] = b[j, i]

A processor has few threads, for which the outermost loop is enough; a device has thousands, and
reads what neighbouring work items want from memory at once where it lies side by side.

Where a loop in order reads the same for neighbouring iterations, a work item has a tile of them,
all steps of which it does together: each number that it reads serves a row or a column of the tile.
Work items that run at the same time have tiles of one block of iterations, each every so many of
its rows and columns: neighbours read side by side, and what one has read is near for the others.
What all of a block read goes by way of the device's chip (`staged`), also where a parallel loop
stands alone, of which neighbours read rows of a matrix.

Where there is no loop in order, a work item has a few iterations all the same: what each has to
find out before it begins is found out once for them, memory has more to bring at a time, and of
rows of a stencil they read most cells in common.  So are the windows of a convolution, whose loops
in order are short and written out on the device.

References
----------
C. Polychronopoulos, "Loop coalescing: a compiler transformation for parallel machines", ICPP 1987.
Register tiling: V. Volkov, J. Demmel, "Benchmarking GPUs to tune dense linear algebra", SC 2008.
Thread coarsening: A. Magni, C. Dubach, M. O'Boyle, "A large-scale cross-architecture evaluation of
thread-coarsening", SC 2013.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from autopar.deps.data import Dependence
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
    Call,
    Compare,
    Const,
    Element,
    Expr,
    For,
    If,
    Lanes,
    Load,
    Logic,
    Stmt,
)
from autopar.nest.walking import accesses, expressions, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.bands import any_order, chain, harmless, has_loops, unit
from autopar.sched.plan import Loop, Node, Plan, statement, unused, whole, with_launched
from autopar.sched.registers import Registers
from autopar.sched.squared import squared
from autopar.sched.staged import staged
from autopar.sched.together import levels, together
from autopar.sched.wide import NARROW

NO_LAYOUTS: Mapping[str, str] = MappingProxyType({})
_MOST_ACCESSES = 64
"""Of elements, in a tile of statements without loops, at the most."""
_MOST_KEPT = 16
"""Numbers that a tile keeps from step to step, at the most: they stay in registers."""


@dataclass(frozen=True, slots=True)
class Tile:
    """What work items have of two loops, or of one.

    Attributes
    ----------
    down, across
        Iterations of the first loop and of the second that one has together.
    rows, columns
        Work items of a block, along the first loop and along the second.
    steps
        How many iterations of a loop in order they go on for, once they have met; 0: they do not.
    rims
        Whether iterations go on together as well where not all of a block are there.
    near
        Whether those along the second loop lie side by side.
    """

    down: int
    across: int
    rows: int
    columns: int
    steps: int = 0
    rims: bool = False
    near: bool = False

    @property
    def several(self) -> bool:
        """Whether a work item has more than one iteration."""
        return self.down * self.across > 1

    @property
    def spans(self) -> tuple[int, int]:
        """Iterations of the first loop and of the second that a block has."""
        return self.down * self.rows, self.across * self.columns

    @property
    def items(self) -> int:
        """Work items of a block."""
        return self.rows * self.columns


ALONE = Tile(1, 1, 1, 1)
"""One iteration each."""


@dataclass(frozen=True, slots=True)
class Forms:
    """What work items may have of loops; what is in a loop decides which it is.

    Attributes
    ----------
    tile, row
        Of two loops or one around loops in order that read the same for neighbours, or far apart.
    swath, line
        Of two loops or one around statements without loops.
    window
        Of two loops around short ones in order, where neighbours along the first read in common.
    narrow
        Of two loops or one around statements without loops, all of whose cells are narrow; along
        the second one it has the bytes of a word.
    """

    tile: Tile = ALONE
    row: Tile = ALONE
    swath: Tile = ALONE
    line: Tile = ALONE
    window: Tile = ALONE
    narrow: Tile = ALONE


PLAIN = Forms()


def in_registers(plan: Plan, alone: frozenset[str], held: Sequence[Dependence]) -> Plan:
    """`plan` with the cells that loops in order update kept in scalars, in parallel loops.

    Parameters
    ----------
    alone
        Arrays that share no memory with another, and whose elements have one type.
    held
        The dependences of the nest.
    """
    fresh = unused(plan)
    registers = Registers(plan.nest, alone, held, dict(levels(plan.nest.loop)), fresh)

    def change(outer: Loop) -> Loop:
        loops = chain(outer)
        body: tuple[Node, ...] = registers.body(loops[-1].body)
        for loop in reversed(loops):
            made = replace(loop, body=body)
            body = (made,)
        return made

    body = with_launched(plan.body, change)
    return replace(plan, body=body, elements=(*plan.elements, *registers.elements))


def flattened(
    plan: Plan,
    forms: Forms = PLAIN,
    layouts: Mapping[str, str] = NO_LAYOUTS,
    dtypes: Mapping[str, str] = NO_LAYOUTS,
) -> Plan:
    """`plan` with the loops marked that are one range with parallel ones in them.

    Parameters
    ----------
    forms
        What work items may have of the last two of them, or of one that stands alone.
    layouts
        As for `by_memory`.
    dtypes
        Of each array, NumPy's name of what is in it.
    """
    arrays = tuple(sorted(plan.unshared))
    fresh = unused(plan)

    def change(outer: Loop) -> Loop:
        square = squared(plan.nest, outer, fresh)
        flat = _flat(square)
        made = replace(square, flat=flat)
        if not _counts(made) or not any_order(made) or made.cut:
            return made
        narrow = _of_words(made, forms.narrow, layouts, dtypes)
        if not flat:
            found = _in_line(made, replace(narrow, down=1), arrays) or _in_line(made, forms.line)
            return found or _in_row(made, forms.row, arrays, layouts) or made
        found = _in_swaths(made, flat, narrow, layouts, arrays)
        found = found or _in_swaths(made, flat, forms.swath, layouts)
        found = found or _in_windows(made, flat, forms.window, arrays, layouts)
        return found or _tiled(made, flat, forms.tile, arrays) or made

    return replace(plan, body=with_launched(plan.body, change))


def _in_row(
    outer: Loop, row: Tile, arrays: tuple[str, ...], layouts: Mapping[str, str]
) -> Loop | None:
    """`outer` with a mark that neighbouring iterations go on together, if they read far apart."""
    loop = whole(outer)
    if row == ALONE or loop.step != Const(1):
        return None
    if not staged(loop.body, (loop.var,), arrays, layouts, row.steps):
        return None
    lanes = Lanes(apart=row.columns, packs=arrays, steps=row.steps)
    return replace(outer, loop=replace(outer.loop, lanes=lanes))


def _of_words(
    outer: Loop, narrow: Tile, layouts: Mapping[str, str], dtypes: Mapping[str, str]
) -> Tile:
    """What a work item has where all cells that lie side by side are narrow; else one iteration.

    Of wider cells, work items side by side read as much at a time as memory gives.  Which cells
    lie side by side a subscript does not always say: it may be a scalar.
    """
    loops = chain(outer)
    best = by_memory([whole(one) for one in loops], layouts)[-1] if len(loops) > 1 else outer.loop
    _, inside = guarded(tuple(map(statement, loops[-1].body)))
    moving = {best.var} | written(inside)
    moved = {
        access.array
        for stmt in inside
        for _, access in accesses(stmt)
        if isinstance(access, Element) or moving & names(access.index)
    }
    sizes = {NARROW.get(dtypes.get(array, "")) for array in moved}
    (size,) = sizes if len(sizes) == 1 else (None,)
    if narrow == ALONE or size is None:
        return ALONE
    return replace(narrow, across=narrow.across // size, near=True)


def _in_line(outer: Loop, line: Tile, arrays: tuple[str, ...] = ()) -> Loop | None:
    """`outer` with a mark that a work item has several iterations, if that are few statements."""
    if not line.several or not _brief(outer, line):
        return None
    lanes = Lanes(line.across, apart=line.columns, packs=arrays, near=line.near)
    if not together((replace(whole(outer), lanes=lanes),)):
        return None
    return replace(outer, loop=replace(outer.loop, lanes=lanes))


def _in_swaths(
    outer: Loop,
    flat: int,
    tile: Tile,
    layouts: Mapping[str, str],
    arrays: tuple[str, ...] = (),
) -> Loop | None:
    """`outer`, of which a work item has some rows, if that are few statements.

    Work items lie side by side along the loop along which cells do, and have several iterations of
    the one before it.
    """
    loops = chain(outer)
    if tile == ALONE or len(loops) != 1 + flat or not _brief(loops[-1], tile):
        return None
    return _side_by_side(loops, tile, arrays, layouts)


def _in_windows(
    outer: Loop, flat: int, tile: Tile, arrays: tuple[str, ...], layouts: Mapping[str, str]
) -> Loop | None:
    """`outer`, of which a work item has some rows, if these read much of a window in common."""
    loops = chain(outer)
    if tile == ALONE or len(loops) != 1 + flat or any(one.loop.step != Const(1) for one in loops):
        return None
    _, inside = guarded(tuple(map(statement, loops[-1].body)))
    read = [load.index for load in _loads(inside)]
    _, other = _dense_last(loops, layouts)
    steps = {stmt.var for top in inside for stmt in statements(top) if isinstance(stmt, For)}
    if not any(other.var in names((i,)) and steps & names((i,)) for index in read for i in index):
        return None
    # A tile would read less where something is the same for all along one of its two loops.
    pair = {_most_shared(loops[:-1], loops[-1], inside).loop.var, loops[-1].loop.var}
    if any(len(pair & names(index)) == 1 for index in read):
        return None
    if tile.down * tile.across * _kept(replace(other, body=tuple(inside))) > _MOST_KEPT:
        return None
    return _side_by_side(loops, tile, arrays, layouts)


def _side_by_side(
    loops: Sequence[Loop], tile: Tile, arrays: tuple[str, ...], layouts: Mapping[str, str]
) -> Loop | None:
    """`loops` with rows of the one before that along which cells lie side by side."""
    best, other = _dense_last(loops, layouts)
    _, inside = guarded(tuple(map(statement, loops[-1].body)))
    lanes = _lanes(other, best, tile, arrays)
    return _marked(loops, lanes, _pair(loops, lanes, inside))


def _lanes(first: For, second: For, tile: Tile, arrays: tuple[str, ...]) -> dict[int, Lanes]:
    """The marks of the two loops of a tile."""
    return {
        one.id: Lanes(
            copies, apart=apart, packs=arrays, steps=tile.steps, rims=tile.rims, near=near
        )
        for one, copies, apart, near in (
            (first, tile.down, tile.rows, False),
            (second, tile.across, tile.columns, tile.near),
        )
    }


def _dense_last(loops: Sequence[Loop], layouts: Mapping[str, str]) -> tuple[For, For]:
    """The loop along which cells lie side by side, and the last of the others."""
    *_, best = by_memory([whole(one) for one in loops], layouts)
    return best, [one.loop for one in loops if one.loop.id != best.id][-1]


def _tiled(outer: Loop, flat: int, tile: Tile, arrays: tuple[str, ...]) -> Loop | None:
    """`outer` with two of the loops that are one range marked to go on together."""
    loops = chain(outer)
    if tile == ALONE or len(loops) != 1 + flat:
        return None  # what is in the last one is a parallel loop itself
    *others, last = loops
    _, inside = guarded(tuple(map(statement, last.body)))
    other = _most_shared(others, last, inside)
    lanes = _lanes(other.loop, last.loop, tile, arrays)
    pair = _pair(loops, lanes, inside)
    if not _read_again(pair) or tile.down * tile.across * _kept(pair[-1]) > _MOST_KEPT:
        return None
    return _marked(loops, lanes, pair)


def _pair(loops: Sequence[Loop], lanes: Mapping[int, Lanes], inside: Sequence[Stmt]) -> list[For]:
    """The two of `loops` that have `lanes`, the one around `inside` last."""
    pair = [
        replace(one.loop, lanes=lanes[one.loop.id], body=())
        for one in loops
        if one.loop.id in lanes
    ]
    pair[-1] = replace(pair[-1], body=tuple(inside))
    return pair


def _marked(loops: Sequence[Loop], lanes: Mapping[int, Lanes], pair: Sequence[For]) -> Loop | None:
    """`loops`, each alone in the one around it, with `lanes`; None where these may not be."""
    if not together(pair):
        return None
    body = loops[-1].body
    for loop in reversed(loops):
        made = replace(loop, loop=replace(loop.loop, lanes=lanes.get(loop.loop.id)), body=body)
        body = (made,)
    return made


def _brief(loop: Loop, tile: Tile) -> bool:
    """Whether iterations of `loop` are few statements without loops, so that a tile of them is.

    What functions compute takes longer than memory, and many registers.
    """
    if loop.loop.step != Const(1):
        return False
    inside = tuple(map(statement, loop.body))
    exprs = [e for top in inside for stmt in statements(top) for e in expressions(stmt)]
    if any(map(has_loops, inside)) or any(isinstance(e, Call) for top in exprs for e in walk(top)):
        return False
    count = sum(1 for stmt in inside for _ in accesses(stmt))
    across = 1 if tile.near else tile.across  # one access to a word
    return count * tile.down * across <= _MOST_ACCESSES


def in_groups(loop: For) -> bool:
    """Whether iterations of a loop that stands alone go on together, in a work item or a block."""
    return loop.lanes is not None and (loop.lanes.steps > 0 or loop.lanes.apart > 1)


def guarded(body: Sequence[Stmt]) -> tuple[Expr | None, tuple[Stmt, ...]]:
    """The test under which all of `body` stands, if it is one that cannot fail, and the rest.

    So `squared` leaves a triangle; an iteration is part of a tile if its test holds.
    """
    match body:
        case (If(test=test, body=inside, orelse=()),) if _asked(test):
            return test, inside
    return None, tuple(body)


def _asked(test: Expr) -> bool:
    """Whether `test` compares numbers, without a way to fail."""
    match test:
        case Compare(left=left, right=right):
            return harmless(left) and harmless(right)
        case Logic(values=values):
            return all(map(_asked, values))
    return False


def _most_shared(others: Sequence[Loop], last: Loop, body: Sequence[Stmt]) -> Loop:
    """The one of `others` of which a tile with `last` reads least in each step of `body`.

    The first, which is cut where not all of a nest has room, only where there is no other.
    """
    read = [names(load.index) for load in _loads(body)]

    def numbers(other: Loop) -> int:
        pair = other.loop.var, last.loop.var
        return sum(2 ** sum(var in found for var in pair) for found in read)

    return min(reversed(others[1:] or others), key=numbers)


def _read_again(pair: Sequence[For]) -> bool:
    """Whether loops in order read what neighbours along each of the two loops read as well."""
    loads = _loads(pair[-1].body)
    return all(any(loop.var not in names(load.index) for load in loads) for loop in pair)


def _loads(body: Sequence[Stmt]) -> list[Load]:
    """What loops in order in `body` read."""
    inner = [stmt for top in body if has_loops(top) for stmt in statements(top)]
    return [
        access
        for loop in inner
        if isinstance(loop, For)
        for _, access in accesses(loop)
        if isinstance(access, Load)
    ]


def _kept(loop: For) -> int:
    """How many scalars go from one step of a loop in order to the next, at the least one."""
    found: frozenset[str] = frozenset()
    for stmt in (inner for top in loop.body for inner in statements(top)):
        if isinstance(stmt, For):
            found |= exposed(stmt.body) & written(stmt.body)
    return max(1, len(found))


def _flat(outer: Loop) -> int:
    """How many of the loops in `outer` have ranges that do not depend on those around them.

    Each of them stands alone in the one around it.
    """
    if not any_order(outer) or outer.cut or not _counts(outer):
        return 0
    changed = written((whole(outer),))
    inner = 0
    for loop in chain(outer)[1:]:
        bounds = (loop.loop.start, loop.loop.stop)
        if not _counts(loop) or names(bounds) & changed or not all(map(harmless, bounds)):
            break
        inner += 1
    return inner


def _counts(loop: Loop) -> bool:
    """Whether it has a step that is known, and nothing assigns its variable."""
    head, step = loop.loop, loop.loop.step
    known = isinstance(step, Const) and type(step.value) is int and step.value != 0
    return (
        known and not head.fold and not head.product and head.var not in written(whole(loop).body)
    )


def by_memory(loops: Sequence[For], layouts: Mapping[str, str]) -> tuple[For, ...]:
    """`loops`, which are one range in any order, with that last along which cells lie side by side.

    Before it stands the other one of a tile.

    Parameters
    ----------
    layouts
        Of each array: ``"C"`` where its last axis is dense, ``"F"`` where its first one is.

    Notes
    -----
    Stores count twice: a device writes whole lines of memory.  Where nothing is gained the order
    stays.
    """
    weights = dict.fromkeys((loop.var for loop in loops), 0)
    for _, access in accesses(loops[-1]):
        dense = {"C": -1, "F": 0}.get(layouts.get(access.array, ""))
        if dense is None:
            continue
        others = access.index[:-1] if dense else access.index[1:]
        for var in weights:
            if unit(access.index[dense], var) and var not in names(others):
                weights[var] += 2 if isinstance(access, Element) else 1
    best = max(loops, key=lambda loop: (weights[loop.var], loop is loops[-1]))
    tile = [] if best.lanes is None else [loop for loop in loops if loop.lanes is not None]
    beside = [loop for loop in tile if loop is not best]
    return (*(loop for loop in loops if loop is not best and loop not in beside), *beside, best)
