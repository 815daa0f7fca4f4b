"""What a function touches, statement by statement, while CPython runs it on real arrays.

The text of the function is rewritten so that each access tells a `Trace` first; nothing of
autopar is used.  A statement is known by its line, a loop by the line of its header, an array
element by its address: views of one base are one memory.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from .loop import Case, Loop
from .updates import Idiom, Update, idiom, read, same, update

At = tuple[tuple[int, int], ...]  # line of the header and number of the iteration, outermost first
_EXACT = (int, np.integer, np.bool_)


@dataclass(frozen=True, slots=True)
class Event:
    """One access.

    Attributes
    ----------
    cell
        Name of a scalar, or address of an element.
    kind
        ``r`` and ``w``, or the class of updates whose order among themselves does not matter.
    idiom
        Line of the `if` whose result also decides other scalars (`partners`), such as the place
        of a minimum.
    """

    cell: str | int
    kind: str
    line: int
    at: At
    partners: tuple[str, ...] = ()


@dataclass
class Trace:
    """The accesses of one run; its methods are called by the rewritten function."""

    events: list[Event] = field(default_factory=list)
    at: At = ()
    owners: dict[int, int] = field(default_factory=dict)  # address of an element: its memory
    ran: set[tuple[int, At]] = field(default_factory=set)  # assignments, with their iterations
    arrays: dict[int, Any] = field(default_factory=dict)  # kept alive, so that ids stay unique

    def add(self, cell: str | int, kind: str, line: int, partners: tuple[str, ...] = ()) -> None:
        self.events.append(Event(cell, kind, line, self.at, partners))

    def turns(self, line: int, name: str, values: Iterable[Any]) -> Iterator[Any]:
        """The iterations of a `for`."""
        around = self.at
        try:
            for count, value in enumerate(values):
                self.at = (*around, (line, count))
                self.add(name, "w", line)
                yield value
        finally:
            self.at = around

    def count(self, line: int, number: int) -> None:
        """The next iteration of a `while`: it has no variable."""
        depth = next((k for k, (one, _) in enumerate(self.at) if one == line), len(self.at))
        self.at = (*self.at[:depth], (line, number))

    def leave(self, line: int) -> None:
        self.at = self.at[: next((k for k, (x, _) in enumerate(self.at) if x == line), None)]

    # ------------------------------------------------------------------ scalars

    def name(self, line: int, name: str, value: Any) -> Any:
        self.add(name, "r", line)
        return value

    def assign(self, line: int, name: str, value: Any) -> Any:
        self.ran.add((line, self.at))
        self.add(name, "w", line)
        return value

    def update(self, line: int, name: str, kind: str, old: Any, new: Any, partners: Any) -> Any:
        """``name`` becomes `new`, made from `old` by an update of class `kind`."""
        self.ran.add((line, self.at))
        self.changed(line, name, kind, old, new, partners)
        return new

    def changed(
        self, line: int, cell: str | int, kind: str, old: Any, new: Any, partners: Any
    ) -> None:
        if kind in "+*&|^" and not (isinstance(old, _EXACT) and isinstance(new, _EXACT)):
            self.add(cell, "r", line)
            self.add(cell, "w", line)
        else:
            self.add(cell, kind, line, partners)

    def compared(self, line: int, name: str, kind: str, value: Any, partners: Any) -> Any:
        """A read of `name` that only decides whether it is updated."""
        self.add(name, kind, line, partners)
        return value

    # ------------------------------------------------------------------ elements

    def get(self, line: int, array: Any, index: Any, kind: str = "r", partners: Any = ()) -> Any:
        value = array[index]
        if isinstance(array, np.ndarray) and not isinstance(value, np.ndarray):
            self.add(self.address(array, index), kind, line, partners)
        return value

    def put(self, line: int, value: Any, array: Any, index: Any) -> None:
        self.ran.add((line, self.at))
        self.add(self.address(array, index), "w", line)
        array[index] = value

    def change(self, line: int, kind: str, new: Any, array: Any, index: Any, partners: Any) -> None:
        self.ran.add((line, self.at))
        cell = self.address(array, index)
        self.changed(line, cell, kind, array[index], array.dtype.type(new), partners)
        array[index] = new

    def address(self, array: np.ndarray[Any, Any], index: Any) -> int:
        places = index if isinstance(index, tuple) else (index,)
        assert len(places) == array.ndim, "one element at a time"
        start = array.__array_interface__["data"][0]
        cell = start + sum(
            (int(place) % extent) * stride
            for place, extent, stride in zip(places, array.shape, array.strides, strict=True)
        )
        if cell not in self.owners:
            owner: Any = array
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            self.arrays[id(owner)] = owner
            self.owners[cell] = id(owner)
        return int(cell)


def traced(case: Case, seed: int) -> Trace:
    """Run the function of `case` once."""
    trace = Trace()
    space: dict[str, Any] = {**case.loop.function.__globals__, "_T": trace}
    exec(_telling(case.loop), space)
    with np.errstate(all="ignore"):
        space[case.loop.name](**case.arguments(seed))
    return trace


@functools.cache
def _telling(loop: Loop) -> CodeType:
    """The function as code that tells ``_T`` of each access."""
    tree = ast.parse(loop.source)
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _stored(n)}
    changed = ast.fix_missing_locations(_Rewriter(names).visit(tree))
    return compile(changed, loop.file, "exec")


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _call(method: str, *args: Any) -> ast.Call:
    parts = [a if isinstance(a, ast.expr) else ast.Constant(a) for a in args]
    return ast.Call(ast.Attribute(ast.Name("_T", ast.Load()), method, ast.Load()), parts, [])


class _Rewriter(ast.NodeTransformer):
    """Puts a call of the trace around each access; `names` are the scalars."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.line = 0  # of the statement
        self.accumulators: list[tuple[ast.expr, str, tuple[str, ...]]] = []  # what tests compare
        self.updates: dict[int, tuple[str, tuple[str, ...]]] = {}  # by identity of the statement

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.stmt):
            self.line = node.lineno
        return super().visit(node)

    # ------------------------------------------------------------------ reads

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names or _stored(node):
            return node
        for target, kind, partners in self.accumulators:
            if same(target, node):
                return _call("compared", self.line, node.id, kind, node, _texts(partners))
        return _call("name", self.line, node.id, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        marked = next((a for a in self.accumulators if same(a[0], node)), None)
        array, index = self.visit(node.value), self.visit(node.slice)
        if marked is not None:
            return _call("get", self.line, array, index, marked[1], _texts(marked[2]))
        return _call("get", self.line, array, index)

    # ------------------------------------------------------------------ assignments

    def visit_Assign(self, node: ast.Assign) -> Any:
        found = update(node)
        if id(node) in self.updates:
            kind, partners = self.updates[id(node)]
            return self.updated(Update(node.targets[0], kind, node.value), partners, node)
        if found is not None:
            return self.updated(found, (), node)
        value = self.visit(node.value)
        if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
            return ast.copy_location(self.store(node.targets[0], value), node)
        held = ast.Assign([ast.Name("_held", ast.Store())], value)
        read = ast.Name("_held", ast.Load())
        made: list[ast.stmt] = [ast.copy_location(held, node)]
        for target in node.targets:
            for k, one in enumerate(target.elts if isinstance(target, ast.Tuple) else [target]):
                part = ast.Subscript(read, ast.Constant(k), ast.Load())
                one_value = part if isinstance(target, ast.Tuple) else read
                made.append(ast.copy_location(self.store(one, one_value), node))
        return made

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        found = update(node)
        if found is not None:
            return self.updated(found, (), node)
        value = ast.BinOp(self.visit(read(node.target)), node.op, self.visit(node.value))
        return ast.copy_location(self.store(node.target, value), node)

    def store(self, target: ast.expr, value: ast.expr) -> ast.stmt:
        if isinstance(target, ast.Subscript):
            array, index = self.visit(target.value), self.visit(target.slice)
            return ast.Expr(_call("put", self.line, value, array, index))
        assert isinstance(target, ast.Name)
        return ast.Assign([target], _call("assign", self.line, target.id, value))

    def updated(self, found: Update, partners: tuple[str, ...], node: ast.stmt) -> ast.stmt:
        """The assignment, its own reads of the target left out of the trace."""
        target, old = found.target, read(found.target)
        value = _Rewriter.visit(_Without(self, target), found.value)
        if isinstance(target, ast.Name):
            call = _call("update", self.line, target.id, found.kind, old, value, _texts(partners))
            return ast.copy_location(ast.Assign([target], call), node)
        assert isinstance(target, ast.Subscript)
        array, index = self.visit(target.value), self.visit(target.slice)
        call = _call("change", self.line, found.kind, value, array, index, _texts(partners))
        return ast.copy_location(ast.Expr(call), node)

    # ------------------------------------------------------------------ control

    def visit_If(self, node: ast.If) -> ast.If:
        found = idiom(node)
        test = self.visit(node.test) if found is None else self.decided(found, node)
        body = [made for stmt in node.body for made in _many(self.visit(stmt))]
        orelse = [made for stmt in node.orelse for made in _many(self.visit(stmt))]
        return ast.copy_location(ast.If(test, body, orelse), node)

    def decided(self, found: Idiom, node: ast.If) -> ast.expr:
        self.accumulators.append((found.target, found.kind, found.partners))
        test: ast.expr = self.visit(node.test)
        self.accumulators.pop()
        self.updates[id(found.assign)] = (found.kind, found.partners)
        return test

    def visit_For(self, node: ast.For) -> ast.For:
        assert isinstance(node.target, ast.Name)
        turns = _call("turns", node.lineno, node.target.id, self.visit(node.iter))
        body = [made for stmt in node.body for made in _many(self.visit(stmt))]
        orelse = [made for stmt in node.orelse for made in _many(self.visit(stmt))]
        return ast.copy_location(ast.For(node.target, turns, body, orelse), node)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        """Iterations are counted, the test belongs to the one that it begins."""
        line, counter = node.lineno, f"_count{node.lineno}"
        number = ast.Name(counter, ast.Load())
        begin = ast.NamedExpr(
            ast.Name(counter, ast.Store()), ast.BinOp(number, ast.Add(), ast.Constant(1))
        )
        counted = ast.BoolOp(ast.Or(), [_call("count", line, begin), self.visit(node.test)])
        body = [made for stmt in node.body for made in _many(self.visit(stmt))]
        made = [
            ast.Assign([ast.Name(counter, ast.Store())], ast.Constant(-1)),
            ast.While(counted, body, []),
            ast.Expr(_call("leave", line)),
        ]
        return [ast.copy_location(stmt, node) for stmt in made]


class _Without(_Rewriter):
    """The rewriter, but reads of `target` stay as they are."""

    def __init__(self, outer: _Rewriter, target: ast.expr) -> None:
        super().__init__(outer.names)
        self.line, self.target = outer.line, target

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and same(node, self.target):
            return node
        return super().visit(node)


def _texts(names: tuple[str, ...]) -> ast.expr:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def _many(made: Any) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]
