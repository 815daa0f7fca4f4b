"""Where objects have what machine code reads out of them.

References
----------
``PyArrayObject_fields`` (numpy/ndarraytypes.h), ``PyFloatObject`` and ``PyComplexObject``
(Include/cpython), ``PyTupleObject`` (Include/cpython/tupleobject.h), NumPy's scalar objects
(numpy/arrayscalars.h).
"""

from __future__ import annotations

HEAD = object.__basicsize__
"""Bytes of an object before anything that is its own."""
TYPE = HEAD - 8

ITEMS = tuple.__basicsize__
"""Of a tuple."""

DATA, AXES, SHAPE, STRIDES, DTYPE, FLAGS = (HEAD + k for k in (0, 8, 16, 24, 40, 48))
"""Of an array: where its first element is, how many axes it has, where the table of their lengths
and that of their strides are, its dtype and its flags."""

WITHOUT_GAPS = 0x1 | 0x2
"""Flags one of which an array has whose elements follow each other, in C's order or Fortran's."""
