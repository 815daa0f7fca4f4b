"""A program in the making: numbers, statements and loops that families add to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..choices import Choices

Text = Callable[[], str]
_HOLE = re.compile(r"\{(small|real|whole|truth|place|mine|value|item|clause|made|i|a|key|total)\}")

_SCALARS = {  # name: initial values, simplest first
    "s": ("0.0", "1.5", "np.float64(0.5)", "0", "-0.0"),
    "t": ("1.0", "-1.25", "0", "np.float32(2.0)"),
    "q": ("0", "1", "True", "np.int64(3)"),
    "r": ("1", "2**63 - 3", "-(2**62)", "3", "-7"),
}
_PARAMETERS = {
    "n": ("5", "4", "6", "3", "1", "0"),
    "m": ("3", "4", "2", "1", "0"),
    "h": ("1", "2", "0", "-1"),
    "c": ("0.5", "2.1", "-1.5", "3", "np.float64(0.25)", "float('nan')"),
}


@dataclass(frozen=True)
class Head:
    """How a loop begins: its first line, and the names that it binds.

    Attributes
    ----------
    before, last
        Lines in front of the loop, and at the end of its body.
    """

    text: str
    wholes: Sequence[str] = ()
    reals: Sequence[str] = ()
    before: Sequence[str] = ()
    last: Sequence[str] = ()


class Sketch:
    """What families have brought so far, and the text that is made of it.

    Attributes
    ----------
    setup
        Lines that bind inputs.
    helpers
        Definitions of functions and classes, by name.
    first
        Lines in front of the loop.
    reals, wholes, truths
        What can be read: functions that give the text of a number.
    targets
        Where a number can be stored: functions that give a place.
    statements, heads
        What a loop may do, and how one may begin.
    counts
        Ends of ranges.
    changes
        What may be other inputs at a second call.
    variables, items
        Loop variables that count, and those that are items.
    whiles
        How many loops around are at their end only where their last line is reached.
    loose
        Whether `first` is all that there is.
    tame
        Keep to subscripts inside and operations that do not raise.
    """

    def __init__(self, choices: Choices) -> None:
        self.number, self.pick, self.rarely = choices.number, choices.pick, choices.rarely
        self.tame = not self.rarely(3)
        self.setup: list[str] = []
        self.helpers: dict[str, str] = {}
        self.first: list[Text] = []
        self.lines: list[str] = []
        self.reals: list[Text] = []
        self.wholes: list[Text] = []
        self.truths: list[Text] = []
        self.targets: list[Text] = []
        self.counts: list[Text] = []
        self.changes: list[str] = []
        self.statements: list[Callable[[], None]] = [self.store, self.store, self.change]
        self.heads: list[Callable[[str], Head]] = [self.counted] * 4
        self.variables: list[str] = []
        self.items: list[str] = []
        self.depth = self.nested = self.whiles = 0
        self.budget = self.pick(2, 1, 3, 2, 4, 6)
        self.loose = False

    # ------------------------------------------------------------------ the text

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """A block of statements; one that stays empty gets a `pass`."""
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.write("pass")
        self.depth -= 1

    def body(self) -> None:
        """The whole of it: lines in front, and a loop unless families have said otherwise."""
        for line in self.first:
            self.write(line())
        if not self.loose:
            self.loop()

    def inputs(self) -> Iterator[str]:
        """Lines of the setup, with numbers for the names that the text reads."""
        words = self.words()
        for name, initial in {**_PARAMETERS, **_SCALARS}.items():
            if name in words and not (name in _SCALARS and self.rarely(60)):
                usual = initial[:-2] if self.tame and name in _PARAMETERS else initial
                yield f"{name} = {self.pick(*initial[:1] * 4, *usual)}"
        if "X" in words:
            yield f"X = {self.pick('np.arange(n)[::-1].copy()', 'np.arange(n) % 2')}"
        yield from self.setup

    def calls(self) -> tuple[str, ...]:
        """Changes of the inputs between runs of the same compiled program."""
        if not self.rarely(5):
            return ("",)
        words = self.words()
        changes = ("n = 3", "c = 2", "s = 1", "n = 2", "q = 2.5", "h = 3")
        known = [change for change in changes if change[0] in words]
        return "", *[f"{self.pick(*self.changes, *known)}\n" for _ in range(self.pick(1, 1, 2))]

    def words(self) -> set[str]:
        """Names in the text so far, and what every program has."""
        return {*re.findall(r"\w+", "\n".join([*self.setup, *self.lines])), "n"}

    # ------------------------------------------------------------------ statements

    def block(self) -> None:
        with self.inside():
            for _ in range(self.pick(1, 1, 2)):
                self.statement()

    def statement(self) -> None:
        self.budget -= 1
        if self.budget > 0 and self.rarely(6):
            self.branch()
        elif self.budget > 1 and self.rarely(5) and len(self.variables) + len(self.items) < 3:
            self.loop()
        else:
            self.pick(*self.statements)()

    def store(self) -> None:
        """An assignment to a place that some family has."""
        if not self.targets:
            return self.change()
        target, op = self.pick(*self.targets)(), self.pick("", "", "+", "-", "*", "")
        self.write(f"{target} {op}= {self.small() if op == '*' else self.value()}")
        return None

    def change(self) -> None:
        """An assignment to a scalar."""
        if self.rarely(8):
            return self.divided()
        name = self.pick("s", "t", "q", "r", "s")
        if name in "st":
            op = self.pick("+", "", "-", "*")
            value = self.small() if op == "*" else self.real(self.pick(1, 0))
            self.write(f"{name} {op}= {value}")
        else:
            self.write(f"{name} {self.pick('+', '-', '+', '')}= {self.whole(self.pick(0, 1))}")
        return None

    def divided(self) -> None:
        """A quotient and what is left."""
        if self.rarely(3):
            self.write(f"s, t = divmod({self.real(1)}, {self.pick('1.5', '3', '-0.7')})")
        else:
            divisor = self.pick("3", "7", "-2", *([] if self.tame else [self.whole()]))
            self.write(f"{self.pick('q, r', 'r, q')} = divmod({self.whole(1)}, {divisor})")

    def branch(self) -> None:
        self.write(f"if {self.truth()}:")
        self.block()
        if self.rarely(2):
            self.write("else:")
            self.block()

    def loop(self) -> None:
        """A loop, with another one in it at the outermost level mostly."""
        name = "ijkl"[self.depth] if self.depth < 4 else f"i{self.depth}"
        head = self.pick(*self.heads)(name)
        for line in head.before:
            self.write(line)
        self.write(f"{head.text}:")
        self.variables += head.wholes
        self.items += head.reals
        self.whiles += bool(head.last)
        with self.inside():
            if self.depth == 1 and self.rarely(2):
                if self.rarely(3):
                    self.statement()
                self.loop()
            else:
                self.statement()
            for _ in range(self.pick(0, 1, 0, 2) if self.budget > 0 else 0):
                self.statement()
            for line in head.last:
                self.write(line)
        self.whiles -= bool(head.last)
        for _ in head.wholes:
            self.variables.pop()
        for _ in head.reals:
            self.items.pop()

    def counted(self, name: str) -> Head:
        """The usual one, over a range."""
        options = ["n", "n", "m", "1, n", "n - 1, -1, -1", "0, n, 2", "n - 1"]
        if self.variables:
            out = self.variables[-1]
            options += [f"{out} + 1", f"{out}, n", f"{out}"]
        if self.rarely(6):
            options = [*[count() for count in self.counts], "0, n, h", "2, n + 1"]
        return Head(f"for {name} in range({self.pick(*options)})", (name,))

    # ------------------------------------------------------------------ numbers

    def text(self, *templates: str, **given: str) -> str:
        """One of `templates`, with what it names in braces made up or `given`."""

        def filled(hole: re.Match[str]) -> str:
            name = hole[1]
            return given[name] if name in given else str(getattr(self, name)())

        return _HOLE.sub(filled, self.pick(*templates))

    def i(self) -> str:
        """The innermost loop variable."""
        return (self.variables or ["n"])[-1]

    def mine(self) -> str:
        """A subscript that belongs to this iteration."""
        return (self.variables or ["0"])[-1]

    def place(self) -> str:
        """A subscript; sequences have three items more than `n`."""
        if not self.variables:
            return str(self.pick("0", "1", "-1", "n - 1"))
        i = self.pick(*reversed(self.variables))
        if self.rarely(5):
            return self.text(
                "n - 1 - {i}", "-{i} - 1", "0", "{i} // 2", "-1", "{i} % 2", "({i} + 1) % n",
                "X[{i}]", "min({i}, 2)", "{i} + h", "q", i=i,
            )  # fmt: skip
        if not self.tame and self.rarely(4):
            return self.text("{i} + 4", "{i} * 3", "-{i} - 4", "{i} - n - 2", "int(c)", i=i)
        return self.text("{i}", "{i}", "{i}", "{i}", "{i} + 1", "{i} - 1", i=i)

    def value(self) -> str:
        depth = self.pick(1, 0, 1, 2)
        return self.whole(depth) if self.rarely(8 if self.tame else 3) else self.real(depth)

    @contextmanager
    def within(self) -> Iterator[bool]:
        """One expression inside another; whether there is room for anything but a name."""
        self.nested += 1
        yield self.nested < 4
        self.nested -= 1

    def real(self, depth: int = 0) -> str:
        """A float, usually."""
        with self.within() as room:
            if not room:
                return str(self.pick("0.5", "s", *self.items))
            if depth > 0:
                return self.compound(self.real(depth - 1))
            if self.items and self.rarely(2):
                return str(self.pick(*self.items))
            if self.reals and not self.rarely(4):
                return str(self.pick(*self.reals)())
            if self.rarely(5):
                return str(self.pick(*self.variables[-1:], "3"))
            return str(self.pick("0.5", "2.1", "s", "t", "c"))

    def small(self) -> str:
        """A factor; integers that are multiplied by themselves would outgrow the memory."""
        return self.text("0.5", "c", "{i}", "2", "({real} % 3)", "float({real})", "-1.5")

    def compound(self, a: str) -> str:
        form = self.number(0, 19)
        if form < 11:
            op = self.pick("+", "*", "-", "+", "*", "-", "/" if not self.tame else "+")
            return f"({a} {op} {self.small() if op == '*' else self.real()})"
        if not self.tame and form < 14:
            return self.text(
                "math.sqrt({a})", "1 / {a}", "({a} // {whole})", "math.log({a})", "int({a})",
                "({a} % {real})", "1.0 / {whole}", "{a} ** 0.5", "math.exp({a} * 99)", a=a,
            )  # fmt: skip
        return self.text(
            "(-{a})", "abs({a})", "min({a}, {real})", "max({real}, {a})", "({a} / 2)",
            "({a} if {truth} else {real})", "math.sin({a})", "({a} % 5) ** 2", "float({whole})",
            "({a} / 3 + 1)", "np.sqrt({a})", "float({a}) ** 2", "round({a}, 2)", "round({a}, 1)",
            a=a,
        )  # fmt: skip

    def whole(self, depth: int = 0) -> str:
        """An integer, usually."""
        with self.within() as room:
            if depth > 0 and room:
                return self.text(
                    "({a} + {whole})", "({a} - {whole})", "({a} % 7 * {whole})", "({a} // 2)",
                    "({a} % 3)", "max({a}, {whole})", "({a} & {whole})", "abs({a})",
                    "({a} % 5) ** 2", "round({a})", "({a} if {truth} else {whole})",
                    "int({real} % 9)", a=self.whole(depth - 1),
                )  # fmt: skip
            if self.wholes and room and not self.rarely(3):
                return str(self.pick(*self.wholes)())
            names = self.variables or ["n"]
            return str(self.pick("1", *names, "3", "n", *names, "-2", "q", "r", "h"))

    def truth(self) -> str:
        with self.within() as room:
            if self.truths and room and self.rarely(3):
                return str(self.pick(*self.truths)())
            op = self.pick(">", "<", "<=", ">=", "==", "!=")
            return self.text(
                f"{{real}} {op} {{real}}", f"{{whole}} {op} {{whole}}", "{i} > 1", "{i} % 2 == 0",
                f"not {{real}} {op} {{real}}", f"{{real}} {op} {{whole}}",
            )  # fmt: skip
