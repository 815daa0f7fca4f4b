"""Loops that NumPy runs itself: reductions of rows, products of rows and of matrices."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from autopar.cpu.work_items import ItemWriter
from autopar.kernel import Watch
from autopar.nest import kinds
from autopar.nest.ir import Assign, Binary, Call, Element, Expr, For, Load, Name
from autopar.nest.polynomial import of_names
from autopar.nest.typed.types import Typed
from autopar.records import dataclass


@dataclass(slots=True)
class FoldWriter(ItemWriter):
    """Calls of NumPy's inner loops in place of loops of one kernel."""

    def fold(self, loop: For) -> None:
        match loop.body:
            case (Assign(target=Name(id=name), value=value),):
                self.row(loop, name, value)
            case _:
                self.table(loop)

    def row(self, loop: For, name: str, value: Expr) -> None:
        """The reduction of a row, or the product of two."""
        op, loads = reduction_of(value, name, self.typed)
        total, dtype = self.names[name], self.dtype_of(loop, *loads)
        if self.storage(name) != dtype:
            raise self.refuse_type(loop)
        var = self.names[loop.var]
        start, stop, _ = self.bounds(loop)
        low, high = (self.temp(self.cast(v.text, v.dtype, "int64")) for v in (start, stop))
        self.write(f"if {low} < {high}:")
        with self.indented():
            before = self.begin(loop, self.plainly_bound(loop))
            self.write(f"{var} = {high} - 1")
            for load in loads:
                self.element(load)  # if both ends are in bounds, so is everything between
            self.write(f"{var} = {low}")
            rows = [f"({self.direction(load, loop)}, {self.element(load)})" for load in loads]
            char = np.dtype(dtype).char
            given = f'"numpy_{op}_{char * 3}", {total}, {high} - {low}, {", ".join(rows)}'
            self.write(f"{total} = fold_({given})")
            self.end(loop, before)
            if self.watch is not Watch.IGNORE:
                self.notice(total, dtype)

    def table(self, loop: For) -> None:
        """The product of two matrices, or of a matrix and a row."""
        heads, inner, (target, one, two) = product_of(loop)
        dtype = self.dtype_of(loop, one, two, target)
        with ExitStack() as stack:
            counts = {}
            for head in (*heads, inner):
                value = self.bounds(head)[1]
                counts[head.var] = self.temp(self.cast(value.text, value.dtype, "int64"))
                self.write(f"if {counts[head.var]} > 0:")
                stack.enter_context(self.indented())
                stack.callback(self.end, head, self.begin(head, self.plainly_bound(head)))
            accesses: tuple[Load | Element, ...] = (one, two, target)
            for var, count in counts.items():
                self.write(f"{self.names[var]} = {count} - 1")
            for access in accesses:
                self.element(access)
            for var in counts:
                self.write(f"{self.names[var]} = 0")
            tall = [head for head in heads if self.direction(one, head) != "()"]
            wide = [head for head in heads if head not in tall]
            axes = [tall, [inner], wide]
            corners = []
            for access, (first, second) in zip(accesses, ((0, 1), (1, 2), (0, 2)), strict=True):
                ways = [self.direction(access, *axes[axis]) for axis in (first, second)]
                corners.append(f"({', '.join(ways)}, {self.element(access)})")
            sizes = [counts[axis[0].var] if axis else "1" for axis in axes]
            char = np.dtype(dtype).char
            self.write(f'product_("numpy_matmul_{char * 3}", {", ".join((*sizes, *corners))})')
            if self.watch is not Watch.IGNORE:
                for head in heads:
                    var = self.names[head.var]
                    self.write(f"for {var} in range({counts[head.var]}):")
                    stack.enter_context(self.indented())
                self.notice(self.element(target), dtype)

    def dtype_of(self, loop: For, *accesses: Load | Element) -> str:
        """The one dtype of arrays that NumPy's loop works on where they are."""
        arrays = [self.typed.array(access.array) for access in accesses]
        dtype, *others = {array.dtype for array in arrays}
        if others or kinds.family(dtype) != "float" or not all(array.aligned for array in arrays):
            raise self.refuse_type(loop)
        return dtype

    def direction(self, access: Load | Element, *loops: For) -> str:
        """Text of the axes along which a loop goes through an array, each with how far a step."""
        found = []
        for loop in loops:
            for axis, index in enumerate(access.index):
                form = of_names(index, access.line)
                powers = None if form is None else form.by_power(loop.var)
                if powers is None or len(powers) > 2:
                    raise self.refuse_type(loop)
                if len(powers) == 2:
                    if powers[1].literal is None:
                        raise self.refuse_type(loop)
                    found.append(f"({axis}, {powers[1].literal}),")
        return f"({' '.join(found)})"


def reduction_of(value: Expr, name: str, typed: Typed) -> tuple[str, tuple[Load, ...]]:
    """The ufunc, and the rows it goes along, of the body of a `For.fold`."""
    match value:
        case Binary(op="+", left=Name(id=same), right=Binary(op="*", left=one, right=two)):
            assert isinstance(one, Load)
            assert isinstance(two, Load)
            assert same == name
            return "matmul", (one, two)
        case Binary(op="+" | "*" as op, left=Name(id=same), right=Load() as load) if same == name:
            return ("add" if op == "+" else "multiply"), (load,)
        case Call(func=func, args=(Name(id=same), Load() as load)) if same == name:
            return dict(typed.calls)[func].name, (load,)
    raise AssertionError(value)


def product_of(loop: For) -> tuple[list[For], For, tuple[Element, Load, Load]]:
    """The loops over what is found, the one over the products, and what these go through."""
    heads = [loop]
    while isinstance(heads[-1].body[0], For):
        heads.append(heads[-1].body[0])
    match heads[-1].body:
        case (
            Assign(),
            For(
                body=(
                    Assign(
                        target=Element() as target,
                        value=Binary(right=Binary(left=Load() as one, right=Load() as two)),
                    ),
                )
            ) as inner,
        ):
            return heads, inner, (target, one, two)
    raise AssertionError(loop)
