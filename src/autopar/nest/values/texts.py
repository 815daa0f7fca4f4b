"""Texts whose characters are compared: ``s[i] == t[j]``, ``s[i] == "A"``.

A text is an array of the numbers of its characters, as long as nothing but that is done with it.
"""

from __future__ import annotations

from collections.abc import Collection

from autopar.nest.ir import Call, Compare, Const, Dim, Expr, For, Load, Nest, Word
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason, Refusal, Refused, Span

_NUMBER = "<index>"


def numbered(nest: Nest, texts: Collection[str]) -> Nest | Refusal:
    """`nest` with comparisons of numbers in place of those of characters.

    Parameters
    ----------
    texts
        Paths of the texts; arrays of numbers stand for them.
    """

    def number(expr: Expr) -> Expr | None:
        match expr:
            case Load(array=path, index=(index,), line=line) if path in texts:
                return Call(_NUMBER, (replace(expr, index=(change(index),)),), line)
            case Word(value=str(word)):
                return Const(ord(word) if len(word) == 1 else -1)  # which no character is
        return None

    def change(expr: Expr) -> Expr:
        match expr:
            case Compare(op="==" | "!=", left=left, right=right):
                one, two = number(left), number(right)
                if one is not None and two is not None:
                    return replace(expr, left=one, right=two)
            case Call(func=func, args=(Load(array=path) as load,)) if func == _NUMBER:
                if path in texts:
                    return replace(expr, args=(rebuilt(load, change),))
            case Load(array=path) | Dim(array=path, attribute=True) if path in texts:
                where = getattr(expr, "line", nest.loop.line)
                raise Refused(
                    Refusal(Reason.WRONG_TYPE, Span(nest.file, where), f"{text(expr)} of a text")
                )
        return rebuilt(expr, change)

    try:
        loop = rewritten(nest.loop, change)
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    return replace(nest, loop=loop)
