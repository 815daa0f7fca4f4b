"""A ``while`` that counts is a loop over a range: ``while i < n: …; i += 1``.

That takes integers: no range says the values of a float, or of NumPy's integers, which wrap.  So it
is for the types of a call to decide, and until then such a loop is a `While`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from autopar.nest import ir, walking
from autopar.nest.flow import exposed, names
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Expr,
    For,
    If,
    Leave,
    Logic,
    Name,
    Nest,
    Put,
    Select,
    Stmt,
    Unary,
    View,
    While,
)
from autopar.records import dataclass, replace

if TYPE_CHECKING:
    from autopar.nest.functions import Function

_EXACT = frozenset(("+", "-", "*", "//", "%"))
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def alone(loop: While, number: int) -> For:
    """`loop` as the only statement of the outermost one of a nest, which has this number."""
    return ir.once((loop,), number, loop.line)


def apart(loop: While, next_id: Callable[[], int], doubtful: Collection[str] = ()) -> While:
    """`loop` with what does not count in its test as a ``break`` at the beginning of its body.

    ``while i < n and more(i): …`` is ``while i < n: if not more(i): break; …``, as `more` is only
    asked where ``i < n``.  What stands before the comparison that counts is not asked any more
    where that ends the loop, so it may be nothing but comparisons of names and literals, and not of
    those that are `doubtful`, which may be None.
    """
    match loop.test:
        case Logic(op="and", values=values, line=line, chain=chain):
            # What neighbours in a chain share is evaluated once.
            if chain and not all(_idle(value, doubtful) for value in values):
                return loop
        case _:
            return loop
    for k, value in enumerate(values):
        if any(_step(loop, name) is not None for name, _, _ in _ways(value)):
            others = (*values[:k], *values[k + 1 :])
            more = others[0] if len(others) == 1 else Logic("and", others, line)
            # Nobody has left the loop here, so an ``else`` runs.
            leave = Leave("break", next_id(), loop.line)
            end = If(Unary("not", more, line), (leave,), (), next_id(), loop.line)
            return replace(loop, test=value, body=(end, *loop.body))
        if not _idle(value, doubtful):
            break
    return loop


def _idle(expr: Expr, doubtful: Collection[str]) -> bool:
    """Whether to evaluate `expr` does nothing, neither raising nor warning, if it has a type."""
    match expr:
        case Name(id=name):
            return name not in doubtful
        case Const():
            return True
        case Logic(values=values):
            return all(_idle(value, doubtful) for value in values)
        case Unary(op="not", operand=operand):
            return _idle(operand, doubtful)
        case Compare(left=left, right=right):
            return _idle(left, doubtful) and _idle(right, doubtful)
    return False


def outermost(nest: Nest) -> While | None:
    """The `while` that `nest` is."""
    match nest.loop:
        case For(var=var, body=(While() as loop,)) if var == ir.ONCE:
            return loop
    return None


def promising(loop: While) -> bool:
    """Whether an outermost `loop` may be taken: it counts, or can run in one piece."""
    # A function of what counts, as in ``while i * i <= n``, ends such a loop as well.
    counts = any(_step(loop, name) is not None for name in _ended_by(loop))
    return counts or _empties(loop) or (sequence(loop) and _ends(loop))


def _empties(loop: While) -> bool:
    """Whether `loop` goes on while there is something in a list of which it takes items."""
    own = set()
    for stmt in walking.statements(loop):
        match stmt:
            case Put(target=View(array=Name(id=name), index=("pop",))):
                own.add(name)
    return bool(_ended_by(loop) & own)


def sequence(loop: While) -> bool:
    """Whether `loop` is best run in one piece, as there is no loop in it to be run in parallel."""
    return not any(isinstance(s, For) or _is_whole(s) for s in walking.statements(loop))


def _is_whole(stmt: Stmt) -> bool:
    """Whether it stores into a part of an array; items of lists come one by one."""
    return isinstance(stmt, Put) and stmt.target.index != ("append",)


def _ends(loop: While) -> bool:
    """Whether `loop` itself changes what it ends by: it may wait for another thread otherwise."""
    return bool(_ended_by(loop) & walking.assigned(loop))


def _ended_by(loop: While) -> frozenset[str]:
    """Names on which it depends whether `loop` goes on."""
    tests = [loop.test]
    for stmt in walking.statements(loop):
        if isinstance(stmt, If) and any(isinstance(s, Leave) for s in walking.statements(stmt)):
            tests.append(stmt.test)
    return names(tests)


def counted(nest: Nest, atoms: Mapping[str, str], calls: Mapping[str, Function]) -> Nest:
    """`nest` with a `For` for each `While` that counts; itself where there is none.

    Parameters
    ----------
    atoms
        Of live-in numbers, scalars that the nest is entered with among them.
    calls
        The functions that it calls, as far as they are known.
    """
    if not any(isinstance(stmt, While) for stmt in walking.statements(nest.loop)):
        return nest
    counter = _Counter(
        nest, _integers(nest, atoms, calls), count(1 + max(walking.numbers(nest.loop)))
    )
    (loop,) = counter.block((nest.loop,))
    if loop == nest.loop:
        return nest
    match loop:
        case For(var=var, body=(For() as inner,)) if var == ir.ONCE:
            loop = inner
    assert isinstance(loop, For)
    return replace(nest, loop=loop, scalars=tuple(sorted(walking.assigned(loop))))


@dataclass(frozen=True, slots=True)
class _Integers:
    """What is sure to be a Python int, but no bool.

    Attributes
    ----------
    names
        Scalars of the nest, and live-ins.
    calls
        Functions that the nest calls.
    """

    names: frozenset[str]
    calls: Mapping[str, Function]

    def has(self, expr: Expr) -> bool:
        match expr:
            case Const(value=value):
                return type(value) is int
            case Name(id=name):
                return name in self.names
            case Dim() | View(array=Call(func="<shape>"), index=(Const(),)):
                return True
            case Unary(op="-" | "+" | "~", operand=operand):
                return self.has(operand)
            case Binary(op=op, left=left, right=right) if op in _EXACT:
                return self.has(left) and self.has(right)
            case Select(body=body, orelse=orelse):
                return self.has(body) and self.has(orelse)
            case Call(func=func, args=args, names=()) if func in self.calls:
                form = self.calls[func].form
                if form in ("min", "max", "abs"):
                    return all(map(self.has, args))
                return form in ("int", "floor", "ceil", "trunc")
        return False


def _integers(nest: Nest, atoms: Mapping[str, str], calls: Mapping[str, Function]) -> _Integers:
    """The greatest set of scalars each of which is assigned such integers only."""
    entered = exposed((nest.loop,)) & frozenset(nest.scalars)
    counts = frozenset(path for path, atom in atoms.items() if atom == "int")
    names = counts | (frozenset(nest.scalars) - entered)
    assigned = [
        (s.target.id, s.value)
        for s in walking.statements(nest.loop)
        if isinstance(s, Assign) and isinstance(s.target, Name)
    ]
    while True:
        known = _Integers(names, calls)
        other = {name for name, value in assigned if not known.has(value)}
        if not other & names:
            return known
        names -= other


@dataclass(slots=True)
class _Counter:
    nest: Nest
    integers: _Integers
    ids: count[int]

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(self.statement(stmt, stmts[:k]) for k, stmt in enumerate(stmts))

    def statement(self, stmt: Stmt, before: Sequence[Stmt] = ()) -> Stmt:
        """`stmt`, and `before` it others in the same block."""
        match stmt:
            case If(body=body, orelse=orelse):
                return replace(stmt, body=self.block(body), orelse=self.block(orelse))
            case For(body=body):
                return replace(stmt, body=self.block(body))
            case While(body=body):
                found = self.range(stmt)
                if found is None:
                    return replace(stmt, body=self.block(body))
                counter, (first, *rest) = found.start, found.body
                assert isinstance(counter, Name)
                start = self.start(counter, before)
                return replace(found, start=start, body=(first, *self.block(rest)))
        return stmt

    def start(self, counter: Name, before: Sequence[Stmt]) -> Expr:
        """What `counter` is after these statements: what it has just been assigned, if known."""
        changed: frozenset[str] = frozenset()
        for stmt in reversed(before):
            changed |= walking.assigned(stmt)
            match stmt:
                case Assign(target=Name(id=name), value=value) if name == counter.id:
                    same = not names((value,)) & changed
                    return value if same and self.integers.has(value) else counter
            if counter.id in changed:
                break
        return counter

    def range(self, loop: While) -> For | None:
        """`loop` as one over a range, if it counts."""
        for name, op, stop in _ways(loop.test):
            step = _step(loop, name)
            if step is None or name not in self.integers.names:
                continue
            up = op in ("<", "<=")
            size = step if up else _minus(step)
            if not self.steady(stop, loop) or not self.steady(size, loop):
                continue
            line = loop.line
            match size:
                case Const(value=int(number)) if number <= 0:
                    continue
                case Const():
                    pass
                case _:  # no range has a step of 0
                    size = Call("<max>", (size, Const(0)), line)
            if op in ("<=", ">="):
                stop = Binary("+", stop, Const(1 if up else -1), line)
            var = self.hidden(name)
            # The variable itself goes along: it may be changed further on, and lives on.
            first = Assign(Name(name), Name(var), next(self.ids), line)
            body = (first, *loop.body)
            return For(var, Name(name), stop, size if up else _minus(size), body, loop.id, line)
        return None

    def steady(self, stop: Expr, loop: While) -> bool:
        """Whether `stop` is an integer that stays the same, and whose evaluation has no effect."""
        return self.integers.has(stop) and not names((stop,)) & walking.assigned(loop)

    def hidden(self, name: str) -> str:
        """What the variable that counts is called."""
        plain = name.strip("<>")
        taken = {*self.nest.scalars, *self.nest.roots}
        return next(v for v in _names(plain) if v not in taken)


def _names(plain: str) -> Iterator[str]:
    yield f"<{plain}>"
    number = 0
    while True:
        number += 1
        yield f"<{plain} {number}>"


def _ways(test: Expr) -> Iterator[tuple[str, str, Expr]]:
    """Each way to read `test` as a name, a comparison, and what it is compared with."""
    match test:
        case Compare(op=op, left=left, right=right) if op in _MIRRORED:
            if isinstance(left, Name):
                yield left.id, op, right
            if isinstance(right, Name):
                yield right.id, _MIRRORED[op], left


def _step(loop: While, name: str) -> Expr | None:
    """What each iteration that does not leave `loop` adds to `name`, and nothing else does."""
    changes = [
        s for top in loop.body for s in walking.statements(top) if name in walking.assigned(s)
    ]
    if len(changes) != 1 or changes[0] not in loop.body:
        return None
    (change,) = changes
    if any(_goes_on(stmt) for stmt in loop.body[: loop.body.index(change)]):
        return None
    match change:
        case Assign(value=Binary(op="+", left=Name(id=left), right=step)) if left == name:
            return step
        case Assign(value=Binary(op="+", left=step, right=Name(id=right))) if right == name:
            return step
        case Assign(value=Binary(op="-", left=Name(id=left), right=step)) if left == name:
            return _minus(step)
    return None


def _minus(expr: Expr) -> Expr:
    match expr:
        case Const(value=value) if type(value) is int:
            return Const(-value)
        case Unary(op="-", operand=operand):
            return operand
    return Unary("-", expr, getattr(expr, "line", 0))


def _goes_on(stmt: Stmt) -> bool:
    """Whether `stmt` may go on with the next iteration of the loop around it."""
    match stmt:
        case Leave(kind="continue"):
            return True
        case If(body=body, orelse=orelse):
            return any(map(_goes_on, (*body, *orelse)))
    return False
