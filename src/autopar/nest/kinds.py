"""What type a value has, in Python's and NumPy's own terms, without running anything.

An *atom* is one concrete scalar type: ``int float bool complex`` are Python's (NEP 50 calls them
weak), ``np.float32`` and its like are NumPy's.  A *kind* is the set of atoms that a value may have
at run time: ``s = 0.0`` followed by ``s += a[k]`` makes `s` ``{float, np.float64}``.  An operation
on kinds is taken only when every combination of atoms computes in the same dtype, so that the bits
do not depend on which it was.

References
----------
NEP 50, "Promotion rules for Python scalars": all dtype decisions are asked of NumPy itself
(``ufunc.resolve_dtypes``).
"""

from __future__ import annotations

import functools

import numpy as np

from autopar.records import dataclass

Kind = frozenset[str]
MAX_INT = 2**63 - 1

NUMBERS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
)  # fmt: skip
ATOMS = ("bool", "int", "float", "complex", "np.bool", *(f"np.{name}" for name in NUMBERS))
"""Every atom; its position + 1 is the tag that kernels use for it (0 = not assigned)."""

PYTHON: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}
_PYTHON_DTYPE = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}

UFUNCS = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide,
    "//": np.floor_divide, "%": np.remainder, "**": np.power, "<<": np.left_shift,
    ">>": np.right_shift, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    "==": np.equal, "!=": np.not_equal,
}  # fmt: skip
COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


def tag(atom: str) -> int:
    """Small integer that stands for `atom` in a kernel."""
    return ATOMS.index(atom) + 1


def is_python(atom: str) -> bool:
    return atom in PYTHON


def dtype(atom: str) -> str:
    """Dtype that holds values of `atom` in a kernel (Python ints: int64, checked elsewhere)."""
    return _PYTHON_DTYPE[atom] if is_python(atom) else atom[3:]


def type_of(atom: str) -> type:
    """The type of the values that `atom` stands for."""
    return PYTHON[atom] if is_python(atom) else np.dtype(dtype(atom)).type


def python_atom(name: str) -> str:
    """Python's own atom of a dtype that it shares with NumPy's."""
    return {held: atom for atom, held in _PYTHON_DTYPE.items()}[name]


def family(name: str) -> str:
    """One of ``bool int uint float complex`` for a dtype name."""
    return {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}[np.dtype(name).kind]


def atom_of(value: object) -> str | None:
    """The atom of a live value, or None for anything that is not a plain number."""
    kind = type(value)
    if kind in (bool, int, float, complex):
        return kind.__name__
    if isinstance(value, np.generic):
        name = f"np.{value.dtype.name}"
        # Two C types can share a name: np.longlong is another type than np.int64.
        return name if name in ATOMS and kind is np.dtype(name[3:]).type else None
    return None


@dataclass(frozen=True, slots=True)
class Step:
    """How one operation on two atoms is carried out.

    Attributes
    ----------
    loop
        Dtype that both operands are converted to before computing.
    out
        Atom of the result.
    """

    loop: str
    out: str


@functools.cache
def binary(op: str, left: str, right: str) -> Step | None:
    """The step for ``left op right``, or None when Python or NumPy refuses it or we do."""
    if is_python(left) and is_python(right):
        return _python(op, left, right)
    if left == "complex" and right == "np.float64":
        # np.float64 is a float to complex.__mul__ and its like, which therefore answer first.
        return _python(op, left, "float")
    # Python's bool is no weak type: NumPy takes it for its own.
    weak: list[object] = [
        PYTHON[a] if a in ("int", "float", "complex") else np.dtype(dtype(a)) for a in (left, right)
    ]
    if op in COMPARISONS:
        return _comparison(op, left, right, weak)
    loop = _resolve(UFUNCS[op], (*weak, None))
    if loop is None:
        return None
    first, second, out = loop
    if first != second or f"np.{out}" not in ATOMS or first not in (*NUMBERS, "bool"):
        return None
    if first == "bool" and op not in ("&", "|", "^"):
        return None
    if family(first) == "complex" and op not in ("+", "-", "*", "/"):
        return None
    return Step(first, f"np.{out}")


def _resolve(ufunc: np.ufunc, operands: tuple[object, ...]) -> tuple[str, ...] | None:
    try:
        return tuple(d.name for d in ufunc.resolve_dtypes(operands))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _python(op: str, left: str, right: str) -> Step | None:
    wide = max((left, right), key=("bool", "int", "float", "complex").index)
    if op in COMPARISONS:
        if wide == "complex" and op not in ("==", "!="):
            return None
        return Step(_PYTHON_DTYPE["int" if wide == "bool" else wide], "bool")
    if op in ("&", "|", "^"):
        return Step(dtype(wide), wide) if wide in ("bool", "int") else None
    if op in ("<<", ">>"):
        return Step("int64", "int") if wide in ("bool", "int") else None
    if wide == "complex":
        power = op == "**" and right in ("int", "float")
        return Step("complex128", "complex") if power or op in ("+", "-", "*", "/") else None
    if wide == "float" or op == "/":
        return Step("float64", "float")
    return Step("int64", "int")


def _comparison(op: str, left: str, right: str, weak: list[object]) -> Step | None:
    families = {family(dtype(a)) for a in (left, right)}
    if "complex" in families:
        if op not in ("==", "!="):
            return None
    elif "float" not in families:
        # NumPy compares integers by value, whatever their widths and signs.
        names = {dtype(a) for a in (left, right)}
        if "uint64" not in names:
            return Step("int64", "np.bool")
        # A Python int is checked to be positive; a NumPy integer may be negative.
        signed = any(not is_python(a) and family(dtype(a)) == "int" for a in (left, right))
        return None if signed else Step("uint64", "np.bool")
    loop = _resolve(UFUNCS[op], (*weak, None))
    if loop is None or loop[0] != loop[1] or loop[0] not in NUMBERS:
        return None
    return Step(loop[0], "np.bool")


_EITHER = {"int64", "float64"}


@functools.cache
def combine(op: str, left: Kind, right: Kind) -> tuple[str, Kind] | None:
    """Common loop dtype and result kind of ``left op right``, or None when it is ambiguous."""
    steps = [binary(op, a, b) for a in left for b in right]
    loops = {step.loop for step in steps if step is not None}
    if None in steps:
        return None
    outs = frozenset(step.out for step in steps if step is not None)
    python = all(map(is_python, (*left, *right)))
    if loops == _EITHER and python and op in (*COMPARISONS, "+", "-"):
        # Integers that a float would round are given up, so there is one answer.
        return "float64", outs
    if len(loops) != 1:
        return None
    return loops.pop(), outs


def possible(op: str, left: Kind, right: Kind) -> Kind:
    """Atoms that ``left op right`` may produce, ambiguous or not; for the fixpoint of typing."""
    steps = (binary(op, a, b) for a in left for b in right)
    return frozenset(step.out for step in steps if step is not None)


def unary(op: str, atom: str) -> str | None:
    """The atom of ``op operand``."""
    if op == "not":
        return "bool"
    if is_python(atom):
        if op == "~":
            return "int" if atom in ("bool", "int") else None
        return "int" if atom == "bool" else atom
    group = family(dtype(atom))
    if group == "bool":
        return atom if op == "~" else None
    if op == "~":
        return atom if group in ("int", "uint") else None
    return atom


_PAIRS = (("float", "np.float64"), ("int", "np.int64"), ("float", "int"), ("np.float64", "int"))


def pair(kind: Kind) -> tuple[str, str] | None:
    """The two atoms of `kind`, where an array holds elements of either and notes beside say which.

    The array is of the dtype of the first.
    """
    return next((two for two in _PAIRS if kind == {*two}), None)


@functools.cache
def storage(kind: Kind) -> str | None:
    """Dtype of one variable that holds every atom of `kind`, or None when there is none.

    A weak number may share a variable with a NumPy number when each value that is actually
    assigned is exactly representable; the emitter checks that at the assignment.
    """
    strong = [dtype(a) for a in kind if not is_python(a)]
    weak = [a for a in kind if is_python(a)]
    groups = {family(name) for name in strong}
    if len(groups) > 1:
        return None
    if "bool" in weak and (len(weak) > 1 or groups - {"bool"}):
        return None
    # A float beside complex numbers would need an imaginary part: +0.0, or none at all?
    if "complex" in weak and len(weak) > 1:
        return None
    if not strong:
        return dtype(max(weak, key=("bool", "int", "float", "complex").index)) if weak else None
    wide = np.result_type(*strong).name
    room = {"bool": ("bool",), "int": ("int",), "uint": ("int",), "float": ("int", "float"),
            "complex": ("complex",)}[groups.pop()]  # fmt: skip
    return wide if all(a in room for a in weak) else None
