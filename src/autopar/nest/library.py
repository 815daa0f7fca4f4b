"""Functions and methods of NumPy that make, copy or combine arrays, element by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from autopar.nest import functions
from autopar.nest.ir import Call, Const, Expr, Items, Name
from autopar.nest.kinds import NUMBERS
from autopar.nest.polynomial import Polynomial
from autopar.nest.section import Index, Section, turned
from autopar.nest.show import text
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.elements import Elements, Value

Arguments = Mapping[str, Expr]
_TESTS = ("isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or", "logical_xor")
_NOT_REAL = (
    *_TESTS, "signbit", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"
)  # fmt: skip
_LIBRARY: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {}


def library(params: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what follows under its name, for calls with arguments of these names."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _LIBRARY[function.__name__.strip("_")] = tuple(params.split()), function
        return function

    return register


@cache
def _known() -> dict[int, str]:
    """Names of functions and methods, by identity."""
    table = {}
    for name in _LIBRARY:
        for owner in (np, np.ndarray, np.linalg):
            found = vars(owner).get(name)
            methods = owner is np.ndarray  # which nobody can replace
            if found is not None and (methods or functions.genuine(found, name)):
                table[id(found)] = name
    return table


def known(value: object) -> bool:
    """Whether `value` is one of them."""
    return id(value) in _known()


def method(name: str) -> object:
    """The method of NumPy's arrays of that name."""
    return vars(np.ndarray).get(name)


def called(nest: Elements, call: Call) -> Value:
    """The value of a call."""
    func, args, line = call.func, call.args, call.line
    if func.startswith("<"):
        name: str | None = func.strip("<.>")
        plain = functions.internal(func) is not None
    else:
        owner, _, word = func.rpartition(".")
        target = nest.known.objects.get(func)
        name = _known().get(id(target))
        plain = name is None
        if owner in nest.known.ranks and target is method(word):
            args = (Name(owner), *args)
    if not plain:
        if name not in _LIBRARY:
            raise nest.refuse(Reason.CALL, line, text(call))
        return _made(nest, call, name, args)
    values = [nest.value(arg) for arg in args]
    if not any(isinstance(value, Section) for value in values):
        return replace(call, args=tuple(v for v in values if not isinstance(v, Section)))
    function = functions.internal(func) or functions.known(nest.known.objects.get(func))
    if function is None or call.names or not function.takes(len(values)):
        raise nest.refuse(Reason.CALL, line, text(call))
    if function.name == "power" and not isinstance(values[1], Const):
        raise nest.refuse(Reason.CALL, line, text(call))  # see `Elements.binary`
    if function.form == "abs":
        func = "<ufunc absolute>"
    elif function.form in ("real", "imag", "conjugate"):
        (operand,) = values  # of anything but complex numbers, NumPy answers with the array itself
        path = operand.path if isinstance(operand, Section) else ""
        if not nest.known.dtypes.get(path, "").startswith("complex"):
            raise nest.refuse(Reason.CALL, line, text(call))
    elif function.form != "ufunc":
        raise nest.refuse(Reason.CALL, line, text(call))
    made = nest.mapped(values, lambda e: Call(func, tuple(e), line, whole=True), line)
    boolean = function.name in _TESTS
    if function.name in _NOT_REAL:
        made = replace(made, real=False, double=False)
    if function.form in ("real", "imag"):
        made = replace(made, shared=True)
    return replace(made, boolean=boolean)


def _made(nest: Elements, call: Call, name: str, args: tuple[Expr, ...]) -> Value:
    params, function = _LIBRARY[name]
    first = len(args) - len(call.names)
    given = dict(zip(params, args[:first], strict=False))
    words = dict(zip(call.names, args[first:], strict=True))
    needed = params[: len(params) - len(function.__defaults__ or ())]
    missing = set(needed) - given.keys() - words.keys()
    if missing or first > len(params) or not words.keys() <= set(params) - given.keys():
        raise nest.refuse(Reason.CALL, call.line, text(call))
    found: Value = function(nest, call, **given, **words)
    return found


# ---------------------------------------------------------------------------- new arrays


def _dtype(nest: Elements, call: Call, dtype: Expr | None, usual: str | None) -> str | None:
    """The dtype that an argument names."""
    if dtype is None:
        return usual
    wanted = nest.known.objects.get(dtype.id) if isinstance(dtype, Name) else None
    if isinstance(wanted, type | np.dtype):
        found = np.dtype(wanted).name
        if wanted is not object and found in (*NUMBERS, "bool"):
            return found
    raise nest.refuse(Reason.CALL, call.line, text(call))


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


def _filled(shape: Index, value: Expr, dtype: str | None) -> Section:
    name = "<strong>" if dtype is None else f"<cast {dtype}>"
    return Section(
        shape,
        lambda index: Call(name, (value,), 0),
        dtype=dtype,
        boolean=dtype == "bool",
        real=dtype in ("float64", "float32"),
        double=dtype == "float64",
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
    def make(nest: Elements, call: Call, a: Expr) -> Section:
        whole = nest.value(a)
        if not isinstance(whole, Section) or not whole.ordered or whole.compute is not None:
            raise nest.refuse(Reason.CALL, call.line, text(call))  # its layout is that of `a`

        def compute(index: Index) -> Expr:
            return Call("<like>", (Const(value), nest.element(whole, index, call.line)), call.line)

        return Section(
            whole.extents, compute, boolean=whole.boolean, real=whole.real, double=whole.double
        )

    return make


for _name, _value in (("zeros", 0), ("ones", 1), ("empty", 0)):
    _LIBRARY[_name] = ("shape", "dtype"), _new(_value)
    _LIBRARY[f"{_name}_like"] = ("a",), _like(_value)


@library("shape fill_value dtype")
def full(
    nest: Elements, call: Call, shape: Expr, fill_value: Expr, dtype: Expr | None = None
) -> Section:
    value, size = nest.settled(nest.scalar(fill_value), call.line), _shape(nest, call, shape)
    assert not isinstance(value, Section)
    for extent in size:
        nest.require(extent, 1, None, call.line, "a new array without elements")
    return _filled(size, value, _dtype(nest, call, dtype, None))


@library("a")
def copy(nest: Elements, call: Call, a: Expr) -> Section:
    whole = nest.value(a)
    if not isinstance(whole, Section) or not whole.ordered:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return nest.mapped([whole], lambda e: e[0], call.line)


_LIBRARY["array"] = _LIBRARY["copy"]


@library("a")
def transpose(nest: Elements, call: Call, a: Expr) -> Section:
    whole = nest.value(a)
    if not isinstance(whole, Section) or whole.fresh:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return turned(whole)


_LIBRARY["T"] = _LIBRARY["transpose"]


# ---------------------------------------------------------------------------- choices


@library("condition x y")
def where(nest: Elements, call: Call, condition: Expr, x: Expr, y: Expr) -> Value:
    values = [nest.value(e) for e in (condition, x, y)]
    if not any(isinstance(v, Section) for v in values):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    made = nest.mapped(values, lambda e: Call("<where>", tuple(e), call.line), call.line)
    both = all(isinstance(v, Section) and v.boolean for v in values[1:])
    chosen = [v for v in values[1:] if isinstance(v, Section)]
    real, double = any(v.real for v in chosen), any(v.double for v in chosen)
    return replace(made, boolean=both, real=real, double=double)
