"""What a nest does with an array that a list cannot do."""

from __future__ import annotations

from collections.abc import Collection

from autopar.nest.ir import Dim, Nest, accesses, expressions, statements, walk
from autopar.nest.show import text
from autopar.verdict import Reason, Refusal, Span


def misused(nest: Nest, lists: Collection[str]) -> Refusal | None:
    """The first use of one of `lists` that would raise; what is made of their parts comes later."""
    for stmt, access in accesses(nest.loop):
        if access.tupled and access.array in lists:
            where = Span(nest.file, stmt.line)
            return Refusal(Reason.WRONG_TYPE, where, f"{text(access)} of a list")
    for stmt in statements(nest.loop):
        for top in expressions(stmt):
            for expr in walk(top):
                if isinstance(expr, Dim) and expr.attribute and expr.array in lists:
                    where = Span(nest.file, stmt.line)
                    return Refusal(Reason.WRONG_TYPE, where, f"{text(expr)} of a list")
    return None
