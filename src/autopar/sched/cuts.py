"""Loops cut in parts, none of which carries a dependence: at a place or two, at the value of a
variable of a loop around, or in even strips."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from autopar.nest.flow import names
from autopar.nest.ir import Call, Const, Expr, For, Name
from autopar.nest.typed.types import Typed
from autopar.nest.walking import expressions
from autopar.records import dataclass, replace
from autopar.sched.plan import Loop, Node
from autopar.sched.tiles import plain, plus, unit


@dataclass(frozen=True, slots=True)
class Cut:
    """A loop that may be cut.

    Attributes
    ----------
    loop
        `For.id`.
    places
        At how many places; 0: in strips of one length.
    separated
        Positions in `Analysis.dependences` of those whose ends each lie in two parts.
    varies
        Whether its range may be another each time, so that places lie outside of it.
    upwards
        Whether the loop variable grows.
    at
        Variable of a loop around, at whose value it is cut: what is before that, that iteration,
        and what is after it.  Empty: at numbers that are the same for a whole run.
    """

    loop: int
    places: int
    separated: frozenset[int]
    varies: bool
    upwards: bool
    at: str = ""

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the first values of the loop variable in all parts but the first.

        Of strips, the name of the difference between those of one and of the next.
        """
        if self.at:
            return self.at, self.at
        if not self.places:
            return (f"<strip {self.loop}>",)
        return tuple(f"<cut {self.loop}.{k + 1}>" for k in range(self.places))


def divisible(loop: For, typed: Typed, around: frozenset[str]) -> bool:
    """Whether the parts of `loop` have ranges that can be written down.

    Parameters
    ----------
    around
        Variables of the loops around it whose own ranges can be.
    """
    bounds = tuple(expressions(loop))
    if not all(plain(e, typed, around) for e in bounds):
        return False
    return unit(loop) != 0 or not names(bounds) & around


def divided(loop: For, body: tuple[Node, ...], cut: Cut, fresh: int) -> Iterator[Loop]:
    """The parts of `loop`, one after the other, each of them parallel.

    Parameters
    ----------
    fresh
        `For.id` for a loop over strips.
    """
    first, last = ("<max>", "<min>") if cut.upwards else ("<min>", "<max>")
    if not cut.places:
        (strip,) = map(Name, cut.points)
        begin = Name(f"<strips {loop.var.strip('<>')} {loop.id}>")
        end = Call(last, (plus(begin, strip), loop.stop), loop.line)
        part = Loop(replace(loop, start=begin, stop=end), body, True, cut=cut.points)
        strips = replace(loop, var=begin.id, step=strip, body=(), id=fresh)
        yield Loop(strips, (part,), False, stands_for=(), cut=cut.points)
        return

    def clipped(extreme: str, bound: Expr, place: Expr) -> Expr:
        return Call(extreme, (bound, place), loop.line) if cut.varies else place

    places: tuple[Expr | None, ...] = (None, *map(Name, cut.points), None)
    if cut.at:
        next_one = plus(Name(cut.at), Const(1 if cut.upwards else -1))
        places = None, Name(cut.at), next_one, None
    for before, after in pairwise(places):
        start = loop.start if before is None else clipped(first, loop.start, before)
        stop = loop.stop if after is None else clipped(last, loop.stop, after)
        yield Loop(replace(loop, start=start, stop=stop), body, True, cut=cut.points)
