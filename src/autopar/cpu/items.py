"""Numbers of lists to memory and back, object by object.

A list of floats is an array of addresses of objects, each with its type and its eight bytes.  To
look at one takes a nanosecond here, and forty in Python.  The functions hold the interpreter lock:
nobody changes a list while it is read.

References
----------
Struct layouts: ``PyListObject``, ``PyTupleObject`` and ``PyFloatObject`` (Include/cpython),
``PyArrayObject_fields`` (numpy/ndarraytypes.h).
"""

from __future__ import annotations

import sys
from typing import Literal

Work = Literal["read", "write", "same"]

ALIKE, RAGGED, OTHER, LARGE = range(4)
"""What reading answers: all is well, or what it met first: an item that is no list of the same
type and length, an element of another type, an integer beyond 64 bits."""

_HEAD = 16
_DATA, _SHAPE = _HEAD, _HEAD + 16  # of an array
_SIZE, _ITEMS = _HEAD, _HEAD + 8  # of a list or tuple; a list has a pointer to its items

_READ = """
define ptr @"<name>"(ptr %self, ptr %args, i64 %n) {
start:
  %overflow = alloca i32
  <arguments>
  br label %rows
rows:
  %r = phi i64 [ 0, %start ], [ %r.next, %row.done ]
  %more = icmp slt i64 %r, %count
  br i1 %more, label %row, label %all
row:
  <one row>
  %type.fits = icmp eq ptr %list.type, %holder
  %size.fits = icmp eq i64 %list.size, %wide
  %fits = and i1 %type.fits, %size.fits
  br i1 %fits, label %items, label %ragged
items:
  %inside = getelementptr i8, ptr %list, i64 <items>
  %outside = load ptr, ptr %inside
  %slots = select i1 %is.tuple, ptr %inside, ptr %outside
  %base = mul i64 %r, %wide
  br label %each
each:
  %k = phi i64 [ 0, %items ], [ %k.next, %kept ]
  %left = icmp slt i64 %k, %wide
  br i1 %left, label %one, label %row.done
one:
  %slot = getelementptr ptr, ptr %slots, i64 %k
  %object = load ptr, ptr %slot
  %type.at = getelementptr i8, ptr %object, i64 <type>
  %type = load ptr, ptr %type.at
  %same = icmp eq ptr %type, %wanted
  br i1 %same, label %take, label %other
take:
  <take>
kept:
  %place = add i64 %base, %k
  %to = getelementptr <kind>, ptr %data, i64 %place
  store <kind> %value, ptr %to
  %k.next = add i64 %k, 1
  br label %each
row.done:
  %r.next = add i64 %r, 1
  br label %rows
all:
  br label %end
ragged:
  br label %end
other:
  br label %end
large:
  br label %end
end:
  %status = phi i64 [ 0, %all ], [ 1, %ragged ], [ 2, %other ], [ 3, %large ]
  %answer = call ptr @"PyLong_FromLongLong"(i64 %status)
  ret ptr %answer
}
declare ptr @"PyLong_FromLongLong"(i64)
declare i64 @"PyLong_AsLongLongAndOverflow"(ptr, ptr)
"""

_SAME = """
define ptr @"<name>"(ptr %self, ptr %args, i64 %n) {
start:
  <arguments>
  %kept.at = getelementptr ptr, ptr %args, i64 4
  %kept = load ptr, ptr %kept.at
  %kept.first = getelementptr i8, ptr %kept, i64 <items>
  br label %rows
rows:
  %r = phi i64 [ 0, %start ], [ %r.next, %alike ]
  %more = icmp slt i64 %r, %count
  br i1 %more, label %row, label %end
row:
  <one row>
  %type.fits = icmp eq ptr %list.type, %holder
  %size.fits = icmp eq i64 %list.size, %wide
  %fits = and i1 %type.fits, %size.fits
  br i1 %fits, label %items, label %end
items:
  %inside = getelementptr i8, ptr %list, i64 <items>
  %outside = load ptr, ptr %inside
  %slots = select i1 %is.tuple, ptr %inside, ptr %outside
  %old.at = getelementptr ptr, ptr %kept.first, i64 %r
  %old = load ptr, ptr %old.at
  %old.slots = getelementptr i8, ptr %old, i64 <items>
  br label %each
each:
  %k = phi i64 [ 0, %items ], [ %k.next, %one ]
  %odd = phi i64 [ 0, %items ], [ %odd.next, %one ]
  %left = icmp slt i64 %k, %wide
  br i1 %left, label %one, label %row.done
one:
  %slot = getelementptr i64, ptr %slots, i64 %k
  %now = load i64, ptr %slot
  %old.slot = getelementptr i64, ptr %old.slots, i64 %k
  %then = load i64, ptr %old.slot
  %differ = xor i64 %now, %then
  %odd.next = or i64 %odd, %differ
  %k.next = add i64 %k, 1
  br label %each
row.done:
  %equal = icmp eq i64 %odd, 0
  br i1 %equal, label %alike, label %end
alike:
  %r.next = add i64 %r, 1
  br label %rows
end:
  %status = phi i64 [ 1, %rows ], [ 0, %row ], [ 0, %row.done ]
  %answer = call ptr @"PyLong_FromLongLong"(i64 %status)
  ret ptr %answer
}
declare ptr @"PyLong_FromLongLong"(i64)
"""

_WRITE = """
define ptr @"<name>"(ptr %self, ptr %args, i64 %n) {
start:
  <arguments>
  %before.at = getelementptr ptr, ptr %args, i64 4
  %before = load ptr, ptr %before.at
  %old.at = getelementptr i8, ptr %before, i64 <data>
  %old = load ptr, ptr %old.at
  br label %rows
rows:
  %r = phi i64 [ 0, %start ], [ %r.next, %row.done ]
  %more = icmp slt i64 %r, %count
  br i1 %more, label %row, label %all
row:
  <one row>
  %base = mul i64 %r, %wide
  br label %each
each:
  %k = phi i64 [ 0, %row ], [ %k.next, %kept ]
  %left = icmp slt i64 %k, %wide
  br i1 %left, label %one, label %row.done
one:
  %place = add i64 %base, %k
  %to = getelementptr <kind>, ptr %data, i64 %place
  %value = load <kind>, ptr %to
  %bits.new = load <bits>, ptr %to
  %from = getelementptr <kind>, ptr %old, i64 %place
  %bits.old = load <bits>, ptr %from
  %same = icmp eq <bits> %bits.new, %bits.old
  br i1 %same, label %kept, label %changed
changed:
  %size.now = load i64, ptr %list.size.at
  %there = icmp slt i64 %k, %size.now
  br i1 %there, label %make, label %kept
make:
  <make>
  %none = icmp eq ptr %object, null
  br i1 %none, label %failed, label %put
put:
  %put.status = call i32 @"PyList_SetItem"(ptr %list, i64 %k, ptr %object)
  %bad = icmp slt i32 %put.status, 0
  br i1 %bad, label %failed, label %kept
kept:
  %k.next = add i64 %k, 1
  br label %each
row.done:
  %r.next = add i64 %r, 1
  br label %rows
all:
  %answer = call ptr @"PyLong_FromLongLong"(i64 0)
  ret ptr %answer
failed:
  ret ptr null
}
declare ptr @"PyLong_FromLongLong"(i64)
declare ptr @"PyFloat_FromDouble"(double)
declare ptr @"PyBool_FromLong"(i64)
declare i32 @"PyList_SetItem"(ptr, i64, ptr)
"""

# Of a tuple of lists or tuples, the type of these, that of their items, and an array of two axes.
_ARGUMENTS = """%all.rows = load ptr, ptr %args
  %holder.at = getelementptr ptr, ptr %args, i64 1
  %holder = load ptr, ptr %holder.at
  %wanted.at = getelementptr ptr, ptr %args, i64 2
  %wanted = load ptr, ptr %wanted.at
  %array.at = getelementptr ptr, ptr %args, i64 3
  %array = load ptr, ptr %array.at
  %data.at = getelementptr i8, ptr %array, i64 <data>
  %data = load ptr, ptr %data.at
  %shape.at = getelementptr i8, ptr %array, i64 <shape>
  %shape = load ptr, ptr %shape.at
  %count = load i64, ptr %shape
  %wide.at = getelementptr i64, ptr %shape, i64 1
  %wide = load i64, ptr %wide.at
  %first = getelementptr i8, ptr %all.rows, i64 <items>
  %rows.type.at = getelementptr i8, ptr %all.rows, i64 <type>
  %tuple.type = load ptr, ptr %rows.type.at
  %is.tuple = icmp eq ptr %holder, %tuple.type"""

_ROW = """%list.at = getelementptr ptr, ptr %first, i64 %r
  %list = load ptr, ptr %list.at
  %list.type.at = getelementptr i8, ptr %list, i64 <type>
  %list.type = load ptr, ptr %list.type.at
  %list.size.at = getelementptr i8, ptr %list, i64 <size>
  %list.size = load i64, ptr %list.size.at"""

_KINDS = {"float64": ("double", "i64"), "int64": ("i64", "i64"), "bool": ("i8", "i8")}

_TAKE = {
    "float64": """%value.at = getelementptr i8, ptr %object, i64 <head>
  %value = load double, ptr %value.at
  br i1 true, label %kept, label %large""",
    # Python's own function: fast for small ones, and no error is set for large ones.
    "int64": """%value = call i64 @"PyLong_AsLongLongAndOverflow"(ptr %object, ptr %overflow)
  %over = load i32, ptr %overflow
  %over.up = icmp ne i32 %over, 0
  %least = icmp eq i64 %value, -9223372036854775808
  %too.large = or i1 %over.up, %least
  br i1 %too.large, label %large, label %kept""",
    "bool": """%true = load ptr, ptr %truth.at
  %is.true = icmp eq ptr %object, %true
  %value = zext i1 %is.true to i8
  br i1 true, label %kept, label %large""",
}

_MAKE = {
    "float64": '%object = call ptr @"PyFloat_FromDouble"(double %value)',
    "int64": '%object = call ptr @"PyLong_FromLongLong"(i64 %value)',
    "bool": """%wider = zext i8 %value to i64
  %object = call ptr @"PyBool_FromLong"(i64 %wider)""",
}


def text(work: Work, dtype: str) -> str:
    """LLVM text of the function that reads, or writes, elements of `dtype`, called ``<name>``.

    ``read(rows, holder, type, array, True)`` fills the array and returns one of `ALIKE` and its
    like.  ``write(rows, holder, type, array, before)`` puts into the rows what differs from the
    array `before`, bit by bit, as far as the rows still reach.  ``same(rows, holder, type, array,
    kept)`` is 1 where the rows, as many and as long as the array has them, hold the very objects
    that the tuples `kept` hold, else 0.
    """
    kind, bits = _KINDS[dtype]
    wholes = {"read": (_READ, _TAKE), "write": (_WRITE, _MAKE), "same": (_SAME, _TAKE)}
    whole, inner = wholes[work]
    arguments = _ARGUMENTS
    if work == "read":
        arguments += "\n  %truth.at = getelementptr ptr, ptr %args, i64 4"
    made = whole.replace("<arguments>", arguments).replace("<one row>", _ROW)
    made = made.replace("<take>", inner[dtype]).replace("<make>", inner[dtype])
    made = made.replace("<kind>", kind).replace("<bits>", bits)
    numbers = {"head": _HEAD, "type": _HEAD - 8, "data": _DATA, "shape": _SHAPE}
    for word, number in {**numbers, "size": _SIZE, "items": _ITEMS}.items():
        made = made.replace(f"<{word}>", str(number))
    return made


def usable() -> bool:
    """Whether objects of this Python lie in memory as the functions think."""
    return (
        sys.implementation.name == "cpython"
        and "t" not in getattr(sys, "abiflags", "")  # without the interpreter lock
        and (object.__basicsize__, float.__basicsize__) == (_HEAD, _HEAD + 8)
        and (tuple.__basicsize__, tuple.__itemsize__) == (_ITEMS, 8)
        and list.__basicsize__ == _ITEMS + 16
    )
