"""What says how often a loop runs: values that a text is handed, by the names it has for them.

A guess by the text alone, which nothing but time depends on.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autopar.nest.bound import stored
from autopar.nest.hidden import ANY, CONSECUTIVE, TWICE, USUAL
from autopar.nest.trees import children, every

Sources = frozenset[tuple[str, int]]
"""Values, or attributes of these, and an axis of each, that a number may come from."""
Part = tuple[str, int]
"""A value, by its name or one and attributes behind it, and how many subscripts have been taken."""
SIZES = frozenset(("shape", "size", "ndim"))
_NOTHING: Sources = frozenset()
_LARGEST = 1 << 40  # nobody tells larger numbers apart
_PLAIN = ast.Add | ast.Sub | ast.FloorDiv
ALONG = frozenset(("enumerate", "zip", "reversed", "list", "tuple", "sorted"))
_BUILTINS = ALONG | frozenset(
    ("abs", "bool", "complex", "divmod", "float", "int", "len", "max", "min", "pow", "range",
     "round", "sum")
)  # fmt: skip


class Names:
    """What the names of a text stand for, or those of a function that it calls.

    Attributes
    ----------
    everything
        All values that the text is handed.
    known
        Names that are no larger than the largest of them.
    parts
        Names of elements of such values, which are no longer.
    sources
        For each of these names, the values that it may come from; all of them for other names.
    handed
        Names of values that are handed over, or of parts of them.
    numbers
        Names of numbers that are written out in the text.
    each
        By the names of variables that stand for each number of a range once, places of their loops.
    """

    __slots__ = ("each", "everything", "handed", "known", "numbers", "parts", "sources")

    def __init__(self, roots: Sequence[str]) -> None:
        self.everything: Sources = frozenset((root, ANY) for root in roots)
        self.known, self.parts = set(roots), set(roots)
        self.sources: dict[str, Sources] = {root: frozenset(((root, ANY),)) for root in roots}
        self.handed: dict[str, Part] = {root: (root, 0) for root in roots}
        self.numbers: dict[str, int] = {}
        self.each: dict[str, int] = {}

    def within(self, function: ast.FunctionDef, call: ast.Call) -> Names:
        """The names of a function that is called here, before its first statement."""
        args = function.args
        positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        inner = Names(())
        inner.everything = self.everything
        inner.known = {*positional, *(arg.arg for arg in args.kwonlyargs)}
        inner.parts = set(inner.known)
        given = dict(zip(positional, call.args, strict=False))
        given |= {one.arg: one.value for one in call.keywords if one.arg is not None}
        if any(isinstance(arg, ast.Starred) for arg in call.args):
            given = {}
        defaults = dict(zip(reversed(positional), reversed(args.defaults), strict=False))
        for name, value in (defaults | given).items():
            number = _number(value)
            if number is not None:
                inner.numbers[name], inner.sources[name] = number, _NOTHING
            elif name in given:
                inner.sources[name] = self.of(value)
                part = self.part(value)
                if part is not None:
                    inner.handed[name] = part
        return inner

    # ------------------------------------------------------------------ names that change

    def grows(self, name: str) -> None:
        """Nothing is known of `name` from here on."""
        self.known.discard(name)
        self.parts.discard(name)
        for names in (self.sources, self.handed, self.numbers, self.each):
            names.pop(name, None)

    def carried(self, body: Sequence[ast.stmt]) -> None:
        """What a loop assigns may in the next iteration be anything, until it is assigned there."""
        for name in stored(body):
            if name in self.sources:
                self.sources[name] = self.everything
            for names in (self.handed, self.numbers, self.each):
                names.pop(name, None)

    def assigned(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        degrees = [self.degree(item) for item in items_of(value)]
        sized = all(degree is not None and degree < 2 for degree in degrees)
        short = not isinstance(value, ast.Name) and self.short(value)
        for target in targets:
            parts = items_of(target)
            ones = _each(value, parts)
            found = self._each_from(value, parts)
            handed = [self.part(one) for one in ones]
            for part, one, sources, whole in zip(parts, ones, found, handed, strict=True):
                if isinstance(part, ast.Name):
                    self.grows(part.id)
                    if sized:
                        self.known.add(part.id)
                    elif short:
                        self.parts.add(part.id)
                    self.sources[part.id] = sources
                    if whole is not None:
                        inside = one is value and len(parts) > 1
                        self.handed[part.id] = whole[0], whole[1] + inside
                    number = _number(one)
                    if number is not None:
                        self.numbers[part.id] = number

    def goes_through(self, target: ast.expr, items: ast.expr, loops: int, sources: Sources) -> None:
        """The names of a loop over `items`, which are so many loops."""
        counted = isinstance(items, ast.Call)
        handed = self._each_handed(target, items)
        for one in items_of(target):
            if isinstance(one, ast.Name):
                self.grows(one.id)
                (self.known if counted and loops == 1 else self.parts).add(one.id)
                self.sources[one.id] = sources
        for name, part in handed:
            self.handed[name] = part
            self.parts.add(name)  # rows, or else they are not gone through

    def _each_handed(self, target: ast.expr, items: ast.expr) -> list[tuple[str, Part]]:
        """Names that the iterations give to parts of what is handed over."""
        match target, items:
            case ast.Name(id=name), _ if (part := self.part(items)) is not None:
                return [(name, (part[0], part[1] + 1))]
            case _, ast.Call(func=ast.Name(id=name), args=args) if name in ALONG:
                ones = {"enumerate": items_of(target)[1:], "zip": items_of(target)}
                both = zip(ones.get(name, [target]), args, strict=False)
                return [found for one, inner in both for found in self._each_handed(one, inner)]
        return []

    # ------------------------------------------------------------------ values

    def part(self, node: ast.expr) -> Part | None:
        """What `node` is of a value that is handed over."""
        match node:
            case ast.Name(id=name):
                return self.handed.get(name)
            case ast.Attribute(value=inner, attr=attr):
                part = self.part(inner)
                return (f"{part[0]}.{attr}", 0) if part is not None and not part[1] else None
            case ast.Subscript(value=inner, slice=slice_):
                part = self.part(inner)
                if part is None:
                    return None
                count = 0
                for index in items_of(slice_):
                    if isinstance(index, ast.Slice):
                        break  # which is no longer than all of it
                    count += 1
                return part[0], part[1] + count
        return None

    def of(self, node: ast.AST) -> Sources:
        """The values that a number may come from."""
        match node:
            case ast.Name(id=name):
                return _NOTHING if name in _BUILTINS else self._named(name)
            case ast.Subscript(
                value=ast.Attribute(value=one, attr="shape"), slice=ast.Constant(value=int(axis))
            ) if axis >= 0:
                return self._along(one, axis)
            case ast.Call(func=ast.Name(id="len"), args=[one]):
                return self._along(one, 0)
            case ast.Attribute(attr=name) if name not in SIZES:
                part = self.part(node)
                if part is not None:
                    return frozenset(((part[0], ANY),))
        return _NOTHING.union(*map(self.of, children(node)))

    def lengths(self, items: ast.expr) -> Sources:
        """What says how many `items` there are."""
        match items:
            case ast.Name() | ast.Subscript() | ast.Attribute():
                return self._along(items, 0)
            case ast.Call(func=ast.Name(id=name), args=args) if name in ALONG:
                return _NOTHING.union(*map(self.lengths, args if name == "zip" else args[:1]))
            case ast.Call(func=ast.Name(id="range"), args=[one, other, *_]):
                difference = _difference(other, one)
                if difference is not None:
                    parts = [
                        frozenset((path, axis if abs(times) < 2 else TWICE) for path, axis in found)
                        for name, times in difference.items()
                        for found in (self._named(name),)
                    ]
                    return _NOTHING.union(*parts)
        return self.of(items)

    def _named(self, name: str) -> Sources:
        return self.sources.get(name, self.everything)

    def _along(self, node: ast.expr, axis: int) -> Sources:
        """How long something is along an axis, if it is of a value that is handed over."""
        part = self.part(node)
        return self.of(node) if part is None else frozenset(((part[0], part[1] + axis),))

    def until(self, test: ast.expr, body: Sequence[ast.stmt]) -> Sources:
        """What a count may go up to that ends by `test`: of what the loop does not change."""
        changed = stored(body)
        found = _NOTHING
        for node in every(test):
            if isinstance(node, ast.Compare):
                for side in (node.left, *node.comparators):
                    names = {n.id for n in every(side) if isinstance(n, ast.Name)}
                    if names and not names & changed:
                        found |= self.of(side)
        return found

    def _each_from(self, value: ast.expr, parts: Sequence[ast.expr]) -> list[Sources]:
        """The values that each of the `parts` of a target, to which `value` goes, may come from."""
        match value:
            case ast.Attribute(value=one, attr="shape") if len(parts) > 1 and not _starred(parts):
                return [self._along(one, axis) for axis in range(len(parts))]
        return [self.of(one) for one in _each(value, parts)]

    def along(self, target: ast.expr, body: Sequence[ast.AST]) -> Sources:
        """The values that `body` goes through by `target`."""
        found = _NOTHING
        for node in (inner for top in body for inner in every(top)):
            if isinstance(node, ast.Subscript) and isinstance(target, ast.Name):
                names = [i.id for i in items_of(node.slice) if isinstance(i, ast.Name)]
                if target.id in names:
                    found |= self.of(node.value)
        return found

    # ------------------------------------------------------------------ how often at the most

    def short(self, items: ast.expr, elements: bool = False) -> int:
        """How many loops over the largest of the values one over `items` is; 0: unknown.

        With `elements`, elements of these are taken to be no larger.
        """
        match items:
            case ast.Name(id=name):
                return int(name in self.parts)
            case ast.Attribute():
                return int(root_of(items) in self.parts)
            case ast.Subscript(value=value):
                return self.short(value)
            case ast.Call(func=ast.Name(id="range"), args=args):
                degrees = [self.degree(arg, elements) for arg in args]
                return 0 if None in degrees else max([1, *(d for d in degrees if d is not None)])
            case ast.Call(func=ast.Name(id=name), args=args) if name in ALONG and args:
                ones = args if name == "zip" else args[:1]
                found = [self.short(arg, elements) for arg in ones]
                return max(found) if all(found) else 0
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                return int(bool(elts))
            case ast.ListComp(generators=[ast.comprehension(iter=inner)]):
                return self.short(inner, elements)
        return 0

    def degree(self, value: ast.expr, elements: bool = False) -> int | None:
        """The power of the largest of the values that `value` is at the most, about."""
        match value:
            case ast.Constant(value=int()):
                return 0  # `least` has it
            case ast.Name(id=name):
                return 1 if name in self.known else None
            case ast.Attribute(value=ast.Name(), attr="ndim" | "shape"):
                return 1
            case ast.Attribute(attr="size"):
                return 2
            case ast.Subscript(value=ast.Attribute(attr="shape")):
                return 1
            case ast.Attribute():
                return 1 if root_of(value) in self.known else None
            case ast.Subscript(value=ast.Name() | ast.Subscript()):
                return 1 if elements else None
            case ast.UnaryOp(operand=operand):
                return self.degree(operand, elements)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _PLAIN | ast.Mult):
                one, two = self.degree(left, elements), self.degree(right, elements)
                if one is None or two is None:
                    return None
                return one + two if isinstance(op, ast.Mult) else max(one, two)
            case ast.Call(func=ast.Name(id="len"), args=[_]):
                return 1
            case ast.Call(func=ast.Name(id="min" | "max" | "int" | "abs"), args=args) if args:
                found = [self.degree(arg, elements) for arg in args]
                return None if None in found else max(d for d in found if d is not None)
        return None

    def least(self, items: ast.expr) -> int:
        """The largest number in `items`, and how many of them are written out."""
        nodes = list(every(items))
        numbers = [_number(n) for n in nodes if isinstance(n, ast.Constant)]
        sizes = [len(n.elts) for n in nodes if isinstance(n, ast.Tuple | ast.List)]
        named = [self.numbers.get(n.id, 0) for n in nodes if isinstance(n, ast.Name)]
        return max((*(n for n in numbers if n is not None), *sizes, *named, 0))

    def through(
        self, target: ast.expr, items: ast.expr, body: Sequence[ast.AST], at: int
    ) -> tuple[int, Sources, int] | None:
        """So many loops is one over `items`, by what, and how often it runs at the least.

        None: nobody knows.  Its names stand for these items from then on.

        Parameters
        ----------
        at
            Place of the loop around it.
        """
        loops, least = self.short(items), self.least(items)
        if not loops:
            loops, least = self.short(items, elements=True), USUAL
            if not loops:
                return None
        sources = self.lengths(items)
        if not sources and not least:
            least = USUAL
        if least == USUAL and at and self.each.get(_consecutive(items)) == at:
            along = self.along(target, body)
            least = CONSECUTIVE if along else USUAL
            sources |= along
        self.goes_through(target, items, loops, sources)
        return loops, sources, least

    def counts(self, target: ast.expr, items: ast.expr, at: int) -> None:
        """The loop at place `at` counts each number of a range in `target`."""
        if isinstance(target, ast.Name) and _is_range(items):
            self.each[target.id] = at


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


def items_of(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return [part for item in node.elts for part in items_of(item)]
    return [node]


def _each(value: ast.expr, parts: Sequence[ast.expr]) -> Sequence[ast.expr]:
    """What each of the `parts` of a target gets, or is in, to which `value` goes."""
    if isinstance(value, ast.Tuple) and len(value.elts) == len(parts) > 1 and not _starred(parts):
        return value.elts
    return [value] * len(parts)


def _starred(parts: Sequence[ast.expr]) -> bool:
    return any(isinstance(part, ast.Starred) for part in parts)


def _difference(one: ast.expr, other: ast.expr) -> dict[str, int] | None:
    """How often each name is in ``one - other``, as ``r`` twice from ``i - r`` to ``i + r``.

    None: there is more in it than names and numbers.
    """
    found: dict[str, int] = {}
    rest = [(one, 1), (other, -1)]
    while rest:
        node, sign = rest.pop()
        match node:
            case ast.Name(id=name):
                found[name] = found.get(name, 0) + sign
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                rest += [(left, sign), (right, sign if isinstance(op, ast.Add) else -sign)]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                rest.append((operand, -sign))
            case ast.Constant():
                pass
            case _:
                return None
    return {name: times for name, times in found.items() if times}


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop with that `body` may end early."""
    for stmt in body:
        if isinstance(stmt, ast.Break | ast.Return):
            return True
        inner = [one for one in children(stmt) if isinstance(one, ast.stmt)]
        if isinstance(stmt, ast.For | ast.While):  # only from there
            inner = [node for node in every(stmt) if isinstance(node, ast.Return)]
        if leaves(inner):
            return True
    return False


def _number(value: ast.expr) -> int | None:
    """An integer that is written out, or the largest that matters."""
    match value:
        case ast.Constant(value=number) if type(number) is int:
            return min(number, _LARGEST)
    return None


def root_of(node: ast.expr) -> str:
    """The name at the beginning of a chain of attributes."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
