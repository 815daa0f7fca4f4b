"""Functions that a nest may call: what they return, and which errors they may raise.

A function is known by identity (``math.exp`` the object, whatever the user calls it).  Anything
else is an opaque call.
"""

from __future__ import annotations

import builtins
import collections
import functools
import heapq
import itertools
import math
import operator
import types
from typing import Literal

import numpy as np

from autopar.nest.ir import COUNTING
from autopar.nest.kinds import ATOMS, NUMBERS, PYTHON, Kind, dtype, family, is_python
from autopar.records import dataclass

Form = Literal[
    "abs", "min", "max", "int", "float", "bool", "round", "range", "len", "reversed", "enumerate",
    "zip", "list", "tuple", "sorted", "arange", "ndindex", "product",
    "libm", "floor", "ceil", "trunc", "test", "scale", "ufunc", "cast",
    "real", "imag", "conjugate", "complex", "where", "index", "within", "strong", "like", "nothing",
    "begun", "lost", "whole", "among", "double", "clip", "given", "either", "tag", "decimal",
    "raise", "draw", "drawn", "bits",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Function:
    """One known function.

    Attributes
    ----------
    form
        How it is carried out; ``libm`` calls the C library function that CPython's `math` calls.
    name
        C function, test, ufunc, or dtype name.
    arity
        Number of arguments it is taken with; 0 means two or more.
    least
        Fewest arguments, where some may be left out; 0 means `arity`.
    """

    form: Form
    name: str
    arity: int
    least: int = 0

    def takes(self, count: int) -> bool:
        """Whether a call with so many arguments is taken."""
        if self.form == "nothing":
            return not count
        return count >= 2 if self.arity == 0 else (self.least or self.arity) <= count <= self.arity


ATTRIBUTES = {
    "<real>": Function("real", "real", 1),
    "<imag>": Function("imag", "imag", 1),
    "<conjugate>": Function("conjugate", "conjugate", 1),
    "<conj>": Function("conjugate", "conj", 1),
}
"""Attributes and methods of numbers, called by a name that no user can write."""

_INTERNAL = {
    "<where>": Function("where", "where", 3),
    "<index>": Function("index", "index", 1),
    "<place>": Function("index", "place", 1),
    "<signed>": Function("index", "signed", 1),
    "<within>": Function("within", "within", 3),
    "<strong>": Function("strong", "strong", 1),
    "<like>": Function("like", "like", 2),
    "<among>": Function("among", "among", 0),
    "<double>": Function("double", "double", 1),
    "<int>": Function("int", "int", 1),
    "<either>": Function("either", "either", 2),
    "<tag>": Function("tag", "tag", 1),
    "<given>": Function("given", "given", 2),
    "<raise>": Function("raise", "raise", 1),
    "<clip>": Function("clip", "clip", 3),
    "<clip by>": Function("clip", "clip by", 3),
    "<bit_length>": Function("bits", "length", 1),
    "<bit_count>": Function("bits", "ones", 1),
}


def internal(name: str) -> Function | None:
    """What is called by a name of ours: besides `ATTRIBUTES`, what array statements are made of.

    ``<where>`` evaluates all its arguments; ``<index>`` is `operator.index`, ``<place>`` the same
    but for bools, ``<signed>`` but for bools and unsigned integers; ``<within>`` gives up unless
    its first argument lies between the others; ``<strong>`` is a Python number as NumPy's,
    ``<like>`` its first argument in the dtype of the second, ``<among>`` in that of an array of all
    arguments, ``<either>`` is its first argument, of the type whose tag is the second, ``<tag>`` is
    such a tag, ``<given>`` is its first argument if the second is true, and gives up otherwise,
    ``<raise>`` is its argument, and gives up, sooner or later; ``<double>`` in double precision if
    NumPy would compute with it so; ``<int>`` is the builtin; ``<decimal 2>`` is `round` of a float
    to two decimals; ``<clip>`` is `np.clip`, ``<clip by>`` the same by bounds that are arrays;
    ``<bit_length>`` and ``<bit_count>`` are these methods of Python's integers;
    ``<ufunc exp>`` and ``<cast int32>`` are NumPy's functions and types whatever the user calls
    them.
    """
    word, _, rest = name.strip("<>").partition(" ")
    if word == "ufunc":
        return Function("ufunc", rest, getattr(np, rest).nin)
    if word == "cast":
        return Function("cast", rest, 1)
    if word in ("nothing", "start", "summed"):
        return Function("nothing", rest, 0)
    if word == "begun":
        return Function("begun", rest, 1)
    if word == "lost":
        return Function("lost", rest, 3)
    if word == "whole":
        return Function("whole", rest, 2)
    if word == "draw":
        return Function("draw", rest, 1 + len(DRAWS[rest]))
    if word == "drawn":
        return Function("drawn", rest, 1)
    if word == "decimal":
        return Function("decimal", rest, 1)
    return ATTRIBUTES.get(name) or EXTREMES.get(name) or _INTERNAL.get(name)


def counting(name: str) -> object:
    """The function of `COUNTING` that has this name."""
    owners: dict[str, object] = {
        "arange": np,
        "ndindex": np,
        "product": itertools,
        "reduce": functools,
        "accumulate": itertools,
        "Counter": collections,
        "defaultdict": collections,
        "deque": collections,
        "heappop": heapq,
        "heappush": heapq,
    }
    return getattr(owners.get(name, builtins), name)


DRAWS: dict[str, tuple[str, ...]] = {
    "double": (),
    "uniform": ("real", "real"),
    "rising uniform": ("real", "real"),
    "standard_normal": (),
    "normal": ("real", "real"),
    "standard_exponential": (),
    "exponential": ("real",),
    "inverse": (),
    "inverse exponential": ("real",),
    "poisson": ("real",),
    "polar": (),
    "polar normal": ("real", "real"),
    "masked": ("int", "int"),
    "bounded": ("int", "int"),
    "bounded closed": ("int", "int"),
    "between": ("Python real", "Python real"),
    "within": ("Python int", "Python int"),
    "below": ("int", "int"),
    "bits": ("int",),
    "gauss": ("Python real", "Python real"),
    "ratio normal": ("Python real", "Python real"),
    "rate": ("Python real",),
}
"""Ways to draw a random number, `cpu.draws`, and the arguments that they are taken with."""


EXTREMES = {"<min>": Function("min", "min", 0), "<max>": Function("max", "max", 0)}
"""The builtins as a schedule calls them, whatever the user's `min` and `max` are."""

# The functions of `math` that hand their arguments to the C library as they are
# (CPython, Modules/mathmodule.c: FUNC1, FUNC1D, FUNC2); gamma and lgamma are its own code, and so
# is hypot (`cpu.norms`).
_LIBM1 = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "fabs", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_LIBM2 = ("atan2", "copysign", "fmod", "pow")


@functools.cache
def _known() -> dict[int, Function]:
    table: dict[object, Function] = {}
    for name in ("abs", "int", "float", "bool"):
        table[getattr(builtins, name)] = Function(name, name, 1)
    table[round] = Function("round", "round", 2, least=1)
    for name in ("min", "max"):
        table[getattr(builtins, name)] = Function(name, name, 0)  # type: ignore[arg-type]
    for name in COUNTING:
        table[counting(name)] = Function(name, name, 0)  # type: ignore[arg-type]
    for names, arity in ((_LIBM1, 1), (_LIBM2, 2)):
        for name in names:
            if hasattr(math, name):
                table[getattr(math, name)] = Function("libm", name, arity)
    table[math.hypot] = Function("libm", "hypot", 3, least=2)
    table[operator.index] = _INTERNAL["<index>"]
    table[complex] = Function("complex", "complex", 2, least=1)
    for name in ("real", "imag"):
        table[getattr(np, name)] = ATTRIBUTES[f"<{name}>"]
    for name in ("floor", "ceil", "trunc"):
        table[getattr(math, name)] = Function(name, name, 1)  # type: ignore[arg-type]
    for name in ("isnan", "isinf", "isfinite"):
        table[getattr(math, name)] = Function("test", name, 1)
    for name in ("degrees", "radians"):
        table[getattr(math, name)] = Function("scale", name, 1)
    for ufunc in vars(np).values():
        elementwise = isinstance(ufunc, np.ufunc) and ufunc.signature is None
        if elementwise and ufunc.nout == 1 and ufunc.nin in (1, 2):
            table[ufunc] = Function("ufunc", ufunc.__name__, ufunc.nin)
    for name in (*NUMBERS, "bool"):
        table[np.dtype(name).type] = Function("cast", name, 1)
    return {id(found): entry for found, entry in table.items() if genuine(found, entry.name)}


def genuine(found: object, name: str) -> bool:
    """Whether `found` is what it is called, rather than something that a user has put there."""
    if isinstance(found, np.ufunc):
        return True
    native = isinstance(found, type | types.BuiltinFunctionType)
    module = getattr(found, "__module__", None) or ""
    ours = native or module.partition(".")[0] == "numpy"
    return ours and getattr(found, "__name__", "") == name


def known(value: object) -> Function | None:
    """The table entry of a live object, or None when calling it is opaque."""
    return _known().get(id(value))


def ufunc_loop(name: str, args: tuple[str, ...]) -> tuple[str, str] | None:
    """Input and output dtype of a ufunc on scalar atoms, or None when it is not taken.

    Inputs must share one dtype.  Python numbers are weak beside NumPy numbers and default to
    NumPy's own dtypes when alone, as NumPy itself treats scalars.
    """
    ufunc = getattr(np, name)
    alone = all(is_python(a) for a in args)
    weak = frozenset(() if alone else ("int", "float", "complex"))
    operands = [PYTHON[a] if a in weak else np.dtype(dtype(a)) for a in args]
    try:
        loop = [d.name for d in ufunc.resolve_dtypes((*operands, None))]
    except (TypeError, ValueError):
        return None
    names = set(loop[:-1])
    if name == "power" and loop[0][0] in "iu":
        return None  # this inner loop raises for negative exponents
    if len(names) != 1 or loop[0] not in (*NUMBERS, "bool") or f"np.{loop[-1]}" not in ATOMS:
        return None
    char = "".join(np.dtype(n).char for n in loop[:-1]) + "->" + np.dtype(loop[-1]).char
    return (loop[0], loop[-1]) if char in ufunc.types else None


_PART = {"complex": "float", "np.complex128": "np.float64", "np.complex64": "np.float32"}


def result(function: Function, args: tuple[str, ...]) -> str | None:
    """Atom that `function` returns for arguments of these atoms, or None when not taken."""
    families = {family(dtype(a)) for a in args}
    match function.form:
        case "abs":
            if args[0] in ("bool", "int"):
                return "int"
            if args[0] == "np.bool":
                return None
            return _PART.get(args[0], args[0])
        case "real" | "imag" if families == {"complex"}:
            return _PART[args[0]]
        case "conjugate" if function.name == "conj" and is_python(args[0]):
            return None  # only NumPy's numbers have this one
        case "real" | "conjugate":
            return "int" if args[0] == "bool" else args[0]
        case "complex":
            # From complex arguments it would be computed, with other signs of zero.
            return None if "complex" in families else "complex"
        case "trunc":  # other NumPy scalars have no __trunc__
            return "int" if args[0] in ("int", "bool", "float", "np.float64") else None
        case "int" | "floor" | "ceil":
            return None if "complex" in families else "int"
        case "float":
            return None if "complex" in families else "float"
        case "libm" | "scale":
            return None if "complex" in families else "float"
        case "bool":
            return "bool"
        case "test":
            return None if "complex" in families else "bool"
        case "round":
            whole = families <= {"int", "uint"} or args[0] == "bool"
            return "int" if len(args) == 1 and (whole or families == {"float"}) else None
        case "decimal":
            return "float" if args == ("float",) else None
        case "ufunc":
            loop = ufunc_loop(function.name, args)
            return None if loop is None else f"np.{loop[1]}"
        case "where":
            return _promoted(args[1:]) if family(dtype(args[0])) == "bool" else None
        case "index" if function.name == "signed":
            return "int" if families == {"int"} and args[0] != "bool" else None
        case "index":
            flag = args[0] == "bool" and function.name == "index"
            return "int" if families <= {"int", "uint"} or flag else None
        case "bits":  # NumPy's integers have others, or none
            return "int" if args[0] in ("int", "bool") else None
        case "within":
            return "bool" if set(args) == {"int"} else None
        case "raise":
            return args[0]
        case "draw":
            taken = all(map(suits, DRAWS[function.name], args[1:]))
            return "np.int64" if taken else None
        case "drawn":
            return function.name
        case "either":
            return args[0]
        case "tag":
            return "np.int8"
        case "given":
            return args[0] if args[1] == "bool" else None
        case "strong":
            return f"np.{dtype(args[0])}"
        case "like":
            return None if is_python(args[1]) else args[1]
        case "among":
            return _promoted(args, weak=False)
        case "double":
            return "np.float64" if args[0] in _DOUBLE else None
        case "clip" if families <= {"int", "uint", "float"}:
            return _promoted((f"np.{dtype(args[0])}", *args[1:]))
        case "cast" if function.name == "bool":
            return "np.bool" if families == {"bool"} else None
        case "cast":
            same = "complex" not in families or function.name.startswith("complex")
            return f"np.{function.name}" if same else None
    return None


def suits(wanted: str, atom: str) -> bool:
    """Whether a number of type `atom` is one of those that a draw is taken with."""
    if atom == "np.bool":
        return False
    groups = ("int", "bool") if wanted.endswith("int") else ("int", "bool", "uint", "float")
    return family(dtype(atom)) in groups and (is_python(atom) or not wanted.startswith("Python"))


_DOUBLE = ("int", "float", "np.int64", "np.float64")


def _promoted(args: tuple[str, ...], weak: bool = True) -> str | None:
    """Atom of an element of an array made of these; Python's numbers may be `weak`."""
    operands = [PYTHON[a](1) if weak and is_python(a) else np.dtype(dtype(a)) for a in args]
    found = f"np.{np.result_type(*operands).name}"
    return found if found in ATOMS else None


def possible(function: Function, args: tuple[Kind, ...]) -> Kind:
    """Atoms that the call may return."""
    if function.form in ("min", "max"):
        return frozenset().union(*args)
    combos: list[tuple[str, ...]] = [()]
    for kind in args:
        combos = [(*combo, atom) for combo in combos for atom in kind]
    found = (result(function, combo) for combo in combos)
    return frozenset(atom for atom in found if atom is not None)
