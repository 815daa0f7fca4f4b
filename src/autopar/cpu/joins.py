"""What a chunk does for the accumulators of its loop: where they start, what it reports of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autopar.cpu.products import ProductWriter
from autopar.cpu.tallies import INTEGER
from autopar.cpu.writer import DOUBT
from autopar.kernel import Reduction, Status, Watch
from autopar.nest import kinds
from autopar.nest.ir import Assign, Element, Name, Stmt
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import statements
from autopar.records import dataclass


@dataclass(slots=True)
class JoinWriter(ProductWriter):
    """The accumulators of one kernel.

    Attributes
    ----------
    reductions
        What its chunks compute in parts.
    """

    reductions: tuple[Reduction, ...] = ()

    @property
    def joined(self) -> dict[str, Reduction]:
        """By scalar; elements of arrays start in a copy that the launch has prepared."""
        return {r.name: r for r in self.reductions if not r.array}

    @property
    def spans(self) -> tuple[str, ...]:
        """Accumulators whose overflow NumPy would warn of, in the source order only."""
        if self.watch is Watch.IGNORE:
            return ()
        found = (r.name for r in self.reductions if r.op in ("+", "*") and self.wraps(r))
        return tuple(found)

    def wraps(self, reduction: Reduction) -> bool:
        """Whether it is a NumPy integer, at least sometimes."""
        if reduction.array:
            return kinds.family(self.typed.array(reduction.name).dtype) in ("int", "uint")
        atoms = [a for a in dict(self.typed.scalars)[reduction.name] if not kinds.is_python(a)]
        return any(kinds.family(kinds.dtype(a)) in ("int", "uint") for a in atoms)

    def start(self, name: str, slot: int) -> bool:
        """Write the value from which a chunk counts; False where it is the one before the loop."""
        reduction = self.joined.get(name)
        if reduction is None:
            return False
        here = self.names[name]
        if self.steady_tag(reduction) is None:
            self.write(f"{took(here)} = False")
        if reduction.chooses:
            return False
        self.write(f"{here} = {_neutral(reduction.op, self.storage(name))}")
        self.write(f"{here}_tag = int64(tags[0, {slot}])")
        return True

    def steady_tag(self, reduction: Reduction) -> int | None:
        """The tag that every update leaves a scalar with, where its value shows if there was one.

        What has been replaced by less than itself is less than before the loop, which holds for no
        nan either, and a sum of integers is what has been added.  To note that as well in each
        iteration takes as long as the comparison does.
        """
        if reduction.array or reduction.ordered:
            return None
        if reduction.op == "+" and dict(self.typed.scalars)[reduction.name] == INTEGER:
            return kinds.tag("int")
        if reduction.op not in ("<", ">"):
            return None
        found = frozenset[str]()
        for stmt in statements(self.typed.nest.loop):
            match stmt:
                case Assign(target=Name(id=name)) if stmt.id in reduction.updates:
                    if name == reduction.name:
                        found |= kind_of(self.typed, stmt.value)
        return kinds.tag(*found) if len(found) == 1 else None

    def updated(self, name: str) -> tuple[str, str]:
        """Whether a kernel has assigned `name`, and its tag, both as text."""
        here, reduction = self.names[name], self.joined.get(name)
        if reduction is None:
            # A serial kernel runs many times: what it did not assign now keeps its last value.
            return f"{here}_tag != 0", f"{here}_tag"
        tag = self.steady_tag(reduction)
        if tag is None:
            return took(here), f"{here}_tag"
        if reduction.op == "+":
            return f"{here} != 0", str(tag)
        return f"{here} {reduction.op} {here}_out[0]", str(tag)

    def finish(self, row: str) -> None:
        """Doubts, and how far accumulators went; called last."""
        if DOUBT in self.noticed:
            starts, up = self.flags(DOUBT)
            self.lines[:0] = [f"    {line}" for line in starts]
            self.write(f"if {up}:")
            self.write(f"    return {Status.UNSURE}")
        for k, name in enumerate(self.spans):
            wide = self.wide_enough(name)
            self.lines[:0] = [f"    {end}{k}_ = {wide}(0)" for end in ("most", "least")]
            for column, end in enumerate(("most", "least")):
                self.write(f"spans_[{row}, {2 * k + column}] = int64({end}{k}_)")

    def wide_enough(self, name: str) -> str:
        """A dtype of 64 bits for any value of the accumulator."""
        dtype = self.storage(name) if name in self.joined else self.typed.array(name).dtype
        return "uint64" if dtype == "uint64" else "int64"

    @contextmanager
    def updating(self, stmt: Stmt) -> Iterator[None]:
        """Around a statement: what is odd in an update need not be so in the source order."""
        before = self.flag
        if any(stmt.id in r.updates for r in self.reductions):
            self.flag = DOUBT
        yield
        self.flag = before

    def report(self, stmt: Assign, text: str) -> None:
        """Note that `stmt` leaves `text` in its target."""
        reduction = next((r for r in self.reductions if stmt.id in r.updates), None)
        if reduction is None:
            return
        match stmt.target:
            case Name(id=name) if name == reduction.name:
                if self.steady_tag(reduction) is None:
                    self.write(f"{took(self.names[name])} = True")
            case Name():
                return
            case Element(array=path) if path != reduction.name:
                return
        if reduction.ordered:
            self.odd_if(f"({text} != {text})")
        if reduction.name in self.spans:
            k, wide = self.spans.index(reduction.name), self.wide_enough(reduction.name)
            self.write(f"most{k}_ = max(most{k}_, {wide}({text}))")
            self.write(f"least{k}_ = min(least{k}_, {wide}({text}))")


def took(here: str) -> str:
    """Whether a chunk has updated the accumulator."""
    return f"took_{here}_"


def _neutral(op: str, dtype: str) -> str:
    """Text of the value that changes nothing when it is joined."""
    family = kinds.family(dtype)
    if family == "bool":
        return "True" if op == "&" else "False"
    # A sum that starts from 0.0 would turn -0.0 into 0.0.
    one, nothing = ("1.0", "0.0") if op == "*" else ("-0.0", "-0.0")
    if family == "float":
        return f"{dtype}({one})"
    if family == "complex":
        return f"{dtype}(complex({one}, {nothing}))"
    return f"{dtype}({ {'*': 1, '&': -1}.get(op, 0) })"
