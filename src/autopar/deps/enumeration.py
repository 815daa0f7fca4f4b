"""Sets of isl's as texts that list their points, as `deps.cells` takes them.

What isl makes of a set is not believed: the loops are made a set again, which must be the same.
(For ``35*floor((x - 16)/35) <= x - 46``, a remainder of 30 or more, where `x` has two subscripts in
it, isl 0.27 leaves out most points.)

References
----------
T. Grosser, S. Verdoolaege, A. Cohen, "Polyhedral AST generation is more than scanning polyhedra",
ACM TOPLAS 37(4), 2015, for the loops that isl makes of a set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import islpy as isl

from autopar.deps.cells import NO_CELLS, Cells
from autopar.deps.sets import SAFE, Solver, formula, intricate, python, wider
from autopar.deps.system import TooHard

_NAME = re.compile(r"\bc\d+\b")
_MOST_PIECES = 8  # of one set; each becomes loops of its own
_LONGEST = 8000  # characters
_NODE: Any = isl.ast_node_type
_OP: Any = isl.ast_expr_op_type
_PARAM: Any = isl.dim_type.param
_Span = tuple[str, str]  # a loop's variable and its step


def simple(points: Any, bounds: Any) -> Any:
    """`points`, or a superset of them in `bounds` that takes isl no time to speak of."""
    if any(map(intricate, points.get_basic_sets())):
        return wider(points).intersect(bounds)
    points = points.coalesce()
    return points if points.n_basic_set() <= _MOST_PIECES else wider(points).intersect(bounds)


def listed(points: Any, solver: Solver, names: Sequence[str]) -> Cells:
    """A text that lists `points`, each once.

    Parameters
    ----------
    names
        Of the parameters, in order.

    Raises
    ------
    TooHard
        There is none of a reasonable length.
    """
    if points.is_empty():
        return NO_CELLS
    apart = points.make_disjoint().coalesce()
    pieces = apart.get_basic_sets()
    if len(pieces) > _MOST_PIECES:
        raise TooHard("a set of many pieces")
    lines: list[str] = []
    for piece in pieces:
        solver.hurry()
        some = isl.Set.from_basic_set(piece)
        loops = _loops(some, solver)
        if not reached(loops, some).is_equal(some):
            raise TooHard("loops that do not go through a set")
        lines += _lines(loops, "", ())
    text = "\n".join(lines)
    if len(text) > _LONGEST:
        raise TooHard("a long text")
    used = sorted({int(m[1]) for m in SAFE.finditer(text)})
    place = {k: at for at, k in enumerate(used)}
    text = SAFE.sub(lambda m: f"p{place[int(m[1])]}", text)
    return Cells(text, tuple(names[k] for k in used))


def _loops(points: Any, solver: Solver) -> Any:
    """isl's loops through `points` in the order of their subscripts."""
    named = points.set_tuple_name("S")
    same = isl.Map.identity(named.get_space().map_from_set()).intersect_domain(named)
    order = isl.UnionMap.from_map(same.reset_tuple_id(isl.dim_type.out))
    return solver.build.node_from_schedule_map(order)


def reached(node: Any, points: Any) -> Any:
    """The set that the loops of `node` go through, in the space of `points`."""
    names = [points.get_dim_name(_PARAM, k) for k in range(points.dim(_PARAM))]
    found = points.subtract(points)
    for inner, given, place in _leaves(node, (), ()):
        subscripts = [f"x{k}" for k in range(len(place))]
        tests = (*given, *(f"{x} = {text}" for x, text in zip(subscripts, place, strict=True)))
        within = (
            f"exists ({', '.join(inner)} : {' and '.join(tests)})" if inner else " and ".join(tests)
        )
        text = f"[{', '.join(names)}] -> {{ [{', '.join(subscripts)}] : {within} }}"
        try:
            found = found.union(isl.Set.read_from_str(points.get_ctx(), text))
        except isl.Error as error:
            raise TooHard("loops that isl does not read") from error
    return found


def _leaves(
    node: Any, loops: tuple[str, ...], given: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], list[str]]]:
    """For each point in the text, what the loops and tests around it say, and its subscripts."""
    kind = node.get_type()
    if kind == _NODE.block:
        for child in _children(node):
            yield from _leaves(child, loops, given)
    elif kind == _NODE.if_:
        test = formula(node.if_get_cond())
        yield from _leaves(node.if_get_then_node(), loops, (*given, test))
        if node.if_has_else_node():
            yield from _leaves(node.if_get_else_node(), loops, (*given, f"not {test}"))
    elif kind == _NODE.for_:
        name, first = _text(node.for_get_iterator()), formula(node.for_get_init())
        tests = [f"{name} = {first}"]
        if not node.for_is_degenerate():
            step = formula(node.for_get_inc())
            tests = [f"{name} >= {first}", formula(node.for_get_cond())]
            tests += [] if step == "1" else [f"({name} - {first}) mod {step} = 0"]
        yield from _leaves(node.for_get_body(), (*loops, name), (*given, *tests))
    elif kind == _NODE.user:
        call = node.user_get_expr()
        subscripts = (call.get_op_arg(k) for k in range(1, call.get_op_n_arg()))
        yield loops, given, list(map(formula, subscripts))
    else:
        raise TooHard("a loop of another kind")


def _lines(node: Any, pad: str, spans: tuple[_Span, ...]) -> Iterator[str]:
    """Statements for `node`, in loops whose variables `spans` stay at their first values."""
    kind, inner = node.get_type(), pad + "    "
    if kind == _NODE.block:
        for child in _children(node):
            yield from _lines(child, pad, spans)
    elif kind == _NODE.if_:
        yield f"{pad}if {_text(node.if_get_cond())}:"
        yield from _lines(node.if_get_then_node(), inner, spans)
        if node.if_has_else_node():
            yield f"{pad}else:"
            yield from _lines(node.if_get_else_node(), inner, spans)
    elif kind == _NODE.for_:
        name, body = _text(node.for_get_iterator()), node.for_get_body()
        first = _text(node.for_get_init())
        if node.for_is_degenerate():
            yield f"{pad}{name} = {first}"
            yield from _lines(body, pad, spans)
            return
        step = _text(node.for_get_inc())
        around = f"range({first}, {_stop(node, name)}, {step})"
        if name in set(_needed(body)):
            yield f"{pad}for {name} in {around}:"
            yield f"{inner}step()"
            yield from _lines(body, inner, spans)
        else:
            yield f"{pad}n_{name} = len({around})"
            yield f"{pad}if n_{name}:"
            yield f"{inner}{name} = {first}"
            yield from _lines(body, inner, (*spans, (name, step)))
    elif kind == _NODE.user:
        place = _place(node)
        directions = "".join(f"(n_{n}, {_tuple(_along(place, n, by))}), " for n, by in spans)
        yield f"{pad}add({_tuple(place)}, ({directions}))"
    else:
        raise TooHard("a loop of another kind")


def _along(place: Sequence[str], name: str, step: str) -> list[str]:
    """The step of the loop over `name` along each axis."""
    found = [step if axis == name else "0" for axis in place]
    if name not in place:
        raise TooHard("a loop that leads nowhere")
    return found


def _tuple(parts: Sequence[str]) -> str:
    return f"({''.join(f'{part}, ' for part in parts)})"


def _stop(node: Any, name: str) -> str:
    """Where a loop ends, as `range` has it."""
    test = node.for_get_cond()
    if _text(test.get_op_arg(0)) != name:
        raise TooHard("an end of a loop")
    end = _text(test.get_op_arg(1))
    if test.get_op_type() == _OP.lt:
        return end
    if test.get_op_type() == _OP.le:
        return f"({end}) + 1"
    raise TooHard("an end of a loop")


def _needed(node: Any) -> Iterator[str]:
    """Loop variables in `node` whose every value is needed, not only how many there are."""
    kind = node.get_type()
    texts: list[str] = []
    inner: list[Any] = []
    if kind == _NODE.block:
        inner += _children(node)
    elif kind == _NODE.if_:
        texts.append(_text(node.if_get_cond()))
        inner.append(node.if_get_then_node())
        if node.if_has_else_node():
            inner.append(node.if_get_else_node())
    elif kind == _NODE.for_:
        ends = [node.for_get_init(), node.for_get_inc()]
        texts += [_text(end) for end in ends]
        if not node.for_is_degenerate():
            texts.append(_text(node.for_get_cond()))
        inner.append(node.for_get_body())
    elif kind == _NODE.user:
        texts += [axis for axis in _place(node) if not _NAME.fullmatch(axis)]
    for text in texts:
        yield from _NAME.findall(text)
    for child in inner:
        yield from _needed(child)


def _children(node: Any) -> list[Any]:
    children = node.block_get_children()
    return [children.get_ast_node(k) for k in range(children.n_ast_node())]


def _place(node: Any) -> list[str]:
    """The subscripts of the point that a loop has come to."""
    call = node.user_get_expr()
    return [_text(call.get_op_arg(k)) for k in range(1, call.get_op_n_arg())]


def _text(expr: Any) -> str:
    found: str = python(expr)[0]
    return found
