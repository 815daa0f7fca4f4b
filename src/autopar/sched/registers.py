"""Elements of arrays that stay the same throughout a loop, kept in scalars while it runs.

``for k in …: c[i, j] += a[i, k] * b[k, j]`` reads and writes one cell again and again.  It is read
before the loop and written after it, and the loop updates a scalar.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count

from autopar.deps.data import Dependence
from autopar.nest import walking
from autopar.nest.flow import names, written
from autopar.nest.ir import (
    Assign,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Logic,
    Name,
    Nest,
    Stmt,
)
from autopar.nest.show import text
from autopar.nest.walking import accesses
from autopar.records import dataclass, field, replace
from autopar.sched.always import always, runs
from autopar.sched.bands import seen_after
from autopar.sched.contraction import with_scalar
from autopar.sched.plan import Leaf, Loop, Node, statement


@dataclass(slots=True)
class Registers:
    """Scalars for cells, so far.

    Attributes
    ----------
    nest
        Whose loops these are.
    alone
        Arrays that share no memory with another, and whose elements have one type.
    held
        The dependences of the nest, and the level of each of its loops by id.
    ids
        Numbers that no statement and no access has.
    elements
        Scalars that stand for an element of an array, and the array's path.

    References
    ----------
    Scalar replacement: Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, section
    8.3.
    """

    nest: Nest
    alone: Collection[str]
    held: Sequence[Dependence]
    levels: Mapping[int, int]
    ids: count[int]
    elements: list[tuple[str, str]] = field(default_factory=list)

    def body(
        self, nodes: Sequence[Node], wanted: Callable[[Load], bool] = lambda load: False
    ) -> tuple[Node, ...]:
        """`nodes`, with scalars for the cells that the loops among them update.

        Parameters
        ----------
        wanted
            Of which cells that a loop only reads there should be scalars as well.
        """
        found: list[Node] = []
        for node in nodes:
            made: tuple[Node, ...] = (node,)
            if isinstance(node, Loop):
                made = self.kept(node, wanted)
                if made == (node,):
                    made = (replace(node, body=self.body(node.body, wanted)),)
            found += made
        return tuple(found)

    def kept(self, loop: Loop, wanted: Callable[[Load], bool]) -> tuple[Node, ...]:
        """`loop`, which runs in order, and what must be done before and after it."""
        inside = statement(loop)
        assert isinstance(inside, For)
        if any(isinstance(stmt, Leave) for stmt in walking.statements(inside)):
            return (loop,)  # what comes after it may be left out
        changed = written((inside,))
        made: Node = loop
        before: list[Assign] = []
        after: list[Assign] = []
        tests: dict[Expr, None] = {}
        seen: set[tuple[str, tuple[Expr, ...]]] = set()
        for cell, around, line in always((inside,), ()):
            bounds = [e for outer in around for e in (outer.start, outer.stop)]
            if (cell.array, cell.index) in seen or names(bounds) & changed:
                continue
            if isinstance(cell, Load) and not wanted(cell):
                continue
            if not self.fixed(inside, cell, changed) or not self.idle(around):
                continue
            seen.add((cell.array, cell.index))
            scalar = f"<{cell.array.strip('<>')} kept {len(self.elements)}>"
            self.elements.append((scalar, cell.array))
            made = with_scalar(made, cell.array, Name(scalar), cell.index)
            inside = statement(made)
            assert isinstance(inside, For)
            # The same numbers: they are in bounds where those in the loop are.
            load = Load(cell.array, cell.index, cell.id, cell.line)
            before.append(Assign(Name(scalar), load, next(self.ids), line))
            if isinstance(cell, Element):
                after.append(Assign(cell, Name(scalar), next(self.ids), line, whole=True))
            tests |= dict.fromkeys(test for outer in around for test in runs(outer))
        if not before:
            return (loop,)
        if tests:
            # A cell that no iteration comes to may not even exist.
            all_of = tuple(tests)
            test = all_of[0] if len(all_of) == 1 else Logic("and", all_of, loop.loop.line)
            run: tuple[Stmt, ...] = (*before, inside, *after)
            return (Leaf(If(test, run, (), next(self.ids), loop.loop.line)),)
        return (*map(Leaf, before), made, *map(Leaf, after))

    def idle(self, around: tuple[For, ...]) -> bool:
        """Whether the first of these loops does nothing where one of them has no iteration."""
        last = max((k for k, loop in enumerate(around) if runs(loop)), default=0)
        counters = frozenset(loop.var for loop in around[:last])
        return all(len(loop.body) == 1 for loop in around[:last]) and not seen_after(
            self.nest, around[0].id, counters
        )

    def fixed(self, loop: For, cell: Load | Element, changed: frozenset[str]) -> bool:
        """Whether `loop` comes to `cell` by that name only, always the same one, and reads it."""
        if cell.array not in self.alone or names(cell.index) & changed:
            return False
        if any(isinstance(e, Load) for top in cell.index for e in walking.walk(top)):
            return False
        mine = [access for _, access in accesses(loop) if access.array == cell.array]
        if not any(isinstance(one, Load) and one.index == cell.index for one in mine):
            return False
        if all(one.index == cell.index for one in mine):
            return True
        if not any(isinstance(one, Element) for one in mine):
            return True
        level = self.levels.get(loop.id)
        inside = {stmt.id for stmt in walking.statements(loop)}
        return level is not None and not any(
            dep.variable == cell.array
            and {dep.source, dep.sink} <= inside
            and (dep.level is None or dep.level >= level)
            and {dep.source_text, dep.sink_text} != {text(cell)}
            for dep in self.held
        )
