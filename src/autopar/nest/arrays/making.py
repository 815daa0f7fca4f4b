"""Arrays that NumPy makes of numbers: of one number, of a range, of a list of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from autopar.nest.arrays.library import LIBRARY, copied, dtype_of, library
from autopar.nest.arrays.section import ONE, Index, Section
from autopar.nest.ir import Binary, Call, Compare, Const, Expr, Items, Name
from autopar.nest.polynomial import Polynomial, number
from autopar.nest.show import text
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements

_MOST = 64  # numbers in a list
_YES = Const(True)


def _dtype(nest: Elements, call: Call, dtype: Expr | None, usual: str | None) -> str | None:
    """The dtype that an argument names, or the usual one."""
    return usual if dtype is None else dtype_of(nest, call, dtype)


def _shape(nest: Elements, call: Call, shape: Expr) -> Index:
    match shape:
        case Items(values=values) if values:
            return tuple(_extent(nest, call, value) for value in values)
        case Call(func="<shape>", args=(owner,)):
            return nest.shape(owner, call.line)
    return (_extent(nest, call, shape),)


def _extent(nest: Elements, call: Call, extent: Expr) -> Polynomial:
    found = nest.integer(nest.scalar(extent), call.line)
    nest.require(found, 0, None, call.line, "a negative number of elements")
    return found


def _filled(shape: Index, value: Expr, dtype: str | None, double: bool = False) -> Section:
    name = "<strong>" if dtype is None else f"<cast {dtype}>"
    return Section(
        shape,
        lambda index: Call(name, (value,), 0),
        dtype=dtype,
        boolean=dtype == "bool",
        real=double or dtype in ("float64", "float32"),
        double=double or dtype == "float64",
        counting=dtype is not None and np.dtype(dtype).kind in "iu",
        signed=dtype is not None and np.dtype(dtype).kind == "i",
    )


_FIRST: dict[str, bool | int | float | complex] = {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}


def _new(value: int) -> Callable[..., Section]:
    def make(nest: Elements, call: Call, shape: Expr, dtype: Expr | None = None) -> Section:
        name = _dtype(nest, call, dtype, "float64")
        assert name is not None
        const = Const(type(_FIRST[np.dtype(name).kind])(value))
        return _filled(_shape(nest, call, shape), const, name)

    return make


def _like(value: int) -> Callable[..., Section]:
    def make(nest: Elements, call: Call, a: Expr, dtype: Expr | None = None) -> Section:
        whole, name = nest.value(a), _dtype(nest, call, dtype, None)
        if not isinstance(whole, Section) or not whole.ordered or whole.compute is not None:
            raise nest.refuse(Reason.CALL, call.line, text(call))  # its layout is that of `a`
        if name is not None:
            return _filled(whole.extents, Const(type(_FIRST[np.dtype(name).kind])(value)), name)

        def compute(index: Index) -> Expr:
            return Call("<like>", (Const(value), nest.element(whole, index, call.line)), call.line)

        return Section(
            whole.extents, compute, boolean=whole.boolean, real=whole.real, double=whole.double
        )

    return make


for _name, _value in (("zeros", 0), ("ones", 1), ("empty", 0)):
    LIBRARY[_name] = ("shape", "dtype"), _new(_value)
    LIBRARY[f"{_name}_like"] = ("a", "dtype"), _like(_value)


@library("shape fill_value dtype")
def full(
    nest: Elements, call: Call, shape: Expr, fill_value: Expr, dtype: Expr | None = None
) -> Section:
    number = nest.scalar(fill_value)
    value, size = nest.settled(number, call.line), _shape(nest, call, shape)
    assert not isinstance(value, Section)
    for extent in size:
        nest.require(extent, 1, None, call.line, "a new array without elements")
    name = _dtype(nest, call, dtype, None)
    return _filled(size, value, name, name is None and nest.double(number))


def _fresh(dtype: str) -> Callable[..., Section]:
    """An array with elements, each of which is assigned before anybody reads it."""

    def make(nest: Elements, call: Call, shape: Expr) -> Section:
        size = _shape(nest, call, shape)
        for extent in size:
            nest.require(extent, 1, None, call.line, "a new array without elements")
        return _filled(size, Const(type(_FIRST[np.dtype(dtype).kind])(0)), dtype)

    return make


for _name in ("float64", "int64"):
    LIBRARY[f"new {_name}"] = ("shape",), _fresh(_name)


@library("a fill_value")
def full_like(nest: Elements, call: Call, a: Expr, fill_value: Expr) -> Section:
    """Of doubles, which can be any number."""
    whole, line = nest.value(a), call.line
    if not isinstance(whole, Section) or not whole.ordered or whole.compute is not None:
        raise nest.refuse(Reason.CALL, line, text(call))  # its layout is that of `a`
    value = nest.settled(nest.scalar(fill_value), line)
    if not whole.double or isinstance(value, Section):
        raise nest.refuse(Reason.CALL, line, f"{text(call)} of what may be no doubles")
    for extent in whole.extents:
        nest.require(extent, 1, None, line, "a new array without elements")
    return _filled(whole.extents, value, "float64")


def _unit(nest: Elements, call: Call, size: Expr, dtype: Expr | None) -> Section:
    """Ones on the diagonal, zeros elsewhere."""
    extent, line = _extent(nest, call, size), call.line
    name = _dtype(nest, call, dtype, "float64")
    if name not in ("float64", "float32", "int64"):
        raise nest.refuse(Reason.CALL, line, text(call))

    def compute(index: Index) -> Expr:
        on = Compare("==", index[0].expr(line), index[1].expr(line), line)
        flag = Call("<strong>", (on,), line)
        return Call("<where>", (flag, *(Call(f"<cast {name}>", (Const(v),), 0) for v in (1, 0))), 0)

    real, whole = name.startswith("float"), name == "int64"
    return Section(
        (extent, extent), compute, dtype=name, real=real, double=name == "float64",
        counting=whole, signed=whole,
    )  # fmt: skip


@library("N dtype")
def eye(nest: Elements, call: Call, N: Expr, dtype: Expr | None = None) -> Section:
    return _unit(nest, call, N, dtype)


@library("n dtype")
def identity(nest: Elements, call: Call, n: Expr, dtype: Expr | None = None) -> Section:
    return _unit(nest, call, n, dtype)


# ---------------------------------------------------------------------------- ranges


@library("start stop step")
def arange(
    nest: Elements, call: Call, start: Expr, stop: Expr | None = None, step: Expr | None = None
) -> Section:
    line = call.line
    given = [nest.scalar(e) for e in (start, stop, step) if e is not None]
    whole = [nest.exact(e, line) for e in given]
    found = [p for p in whole if p is not None]
    if len(found) == len(given):
        low, high = (number(0), *found) if len(found) == 1 else found[:2]
        return _counted(nest, call, low, high, found[2].literal if len(found) == 3 else 1)
    literals = [e.value for e in given if isinstance(e, Const)]
    if len(literals) < len(given) or any(isinstance(v, bool | complex) for v in literals):
        raise nest.refuse(Reason.CALL, line, text(call))  # its length is computed from floats
    return _spaced(nest, call, [v for v in literals if isinstance(v, int | float)])


def _counted(
    nest: Elements, call: Call, low: Polynomial, high: Polynomial, by: int | None
) -> Section:
    """Every `by`-th integer from `low` on, below `high`."""
    line = call.line
    if not by:
        raise nest.refuse(Reason.CALL, line, text(call))
    length = high - low if by > 0 else low - high
    nest.require(length, 0, None, line, "a range that ends before it begins")
    steps = length if abs(by) == 1 else (length + number(abs(by) - 1)).floor(abs(by), line)

    def compute(index: Index) -> Expr:
        value = low + index[0] * number(by)
        return Call("<cast int64>", (value.expr(line),), line)

    return Section((steps,), compute, dtype="int64", counting=True, signed=True)


def _spaced(nest: Elements, call: Call, bounds: list[int | float]) -> Section:
    """Floats at equal distances: of literals only, since these say how many there are.

    NumPy computes two elements, and all others from what lies between those.
    """
    line = call.line
    try:
        wanted = np.arange(*bounds)
    except (ValueError, ZeroDivisionError, MemoryError) as error:
        raise nest.refuse(Reason.CALL, line, text(call)) from error
    low = float(bounds[0]) if len(bounds) > 1 else 0.0
    step = float(bounds[2]) if len(bounds) > 2 else 1.0
    between = low + step - low
    if not np.array_equal(wanted, low + np.arange(len(wanted)) * between):
        raise nest.refuse(Reason.CALL, line, text(call))

    def compute(index: Index) -> Expr:
        place = Call("<cast float64>", (index[0].expr(line),), line)
        far = Binary("*", place, Const(between), line)
        return Binary("+", Const(low), far, line)

    return Section((number(len(wanted)),), compute, dtype="float64", real=True, double=True)


@library("start stop num endpoint")
def linspace(
    nest: Elements, call: Call, start: Expr, stop: Expr, num: Expr, endpoint: Expr = _YES
) -> Section:
    """As `numpy.linspace` computes it, where it is of floats of double precision.

    References
    ----------
    NumPy, ``numpy/_core/function_base.py``.
    """
    line = call.line
    if endpoint not in (_YES, Const(False)):
        raise nest.refuse(Reason.CALL, line, text(call))
    size, ends = _extent(nest, call, num), endpoint == _YES
    nest.require(size, 2, None, line, "a range of fewer than two numbers")

    def op(word: str, one: Expr, two: Expr) -> Binary:  # warnings are not said to be of this line
        return Binary(word, one, two, line, whole=True, reduced=True)

    low, high = (nest.hold(Call("<double>", (nest.scalar(e),), line), line) for e in (start, stop))
    delta = nest.hold(op("-", high, low), line)
    parts = nest.hold(Call("<double>", ((size - ONE if ends else size).expr(line),), line), line)
    step = nest.hold(op("/", delta, parts), line)
    none = nest.hold(Compare("==", step, Const(0.0), line), line)

    def compute(index: Index) -> Expr:
        place = Call("<double>", (index[0].expr(line),), line)
        tiny = op("*", op("/", place, parts), delta)
        inside = op("+", Call("<where>", (none, tiny, op("*", place, step)), line), low)
        if not ends:
            return inside
        last = Compare("==", index[0].expr(line), (size - ONE).expr(line), line)
        return Call("<where>", (Call("<strong>", (last,), line), high, inside), line)

    return Section((size,), compute, dtype="float64", real=True, double=True)


# ---------------------------------------------------------------------------- lists


@library("object dtype")
def array(nest: Elements, call: Call, object: Expr, dtype: Expr | None = None) -> Section:
    """Of numbers in (lists of) lists, or a copy of an array."""
    if not isinstance(object, Items):
        if dtype is not None:
            raise nest.refuse(Reason.CALL, call.line, text(call))
        return copied(nest, call, object)
    found = _listed(object)
    if found is None or len(found[1]) > _MOST or not found[1]:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    shape, items = found
    values = [nest.scalar(item) for item in items]
    double = any(map(nest.double, values))
    held = [v if isinstance(v, Const | Name) else nest.hold(v, call.line) for v in values]
    name = _dtype(nest, call, dtype, None)
    if name == "bool":
        raise nest.refuse(Reason.CALL, call.line, text(call))
    made: list[Expr] = []
    for value in held:
        if name is not None:
            made.append(Call(f"<cast {name}>", (value,), call.line))
            continue
        others = tuple(dict.fromkeys(held))
        made.append(Call("<among>", (value, *others), call.line))
    double = (double and name is None) or name == "float64"
    return nest.listed(tuple(map(number, shape)), made, call.line, double)


def _listed(items: Items) -> tuple[tuple[int, ...], list[Expr]] | None:
    """Shape and elements of lists in lists; None where they are not equally long."""
    if not any(isinstance(one, Items) for one in items.values):
        return (len(items.values),), list(items.values)
    found = [_listed(one) if isinstance(one, Items) else None for one in items.values]
    rows = [row for row in found if row is not None]
    if len(rows) < len(found) or len({shape for shape, _ in rows}) != 1:
        return None
    return (len(rows), *rows[0][0]), [one for _, elements in rows for one in elements]
