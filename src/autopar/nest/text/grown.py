"""Lists that grow while a nest reads them: the queue of a breadth first search, a pool, a stack.

What is read of such a list, and how long it is, changes as it grows, so it is no array like the
other live-ins: `lift` says so by leaving it a whole that `nest.arrays.growing` knows.  A list that
is appended to, or whose last item is taken, is one for sure, so its truth is whether it has items.
"""

from __future__ import annotations

from autopar.nest import ir, walking
from autopar.nest.ir import Call, Compare, Const, Dim, Expr, For, If, Load, Name, Stmt, View
from autopar.nest.text.reading import LENGTH
from autopar.nest.walking import rebuilt
from autopar.records import dataclass, replace


def with_grown(loop: For) -> For:
    """`loop` with what it says of lists to which it appends said of a whole."""
    names = frozenset(
        stmt.target.array.id
        for stmt in walking.statements(loop)
        if isinstance(stmt, ir.Put)
        and stmt.target.index in (("append",), ("pop",))
        and isinstance(stmt.target.array, Name)
    )
    if not names:
        return loop
    return _Grown(names).loop(loop)


@dataclass(slots=True)
class _Grown:
    """What is said of the lists `names`, in `line`."""

    names: frozenset[str]
    line: int = 0

    def loop(self, loop: For) -> For:
        self.line = loop.line
        start, stop, step = map(self.expr, (loop.start, loop.stop, loop.step))
        return replace(loop, start=start, stop=stop, step=step, body=self.block(loop.body))

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(self.statement, stmts))

    def statement(self, stmt: Stmt) -> Stmt:
        self.line = stmt.line
        match stmt:
            case For():
                return self.loop(stmt)
            case ir.While(test=test, body=body):
                return replace(stmt, test=self.test(test), body=self.block(body))
            case If(test=test, body=body, orelse=orelse):
                asked = self.test(test)
                return replace(stmt, test=asked, body=self.block(body), orelse=self.block(orelse))
            case ir.Assign(target=Name(), value=value):
                return replace(stmt, value=self.expr(value))
            case ir.Assign(target=ir.Element() as target, value=value):
                if target.array in self.names:
                    last = (target.index[-1],) if target.nested else target.index
                    whole: Expr = Name(target.array)
                    for place in target.index[:-1] if target.nested else ():
                        whole = View(whole, (place,), target.line, target.tupled)
                    view = View(whole, last, target.line, target.tupled)
                    put = ir.Put(view, value, stmt.id, stmt.line, stmt.augmented)
                    return self.statement(put)
                index = tuple(map(self.expr, target.index))
                return replace(stmt, target=replace(target, index=index), value=self.expr(value))
            case ir.Put(target=target, value=value):
                if target.index in (("append",), ("pop",)):
                    return replace(stmt, value=self.expr(value))
                place = self.expr(target)
                assert isinstance(place, View)
                return replace(stmt, target=place, value=self.expr(value))
        return stmt

    def test(self, expr: Expr) -> Expr:
        """`expr`, of which only the truth is asked."""
        match expr:
            case Name(id=name) if name in self.names:
                return Compare(">", self.length(name), Const(0), self.line)
            case ir.Logic(values=values, chain=False):
                return replace(expr, values=tuple(map(self.test, values)))
        return self.expr(expr)

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Dim(array=path, axis=0, attribute=False) if path in self.names:
                return self.length(path)
            case Load(array=path, index=index) if path in self.names:
                found: Expr = Name(path)
                for place in index if expr.nested else (index,):
                    places = place if isinstance(place, tuple) else (place,)
                    found = View(found, tuple(map(self.expr, places)), expr.line, expr.tupled)
                return found
            case ir.Unary(op="not", operand=operand):
                return replace(expr, operand=self.test(operand))
            case ir.Select(test=test, body=body, orelse=orelse):
                return replace(
                    expr, test=self.test(test), body=self.expr(body), orelse=self.expr(orelse)
                )
        return rebuilt(expr, self.expr)

    def length(self, name: str) -> Expr:
        return Call(LENGTH, (Name(name),), self.line)
