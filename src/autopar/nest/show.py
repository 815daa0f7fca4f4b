"""Expressions and statements of a nest as Python text, for people and for golden tests."""

from __future__ import annotations

from autopar.nest import ir
from autopar.nest.ir import (
    Asked,
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Items,
    Leave,
    Load,
    Logic,
    Name,
    Nest,
    Part,
    Put,
    Select,
    Slice,
    Stmt,
    Unary,
    View,
    While,
    Word,
)

_SELECT, _OR, _AND, _NOT, _COMPARE, _UNARY, _POWER, _ATOM = 1, 2, 3, 4, 5, 11, 12, 13
_BINARY = {
    "|": 6,
    "^": 7,
    "&": 8,
    "<<": 9,
    ">>": 9,
    "+": 9.5,
    "-": 9.5,
    "*": 10,
    "/": 10,
    "//": 10,
    "%": 10,
    "**": _POWER,
}


def text(expr: Expr | Element) -> str:
    """Python text of `expr` with no parentheses that the meaning does not need."""
    return _show(expr)[0]


def header(loop: For) -> str:
    """``for i in range(1, n):`` with the arguments that the user could have left out left out."""
    parts = [text(loop.start), text(loop.stop), text(loop.step)]
    if _is(loop.step, 1):
        parts.pop()
        if _is(loop.start, 0):
            parts.pop(0)
    return f"for {loop.var} in range({', '.join(parts)}):"


def lines(stmt: Stmt) -> list[str]:
    """The statement as Python lines, nested blocks indented by four spaces."""
    match stmt:
        case Assign(target=target, value=value) | Put(target=target, value=value):
            return [f"{text(target)} = {text(value)}"]
        case Leave(kind=kind):
            return [kind]
        case If(test=test, body=body, orelse=()):
            return [f"if {text(test)}:", *_block(body)]
        case If(test=test, body=body, orelse=orelse):
            return [f"if {text(test)}:", *_block(body), "else:", *_block(orelse)]
        case While(test=test, body=body):
            return [f"while {text(test)}:", *_block(body)]
        case For(body=body):
            return [header(stmt), *_block(body)]


def show(nest: Nest) -> str:
    """The whole nest as Python text."""
    return "\n".join(lines(nest.loop))


def _block(stmts: tuple[Stmt, ...]) -> list[str]:
    inner = [line for stmt in stmts for line in lines(stmt)] or ["pass"]
    return ["    " + line for line in inner]


def _is(expr: Expr, value: int) -> bool:
    return isinstance(expr, Const) and type(expr.value) is int and expr.value == value


def _show(expr: Expr | Element) -> tuple[str, float]:
    """Text and how tightly it binds, in the order of the Python reference, section 6.17."""
    match expr:
        case Const(value=value):
            shown = repr(value)
            return shown, _UNARY if shown.startswith("-") else _ATOM
        case Name(id=name):
            return ":" if name.startswith("<axis ") else _written(name), _ATOM
        case Dim(array=array, axis=None):
            return f"{array}.size", _ATOM
        case Dim(array=array, axis=axis):
            return f"{array}.shape[{axis}]", _ATOM
        case Load(array=array, index=index) | Element(array=array, index=index):
            inner = ", ".join(text(axis) for axis in index) or "()"
            return f"{_written(array)}[{inner}]", _ATOM
        case Unary(op="not", operand=operand):
            return f"not {_at(operand, _NOT)}", _NOT
        case Unary(op=op, operand=operand):
            return f"{op}{_at(operand, _UNARY)}", _UNARY
        case Binary(op="**", left=left, right=right):
            return f"{_at(left, _ATOM)} ** {_at(right, _UNARY)}", _POWER
        case Binary(op=op, left=left, right=right):
            rank = _BINARY[op]
            return f"{_at(left, rank)} {op} {_at(right, rank + 0.1)}", rank
        case Compare(op=op, left=left, right=right):
            return f"{_at(left, _COMPARE + 0.1)} {op} {_at(right, _COMPARE + 0.1)}", _COMPARE
        case Asked(op=op, left=left, right=right):
            return f"{_at(left, _COMPARE + 0.1)} {op} {_at(right, _COMPARE + 0.1)}", _COMPARE
        case Word(value=word):
            return repr(word), _ATOM
        case Logic(op=op, values=values):
            rank = _AND if op == "and" else _OR
            return f" {op} ".join(_at(v, rank + 0.1) for v in values), rank
        case Select(test=test, body=body, orelse=orelse):
            shown = f"{_at(body, _OR)} if {_at(test, _OR)} else {_at(orelse, _SELECT)}"
            return shown, _SELECT
        case Call(func="<real>" | "<imag>" as func, args=(arg,)):
            return f"{_at(arg, _ATOM)}.{func.strip('<>')}", _ATOM
        case Call(func="<conjugate>" | "<conj>" as func, args=(arg,)):
            return f"{_at(arg, _ATOM)}.{func.strip('<>')}()", _ATOM
        case Call(func=ir.AMONG, args=(one, word)):
            return f"{_at(one, _COMPARE + 0.1)} in {text(word)}", _COMPARE
        case Call(func=func, args=args, names=names):
            given = [text(arg) for arg in args]
            first = len(args) - len(names)
            given[first:] = [f"{n}={s}" for n, s in zip(names, given[first:], strict=True)]
            if func.startswith(ir.UNPACK):
                return given[0], _ATOM
            if func == ir.STAR:
                return f"*{given[0]}", _ATOM
            if func in (ir.PLACES, ir.EITHER):
                return given[0], _ATOM
            if func.startswith("<."):
                return f"{_at(args[0], _ATOM)}{func.strip('<>')}({', '.join(given[1:])})", _ATOM
            return f"{func.strip('<>')}({', '.join(given)})", _ATOM
        case View(array=array, index=("append" | "pop" as method,)):
            return f"{_at(array, _ATOM)}.{method}(\u2026)", _ATOM
        case View(array=array, index=index):
            return f"{_at(array, _ATOM)}[{', '.join(map(_part, index))}]", _ATOM
        case Items(values=values, listed=True):
            return f"[{', '.join(map(text, values))}]", _ATOM
        case Items(values=values):
            inner = ", ".join(map(text, values))
            return f"({inner},)" if len(values) == 1 else f"({inner})", _ATOM


def _written(path: str) -> str:
    """A path as the user wrote it; items of dictionaries are attributes of a kind."""
    own = path.startswith("<") and path.endswith(">") and path[1:-1].isidentifier()
    return path[1:-1] if own else path.replace(".['", "['")


def _part(part: Part) -> str:
    match part:
        case str():
            return part
        case Slice(start=start, stop=stop, step=step):
            shown = ["" if e is None else text(e) for e in (start, stop, step)]
            return ":".join(shown if step is not None else shown[:2])
    return text(part)


def _at(expr: Expr, least: float) -> str:
    shown, rank = _show(expr)
    return shown if rank >= least else f"({shown})"
