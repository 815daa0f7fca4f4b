"""How many items the text appends to a list, exactly or at the most."""

from __future__ import annotations

from collections.abc import Sequence

from autopar.nest import ir, walking
from autopar.nest.arrays.masks import Masks
from autopar.nest.arrays.section import ONE, ZERO
from autopar.nest.ir import Call, Const, Expr, For, If, Leave, Name, Stmt, View
from autopar.nest.naming import assigns
from autopar.nest.polynomial import Polynomial, symbol
from autopar.records import dataclass
from autopar.verdict import Refused


@dataclass(slots=True)
class Counting(Masks):
    """What statements append, counted."""

    def added(
        self, stmts: Sequence[Stmt], name: str, most: list[For] | None = None
    ) -> Polynomial | None:
        """How many items `stmts` append to `name`, if the text says so.

        Parameters
        ----------
        most
            A bound is wanted; where to put the loops in whose variables it may be.
        """
        total, skipped = ZERO, False
        for stmt in stmts:
            if assigns(stmt, name):
                break
            found = self.added_by(stmt, name, most)
            if found is None or (skipped and most is None and found != ZERO):
                return None
            total = total + found
            skipped = skipped or skips(stmt)
        return total

    def added_by(self, stmt: Stmt, name: str, most: list[For] | None) -> Polynomial | None:
        if not any(appends(inner, name) for inner in walking.statements(stmt)):
            return ZERO
        match stmt:
            case ir.Put():
                return ONE
            case If(body=body, orelse=orelse) if most is not None:
                found = [self.added(block, name, most) for block in (body, orelse)]
                return None if None in found else found[0] + found[1]  # type: ignore[operator]
            case If(body=body, orelse=orelse):
                one, other = (self.added(block, name) for block in (body, orelse))
                leaves = any(isinstance(s, Leave) for s in walking.statements(stmt))
                return None if leaves or one != other else one
            case For(body=body):
                leaves = any(isinstance(s, Leave) for s in walking.statements(stmt))
                if leaves and most is None:
                    return None
                return self.repeated(stmt, body, name, most)
        return None

    def repeated(
        self, loop: For, body: Sequence[Stmt], name: str, most: list[For] | None
    ) -> Polynomial | None:
        trips = self.trips(loop, most is not None)
        if trips is None:
            return None
        if most is None:
            if self.surely_negative(trips):
                return None
            self.require(trips, 0, None, loop.line, "a range that ends before it begins")
            each = self.added(body, name)
            return None if each is None or loop.var in each.names else trips * each
        if self.surely_negative(trips):
            trips = symbol(Call("<max>", (trips.expr(loop.line), Const(0)), loop.line))
        inside, deeper = self.entered(loop), list[For]()
        each = self.added(body, name, deeper)
        here = self.around.pop() if inside else None
        if each is None:
            return None
        # A loop that does not run says nothing of what does not depend on its variable.
        bounds = (end for one in deeper for end in (one.start, one.stop))
        names = each.names | {e.id for b in bounds for e in walking.walk(b) if isinstance(e, Name)}
        if here is not None and here.var in names:
            most.append(here)
        most += deeper
        return trips * each

    def surely_negative(self, trips: Polynomial) -> bool:
        """Whether a range ends before it begins in the first or the last turn of a loop around."""
        for loop in self.around:
            start, stop = self.exact(loop.start, loop.line), self.exact(loop.stop, loop.line)
            if loop.step != Const(1) or start is None or stop is None:
                continue
            for turn in (start, stop - ONE):
                least = trips.where({loop.var: turn}, loop.line).literal
                if least is not None and least < 0:
                    return True
        return False

    def trips(self, loop: For, most: bool = False) -> Polynomial | None:
        """How often `loop` runs, if that is exact; or no more often than that."""
        start, stop = self.end_of(loop.start, most), self.end_of(loop.stop, most)
        match loop.step:
            case Const(value=int(step)) if start is not None and stop is not None:
                if step in (1, -1) or most:
                    return stop - start if step > 0 else start - stop
        return None

    def end_of(self, end: Expr, most: bool) -> Polynomial | None:
        """The end of a range; that of several sequences is the shortest one's."""
        outside, self.first = self.first, []
        try:
            value = self.scalar(end)
        except Refused:
            return None  # it is made of what is not known yet
        finally:
            computed, self.first = self.first, outside
        line = self.nest.loop.line
        match value:
            case Name(id=name) if name in self.most:
                return self.most[name] if most else None
            case Call(func="<max>", args=(length, Const(value=0))) if not computed:
                return self.end_of(length, most)  # that of a list, which is not negative
            case Call(func="<min>", args=args) if not computed:
                return self.shortest(args, most, line)
        return None if computed else self.exact(value, line)

    def shortest(self, args: Sequence[Expr], most: bool, line: int) -> Polynomial | None:
        """How many items several sequences have together."""
        found = [self.end_of(arg, most) for arg in args]
        shortest = found[0]
        for other in found[1:]:
            if shortest is None or other is None:
                return None
            apart = (other - shortest).literal
            if apart is not None:
                shortest = other if apart < 0 else shortest
            elif not most:
                if self.strict:
                    return None
                self.equal(shortest, other, line)
        return shortest


def skips(stmt: Stmt) -> bool:
    """Whether what follows `stmt` in its block may be skipped."""
    match stmt:
        case Leave():
            return True
        case If(body=body, orelse=orelse):
            return any(map(skips, (*body, *orelse)))
    return False


def appends(stmt: Stmt, name: str) -> bool:
    match stmt:
        case ir.Put(target=View(array=Name(id=found), index=("append",))):
            return found == name
    return False
