"""Which names may be read after a statement: liveness over the statements of one scope.

Backward analysis on the tree (Aho, Lam, Sethi, Ullman, "Compilers", 2nd ed., section 9.2.5).
Only plain functions are analysed; in a module or a class body every name stays live, because
anyone may read it later.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from autopar.nest.trees import children, every

_ALL = frozenset(
    {"locals", "vars", "dir", "eval", "exec", "globals", "super", "__class__", "breakpoint"}
)
_FRAMES = frozenset({"f_locals", "_getframe", "currentframe", "gi_frame", "cr_frame", "ag_frame"})
# `numexpr.evaluate` and `DataFrame.query` look up the names in their text among the caller's.
_LOOK_UP = frozenset({"evaluate", "query", "set_trace"})
_REFLECTION = _ALL | _FRAMES | _LOOK_UP
_NAMESPACES = frozenset({"__globals__", "__dict__", "reload"})  # of modules
_CONSUMES = frozenset(
    ("all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple")
)
"""Builtins that have consumed a generator expression, their only argument, once they are done."""
_KEYS = frozenset(("max", "min", "sorted"))  # of which nobody has the key after that
# A generator expression reads its names when it is consumed, like a function when it is called.
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)


def reads_frames(tree: ast.Module) -> bool:
    """Whether some function of this module may read variables of another one by their names.

    It mentions a frame, or has `eval` or one of its like under another name.
    """
    called = {id(node.func) for node in every(tree) if isinstance(node, ast.Call)}
    for node in every(tree):
        match node:
            case ast.Attribute(attr=name) if name in _FRAMES:
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name, ctx=ast.Load()):
                if name in ("eval", "exec", "locals", "vars") and id(node) not in called:
                    return True
            case ast.ImportFrom(names=names):
                if any(alias.name in _ALL | _FRAMES for alias in names):
                    return True
    return False


def reads_names(tree: ast.Module) -> bool:
    """Whether this module may go through the names of a function's or of its own."""
    nodes = every(tree)
    words = (getattr(n, "id", None) or getattr(n, "attr", None) for n in nodes)
    return reads_frames(tree) or not (_REFLECTION | _NAMESPACES).isdisjoint(words)


def live_after(scope: ast.AST) -> Callable[[ast.stmt, str], bool]:
    """A predicate: may this name be read after this statement of `scope`?"""
    if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return lambda stmt, name: True
    kept, consumed = _kept(scope)
    analysis = _Liveness(kept)
    if analysis.kept & _REFLECTION:
        return lambda stmt, name: True
    analysis.block(scope.body, frozenset())

    def live(stmt: ast.stmt, name: str) -> bool:
        if name in analysis.kept or name in analysis.after[id(stmt)]:
            return True
        nodes = {id(node) for node, names in consumed if name in names}
        return bool(nodes) and not nodes <= _surely_in(stmt)

    return live


def _surely_in(stmt: ast.stmt) -> frozenset[int]:
    """What a nest made of `stmt` has in it, by `id`: the interpreter may execute branches."""
    found: set[int] = set()
    todo: list[ast.AST] = [stmt]
    while todo:
        node = todo.pop()
        found.add(id(node))
        match node:
            case ast.If(test=test):
                todo.append(test)
            case ast.Try() | ast.TryStar() | ast.With() | ast.AsyncWith() | ast.Match():
                pass
            case _:
                todo += children(node)
    return frozenset(found)


Consumed = list[tuple[ast.AST, frozenset[str]]]


def _kept(
    scope: ast.FunctionDef | ast.AsyncFunctionDef,
) -> tuple[frozenset[str], Consumed]:
    """Names that are live everywhere: shared with other scopes, or reachable by reflection.

    What is consumed at once by a builtin reads its names no more after that, if it is that builtin.
    A nest that it stands in sees to that: so these come apart, with their names.
    """
    kept: set[str] = set()
    consumed: Consumed = []
    at_once: set[int] = set()
    for node in every(scope):  # calls come before what they are handed
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first], keywords=keywords):
                if name in _CONSUMES and isinstance(first, ast.GeneratorExp):
                    at_once.add(id(first))
                if name in _KEYS:
                    at_once |= {id(k.value) for k in keywords if k.arg == "key"}
        if isinstance(node, ast.Global | ast.Nonlocal):
            kept.update(node.names)
        elif isinstance(node, _NESTED) and node is not scope:
            names = {n.id for n in every(node) if isinstance(n, ast.Name)}
            names |= {name for n in every(node) if isinstance(n, ast.Nonlocal) for name in n.names}
            if id(node) in at_once:
                consumed.append((node, frozenset(names)))
            else:
                kept |= names
        elif isinstance(node, ast.Name) and node.id in _REFLECTION:
            kept.add(node.id)
        elif isinstance(node, ast.Attribute) and node.attr in _REFLECTION:
            kept.add(node.attr)
    return frozenset(kept), consumed


def _bound(target: ast.expr) -> frozenset[str]:
    """Names that are bound for sure where `target` has been assigned to."""
    if isinstance(target, ast.Tuple | ast.List):
        return frozenset().union(*map(_bound, target.elts))
    return frozenset({target.id} if isinstance(target, ast.Name) else ())


def _reads(nodes: Iterable[ast.AST | None]) -> frozenset[str]:
    names: set[str] = set()
    for top in nodes:
        for node in every(top) if top is not None else ():
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return frozenset(names)


class _Liveness:
    def __init__(self, kept: frozenset[str]) -> None:
        self.kept = kept
        self.after: dict[int, frozenset[str]] = {}
        self.leave: list[tuple[frozenset[str], frozenset[str]]] = []
        # Inside try or with, control may jump to a handler from anywhere: those names stay live.
        self.jumps: frozenset[str] = frozenset()
        self.told = True  # whether what follows the loops around is known

    def block(self, nodes: list[ast.stmt], live: frozenset[str]) -> frozenset[str]:
        for node in reversed(nodes):
            # The last statement of a block has not met the jumps yet.
            self.after[id(node)] = self.after.get(id(node), frozenset()) | live | self.jumps
            live = self.statement(node, live) | self.jumps
        return live

    def statement(self, node: ast.stmt, live: frozenset[str]) -> frozenset[str]:
        match node:
            case ast.Assign(targets=targets, value=value):
                plain = {t.id for t in targets if isinstance(t, ast.Name)}
                return (live - plain) | _reads([*targets, value])
            case ast.AugAssign(target=target, value=value):
                own = {target.id} if isinstance(target, ast.Name) else set()
                return live | own | _reads([target, value])
            case ast.If(test=test, body=body, orelse=orelse):
                return self.block(body, live) | self.block(orelse, live) | _reads([test])
            case ast.For() | ast.AsyncFor():
                return self.loop(node, live)
            case ast.While(test=test, body=body, orelse=orelse):
                end = self.block(orelse, live)
                self.after[id(node)] |= end
                return self.head(body, end | _reads([test]), live, frozenset())
            case ast.Break() if self.leave:
                return self.leave[-1][1]
            case ast.Continue() if self.leave:
                return self.leave[-1][0]
            case ast.Return(value=value):
                return _reads([value])
            case ast.Try() | ast.TryStar():
                return self.attempt(node, live)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                before, self.jumps = self.jumps, self.jumps | live
                inside = self.block(body, live)
                self.jumps = before
                return inside | live | _reads(items)
            case ast.Match(subject=subject, cases=cases):
                inside = frozenset().union(*(self.block(c.body, live) for c in cases))
                return inside | live | _reads([subject, *cases])
        return live | _reads([node])

    def loop(self, node: ast.For | ast.AsyncFor, live: frozenset[str]) -> frozenset[str]:
        end = self.block(node.orelse, live)
        target = _bound(node.target)
        self.after[id(node)] |= end  # what follows the loop begins with its `else`
        head = self.head(node.body, end, live, target)
        return head | _reads([node.iter, node.target])

    def head(
        self,
        nodes: list[ast.stmt],
        end: frozenset[str],
        after: frozenset[str],
        target: frozenset[str],
    ) -> frozenset[str]:
        """What is live before each iteration of a loop.

        Each way through the body adds names and takes names away, so one round finds all that are
        live; another one tells the loops inside, but only where the loops around have been told.
        """
        told, self.told = self.told, False
        head = end | (self.body(nodes, end, after) - target)
        self.told = told
        if told:
            self.body(nodes, head, after)
        return head

    def body(
        self, nodes: list[ast.stmt], head: frozenset[str], after: frozenset[str]
    ) -> frozenset[str]:
        self.leave.append((head, after))
        live = self.block(nodes, head)
        self.leave.pop()
        return live

    def attempt(self, node: ast.Try | ast.TryStar, live: frozenset[str]) -> frozenset[str]:
        # A break or continue in the other parts comes through it, and goes on around the loop.
        around = frozenset().union(*self.leave[-1]) if node.finalbody and self.leave else live
        final = self.block(node.finalbody, live | around) | live
        before = self.jumps
        if node.finalbody:  # which any exception, return or break in the other parts comes to
            self.jumps = before | final
        handled = (self.block(h.body, final) for h in node.handlers)
        caught = final.union(*handled, _reads(h.type for h in node.handlers))
        end = self.block(node.orelse, final)
        self.jumps = before | caught
        inside = self.block(node.body, end)
        self.jumps = before
        return inside | caught
