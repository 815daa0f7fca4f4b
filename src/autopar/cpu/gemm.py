"""Calls of the function of BLAS that multiplies matrices.

References
----------
L. S. Blackford et al., "An updated set of basic linear algebra subprograms (BLAS)", ACM TOMS 28(2),
2002; the C interface is that of its appendix B.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from llvmlite import ir

from autopar.cpu.operands import BOOL, POINTER, WORD, Operand, cast, declared
from autopar.cpu.outside import PREFIX

Corner = tuple[ir.Value, Sequence[ir.Value]]
"""Where a matrix begins; the bytes from row to row, and from column to column."""
_CHOICE = ir.IntType(32)
_BY_ROWS, _BY_COLUMNS, _AS_IT_IS, _TURNED = 101, 102, 111, 112
_LARGEST = 2**31 - 1  # sizes, whatever indices BLAS was built with


def fits(
    b: ir.IRBuilder, size: int, counts: Sequence[ir.Value], corners: Sequence[Corner]
) -> ir.Value:
    """Whether rows or columns of each matrix lie densely, and the others apart from each other.

    Parameters
    ----------
    size
        Bytes of an element.
    counts
        Rows, products of each element, columns.
    """
    good: ir.Value = BOOL(1)
    for corner, sides in zip(corners, _sides(counts), strict=True):
        good = b.and_(good, b.or_(*_ways(b, size, corner, sides)))
    return _countable(b, good, counts)


def _countable(b: ir.IRBuilder, good: ir.Value, counts: Sequence[ir.Value]) -> ir.Value:
    """`good`, and whether the integers of BLAS hold all of `counts`."""
    for count in counts:
        good = b.and_(good, b.icmp_signed("<=", count, WORD(_LARGEST)))
    return good


def product(
    b: ir.IRBuilder,
    name: str,
    counts: Sequence[ir.Value],
    numbers: Sequence[Operand],
    corners: Sequence[Corner],
) -> None:
    """Add a multiple of the product of two matrices that `fits` to a multiple of a third.

    Parameters
    ----------
    name
        As in `blas.routine`.
    numbers
        Factor of the product, and of what was there before.
    """
    dtype, index = _kinds(name)
    size = np.dtype(dtype).itemsize
    pairs = zip(corners, _sides(counts), strict=True)
    by_rows = [_ways(b, size, corner, sides)[0] for corner, sides in pairs]
    *factors, target = by_rows
    order = b.select(target, _CHOICE(_BY_ROWS), _CHOICE(_BY_COLUMNS))
    turns = []
    for one in factors:
        alike = b.icmp_unsigned("==", one, target)
        turns.append(b.select(alike, _CHOICE(_AS_IT_IS), _CHOICE(_TURNED)))
    m, k, p = (_number(b, n, index) for n in counts)
    apart = []
    for (_, (down, across)), rows in zip(corners, by_rows, strict=True):
        apart.append(_number(b, b.sdiv(b.select(rows, down, across), WORD(size)), index))
    factor, kept = (cast(b, x, dtype).value for x in numbers)
    (one, _), (two, _), (out, _) = corners
    args = [order, *turns, m, p, k, factor, one, apart[0], two, apart[1], kept, out, apart[2]]
    _call(b, name, args, (7, 9, 12))


def fits_vector(
    b: ir.IRBuilder, size: int, counts: Sequence[ir.Value], corners: Sequence[Corner]
) -> ir.Value:
    """The same of a matrix and two vectors, one after the other in memory, close or apart."""
    m, k = counts
    matrix, *vectors = corners
    good = b.or_(*_ways(b, size, matrix, (m, k)))
    for _, (step,) in vectors:
        whole = b.icmp_signed("==", b.and_(step, WORD(size - 1)), WORD(0))
        small = b.icmp_signed("<=", step, WORD(_LARGEST))
        forward = b.icmp_signed(">", step, WORD(0))
        good = b.and_(good, b.and_(forward, b.and_(whole, small)))
    return _countable(b, good, counts)


def with_vector(
    b: ir.IRBuilder,
    name: str,
    counts: Sequence[ir.Value],
    numbers: Sequence[Operand],
    corners: Sequence[Corner],
) -> None:
    """The same as `product` for a matrix and a vector that `fits_vector`, added to another."""
    dtype, index = _kinds(name)
    size = np.dtype(dtype).itemsize
    (place, (down, across)), (one, (step,)), (out, (far,)) = corners
    m, k = counts
    by_rows, _ = _ways(b, size, corners[0], (m, k))
    order = b.select(by_rows, _CHOICE(_BY_ROWS), _CHOICE(_BY_COLUMNS))
    rest = [b.sdiv(x, WORD(size)) for x in (b.select(by_rows, down, across), step, far)]
    m, k, apart, step, far = (_number(b, x, index) for x in (m, k, *rest))
    factor, kept = (cast(b, x, dtype).value for x in numbers)
    args = [order, _CHOICE(_AS_IT_IS), m, k, factor, place, apart, one, step, kept, out, far]
    _call(b, name, args, (5, 7, 10))


def _kinds(name: str) -> tuple[str, ir.IntType]:
    """The dtype of a routine, and LLVM's type of its indices."""
    dtype = "float64" if name.startswith("d") else "float32"
    return dtype, WORD if name.endswith("64") else ir.IntType(32)


def _number(b: ir.IRBuilder, value: ir.Value, index: ir.IntType) -> ir.Value:
    return value if index == WORD else b.trunc(value, index)


def _call(b: ir.IRBuilder, name: str, args: list[ir.Value], places: Sequence[int]) -> None:
    types = [arg.type for arg in args]
    for place in places:
        types[place] = POINTER
    b.call(declared(b.module, f"{PREFIX}blas_{name}", ir.VoidType(), types), args)


def _sides(counts: Sequence[ir.Value]) -> list[tuple[ir.Value, ir.Value]]:
    """Rows and columns of each matrix."""
    m, k, p = counts
    return [(m, k), (k, p), (m, p)]


def _ways(
    b: ir.IRBuilder, size: int, corner: Corner, sides: tuple[ir.Value, ir.Value]
) -> tuple[ir.Value, ir.Value]:
    """Whether a matrix lies row by row, and whether it lies column by column."""
    _, (down, across) = corner
    high, wide = sides
    found = []
    for dense, far, count in ((across, down, wide), (down, across, high)):
        enough = b.icmp_signed(">=", far, b.mul(count, WORD(size)))
        whole = b.icmp_signed("==", b.and_(far, WORD(size - 1)), WORD(0))
        small = b.icmp_signed("<=", far, WORD(_LARGEST))
        side_by_side = b.icmp_signed("==", dense, WORD(size))
        found.append(b.and_(b.and_(side_by_side, enough), b.and_(whole, small)))
    return found[0], found[1]
