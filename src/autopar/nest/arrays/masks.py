"""What is assigned where a mask is up: ``a[mask] = b[mask] * 2``, element by element."""

from __future__ import annotations

import numpy as np

from autopar.nest import ir
from autopar.nest.arrays.elements import Value
from autopar.nest.arrays.section import Section
from autopar.nest.arrays.stores import Stores, fits_any
from autopar.nest.ir import Assign, Call, Expr, Load, Name, View
from autopar.nest.meaning import rebuilt
from autopar.nest.show import text
from autopar.records import dataclass, replace
from autopar.verdict import Reason


@dataclass(slots=True)
class Masks(Stores):
    """Assignments under masks."""

    def masked(self, target: Value, stmt: Assign | ir.Put) -> Section | None:
        """What is assigned where a mask is up, if it is computed element by element.

        In ``a[mask] += value`` and ``a[mask] = b[mask] * 2`` the elements where it is down belong
        to nobody, and are not computed.
        """
        if not isinstance(target, Section) or target.mask is None:
            return None
        value, line = stmt.value, stmt.line
        if isinstance(value, ir.Binary) and stmt.augmented:
            whole = replace(target, mask=None)
            right = self.unmasked(value.right, target, stmt) or self.scalar(value.right)
            if not isinstance(right, Section):
                self.fits(target, right, line)
            op, here = value.op, value.line
            return self.mapped(
                [whole, right], lambda e: ir.Binary(op, e[0], e[1], here, True), here
            )
        return self.unmasked(value, target, stmt)

    def unmasked(self, expr: Expr, target: Section, stmt: Assign | ir.Put) -> Section | None:
        """`expr` with all of an array in place of its elements under the mask of `target`."""
        place = stmt.target
        index = () if isinstance(place, Name) else place.index
        if len(index) != 1:
            return None
        found: list[Section] = []
        numbers: list[Expr] = []

        def whole(one: Expr) -> Expr:
            match one:
                case View(array=array, index=own) if own == index:
                    found.append(self.section(array, one))
                    return array
                case Load(array=path, index=own) if own == index:
                    found.append(self.section(Name(path), one))
                    return Name(path)
                case ir.Binary() | ir.Unary(op="-" | "+" | "~") | ir.Compare():
                    return rebuilt(one, whole)
                case Call(func=func, names=()) if self.elementwise(func):
                    return rebuilt(one, whole)
            numbers.append(one)
            return one

        plain = whole(expr)
        alike = [one for one in found if one.rank == target.rank]
        if not found or len(alike) < len(found):
            return None
        floats = all(one.real or self.known.dtypes.get(one.path, "")[:1] == "c" for one in found)
        numbers = [self.scalar(number) for number in numbers]
        if not floats and not all(map(self.harmless, numbers)):
            return None
        for one in found:
            for own, other in zip(one.extents, target.extents, strict=True):
                self.equal(own, other, stmt.line)
        made = self.value(plain)
        return made if isinstance(made, Section) else None

    def section(self, expr: Expr, whole: Expr) -> Section:
        found = self.value(expr)
        if not isinstance(found, Section):
            raise self.refuse(Reason.NOT_ARRAY, self.nest.loop.line, text(whole))
        return found

    def elementwise(self, func: str) -> bool:
        """Whether `func` is one of NumPy's functions of elements."""
        found = self.known.objects.get(func)
        return isinstance(found, np.ufunc) and found.signature is None and found.nout == 1

    def harmless(self, number: Expr) -> bool:
        """Whether `number` fits any type, so that nobody misses what is not computed with it."""
        if fits_any(number):
            return True
        return self.double(number) or isinstance(getattr(number, "value", None), complex)
