"""Grammar of whole programs: inputs, loops, statements, and the calls that a program meets."""

from __future__ import annotations

import re

import numpy as np

from . import families, parts, pivots
from .choices import Choices
from .edits import edited
from .program import PLACES, Program
from .terms import HELPERS, Array, Terms

FLOATS = ("float64", "float32")
INTS = ("int64", "int32", "uint8", "int8", "int16", "uint64", "uint16", "uint32")
COMPLEX = ("complex128", "complex64")
SCALARS = {  # name: initial values, simplest first
    "s": ("0.0", "1.5", "np.float64(0.5)", "np.float32(2.0)"),
    "t": ("0.0", "0", "-1.25"),
    "r": ("0", "2**63 - 3", "1", "-(2**63) + 3", "2**63 - 2", "np.int64(3)", "-7"),
    "q": ("0", "0.0", "True"),
}
PARAMETERS = {
    "n": ("5", "4", "6", "5", "6", "1", "0"),
    "m": ("4", "3", "5", "4", "2", "0"),
    "h": ("1", "2", "1", "-1", "3", "0"),
    "c": ("2.1", "0.3", "-1.5", "np.float64(0.1)", "np.float32(1.1)", "3", "0.0"),
}
_INDICES = (
    "np.arange(7) % 3",
    "np.arange(7)[::-1].copy()",
    "values('int32', (7,), 3) % 7",
    "np.array([0, 2, 2, 5, -1, 1, 3], np.int8)",
    "np.array([1, 9, 0, 4, 3, 2, 6], np.uint64)",
    "np.array([0, 1, 99, 4, 3, 2, 6])",
)


def program(choices: Choices) -> Program:
    """A whole program."""
    match choices.grammar:
        case "parts":
            return parts.program(choices)
        case "families" | "more families":
            return families.program(choices)
        case "pivots":
            return pivots.program(choices)
    return _Grammar(choices).program()


class _Grammar(Terms):
    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self.choices = choices
        self.setup: list[str] = []
        self.lines: list[str] = []
        self.nested = 0
        self.whiles = 0
        self.budget = 3
        self.long = self.aliased = False

    def program(self) -> Program:
        self.tame = not self.rarely(6)
        # Small ones find as much for each program, and a line of a kernel compiles in 6 ms.
        self.budget, self.depth = self.pick(*[(1, 1)] * 7, *[(2, 1)] * 5, (3, 1), (4, 2), (8, 2))
        self.long = self.rarely(8)
        self.inputs()
        self.loop()
        self.numbers()
        place = self.pick("result", "function", "result", "module", "result", *PLACES)
        leave = self.pick(
            "return 'left', \\2, \\1", "raise ValueError(\\2, \\1)", "assert \\1 < 0, (\\2, \\1)"
        )  # fmt: skip
        if place == "module" and leave.startswith("return"):
            leave = "raise KeyError(\\2, \\1)"
        loop = re.sub(r"leave (\w+) (\d+)", leave, "\n".join(self.lines) + "\n")
        if self.rarely(10):
            loop = edited(loop, self.choices) or loop
        return Program(
            setup="\n".join(self.setup) + "\n",
            loop=loop,
            calls=self.calls(),
            place=place,
            threads=self.pick(3, 2, 5, 1) if self.rarely(4) else 3,
            order=self.pick(1, 2, 3, 4, 0),
            errors=self.pick("warn", "ignore"),
            helpers=self.helpers(loop),
        )

    # ------------------------------------------------------------------ inputs

    def inputs(self) -> None:
        """One to three arrays of a small palette of dtypes, views and aliases among them."""
        main = self.pick(*FLOATS, *FLOATS, *INTS[:4], *COMPLEX, "bool", *INTS[4:])
        inside = self.rarely(12)
        if inside:
            self.setup.append("p = SimpleNamespace()")
        for name in "ABC"[: self.pick(2, 1, 2, 3)]:
            path = f"p.{name}" if inside and self.rarely(2) else name
            dtype = main if not self.rarely(3) else self.pick(*FLOATS, *INTS, "bool", *COMPLEX)
            if self.arrays and self.rarely(3):
                self.alias(path)
            elif self.arrays and self.rarely(2):
                self.alike(path)
            else:
                self.fresh(path, dtype)

    def fresh(self, name: str, dtype: str) -> None:
        ndim = 1 if self.long else self.pick(1, 2, 1, 2, 1, 2, 3)
        side = 56 if self.long else self.pick(14, 9, 14)
        wild = self.rarely(3 if not self.tame else 16)
        seed = self.number(0, 99)
        make = f"values({dtype!r}, {(side,) * ndim}, {seed}{', True' if wild else ''})"
        every = ", ".join(["::2"] * ndim)
        wide = f"values({dtype!r}, {(2 * side,) * ndim}, {seed})[{every}]"
        text = self.pick(
            make, make, make, f"np.asfortranarray({make})", f"{make}.T", f"{make}[::-1]", wide,
            f"{make}[1:]",
        )  # fmt: skip
        if self.rarely(60):
            text = self.pick(
                f"values({dtype!r}, {(0,) * ndim}, 0)",
                f"np.broadcast_to(values({dtype!r}, (1,), 1), {(side,) * ndim}).copy()",
                f"np.lib.stride_tricks.as_strided(values({dtype!r}, (99,), 1), "
                f"{(side,) * ndim}, {(np.dtype(dtype).itemsize,) * ndim})",
            )
        self.setup.append(f"{name} = {text}")
        self.arrays.append(Array(name, dtype, ndim))

    def alike(self, name: str) -> None:
        """An array of the same type, shape and layout, as in most real programs."""
        base = self.pick(*self.arrays)
        line = next(line for line in self.setup if line.startswith(f"{base.name} = "))
        text = re.sub(r"\), (\d+)", r"), 1\1", line.partition(" = ")[2])  # with another seed
        self.setup.append(f"{name} = {text}")
        self.arrays.append(Array(name, base.dtype, base.ndim))

    def alias(self, name: str) -> None:
        base = self.pick(*self.arrays)
        text = self.pick("[1:]", "", "[::-1]", "[:-1]", ".T", "[::2]", "[2:]")
        self.setup.append(f"{name} = {base.name}{text}")
        self.aliased = True
        self.arrays.append(Array(name, base.dtype, base.ndim))

    def numbers(self) -> None:
        """Parameters, and the initial values of the scalars; some of them stay unbound."""
        index = self.pick(*_INDICES[: 3 if self.tame else None])
        if self.long:
            index = "np.arange(50)[::-1] % 44"
        words = set(re.findall(r"\w+", "\n".join(self.lines)))
        if "X" in words:
            self.setup.append(f"X = {index}")
        for name, initial in PARAMETERS.items():
            if name != "n" and name not in words:
                continue
            if name == "n" and self.long:
                initial = ("40", "33", "41", "25")
            elif self.tame:
                initial = initial[:-2] or initial
            self.setup.append(f"{name} = {self.pick(*initial[:1], *initial)}")
        for name, initial in SCALARS.items():
            if name in words and not self.rarely(16):
                self.setup.append(f"{name} = {self.pick(*initial[:1], *initial)}")

    def calls(self) -> tuple[str, ...]:
        """Changes of the inputs between runs of the same compiled program."""
        found = [""]
        for _ in range(self.pick(0, 0, 1, 0, 0, 0, 0, 0, 2)):
            changes = [self.change()]
            if self.rarely(3):
                changes.append(self.change())
            found.append("; ".join(changes) + "\n")
        return tuple(found)

    def helpers(self, loop: str) -> str:
        """Definitions of what the loop calls."""
        words = set(re.findall(r"\w+", loop))
        if "share" in words:
            words.add("twice")
        return "".join(text for name, text in HELPERS.items() if name in words)

    def change(self) -> str:
        text = "\n".join(self.lines)
        seen = [a for a in self.arrays if f"{a.name}[" in text] or self.arrays
        one = self.pick(*seen)
        if self.rarely(2):
            others = [a for a in seen if a.ndim == one.ndim and a is not one] or [one]
            other = self.pick(*others).name
            return str(
                self.pick(
                    f"{one.name} = {other}", f"{one.name} = {one.name}[:-1]",
                    f"{one.name} = {other}[::-1]", f"{one.name} = {one.name}[:5]",
                    f"{one.name} = {other}", f"{one.name} = {one.name}[1:]",
                    f"{one.name} = {other}[1:]", f"{one.name} = {one.name}.copy()",
                    f"{one.name} = {one.name}.astype(np.float32)", f"{one.name} = {other}",
                )
            )  # fmt: skip
        known = [line.split()[0] for line in self.setup if line.split()[0] in PARAMETERS]
        name = self.pick(*known)
        if self.long and name == "n":
            return f"n = {self.pick('37', '2', '44')}"
        return f"{name} = {self.pick(*PARAMETERS[name])}"

    # ------------------------------------------------------------------ statements

    def write(self, line: str) -> None:
        self.lines.append("    " * (len(self.loops) + self.nested) + line)

    def statements(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        self.budget -= 1
        form = self.number(0, 25) if self.budget >= 0 else 0
        if 5 < form < 9 or (self.aliased and not self.rarely(3)):
            self.stencil()
        elif form < 6:
            target, kind = self.target()
            self.write(f"{target} = {self.value(kind)}")
        elif form < 11:
            self.update()
        elif form < 13:
            self.write(f"{self.scalar('s', 't')} = {self.real(self.number(0, self.depth))}")
        elif form < 15:
            name = self.scalar("s", "r", "t", "q", "r")
            if name in "rq":
                self.write(f"{name} {self.pick('+', '-')}= {self.whole(self.pick(0, 1))}")
            else:
                self.write(f"{name} {self.pick('+', '-', '*')}= {self.real(self.pick(0, 1))}")
        elif form < 18:
            self.branch()
        elif form == 18:
            self.swap()
        elif form == 19 and self.budget > 1:
            self.bounded_while()
        elif form == 20 and len(self.loops) < 4:
            self.loop()
        elif form > 21:
            self.idiom()
        else:
            self.write(f"{self.scalar('q', 'r')} = {self.value('i')}")

    def idiom(self) -> None:
        """What carries something from iteration to iteration in a way that may be cut apart."""
        form, value = self.number(0, 9), self.real(0)
        one, i = self.pick(*self.arrays), self.loops[-1]
        s, q = self.scalar("s", "t"), self.scalar("q", "r")
        if form < 2:
            test = self.pick(f"{value} < {s}", f"{value} > {s}", f"{s} >= {value}")
            self.write(f"if {test}:")
            self.nested += 1
            self.write(f"{s} = {value}")
            if form:
                self.write(f"{q} = {i}")
            self.nested -= 1
        elif form == 2:
            both = self.pick(f"{s}, {value}", f"{s}, {value}", f"{value}, {s}")
            self.write(f"{s} = {self.pick('min', 'max')}({both})")
        elif form == 3:
            rest = ["0"] * (one.ndim - 1)
            place = f"{one.name}[{', '.join([f'X[{i}]', *rest])}]"
            self.write(f"{place} {self.pick('+', '|' if one.kind in 'iu' else '+')}= {q}")
        elif form > 7:
            place = self.pick(f"X[{i}]", f"{i} * h") if form == 8 else f"{i} * h + {self.loops[0]}"
            rest = ["0"] * (one.ndim - 1)
            self.write(f"{one.name}[{', '.join([*rest, place])}] = {self.value(one.kind)}")
        elif form == 4:
            self.write(f"{q} += {self.pick('1', '2', 'h')}")
            self.write(f"{self.element(one)} = {q}")
        elif form == 5:
            self.write(f"{self.element(one)} = {q}")
            self.write(f"{q} = {i}")
        elif form == 6:
            self.write(f"{s} = {s} * 0.5 + {value}")
            self.write(f"{self.element(one)} = {s}")
        else:
            zero = f"{one.name}[{', '.join(['0'] * one.ndim)}]"
            self.write(f"{zero} = {value}")
            self.write(f"{s} = {s} - {zero}")

    def target(self) -> tuple[str, str]:
        array = self.pick(*self.arrays)
        place = self.subscript(array) if self.rarely(2) else self.element(array)
        return place, "i" if array.kind == "u" else array.kind

    def element(self, array: Array) -> str:
        """The one that belongs to this iteration."""
        return f"{array.name}[{', '.join(self.around(array))}]"

    def around(self, array: Array) -> list[str]:
        """One subscript for each axis, the innermost loop's last."""
        return [*reversed(self.loops), "2", "1", "0"][: array.ndim][::-1]

    def stencil(self) -> None:
        """Neighbours in the same order of loops: what most real nests do, views and all."""
        one = self.pick(*self.arrays)
        two = self.pick(*reversed([a for a in self.arrays if a.ndim == one.ndim]))
        there = [f"{k}{self.pick('', ' + 1', ' - 1', '', ' + 2')}" for k in self.around(one)]
        if self.rarely(4):
            there[0] = f"-{there[0]} - 1"
        value, mine = f"{two.name}[{', '.join(there)}]", self.element(one)
        if one.kind == "b" or two.kind == "b":
            value = f"{value} | {mine}"
        elif self.rarely(2):
            op = self.pick("+", "*", "-")
            value = f"{value} {op} {self.pick('3', mine, '2', value)}"
        self.write(f"{mine} = {value}")

    def update(self) -> None:
        target, kind = self.target()
        ops = {"f": ("+", "*", "-"), "b": ("|", "&", "^"), "c": ("+", "*")}
        op = self.pick(*ops.get(kind, ("+", "-", "^", "|", "*", "//")))
        self.write(f"{target} {op}= {self.value(kind)}")

    def block(self, count: int) -> None:
        self.nested += 1
        self.statements(count)
        self.nested -= 1

    def branch(self) -> None:
        self.write(f"if {self.truth(self.pick(0, 0, 1))}:")
        form = self.number(0, 8)
        if form > 5:
            self.nested += 1
            if self.rarely(3):
                self.statement()
            leave = f"leave {self.loops[-1]} {len(self.lines)}"  # each another way
            self.write(("continue", "break", leave)[form - 6])
            self.nested -= 1
            return
        self.block(self.pick(1, 1, 2) if self.budget > 3 else 1)
        if form == 4:
            self.write(f"elif {self.truth(0)}:")
            self.block(1)
        if form >= 3:
            self.write("else:")
            self.block(1)

    def swap(self) -> None:
        array = self.pick(*self.arrays)
        one, two = self.subscript(array), self.subscript(array)
        s, t = self.scalar("s", "t"), self.scalar("t", "s")
        self.write(
            self.pick(
                f"{one}, {two} = {two}, {one}",
                f"{s}, {t} = {t}, {self.real(0)}",
                f"{one} = {two} = {self.value(array.kind)}",
                f"{one} = {s} = {self.real(0)}",
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
        # The head stands one level out, and a block restarts its count of nested blocks.
        self.write(f"for {var} in range({self.bounds()}):")
        self.loops.append(var)
        depth = len(self.loops)
        deeper = depth == 1 and not self.rarely(3)
        if self.long:
            deeper = depth == 1 and self.rarely(4)
        if deeper or (1 < depth < 4 and self.rarely(5)):
            self.statements(self.pick(0, 0, 0, 1))
            self.loop()
            self.statements(self.pick(0, 0, 0, 0, 1))
        else:
            self.statements(self.pick(1, 2, 1, 3) if self.budget > 1 else 1)
        self.loops.pop()

    def bounds(self) -> str:
        plain = ("n", "n", "m", "1, n", "n - 1, -1, -1", "0, n, 2", "2, n + 1", "n, 0, -2")
        if self.long:
            return str(self.pick("n", "n", "1, n", "n - 1, -1, -1", "0, n, 3", "n, 0, -2"))
        if self.rarely(8):
            array = self.pick(*self.arrays)
            return str(self.pick(f"len({array.name}) - 6", "0, n, h", "r % 4", "h, n"))
        if not self.loops:
            return str(self.pick(*plain))
        out = self.loops[-1]
        return str(
            self.pick(
                *plain[:4], out, f"{out} + 1, n", f"{out}, -1, -1",
                f"max(0, {out} - 1), min(n, {out} + 2)", f"{out}, {out} + 2", f"X[{out}] % 4",
                f"n - {out}, 0, -1", f"{out} % 3, m, 2", *plain[4:],
            )
        )  # fmt: skip
