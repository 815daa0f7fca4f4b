"""Calls in a loop that may be made for a strip of its iterations at once, ahead of them.

What a call is handed is computed for all iterations of a strip before the first of them runs.  So
it may depend on what its own iteration computes first, but on nothing that an iteration stores
before, nor on what one leaves to the next.  A call that only some iterations make, in a branch, is
made for those: their operands stand one behind the other.

References
----------
Loop distribution, and the expansion of scalars into strips: Allen & Kennedy, *Optimizing Compilers
for Modern Architectures*, sections 5.3 and 6.2.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Logic,
    Name,
    Select,
    Stmt,
    Unary,
    While,
)
from autopar.nest.show import text
from autopar.nest.walking import children, expressions, inside, statements, walk
from autopar.records import dataclass

_E = TypeVar("_E", bound=Expr)
Function = Call | Binary
"""Of which there may be a loop for many numbers; a power, if it is an operator."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One way through `choice`: where the test holds (`taken`), or where it does not."""

    choice: If
    taken: bool

    @property
    def block(self) -> tuple[Stmt, ...]:
        return self.choice.body if self.taken else self.choice.orelse


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call may be made for a strip.

    Attributes
    ----------
    call
        The first of those that find the same.
    before, within
        Statements of the loop's body, and of the branch, that what it is handed depends on.
    branch
        Where it stands; None: each iteration makes it.
    same
        All that find the same.
    known
        Whether an iteration that does not take the branch could hand the same over: nothing is
        computed for it but signs, of variables that have values and elements that have been read.
    """

    call: Function
    before: tuple[Stmt, ...]
    within: tuple[Stmt, ...]
    branch: Branch | None
    same: tuple[Function, ...]
    known: bool = False


def places(
    loop: For, independent: bool, apart: bool, pure: Callable[[Call], bool]
) -> Iterator[Place]:
    """The calls of `loop`, in the order of the text, innermost first.

    Parameters
    ----------
    independent
        Whether its iterations may run in any order.
    apart
        Whether no array that is written shares memory with another.
    pure
        Whether a call computes a value and does nothing else.
    """
    if any(isinstance(s, For | While) or _breaks(s) for s in inside(loop.body)):
        return
    carried = exposed(loop.body) & written(loop.body)
    stored: set[str] = set()
    if carried or not independent:
        stored.update(*map(_stored, inside(loop.body)))
        if stored and not apart:
            return
    changing = {loop.var, *written(loop.body)}
    finder = _Finder(carried, apart, pure, changing, _twice(loop.body))
    for number, stmt in enumerate(loop.body):
        before, rest = loop.body[:number], loop.body[number:]
        if isinstance(stmt, Assign):
            yield from finder.calls(stmt.value, before, rest, stored)
        elif isinstance(stmt, If) and all(isinstance(s, Assign | If) for s in statements(stmt)):
            yield from finder.calls(stmt.test, before, rest, stored)
            yield from finder.branch(Branch(stmt, True), before, stored)
            yield from finder.branch(Branch(stmt, False), before, stored)
        else:
            return
        stored.update(*map(_stored, statements(stmt)))
        if stored and not apart:
            return  # what comes after may read it
        finder.passed(stmt)


class _Finder:
    """Calls of one loop; `known` are texts of those that would find the same again."""

    def __init__(
        self,
        carried: frozenset[str],
        apart: bool,
        pure: Callable[[Call], bool],
        changing: set[str],
        twice: frozenset[int],
    ) -> None:
        self.carried, self.apart, self.pure = carried, apart, pure
        self.changing, self.twice = changing, twice
        self.known: dict[str, Function] = {}

    def calls(
        self, value: Expr, before: Sequence[Stmt], rest: Sequence[Stmt], stored: set[str]
    ) -> Iterator[Place]:
        for call in _calls(value):
            if text(call) not in self.known and self.free(call):
                needed = _needed((call,), before)
                if self.early((call,), needed, stored):
                    self.known[text(call)] = call
                    yield Place(call, needed, (), None, self.same(call, rest))

    def branch(self, branch: Branch, before: Sequence[Stmt], stored: set[str]) -> Iterator[Place]:
        stored, known = set(stored), dict[str, Function]()
        for number, stmt in enumerate(branch.block):
            if not isinstance(stmt, Assign) or (stored and not self.apart):
                return
            for call in _calls(stmt.value):
                within = _needed((call,), branch.block[:number])
                needed = _needed((call, branch.choice.test), before, within)
                parts = (call, branch.choice.test)
                free = text(call) not in known and self.free(call)
                if free and self.early(parts, (*needed, *within), stored):
                    known[text(call)] = call
                    same = self.same(call, branch.block[number:])
                    sure = not within and self.at_hand(call, branch.choice.test, needed)
                    yield Place(call, needed, within, branch, same, sure)
            stored |= _stored(stmt)
            known = _left(known, stmt)

    def at_hand(self, call: Function, test: Expr, before: Sequence[Stmt]) -> bool:
        """Whether operands of `call`, in a branch, are known where it is not taken."""
        read: dict[str, Expr] = {}
        for stmt in before:
            if isinstance(stmt, Assign):
                read |= {text(part): part for part in _always(stmt.value)}
            read = _left(read, stmt)
        read |= {text(part): part for part in _always(test)}
        bound = written([stmt for stmt in before if isinstance(stmt, Assign)])

        def simple(expr: Expr) -> bool:
            match expr:
                case Const():
                    return True
                case Name(id=name):
                    return name in bound or name not in self.changing
                case Load():
                    return text(expr) in read
                case Unary(op="-", operand=operand):
                    return simple(operand)
            return False

        return all(map(simple, children(call)))

    def same(self, call: Function, stmts: Sequence[Stmt]) -> tuple[Function, ...]:
        return tuple(one for one in _same(call, stmts, self.apart) if id(one) not in self.twice)

    def free(self, call: Function) -> bool:
        """Whether it is one call, of what changes; others are made once (`cpu.invariant`)."""
        steady = not (_named((call,)) & self.changing or _loaded((call,)))
        return not steady and id(call) not in self.twice

    def early(self, parts: Sequence[Expr], needed: Sequence[Stmt], stored: set[str]) -> bool:
        """Whether `parts`, and statements in front of them, may be evaluated ahead of the loop."""
        concerned = _named(parts, needed) | written(needed)
        if (
            _loaded(parts, needed) & stored
            or concerned & self.carried
            or any(map(_stored, inside(needed)))
        ):
            return False
        return all(map(self.computes, _parts(parts, needed)))

    def computes(self, expr: Expr) -> bool:
        """Whether to evaluate `expr`, apart from its operands, twice is the same as once."""
        match expr:
            case Call():
                return self.pure(expr)
            case Load(index=index):
                return not any(isinstance(part, str) for part in index)  # a list's `pop`
        return True

    def passed(self, stmt: Stmt) -> None:
        self.known = _left(self.known, stmt)


def _left(known: Mapping[str, _E], stmt: Stmt) -> dict[str, _E]:
    """Those that would find the same again after `stmt`."""
    return {shown: expr for shown, expr in known.items() if not _changes(stmt, expr)}


def _same(call: Function, stmts: Sequence[Stmt], apart: bool) -> Iterator[Function]:
    """Calls in `stmts` that find the same as `call` in the first, until something changes."""
    shown = text(call)
    for stmt in stmts:
        for value in expressions(stmt)[:1]:  # what is assigned, or the test
            yield from (one for one in _calls(value) if text(one) == shown)
        stores = any(map(_stored, statements(stmt)))
        if (stores and not apart) or _changes(stmt, call):
            return


def _calls(expr: Expr) -> Iterator[Function]:
    """Calls and powers in `expr` that are found in any case, innermost first."""
    for part in _always(expr):
        if isinstance(part, Call) or (isinstance(part, Binary) and part.op == "**"):
            yield part


def _always(expr: Expr) -> Iterator[Expr]:
    """Parts of `expr` that are evaluated in any case, innermost first."""
    match expr:
        case Logic(values=(first, *_)):
            inside: tuple[Expr, ...] = (first,)
        case Select(test=test):
            inside = (test,)
        case _:
            inside = children(expr)
    for child in inside:
        yield from _always(child)
    yield expr


def _breaks(stmt: Stmt) -> bool:
    return isinstance(stmt, Leave) and stmt.kind == "break"


def _twice(body: Sequence[Stmt]) -> frozenset[int]:
    """Identities of expressions that are part of several statements."""
    tops = ([part for top in expressions(s) for part in walk(top)] for s in inside(body))
    found = Counter(number for parts in tops for number in set(map(id, parts)))
    return frozenset(number for number, count in found.items() if count > 1)


def _stored(stmt: Stmt) -> frozenset[str]:
    """The array of which `stmt` itself stores an element, if it does."""
    match stmt:
        case Assign(target=Element(array=array)):
            return frozenset((array,))
    return frozenset()


def _parts(exprs: Sequence[Expr], stmts: Sequence[Stmt]) -> Iterator[Expr]:
    """All that is evaluated for `exprs` and in `stmts`."""
    return (part for top in _tops(exprs, stmts) for part in walk(top))


def _tops(exprs: Sequence[Expr], stmts: Sequence[Stmt]) -> tuple[Expr, ...]:
    return (*exprs, *(top for stmt in inside(stmts) for top in expressions(stmt)))


def _needed(
    exprs: Sequence[Expr], stmts: Sequence[Stmt], after: Sequence[Stmt] = ()
) -> tuple[Stmt, ...]:
    """Those of `stmts` that the variables in `exprs`, and in statements `after`, depend on."""
    found: list[Stmt] = []
    for stmt in reversed(stmts):
        if written((stmt,)) & _named(exprs, (*found, *after)):
            found.append(stmt)
    return tuple(reversed(found))


def _named(exprs: Sequence[Expr], stmts: Sequence[Stmt] = ()) -> frozenset[str]:
    """Variables that `exprs` or `stmts` read."""
    return names(_tops(exprs, stmts))


def _loaded(exprs: Sequence[Expr], stmts: Sequence[Stmt] = ()) -> frozenset[str]:
    """Arrays of which `exprs` or `stmts` read elements."""
    return frozenset(part.array for part in _parts(exprs, stmts) if isinstance(part, Load))


def _changes(stmt: Stmt, expr: Expr) -> bool:
    """Whether `expr` may be something else after `stmt`."""
    arrays = frozenset().union(*map(_stored, statements(stmt)))
    return bool(arrays & _loaded((expr,)) or written((stmt,)) & _named((expr,)))
