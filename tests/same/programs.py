"""Random nests as source text, with the text that makes their arrays and scalars.

A program is two pieces of Python: `setup` binds arrays and scalars, `loop` is the nest.  Both are
text, so that a failing program can be read, cut down by hand and pasted into a regression test.
"""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

FLOATS = ("float64", "float32")
INTS = ("int64", "int32", "uint8", "int8", "int16", "uint64", "uint16", "uint32")
COMPLEX = ("complex128", "complex64")
SCALARS = {  # name: initial values, simplest first
    "s": ("0.0", "1.5", "np.float64(0.5)", "np.float32(2.0)"),
    "t": ("0.0", "0", "-1.25"),
    "r": ("0", "1", "-7", "np.int64(3)"),
    "q": ("0", "0.0", "True"),
}
PARAMETERS = {
    "n": ("5", "4", "6", "1", "0"),
    "m": ("4", "3", "5", "2", "0"),
    "h": ("1", "2", "-1", "0", "3"),
    "c": ("2.1", "0.3", "-1.5", "np.float64(0.1)", "np.float32(1.1)", "0.0", "3"),
}


@dataclass(frozen=True)
class Program:
    setup: str
    loop: str

    def __str__(self) -> str:
        return f"{self.setup}\n{self.loop}"

    def names(self) -> dict[str, Any]:
        """Fresh values of everything that the loop may read."""
        space: dict[str, Any] = {"np": np, "math": math, "values": values}
        exec(self.setup, space)
        return {k: v for k, v in space.items() if k != "values" and not k.startswith("__")}


def values(dtype: str, shape: tuple[int, ...], seed: int, wild: bool = False) -> np.ndarray:
    """Deterministic contents: small numbers, and with `wild` the corners of the dtype."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    size = math.prod(shape)
    flat: Any
    if kind == "b":
        flat = rng.integers(0, 2, size)
    elif kind in "iu":
        flat = rng.integers(0 if kind == "u" else -5, 9, size)
        if wild and size:
            info = np.iinfo(dtype)
            corners = np.array([info.min, info.max, info.max - 1, 0], dtype)
            flat = flat.astype(dtype)
            flat[rng.integers(0, size, max(1, size // 4))] = rng.choice(corners)
    elif kind == "f":
        flat = rng.normal(0, 3, size)
        if wild and size:
            corners = np.array([0.0, -0.0, np.inf, -np.inf, 1e300, 1e-310, 700.0])
            flat[rng.integers(0, size, max(1, size // 4))] = rng.choice(corners)
    else:
        flat = rng.normal(0, 3, size) + 1j * rng.normal(0, 3, size)
        if wild and size:
            flat[rng.integers(0, size, 1)] = 0
    with np.errstate(all="ignore"):
        return np.asarray(flat).astype(dtype).reshape(shape)


@dataclass
class _Array:
    name: str
    dtype: str
    ndim: int

    @property
    def kind(self) -> str:
        return np.dtype(self.dtype).kind


@dataclass
class _Maker:
    """Draws a program; the first choice of every list is the simplest, so that it shrinks well."""

    draw: Callable[[Any], Any]
    setup: list[str] = field(default_factory=list)
    arrays: list[_Array] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    whiles: int = 0
    budget: int = 9

    # ------------------------------------------------------------------ choices

    def number(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def pick(self, *options: Any) -> Any:
        return options[self.number(0, len(options) - 1)]

    def rarely(self, one_in: int) -> bool:
        return self.number(0, one_in - 1) == one_in - 1

    # ------------------------------------------------------------------ arrays

    def make_arrays(self) -> None:
        """One to three arrays of a small palette of dtypes, views and aliases among them."""
        main = self.pick(*FLOATS, *INTS[:4], *COMPLEX, "bool", *INTS[4:])
        for name in "ABC"[: self.number(1, 3)]:
            dtype = main if not self.rarely(3) else self.pick(*FLOATS, *INTS, "bool", *COMPLEX)
            if self.arrays and self.rarely(3):
                self.alias(name)
            else:
                self.fresh(name, dtype)
        self.setup.append(f"X = {self.pick(*self.index_arrays())}")

    def index_arrays(self) -> tuple[str, ...]:
        return (
            "np.arange(7)",
            "np.arange(7)[::-1].copy()",
            "values('int32', (7,), 3) % 7",
            "np.array([0, 2, 2, 5, -1, 1, 3], np.int8)",
            "np.array([1, 9, 0, 4, 3, 2, 6], np.uint64)",
            "np.array([0, 1, 99, 4, 3, 2, 6])",
        )

    def fresh(self, name: str, dtype: str) -> None:
        ndim = self.pick(1, 2, 1, 2, 3)
        side = 12 if ndim < 3 else 10
        seed, wild = self.number(0, 9), self.rarely(4)
        make = f"values({dtype!r}, {(side,) * ndim}, {seed}{', True' if wild else ''})"
        every = ", ".join(["::2"] * ndim)
        wide = f"values({dtype!r}, {(2 * side,) * ndim}, {seed})[{every}]"
        text = self.pick(
            make, make, make, f"np.asfortranarray({make})", f"{make}.T", f"{make}[::-1]", wide,
            f"{make}[1:]",
        )  # fmt: skip
        if self.rarely(40):
            text = f"values({dtype!r}, {(0,) * ndim}, 0)"
        self.setup.append(f"{name} = {text}")
        self.arrays.append(_Array(name, dtype, ndim))

    def alias(self, name: str) -> None:
        base = self.pick(*self.arrays)
        text = self.pick("", "[1:]", "[::-1]", "[:-1]", ".T", "[::2]")
        self.setup.append(f"{name} = {base.name}{text}")
        self.arrays.append(_Array(name, base.dtype, base.ndim))

    # ------------------------------------------------------------------ indices

    def index(self) -> str:
        """One subscript, usually within 0..9 for loop variables of 0..5."""
        if not self.loops:
            return str(self.number(0, 3))
        i, j = self.pick(*reversed(self.loops)), self.pick(*self.loops)
        k = self.number(1, 3)
        return str(
            self.pick(
                i, i, i, f"{i} + {k}", f"{i} + 1", f"{i} + {j}", f"2 * {i}", f"{k}",
                f"n - 1 - {i}", f"X[{i}]", f"{i} - {k}", f"-{i} - 1", f"-{k}", f"{i} // 2",
                f"{i} * {k} % 7", f"{i} + h", f"{i} - {j}", f"X[{i}] + 1", f"({i} + {j}) % n",
                f"{i} + m", f"{i} * h", f"{i} * 5",
            )
        )  # fmt: skip

    def subscript(self, array: _Array) -> str:
        index = [self.index() for _ in range(array.ndim)]
        if array.ndim > 1 and self.rarely(8):
            return array.name + "".join(f"[{k}]" for k in index)
        return f"{array.name}[{', '.join(index)}]"

    def load(self, kinds: str) -> str | None:
        fitting = [a for a in self.arrays if a.kind in kinds]
        return self.subscript(self.pick(*fitting)) if fitting else None

    # ------------------------------------------------------------------ expressions

    def scalar(self, *names: str) -> str:
        name = str(self.pick(*names))
        self.used.add(name)
        return name

    def real(self, depth: int) -> str:
        """A float, usually."""
        if depth <= 0:
            leaf = self.number(0, 9)
            if leaf < 6:
                loaded = self.load("f") or self.load("fiu")
                if loaded:
                    return loaded
            return str(
                self.pick("2.1", "0.5", "c", self.scalar("s", "t"), "3", self.loops[-1], "-0.0")
            )
        a = self.real(depth - 1)
        form = self.number(0, 22)
        if form < 9:
            op = self.pick("+", "*", "-", "+", "*", "-", "/", "//", "%")
            return f"({a} {op} {self.real(depth - 1)})"
        if form < 11:
            return f"({a} ** {self.pick('2', '3', '0.5', '-1', 'h', '2.0')})"
        if form < 13:
            name = self.pick("sqrt", "exp", "log", "sin", "tanh", "floor", "atan", "expm1")
            inner = f"abs({a})" if name in ("sqrt", "log") and not self.rarely(6) else a
            return f"math.{name}({inner})"
        if form < 16:
            name = self.pick("sqrt", "exp", "sin", "log", "tanh", "floor", "rint", "sign")
            return f"np.{name}({a})"
        return str(
            self.pick(
                f"(-{a})", f"abs({a})", f"min({a}, {self.real(0)})", f"max({self.real(0)}, {a})",
                f"({a} if {self.truth(1)} else {self.real(depth - 1)})", f"float({self.whole(1)})",
                f"np.maximum({a}, {self.real(0)})",
            )
        )  # fmt: skip

    def whole(self, depth: int) -> str:
        """An integer, usually."""
        if depth <= 0:
            if self.number(0, 9) < 5:
                loaded = self.load("iu")
                if loaded:
                    return loaded
            return str(self.pick("3", "1", self.loops[-1], "n", "h", self.scalar("r"), "-2", "7"))
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        op = self.pick(
            "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "**", "u", "a", "i", "if", "m", "r",
        )  # fmt: skip
        match op:
            case "*":
                # Reduced operands: products of products would otherwise outgrow the memory.
                return f"({a} % 13 * {b})" if "r" in a + b else f"({a} * {b})"
            case "<<" | ">>":
                return f"({a} {op} {self.pick('1', '2', '5', '3')})"
            case "**":
                return f"({a} % 7) ** {self.pick('2', '3', '0')}"
            case "u":
                return self.pick(f"(-{a})", f"(~{a})")
            case "a":
                return f"abs({a})"
            case "i":
                return f"{self.pick('int', 'int', 'round')}({self.real(1)})"
            case "if":
                return f"({a} if {self.truth(1)} else {b})"
            case "m":
                return f"{self.pick('min', 'max')}({a}, {b})"
            case "r":
                return f"len({self.arrays[0].name})"
        return f"({a} {op} {b})"

    def truth(self, depth: int) -> str:
        if depth <= 0:
            i = self.loops[-1]
            side = self.pick(self.real, self.whole)
            compare = f"{side(0)} {self.pick('>', '<', '<=', '>=', '==', '!=')} {side(0)}"
            return str(
                self.pick(
                    compare, f"{i} > 1", f"{i} % 2 == 0", f"0 < {self.real(0)} < c",
                    self.load("b") or compare, f"{self.loops[0]} != {i}",
                )
            )  # fmt: skip
        a = self.truth(depth - 1)
        form = self.number(0, 4)
        if form < 2:
            return a
        if form == 2:
            return f"not {a}"
        return f"({a} {self.pick('and', 'or')} {self.truth(depth - 1)})"

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

    def value(self, kind: str) -> str:
        depth = self.pick(1, 1, 2, 0, 2)
        if self.rarely(10):
            kind = self.pick("f", "i", "b")
        if kind == "c":
            return self.complex(depth)
        if kind == "b":
            return self.truth(depth)
        return self.real(depth) if kind == "f" else self.whole(depth)

    # ------------------------------------------------------------------ statements

    def write(self, line: str) -> None:
        self.lines.append("    " * (len(self.loops) + self.nested) + line)

    nested: int = 0

    def target(self) -> tuple[str, str]:
        array = self.pick(*self.arrays)
        return self.subscript(array), "i" if array.kind == "u" else array.kind

    def statements(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        self.budget -= 1
        form = self.number(0, 19) if self.budget > 0 else 0
        if form < 7:
            target, kind = self.target()
            self.write(f"{target} = {self.value(kind)}")
        elif form < 9:
            target, kind = self.target()
            op = {"f": ("+", "*", "-"), "b": ("|", "&", "^"), "c": ("+", "*")}.get(
                kind, ("+", "-", "^", "|", "*", "//")
            )
            self.write(f"{target} {self.pick(*op)}= {self.value(kind)}")
        elif form < 11:
            self.write(f"{self.scalar('s', 't')} = {self.real(self.number(0, 2))}")
        elif form < 13:
            name = self.scalar("s", "r", "t", "q")
            if name in "rq":
                self.write(f"{name} {self.pick('+', '-')}= {self.whole(1)}")
            else:
                self.write(f"{name} {self.pick('+', '-', '*')}= {self.real(1)}")
        elif form < 16:
            self.branch()
        elif form == 16:
            self.swap()
        elif form == 17:
            self.bounded_while()
        elif len(self.loops) < 4:
            self.loop()
        else:
            self.write(f"{self.scalar('q')} = {self.value('i')}")

    def block(self, count: int) -> None:
        self.nested += 1
        before = len(self.lines)
        self.statements(count)
        if len(self.lines) == before:
            self.write("pass")
        self.nested -= 1

    def branch(self) -> None:
        self.write(f"if {self.truth(self.pick(0, 1, 1))}:")
        form = self.number(0, 6)
        if form == 5:
            self.nested += 1
            self.write("continue")
            self.nested -= 1
            return
        if form == 6:
            self.nested += 1
            self.write("break")
            self.nested -= 1
            return
        self.block(self.pick(1, 1, 2))
        if form == 2:
            self.write(f"elif {self.truth(0)}:")
            self.block(1)
        if form >= 2:
            self.write("else:")
            self.block(1)

    def swap(self) -> None:
        array = self.pick(*self.arrays)
        one, two = self.subscript(array), self.subscript(array)
        s, t = self.scalar("s", "t"), self.scalar("t", "s")
        self.write(
            self.pick(
                f"{one}, {two} = {two}, {one}",
                f"{s}, {t} = {t}, {self.real(1)}",
                f"{one} = {two} = {self.value(array.kind)}",
                f"{one} = {s} = {self.real(1)}",
            )
        )

    def bounded_while(self) -> None:
        self.whiles += 1
        counter = f"w{self.whiles}"
        extra = self.pick("", f" and {self.truth(0)}")
        self.write(f"{counter} = 0")
        self.write(f"while {counter} < {self.pick('2', '3', 'h')}{extra}:")
        self.nested += 1
        self.write(f"{counter} += 1")
        self.nested -= 1
        self.block(1)

    def loop(self) -> None:
        var = "ijkl"[len(self.loops)]
        plain = ("n", "m", "1, n", "n - 1, -1, -1", "0, n, 2", "2, n + 1", "0, n, h", "n, 0, -2")
        if self.loops:
            out = self.loops[-1]
            inner = (
                f"{out}", f"{out} + 1, n", f"{out}, -1, -1", f"max(0, {out} - 1), min(n, {out} + 2)",
                f"{out}, {out} + 2", f"X[{out}] % 4", f"n - {out}, 0, h", f"{out} % 3, m, 2",
            )  # fmt: skip
            bounds = self.pick(*plain[:3], *inner, *plain[3:])
        else:
            bounds = self.pick(*plain)
        # The head stands one level out, and a block restarts its count of nested blocks.
        self.write(f"for {var} in range({bounds}):")
        self.loops.append(var)
        inner_loops = len(self.loops) < 2 and not self.rarely(3)
        if inner_loops or (len(self.loops) < 4 and self.rarely(4)):
            self.statements(self.pick(0, 1))
            self.loop()
            self.statements(self.pick(0, 0, 1))
        else:
            self.statements(self.pick(1, 2, 3))
        self.loops.pop()


@st.composite
def programs(draw: Callable[[Any], Any]) -> Program:
    """A whole program."""
    maker = _Maker(draw)
    maker.make_arrays()
    maker.loop()
    loop = "\n".join(maker.lines) + "\n"
    for name, initial in (*PARAMETERS.items(), *SCALARS.items()):
        if name in PARAMETERS or name in maker.used:
            maker.setup.append(f"{name} = {maker.pick(*initial[:1], *initial)}")
    return Program("\n".join(maker.setup) + "\n", loop)
