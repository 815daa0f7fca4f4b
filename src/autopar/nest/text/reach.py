"""How much a loop is likely to do, by its text: a call can tell from it that it is little.

Before anything is known of a nest but its text, and without an import: so many operations stand in
each of its loops, and the values at hand say how often these run, or that it is no more often than
the largest of them has elements.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from autopar.nest.hidden import ANY, USUAL
from autopar.nest.text.lengths import ALONG, SIZES, Names, Sources, items_of, leaves, root_of
from autopar.records import dataclass

Loop = tuple[int, int, int, tuple[tuple[int, int], ...], int, bool]
"""A loop of a text: the place of the one around it; operations in it but in none of its own; how
many operations on Python's own numbers calls in it are worth beside these; which of the values, and
of the attributes behind them, along which axis (`ANY`), say how often it runs; how often it does at
the least: `USUAL` where nobody knows before it runs, and `CONSECUTIVE` where it runs as often in
all iterations of the one around it; and whether it may end early.  The first is what stands in
none."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a loop is likely to do.

    Attributes
    ----------
    loops
        Those of the text, each behind the one around it; empty where nobody knows how often one
        runs.
    indexed
        For each of the values that it is handed: with how few subscripts it is used.  An array
        with more dimensions is worked on as a whole.
    paths
        The same of attributes of these values: which value, their names, and how few subscripts.
    uses
        For each of those values, and then of the attributes, by the number of subscripts: places
        of the loops in which it is used with so many.
    """

    loops: tuple[Loop, ...] = ()
    indexed: tuple[int, ...] = ()
    paths: tuple[tuple[int, tuple[str, ...], int], ...] = ()
    uses: tuple[tuple[tuple[int, ...], ...], ...] = ()


_DEEPEST, _MOST = 8, 256  # functions in one another, and in all
_REDUCING = frozenset(
    ("all", "any", "argmax", "argmin", "count_nonzero", "dot", "max", "mean", "median", "min",
     "prod", "std", "sum", "var", "float", "int", "len")
)  # fmt: skip
"""Whose answers are numbers, whatever they are handed: mostly."""
_METHODS = frozenset(
    ("append", "extend", "copy", "tolist", "mean", "sum", "min", "max", "std", "var", "fill")
)
# A call, in operations on Python's own numbers: CPython 3.11 with NumPy 2, for orders of magnitude.
_CALLS = {
    "abs": 4, "bool": 4, "complex": 8, "divmod": 8, "float": 4, "int": 5, "max": 15, "min": 15,
    "pow": 8, "print": 60, "range": 10, "round": 8, "sum": 10, **dict.fromkeys(ALONG, 10),
}  # fmt: skip
_CALLS_OF = {"math": 4, "np": 20, "numpy": 20, "random": 10, "rng": 20}
_METHOD, _FUNCTION = 4, 7
_MORE_OF_NUMPY = {"round": 15}  # operations, where NumPy's numbers are what is rounded
_NEVER = 99  # subscripts: of what is not used but for its size
_ANYWHERE = -1  # in place of a loop: in any of them
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class _Unknown(Exception):
    """Some loop may go on for longer than anything at hand says."""


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions of a module, those whose name means but one."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    names = [node.name for node in found]
    return {node.name: node for node in found if names.count(node.name) == 1}


def reach(
    nodes: Sequence[ast.stmt],
    roots: Sequence[str],
    callable_: Mapping[str, ast.FunctionDef] | None = None,
) -> Reach:
    """What `nodes` may do, which are handed the values of `roots`.

    Parameters
    ----------
    callable_
        Functions that they may call.  These are handed values that are no larger than those.
    """
    count = _Count(roots, callable_ or {})
    try:
        for node in nodes:
            count.visit(node)
    except _Unknown:
        return Reach()
    places = {root: place for place, root in enumerate(roots)}
    split = [(path.split("."), least) for path, least in count.indexed.items()]
    paths = tuple((places[n[0]], tuple(n[1:]), least) for n, least in split if len(n) > 1)
    indexed = tuple(count.indexed[root] for root in roots)
    further = [path for path in count.indexed if "." in path]
    places |= {path: len(roots) + k for k, path in enumerate(further)}
    loops = tuple(
        (one.around, one.operations, one.calls, _placed(one.by, places), one.least, one.early)
        for one in count.loops
    )
    return Reach(loops, indexed, paths, tuple(map(count.used, (*roots, *further))))


def _placed(sources: Sources, places: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    found = {
        (places[path], axis) if path in places else (places[path.partition(".")[0]], ANY)
        for path, axis in sources
    }
    return tuple(sorted(one for one in found if one[1] == ANY or (one[0], ANY) not in found))


class _Loop:
    """See `Loop`; `depth` is the number of loops around it, and it."""

    __slots__ = ("around", "by", "calls", "depth", "early", "least", "operations")

    def __init__(
        self, around: int, depth: int, by: Sources, least: int, early: bool = False
    ) -> None:
        self.around, self.depth, self.by, self.least = around, depth, by, least
        self.early = early
        self.operations = self.calls = 0

    def like(self, other: _Loop) -> bool:
        """Whether it runs as often: then one entry will do for both."""
        mine = self.around, self.by, self.least, self.early
        return mine == (other.around, other.by, other.least, other.early)


class _Count(ast.NodeVisitor):
    """Adds to `loops`; what is visited stands in that at place `at`.

    Attributes
    ----------
    names
        What the names stand for, of the text or of the function at hand.
    calling
        The functions around what is visited.
    uses
        By path and number of subscripts, places of the loops around such a use; `_ANYWHERE` where
        it gets a name.
    named
        Whether what is visited gets one.
    written
        How many functions have been written out.
    """

    def __init__(self, roots: Sequence[str], callable_: Mapping[str, ast.FunctionDef]) -> None:
        self.callable, self.calling = callable_, [""]
        self.loops = [_Loop(0, 0, frozenset(), 1)]
        self.at = 0
        self.indexed = dict.fromkeys(roots, _NEVER)
        self.uses: dict[tuple[str, int], set[int]] = {}
        self.named = False
        self.names = Names(roots)
        self.written = 0

    def count(self, operations: int = 1) -> None:
        """There are so many more here."""
        self.loops[self.at].operations += operations

    def called(self, worth: int) -> None:
        """There is such a call here."""
        self.loops[self.at].calls += worth

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr | ast.stmt):
            self.count()
        super().generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._used(node, 0)
        self.count()

    def visit_Subscript(self, node: ast.Subscript) -> None:
        count, inner = 0, node
        base: ast.expr = node
        while isinstance(inner, ast.Subscript):
            indices = items_of(inner.slice)
            count += sum(not isinstance(index, ast.Slice) for index in indices)
            if any(isinstance(i, ast.Slice) and i.lower and i.upper for i in indices):
                count = _NEVER  # a part of which nobody knows how long it is
                self.called(_CALLS_OF["np"])
            self.count()
            for index in indices:
                self.visit(index)
            base = inner.value
            if not isinstance(base, ast.Subscript):
                break
            inner = base
        if isinstance(base, ast.Attribute) and base.attr in SIZES:
            self.visit(base)
        elif path_of(base):
            self._used(base, min(count, _NEVER))
        else:
            self.visit(base)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.count()
        if node.attr in SIZES:
            self._used(node.value, _NEVER)
        elif path_of(node):
            self._used(node, 0)
        else:
            self.visit(node.value)

    def _used(self, node: ast.expr, subscripts: int) -> None:
        path = path_of(node)
        if not path:
            self.visit(node)
            return
        if len(self.calling) > 1 or path not in self.indexed:
            part = self.names.part(node)  # what stands for something that is handed over
            if part is not None:
                path, subscripts = part[0], min(part[1] + subscripts, _NEVER)
            elif len(self.calling) > 1:
                return
        if path.partition(".")[0] in self.indexed:
            self.indexed[path] = min(self.indexed.get(path, _NEVER), subscripts)
            places = self.uses.setdefault((path, subscripts), set())
            places.add(_ANYWHERE if self.named else self.at)

    def used(self, path: str) -> tuple[tuple[int, ...], ...]:
        """What `Reach.uses` has of a value."""
        counts = [count for name, count in self.uses if name == path and count < _NEVER]
        found = [self.uses.get((path, k), set()) for k in range(max(counts, default=-1) + 1)]
        everywhere = tuple(range(len(self.loops)))
        return tuple(everywhere if _ANYWHERE in one else tuple(sorted(one)) for one in found)

    def visit_For(self, node: ast.For) -> None:
        around = self.at
        self._through(node.target, node.iter, node.body)
        self.names.carried(node.body)
        for inner in (node.target, *node.body):
            self.visit(inner)
        self.at = around
        for other in node.orelse:
            self.visit(other)

    def visit_While(self, node: ast.While) -> None:
        around = self.at
        self.names.carried(node.body)
        bounds = self.names.until(node.test, node.body) or self.names.everything
        early = isinstance(node.test, ast.BoolOp) or leaves(node.body)
        self._deeper(1, bounds, USUAL, early)
        for inner in (node.test, *node.body):
            self.visit(inner)
        self.at = around
        for other in node.orelse:
            self.visit(other)

    def visit_Call(self, node: ast.Call) -> None:
        self.count()
        name = ""
        match node.func:
            case ast.Name(id="len"):
                return
            case ast.Name(id=name) if name in _CALLS:
                self.called(_CALLS[name])
                self.count(_MORE_OF_NUMPY.get(name, 0))
            case ast.Attribute(attr=name) if root_of(node.func) in _CALLS_OF:
                self.called(_CALLS_OF[root_of(node.func)])
            case ast.Attribute(value=base, attr=name) if name in _METHODS:
                self.called(_METHOD)
                named, self.named = self.named, self.named and name not in _REDUCING
                self._used(base, 0)
                self.named = named
            case ast.Name(id=name) if name in self.callable:
                self.called(_FUNCTION)
                self._written_out(self.callable[name], node)
            case _:
                raise _Unknown
        named, self.named = self.named, self.named and name not in _REDUCING
        handed_on = isinstance(node.func, ast.Name) and name in self.callable
        for arg in (*node.args, *(keyword.value for keyword in node.keywords)):
            if handed_on and path_of(arg):
                self._used(arg, _NEVER)
            else:
                self.visit(arg)
        self.named = named

    def _written_out(self, function: ast.FunctionDef, call: ast.Call) -> None:
        """The statements of a function that is called here."""
        self.written += 1  # those that call one another several times would double with each
        if function.name in self.calling or len(self.calling) > _DEEPEST or self.written > _MOST:
            raise _Unknown
        around, self.names = self.names, self.names.within(function, call)
        self.calling.append(function.name)
        for stmt in function.body:
            self.visit(stmt)
        self.calling.pop()
        self.names = around

    def visit_Assign(self, node: ast.Assign) -> None:
        self.count()
        parts = [part for target in node.targets for part in items_of(target)]
        named, self.named = self.named, any(isinstance(part, ast.Name) for part in parts)
        values = items_of(node.value) if len(parts) > 1 else [node.value]
        for value in values:
            if all(isinstance(part, ast.Name) for part in parts) and self.names.part(value):
                self._named_only(value)
            else:
                self.visit(value)
        self.named = named
        self.names.assigned(node.targets, node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.names.grows(node.target.id)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.names.grows(node.target.id)
        self.generic_visit(node)

    def _comprehension(self, node: ast.expr) -> None:
        assert isinstance(node, _COMPREHENSIONS)
        around = self.at
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in node.generators:
            self._through(part.target, part.iter, values)
            for test in part.ifs:
                self.visit(test)
        for value in values:
            self.visit(value)
        self.at = around

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def _through(self, target: ast.expr, items: ast.expr, body: Sequence[ast.AST]) -> None:
        """Enter a loop with `body` over `items`, of which must be known how many they are."""
        self._gone_through(items)
        found = self.names.through(target, items, body, self.at)
        if found is None:
            raise _Unknown
        for path, _ in found[1]:
            if "." in path:
                self.indexed.setdefault(path, _NEVER)  # to have its size
        early = leaves([one for one in body if isinstance(one, ast.stmt)])
        self._deeper(*found, early)
        if found[0] == 1:
            self.names.counts(target, items, self.at)

    def _gone_through(self, items: ast.expr) -> None:
        """What is done with `items` before the first of them; their names say what is, later."""
        if self.names.part(items) is not None:
            self._named_only(items)
        elif (
            isinstance(items, ast.Call)
            and isinstance(items.func, ast.Name)
            and items.func.id in ALONG
        ):
            self.called(_CALLS[items.func.id])
            for arg in items.args:
                self._gone_through(arg)
        else:
            named, self.named = self.named, True
            self.visit(items)
            self.named = named

    def _named_only(self, node: ast.expr) -> None:
        """A part of what is handed over, which gets a name here, and is used by that."""
        self.count()
        while isinstance(node, ast.Subscript):
            self.count()
            for index in items_of(node.slice):
                self.visit(index)
            node = node.value

    def _deeper(self, loops: int, sources: Sources, least: int, early: bool) -> None:
        """Enter so many loops that `sources` bound, which run as often as `least` at the least."""
        for _ in range(loops):
            depth = self.loops[self.at].depth + 1
            if depth > _DEEPEST:
                raise _Unknown
            made = _Loop(self.at, depth, sources, least, early)
            known = (k for k, one in enumerate(self.loops) if k and one.like(made))
            self.at = next(known, len(self.loops))
            if self.at == len(self.loops):
                self.loops.append(made)


def path_of(node: ast.expr) -> str:
    """A name, or one and attributes behind it, as text."""
    if isinstance(node, ast.Attribute):
        inner = path_of(node.value)
        return inner and f"{inner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _module(node: ast.expr) -> str:
    """The name at the beginning of a chain of attributes."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
