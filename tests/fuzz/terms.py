"""Grammar of subscripts and expressions; the first choice of every list is the simplest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .choices import Choices

HELPERS = {
    "twice": "def twice(x): return x * 2 + 1\n",
    "clip": "def clip(x, low=-0.5, high=2):\n    if x < low: return low\n"
    "    if x > high:\n        return high\n    return x\n",
    "mix": "def mix(x, y):\n    t = x * y\n    if t > 1:\n        t = t - y\n    else:\n"
    "        x = t\n    return t + x\n",
    "share": "def share(x, y): return twice(x) / y\n",
    "before": "def before(i, most=7): return (i - 1) % most\n",
    "pair": "def pair(u, i): return u[i] + u[i + 1]\n",
    "power": "def power(x, n=3):\n    r = 1\n    for j in range(n):\n        r = r * x\n"
    "    return r\n",
    "level": "def level(x, n):\n    for j in range(4):\n        if j > n: break\n"
    "        if x < j - 1: return j\n    return -1.5\n",
    "near": "def near(x, i):\n    t = abs(x)\n    return t < 1 or t > i\n",
}
"""Functions that a loop may call."""


@dataclass(frozen=True)
class Array:
    """One input array, by the path that the loop reads it under."""

    name: str
    dtype: str
    ndim: int

    @property
    def kind(self) -> str:
        return np.dtype(self.dtype).kind


class Terms:
    """Text of expressions over the arrays, scalars and loop variables so far.

    Attributes
    ----------
    tame
        Keep to subscripts within the arrays and operations that do not raise.
    depth
        How deep expressions may grow.
    used
        Scalars that were read or written.
    """

    def __init__(self, choices: Choices) -> None:
        self.number, self.pick = choices.number, choices.pick
        self.rarely = choices.rarely
        self.arrays: list[Array] = []
        self.loops: list[str] = []
        self.used: set[str] = set()
        self.tame = True
        self.depth = 1

    # ------------------------------------------------------------------ subscripts

    def index(self) -> str:
        """One subscript; with n up to 6 and sides of 14, most tame ones stay inside."""
        if not self.loops:
            return str(self.number(0, 3))
        i, j = self.pick(*reversed(self.loops)), self.pick(*self.loops)
        k = self.number(1, 3)
        if self.rarely(3):
            return str(
                self.pick(
                    f"{k}", f"n - 1 - {i}", f"{i} - {j}", f"-{i} - 1", f"-{k}", f"2 * {i}",
                    f"X[{i}]", f"X[{i}]", f"{i} // 2", f"({i} + {j}) % n", f"{i} * {k} % 7",
                    f"{i} + h", f"{i} + m", "n", f"abs({i} - {j})", f"min({i}, {k})",
                    f"before({i})",
                )
            )  # fmt: skip
        if not self.tame and self.rarely(5):
            return str(
                self.pick(
                    f"X[{i}] + {k}", f"{i} * 5", f"{i} * h", f"{i} + 4 * {k}", f"X[X[{i}]]",
                    f"{i} + n * {j}", f"X[{i}] * {j}", f"-{i} * {k}", f"int(c) + {i}", "r",
                )
            )  # fmt: skip
        return str(self.pick(i, i, i, f"{i} + 1", f"{i} + {k}", f"{i} - {k}", f"{i} + {j}", j))

    def subscript(self, array: Array) -> str:
        index = [self.index() for _ in range(array.ndim)]
        if array.ndim > 1 and self.rarely(8):
            return array.name + "".join(f"[{k}]" for k in index)
        return f"{array.name}[{', '.join(index)}]"

    def load(self, kinds: str) -> str | None:
        """An element of an array of one of `kinds`, or None when there is none."""
        fitting = [a for a in self.arrays if a.kind in kinds]
        return self.subscript(self.pick(*fitting)) if fitting else None

    # ------------------------------------------------------------------ numbers

    def scalar(self, *names: str) -> str:
        name = str(self.pick(*names))
        self.used.add(name)
        return name

    def real(self, depth: int) -> str:
        """A float, usually."""
        if depth <= 0:
            if self.number(0, 9) < 6:
                loaded = self.load("f") or self.load("fiu")
                if loaded:
                    return loaded
            if self.rarely(4):
                return self.scalar("s", "t")
            return str(self.pick("2.1", "0.5", "c", "3", self.loops[-1], "-0.0"))
        if self.rarely(12):
            i, j = self.loops[-1], self.loops[0]
            return str(
                self.pick(
                    f"{i} / ({j} + 1)", f"1.0 / {i}", f"2.5 % {j}", f"({i} - 2) // {j}", f"7 % {i}"
                )
            )
        form = self.number(0, 23)
        if form == 23:
            return self.helped(self.real(depth - 1))
        if form >= 9 and form < 13 and self.tame and form % 2:
            form = 0
        a = self.real(depth - 1)
        if form < 9:
            ops = ("+", "*", "-", "+", "*", "-") + (() if self.tame else ("/", "//", "%"))
            op = self.pick(*ops)
            if self.tame and self.rarely(6):
                return f"({a} {self.pick('/', '//', '%')} {self.pick('1.5', '3', '-0.7')})"
            return f"({a} {op} {self.real(depth - 1)})"
        if form < 11:
            return f"({a} ** {self.pick('2', '3', '2.0', '0.5', '-1', 'h')})"
        if form < 13:
            return self.math(a)
        if form < 16:
            name = self.pick("sqrt", "exp", "sin", "log", "tanh", "floor", "rint", "sign")
            return f"np.{name}({a})"
        return str(
            self.pick(
                f"(-{a})", f"abs({a})", f"min({a}, {self.real(0)})", f"max({self.real(0)}, {a})",
                f"({a} if {self.truth(0)} else {self.real(depth - 1)})", f"float({self.whole(0)})",
                f"np.maximum({a}, {self.real(0)})", f"np.float32({a})", f"np.float64({a})",
            )
        )  # fmt: skip

    def helped(self, a: str) -> str:
        """What a helper function makes of it."""
        name = self.pick("twice", "clip", "mix", "share", "pair", "power", "level")
        i = self.loops[-1]
        if name == "pair":
            rows = [array for array in self.arrays if array.ndim == 1]
            return f"pair({self.pick(*rows).name}, {i})" if rows else f"twice({a})"
        if name == "level":
            return f"level({a}, {i})"
        if name in ("mix", "share"):
            return f"{name}({a}, {self.pick('3', self.real(0))})"
        return f"{name}({a}{', ' + self.real(0) if name == 'clip' and self.rarely(3) else ''})"

    def math(self, a: str) -> str:
        """A function of `math`, which raises where NumPy's would warn."""
        if self.tame:
            return f"math.{self.pick('sin', 'atan', 'tanh', 'fabs', 'erf')}({a})"
        name = self.pick("sqrt", "exp", "log", "floor", "expm1", "isnan", "trunc")
        inner = f"abs({a})" if name in ("sqrt", "log") and not self.rarely(6) else a
        return f"math.{name}({inner})"

    def whole(self, depth: int) -> str:
        """An integer, usually."""
        if depth <= 0:
            if self.number(0, 9) < 5:
                loaded = self.load("iu")
                if loaded:
                    return loaded
            if self.rarely(5):
                return self.scalar("r")
            return str(self.pick("3", "1", self.loops[-1], "n", "h", "-2", "7"))
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        op = self.pick(
            "+", "-", "*", "+", "-", "&", "|", "^", "//", "%", "u", "a", "if", "m", "<<", ">>",
            "**", "i", "len", "cast", "zero",
        )  # fmt: skip
        match op:
            case "*":
                # Reduced operands: products of products would otherwise outgrow the memory.
                return f"({a} % 13 * {b})" if "r" in a + b else f"({a} * {b})"
            case "//" | "%" if self.tame:
                return f"({a} {op} {self.pick('3', '-2', '5')})"
            case "<<" | ">>":
                return f"({a} {op} {self.pick('1', '2', '5', '3')})"
            case "**":
                return f"({a} % 7) ** {self.pick('2', '3', '0')}"
            case "u":
                return str(self.pick(f"(-{a})", f"(~{a})"))
            case "a":
                return f"abs({a})"
            case "i":
                return f"{self.pick('int', 'round')}({self.real(0)})"
            case "if":
                return f"({a} if {self.truth(0)} else {b})"
            case "m":
                return f"{self.pick('min', 'max')}({a}, {b})"
            case "len":
                name = self.pick(*self.arrays).name
                return str(self.pick(f"len({name})", f"{name}.shape[0]", f"{name}.size"))
            case "zero":
                return f"({a} {self.pick('//', '%')} {self.pick(*self.loops)})"
            case "cast":
                return f"np.{self.pick('int64', 'int8', 'uint8', 'int32')}({self.loops[-1]})"
        return f"({a} {op} {b})"

    def complex(self, depth: int) -> str:
        if depth <= 0:
            return self.load("c") or "1.5j"
        a = self.complex(depth - 1)
        return str(
            self.pick(
                f"({a} + {self.complex(0)})", f"({a} * {self.complex(0)})", f"({a} - c)",
                f"({a} / {self.complex(0)})", f"({a} * 2.0)", f"(-{a})", f"({a} + 1j)",
                f"abs({a})", f"({a} if {self.truth(0)} else {self.complex(0)})",
            )
        )  # fmt: skip

    # ------------------------------------------------------------------ truth

    def truth(self, depth: int) -> str:
        if depth <= 0:
            i = self.loops[-1]
            side = self.pick(self.real, self.whole)
            compare = f"{side(0)} {self.pick('>', '<', '<=', '>=', '==', '!=')} {side(0)}"
            return str(
                self.pick(
                    compare, f"{i} > 1", f"{i} % 2 == 0", f"0 < {self.real(0)} < c",
                    self.load("b") or compare, f"{self.loops[0]} != {i}",
                    f"near({self.real(0)}, {i})",
                )
            )  # fmt: skip
        a = self.truth(depth - 1)
        form = self.number(0, 4)
        if form < 2:
            return a
        if form == 2:
            return f"not {a}"
        return f"({a} {self.pick('and', 'or')} {self.truth(depth - 1)})"

    def value(self, kind: str) -> str:
        """An expression to store in an array of `kind`."""
        depth = self.number(0, self.depth) if self.depth > 1 else self.pick(1, 0, 1)
        if self.rarely(12):
            kind = self.pick("f", "i", "b")
        if kind == "c":
            return self.complex(depth)
        if kind == "b":
            return self.truth(depth)
        return self.real(depth) if kind == "f" else self.whole(depth)
