"""Whether a call is handed what an earlier one was, but for what is in its arrays and floats.

Machine code compares words in the objects themselves.  The interpreter would make a new object of
each shape, of the flags and of each attribute it looks at, which takes microseconds, and ten times
as many where the program has done something else in between and nothing of it is in a cache.

Who is found to be alike is.  Of others nothing is known: equal dtypes may be two objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autopar.cpu.structs import AXES, DTYPE, FLAGS, ITEMS, SHAPE, TYPE

Array = np.ndarray[Any, Any]

_TEXT = """
; Whether the items of a tuple are as a table has them.
define internal i1 @alike(ptr %table, ptr %tuple) {
start:
  %items = getelementptr i8, ptr %tuple, i64 <items>
  %arrays = load i64, ptr %table
  %numbers.at = getelementptr i64, ptr %table, i64 1
  %numbers = load i64, ptr %numbers.at
  %objects.at = getelementptr i64, ptr %table, i64 2
  %objects = load i64, ptr %objects.at
  %bases.at = getelementptr i64, ptr %table, i64 3
  %bases = load i64, ptr %bases.at
  %places = getelementptr i64, ptr %table, i64 4
  %theirs = getelementptr i64, ptr %places, i64 %arrays
  %rows = getelementptr i64, ptr %theirs, i64 %bases
  br label %array

array:
  %a = phi i64 [ 0, %start ], [ %a.next, %array.same ]
  %row = phi ptr [ %rows, %start ], [ %row.next, %array.same ]
  %a.more = icmp ult i64 %a, %arrays
  br i1 %a.more, label %array.look, label %number
array.look:
  %a.next = add i64 %a, 1
  %place.at = getelementptr i64, ptr %places, i64 %a
  %place = load i64, ptr %place.at
  %one.at = getelementptr ptr, ptr %items, i64 %place
  %one = load ptr, ptr %one.at
  %type.at = getelementptr i8, ptr %one, i64 <type>
  %type = load i64, ptr %type.at
  %type.then = load i64, ptr %row
  %type.same = icmp eq i64 %type, %type.then
  br i1 %type.same, label %array.fields, label %other
array.fields:
  %dtype.at = getelementptr i8, ptr %one, i64 <dtype>
  %dtype = load i64, ptr %dtype.at
  %flags.at = getelementptr i8, ptr %one, i64 <flags>
  %flags.short = load i32, ptr %flags.at
  %flags = zext i32 %flags.short to i64
  %axes.at = getelementptr i8, ptr %one, i64 <axes>
  %axes.short = load i32, ptr %axes.at
  %axes = zext i32 %axes.short to i64
  %dtype.then.at = getelementptr i64, ptr %row, i64 1
  %dtype.then = load i64, ptr %dtype.then.at
  %flags.then.at = getelementptr i64, ptr %row, i64 2
  %flags.then = load i64, ptr %flags.then.at
  %axes.then.at = getelementptr i64, ptr %row, i64 3
  %axes.then = load i64, ptr %axes.then.at
  %dtype.same = icmp eq i64 %dtype, %dtype.then
  %flags.same = icmp eq i64 %flags, %flags.then
  %axes.same = icmp eq i64 %axes, %axes.then
  %most.same = and i1 %dtype.same, %flags.same
  %all.same = and i1 %most.same, %axes.same
  %lengths = getelementptr i64, ptr %row, i64 4
  %row.next = getelementptr i64, ptr %lengths, i64 %axes
  %shape.at = getelementptr i8, ptr %one, i64 <shape>
  %shape = load ptr, ptr %shape.at
  br i1 %all.same, label %axis, label %other
axis:
  %x = phi i64 [ 0, %array.fields ], [ %x.next, %axis.look ]
  %x.more = icmp ult i64 %x, %axes
  br i1 %x.more, label %axis.look, label %before
axis.look:
  %x.next = add i64 %x, 1
  %length.at = getelementptr i64, ptr %shape, i64 %x
  %length = load i64, ptr %length.at
  %length.then.at = getelementptr i64, ptr %lengths, i64 %x
  %length.then = load i64, ptr %length.then.at
  %length.same = icmp eq i64 %length, %length.then
  br i1 %length.same, label %axis, label %other
before:
  %b = phi i64 [ 0, %axis ], [ %b.next, %before.look ]
  %b.more = icmp ult i64 %b, %a
  br i1 %b.more, label %before.look, label %base
before.look:
  %b.next = add i64 %b, 1
  %b.place.at = getelementptr i64, ptr %places, i64 %b
  %b.place = load i64, ptr %b.place.at
  %b.one.at = getelementptr ptr, ptr %items, i64 %b.place
  %b.one = load ptr, ptr %b.one.at
  %twice = icmp eq ptr %one, %b.one
  br i1 %twice, label %other, label %before
base:
  %m = phi i64 [ 0, %before ], [ %m.next, %base.look ]
  %m.more = icmp ult i64 %m, %bases
  br i1 %m.more, label %base.look, label %array.same
base.look:
  %m.next = add i64 %m, 1
  %m.one.at = getelementptr ptr, ptr %theirs, i64 %m
  %m.one = load ptr, ptr %m.one.at
  %is.base = icmp eq ptr %one, %m.one
  br i1 %is.base, label %other, label %base
array.same:
  br label %array

number:
  %k = phi i64 [ 0, %array ], [ %k.next, %number.same ]
  %about = phi ptr [ %row, %array ], [ %about.next, %number.same ]
  %k.more = icmp ult i64 %k, %numbers
  br i1 %k.more, label %number.look, label %object
number.look:
  %k.next = add i64 %k, 1
  %about.next = getelementptr i64, ptr %about, i64 3
  %k.place = load i64, ptr %about
  %k.one.at = getelementptr ptr, ptr %items, i64 %k.place
  %k.one = load ptr, ptr %k.one.at
  %k.type.at = getelementptr i8, ptr %k.one, i64 <type>
  %k.type = load i64, ptr %k.type.at
  %k.type.then.at = getelementptr i64, ptr %about, i64 1
  %k.type.then = load i64, ptr %k.type.then.at
  %k.type.same = icmp eq i64 %k.type, %k.type.then
  br i1 %k.type.same, label %number.value, label %other
number.value:
  %k.then.at = getelementptr ptr, ptr %about, i64 2
  %k.then = load ptr, ptr %k.then.at
  %any = icmp eq ptr %k.then, null
  %itself = icmp eq ptr %k.then, %k.one
  %known = or i1 %any, %itself
  br i1 %known, label %number.same, label %number.compare
number.compare:
  ; Of two ints or two bools, which calls nobody and cannot fail.
  %compared = call i32 @"PyObject_RichCompareBool"(ptr %k.one, ptr %k.then, i32 <equal>)
  %is.equal = icmp eq i32 %compared, 1
  br i1 %is.equal, label %number.same, label %other
number.same:
  br label %number

object:
  %o = phi i64 [ 0, %number ], [ %o.next, %object.look ]
  %pair = phi ptr [ %about, %number ], [ %pair.next, %object.look ]
  %o.more = icmp ult i64 %o, %objects
  br i1 %o.more, label %object.look, label %same
object.look:
  %o.next = add i64 %o, 1
  %pair.next = getelementptr i64, ptr %pair, i64 2
  %o.place = load i64, ptr %pair
  %o.one.at = getelementptr ptr, ptr %items, i64 %o.place
  %o.one = load ptr, ptr %o.one.at
  %o.then.at = getelementptr ptr, ptr %pair, i64 1
  %o.then = load ptr, ptr %o.then.at
  %o.same = icmp eq ptr %o.one, %o.then
  br i1 %o.same, label %object, label %other

same:
  ret i1 true
other:
  ret i1 false
}

declare i32 @"PyObject_RichCompareBool"(ptr, ptr, i32)
"""

_EQUAL = 2  # Py_EQ
_WORD = (1 << 32) - 1


def text() -> str:
    """LLVM text of ``alike(table, tuple)``."""
    made = _TEXT
    numbers = {
        "items": ITEMS, "type": TYPE, "dtype": DTYPE, "flags": FLAGS, "axes": AXES, "shape": SHAPE,
        "equal": _EQUAL,
    }  # fmt: skip
    for word, number in numbers.items():
        made = made.replace(f"<{word}>", str(number))
    return made


def table(
    roots: Sequence[object],
    arrays: Sequence[int],
    numbers: Sequence[tuple[int, bool]],
    objects: Sequence[tuple[int, object]],
    bases: Sequence[int],
) -> Array:
    """What others are compared with; whoever has it keeps what is in it.

    Parameters
    ----------
    roots
        The values of a call.
    arrays
        Places of arrays among these, each of which is to be another one.
    numbers
        Places of numbers, and whether their values are to be the same: of ints or bools.
    objects
        Places of what is to be the same object, and that.
    bases
        Addresses of objects that no array may be.
    """
    words = [len(arrays), len(numbers), len(objects), len(bases), *arrays, *bases]
    for place in arrays:
        one = roots[place]
        assert isinstance(one, np.ndarray)
        flags = one.flags.num & _WORD  # where it warns of writing, that is a number below zero
        words += id(type(one)), id(one.dtype), flags, one.ndim, *one.shape
    for place, fixed in numbers:
        words += place, id(type(roots[place])), id(roots[place]) if fixed else 0
    for place, known in objects:
        words += place, id(known)
    return np.array(words, np.uint64).view(np.int64)
