"""Every operator on one pair of operand types: what Python answers, and what a kernel answers.

One nest per pair holds all operators, chosen by a number, so that it is compiled once.
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autopar.nest import kinds
from autopar.runtime.site import FallbackError

sys.path.insert(0, str(Path(__file__).parents[1] / "same"))
import harness

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "<<": operator.lshift,
    ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
NUMPY = ("bool", *kinds.NUMBERS)
# How a nest comes to a Python number: by conversion of an element, or from outside.
PYTHON = ("int()", "float()", "bool()", "int", "float", "complex")
_INT64 = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Operand:
    """One side: text in the nest, and the values it takes."""

    name: str
    side: str

    @property
    def outside(self) -> bool:
        """Whether it is a variable that the nest finds, and so has one value in a run."""
        return self.name in ("int", "float", "complex")

    @property
    def atom(self) -> str:
        return self.name.removesuffix("()") if self.name in PYTHON else f"np.{self.name}"

    @property
    def text(self) -> str:
        if self.outside:
            return self.side
        read = f"{self.side}[i]"
        return f"{self.name[:-1]}{read})" if self.name.endswith("()") else read

    @property
    def dtype(self) -> str:
        return kinds.dtype(self.atom)

    def values(self) -> list[Any]:
        """Corners, as the numbers that the operator meets."""
        found = corners(self.dtype)
        return found.tolist() if self.name in PYTHON else list(found)


def corners(name: str) -> np.ndarray[Any, Any]:
    """Values where something could go wrong."""
    dtype = np.dtype(name)
    match dtype.kind:
        case "b":
            return np.array([True, False])
        case "i" | "u":
            info = np.iinfo(dtype)
            usual = (0, 1, 2, 3, 7, 8, 31, 63, 64, 100, 2**24 + 1, 2**53 + 1, -1, -2, -7, -100)
            ends = (info.min, info.min + 1, info.max - 1, info.max)
            kept = sorted({v for v in (*usual, *ends) if info.min <= v <= info.max})
            return np.array(kept, dtype)
        case "f":
            info = np.finfo(dtype)
            ends = [info.max, info.tiny, info.smallest_subnormal, -info.max, 1 / info.eps, info.eps]
            usual = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.0, 3.7, -7.3, 100.0, 1e-5, 0.1]
            return np.array([*usual, np.inf, -np.inf, np.nan, *ends], dtype)
    parts = (0.0, -0.0, 1.5, -2.0, 1e30)
    return np.array([complex(a, b) for a in parts for b in parts], dtype)


def pairs() -> list[tuple[str, str]]:
    """All pairs of operand names, except two numbers from outside, which no loop varies."""
    names = (*NUMPY, *PYTHON)
    found = itertools.product(names, repeat=2)
    return [p for p in found if not all(Operand(n, "x").outside for n in p)]


def answer(op: str, x: Any, y: Any) -> Any:
    """What the interpreter has, or the exception that it raises."""
    with np.errstate(all="ignore"):
        try:
            return OPERATORS[op](x, y)
        except (ArithmeticError, ValueError, TypeError) as error:
            return error


def endless(op: str, x: Any, y: Any) -> bool:
    """Whether Python would compute an integer of more than some thousand digits."""
    integers = isinstance(x, int) and isinstance(y, int)
    return integers and op in ("**", "<<") and abs(y) > 4096


def within_64_bits(op: str, x: Any, y: Any, result: Any) -> bool:
    """Whether a kernel must manage: Python integers stay small, results are of the usual type."""
    if isinstance(result, Exception):
        return False
    beside_float = any(isinstance(v, float | complex | np.inexact) for v in (x, y, result))
    limit = 2**53 if beside_float else _INT64
    integers = [v for v in (x, y, result) if type(v) is int]
    if any(abs(v) > limit for v in integers):
        return False
    if op == "**" and (type(result) is complex or {type(x), type(y)} <= {int, bool}):
        return type(result) is int and abs(result) < 2**62 and y >= 0
    if op == "**" and isinstance(result, float) and not np.isfinite([x, y, result]).all():
        return False
    if op in COMPARISONS and np.uint64 in (type(x), type(y)):
        return not any(type(v) is int and v < 0 for v in (x, y))
    return not (op == "<<" and type(y) is int and y > 62)


COMPARISONS = kinds.COMPARISONS


@dataclass(frozen=True, slots=True)
class Case:
    """Values of both sides and what must come out, for one operator and one run."""

    op: str
    left: Sequence[Any]
    right: Sequence[Any]
    results: Sequence[Any]


class Pair:
    """The nest of one pair of operand types."""

    def __init__(self, left: str, right: str) -> None:
        self.left, self.right = Operand(left, "a"), Operand(right, "b")
        self.operators = [
            op for op in OPERATORS if possible(op, self.left.atom, self.right.atom) is not None
        ]
        lines = ["for i in range(n):", f"    x = {self.left.text}", f"    y = {self.right.text}"]
        for k, op in enumerate(self.operators):
            s = self.result(op)
            lines += [
                f"    {'if' if k == 0 else 'elif'} op == {k}:",
                f"        {s} = x {op} y",
                f"        {s}_out[i] = {s}",
            ]
        self.source = "\n".join([*lines, ""])
        self.site = harness.site(self.source) if self.operators else None

    def atom(self, op: str) -> str:
        found = possible(op, self.left.atom, self.right.atom)
        assert found is not None
        return found

    def result(self, op: str) -> str:
        """The variable for results of this type; one array for each type compiles faster."""
        return "s_" + self.atom(op).replace(".", "_")

    def cases(self, op: str) -> Iterator[Case]:
        """First those that a kernel must answer, many in one run; then the odd ones, one by one."""
        met = [
            (x, y, answer(op, x, y))
            for x, y in itertools.product(self.left.values(), self.right.values())
            if not endless(op, x, y)
        ]
        usual = [m for m in met if within_64_bits(op, *m)]
        for group in self.together(usual):
            yield Case(op, *zip(*group, strict=True))
        odd = [m for m in met if not within_64_bits(op, *m)]
        for m in odd[:: max(1, len(odd) // 4)]:
            yield Case(op, *([v] for v in m))

    def together(self, met: list[tuple[Any, Any, Any]]) -> list[list[tuple[Any, Any, Any]]]:
        if not met:
            return []
        k = 0 if self.left.outside else 1
        if not (self.left.outside or self.right.outside):
            return [met]
        groups: dict[str, list[tuple[Any, Any, Any]]] = {}
        for m in met:
            groups.setdefault(repr(m[k]), []).append(m)
        return list(groups.values())

    def run(self, case: Case) -> tuple[list[Any], Any] | None:
        """Elements that were written and the variable that is left, or None when declined."""
        n, which = len(case.left), self.operators.index(case.op)
        names: dict[str, Any] = {"n": n, "op": which}
        for side, values in ((self.left, case.left), (self.right, case.right)):
            names[side.side] = values[0] if side.outside else np.array(values, side.dtype)
        for op in self.operators:
            names[f"{self.result(op)}_out"] = np.zeros(n, kinds.dtype(self.atom(op)))
        space = {"range": range, "int": int, "float": float, "bool": bool, **names}
        assert self.site is not None
        try:
            with np.errstate(all="ignore"):  # warnings are another matter
                found = self.site.run(tuple(space[root] for root in self.site.spec.roots))
        except FallbackError:
            return None
        assert found is not None
        left = dict(zip(self.site.spec.live_out, found, strict=True))
        name = self.result(case.op)
        return list(names[f"{name}_out"]), left[name]


def possible(op: str, left: str, right: str) -> str | None:
    """Atom that autopar takes the result for, or None when it does not take the operation."""
    step = kinds.binary(op, left, right)
    if step is None and {left, right} <= {"bool", "np.bool"} and op in ("+", "*"):
        return "np.bool"  # taken as | and &
    return None if step is None else step.out


def bits(value: Any) -> tuple[type, bytes]:
    """Type and bits, every nan alike."""
    array = np.asarray(value)
    if array.dtype.kind in "fc":
        parts = array.reshape(1).view(array.real.dtype)
        array = np.where(np.isnan(parts), np.nan, parts)
    return type(value), array.tobytes()
