"""A whole call like an earlier one: a look at what it is handed, copies that undo it, and kernels.

Between these the interpreter would look at a few hundred objects, which takes as long as many a
kernel where the program has done something else in between and none of them is in a cache.

References
----------
``PyCFunctionObject`` (Include/cpython/methodobject.h) and ``PyMethodDef`` (Include/methodobject.h).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autopar.cpu.structs import DATA, HEAD, ITEMS
from autopar.records import dataclass

Array = np.ndarray[Any, Any]

OTHER, RANG = 1 << 8, 1 << 9
"""Bits that are returned beside those of statuses: values are not alike, and nothing is done; or
kernels have noted that there is something to warn of."""

_WORDS = 12
_LIKE, _FILLED, _FILLS, _COPIES, _COPIED, _CALLED, _CALLS, _ROWS, _NOTED, _STOP, _BELLS, _RINGS = (
    range(_WORDS)
)
"""Words of a table: addresses of the parts of a `Replayed`, and how many of each there are."""

_TEXT = """
; Run what a table is about on the items of a tuple, with room for copies; -1 on an error of Python.
define internal i64 @replay(ptr %team, ptr %table, ptr %tuple, ptr %room) {
start:
  %like = load ptr, ptr %table
  %alike = call i1 @alike(ptr %like, ptr %tuple)
  br i1 %alike, label %same, label %other
other:
  ret i64 <other>
same:
  %items = getelementptr i8, ptr %tuple, i64 <items>
  call void @fill(ptr %table, ptr %items)
  %copies.at = getelementptr i64, ptr %table, i64 <copies>
  %copies = load ptr, ptr %copies.at
  %none = icmp eq ptr %copies, null
  br i1 %none, label %run, label %save
save:
  %places.at = getelementptr i64, ptr %table, i64 <copied>
  %places = load ptr, ptr %places.at
  call void @save(ptr %team, ptr %copies, ptr %items, ptr %places, ptr %room)
  br label %run
run:
  %bits = call i64 @called(ptr %table)
  %good = icmp eq i64 %bits, 0
  br i1 %good, label %more, label %over
more:
  %rows.at = getelementptr i64, ptr %table, i64 <rows>
  %rows = load ptr, ptr %rows.at
  %no.rows = icmp eq ptr %rows, null
  br i1 %no.rows, label %over, label %loops
loops:
  %noted.at = getelementptr i64, ptr %table, i64 <noted>
  %noted = load ptr, ptr %noted.at
  %stop.at = getelementptr i64, ptr %table, i64 <stop>
  %stop = load ptr, ptr %stop.at
  %master = call ptr @"PyEval_SaveThread"()
  %came = call i64 @steps(ptr %team, ptr %rows, ptr %noted, ptr %stop)
  call void @"PyEval_RestoreThread"(ptr %master)
  br label %over
over:
  %all = phi i64 [ %bits, %run ], [ 0, %more ], [ %came, %loops ]
  %error = icmp slt i64 %all, 0
  br i1 %error, label %end, label %listen
listen:
  %rang = call i64 @rang(ptr %table)
  %heard = or i64 %all, %rang
  ret i64 %heard
end:
  ret i64 -1
}

; Have the items among the arguments of kernels.
define internal void @fill(ptr %table, ptr %items) {
start:
  %count.at = getelementptr i64, ptr %table, i64 <filled>
  %count = load i64, ptr %count.at
  %pairs.at = getelementptr i64, ptr %table, i64 <fills>
  %pairs = load ptr, ptr %pairs.at
  br label %look
look:
  %k = phi i64 [ 0, %start ], [ %k.next, %one ]
  %pair = phi ptr [ %pairs, %start ], [ %pair.next, %one ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %one, label %end
one:
  %k.next = add i64 %k, 1
  %pair.next = getelementptr i64, ptr %pair, i64 2
  %place = load i64, ptr %pair
  %item.at = getelementptr ptr, ptr %items, i64 %place
  %item = load ptr, ptr %item.at
  %to.at = getelementptr i64, ptr %pair, i64 1
  %to = load ptr, ptr %to.at
  store ptr %item, ptr %to
  br label %look
end:
  ret void
}

; Copy the arrays at these places of the items into `room`, by a table of copies.
define internal void @save(ptr %team, ptr %copies, ptr %items, ptr %places, ptr %room) {
start:
  %room.at = getelementptr i8, ptr %room, i64 <data>
  %room.data = load ptr, ptr %room.at
  %word = getelementptr i64, ptr %copies, i64 2
  store ptr %room.data, ptr %word
  %count.at = getelementptr i64, ptr %copies, i64 1
  %count = load i64, ptr %count.at
  br label %look
look:
  %k = phi i64 [ 0, %start ], [ %k.next, %one ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %one, label %copy
one:
  %k.next = add i64 %k, 1
  %place.at = getelementptr i64, ptr %places, i64 %k
  %place = load i64, ptr %place.at
  %item.at = getelementptr ptr, ptr %items, i64 %place
  %item = load ptr, ptr %item.at
  %data.at = getelementptr i8, ptr %item, i64 <data>
  %data = load ptr, ptr %data.at
  %row = mul i64 %k, 3
  %from = add i64 %row, 3
  %from.at = getelementptr i64, ptr %copies, i64 %from
  store ptr %data, ptr %from.at
  br label %look
copy:
  call void @copy(ptr %team, ptr %copies)
  ret void
}

; Call kernels until one does not come to its end; bits for its statuses, -1 if it has raised.
define internal i64 @called(ptr %table) {
start:
  %count.at = getelementptr i64, ptr %table, i64 <called>
  %count = load i64, ptr %count.at
  %rows.at = getelementptr i64, ptr %table, i64 <calls>
  %rows = load ptr, ptr %rows.at
  br label %look
look:
  %k = phi i64 [ 0, %start ], [ %k.next, %over ]
  %row = phi ptr [ %rows, %start ], [ %row.next, %over ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %one, label %done
one:
  %k.next = add i64 %k, 1
  %row.next = getelementptr i64, ptr %row, i64 4
  %function = load ptr, ptr %row
  %args.at = getelementptr i64, ptr %row, i64 1
  %args = load ptr, ptr %args.at
  %given.at = getelementptr i64, ptr %row, i64 2
  %given = load i64, ptr %given.at
  %said = call ptr %function(ptr null, ptr %args, i64 %given)
  %raised = icmp eq ptr %said, null
  br i1 %raised, label %error, label %over
over:
  %status = call i64 @"PyLong_AsLongLong"(ptr %said)
  call void @"Py_DecRef"(ptr %said)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %look, label %bad
bad:
  %bits.at = getelementptr i64, ptr %row, i64 3
  %bits = load i64, ptr %bits.at
  %by.team = icmp ne i64 %bits, 0
  %bit = shl i64 1, %status
  %found = select i1 %by.team, i64 %status, i64 %bit
  ret i64 %found
error:
  ret i64 -1
done:
  ret i64 0
}

; Whether kernels have something to warn of.
define internal i64 @rang(ptr %table) {
start:
  %count.at = getelementptr i64, ptr %table, i64 <bells>
  %count = load i64, ptr %count.at
  %pairs.at = getelementptr i64, ptr %table, i64 <rings>
  %pairs = load ptr, ptr %pairs.at
  br label %look
look:
  %k = phi i64 [ 0, %start ], [ %k.next, %silent ]
  %pair = phi ptr [ %pairs, %start ], [ %pair.next, %silent ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %one, label %none
one:
  %k.next = add i64 %k, 1
  %pair.next = getelementptr i64, ptr %pair, i64 2
  %bytes = load ptr, ptr %pair
  %size.at = getelementptr i64, ptr %pair, i64 1
  %size = load i64, ptr %size.at
  br label %byte
byte:
  %b = phi i64 [ 0, %one ], [ %b.next, %next ]
  %b.more = icmp ult i64 %b, %size
  br i1 %b.more, label %next, label %silent
next:
  %b.next = add i64 %b, 1
  %byte.at = getelementptr i8, ptr %bytes, i64 %b
  %heard = load i8, ptr %byte.at
  %quiet = icmp eq i8 %heard, 0
  br i1 %quiet, label %byte, label %loud
silent:
  br label %look
loud:
  ret i64 <rang>
none:
  ret i64 0
}

declare void @"Py_DecRef"(ptr)
"""


def text() -> str:
    """LLVM text of ``replay(team, table, tuple, room)``."""
    made = _TEXT
    numbers = {
        "items": ITEMS, "data": DATA, "filled": _FILLED, "fills": _FILLS, "copies": _COPIES,
        "copied": _COPIED, "called": _CALLED, "calls": _CALLS, "rows": _ROWS, "noted": _NOTED,
        "stop": _STOP, "bells": _BELLS, "rings": _RINGS, "other": OTHER, "rang": RANG,
    }  # fmt: skip
    for word, number in numbers.items():
        made = made.replace(f"<{word}>", str(number))
    return made


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a kernel.

    Attributes
    ----------
    function
        What Python calls.
    args
        What it is handed; an `Item` where that is taken from the tuple.
    bits
        Whether it says bits of statuses, of a team.
    """

    function: Callable[..., int]
    args: Sequence[object]
    bits: bool


@dataclass(frozen=True, slots=True)
class Item:
    """What is at a place of the tuple that is handed over."""

    place: int


class Replayed:
    """A table for ``replay``, and all that it has addresses of.

    Attributes
    ----------
    address
        Of the table.

    Parameters
    ----------
    like
        What the items of a tuple are compared with, see `likeness.table`.
    copies, copied
        A table of `team.COPY`, and places of arrays among the items; None and empty: no copies.
    calls
        Of kernels, one after the other.
    rows, noted
        Addresses of tables of `team.STEPS`, for what these calls note; 0: they run kernels.
    stop
        Address of the word that stops kernels.
    bells
        Memory that is 0 unless kernels have something to warn of.
    """

    __slots__ = ("address", "kept")

    def __init__(
        self,
        like: Array,
        copies: Array | None,
        copied: Sequence[int],
        calls: Sequence[Call],
        rows: int,
        noted: int,
        stop: int,
        bells: Sequence[bytearray],
    ) -> None:
        rooms: list[Array] = []
        called: list[int] = []
        fills: list[int] = []
        for call in calls:
            room = np.array([0 if isinstance(a, Item) else id(a) for a in call.args], np.int64)
            rooms.append(room)
            called += _method(call.function), _place(room), len(call.args), int(call.bits)
            for k, one in enumerate(call.args):
                if isinstance(one, Item):
                    fills += one.place, _place(room) + 8 * k
        noticed = [np.frombuffer(memory, np.int8) for memory in bells]
        rings = [word for one in noticed for word in (_place(one), one.size)]
        parts = [np.array(words, np.int64) for words in (fills, copied, called, rings)]
        at_fills, at_copied, at_called, at_rings = map(_place, parts)
        table = np.zeros(_WORDS, np.int64)
        table[[_LIKE, _FILLED, _FILLS]] = _place(like), len(fills) // 2, at_fills
        table[[_COPIES, _COPIED]] = 0 if copies is None else _place(copies), at_copied
        table[[_CALLED, _CALLS]] = len(calls), at_called
        table[[_ROWS, _NOTED, _STOP]] = rows, noted, stop
        table[[_BELLS, _RINGS]] = len(bells), at_rings
        self.address = _place(table)
        self.kept = (like, copies, calls, rooms, noticed, parts, table)


def _place(array: Array) -> int:
    found: int = array.ctypes.data
    return found


def _method(function: Callable[..., int]) -> int:
    """Address of the function of C's that a builtin function calls."""
    definition = ctypes.c_void_p.from_address(id(function) + HEAD).value
    assert definition is not None
    found = ctypes.c_void_p.from_address(definition + ctypes.sizeof(ctypes.c_void_p)).value
    assert found is not None
    return found
