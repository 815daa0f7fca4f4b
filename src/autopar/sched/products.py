"""Products of matrices among the loops of a nest, recognised by what they read and write.

Three loops whose only statement adds to an element that moves with two of them a product of
elements that move with one of these and the third are a product of matrices, in whatever order the
loops stand::

    for i …: for k …: for j …: c[i, j] = c[i, j] - alpha * a[k, i] * b[j, k]

The rows may begin or end further right from row to row, the sum may be of several such products,
and a scalar may gather it before it goes to the element.  Two loops around the product of a row of
a matrix and a vector are the same without columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

from autopar.deps.data import Dependence
from autopar.nest import kinds
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
    Assign,
    Binary,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Load,
    Name,
    Nest,
    Unary,
)
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.polynomial import of_names
from autopar.nest.show import text
from autopar.nest.typed.types import Typed, kind_of
from autopar.nest.walking import statements, walk
from autopar.records import dataclass, replace
from autopar.sched.parts import pruned
from autopar.sched.plan import Node, products
from autopar.sched.reductions import same
from autopar.verdict import spoken

_MOST = 8  # terms of one sum


@dataclass(frozen=True, slots=True)
class Term:
    """One product of a sum: ``one[i, k] * two[k, j]``, and numbers that are the same throughout."""

    negative: bool
    factors: tuple[Expr, ...]
    one: Load
    two: Load


@dataclass(frozen=True, slots=True)
class Product:
    """What the loops of a `For.product` add to `target`.

    Attributes
    ----------
    rows, cols, inner
        The loops over the elements, and over what is added up for each; outer to inner.  There are
        no columns where each second factor is of a vector.
    """

    rows: For
    cols: For | None
    inner: For
    target: Element
    terms: tuple[Term, ...]

    @property
    def loops(self) -> tuple[For, ...]:
        """All of them, outer to inner."""
        return (self.rows, *(() if self.cols is None else (self.cols,)), self.inner)

    @property
    def even(self) -> bool:
        """Whether all rows begin and end alike."""
        return self.cols is None or self.rows.var not in _bounds(self.cols)


def product_of(loop: For) -> Product:
    """What a `For.product` consists of."""
    loops = [loop]
    while isinstance(loops[-1].body[0], For):
        loops.append(loops[-1].body[0])
    rows, *cols, inner = loops
    (update,) = inner.body
    assert isinstance(update, Assign)
    assert isinstance(update.target, Element)
    terms = _products(update, rows, cols[0] if cols else None, inner)
    assert terms is not None
    return Product(rows, cols[0] if cols else None, inner, update.target, terms)


def told(nodes: tuple[Node, ...]) -> Iterator[str]:
    """One sentence for each product."""
    for loop in products(nodes):
        found = product_of(loop)
        of = " and ".join(f"`{text(t.one)}` and `{text(t.two)}`" for t in found.terms)
        line = found.inner.line
        yield spoken(f"line {line} is the product of {of}, in `{text(found.target)}`: left to BLAS")


# ---------------------------------------------------------------------------- recognition


@dataclass(frozen=True, slots=True)
class Known:
    """What decides whether loops are a product.

    Attributes
    ----------
    nest, typed
        The nest, and its types.
    deps
        The dependences that hold.
    observed
        Scalars that are read elsewhere than in loops over them, or after the nest.
    """

    nest: Nest
    typed: Typed
    deps: Sequence[Dependence]
    observed: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Band:
    """Loops around one update of an element, outer to inner.

    Attributes
    ----------
    start
        What the element is before the first update, where a scalar gathers the sum; None: what it
        is anyway.
    gathered
        Whether a scalar does.
    """

    loops: tuple[For, ...]
    update: Assign
    target: Element
    start: Expr | None = None
    gathered: bool = False


def recognised(piece: For, level: int, known: Known) -> tuple[For, ...] | None:
    """The loops that `piece` is, with a `For.product` in the last of them; None if it is none.

    Parameters
    ----------
    piece
        All statements of one component of the dependence graph, and nothing else.
    level
        Number of the loop among those around its statements.

    Notes
    -----
    What nothing but the sum itself ties together may run in any order that adds the same terms to
    the same elements.
    """
    band = _band(piece, known.nest)
    if band is None or not _in_one_dtype(band, known.typed) or not _free(band, level, known):
        return None
    if not all(_plain(loop, band.loops[:depth]) for depth, loop in enumerate(band.loops)):
        return None
    seen = {loop.var for loop in band.loops} & known.observed
    for rows, *cols, inner in _choices(band):
        heads = tuple(loop for loop in band.loops if loop not in (rows, *cols, inner))
        terms = _products(band.update, rows, cols[0] if cols else None, inner)
        if terms is None or not _nested(heads, rows, cols, inner):
            continue
        if heads and not cols:
            continue  # of many vectors, whatever else is done with them is near
        # In another order, or in a triangle, what loops leave in their variables is not as simple.
        uneven = any(rows.var in _bounds(loop) for loop in cols)
        if seen and (uneven or (*heads, rows, *cols, inner) != band.loops):
            continue
        update: tuple[Assign | For, ...] = (band.update,)
        for loop in (inner, *cols):
            update = (replace(loop, body=update),)
        made = [_around(heads, replace(rows, body=update, product=True))]
        if band.start is not None:
            first = replace(band.update, value=band.start)
            made.insert(0, _around((*heads, rows, *cols), first))
        return tuple(made)
    return None


def _choices(band: _Band) -> Iterator[tuple[For, ...]]:
    """Rows, columns if there are any, and sums: of matrices first, then with a vector."""
    for count in (3, 2):
        yield from sorted(permutations(reversed(band.loops), count), key=_by_axis(band))


def _by_axis(band: _Band) -> Callable[[tuple[For, ...]], int]:
    """The axis of the element along which rows go: the first one, as in the user's words."""
    axes = {name: axis for axis, e in enumerate(band.target.index) for name in names((e,))}
    return lambda chosen: axes.get(chosen[0].var, len(axes))


def _around(heads: Sequence[For], body: For | Assign) -> For:
    for loop in reversed(heads):
        body = replace(loop, body=(body,))
    assert isinstance(body, For)
    return body


def _band(piece: For, nest: Nest) -> _Band | None:
    loops = [piece]
    while True:
        match loops[-1].body:
            case (Assign(target=Element() as target) as update,):
                return _Band(tuple(loops), update, target)
            case (For(fold=False) as inner,):
                loops.append(inner)
            case (Assign(target=Name()) as first, For(fold=False) as inner) if _passed_on(
                first, inner, piece, nest
            ):
                loops.append(_with(first, inner))
            case (
                Assign(target=Name()) as first,
                For(fold=False, body=(Assign(target=Name()) as update,)) as inner,
                Assign(target=Element()) as last,
            ):
                return _gathered(loops, (first, inner, update, last), nest)
            case _:
                return None


def _passed_on(first: Assign, inner: For, piece: For, nest: Nest) -> bool:
    """Whether a scalar only says what part of a term is, for an inner loop."""
    assert isinstance(first.target, Name)
    name, inside = first.target.id, frozenset(s.id for s in statements(piece))
    for part in walk(first.value):
        match part:
            case Const() | Dim() | Name() | Load() | Unary(op="-" | "+"):
                continue
            case Binary(op="+" | "-" | "*"):
                continue
        return False
    changed = written((inner,))
    read = names((first.value,)) | {name}
    return not changed & read and name not in nest.live_out and name not in _needed(nest, inside)


def _with(first: Assign, inner: For) -> For:
    """`inner` with the value of a scalar in the place of its name."""

    def change(expr: Expr) -> Expr:
        return first.value if expr == first.target else rebuilt(expr, change)

    found = rewritten(inner, change)
    assert isinstance(found, For)
    return found


def _gathered(
    loops: Sequence[For], parts: tuple[Assign, For, Assign, Assign], nest: Nest
) -> _Band | None:
    """``s = e; for k …: s += …; c[i, j] = f(s)``, where `f` is a sum with a multiple of `s` in it.

    Then ``c[i, j] = f(e); for k …: c[i, j] += …`` comes to the same, but for roundings.
    """
    first, inner, update, last = parts
    total, target = update.target, last.target
    assert isinstance(total, Name)
    assert isinstance(target, Element)
    ids = frozenset((first.id, update.id, last.id))
    if first.target != total or total.id in nest.live_out or total.id in _needed(nest, ids):
        return None
    into, more = _split(last.value, total), _split(update.value, total)
    # Each element once, or the sum would begin anew for some.
    if into is None or more is None or more[0] or more[1] or not _moves(target, loops):
        return None
    (taken_off, factors, rest), (_, _, added) = into, more
    if names(factors) & written([*loops, inner]) or any(_loads(e) for e in factors):
        return None
    start = [*rest, (taken_off, [*factors, first.value])]
    if _is_zero(first.value):
        start.pop()
    here = Load(target.array, target.index, target.id, last.line)
    terms = [(negative != taken_off, [*factors, *some]) for negative, some in added]
    value = _sum([(False, [here]), *terms], update.line)
    whole = Assign(target, value, last.id, update.line)
    begin: Expr | None = _sum(start, last.line) if start else Const(0.0)
    if begin is not None and same(begin, target):
        begin = None
    return _Band((*loops, replace(inner, body=(whole,))), whole, target, begin, True)


def _needed(nest: Nest, without: frozenset[int]) -> frozenset[str]:
    """Names that the nest may read before it assigns them, but for some of its statements."""
    leaves = (s.id for s in statements(nest.loop) if not isinstance(s, For | If))
    return exposed(pruned((nest.loop,), frozenset(leaves) - without))


def _moves(target: Element, loops: Sequence[For]) -> bool:
    """Whether each of `loops` moves the element."""
    return {loop.var for loop in loops} <= names(target.index)


def _in_one_dtype(band: _Band, typed: Typed) -> bool:
    """Whether all is computed and kept in the one dtype of the arrays, a real float."""
    loads = [e for e in walk(band.update.value) if isinstance(e, Load)]
    arrays = [typed.array(name) for name in (band.target.array, *(e.array for e in loads))]
    dtype = arrays[0].dtype
    if dtype not in ("float32", "float64") or not all(
        a.dtype == dtype and a.aligned for a in arrays
    ):
        return False
    return all(kinds.dtype(atom) == dtype for atom in kind_of(typed, band.update.value))


def _free(band: _Band, level: int, known: Known) -> bool:
    """Whether the iterations are tied by the sum in one element only."""
    inside = {s.id for s in statements(band.loops[0])}
    still = {
        k for k, loop in enumerate(band.loops, level) if loop.var not in names(band.target.index)
    }
    shown = text(band.target)
    for dep in known.deps:
        if dep.scalar or not {dep.source, dep.sink} <= inside:
            continue
        if dep.level is not None and dep.level < level:
            continue
        texts = {dep.source_text, dep.sink_text}
        if dep.variable != band.target.array or texts != {shown}:
            return False
        if dep.level is not None and dep.level not in still:
            return False
    return True


def _plain(loop: For, around: Sequence[For]) -> bool:
    """Whether the range of `loop` goes up one by one between numbers that nothing changes."""
    changing = {loop.var} & {other.var for other in around}
    bounds = (loop.start, loop.stop)
    parts = [part for bound in bounds for part in walk(bound)]
    simple = all(isinstance(p, Const | Name | Dim | Binary | Unary) for p in parts)
    known = all(of_names(bound, 0) is not None for bound in bounds)
    return not changing and loop.step == Const(1) and simple and known


def _bounds(loop: For) -> frozenset[str]:
    return names((loop.start, loop.stop))


def _nested(heads: Sequence[For], rows: For, cols: Sequence[For], inner: For) -> bool:
    """Whether the ranges allow this order; those of columns may move step by step with the rows."""
    chosen = {loop.var for loop in (rows, *cols, inner)}
    if any(_bounds(loop) & chosen for loop in (*heads, rows, inner)):
        return False
    bounds = [bound for loop in cols for bound in (loop.start, loop.stop)]
    if names(bounds) & (chosen - {rows.var}):
        return False
    return all(_slope(bound, rows.var) is not None for bound in bounds)


def _slope(bound: Expr, var: str) -> int | None:
    """By how much `bound` grows with `var`: -1, 0, 1, or None for anything else."""
    form = of_names(bound, 0)
    slope = None if form is None else form.slope(var)
    return slope if slope in (-1, 0, 1) else None


# ---------------------------------------------------------------------------- sums of products

_Terms = list[tuple[bool, list[Expr]]]
"""Whether each term is taken off, and its factors."""


def _products(update: Assign, rows: For, cols: For | None, inner: For) -> tuple[Term, ...] | None:
    """The products that `update` adds to its target, as those of such rows and columns."""
    elements = {rows.var} if cols is None else {rows.var, cols.var}
    sides = {rows.var, inner.var}, {inner.var} if cols is None else {inner.var, cols.var}
    all_of_them = (*elements, inner.var)
    target = update.target
    assert isinstance(target, Element)
    if not _along(target, all_of_them) or _moved(target, all_of_them) != elements:
        return None
    split = _split(update.value, target)
    if split is None or split[0] or split[1]:
        return None
    found = []
    for negative, factors in split[2]:
        moving = [e for e in factors if names((e,)) & {*all_of_them} or _loads(e)]
        fixed = tuple(e for e in factors if not any(e is other for other in moving))
        match moving:
            case [Load() as one, Load() as two]:
                if _moved(one, all_of_them) != sides[0]:
                    one, two = two, one
            case _:
                return None
        if not all(_along(load, all_of_them) for load in (one, two)):
            return None
        if (_moved(one, all_of_them), _moved(two, all_of_them)) != sides:
            return None
        found.append(Term(negative, fixed, one, two))
    return tuple(found) or None


def _moved(access: Load | Element, variables: Sequence[str]) -> set[str]:
    """Those of `variables` that move `access`."""
    return {*names(access.index)} & {*variables}


def _along(access: Load | Element, variables: Sequence[str]) -> bool:
    """Whether those of `variables` that move `access` do so evenly, each along its own axis."""
    found: list[str] = []
    for index in access.index:
        form = of_names(index, 0)
        moving = [name for name in variables if form is None or name in form.names]
        if form is None or len(moving) > 1:
            return False
        for name in moving:
            powers = form.by_power(name)
            if powers is None or len(powers) > 2 or powers[1].literal is None:
                return False
        found += moving
    return len(found) == len(set(found))


def _split(value: Expr, whole: Name | Element) -> tuple[bool, list[Expr], _Terms] | None:
    """`value` as a multiple of `whole`, taken off or not, and other terms without it."""
    terms = _terms(value) or []
    mine = [term for term in terms if any(same(e, whole) for e in term[1])]
    if len(mine) != 1:
        return None
    factors = [e for e in mine[0][1] if not same(e, whole)]
    rest = [term for term in terms if term is not mine[0]]
    others = [*factors, *(e for _, some in rest for e in some)]
    if len(factors) + 1 != len(mine[0][1]) or (
        isinstance(whole, Name) and whole.id in names(others)
    ):
        return None
    return mine[0][0], factors, rest


def _terms(value: Expr) -> _Terms | None:
    """`value` multiplied out; None where that is too much."""
    match value:
        case Binary(op="+" | "-" as op, left=left, right=right):
            one, two = _terms(left), _terms(right)
            if one is None or two is None:
                return None
            found = [*one, *((negative != (op == "-"), factors) for negative, factors in two)]
        case Binary(op="*", left=left, right=right):
            one, two = _terms(left), _terms(right)
            if one is None or two is None:
                return None
            found = [(a != b, [*some, *more]) for a, some in one for b, more in two]
        case Unary(op="-", operand=operand):
            inner = _terms(operand)
            if inner is None:
                return None
            found = [(not negative, factors) for negative, factors in inner]
        case _:
            found = [(False, [value])]
    return found if len(found) <= _MOST else None


def _sum(terms: _Terms, line: int) -> Expr:
    """The terms written down again."""
    made: Expr | None = None
    for negative, factors in terms:
        term: Expr | None = None
        for factor in factors:
            term = factor if term is None else Binary("*", term, factor, line)
        assert term is not None
        if made is None:
            made = Unary("-", term, line) if negative else term
        else:
            made = Binary("-" if negative else "+", made, term, line)
    assert made is not None
    return made


def _loads(expr: Expr) -> bool:
    return any(isinstance(part, Load) for part in walk(expr))


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, Const) and type(expr.value) in (int, float) and expr.value == 0
