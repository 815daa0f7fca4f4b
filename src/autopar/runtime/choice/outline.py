"""The loops of a nest and how much work stands in each: what does not change from call to call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial

from autopar.nest.hidden import DRAW, ITEMS
from autopar.nest.ir import (
    ELEMENTS,
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Element,
    Expr,
    For,
    If,
    Logic,
    Name,
    Select,
    Stmt,
    Unary,
    While,
)
from autopar.nest.walking import expressions, walk
from autopar.records import dataclass
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Node, statement

EMPTIED = Name("<emptied>")
"""In place of what ends a loop: that there is nothing left, such as in a queue."""
_SLOW = 300  # operations that a call, a power or a remainder may be worth
_INTEGERS = ("bounded", "masked", "below")  # how those are drawn that lie in a range
_FUNCTION = 5  # sums that a call of one of NumPy's functions is worth
_LIBRARY = 40
"""Operations of a kernel that a call of the C library's is worth: `exp` takes 5 ns, `pow` 11 ns."""
_SQUARED = 20
"""The same for ``x ** 2`` of a float, which is a product for most numbers (`cpu.powers`)."""
_BUILT_IN = frozenset(("abs", "bool", "float", "int", "max", "min", "round"))
"""What makes Python's own numbers of Python's own numbers, beside the functions of `math`."""
_CALLED = frozenset(
    (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "power", "hypot", "cbrt",
        "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "asin", "acos", "atan",
        "atan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "asinh", "acosh",
        "atanh", "erf", "erfc", "gamma", "lgamma",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outline:
    """Statements, as far as their cost goes.

    Attributes
    ----------
    likely, most
        Operations that are not in loops: their rough number, and a bound.
    light
        Those among the likely ones that are done with Python's own numbers alone.
    loops, whiles, branches
        What stands in the loops and the conditional blocks among them; a condition over blocks
        without loops is part of `likely` and `most`.  With a ``while`` goes what the square of a
        name is compared to, as in ``while i * i <= n``, if it is, or `EMPTIED`.
    head
        Operations that one more iteration costs of the loop that they stand in.
    numpy_s
        Seconds that NumPy takes in addition to the operations, which are the interpreter's.
    """

    likely: float
    most: int
    loops: tuple[tuple[For, Outline], ...]
    whiles: tuple[tuple[Expr | None, Outline], ...]
    branches: tuple[tuple[Outline, Outline], ...]
    head: float = 1.0
    numpy_s: float = 0.0
    light: float = 0.0

    @property
    def flat(self) -> bool:
        """Whether it costs the same for all parameters."""
        return not (self.loops or self.whiles or self.branches)


def outline(
    stmts: Iterable[Stmt],
    numpy: bool = False,
    seen: Mapping[int, For] | None = None,
    kernel: bool = False,
    python: Collection[str] = frozenset(),
) -> Outline:
    """The outline of `stmts`.

    Parameters
    ----------
    numpy
        Whether NumPy does what stands for statements on whole arrays, and draws numbers; else they
        are loops.
    seen
        Loops by their ids, in place of those in `stmts`, whose ranges are said in another way.
    kernel
        Whether operations are those of a kernel, where a call of `exp` takes as long as dozens of
        others; not of the interpreter, where it takes as long as a few.
    python
        Names of numbers that are Python's own: its interpreter has less to do for these than for
        what comes out of an array.
    """
    inside = partial(outline, numpy=numpy, seen=seen, kernel=kernel, python=python)
    likely: float = 0
    light: float = 0
    most = 0
    numpy_s = 0.0
    loops: list[tuple[For, Outline]] = []
    whiles: list[tuple[Expr | None, Outline]] = []
    branches: list[tuple[Outline, Outline]] = []
    for stmt in stmts:
        weights = [_weight(expr) for top in expressions(stmt) for expr in walk(top)]
        likely += len(weights) + isinstance(stmt, Assign)
        most += 1 + sum(weights)
        if python and _is_light(stmt, python):
            light += len(weights) + isinstance(stmt, Assign)
        if kernel:
            likely += sum(_called(expr) for top in expressions(stmt) for expr in walk(top))
        if numpy:
            numpy_s += sum(_drawn_s(expr) for top in expressions(stmt) for expr in walk(top))
        match stmt:
            case For(var=var, body=body) if numpy and var.startswith(ELEMENTS):
                whole = _of_numpy(body)
                numpy_s += MACHINE.numpy_call_s * _all_s(whole) / MACHINE.numpy_element_s
                loops.append(((seen or {}).get(stmt.id, stmt), whole))
            case For(body=body):
                loops.append(((seen or {}).get(stmt.id, stmt), inside(body)))
            case While(test=test, body=body):
                limit = EMPTIED if _empties(test) else _above_a_square(test)
                whiles.append((limit, inside(body)))
            case If(body=body, orelse=orelse):
                one, two = inside(body), inside(orelse)
                if one.flat and two.flat:
                    longer = max(one, two, key=lambda block: block.likely)
                    likely += longer.likely
                    light += longer.light
                    most += max(one.most, two.most)
                    numpy_s += max(one.numpy_s, two.numpy_s)
                else:
                    branches.append((one, two))
    inner = tuple(loops), tuple(whiles), tuple(branches)
    return Outline(likely, most, *inner, numpy_s=numpy_s, light=light)


def written_out(part: Outline) -> float:
    """Operations in the text of `part`, however often they are done."""
    inside = [body for _, body in (*part.loops, *part.whiles)]
    inside += [block for pair in part.branches for block in pair]
    return part.likely + sum(map(written_out, inside))


def has_whiles(part: Outline) -> bool:
    """Whether nobody knows before how often some loop in `part` runs."""
    inside = [body for _, body in part.loops]
    inside += [block for pair in part.branches for block in pair]
    return bool(part.whiles) or any(map(has_whiles, inside))


def _of_numpy(stmts: Iterable[Stmt]) -> Outline:
    """What NumPy does for each element of an array."""
    passes = 0
    loops = []
    for stmt in stmts:
        passes += sum(_passes(expr) for top in expressions(stmt) for expr in walk(top))
        if isinstance(stmt, Assign):
            passes += 1
        elif isinstance(stmt, For):
            loops.append((stmt, _of_numpy(stmt.body)))
    element_s = MACHINE.numpy_element_s
    return Outline(0.0, 0, tuple(loops), (), (), head=0.0, numpy_s=passes * element_s)


def _all_s(part: Outline) -> float:
    """Seconds of `part` if each of its loops ran once."""
    return part.numpy_s + sum(_all_s(body) for _, body in part.loops)


def _drawn_s(expr: Expr) -> float:
    """Seconds of a generator's method that draws a number."""
    match expr:
        case Call(func=func) if func.startswith(DRAW):
            whole = func.removeprefix(DRAW).removesuffix(">").startswith(_INTEGERS)
            return MACHINE.draw_integer_s if whole else MACHINE.draw_s
    return 0.0


def _passes(expr: Expr) -> int:
    """How often NumPy goes through an array for `expr`."""
    match expr:
        case Call(whole=True):
            return _FUNCTION
        case Binary(whole=True) | Unary(whole=True) | Compare():
            return 1
    return 0


def _called(expr: Expr) -> int:
    """Operations that a kernel spends in the C library for `expr`."""
    match expr:
        case Binary(op="**", right=Const(value=int(exponent))):
            return _SQUARED if exponent == 2 else _LIBRARY
        case Binary(op="**"):
            return 2 * _LIBRARY
        case Call(func=func) if func.rpartition(".")[2] in _CALLED:
            return _LIBRARY
    return 0


def _is_light(stmt: Stmt, python: Collection[str]) -> bool:
    """Whether all that `stmt` does outside of what is in it is done with Python's own numbers."""
    target = stmt.target if isinstance(stmt, Assign) else None
    parts = (expr for top in expressions(stmt) for expr in walk(top))
    return (target is None or _of_python(target, python)) and all(
        _of_python(expr, python) for expr in parts
    )


def _of_python(expr: Expr | Element, python: Collection[str]) -> bool:
    match expr:
        case Name(id=name):
            return name in python
        case Call(func=func):
            return func.startswith("math.") or func in _BUILT_IN
        case Unary(whole=whole) | Binary(whole=whole):
            return not whole
    return isinstance(expr, Const | Compare | Logic | Select)


def _empties(test: Expr) -> bool:
    """Whether a loop goes on as long as a list that the nest makes has items, at the most."""
    return any(isinstance(one, Name) and one.id.startswith(ITEMS) for one in walk(test))


def _above_a_square(test: Expr) -> Expr | None:
    """What is to be above the square of a name for a loop to go on."""
    match test:
        case Compare("<" | "<=", Binary("*", Name(id=one), Name(id=two)), limit) if one == two:
            return limit
    return None


def _weight(expr: Expr) -> int:
    slow = isinstance(expr, Call) or (isinstance(expr, Binary) and expr.op in ("%", "//", "**"))
    return _SLOW if slow else 1


_MOST_KNOWN = 4096
_known: dict[int, tuple[Node, Outline]] = {}  # by identity: to compare nodes is to walk them


def outlined(node: Node) -> Outline:
    """The outline of a node of a plan, made once."""
    known = _known.get(id(node))
    if known is not None and known[0] is node:
        return known[1]
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    made = outline((statement(node),), kernel=True)
    _known[id(node)] = node, made
    return made
