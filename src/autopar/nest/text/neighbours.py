"""Loops that stand next to one another: which of them may be one nest.

What they hand on in arrays then stays on a device, for nobody can look at it in between, and the
schedule may fuse them.  Each is a candidate of its own as well, asked where they are declined
together.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from autopar.nest.text.building import last_name
from autopar.nest.text.heaps import WORDS as HEAPS
from autopar.nest.text.leaving import Loop, exits
from autopar.nest.text.lookups import beginning
from autopar.nest.text.unfolded import is_folded
from autopar.nest.trees import every

_MAKING = frozenset(
    ("Counter", "abs", "add", "append", "defaultdict", "deque", "dict", "exponential",
     "expovariate", "float", "fromkeys", "full", "gauss", "heappop", "heappush", "int", "integers",
     "len", "log", "max", "min", "normal", "ones", "randint", "random", "randrange", "range", "set",
     "sqrt", "uniform", "zeros")
)  # fmt: skip
_LEAVING = ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await
_MOST_LOOPS = 6
_MOST_STATEMENTS = 40
"""Beyond, the analysis takes long, and a call must do much to be worth all the kernels."""


def neighbours(
    block: Sequence[ast.stmt], fits: Callable[[Loop], bool]
) -> Iterator[tuple[ast.stmt, ...]]:
    """Runs of statements in `block` that begin and end with a loop and have several.

    Between loops there may be assignments of numbers to names.

    Parameters
    ----------
    fits
        Whether a loop may be taken at all.
    """
    first = 0
    while first < len(block):
        last = first
        loops = statements = 0
        for k in range(first, len(block)):
            node = block[k]
            if isinstance(node, Loop):
                if not fits(node) or node.orelse or exits(node):
                    break
                statements += _size(node)
                if loops == _MOST_LOOPS or (loops and statements > _MOST_STATEMENTS):
                    break
                loops, last = loops + 1, k
            elif not loops or not _assigns_number(node):
                break
        if loops > 1:
            yield tuple(block[first : last + 1])
        first = last + 1


def searches(block: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, ...]]:
    """Loops in `block` with what they fill or empty, each from where that is made on.

    A queue, a heap, a set or a stack of before the loop is somebody else's; with the statement that
    makes it, and all up to the loop, it is one of the nest's own.
    """
    for k, loop in enumerate(block):
        if not isinstance(loop, Loop) or loop.orelse:
            continue
        filled, heaps = _filled(loop), _heaps(loop)
        emptied = _emptied(loop) if isinstance(loop, ast.While) else set[str]()
        if not (emptied or filled or heaps) or _size(loop) > _MOST_STATEMENTS:
            continue
        # What goes through something else may store in lists and dictionaries of somebody else.
        tables = {name for name, key in filled.items() if key or isinstance(loop, ast.While)}
        holders = emptied | heaps | (filled.keys() if emptied else set())
        first = k
        for j in range(k - 1, -1, -1):
            if not _makes(block[j]):
                break
            if _made(block[j]) & holders or _made_table(block[j]) & tables:
                first = j
        if first < k:
            yield tuple(block[first : k + 1])


def _emptied(loop: Loop) -> set[str]:
    """Names of what has fewer and fewer items in `loop`."""
    found = _heaps(loop)
    for node in every(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pop" | "popleft")):
                found.add(name)
    return found


def _heaps(loop: Loop) -> set[str]:
    """Names of heaps in `loop`."""
    found = set()
    for node in every(loop):
        match node:
            case ast.Call(func=func, args=[ast.Name(id=name), *_]) if last_name(func) in HEAPS:
                found.add(name)
    return found


def _filled(loop: Loop) -> dict[str, bool]:
    """What has more and more items in `loop`, or others, by name.

    Returns
    -------
    dict
        Whether it is a set, or has tuples for keys: no list, nor a dictionary that somebody else
        may have made.
    """
    found: dict[str, bool] = {}
    for node in every(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="add")):
                found[name] = True
            case ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Store()):
                found[name] = isinstance(key, ast.Tuple)
    return found


def _made_table(node: ast.stmt) -> set[str]:
    """The name that begins with `node` as a set or a dictionary."""
    begun = beginning(node)
    if begun is not None:
        return {begun.name}
    return _made(node) if is_folded(node) else set()


def _made(node: ast.stmt) -> set[str]:
    """The names that begin with `node`, as something that holds others."""
    holders = ast.List | ast.Call | ast.Tuple | ast.Set | ast.Dict | ast.SetComp | ast.DictComp
    match node:
        case ast.Assign(targets=targets, value=value) if isinstance(value, holders):
            inner = (part for target in targets for part in every(target))
            return {part.id for part in inner if isinstance(part, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if isinstance(value, holders):
            return {name}
    return set()


def _makes(node: ast.stmt) -> bool:
    """Whether `node` may do no more than to make something that a loop needs, or to change it."""
    match node:
        case (
            ast.Assign()
            | ast.AnnAssign(value=ast.expr())
            | ast.AugAssign()
            | ast.Expr()
            | ast.For()
            | ast.If()
        ) if not _leads_elsewhere(node):
            called = (part.func for part in every(node) if isinstance(part, ast.Call))
            return all(last_name(func) in _MAKING for func in called)
    return False


def _leads_elsewhere(node: ast.stmt) -> bool:
    """Whether something else than what follows `node` may be executed after it."""
    parts = every(node)
    if any(isinstance(part, _LEAVING) or getattr(part, "orelse", ()) for part in parts):
        return True
    # In an `if`, they are about the loop around.
    around = isinstance(node, ast.If)
    return around and any(isinstance(part, ast.Break | ast.Continue) for part in parts)


def _size(node: ast.stmt) -> int:
    return sum(isinstance(inner, ast.stmt) for inner in every(node))


def _assigns_number(node: ast.stmt) -> bool:
    """Whether `node` gives a name a value that is likely to be a number."""
    match node:
        case (
            ast.Assign(targets=[ast.Name()], value=value)
            | ast.AugAssign(target=ast.Name(), value=value)
        ):
            return all(map(_plain, every(value)))
    return False


def _plain(node: ast.AST) -> bool:
    return isinstance(
        node,
        ast.Name
        | ast.Constant
        | ast.BinOp
        | ast.UnaryOp
        | ast.operator
        | ast.unaryop
        | ast.Subscript
        | ast.Attribute
        | ast.Tuple
        | ast.expr_context,
    ) and not (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
