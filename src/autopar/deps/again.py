"""What must be put back for a nest that has been run, or a part of it, to be run once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from autopar.deps.affine import Atom, Entry, Floor, Linear, number
from autopar.deps.analyse import known
from autopar.deps.data import Facts
from autopar.deps.domains import Range, Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import (
    common_loops,
    empty,
    in_one,
    pairs,
    systems_of,
    variables,
)
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import Row, System, TooHard
from autopar.nest.ir import Call, For, Leave, Nest, Stmt
from autopar.nest.walking import statements


def put_back(nest: Nest, facts: Facts) -> frozenset[str]:
    """Arrays that must be as before for `nest` to come to the same again, whatever the parameters.

    No subscript may wrap.

    Notes
    -----
    What is read of another array has been stored before by the same run, or nobody stores it: in
    both cases it does not matter what an earlier run, or a part of one, has left.  (The last run
    must come to its end, for what it has not stored yet may have been stored by an earlier one.)
    That is so where there is no antidependence, carried or not, nor from a statement to itself, as
    in ``a[i] = a[i] + 1`` (Allen & Kennedy, *Optimizing Compilers for Modern Architectures*,
    section 2.2); or where what is read, and stored later, has also been stored before: what is read
    is not *upward exposed* (section 11.2.1 there, for arrays).

    The systems are those of dependence analysis; one that nobody can solve has points.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    solver = Solver(params, PATIENCE_S)
    stored = frozenset(reach.access.array for reach in reader.reaches if reach.writes)
    before = _before(nest, reader.reaches)
    found: set[str] = set()
    try:
        for one, two, met in pairs(reader.reaches, facts):
            names = {one.access.array, two.access.array}
            if (one.writes and two.writes) or names <= found:
                continue
            read, columns = two if one.writes else one, variables(one, two)[int(one.writes)]
            depth = len(one.place.loops)
            for system in _stored_later(one, two, met, solver):
                tries = (_not_before(read, columns, s, system) for s in before[id(read)])
                if any(t is not None and all(empty(solver, w, depth) for w in t) for t in tries):
                    continue
                if facts.same or facts.tangled:
                    return stored
                found |= names
                break
    except TooHard:
        return stored
    return frozenset(found) & stored


def _before(nest: Nest, reaches: Sequence[Reach]) -> dict[int, list[Reach]]:
    """For each read, by its `id`, the stores to its array in front of it that nothing can skip."""
    surely, found = _unconditional(nest), dict[int, list[Reach]]()
    cases = Counter(reach.stmt.id for reach in reaches if reach.writes)  # of one's subscripts
    stores: list[Reach] = []
    for reach in reaches:
        if reach.writes:
            sure = reach.stmt.id in surely and cases[reach.stmt.id] == 1
            stores += [reach] if sure and reach.place.guards == ((),) else []
        else:
            found[id(reach)] = [s for s in stores if s.access.array == reach.access.array]
    return found


def _stored_later(one: Reach, two: Reach, met: Meeting, solver: Solver) -> Iterator[System]:
    """Where the one that reads may come to an element before the other one stores it.

    `one` comes first in the text.  In a ``while`` that both are in, one iteration of a loop around
    that may come to either first, and each iteration of a loop in it to any of the other's.
    """
    common, depth = common_loops(one, two), len(one.place.loops)
    shared = set(one.place.whiles) & set(two.place.whiles)
    ordered = min((loops for _, loops in shared), default=len(common))
    later = -1 if one.writes else 1  # the sign of `two` minus `one` where what stores comes later
    for system in systems_of(one, two, met, solver):
        for level, around in enumerate(common):
            counted = around.sign and level < ordered
            for way in (later,) if counted else (1, -1):
                made = in_one(system, depth, level)
                made.rows.append((">=", {depth + level: way}, -1))
                if not empty(solver, made, depth):
                    yield made
        made = in_one(system, depth, len(common))
        if (not one.writes or shared) and not empty(solver, made, depth):
            yield made


def _unconditional(nest: Nest) -> frozenset[int]:
    """Ids of statements that are executed in each iteration of all loops around them."""
    if any(isinstance(stmt, Leave) for stmt in statements(nest.loop)):
        return frozenset()

    def within(stmt: Stmt) -> Iterator[int]:
        yield stmt.id
        if isinstance(stmt, For):
            for inner in stmt.body:
                yield from within(inner)

    return frozenset(within(nest.loop))


def _not_before(
    read: Reach, columns: Sequence[Row], store: Reach, system: System
) -> list[System] | None:
    """Where in `system` an element that is read has not been stored by `store` before.

    In the same iteration of the loops around both, of which `store` comes first: each loop that
    only `store` is in has its variable in a subscript of its own, so that there is one iteration
    that may store the element, and it is one of the loop's.  None where that is not so.

    Parameters
    ----------
    columns
        What the variables of loops around `read` are in `system`.
    """
    shared = len(common_loops(store, read))
    own = store.place.loops[shared:]
    if not all(map(_exact, own)) or len(store.index) != len(read.index):
        return None
    made, theirs = system.extended(), list(columns[:shared])
    for _ in own:
        theirs.append({made.columns: 1})
        made.columns += 1
    left, others = set(range(shared, len(theirs))), list[tuple[Linear, Linear]]()
    for one, two in zip(store.index, read.index, strict=True):
        if one is None or two is None or any(isinstance(s, Floor | Entry) for s, _ in one.terms):
            return None
        inner = [(s, factor) for s, factor in one.terms if isinstance(s, int) and s >= shared]
        if len(inner) == 1 and inner[0][0] in left and abs(inner[0][1]) == 1:
            left.discard(inner[0][0])
            made.equate(one, theirs, two, columns)
        else:
            others.append((one, two))
    if left:
        return None
    never: list[System] = []
    for one, two in others:
        for here, there in (((one, theirs), (two, columns)), ((two, columns), (one, theirs))):
            never.append(made.extended())
            never[-1].exceed(*here, *there)
    for atom in (atom for around in own for atom in around.atoms):
        never.append(made.extended())
        never[-1].add((Atom(">=", atom.form.times(-1) - number(1)),), theirs)
    return never


def _exact(around: Range) -> bool:
    """Whether a loop goes through all integers that its range says, and no others."""
    loop = around.loop
    whole = abs(around.scale) == 1 and all(atom.kind == ">=" for atom in around.atoms)
    plain = not any(isinstance(end, Call) for end in (loop.start, loop.stop))
    return whole and plain and len(around.atoms) > 1
