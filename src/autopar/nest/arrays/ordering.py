"""Arrays and lists in order: runs that are sorted by insertion, and merged.

What comes out is the same whatever the algorithm, but for values that compare equal and can be told
apart, or do not compare.  Python's sort is stable, and so is this one; NumPy's is not.  So a kernel
gives up where there is a nan, and for NumPy where there are two zeros of different signs, or, for
the places of elements, two that are equal.

References
----------
Knuth, *The Art of Computer Programming*, volume 3, sections 5.2.1 (insertion) and 5.2.4 (merging).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from autopar.nest import ir
from autopar.nest.arrays.section import ONE, ZERO, Section
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Element,
    Expr,
    For,
    If,
    Load,
    Logic,
    Name,
    Select,
    Stmt,
    While,
)
from autopar.nest.polynomial import Polynomial, symbol
from autopar.nest.show import text
from autopar.records import dataclass, replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements

_RUN = 16
"""Elements that are put in order by insertion; what is longer is merged from such runs."""
MOST = 64
"""Elements of an array beyond which NumPy, with vector instructions, is faster."""
_OPPOSITE: dict[str, Literal["<", ">"]] = {"<": ">", ">": "<"}


@dataclass(slots=True)
class _Sort:
    """A sort of one array of the nest's own; others go with it.

    Attributes
    ----------
    nest
        The nest that is written out.
    paths
        The array that is compared, and then those whose elements go the same ways.
    beside
        As many arrays, for what is being merged.
    size
        How many elements there are.
    later
        What holds of an element and one that must come before it.
    """

    nest: Elements
    paths: tuple[str, ...]
    beside: tuple[str, ...]
    size: Polynomial
    line: int
    later: Literal["<", ">"]

    def stmts(self) -> list[Stmt]:
        """All of it."""
        few = self.size.literal
        if few is not None and few <= 2 * _RUN:
            return [self.run(Const(0), self.size.expr(self.line))]
        first, end = Name(f"<run of line {self.line}>"), self.name("end")
        ends = self.least(self.plus(first, _RUN), self.size.expr(self.line))
        inside = (self.set(end, ends), self.run(first, end))
        number, stop = next(self.nest.ids), self.size.expr(self.line)
        runs = For(first.id, Const(0), stop, Const(_RUN), inside, number, self.line)
        return [runs, *self.merged()]

    def run(self, low: Expr, high: Expr) -> Stmt:
        """Elements from `low` on, below `high`, in order: by insertion."""
        here, place = Name(f"<element of line {self.line}>"), self.name("place")
        values = [self.name("value") for _ in self.paths]
        before = self.plus(place, -1)
        further = Logic("and", (self.test(">", place, low), self.comes_later(before, values[0])),
                        self.line)  # fmt: skip
        moved = [self.store(path, place, self.load(path, before)) for path in self.paths]
        moving = While(further, (*moved, self.set(place, before)), next(self.nest.ids), self.line)
        pairs = list(zip(values, self.paths, strict=True))
        body: tuple[Stmt, ...] = (
            *(self.set(value, self.load(path, here)) for value, path in pairs),
            self.set(place, here),
            moving,
            *(self.store(path, place, value) for value, path in pairs),
        )
        start = Const(low.value + 1) if isinstance(low, Const) else self.plus(low, 1)
        return For(here.id, start, high, Const(1), body, next(self.nest.ids), self.line)

    def merged(self) -> list[Stmt]:
        """Runs of 16, 32, 64, … elements, each with the next one."""
        width, low, middle, high = map(self.name, ("width", "low", "middle", "high"))
        size = self.size.expr(self.line)
        bounds = (
            self.set(middle, Binary("+", low, width, self.line)),
            self.set(high, self.least(Binary("+", middle, width, self.line), size)),
        )
        (compared, *_) = self.paths
        apart = self.comes_later(self.plus(middle, -1), self.load(compared, middle))
        merge = If(apart, self.merge(low, middle, high), (), next(self.nest.ids), self.line)
        more = self.test("<", Binary("+", low, width, self.line), size)
        pairs = While(more, (*bounds, merge, self.set(low, high)), next(self.nest.ids), self.line)
        twice = self.set(width, Binary("*", width, Const(2), self.line))
        again = While(
            self.test("<", width, size),
            (self.set(low, Const(0)), pairs, twice),
            next(self.nest.ids),
            self.line,
        )
        return [self.set(width, Const(_RUN)), again]

    def merge(self, low: Expr, middle: Expr, high: Expr) -> tuple[Stmt, ...]:
        """Two runs that lie side by side become one: the left one is copied first."""
        copied = Name(f"<copied of line {self.line}>")
        left, right, place = map(self.name, ("left", "right", "place"))
        both = list(zip(self.paths, self.beside, strict=True))
        copies = tuple(self.store(other, copied, self.load(path, copied)) for path, other in both)
        copy = For(copied.id, low, middle, Const(1), copies, next(self.nest.ids), self.line)
        (compared, *_), (kept, *_) = self.paths, self.beside
        value = self.load(kept, left)
        test = Compare(_OPPOSITE[self.later], self.load(compared, right), value, self.line)
        take = Logic("and", (self.test("<", right, high), test), self.line)
        from_right = tuple(self.store(p, place, self.load(p, right)) for p in self.paths)
        from_left = tuple(self.store(p, place, self.load(o, left)) for p, o in both)
        choice = If(
            take,
            (*from_right, self.set(right, self.plus(right, 1))),
            (*from_left, self.set(left, self.plus(left, 1))),
            next(self.nest.ids),
            self.line,
        )
        body = (choice, self.set(place, self.plus(place, 1)))
        going = While(self.test("<", left, middle), body, next(self.nest.ids), self.line)
        starts = ((left, low), (right, middle), (place, low))
        return (copy, *(self.set(name, value) for name, value in starts), going)

    # ------------------------------------------------------------------ pieces

    def comes_later(self, place: Expr, than: Expr) -> Expr:
        """Whether the element at `place` must come after `than`."""
        return Compare(self.later, self.load(self.paths[0], place), than, self.line)

    def name(self, word: str) -> Name:
        return Name(f"<{word} {next(self.nest.ids)}>")

    def set(self, name: Name, value: Expr) -> Stmt:
        return Assign(name, value, next(self.nest.ids), self.line)

    def load(self, path: str, place: Expr) -> Load:
        return Load(path, (place,), next(self.nest.ids), self.line)

    def store(self, path: str, place: Expr, value: Expr) -> Stmt:
        target = Element(path, (place,), next(self.nest.ids), self.line)
        return Assign(target, value, next(self.nest.ids), self.line)

    def plus(self, name: Expr, step: int) -> Expr:
        return Binary("+" if step > 0 else "-", name, Const(abs(step)), self.line)

    def least(self, one: Expr, two: Expr) -> Expr:
        return Call("<min>", (one, two), self.line)

    def test(self, op: Literal["<", ">"], one: Expr, two: Expr) -> Compare:
        return Compare(op, one, two, self.line)


# ---------------------------------------------------------------------------- what may be sorted


def _given_up(nest: Elements, wrong: Expr, line: int) -> Stmt:
    """The interpreter runs the nest if `wrong`."""
    flag = Select(wrong, Const(1), Const(0), line)
    within = Call("<within>", (flag, Const(0), Const(0)), line)
    number = next(nest.ids)
    return Assign(Name(f"<ok {number}>"), within, number, line)


def each(nest: Elements, size: Polynomial, first: int, wrong: Expr, line: int) -> Stmt:
    """The same for each element from the `first` on; `wrong` says what is wrong with one."""
    var, body = VAR.format(line), (_given_up(nest, wrong, line),)
    return For(var, Const(first), size.expr(line), Const(1), body, next(nest.ids), line)


VAR = "<element of line {}>"


def ordered(
    nest: Elements, whole: Section, line: int, later: Literal["<", ">"] = ">", also: str = ""
) -> Section:
    """A new array, or list, with the elements of `whole` in order; none of them is a nan.

    Parameters
    ----------
    later
        What holds of an element and one that must come before it.
    also
        Path of an array whose elements go the same ways.
    """
    (size,) = whole.extents
    made = nest.kept(whole, line)
    here: Expr = Name(VAR.format(line))

    def element(path: str) -> Load:
        return Load(path, (here,), next(nest.ids), line)

    if not whole.counting:
        odd = Compare("!=", element(made.path), element(made.path), line)
        nest.first.append(each(nest, size, 0, odd, line))
    paths = (made.path, also) if also else (made.path,)
    few = size.literal is not None and size.literal <= 2 * _RUN
    beside: tuple[str, ...] = ()
    if not few:
        beside = tuple(nest.kept(replace(made, path=path), line).path for path in paths)
    nest.first += _Sort(nest, paths, beside, size, line, later).stmts()
    return made


def without_signs(nest: Elements, made: Section, line: int) -> None:
    """Give up where two zeros of an array in order have different signs."""
    if made.counting:
        return
    here = symbol(Name(VAR.format(line)))

    def element(back: Polynomial) -> Expr:
        return nest.element(made, (here - back,), line)

    equal = Compare("==", element(ZERO), element(ONE), line)
    one, two = (Call("<ufunc signbit>", (element(back),), line, whole=True) for back in (ZERO, ONE))
    differ = Compare("!=", one, two, line)
    wrong = Logic("and", (equal, differ), line)
    nest.first.append(each(nest, made.extents[0], 1, wrong, line))


def in_place(nest: Elements, whole: Section, call: Call) -> Section:
    """What `whole` is after ``whole.sort()``: a list, or an array."""
    line = call.line
    if whole.rank != 1 or not whole.distinct:
        raise nest.refuse(Reason.CALL, line, text(call))
    later: Literal["<", ">"] = "<" if call.func == ir.DOWN else ">"
    if whole.listed:
        return ordered(nest, whole, line, later)
    if call.func == ir.DOWN or not (whole.real or whole.counting):
        raise nest.refuse(Reason.CALL, line, text(call))
    nest.require(whole.extents[0], 1, MOST, line, "a sort of no elements, or of many")
    made = ordered(nest, whole, line)
    without_signs(nest, made, line)
    return made


def sorted_list(nest: Elements, call: Call, whole: Section) -> Section:
    """``sorted(whole)``, ``sorted(whole, reverse=True)``: a new list."""
    match call:
        case Call(args=[_], names=()):
            later: Literal["<", ">"] = ">"
        case Call(args=[_, Const(value=bool(down))], names=("reverse",)):
            later = "<" if down else ">"
        case _:
            raise nest.refuse(Reason.CALL, call.line, text(call))
    if whole.rank != 1:
        raise nest.refuse(Reason.CALL, call.line, f"{text(call)} of rows")
    if not whole.listed:  # its items are NumPy's numbers
        whole = replace(whole if whole.compute is None else nest.kept(whole, call.line), listed=1)
    return ordered(nest, whole, call.line, later)
