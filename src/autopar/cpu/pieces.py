"""Loops in pieces, within which LLVM sees vectors.

On a torus, ``(j - 1) % n`` is ``n - 1`` once, and ``j - 1`` in all other iterations.  LLVM divides
in each, and does not know that the elements lie side by side.  And where ``a[i, j]`` is stored and
``a[i, k]`` read, one iteration of all changes what the others read.  So an innermost loop is cut
where a remainder starts anew, and around an iteration that stores what others read.  Its pieces run
one after the other, so nothing is moved.  In a piece all quotients stay what they are in its first
iteration, and all remainders grow with the variable::

    while at_ < end_:
        left_ = (at_ - 1) % n
        base_ = (at_ - 1) - left_
        ahead_ = k - at_
        until_ = at_ + min(end_ - at_, n - left_, …)
        for j in range(at_, until_):
            … (j - 1) - base_ …
        at_ = until_

References
----------
Index-set splitting: R. Allen, K. Kennedy, *Optimizing Compilers for Modern Architectures*, section
5.7.  Here the places are found as the loop runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from autopar.nest.trees import every
from autopar.records import dataclass

_STORED, _PLACES = re.compile(r"(\w+)\["), re.compile(r"\b(\w+)\[")
_FOR, _SUM = re.compile(r" *for (\w+) in "), re.compile(r" *(v\d+_) = (\w+) \+ (\d+)")
_LONG = 64
"""Iterations, or a divisor, that are worth a piece of a loop, where they are known."""


def cut(lines: Sequence[str], apart: bool = False) -> list[str]:
    """The lines of a kernel's body with innermost loops in pieces where that helps.

    Parameters
    ----------
    apart
        Whether no two arrays share memory.
    """
    found: list[str] = []
    number = k = 0
    while k < len(lines):
        if lines[k].lstrip().startswith("for "):
            end = end_of(lines, k)
            pieces = _pieces(lines[k:end], number, apart, lines[:k])
            if pieces is not None:
                found += [" " * depth_of(lines[k]) + line for line in pieces]
                number, k = number + 1, end
                continue
        found.append(lines[k])
        k += 1
    return found


def depth_of(line: str) -> int:
    """How far in a line of a kernel stands."""
    return len(line) - len(line.lstrip())


def end_of(lines: Sequence[str], k: int) -> int:
    """Where the loop that begins at line `k` has ended."""
    end, depth = k + 1, depth_of(lines[k])
    while end < len(lines) and depth_of(lines[end]) > depth:
        end += 1
    return end


def _together(before: Sequence[str], depth: int) -> dict[str, tuple[str, int]]:
    """Names for the next iterations of loops around, which go on together with the one at hand.

    Parameters
    ----------
    before, depth
        What stands in front of a loop, and how deep in that the loop is.

    Returns
    -------
    dict
        By name: the variable of the loop, and how many iterations later.
    """
    found: dict[str, tuple[str, int]] = {}
    level: list[tuple[str, str, int]] = []
    for k in range(len(before) - 1, -1, -1):
        here = depth_of(before[k])
        if here < depth:
            loop = _FOR.match(before[k])
            stored = loop and re.compile(rf" *(for )?{loop[1]}\b[^\[]*( in | = |[^ =!<>]= )")
            if loop and stored and not any(map(stored.match, before[k + 1 :])):
                found |= {name: (var, far) for name, var, far in level if var == loop[1]}
            level, depth = [], here
        elif here == depth:
            match = _SUM.fullmatch(before[k])
            if match:
                level.append((match[1], match[2], int(match[3])))
    return found


def _pieces(
    lines: Sequence[str], number: int, apart: bool, before: Sequence[str]
) -> list[str] | None:
    """The loop that `lines` are, in pieces; None where it stays as it is.

    `before` is what stands in front of it.
    """
    inside = [line.lstrip() for line in lines[1:]]
    if any(line.startswith(("for ", "while ", "break")) for line in inside):
        return None
    if not any(" % " in line or " // " in line for line in inside) and not _met(inside):
        return None
    depth = depth_of(lines[0])
    (loop,) = ast.parse("\n".join(line[depth:] for line in lines)).body
    match loop:
        case ast.For(target=ast.Name(id=var), iter=ast.Call(ast.Name(order), [start, stop])):
            pass
        case _:
            return None
    if _short(start, stop):
        return None
    at, end, until = f"at{number}_", f"end{number}_", f"until{number}_"
    turns = Turns(var, assigned(loop))
    others = _together(before, depth)
    meetings, never = _meetings(loop, turns, start, stop, number, others)
    kept = _kept(loop, meetings, never, number) if apart else {}
    replacing = _Replacing(turns, number)
    body = [replacing.visit(_Keeping(kept).visit(stmt)) for stmt in loop.body]
    periods = list(replacing.periods.values())
    if not periods and not meetings:
        return None
    lengths = [period.length() for period in periods]
    lengths += [meeting.length(f"{end} - {at}") for meeting in meetings]
    return [
        f"{at} = int64({ast.unparse(start)})",
        f"{end} = int64({ast.unparse(stop)})",
        f"while {at} < {end}:",
        *(f"    {line}" for period in periods for line in period.begin(var, at)),
        *(f"    {line}" for meeting in meetings for line in meeting.begin(var, at)),
        f"    {until} = {at} + min({', '.join((f'{end} - {at}', *lengths))})",
        *(f"    {name} = {place}" for place, name in kept.items()),
        f"    for {var} in {order}({at}, {until}):",
        *(f"        {line}" for stmt in body for line in ast.unparse(stmt).splitlines()),
        f"    {at} = {until}",
    ]


def _met(lines: Sequence[str]) -> bool:
    """Whether an array is stored into that is read as well; what is parsed says where."""
    stores = [found[1] for line in lines if (found := _STORED.match(line))]
    places = _PLACES.findall("\n".join(lines))
    return any(places.count(array) > stores.count(array) for array in {*stores})


def _short(start: ast.expr, stop: ast.expr) -> bool:
    """Whether a loop is known to have few iterations: LLVM writes them out."""
    try:
        low, high = ast.literal_eval(start), ast.literal_eval(stop)
    except ValueError:
        return False
    return bool(high - low < _LONG)


def assigned(loop: ast.For) -> frozenset[str]:
    """Names that the loop assigns."""
    names = (node for node in every(loop) if isinstance(node, ast.Name))
    return frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))


@dataclass(frozen=True, slots=True)
class Turns:
    """What is known of integers in the iterations of a loop.

    Attributes
    ----------
    var, stored
        The loop's variable, and all names that are assigned in it.
    """

    var: str
    stored: frozenset[str]

    def slope(self, expr: ast.expr) -> int | None:
        """By how much an integer grows from iteration to iteration; None if that is not known."""
        match expr:
            case ast.Constant(value=int()):
                return 0
            case ast.Name(id=name):
                return 1 if name == self.var else None if name in self.stored else 0
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()
            ):
                return 0
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                found = self.slope(operand)
                return None if found is None else -found
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                one, two = self.slope(left), self.slope(right)
                if one is None or two is None:
                    return None
                return one + two if isinstance(op, ast.Add) else one - two
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return 0 if self.slope(left) == self.slope(right) == 0 else None
        return None


def _first(expr: ast.expr, var: str, at: str) -> ast.expr:
    """`expr` in the iteration `at`."""
    copied = ast.parse(ast.unparse(expr), mode="eval").body
    for node in every(copied):
        if isinstance(node, ast.Name) and node.id == var:
            node.id = at
    return copied


# ---------------------------------------------------------------------------- remainders


@dataclass(frozen=True, slots=True)
class _Period:
    """What is divided in each iteration of a loop, and by what.

    Attributes
    ----------
    over, by
        The two; `over` goes one up, or down, from iteration to iteration.
    up
        Which of the two.
    name
        What tells its variables from those of others.
    """

    over: ast.expr
    by: str
    up: bool
    name: str

    def begin(self, var: str, at: str) -> Iterator[str]:
        """Lines that find quotient and remainder of the first iteration of a piece."""
        first = f"({ast.unparse(_first(self.over, var, at))})"
        yield f"left{self.name} = {first} % {self.by}"
        yield f"turns{self.name} = {first} // {self.by}"
        yield f"base{self.name} = {first} - left{self.name}"

    def length(self) -> str:
        """How many iterations from there have the same quotient."""
        return f"{self.by} - left{self.name}" if self.up else f"left{self.name} + 1"


class _Replacing(ast.NodeTransformer):
    """Puts what needs no division in place of quotients and remainders, and notes them."""

    def __init__(self, turns: Turns, number: int) -> None:
        self.turns, self.number = turns, number
        self.periods: dict[str, _Period] = {}

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mod | ast.FloorDiv) or not self.long(node.right):
            return node
        slope = self.turns.slope(node.left)
        if slope not in (1, -1):
            return node
        by = ast.unparse(node.right)
        if not isinstance(node.right, ast.Name | ast.Constant):
            by = f"({by})"  # it stands behind `%`
        name = f"{self.number}_{len(self.periods)}_"
        period = _Period(node.left, by, slope > 0, name)
        period = self.periods.setdefault(f"{ast.unparse(node.left)} % {by}", period)
        if isinstance(node.op, ast.FloorDiv):
            return ast.Name(f"turns{period.name}", ast.Load())
        return ast.BinOp(node.left, ast.Sub(), ast.Name(f"base{period.name}", ast.Load()))

    def long(self, divisor: ast.expr) -> bool:
        """Whether iterations agree on the divisor, which is not known to be small."""
        match divisor:
            case ast.Constant(value=int() as value):
                return value >= _LONG
        return self.turns.slope(divisor) == 0


# ---------------------------------------------------------------------------- meetings


@dataclass(frozen=True, slots=True)
class _Meeting:
    """One iteration may store what all others read.

    Attributes
    ----------
    stored, read
        Subscripts along one axis; `stored` goes one up, or down, from iteration to iteration.
    up
        Which of the two.
    others
        Pairs of subscripts that must be equal, too, in the same in all iterations.
    name
        Of its variable.
    ends
        Texts of the two elements.
    """

    stored: ast.expr
    read: ast.expr
    up: bool
    others: tuple[tuple[str, str], ...]
    name: str
    ends: Ends

    def begin(self, var: str, at: str) -> Iterator[str]:
        """Lines that find how far ahead of a piece that iteration is."""
        ends = self.read, _first(self.stored, var, at)
        read, stored = ends if self.up else reversed(ends)
        yield f"{self.name} = {ast.unparse(ast.BinOp(read, ast.Sub(), stored))}"
        for one, two in self.others:
            yield f"if {one} != {two}:"
            yield f"    {self.name} = -1"

    def length(self, rest: str) -> str:
        """How many iterations come before it; or one, itself; or the `rest`."""
        return f"({self.name} if {self.name} > 0 else 1 if {self.name} == 0 else {rest})"


Ends = tuple[str, str]


def _meetings(
    loop: ast.For,
    turns: Turns,
    start: ast.expr,
    stop: ast.expr,
    number: int,
    others: Mapping[str, tuple[str, int]],
) -> tuple[list[_Meeting], frozenset[Ends]]:
    """Where elements that are stored one after the other meet one that is read each time.

    With it go pairs of such elements that never meet.  `others` is what `_together` finds.
    """
    stores: dict[str, list[ast.expr]] = {}
    reads: dict[str, list[ast.expr]] = {}
    for node in every(loop):
        match node:
            case ast.Subscript(value=ast.Name(id=array), slice=index, ctx=ctx):
                (stores if isinstance(ctx, ast.Store) else reads).setdefault(array, []).append(
                    index
                )
    found: dict[Ends, _Meeting] = {}
    never: set[Ends] = set()
    for array, places in stores.items():
        for stored in places:
            for read in reads.get(array, ()):
                name = f"ahead{number}_{len(found)}_"
                ends = _element(array, stored), _element(array, read)
                meeting = _meeting(axes(stored), axes(read), turns, name, ends)
                if meeting is None or ends in found:
                    continue
                pairs = (
                    (_placed(one, others), _placed(two, others)) for one, two in meeting.others
                )
                if _beyond(meeting, start, stop, turns.var) or any(map(_differ, pairs)):
                    never.add(ends)
                else:
                    found[ends] = meeting
    return list(found.values()), frozenset(never)


def _placed(text: str, others: Mapping[str, tuple[str, int]]) -> dict[str, int] | None:
    """A subscript as a sum of loop variables, those of the iterations at hand."""
    try:
        form = _linear(ast.parse(text, mode="eval").body)
    except ValueError:
        return None
    made: dict[str, int] = {}
    for name, factor in form.items():
        var, far = others.get(name, (name, 0))
        made = _sum(made, {var: factor, "": factor * far} if var else {"": factor}, 1)
    return made


def _differ(pair: tuple[Mapping[str, int] | None, Mapping[str, int] | None]) -> bool:
    """Whether two sums are never the same."""
    one, two = pair
    if one is None or two is None:
        return False
    form = _sum(one, two, -1)
    return not any(name and factor for name, factor in form.items()) and form.get("", 0) != 0


def _element(array: str, index: ast.expr) -> str:
    return ast.unparse(ast.Subscript(ast.Name(array), index, ast.Load()))


def _kept(
    loop: ast.For, meetings: Sequence[_Meeting], never: frozenset[Ends], number: int
) -> dict[str, str]:
    """Elements that are the same throughout a piece, and names for what they are.

    In the iteration that stores one, it must have been read before.
    """
    found: dict[str, str] = {}
    if any(isinstance(node, ast.Return | ast.Continue) for node in every(loop)):
        return found  # what leaves an iteration may be there to keep it from such an element
    for place in dict.fromkeys(meeting.ends[1] for meeting in meetings):
        array, _, _ = place.partition("[")
        met = {meeting.ends[0] for meeting in meetings if meeting.ends[1] == place}
        named = sum(isinstance(node, ast.Name) and node.id == array for node in every(loop))
        mine = [node for node in every(loop) if _is_of(node, array)]
        stores = [node for node in mine if isinstance(node.ctx, ast.Store)]
        reads = [node.lineno for node in mine if ast.unparse(node) == place]
        at_once = any(place in map(ast.unparse, _evaluated(stmt)) for stmt in loop.body)
        before = max(reads) <= min(s.lineno for s in stores if ast.unparse(s) in met)
        others = {ast.unparse(store) for store in stores} - met
        known = named == len(mine) and all((store, place) in never for store in others)
        if at_once and before and known:
            found[place] = f"kept{number}_{len(found)}_"
    return found


def _is_of(node: ast.AST, array: str) -> TypeGuard[ast.Subscript]:
    """Whether `node` is an element of `array`."""
    match node:
        case ast.Subscript(value=ast.Name(id=name)):
            return name == array
    return False


def _evaluated(stmt: ast.stmt) -> Iterator[ast.expr]:
    """Elements that `stmt` reads in any case."""
    todo: list[ast.AST] = []
    match stmt:
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.If(test=value):
            todo.append(value)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Subscript):
            yield node
        elif isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call):
            # Of a chain of comparisons, the first one.
            parts = [node.left, node.comparators[0]] if isinstance(node, ast.Compare) else None
            todo += parts or ast.iter_child_nodes(node)


class _Keeping(ast.NodeTransformer):
    """Puts names in place of elements that are kept in them."""

    def __init__(self, kept: Mapping[str, str]) -> None:
        self.kept = kept

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name = self.kept.get(ast.unparse(node)) if isinstance(node.ctx, ast.Load) else None
        return node if name is None else ast.Name(name, ast.Load())


def axes(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _meeting(
    stored: list[ast.expr],
    read: list[ast.expr],
    turns: Turns,
    name: str,
    ends: Ends,
) -> _Meeting | None:
    if any(turns.slope(axis) != 0 for axis in read):
        return None
    slopes = [turns.slope(axis) for axis in stored]
    moving = [k for k, slope in enumerate(slopes) if slope != 0]
    if len(moving) != 1 or slopes[moving[0]] not in (1, -1):
        return None
    pairs = [(ast.unparse(one), ast.unparse(two)) for one, two in zip(stored, read, strict=True)]
    (k,) = moving
    others = tuple(pair for n, pair in enumerate(pairs) if n != k and pair[0] != pair[1])
    return _Meeting(stored[k], read[k], slopes[k] == 1, others, name, ends)


def _beyond(meeting: _Meeting, start: ast.expr, stop: ast.expr, var: str) -> bool:
    """Whether the loop is known not to come to that iteration: triangles begin behind it."""
    try:
        stored, read = _linear(meeting.stored), _linear(meeting.read)
        low, high = _linear(start), _linear(stop)
    except ValueError:
        return False
    sign = 1 if meeting.up else -1
    # Where `var` is in that iteration, and how far behind it the loop starts or stops.
    where = _sum(read, stored, -1)
    where = {name: sign * factor for name, factor in where.items() if name != var}
    behind, before = _sum(low, where, -1), _sum(where, high, -1)
    return _known(behind, 1) or _known(before, 0)


def _known(form: Mapping[str, int], least: int) -> bool:
    """Whether a linear form is a number, of at least so much."""
    return not any(name and factor for name, factor in form.items()) and form.get("", 0) >= least


def _sum(one: Mapping[str, int], two: Mapping[str, int], factor: int) -> dict[str, int]:
    """``one + factor * two``."""
    return {name: one.get(name, 0) + factor * two.get(name, 0) for name in {*one, *two}}


def _linear(expr: ast.expr) -> dict[str, int]:
    """Factors of the names in a sum, that of "" being a number.

    Raises
    ------
    ValueError
        It is no such sum.
    """
    match expr:
        case ast.Constant(value=int() as value):
            return {"": value}
        case ast.Name(id=name):
            return {name: 1}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _sum({}, _linear(operand), -1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            return _sum(_linear(left), _linear(right), 1 if isinstance(op, ast.Add) else -1)
    raise ValueError(ast.unparse(expr))
