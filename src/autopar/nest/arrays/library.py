"""Functions and methods of NumPy that mean something in a nest: which they are, and how called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from autopar.nest import functions
from autopar.nest.arrays.iterated import iterated
from autopar.nest.arrays.section import Section, turned
from autopar.nest.ir import Call, Compare, Const, Expr, Name
from autopar.nest.kinds import NUMBERS
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements, Value

Arguments = Mapping[str, Expr]
_EXACT = frozenset(
    (
        "abs", "absolute", "add", "ceil", "divide", "fabs", "floor", "fmax", "fmin", "isfinite",
        "isinf", "isnan", "logical_and", "logical_not", "logical_or", "maximum", "minimum",
        "multiply", "negative", "positive", "reciprocal", "rint", "sign", "sqrt", "square",
        "subtract", "trunc",
    )
)  # fmt: skip
"""Functions that have one result, however they are computed."""
_INTEGERS = (
    "abs", "absolute", "add", "maximum", "minimum", "multiply", "negative", "positive", "square",
    "subtract",
)  # fmt: skip
"""Those that make integers of integers, of the same kind."""
_TESTS = ("isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or", "logical_xor")
_NOT_REAL = (
    *_TESTS, "signbit", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"
)  # fmt: skip
NAMES = (
    "T", "all", "allclose", "amax", "amin", "any", "arange", "argmax", "argmin", "argsort",
    "around", "array", "array_equal", "astype", "clip", "column_stack", "concatenate", "copy",
    "count_nonzero", "cross", "cumprod", "cumsum", "diff", "dot", "empty", "empty_like", "eye",
    "flatten", "flip", "fliplr", "flipud", "full", "full_like", "hstack", "identity", "inner",
    "linspace", "matmul", "max", "mean", "median", "min", "norm", "ones", "ones_like", "outer",
    "prod", "ptp", "ravel", "reshape", "roll", "round", "sort", "stack", "std", "sum", "trace",
    "transpose", "tril", "triu", "var", "vdot", "vstack", "where", "zeros", "zeros_like",
)  # fmt: skip
"""All that the modules of this room register: a warm process asks for names, and imports none."""
LIBRARY: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {}
"""By name: the names of the arguments, and what writes a call out."""


def library(params: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what follows under its name, for calls with arguments of these names."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        LIBRARY[function.__name__.strip("_")] = tuple(params.split()), function
        return function

    return register


@cache
def _known() -> dict[int, str]:
    """Names of functions and methods, by identity."""
    table = {}
    for name in NAMES:
        for owner in (np, np.ndarray, np.linalg):
            found = vars(owner).get(name)
            methods = owner is np.ndarray  # which nobody can replace
            if methods and name == "sort":  # in place: it returns nothing
                continue
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
        if name not in LIBRARY:
            raise nest.refuse(Reason.CALL, line, text(call))
        return _made(nest, call, name, args)
    found = iterated(nest, call, nest.known.objects.get(func))
    if found is not None:
        return found
    values = [nest.value(arg) for arg in args]
    if not any(isinstance(value, Section) for value in values):
        if call.names:
            raise nest.refuse(Reason.CALL, line, text(call))
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
    if function.name not in _EXACT:
        nest.upwards(values, call)
    made = nest.mapped(values, lambda e: Call(func, tuple(e), line, whole=True), line)
    if function.name in _INTEGERS:
        made = nest.integers(made, values, line)
    boolean = function.name in _TESTS
    if function.name in _NOT_REAL:
        made = replace(made, real=False, double=False)
    if function.form in ("real", "imag"):
        made = replace(made, shared=True)
    return replace(made, boolean=boolean)


def _made(nest: Elements, call: Call, name: str, args: tuple[Expr, ...]) -> Value:
    declared, function = LIBRARY[name]
    params = tuple(param for param in declared if param != "*")
    placed = declared.index("*") if "*" in declared else len(declared)
    first = len(args) - len(call.names)
    given = dict(zip(params, args[:first], strict=False))
    words = dict(zip(call.names, args[first:], strict=True))
    needed = params[: len(params) - len(function.__defaults__ or ())]
    missing = set(needed) - given.keys() - words.keys()
    if missing or first > placed or not words.keys() <= set(params) - given.keys():
        raise nest.refuse(Reason.CALL, call.line, text(call))
    found: Value = function(nest, call, **given, **words)
    return found


def dtype_of(nest: Elements, call: Call, dtype: Expr) -> str:
    """The dtype that an argument names."""
    wanted = nest.known.objects.get(dtype.id) if isinstance(dtype, Name) else None
    if isinstance(wanted, type | np.dtype) and wanted is not object:
        found = np.dtype(wanted).name
        if found in (*NUMBERS, "bool"):
            return found
    raise nest.refuse(Reason.CALL, call.line, text(call))


# ---------------------------------------------------------------------------- copies and views


def copied(nest: Elements, call: Call, a: Expr) -> Section:
    """A new array with the same elements."""
    whole = nest.value(a)
    if not isinstance(whole, Section) or not whole.ordered:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    made = nest.mapped([whole], lambda e: e[0], call.line)
    boolean, counting = whole.boolean, whole.counting
    return replace(
        made,
        boolean=boolean,
        counting=counting,
        signed=whole.signed,
        unsigned=whole.unsigned,
    )


@library("a")
def copy(nest: Elements, call: Call, a: Expr) -> Section:
    row = nest.meant(a) if isinstance(a, Name) else None
    if isinstance(row, Section) and row.listed == row.rank == 1:
        if row.path in nest.known.fixed:
            raise nest.refuse(Reason.CALL, call.line, text(call))
        items = row
        return replace(items, compute=lambda index: nest.element(items, index, call.line))
    return copied(nest, call, a)


@library("a dtype")
def astype(nest: Elements, call: Call, a: Expr, dtype: Expr) -> Section:
    whole, name, line = nest.value(a), dtype_of(nest, call, dtype), call.line
    if not isinstance(whole, Section) or not whole.ordered:
        raise nest.refuse(Reason.CALL, line, text(call))

    def cast(e: list[Expr]) -> Expr:
        if name == "bool" and not whole.boolean:
            return Compare("!=", e[0], Const(0), line)
        return Call(f"<cast {name}>", (e[0],), line, whole=True)

    made, kind = nest.mapped([whole], cast, line), np.dtype(name).kind
    return replace(
        made,
        dtype=name,
        boolean=kind == "b",
        counting=kind in "iu",
        signed=kind == "i",
        unsigned=kind == "u",
        real=kind == "f",
        double=name == "float64",
    )


@library("a")
def transpose(nest: Elements, call: Call, a: Expr) -> Section:
    whole = nest.value(a)
    if not isinstance(whole, Section):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return turned(whole if whole.compute is None else nest.kept(whole, call.line))


LIBRARY["T"] = LIBRARY["transpose"]


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
    whole = all(
        v.signed if isinstance(v, Section) else type(getattr(v, "value", None)) is int
        for v in values[1:]
    )
    return replace(made, boolean=both, real=real, double=double, counting=whole, signed=whole)


@library("a a_min a_max")
def clip(nest: Elements, call: Call, a: Expr, a_min: Expr, a_max: Expr) -> Value:
    """Between two bounds, both of which are given."""
    values, line = [nest.value(e) for e in (a, a_min, a_max)], call.line
    whole, *bounds = values
    if call.names:  # a function and a method call them differently
        raise nest.refuse(Reason.CALL, line, text(call))
    if not any(isinstance(v, Section) for v in values):
        return Call("<clip>", tuple(v for v in values if not isinstance(v, Section)), line)
    if not isinstance(whole, Section):
        raise nest.refuse(Reason.CALL, line, text(call))
    rows = [bound for bound in bounds if isinstance(bound, Section)]
    for row in rows:
        # Which of two zeros comes out depends on whether bounds are the same all along a row.
        if row.rank != whole.rank or not (row.fresh or row.path in nest.known.dense):
            raise nest.refuse(Reason.CALL, line, text(call))
        for one, two in zip(row.extents, whole.extents, strict=True):
            nest.equal(one, two, line)
            nest.require(one, 2, None, line, "a clip of a single element")
    name = "<clip by>" if rows else "<clip>"
    made = nest.mapped(values, lambda e: Call(name, tuple(e), line), line)
    sections = [whole, *rows]
    integers = len(rows) == 0 and all(type(getattr(b, "value", None)) is int for b in bounds)
    return replace(
        made,
        counting=whole.counting and integers,
        signed=whole.signed and integers,
        double=any(s.double for s in sections),
    )
