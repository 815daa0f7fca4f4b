"""Grammar of nests around a pivot: inner loops read the row or cell of a variable of a loop around.

Elimination, shortest paths and whatever looks like them: loops that may be cut there, and some that
look so and may not.  Ranges are often empty or never reach the pivot, and all variables are seen.
"""

from __future__ import annotations

from .choices import Choices
from .program import PLACES, Program

_OUTER = (
    "range(n)", "range(n - 1, -1, -1)", "range(1, n - 1)", "range(0, n, 2)", "range(2, n)",
    "range(min(m, n))",
)  # fmt: skip
_INNER = (
    "range(n)", "range(n - 1, -1, -1)", "range(1, n)", "range(0, n - 2)", "range(k, n)",
    "range(k)", "range(k + 1)", "range(n - 1, k - 1, -1)", "range(0, n, 2)", "range(3, n - 3)",
    "range(k + 2, n)", "range(min(2 * k, n))",
)  # fmt: skip
_FORMS = ("{} + {}", "{} - 0.5 * {}", "min({}, {})", "{} * 0.5 + {}", "abs({} - {})", "max({}, {})")


class _Pivots:
    def __init__(self, choices: Choices) -> None:
        self.pick, self.rarely = choices.pick, choices.rarely
        self.lines: list[str] = []

    def program(self) -> Program:
        size = self.pick(*["6", "5", "14", "2", "3", "1", "21"])
        dtype = self.pick("float64", "float64", "int64", "int32", "float32")
        setup = (
            f"n, m = {size}, {self.pick('4', '9', '0')}\n"
            f"A = values('{dtype}', (n, n), 1)\nv = values('{dtype}', (n,), 2)\n"
            "w = values('float64', (n,), 4)\ni = j = k = t = 7\n"
        )
        if self.rarely(6):
            setup += "v = A[n // 2]\n"  # which shares memory with it
        self.write(0, f"for k in {self.pick(*_OUTER)}:")
        if self.rarely(5):
            self.write(1, self.pick("w[k] = w[k] * 0.5 + 1.0", "k = (3 * k) % n", "t = v[k]"))
        depth = 1
        if self.rarely(6):
            self.write(1, "for t in range(2):")
            depth = 2
        self.inner(depth)
        if self.rarely(4):
            self.inner(depth)
        calls = self.pick(("",), ("", "n -= 1\n"), ("", "n = 0\n"))
        return Program(
            setup=setup,
            loop="".join(self.lines),
            calls=calls,
            place=self.pick("result", "module", "function", *PLACES),
            order=self.pick(1, 2, 3, 0),
            errors=self.pick("ignore", "warn"),
        )

    def write(self, depth: int, text: str) -> None:
        self.lines.append(f"{'    ' * depth}{text}\n")

    def inner(self, depth: int) -> None:
        """A loop, mostly with another in it."""
        self.write(depth, f"for i in {self.pick(*_INNER)}:")
        alone = self.rarely(3)
        if alone or self.rarely(4):
            self.statement(depth + 1, ("i", "k"))
        if alone:
            return
        ranges = self.pick(_INNER, tuple(one.replace("k", "i") for one in _INNER))
        self.write(depth + 1, f"for j in {self.pick(*ranges)}:")
        for _ in range(self.pick(1, 1, 2)):
            self.statement(depth + 2, ("i", "k", "j"))
        if self.rarely(5):
            self.statement(depth + 1, ("i", "k"))

    def statement(self, depth: int, variables: tuple[str, ...]) -> None:
        last = variables[-1] if len(variables) > 2 else "k"
        target = self.pick(
            f"A[i, {last}]", "v[i]", f"A[i, {self.pick(*variables)}]", f"A[k, {last}]", "v[k]",
            f"v[{last}]",
        )  # fmt: skip
        value = self.value(variables)
        if self.rarely(4):
            self.write(depth, self.pick(f"if {value} < {target}:", "if i != k:", "if i < k:"))
            depth += 1
        self.write(depth, f"{target} = {value}")

    def value(self, variables: tuple[str, ...]) -> str:
        return str(self.pick(*_FORMS)).format(self.read(variables), self.read(variables))

    def read(self, variables: tuple[str, ...]) -> str:
        pick, last = self.pick, variables[-1] if len(variables) > 2 else "i"
        return str(
            pick(
                f"A[k, {last}]", f"A[i, {last}]", "A[i, k]", "v[k]", "v[i]", "w[k]",
                f"A[{pick(*variables)}, {pick(*variables)}]", "v[k - 1]",
            )
        )  # fmt: skip


def program(choices: Choices) -> Program:
    """A whole program."""
    return _Pivots(choices).program()
