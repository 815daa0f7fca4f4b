"""Runs of statements that stand in no loop: which of them may be worth a kernel.

They compute with whole arrays, or have comprehensions in them.  A run is lifted as a nest whose
one loop is gone through once; see `lift.lift_run`.  What its names are, numbers or arrays, only a
call knows.  So the text decides what is taken into a run, and `runtime.glance` looks at the
values before anything is asked that costs time.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from autopar.nest.text.folding import named
from autopar.nest.text.reach import path_of
from autopar.nest.text.reading import METHODS
from autopar.nest.trees import all_copied, children, every

_LEAST = 2
"""Operations from which on a run may be better than NumPy, which does them one by one."""

_MOST_AXES = 64  # of an array of NumPy's

RETURNED = "<returned>"
"""What a run returns, among its results."""

_ODD = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.SetComp | ast.DictComp

_FUNCTIONS = frozenset(
    (
        "abs", "absolute", "add", "all", "amax", "amin", "any", "arccos", "arccosh", "arcsin",
        "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "cbrt", "ceil", "clip",
        "copy", "cos", "cosh", "cumprod", "cumsum", "deg2rad", "diff", "divide", "dot", "empty",
        "empty_like", "exp", "exp2", "expm1", "fabs", "float32", "float64", "floor", "fmax",
        "fmin", "full", "full_like", "hypot", "int32", "int64", "isfinite", "isinf", "isnan",
        "len", "log", "log10", "log1p", "log2", "logical_and", "logical_not", "logical_or",
        "max", "maximum", "mean", "min", "minimum", "mod", "multiply", "negative", "norm", "ones",
        "ones_like", "outer", "power", "prod", "rad2deg", "reciprocal", "remainder", "rint",
        "roll", "sign", "sin", "sinh", "sqrt", "square", "std", "subtract", "sum", "tan", "tanh",
        "true_divide", "trunc", "var", "where", "zeros", "zeros_like",
    )
)  # fmt: skip
"""What may be called in a run, by the last part of its name; what it is, the call shows."""


def imports_numpy(tree: ast.Module) -> bool:
    """Whether the text of a module imports NumPy: without it, statements are about numbers."""
    for node in every(tree):
        match node:
            case ast.Import(names=names):
                found = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module)):
                found = [module]
            case _:
                continue
        if any(name.partition(".")[0] == "numpy" for name in found):
            return True
    return False


def runs(
    block: Sequence[ast.stmt], counters: frozenset[str], arrays: bool
) -> Iterator[tuple[ast.stmt, ...]]:
    """The runs in `block`, without statements at their ends that compute nothing.

    Parameters
    ----------
    counters
        Variables of the loops around: numbers for sure, and ``a[i]`` an element most likely.
    arrays
        Whether there may be arrays; else only comprehensions are of interest.
    """
    start = 0
    while start < len(block):
        stop = start
        while stop < len(block) and _fits(block[stop], arrays):
            stop += 1
            if isinstance(block[stop - 1], ast.Return):
                break
        yield from _trimmed(block[start:stop], counters)
        start = max(stop, start + 1)


def goes_through(nodes: Sequence[ast.stmt]) -> bool:
    """Whether something in `nodes` goes through sequences item by item."""
    return any(_goes(inner) for node in nodes for inner in every(node))


def weight(nodes: Sequence[ast.stmt], counters: frozenset[str]) -> int:
    """How many operations on what may be whole arrays there are in `nodes`."""
    total = 0
    for node in nodes:
        if goes_through((node,)):
            total += _LEAST
        match node:
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value):
                total += _operations(value, counters)[0]
            case ast.AugAssign(target=target, value=value):
                own = ast.BinOp(target, ast.Add(), value)
                total += _operations(own, counters)[0]
    return total


def depths(nodes: Sequence[ast.stmt], names: Sequence[str]) -> tuple[int, ...]:
    """For each of `names`, dotted or not, with how many numbers as subscripts it always stands.

    An array with no more axes than that is nowhere in `nodes` as a whole, if what has a name in
    subscripts is a number, or an array that stands in the text in such a way itself.  0: nobody
    knows.
    """
    if goes_through(nodes):
        return (0,) * len(names)
    every_name = (n for node in nodes for n in every(node) if isinstance(n, ast.Name))
    changed = {name.id for name in every_name if isinstance(name.ctx, ast.Store)}
    found = dict.fromkeys(names, _MOST_AXES)

    def visit(node: ast.AST, depth: int) -> None:
        match node:
            case ast.Subscript(value=value, slice=index):
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                numbers = all(_is_number(part, changed) for part in parts)
                visit(value, depth + len(parts) if numbers else 0)
                for part in parts:
                    visit(part, 0)
                return
            case ast.Attribute(value=ast.Name(), attr="shape" | "size" | "ndim" | "dtype"):
                return
            case ast.Name() | ast.Attribute():
                name = path_of(node)
                if name in found:
                    found[name] = min(found[name], depth)
                    return
        for child in children(node):
            visit(child, 0)

    for node in nodes:
        visit(node, 0)
    return tuple(0 if depth == _MOST_AXES else depth for depth in found.values())


def _is_number(index: ast.expr, changed: Collection[str]) -> bool:
    """Whether `index` is a number, where names that nothing here is assigned to are."""
    match index:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Name(id=name):
            return name not in changed
        case ast.UnaryOp(operand=operand):
            return _is_number(operand, changed)
        case ast.BinOp(left=left, right=right):
            return _is_number(left, changed) and _is_number(right, changed)
        case ast.Subscript(value=value):
            return bool(path_of(value))
    return False


def versions(run: Sequence[ast.stmt]) -> tuple[list[ast.stmt], dict[str, str]]:
    """`run` with another name for each value that a name is given, and its last names.

    ``u = u + v; u = 2 * u`` becomes ``<u> = u + v; <<u>> = 2 * <u>``, so that no name is both a
    live-in and a result, or two arrays.  What is augmented in place keeps its name.

    References
    ----------
    Static single assignment form for a basic block: Aho, Lam, Sethi, Ullman, "Compilers", 2nd ed.,
    section 6.2.4.
    """
    last: dict[str, str] = {}
    met: set[str] = set()
    made: list[ast.stmt] = []
    for stmt in all_copied(run):
        names = [node for node in every(stmt) if isinstance(node, ast.Name)]
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        for node in names:
            if node is not target:
                now = last.get(node.id, node.id)
                met.add(node.id)
                if isinstance(node.ctx, ast.Store):
                    last[node.id] = now
                node.id = now
        if isinstance(target, ast.Name):
            name, now = target.id, last.get(target.id, target.id)
            last[name] = target.id = f"<{now}>" if name in met else now
            met.add(name)
        made.append(stmt)
    return made, last


def returned(run: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`run` with a name for what it returns."""
    match run:
        case [*others, ast.Return(value=ast.expr() as value) as last]:
            target = ast.copy_location(ast.Name(RETURNED, ast.Store()), last)
            return [*others, ast.copy_location(ast.Assign([target], value), last)]
    return run


def parts(run: Sequence[ast.stmt], counters: frozenset[str]) -> Iterator[tuple[ast.stmt, ...]]:
    """The statements of a run that may be worth a kernel alone, where the whole is refused."""
    if len(run) > 1:
        yield from ((node,) for node in run if weight((node,), counters) >= _LEAST)


def _trimmed(run: Sequence[ast.stmt], counters: frozenset[str]) -> Iterator[tuple[ast.stmt, ...]]:
    working = [k for k, node in enumerate(run) if weight((node,), counters)]
    if working:
        found = tuple(run[working[0] : working[-1] + 1])
        if weight(found, counters) >= _LEAST:
            yield found


def _fits(node: ast.stmt, arrays: bool) -> bool:
    """Whether `node` may be in a run: what it computes is assigned, or returned."""
    match node:
        case ast.Assign(value=ast.Name() | ast.Attribute() | ast.Tuple()):
            return False  # another name for what there is: nothing to compute
        case ast.Assign(targets=[ast.Name() | ast.Subscript() | ast.Attribute()]):
            pass
        case ast.AugAssign(target=ast.Name() | ast.Subscript() | ast.Attribute()):
            pass
        case ast.Return(value=ast.BinOp() | ast.Call() | ast.ListComp() | ast.UnaryOp()):
            pass
        case _:
            return False
    if goes_through((node,)):
        return not any(isinstance(inner, _ODD) for inner in every(node))
    return arrays and all(_known(inner) for inner in every(node))


def _goes(node: ast.AST) -> bool:
    match node:
        case ast.ListComp() | ast.GeneratorExp():
            return True
        case ast.Call(func=ast.Name(id="map" | "filter")):
            return True
        case ast.Call(func=ast.Name(id="min" | "max"), keywords=[ast.keyword("key")]):
            return True
        case ast.Call(func=func) if named(func) is not None:
            return True
    return False


def _known(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _FUNCTIONS or name in ("float", "int")
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _FUNCTIONS or name in METHODS
        case ast.Constant(value=value):
            return value is None or value is ... or isinstance(value, int | float | complex)
        case ast.Lambda() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.NamedExpr():
            return False
        case ast.List() | ast.Dict() | ast.Set() | ast.JoinedStr() | ast.Starred():
            return False
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return False
    return True


def _operations(expr: ast.expr, counters: frozenset[str]) -> tuple[int, bool]:
    """Operations in `expr`, but for those in subscripts, and whether it may be an array itself."""
    match expr:
        case ast.Name(id=name):
            return 0, name not in counters
        case ast.Constant():
            return 0, False
        case ast.Subscript(value=value, slice=index):
            inner = _operations(value, counters)
            inside = list(every(index))
            part = any(isinstance(n, ast.Slice) for n in inside)
            element = any(isinstance(n, ast.Name) and n.id in counters for n in inside)
            return inner[0], inner[1] and (part or not element)
        case ast.Attribute(value=value, attr="shape" | "size" | "ndim"):
            return _operations(value, counters)[0], False
    parts = [e for e in children(expr) if isinstance(e, ast.expr)]
    if isinstance(expr, ast.Call) and not isinstance(expr.func, ast.Attribute):
        parts = expr.args
    found = [_operations(child, counters) for child in parts]
    whole = any(array for _, array in found)
    computes = isinstance(expr, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call)
    return sum(count for count, _ in found) + (computes and whole), whole
