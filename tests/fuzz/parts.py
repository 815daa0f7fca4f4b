"""Grammar of programs that work on parts of arrays, whole arrays, and arrays of their own."""

from __future__ import annotations

import re

import numpy as np

from .choices import Choices
from .program import PLACES, Program

_LENGTHS: dict[str, tuple[str, ...]] = {
    "all": (":", ":", "::-1", "0:"),
    "one less": ("1:", ":-1"),
    "two less": ("1:-1", "2:", ":-2"),
    "half": ("::2",),
    "from": ("{i}:",),
    "up to": (":{i}",),
    "two": ("{i}:{i} + 2", "1:3", "-2:"),
    "h": (":h", "h:2 * h", "-h:"),
    "odd": ("{i} - 1:", ":{i} + 3", "r:", "1:n - 1", "m:", "X[{i}]:", "0:{i}:2"),
}
"""Slices that are equally long, but for `odd` ones."""
_USUAL = ("all", "all", "one less", "two less", "two less", "half", "from", "up to", "two", "h")
_FLOATS = ("float64", "float64", "float64", "float32")
_INTEGERS = ("int64", "int32", "int8", "uint8")
_AXES = {"A": "nm", "B": "nm", "D": "nm", "U": "n", "V": "n", "W": "m"}


def program(choices: Choices) -> Program:
    """A whole program."""
    return _Parts(choices).program()


class _Parts:
    def __init__(self, choices: Choices) -> None:
        self.number, self.pick, self.rarely = choices.number, choices.pick, choices.rarely
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.nested = 0
        self.own: dict[str, str] = {}  # arrays of the program's own, and their axes
        self.kinds: dict[str, str] = {}
        self.whole = False

    def program(self) -> Program:
        size = self.pick("7", "6", "5", "9", "2", "1", "0")
        setup = [f"n = {size}", f"m = {self.pick('5', '7', '1', '3', '0', '130')}"]
        setup += [f"h = {self.pick('2', '1', '3', '0', '-1', '7')}", "k = 2", "r = 1"]
        setup.append(f"c = {self.pick('0.5', '2.1', '3', 'np.float32(1.5)', 'np.float64(-0.25)')}")
        setup += ["s = 0.5", "t = 1"][: self.pick(2, 2, 2, 0, 1)]
        setup.append(f"X = {self.pick('np.arange(n) % 3', 'np.arange(n)[::-1].copy()')}")
        main = self.pick(*_FLOATS, *_FLOATS, *_INTEGERS, "complex128", "bool")
        self.whole = np.dtype(main).kind in "iub"
        for number, (name, axes) in enumerate(_AXES.items()):
            dtype = main if not self.rarely(5) else self.pick(*_FLOATS, *_INTEGERS, "bool")
            setup.append(f"{name} = {self.array(dtype, axes, number)}")
            self.kinds[name] = dtype
        if self.rarely(12):
            one, two = self.pick("A", "U", "V"), self.pick("B", "V", "U")
            setup.append(f"{one} = {two}{self.pick('', '[1:]', '[::-1]', '[:-1]')}")
        self.loop()
        calls = [""]
        if self.rarely(4):
            changes = ("n = 3", "m = 2", "U = U[:-1]", "A = A[1:]", "W = V", "A = A.T", "c = 2")
            calls.append(f"{self.pick(*changes)}\n")
        text = "\n".join(self.lines) + "\n"
        place = self.pick("result", "function", "result", "module", *PLACES)
        return Program(
            setup="\n".join(setup) + "\n",
            loop=text,
            calls=tuple(calls),
            place=place,
            order=self.pick(1, 2, 3, 0),
            errors=self.pick("warn", "ignore"),
        )

    def array(self, dtype: str, axes: str, seed: int) -> str:
        shape = ", ".join(axes)
        make = f"values({dtype!r}, ({shape},), {seed}{', True' if self.rarely(8) else ''})"
        wide = ", ".join(f"2 * {axis}" for axis in axes)
        other = f"values({dtype!r}, ({wide},), {seed})[{', '.join(['::2'] * len(axes))}]"
        return str(self.pick(*[make] * 8, other, f"np.asfortranarray({make})"))

    # ------------------------------------------------------------------ statements

    def write(self, line: str) -> None:
        self.lines.append("    " * (len(self.loops) + self.nested) + line)

    def loop(self) -> None:
        var = "ij"[len(self.loops)]
        bounds = self.pick("n", "3", "1, n - 1", "m", "2", "n - 1, 0, -1", "1, n")
        self.write(f"for {var} in range({bounds}):")
        self.loops.append(var)
        for _ in range(self.pick(1, 2, 1, 3, 2)):
            self.statement()
        self.loops.pop()

    def statement(self) -> None:
        form = self.number(0, 19)
        axes = self.pick("n", "nm", "nm", "m", "n")
        if form < 7:
            lengths = [self.pick(*_USUAL) for _ in axes]
            target = self.part(axes, lengths)
            op = self.pick("", "", "+", "-", "*", "", "/")
            value = self.value(axes, lengths, self.pick(1, 2, 0))
            self.write(f"{target} {self.in_place(target, op)}= {value}")
        elif form < 9:
            self.row()
        elif form < 12:
            self.make(axes)
        elif form < 14:
            self.write(f"{self.pick('s', 't', 's')} = {self.total()}")
        elif form == 14:
            name = self.name(axes)
            op = self.in_place(name, self.pick("+", "*", "-"))
            self.write(f"{name} {op}= {self.value(axes, ['all'] * 2, 1)}")
        elif form == 15:
            name = self.name(axes)
            self.write(f"{name}[{self.name(axes)} > {self.number_like()}] = {self.number_like()}")
        elif form == 16:
            one, two = self.name("n"), self.name("n")
            self.write(f"{one}[X] = {two} * 2" if self.rarely(2) else f"{one}[:] = {two}[X]")
        elif form == 17 and len(self.loops) == 1:
            self.loop()
        elif form == 18:
            self.write(f"if {self.loops[-1]} > 1:")
            self.nested += 1
            self.statement()
            self.nested -= 1
        else:
            i = self.loops[-1]
            self.write(f"{self.name('n')}[{i}] = {self.number_like()}")

    def row(self) -> None:
        """A row or a column."""
        i, length = self.loops[-1], self.pick(*_USUAL)
        where, axes = self.pick(("{i}, {s}", "m"), ("{s}, {i}", "n"), ("{i}", "m"))
        name = self.name("nm")
        if where == "{i}":
            length = "all"
        index = where.replace("{s}", self.slice(length)).replace("{i}", i)
        op = self.in_place(name, self.pick("", "+", "*"))
        self.write(f"{name}[{index}] {op}= {self.value(axes, [length], 1)}")

    def in_place(self, target: str, op: str) -> str:
        """`op`, mostly left out where it raises for whatever is no integer: nobody writes that."""
        kind = np.dtype(self.kinds.get(target.partition("[")[0], "float64")).kind
        return op if kind in "fc" or self.rarely(4) else ""

    def make(self, axes: str) -> None:
        """An array of the program's own."""
        name = self.pick("T", "P", "T")
        known = self.own.get(name, axes)
        shape = f"({', '.join(known)},)"
        text = self.pick(
            self.value(known, ["all"] * 2, 1),
            f"{self.name(known)}.copy()",
            f"np.zeros({shape})",
            self.value(known, ["all"] * 2, 2),
            f"np.ones({shape}, dtype=np.{self.pick('float32', 'int64', 'float64')})",
            f"np.full({shape}, {self.number_like()})",
            f"np.zeros_like({self.name(known)})",
        )
        self.write(f"{name} = {text}")
        self.own[name] = known
        if self.rarely(2):
            lengths = [self.pick(*_USUAL) for _ in known]
            self.write(f"{self.part(known, lengths, name)} = {self.value(known, lengths, 1)}")

    # ------------------------------------------------------------------ parts

    def name(self, axes: str) -> str:
        found = [name for name, own in {**_AXES, **self.own}.items() if own == axes]
        return str(self.pick(*found))

    def slice(self, length: str) -> str:
        if self.rarely(12):
            length = self.pick("odd", "all", "one less")
        return str(self.pick(*_LENGTHS[length])).replace("{i}", self.loops[-1])

    def part(self, axes: str, lengths: list[str], name: str | None = None) -> str:
        name = name or self.name(axes)
        if all(length == "all" for length in lengths) and self.rarely(2):
            return f"{name}[:]" if self.rarely(2) else f"{name}[...]"
        return f"{name}[{', '.join(map(self.slice, lengths[: len(axes)]))}]"

    def value(self, axes: str, lengths: list[str], depth: int) -> str:
        """An expression of that shape, or one that stretches to it."""
        lengths = lengths[: len(axes)]
        if depth <= 0:
            form = self.number(0, 9)
            whole = all(length == "all" for length in lengths)
            if form == 0:
                return self.number_like()
            if form == 1 and axes == "nm":
                return str(
                    self.pick(
                        self.part("m", lengths[1:]),
                        f"{self.part('n', lengths[:1])}[:, None]",
                        f"{self.name('nm')}.sum(axis=0)[{self.slice(lengths[1])}]",
                    )
                )
            if form == 2 and axes in ("n", "m") and len(lengths) == 1:
                reduced = self.pick("sum", "mean", "max", "min")
                axis = {"n": "1", "m": "0"}[axes]
                return f"{self.name('nm')}.{reduced}(axis={axis})[{self.slice(lengths[0])}]"
            return self.name(axes) if whole and self.rarely(2) else self.part(axes, lengths)
        a, form = self.value(axes, lengths, depth - 1), self.number(0, 19)
        if form < 11:
            bits = ("&", "|") if self.whole or self.rarely(8) else ()  # floats have none
            op = self.pick("+", "*", "-", "+", "-", "*", "/", "//", "%", *bits)
            other = self.value(axes, lengths, 0)
            return f"({a} {op} {other})"
        if form < 13:
            return f"({a}) ** {self.pick('2', '3', '0.5', '2.0', '-1')}"
        if form < 16:
            name = self.pick("sqrt", "abs", "exp", "sin", "tanh", "floor", "sign", "square", "log")
            return f"np.{name}({a})"
        b = self.value(axes, lengths, 0)
        return str(
            self.pick(
                f"np.maximum({a}, {b})", f"np.minimum({b}, {a})", f"(-{a})", f"abs({a})",
                f"np.where({a} > {b}, {a}, {b})", f"np.where({a} < {self.number_like()}, {b}, 1)",
                f"({a} > {b})", f"({a}).copy()", f"np.add({a}, {b})",
            )
        )  # fmt: skip

    def number_like(self) -> str:
        i = self.loops[-1]
        return str(
            self.pick("2.0", "c", "3", i, f"{self.name('n')}[{i}]", "0.25", "s", f"({i} / 4)", "-1")
        )

    def total(self) -> str:
        axes = self.pick("n", "nm", "m")
        a = self.value(axes, [self.pick("all", "all", *_USUAL) for _ in axes], self.pick(0, 1))
        name = self.pick("sum", "max", "mean", "min", "any", "prod", "all")
        text = f"np.{name}({a})"
        if re.fullmatch(r"[A-Z]", a) and self.rarely(2):
            text = f"{a}.{name}()"
        return f"{text} {self.pick('', '+ c', '* 2')}".strip()
