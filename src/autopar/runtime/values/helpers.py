"""Functions of the user's that nests call: their text, found and made sure of."""

from __future__ import annotations

import ast
import functools
import linecache
import marshal
from collections.abc import Iterator
from importlib.util import decode_source
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CodeType, FunctionType
from typing import Any

from autopar import pipeline
from autopar.digest import digest
from autopar.nest.calls.definition import Helper
from autopar.nest.hidden import CLOSURE, DEFAULTS, GLOBALS
from autopar.nest.trees import every
from autopar.records import replace
from autopar.runtime.process import rewritten
from autopar.runtime.values.plain import Method
from autopar.runtime.values.spelled import spelled
from autopar.verdict import Reason, Refusal, Span

MISSING = object()


def plain_function(value: Any) -> FunctionType | None:
    """The function that `value` is, or is the method of, where its text says what it does."""
    if type(value) is Method:
        value = value.function
    return value if type(value) is FunctionType else spelled(value)


def named(function: Any, scope: str, name: str) -> Any:
    """What `name` means in `function`, or `MISSING`.

    Parameters
    ----------
    scope
        Where to look: one of those of `nest.calls.inline`.
    """
    function = plain_function(function)
    if function is None:
        return MISSING
    if scope == DEFAULTS and name.isidentifier():
        return (function.__kwdefaults__ or {}).get(name, MISSING)
    if scope == DEFAULTS:
        values = function.__defaults__ or ()
        return values[int(name)] if -int(name) <= len(values) else MISSING
    if scope == CLOSURE:
        names = function.__code__.co_freevars
        if name not in names or function.__closure__ is None:
            return MISSING
        try:
            return function.__closure__[names.index(name)].cell_contents
        except ValueError:  # not assigned yet
            return MISSING
    assert scope == GLOBALS
    if name in function.__globals__:
        return function.__globals__[name]
    return function.__builtins__.get(name, MISSING)


def definition(
    function: FunctionType | Method, file: str, space: dict[str, Any]
) -> Helper | Refusal:
    """The helper that `function` is, read from the text of its file.

    Parameters
    ----------
    file, space
        The file of the nest that calls it, and the names of that module: what NumPy warns of must
        come from there, or else the interpreter must say it.

    Notes
    -----
    A text that has changed since, or another one, is noticed: it is compiled, and the code must be
    that of the function.  The text of a function whose own loops were rewritten is at hand.
    """
    if isinstance(function, Method):
        found = definition(function.function, file, space)
        return found if isinstance(found, Refusal) else replace(found, bound=True)
    function = plain_function(function) or function
    code = function.__code__
    elsewhere = code.co_filename != file or function.__globals__ is not space
    found = _definition(code, *_text(function))
    return replace(found, elsewhere=elsewhere) if isinstance(found, Helper) else found


def function_node(function: FunctionType) -> ast.FunctionDef | ast.Lambda | Refusal:
    """The definition of `function` in the text of its file, or why it is not known."""
    return _node(function.__code__, *_text(function))


def _text(function: FunctionType) -> tuple[str, bool]:
    """The text of its file, and whether it is sure to be the one that was compiled."""
    code = function.__code__
    if id(code) in rewritten:
        source = rewritten[id(code)][1]
        return decode_source(source) if isinstance(source, bytes) else source, True
    return "".join(linecache.getlines(code.co_filename, function.__globals__)), False


@functools.lru_cache(maxsize=256)
def _definition(code: CodeType, text: str, sure: bool) -> Helper | Refusal:
    """What `text` says that the function of `code` is; unless `sure`, it may say something else."""
    named = digest(text.encode("utf-8", "surrogatepass")).hexdigest()
    place = code.co_filename, code.co_name, code.co_firstlineno, code.co_flags, _spans(code)
    names = code.co_varnames, code.co_cellvars, code.co_freevars
    try:
        # In the format without references, which depend on who else has the same constants.
        whole = b"" if sure else marshal.dumps(code, 2)
    except ValueError:  # constants that this format has no word for
        return _read_definition(code, text, sure)
    return pipeline.helper((named, place, names, whole), lambda: _read_definition(code, text, sure))


def _read_definition(code: CodeType, text: str, sure: bool) -> Helper | Refusal:
    from autopar.nest.calls.helper import helper

    node = _node(code, text, sure)
    if isinstance(node, Refusal):
        return node
    own = {*code.co_varnames, *code.co_cellvars}
    return helper(node, code.co_filename, code.co_freevars, own)


@functools.lru_cache(maxsize=256)
def _node(code: CodeType, text: str, sure: bool) -> ast.FunctionDef | ast.Lambda | Refusal:
    if not text:
        return _unknown(code, "its text cannot be found")
    try:
        tree = compile(text, code.co_filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        assert isinstance(tree, ast.Module)
        same = sure or code in _codes(compile(tree, code.co_filename, "exec", dont_inherit=True))
    except (SyntaxError, ValueError):
        return _unknown(code, "its text has changed")
    if not same:
        return _unknown(code, "its text is another one")
    nodes = [node for node in every(tree) if _starts(node, code)]
    if len(nodes) > 1:
        nodes = _around(nodes, code)
    if len(nodes) != 1:
        return _unknown(code, "it is not alone in its line")
    (node,) = nodes
    assert isinstance(node, ast.FunctionDef | ast.Lambda)
    if code.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR):
        return _unknown(code, "it is a generator")
    return node


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)


def _starts(node: ast.AST, code: CodeType) -> bool:
    match node:
        case ast.FunctionDef(name=name, decorator_list=decorators):
            first = min([node.lineno, *(d.lineno for d in decorators)])
            return name == code.co_name and first == code.co_firstlineno
        case ast.Lambda():
            return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    return False


_Part = tuple[int, int, int, int]


def _spans(code: CodeType) -> tuple[_Part, ...]:
    """From where to where, in lines and columns, all stands that a lambda evaluates.

    Nothing where Python keeps no columns (``-X no_debug_ranges``).
    """
    if code.co_name != "<lambda>":
        return ()
    spans = ((a, b, c, d) for a, c, b, d in code.co_positions())
    return tuple(
        (a, b, c, d)
        for a, b, c, d in spans
        if a is not None and b is not None and c is not None and d is not None and (a, b) < (c, d)
    )


def _around(nodes: list[ast.AST], code: CodeType) -> list[ast.AST]:
    """The innermost of these lambdas in whose body all lies that `code` evaluates."""
    spans = _spans(code)
    found = {}
    for node in nodes:
        if isinstance(node, ast.Lambda) and spans:
            body = node.body
            first = body.lineno, body.col_offset
            last = body.end_lineno or 0, body.end_col_offset or 0
            if all(first <= (a, b) and (c, d) <= last for a, b, c, d in spans):
                found[first] = node
    return [found[max(found)]] if found else []


def _unknown(code: CodeType, why: str) -> Refusal:
    return Refusal(
        Reason.CALL, Span(code.co_filename, code.co_firstlineno), f"{code.co_name}: {why}"
    )
