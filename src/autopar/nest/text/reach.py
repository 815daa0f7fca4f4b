"""How much a loop is likely to do, by its text: a call can tell from it that it is little.

Before anything is known of a nest but its text, and without an import: so many operations stand in
each of its loops, and the values at hand say how often these run, or that it is no more often than
the largest of them has elements.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from autopar.nest.bound import stored
from autopar.nest.hidden import ANY, CONSECUTIVE, USUAL
from autopar.nest.trees import children, every
from autopar.records import dataclass

Loop = tuple[int, int, tuple[tuple[int, int], ...], int]
"""A loop of a text: the place of the one around it, operations in it but in none of its own, which
of the values, along which axis (`ANY`), say how often it runs, and how often it does at the least:
`USUAL` where nobody knows before it runs, and `CONSECUTIVE` where it runs as often in all
iterations of the one around it.  The first is what stands in none."""


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


_DEEPEST = 8
_PLAIN = ast.Add | ast.Sub | ast.FloorDiv
_ALONG = frozenset(("enumerate", "zip", "reversed", "list", "tuple", "sorted"))
_METHODS = frozenset(
    ("append", "extend", "copy", "tolist", "mean", "sum", "min", "max", "std", "var", "fill")
)
_CHEAP = _ALONG | frozenset(
    (
        "print",
        "enumerate",
        "zip",
        "reversed",
        "range",
        "min",
        "max",
        "int",
        "abs",
        "float",
        "bool",
        "complex",
        "divmod",
        "pow",
        "round",
        "sum",
    )
)
_BUILTINS = _CHEAP | frozenset(("len",))
_MODULES = frozenset(("math", "np", "numpy", "random", "rng"))
_SIZES = frozenset(("shape", "size", "ndim"))
_CALL = 3  # operations that a call is worth
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
    loops = tuple(
        (one.around, one.operations, _placed(one.by, places), one.least) for one in count.loops
    )
    return Reach(loops, indexed, paths, tuple(map(count.used, (*roots, *further))))


Sources = frozenset[tuple[str, int]]
"""Values, and an axis of each, that a number may come from."""


def _placed(sources: Sources, places: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    found = {(places[root], axis) for root, axis in sources}
    return tuple(sorted(one for one in found if one[1] == ANY or (one[0], ANY) not in found))


class _Loop:
    """See `Loop`; `depth` is the number of loops around it, and it."""

    __slots__ = ("around", "by", "depth", "least", "operations")

    def __init__(self, around: int, depth: int, by: Sources, least: int) -> None:
        self.around, self.depth, self.by, self.least = around, depth, by, least
        self.operations = 0

    def like(self, other: _Loop) -> bool:
        """Whether it runs as often: then one entry will do for both."""
        mine, others = (self.around, self.by, self.least), (other.around, other.by, other.least)
        return mine == others


class _Count(ast.NodeVisitor):
    """Adds to `loops`; what is visited stands in that at place `at`.

    Attributes
    ----------
    known
        Names that are no larger than the largest value at hand.
    parts
        Names of elements of such values, which are no longer.
    sources
        For each of these names, the values that it may come from; all of them for other names.
    uses
        By path and number of subscripts, places of the loops around such a use; `_ANYWHERE` where
        it gets a name.
    named
        Whether what is visited gets one.
    handed
        Values that no other has taken the name of.
    each
        By the names of variables that stand for each number of a range once, places of their loops.
    """

    def __init__(self, roots: Sequence[str], callable_: Mapping[str, ast.FunctionDef]) -> None:
        self.callable, self.calling = callable_, [""]
        self.loops = [_Loop(0, 0, frozenset(), 1)]
        self.at = 0
        self.indexed = dict.fromkeys(roots, _NEVER)
        self.uses: dict[tuple[str, int], set[int]] = {}
        self.named = False
        self.handed, self.each = set(roots), dict[str, int]()
        self.known, self.parts = set(roots), set(roots)
        self.everything: Sources = frozenset((root, ANY) for root in roots)
        self.sources: dict[str, Sources] = {root: frozenset(((root, ANY),)) for root in roots}

    def count(self, operations: int = 1) -> None:
        """There are so many more here."""
        self.loops[self.at].operations += operations

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr | ast.stmt):
            self.count()
        super().generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._used(node, 0)
        self.count()

    def visit_Subscript(self, node: ast.Subscript) -> None:
        count, inner = 0, node
        base: ast.expr = node
        while isinstance(inner, ast.Subscript):
            indices = _items(inner.slice)
            count += sum(not isinstance(index, ast.Slice) for index in indices)
            self.count()
            for index in indices:
                self.visit(index)
            base = inner.value
            if not isinstance(base, ast.Subscript):
                break
            inner = base
        if isinstance(base, ast.Attribute) and base.attr in _SIZES:
            self.visit(base)
        elif path_of(base):
            self._used(base, count)
        else:
            self.visit(base)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.count()
        if node.attr in _SIZES:
            self._used(node.value, _NEVER)
        elif path_of(node):
            self._used(node, 0)
        else:
            self.visit(node.value)

    def _used(self, node: ast.expr, subscripts: int) -> None:
        path = path_of(node)
        if path.partition(".")[0] in self.indexed:
            self.indexed[path] = min(self.indexed.get(path, _NEVER), subscripts)
            places = self.uses.setdefault((path, subscripts), set())
            places.add(_ANYWHERE if self.named else self.at)
        elif not path:
            self.visit(node)

    def used(self, path: str) -> tuple[tuple[int, ...], ...]:
        """What `Reach.uses` has of a value."""
        counts = [count for name, count in self.uses if name == path and count < _NEVER]
        found = [self.uses.get((path, k), set()) for k in range(max(counts, default=-1) + 1)]
        everywhere = tuple(range(len(self.loops)))
        return tuple(everywhere if _ANYWHERE in one else tuple(sorted(one)) for one in found)

    def visit_For(self, node: ast.For) -> None:
        around = self.at
        self._through(node.target, node.iter, node.body)
        self._carried(node.body)
        for inner in (node.target, *node.body):
            self.visit(inner)
        self.at = around
        for other in node.orelse:
            self.visit(other)

    def visit_While(self, node: ast.While) -> None:
        around = self.at
        self._carried(node.body)
        self._deeper(1, self._from(node.test), USUAL)
        for inner in (node.test, *node.body):
            self.visit(inner)
        self.at = around
        for other in node.orelse:
            self.visit(other)

    def _carried(self, body: Sequence[ast.stmt]) -> None:
        """What a loop assigns may in the next iteration be anything, until it is assigned there."""
        for name in stored(body):
            if name in self.sources:
                self.sources[name] = self.everything
            self.handed.discard(name)
            self.each.pop(name, None)

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id="len"):
                self.count()
                return
            case ast.Name(id=name) if name in _CHEAP:
                pass
            case ast.Attribute() if _module(node.func) in _MODULES:
                pass
            case ast.Attribute(value=base, attr=name) if name in _METHODS:
                self._used(base, 0)
            case ast.Name(id=name) if name in self.callable:
                self._written_out(self.callable[name])
            case _:
                raise _Unknown
        handed_on = isinstance(node.func, ast.Name) and node.func.id in self.callable
        for arg in (*node.args, *(keyword.value for keyword in node.keywords)):
            if handed_on and path_of(arg):
                self._used(arg, _NEVER)
            else:
                self.visit(arg)
        self.count(_CALL)

    def _written_out(self, function: ast.FunctionDef) -> None:
        """The statements of a function that is called here."""
        if function.name in self.calling or len(self.calling) > _DEEPEST:
            raise _Unknown
        args = function.args
        given = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        around = self.known, self.parts, self.sources, self.handed, self.each
        self.known, self.parts, self.sources = set(given), set(given), {}
        self.handed, self.each = set(), {}
        self.calling.append(function.name)
        for stmt in function.body:
            self.visit(stmt)
        self.calling.pop()
        self.known, self.parts, self.sources, self.handed, self.each = around

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assigned(node.targets, node.value)
        self.count()
        for target in node.targets:
            self.visit(target)
        parts = [part for target in node.targets for part in _items(target)]
        named, self.named = self.named, any(isinstance(part, ast.Name) for part in parts)
        self.visit(node.value)
        self.named = named

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._grown(node.target.id)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._grown(node.target.id)
        self.generic_visit(node)

    def _grown(self, name: str) -> None:
        self.known.discard(name)
        self.parts.discard(name)
        self.sources.pop(name, None)
        self.handed.discard(name)
        self.each.pop(name, None)

    def _from(self, node: ast.AST) -> Sources:
        """The values that `node` may come from."""
        match node:
            case ast.Name(id=name):
                return frozenset() if name in _BUILTINS else self._named(name)
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
                slice=ast.Constant(value=int(axis)),
            ) if axis >= 0:
                return self._along_axis(name, axis)
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
                return self._along_axis(name, 0)
        return frozenset[tuple[str, int]]().union(*map(self._from, children(node)))

    def _named(self, name: str) -> Sources:
        return self.sources.get(name, self.everything)

    def _along_axis(self, name: str, axis: int) -> Sources:
        """How long something is along an axis, if it is a value that is handed over."""
        return frozenset(((name, axis),)) if name in self.handed else self._named(name)

    def _assigned(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        degrees = [_degree(item, self.known) for item in _items(value)]
        sized = all(degree is not None and degree < 2 for degree in degrees)
        for target in targets:
            parts = _items(target)
            for part, sources in zip(parts, self._each_from(value, parts), strict=True):
                if isinstance(part, ast.Name):
                    self._grown(part.id)
                    if sized:
                        self.known.add(part.id)
                    elif not isinstance(value, ast.Name) and _short(value, self.parts, self.known):
                        self.parts.add(part.id)
                    self.sources[part.id] = sources

    def _each_from(self, value: ast.expr, parts: Sequence[ast.expr]) -> list[Sources]:
        """The values that each of the `parts` of a target, to which `value` goes, may come from."""
        count = 1 if any(isinstance(part, ast.Starred) for part in parts) else len(parts)
        match value:
            case ast.Tuple(elts=elts) if len(elts) == count > 1:
                return [self._from(one) for one in elts]
            case ast.Attribute(value=ast.Name(id=name), attr="shape") if count > 1:
                return [self._along_axis(name, axis) for axis in range(count)]
        return [self._from(value)] * len(parts)

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
        named, self.named = self.named, True
        if isinstance(items, ast.Name):
            self._used(items, 1)
        else:
            self.visit(items)
        self.named = named
        loops = _short(items, self.parts, self.known)
        least = _written(items)
        if not loops:
            loops = _short(items, self.parts, self.known, elements=True)
            if not loops:
                raise _Unknown
            least = USUAL
        counted, sources = isinstance(items, ast.Call), self._from(items)
        if least == USUAL and self.at and self.each.get(_consecutive(items)) == self.at:
            along = self._along(target, body)
            least = CONSECUTIVE if along else USUAL
            sources |= along
        for part in _items(target):
            if isinstance(part, ast.Name):
                self._grown(part.id)
                (self.known if counted and loops == 1 else self.parts).add(part.id)
                self.sources[part.id] = sources
        self._deeper(loops, sources, least)
        if loops == 1 and isinstance(target, ast.Name) and _is_range(items):
            self.each[target.id] = self.at

    def _along(self, target: ast.expr, body: Sequence[ast.AST]) -> Sources:
        """The values that `body` goes through by `target`."""
        found: Sources = frozenset()
        for node in (inner for top in body for inner in every(top)):
            if isinstance(node, ast.Subscript) and isinstance(target, ast.Name):
                names = [i.id for i in _items(node.slice) if isinstance(i, ast.Name)]
                if target.id in names:
                    found |= self._from(node.value)
        return found

    def _deeper(self, loops: int, sources: Sources, least: int) -> None:
        """Enter so many loops that `sources` bound, which run as often as `least` at the least."""
        for _ in range(loops):
            depth = self.loops[self.at].depth + 1
            if depth > _DEEPEST:
                raise _Unknown
            made = _Loop(self.at, depth, sources, least)
            known = (k for k, one in enumerate(self.loops) if k and one.like(made))
            self.at = next(known, len(self.loops))
            if self.at == len(self.loops):
                self.loops.append(made)


def _is_range(items: ast.expr) -> bool:
    return (
        isinstance(items, ast.Call)
        and isinstance(items.func, ast.Name)
        and items.func.id == "range"
    )


def _consecutive(items: ast.expr) -> str:
    """The variable ``i`` of ``range(start[i], start[i + 1])``: the part behind it begins there."""
    match items:
        case ast.Call(
            func=ast.Name(id="range"),
            args=[
                ast.Subscript(value=ast.Name(id=one), slice=low),
                ast.Subscript(value=ast.Name(id=other), slice=high),
            ],
        ) if one == other:
            match low, high:
                case ast.Name(id=at), ast.BinOp(ast.Name(id=next_), ast.Add(), ast.Constant(1)):
                    return at if at == next_ else ""
                case ast.BinOp(ast.Name(id=last), ast.Sub(), ast.Constant(1)), ast.Name(id=at):
                    return at if at == last else ""
    return ""


def _written(items: ast.expr) -> int:
    """The largest number in the text of `items`, and how many of them are written out."""
    numbers = [n.value for n in every(items) if isinstance(n, ast.Constant)]
    sizes = [len(n.elts) for n in every(items) if isinstance(n, ast.Tuple | ast.List)]
    return max((*(n for n in numbers if type(n) is int), *sizes, 0))


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


def _items(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return [part for item in node.elts for part in _items(item)]
    return [node]


def _short(items: ast.expr, parts: set[str], known: set[str], elements: bool = False) -> int:
    """How many loops over the largest of the values at hand one over `items` is; 0: unknown.

    With `elements`, elements of these are taken to be no larger.
    """
    match items:
        case ast.Name(id=name):
            return int(name in parts)
        case ast.Attribute():
            return int(_module(items) in parts)
        case ast.Subscript(value=value):
            return _short(value, parts, known)
        case ast.Call(func=ast.Name(id="range"), args=args):
            degrees = [_degree(arg, known, elements) for arg in args]
            return 0 if None in degrees else max([1, *(d for d in degrees if d is not None)])
        case ast.Call(func=ast.Name(id=name), args=args) if name in _ALONG and args:
            found = [_short(arg, parts, known, elements) for arg in args]
            return max(found) if all(found) else 0
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return int(bool(elts))
        case ast.ListComp(generators=[ast.comprehension(iter=inner)]):
            return _short(inner, parts, known, elements)
    return 0


def _degree(value: ast.expr, known: set[str], elements: bool = False) -> int | None:
    """The power of the largest of the values at hand that `value` is at the most, about."""
    match value:
        case ast.Constant(value=int()):
            return 0  # `_written` has it
        case ast.Name(id=name):
            return 1 if name in known else None
        case ast.Attribute(value=ast.Name(), attr="ndim" | "shape"):
            return 1
        case ast.Attribute(attr="size"):
            return 2
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return 1
        case ast.Attribute():
            return 1 if _module(value) in known else None
        case ast.Subscript(value=ast.Name() | ast.Subscript()):
            return 1 if elements else None
        case ast.UnaryOp(operand=operand):
            return _degree(operand, known, elements)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _PLAIN | ast.Mult):
            one, two = _degree(left, known, elements), _degree(right, known, elements)
            if one is None or two is None:
                return None
            return one + two if isinstance(op, ast.Mult) else max(one, two)
        case ast.Call(func=ast.Name(id="len"), args=[_]):
            return 1
        case ast.Call(func=ast.Name(id="min" | "max" | "int" | "abs"), args=args) if args:
            found = [_degree(arg, known, elements) for arg in args]
            return None if None in found else max(d for d in found if d is not None)
    return None
