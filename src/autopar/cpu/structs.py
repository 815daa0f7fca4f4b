"""Where objects have what machine code reads out of them.

References
----------
``PyArrayObject_fields`` (numpy/ndarraytypes.h), ``PyFloatObject`` and ``PyComplexObject``
(Include/cpython), NumPy's scalar objects (numpy/arrayscalars.h).
"""

from __future__ import annotations

HEAD = object.__basicsize__
"""Bytes of an object before anything that is its own."""

DATA, SHAPE, STRIDES, FLAGS = HEAD, HEAD + 16, HEAD + 24, HEAD + 48
"""Of an array; the number of axes stands before their lengths."""

WITHOUT_GAPS = 0x1 | 0x2
"""Flags one of which an array has whose elements follow each other, in C's order or Fortran's."""
