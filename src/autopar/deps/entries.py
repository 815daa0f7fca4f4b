"""What the order of an index array says of its elements: ``ptr[i + 1] <= ptr[j]`` for ``i < j``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product

from autopar.deps.affine import Entry, Linear, Symbol
from autopar.deps.data import Blame, Elements, Facts
from autopar.deps.domains import Range, Reach
from autopar.deps.system import Cell, Row, System

_MOST_FORMS = 2  # distances between places by whose sign a system is split in three
_Form = tuple[tuple[int | str, int], ...]
_Signs = Mapping[_Form, int]


def places(
    one: Linear, two: Linear, elements: Mapping[str, Elements]
) -> Iterator[tuple[Linear, Linear]]:
    """Pairs that are all equal exactly when `one` and `two` are, without elements if possible.

    ``p[i] == p[j]`` means ``i == j`` when no two elements of `p` are equal.  Only for subscripts
    that do not wrap: others have no place.
    """
    match one.entry, two.entry:
        case (Entry(array=p, place=tuple(here)), k), (Entry(array=q, place=tuple(there)), m) if (
            p == q and k == m and one.const == two.const and elements[p].distinct
        ):
            for x, y in zip(here, there, strict=True):
                yield from places(x, y, elements)
        case _:
            yield one, two


def ordered(system: System, elements: Mapping[str, Elements]) -> list[System]:
    """`system` in parts, each with what rising arrays say of the elements in it.

    Notes
    -----
    That ``p[e] <= p[f]`` where ``e <= f`` is no linear constraint but a choice between some; which
    of them holds is known where the sign of ``e - f``, without its constant, is.  Uninterpreted
    functions with monotonicity, as in W. Pugh, D. Wonnacott, "Nonlinear array dependence analysis",
    Languages, Compilers and Run-Time Systems for Scalable Computers, 1995; for compressed rows as
    in M. M. Strout and others, "Sparse computation data dependence simplification for efficient
    compiler-generated inspectors", PLDI 2019, section 4.
    """
    cells = [cell for cell in system.cells if elements[cell.array].rising]
    pairs = [(a, b) for a, b in combinations(cells, 2) if a.array == b.array]
    if not pairs:
        return [system]
    forms = list(dict.fromkeys(f for a, b in pairs for f in _form(a, b)[:1] if f))[:_MOST_FORMS]
    made = []
    for signs in product((-1, 0, 1), repeat=len(forms)):
        known = dict(zip(forms, signs, strict=True))
        rows = [row for form, sign in known.items() for row in _sign(form, sign)]
        for a, b in pairs:
            rows += _order(a, b, known, elements[a.array].distinct)
        part = system.extended()
        part.rows += rows
        made.append(part)
    return made


def _form(a: Cell, b: Cell) -> tuple[_Form, int, int]:
    """Distance from the place of `b` to that of `a`: a form, its factor (1 or -1), a constant."""
    row = dict(a.row)
    for key, factor in b.row.items():
        row[key] = row.get(key, 0) - factor
    terms = tuple(sorted(((k, c) for k, c in row.items() if c), key=repr))
    turned = 1
    if terms and terms[0][1] < 0:
        terms, turned = tuple((k, -c) for k, c in terms), -1
    return terms, turned, a.const - b.const


def _sign(form: _Form, sign: int) -> Iterator[tuple[str, Row, int]]:
    if sign == 0:
        yield "==", dict(form), 0
    else:
        yield ">=", {k: c * sign for k, c in form}, -1


def _order(a: Cell, b: Cell, signs: _Signs, distinct: bool) -> Iterator[tuple[str, Row, int]]:
    form, turned, const = _form(a, b)
    sign = 0
    if form:
        if form not in signs:
            return
        sign = signs[form] * turned
    # The distance is `const` for sign 0, at least `const + 1` for 1, at most `const - 1` for -1.
    difference: Row = {a.column: 1, b.column: -1}
    opposite: Row = {a.column: -1, b.column: 1}
    if sign >= 0 and const + sign >= 0:
        yield ">=", difference, -1 if distinct and const + sign > 0 else 0
    if sign <= 0 and const + sign <= 0:
        yield ">=", opposite, -1 if distinct and const + sign < 0 else 0


def blame(level: int | None, one: Reach, two: Reach, facts: Facts) -> Blame | None:
    """The index array whose contents make `one` and `two` meet in two iterations of a loop."""
    if level is None:
        return None
    elements = {known.array: known for known in facts.elements}
    for x in (x for x, y in zip(one.index, two.index, strict=False) if x == y and x is not None):
        entry = x.entry[0] if x.entry is not None else None
        moving = entry is not None and any(level - 1 in _symbols(f) for f in entry.place or ())
        if entry is not None and moving and not elements[entry.array].distinct:
            return entry.array, "repeats"
        for depth, around in enumerate(one.place.loops[level:], level):
            array = _rows(around) if depth in _symbols(x) else None
            if array is not None and not elements[array].rising:
                return array, "falls"
    return None


def _symbols(form: Linear) -> set[Symbol]:
    return {symbol for symbol, _ in form.terms}


def _rows(around: Range) -> str | None:
    """The 1-d array of a loop from one of its elements to another."""
    found = [
        symbol.array
        for atom in around.atoms
        for symbol, _ in atom.form.terms
        if isinstance(symbol, Entry) and len(symbol.place or ()) == 1
    ]
    return found[0] if len(found) == 2 and found[0] == found[1] else None
