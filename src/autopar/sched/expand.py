"""Scalar expansion: what goes from one copy of a distributed loop to another, in an array.

The copy that assigns a scalar notes its value for each iteration at the place of the statement
that has moved to another copy; that statement reads the note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from autopar.nest import kinds
from autopar.nest.flow import exposed, written
from autopar.nest.ir import Assign, Element, For, If, Load, Name, Stmt
from autopar.nest.typed.types import ArrayType, Typed, kind_of
from autopar.nest.walking import accesses, statements
from autopar.records import dataclass, field, replace
from autopar.sched.parts import divisible, fixed, pruned, renamed, turn
from autopar.sched.plan import Leaf, Plan, Temporary, walk


class _TooEarly(Exception):
    """A note would be fetched before it is made."""


@dataclass(slots=True)
class Expansion:
    """The temporaries of one plan, and ids for what is added.

    Attributes
    ----------
    tests
        Scalars that hold the outcome of a test, and their types.

    References
    ----------
    Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, sections 5.3 and 7.2
    (if-conversion of forward branches).
    """

    typed: Typed
    made: list[Temporary] = field(default_factory=list)
    tests: dict[str, kinds.Kind] = field(default_factory=dict)
    _ids: count[int] = field(default_factory=count)
    _tested: dict[int, tuple[Assign, If]] = field(default_factory=dict)

    @staticmethod
    def of(typed: Typed) -> Expansion:
        """With ids that the nest has not used."""
        loop = typed.nest.loop
        used = [s.id for s in statements(loop)] + [a.id for _, a in accesses(loop)]
        return Expansion(typed, _ids=count(max(used, default=0) + 1))

    def now(self) -> Typed:
        """The types of the nest, and of what has been added."""
        return _extended(self.typed, self.made, self.tests)

    def tested(self, loop: For, kept: frozenset[int]) -> For:
        """`loop` with each branch that its copies may share as a test and an ``if`` of its outcome.

        Itself where no note can be made of the outcomes: test and branch stay together then.

        Parameters
        ----------
        kept
            Ids of branches to leave alone.
        """
        if not fixed(loop, self.typed.ints):
            return loop
        body: list[Stmt] = []
        for stmt in loop.body:
            if not isinstance(stmt, If) or stmt.id in kept or not divisible(stmt):
                body.append(stmt)
                continue
            if stmt.id not in self._tested:
                name = f"<if {stmt.line} {stmt.id}>"
                kind = kind_of(self.now(), stmt.test)
                if not kind or kinds.storage(kind) is None:
                    body.append(stmt)
                    continue
                self.tests[name] = kind
                # The test keeps the id: what it reads depends on what it did as a branch.
                test = Assign(Name(name), stmt.test, stmt.id, stmt.line)
                branch = replace(stmt, test=Name(name), id=next(self._ids))
                self._tested[stmt.id] = test, branch
            test, branch = self._tested[stmt.id]
            # In a copy of the loop it may read notes, where it read scalars the last time.
            body += (
                replace(test, value=stmt.test),
                replace(branch, body=stmt.body, orelse=stmt.orelse),
            )
        return replace(loop, body=tuple(body))

    def by_outcome(self, stmt: If) -> bool:
        """Whether `stmt` goes by the outcome of a test that has been made before it."""
        return isinstance(stmt.test, Name) and stmt.test.id in self.tests

    def is_test(self, number: int) -> bool:
        """Whether the branch with that id has become a test and an ``if`` of its outcome."""
        return number in self._tested

    def notable(self, loop: For) -> dict[tuple[str, int], kinds.Kind]:
        """By scalar and statement of the body that reads it: the types it may have there.

        Of those only of which a note can be made in each iteration that gets there.  The number of
        iterations must be known before the nest starts.  A note says nothing of the type: where
        there are several, the statement must assign no scalar, whose own type could depend on it.
        """
        if not fixed(loop, self.typed.ints):
            return {}
        typed = self.now()
        kept = dict(typed.scalars)
        types = {name: kept.get(name, frozenset()) for name in written(loop.body)}
        found: dict[tuple[str, int], kinds.Kind] = {}

        def visit(stmts: Sequence[Stmt], around: frozenset[str]) -> None:
            for stmt in stmts:
                if isinstance(stmt, If) and self.by_outcome(stmt):
                    inside = around | exposed((stmt,)) & self.tests.keys()
                    before = dict(types)
                    visit(stmt.body, inside)
                    types.update(before)
                    visit(stmt.orelse, inside)
                else:
                    mine = written((stmt,))
                    named = any(map(_names, statements(stmt)))
                    # What a loop reads and leaves alone is the same throughout it.
                    inner = tuple(statements(stmt)) if isinstance(stmt, For) else (stmt,)
                    for name in (exposed((stmt,)) | around) & types.keys() - mine:
                        single = len(types[name]) == 1 or name in self.tests
                        if single or (types[name] and not named):
                            found.update(((name, one.id), types[name]) for one in inner)
                for name in written((stmt,)):
                    types[name] = kept.get(name, frozenset())
                match stmt:
                    case Assign(target=Name(id=name), value=value):
                        types[name] = kind_of(typed, value)

        visit(loop.body, frozenset())
        return found

    def pieces(
        self, loop: For, groups: Sequence[frozenset[int]], homes: Mapping[str, int]
    ) -> tuple[For, ...]:
        """`loop` once for each group of its statements.

        Parameters
        ----------
        groups
            Ids of statements in the order in which their copies run.
        homes
            Scalar that is expanded, and the group that assigns it.

        Returns
        -------
        tuple of For
            Nothing where a note would be needed before it is made: one that stands in a branch
            needs the outcome of its test.
        """
        # A note made in a branch is there for those who come to the same branch.
        notes: dict[tuple[str, int, int], Temporary] = {}
        epochs, types = dict.fromkeys(homes, 0), self.notable(loop)
        branches = count(1)

        def split(stmts: Sequence[Stmt], branch: int) -> list[list[Stmt]]:
            bodies: list[list[Stmt]] = [[] for _ in groups]
            fetched: set[tuple[int, str]] = set()

            def reading(number: int, name: str, kind: kinds.Kind) -> str:
                """What `name` is called in a group that does not assign it."""
                if homes[name] > number:
                    raise _TooEarly
                key = name, epochs[name], branch
                if key not in notes:
                    notes[key] = self._note(loop, name, kind)
                    bodies[homes[name]].append(self._store(notes[key], name))
                if (number, notes[key].path) not in fetched:
                    fetched.add((number, notes[key].path))
                    bodies[number].append(self._fetch(notes[key]))
                return notes[key].scalar

            for stmt in stmts:
                if isinstance(stmt, If) and self.by_outcome(stmt):
                    (test,) = exposed((replace(stmt, body=(), orelse=()),))
                    one, two = (split(block, next(branches)) for block in (stmt.body, stmt.orelse))
                    for number in range(len(groups)):
                        if not one[number] and not two[number]:
                            continue
                        here = stmt.test
                        if homes.get(test, number) != number:
                            here = Name(reading(number, test, self.tests[test]))
                        then, other = tuple(one[number]), tuple(two[number])
                        bodies[number].append(replace(stmt, test=here, body=then, orelse=other))
                    continue
                for number, group in enumerate(groups):
                    part = (stmt,) if stmt.id in group else pruned((stmt,), group)
                    names = sorted(exposed(part) & homes.keys())
                    others = [name for name in names if homes[name] != number]
                    read = {n: reading(number, n, types[n, stmt.id]) for n in others}
                    bodies[number] += [renamed(one, read) for one in part] if read else part
                for name in written((stmt,)) & homes.keys():
                    epochs[name] += 1
            return bodies

        try:
            bodies = split(loop.body, 0)
        except _TooEarly:
            return ()
        return tuple(replace(loop, body=tuple(body)) for body in bodies)

    def _note(self, loop: For, name: str, kind: kinds.Kind) -> Temporary:
        k, dtype = len(self.made), kinds.storage(kind)
        assert dtype is not None, name
        head = replace(loop, body=())
        note = Temporary(f"<notes of {name} {k}>", f"<{name} of {k}>", head, kind, dtype)
        self.made.append(note)
        return note

    def _store(self, note: Temporary, name: str) -> Assign:
        line = note.loop.line
        target = Element(note.path, (turn(note.loop),), next(self._ids), line)
        return Assign(target, Name(name), next(self._ids), line)

    def _fetch(self, note: Temporary) -> Assign:
        line = note.loop.line
        value = Load(note.path, (turn(note.loop),), next(self._ids), line)
        return Assign(Name(note.scalar), value, next(self._ids), line)


def _names(stmt: Stmt) -> bool:
    """Whether `stmt` gives a scalar a value, and perhaps a type."""
    return isinstance(stmt, Assign) and isinstance(stmt.target, Name)


def with_temporaries(typed: Typed, plan: Plan) -> Typed:
    """`typed`, and what `plan` adds."""
    elements = {scalar: typed.array(path).kind for scalar, path in plan.elements}
    return _extended(typed, plan.temporaries, {**dict(plan.tests), **elements})


def _extended(
    typed: Typed, temporaries: Sequence[Temporary], tests: Mapping[str, kinds.Kind]
) -> Typed:
    if not temporaries and not tests:
        return typed
    arrays = [(t.path, ArrayType(t.dtype, 1, "C", True, True)) for t in temporaries]
    scalars = [(t.scalar, t.kind) for t in temporaries]
    return replace(
        typed,
        arrays=tuple(sorted((*typed.arrays, *arrays))),
        scalars=tuple(sorted((*typed.scalars, *scalars, *tests.items()))),
    )


def own_accesses(plan: Plan) -> frozenset[int]:
    """Ids of the accesses to its temporaries, which are in bounds by construction."""
    own = {t.path for t in plan.temporaries}
    leaves = (node.stmt for node in walk(plan.body) if isinstance(node, Leaf))
    return frozenset(a.id for stmt in leaves for _, a in accesses(stmt) if a.array in own)
