"""Several iterations of an independent loop side by side, around loops that run in order.

Where each step of a loop needs what the step before has found, a processor waits: a filter along a
row, a tridiagonal system, a number that is iterated.  When rows are independent of one another,
several of them can take each step together, and none is changed by it::

    for i in apart_(lo, wide_, 4):
        lane0_y_ = 0.0
        …
        for j in range(0, n):
            lane0_y_ = lane0_y_ * 0.5 + a[i, j]
            lane1_y_ = lane1_y_ * 0.5 + a[i + 1, j]
            …

Where they lie side by side in memory, too, statement stands by statement, of which LLVM makes
vectors; elsewhere iteration by iteration, and there are fewer of them.  The loop as it was does the
last iterations, at least one, so that scalars are left as they would have been.

References
----------
Unroll-and-jam: R. Allen, K. Kennedy, *Optimizing Compilers for Modern Architectures*, section 8.4;
for recurrences it is the vectorization of outer loops, D. Nuzman, A. Zaks, PACT 2008.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from autopar.cpu.pieces import Turns, assigned, axes
from autopar.records import dataclass

_DENSE, _SPARSE = 8, 4
"""Iterations side by side, where their elements lie so in memory and fill a vector, or do not."""
_DECLARED = re.compile(r" {4}(\w+) = (\w+\(0\)|False)")
_MOST = 240
"""Statements that a loop may come to."""


def jammed(lines: Sequence[str], layouts: Mapping[str, str]) -> list[str]:
    """The lines of a kernel's body, with independent loops around recurrences side by side.

    Parameters
    ----------
    layouts
        For each array ``C`` or ``F``, as NumPy has them, or something else.
    """
    found: list[str] = []
    number = k = 0
    while k < len(lines):
        if " in apart_(" in lines[k]:
            end = k + 1
            depth = _depth(lines[k])
            while end < len(lines) and _depth(lines[end]) > depth:
                end += 1
            inner = lines[k + 1 : end]
            if any(" in range(" in line for line in inner) and not any(map(_refused, inner)):
                together = _together(lines[k:end], layouts, number, _declared(lines[:k]))
                if together is not None:
                    found += [" " * depth + line for line in together]
                    number, k = number + 1, end
                    continue
        found.append(lines[k])
        k += 1
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _declared(lines: Sequence[str]) -> frozenset[str]:
    """Scalars that the kernel has given their types, in the lines before it does anything."""
    found = (_DECLARED.fullmatch(line) for line in lines)
    return frozenset(match[1] for match in found if match)


def _refused(line: str) -> bool:
    """Whether what is in a line keeps iterations from going together."""
    words = ("while ", "break", "continue")
    calls = ("libm_", "numpy_", "many_", "product_", "fold_", "draw_", "apart_", "_tag")
    return line.lstrip().startswith(words) or any(word in line for word in calls)


@dataclass(frozen=True, slots=True)
class _Lanes:
    """What is known of the names in a loop whose iterations may go together.

    Attributes
    ----------
    var, number
        Its variable, and what tells it from other loops of the kernel.
    own
        Scalars that each iteration has of its own.
    flags
        What all iterations only ever add to.
    """

    var: str
    number: int
    own: frozenset[str]
    flags: frozenset[str]

    def name(self, name: str, lane: int) -> str:
        """What the scalar is called in one of the iterations."""
        return f"lane{lane}_{name}_"

    def copy(self, stmt: ast.stmt, lane: int) -> str:
        """The statement in one of the iterations."""
        (copied,) = ast.parse(ast.unparse(stmt)).body
        for node in ast.walk(copied):
            if isinstance(node, ast.Name) and node.id in self.own | self.flags:
                node.id = self.name(node.id, lane)
        return ast.unparse(_Ahead(self.var, lane).visit(copied)) if lane else ast.unparse(copied)


class _Ahead(ast.NodeTransformer):
    def __init__(self, var: str, lane: int) -> None:
        self.var, self.lane = var, lane

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.BinOp(node, ast.Add(), ast.Constant(self.lane)) if node.id == self.var else node


def _together(
    lines: Sequence[str], layouts: Mapping[str, str], number: int, declared: frozenset[str]
) -> list[str] | None:
    """The loop that `lines` are, some iterations at a time; None where it stays as it is."""
    depth = _depth(lines[0])
    (loop,) = ast.parse("\n".join(line[depth:] for line in lines)).body
    match loop:
        case ast.For(target=ast.Name(id=var), iter=ast.Call(args=[start, stop])):
            pass
        case _:
            return None
    lanes = _lanes(loop, var, number)
    if lanes is None or not all(_in_step(inner, lanes) for inner in _loops(loop.body)):
        return None
    dense = _dense(loop, lanes, layouts)
    count = _DENSE if dense else _SPARSE
    if count * len(lines) > _MOST:
        return None
    low, high, wide = f"low{number}_", f"high{number}_", f"wide{number}_"
    body = _block(loop.body, lanes, _by_statement if dense else _by_iteration, count)
    flags = [(name, lanes.name(name, lane)) for name in lanes.flags for lane in range(count)]
    typed = [
        (name, lanes.name(name, lane)) for name in declared & lanes.own for lane in range(count)
    ]
    return [
        f"{low} = int64({ast.unparse(start)})",
        f"{high} = int64({ast.unparse(stop)})",
        f"{wide} = max({low}, {high} - 1 - ({high} - {low} - 1) % {count})",
        *(f"{name} = {old}" for old, name in sorted(flags + typed)),
        f"for {var} in apart_({low}, {wide}, {count}):",
        *(f"    {line}" for line in body),
        *(_added(flag, name) for flag, name in sorted(flags)),
        f"for {var} in apart_({wide}, {high}):",
        *(line[depth:] for line in lines[1:]),
    ]


def _added(flag: str, name: str) -> str:
    """What the iterations of one lane have added to a flag, which is a number or a bool."""
    return f"{flag} = {flag} + {name}" if "float" in flag else f"{flag} |= {name}"


# ---------------------------------------------------------------------------- whether


def _lanes(loop: ast.For, var: str, number: int) -> _Lanes | None:
    """The names of `loop`; None where iterations may differ in more than numbers."""
    if any(isinstance(node, ast.If) and _loops([node]) for node in ast.walk(loop)):
        return None
    inner = {node.target.id for node in _loops(loop.body) if isinstance(node.target, ast.Name)}
    flags = _flags(loop)
    own = assigned(loop) - inner - flags - {var}
    first: dict[str, bool] = {}
    for node in _in_order(loop.body):
        if isinstance(node, ast.Name) and node.id in own:
            first.setdefault(node.id, isinstance(node.ctx, ast.Store))
    if not all(first.values()):
        return None  # it is read before it is assigned
    return _Lanes(var, number, own, flags)


def _loops(stmts: Sequence[ast.stmt]) -> list[ast.For]:
    return [node for stmt in stmts for node in ast.walk(stmt) if isinstance(node, ast.For)]


def _flags(loop: ast.For) -> frozenset[str]:
    """Names that are only ever added to, as what notices warnings is."""
    counts: dict[str, int] = {}
    added: dict[str, int] = {}
    for node in ast.walk(loop):
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.BitOr()):
                added[name] = added.get(name, 0) + 1
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name("traced_"), args=[ast.Name(id=same), _]),
            ) if name == same:
                added[name] = added.get(name, 0) + 2
            case ast.Name(id=name):
                counts[name] = counts.get(name, 0) + 1
    return frozenset(name for name, n in added.items() if counts[name] == n)


def _in_order(stmts: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes in the order in which they are evaluated first, values before targets."""
    for stmt in stmts:
        match stmt:
            case ast.Assign(targets=targets, value=value):
                yield from ast.walk(value)
                for target in targets:
                    yield from ast.walk(target)
            case ast.AugAssign(target=target, value=value):
                yield from ast.walk(ast.parse(ast.unparse(target), mode="eval"))
                yield from ast.walk(value)
            case ast.If(test=test, body=body, orelse=orelse):
                yield from ast.walk(test)
                yield from _in_order(body)
                yield from _in_order(orelse)
            case ast.For(iter=bounds, body=body):
                yield from ast.walk(bounds)
                yield from _in_order(body)
            case _:
                yield from ast.walk(stmt)


def _in_step(loop: ast.For, lanes: _Lanes) -> bool:
    """Whether all iterations go through `loop` alike, and wait in it for one another's steps."""
    names = {node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name)}
    if names & (lanes.own | lanes.flags | {lanes.var}):
        return False
    if any(isinstance(stmt, ast.For) for stmt in loop.body):
        return True
    return _recurrence(loop, lanes)


def _recurrence(loop: ast.For, lanes: _Lanes) -> bool:
    """Whether a loop that must run in order leaves something in each step, or is no mere sum."""
    assert isinstance(loop.target, ast.Name)
    turns = Turns(loop.target.id, assigned(loop))
    carried: set[str] = set()
    known: set[str] = set()
    for stmt in loop.body:
        match stmt:
            case ast.Assign(targets=[ast.Subscript() as place]):
                if any(turns.slope(axis) != 0 for axis in axes(place.slice)):
                    return True
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                reads = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
                carried |= reads - known - set(_terms(value)) & {name}
                known.add(name)
    return bool(carried & known & lanes.own)


def _terms(value: ast.expr) -> Iterator[str]:
    """Names that are terms of a sum."""
    match value:
        case ast.Name(id=name):
            yield name
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            yield from _terms(left)
            yield from _terms(right)


def _dense(loop: ast.For, lanes: _Lanes, layouts: Mapping[str, str]) -> bool:
    """Whether neighbouring iterations have the same elements or neighbouring ones."""
    turns = Turns(lanes.var, lanes.own)
    for node in ast.walk(loop):
        match node:
            case ast.If(body=[ast.Return()]):
                pass
            case ast.If() | ast.IfExp() | ast.BoolOp():
                return False
            case ast.Subscript(value=ast.Name(id=array), slice=index):
                slopes = [turns.slope(axis) for axis in axes(index)]
                if layouts.get(array) == "F":
                    slopes.reverse()
                if any(slopes[:-1]) or None in slopes or slopes[-1] not in (0, 1):
                    return False
                if slopes[-1] and layouts.get(array) not in ("C", "F"):
                    return False
    return True


# ---------------------------------------------------------------------------- how

_Writing = Callable[[Sequence[ast.stmt], _Lanes, int], Iterator[str]]


def _block(
    stmts: Sequence[ast.stmt], lanes: _Lanes, writing: _Writing, count: int
) -> Iterator[str]:
    """Lines of `stmts` in all iterations that go together."""
    run: list[ast.stmt] = []
    for stmt in (*stmts, None):
        if stmt is not None and not isinstance(stmt, ast.For) and not _poll(stmt):
            run.append(stmt)
            continue
        yield from writing(run, lanes, count)
        run = []
        if isinstance(stmt, ast.For):
            yield f"for {ast.unparse(stmt.target)} in {ast.unparse(stmt.iter)}:"
            for line in _block(stmt.body, lanes, writing, count):
                yield f"    {line}"
        elif stmt is not None:
            yield from ast.unparse(stmt).splitlines()


def _poll(stmt: ast.stmt) -> bool:
    """Whether it only looks whether to stop."""
    return isinstance(stmt, ast.If) and ast.unparse(stmt.test) == "stopped_(stop)"


def _by_iteration(run: Sequence[ast.stmt], lanes: _Lanes, count: int) -> Iterator[str]:
    for lane in range(count):
        for stmt in run:
            yield from lanes.copy(stmt, lane).splitlines()


def _by_statement(run: Sequence[ast.stmt], lanes: _Lanes, count: int) -> Iterator[str]:
    for stmt in run:
        match stmt:
            case ast.Assign(targets=[ast.Subscript() as place], value=value) if not isinstance(
                value, ast.Name | ast.Constant
            ):
                # All reads before all writes, or LLVM would ask whether they are the same cells.
                held = [f"put{lanes.number}_{stmt.lineno}_{lane}_" for lane in range(count)]
                for lane, name in enumerate(held):
                    yield f"{name} = {lanes.copy(ast.Expr(value), lane)}"
                for lane, name in enumerate(held):
                    yield f"{lanes.copy(ast.Expr(place), lane)} = {name}"
            case _:
                for lane in range(count):
                    yield from lanes.copy(stmt, lane).splitlines()
