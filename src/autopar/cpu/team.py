"""Threads that take the chunks of one parallel loop after the other, in machine code.

A launch that wakes threads up, and hands them each chunk through the interpreter, takes a hundred
microseconds, as long as a sweep through an array in cache.  So threads that have had work look for
more for a while, in memory that all of them share: a team.  To have it begin costs a microsecond.

Each thread begins with a range of chunks of its own, the same in each launch, so that what it has
in its cache is used again; when that is done with, and the others still are not after a while, it
helps with theirs.  Who has found nothing to do for longer sleeps, where there are semaphores.

A system that wakes a thread may have it wait for the processor of who woke it, though others are
idle: which saves power, or suits a machine that is itself simulated.  But the one who launches is
about to keep that processor busy.  So those that are woken are first told to keep away from it.

A *ticket* says which chunk of a range is next, and in its upper bits which launch that is about:
who was late with a look at an earlier one changes nothing.  The number of a launch is the first
thing that is written of it: what else is read, with a ticket, is of the same launch if the number
still is that of the ticket afterwards.

References
----------
Self-scheduling by fetch-and-add: Tang and Yew, "Processor Self-Scheduling for Multiple-Nested
Parallel Loops", ICPP 1986; a range for each processor first: Markatos and LeBlanc, "Using Processor
Affinity in Loop Scheduling on Shared-Memory Multiprocessors", IEEE TPDS 5(4), 1994.
"""

from __future__ import annotations

import platform
import sys

from autopar.cpu import likeness
from autopar.cpu.structs import DATA, FLAGS, WITHOUT_GAPS

LINE = 8
"""Words that processors hand to each other at once."""

TOGETHER = 0
"""Place of a word in the memory of a team: the function that a kernel calls to have it run."""
_LAUNCH, _TASK, _FRAME, _COUNT, _STOP = (LINE + k for k in range(5))
THREADS = LINE + 5
"""Of how many threads a team is, the one that launches included."""
_FINISHED = 2 * LINE
_STATUSES = 3 * LINE
LEFT = 4 * LINE
"""How many threads have left since the team was made, because there was nothing to do."""
OVER = 5 * LINE
"""Not zero: all are to leave."""
_ARRIVED = 6 * LINE
ASLEEP = 7 * LINE
"""How many threads sleep, or are about to."""
PATIENCE = 7 * LINE + 2
"""Looks for more work before a thread sleeps, or leaves."""
AVOIDED = 7 * LINE + 1
"""Number of the processor that threads keep away from; -1: they may be on any."""
_SEMAPHORE = 8 * LINE  # 32 bytes in glibc, less elsewhere
PROCESSORS = 9 * LINE
"""Bits for those that threads may be on; all 0: they are wherever the system has them."""
MOST_PROCESSORS = 2 * LINE * 64
"""Whose bits there is room for."""
_TICKETS = 11 * LINE
_HANDLE = 1  # behind a ticket: what the system knows the thread by that it belongs to

_BITS = 16
MOST_THREADS = 1 << (_BITS - 4)
"""Their chunks can be told apart in the lower bits of a ticket; launches, in the upper ones, begin
again after years."""
SPINS = 40_000
"""The usual `PATIENCE`: two milliseconds, for what a program does between two nests, and since a
processor that has been put to sleep may take one to wake."""
_POLITE = 63
"""Between so many of them the processor is offered to somebody else: it may be the one of who waits
for this thread."""
_LOYAL, _SOON = 2000, 100
"""Looks at what another has left before one takes it from there: to bring what it works on from the
cache of another processor takes long, too.  The last chunk, which its owner is likely to come to,
is left alone for tens of microseconds, more of them for a few."""
SLEEPS = sys.platform == "linux"
"""Whether there are semaphores without a name, and threads can be told where to be."""
_YIELDS = sys.platform != "win32"
"""Whether a thread can offer its processor to others."""
_EAGER = 500
"""Looks at whether others have finished before the processor is offered to somebody else."""

BEGIN, SERVE, NOTHING, END, COPY, STIR, STEPS, LIKE = range(8)
"""What the function of Python's is to do: get the memory ready, have the calling thread help until
it is to leave, run chunks in which there is nothing to do, have all threads leave, copy memory,
wake those that sleep for a launch that is about to come, run one parallel loop after the other, or,
which has nothing to do with threads, tell whether values are like those that a table is about.

To copy, the address of a table follows, of how many parts, how many arrays, and room for a word;
and for each array room for a word, where its copy begins, and of how many bytes it is.  Then the
array that copies are put into, and those that are copied.  One part is copied by this thread alone.
If there are `GAPS` in one of the arrays, nothing is.  To run loops, the address of a table of how
many these are, and for each a row of `STEP` words: which of the kernels, how many chunks, how many
iterations, how many loops are around it, and where these are.  Then that of a table of where the
kernels are noted, and that of the word that stops them.  A bit is set in what is returned for each
status that there was in the last loop that was begun.  To compare, the address of a table of
`likeness` and a tuple of values follow.
"""

GAPS = 1
"""What is returned of arrays whose elements do not follow each other."""

STEP = 8
"""Words of one loop in a table."""
MOST_AROUND = STEP - 4
"""Loops around it for which there is room there."""

NOTED = 8
"""Words in memory where a kernel is noted, before what it is called with: its function, and where
in memory the variables of the loops around it are to be written."""


def words(threads: int) -> int:
    """How many words the memory of a team has."""
    return _TICKETS + threads * LINE


_X86 = "call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"
_ARM = "call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"
_PAUSES = {"x86_64": _X86, "AMD64": _X86, "aarch64": _ARM, "arm64": _ARM}
"""What tells a processor that the thread waits, and its declaration."""

_TEXT = """
; ptr <name>(ptr self, ptr *args, i64 n): args are the address of the team and what to do.
define ptr @"<name>"(ptr %self, ptr %args, i64 %n) {
start:
  %team.object = load ptr, ptr %args
  %team.word = call i64 @"PyLong_AsLongLong"(ptr %team.object)
  %team = inttoptr i64 %team.word to ptr
  %work.at = getelementptr ptr, ptr %args, i64 1
  %work.object = load ptr, ptr %work.at
  %work = call i64 @"PyLong_AsLongLong"(ptr %work.object)
  switch i64 %work, label %begin [
    i64 <serve>, label %help
    i64 <nothing>, label %idle
    i64 <end>, label %dismiss
    i64 <copy>, label %copies
    i64 <stir>, label %stirred
    i64 <steps>, label %loops
    i64 <like>, label %compared
  ]
begin:
  %run.at = getelementptr i64, ptr %team, i64 <together>
  store ptr @together, ptr %run.at
  %semaphore.at = getelementptr i64, ptr %team, i64 <semaphore>
  br i1 <sleeps>, label %ready, label %end
ready:
  %made = call i32 @"sem_init"(ptr %semaphore.at, i32 0, i32 0)
  br label %end
dismiss:
  %over.at = getelementptr i64, ptr %team, i64 <over>
  store atomic i64 1, ptr %over.at seq_cst, align 8
  call void @wake(ptr %team)
  br label %end
help:
  %helper = call ptr @"PyEval_SaveThread"()
  call void @serve(ptr %team)
  call void @"PyEval_RestoreThread"(ptr %helper)
  br label %end
idle:
  %threads.at = getelementptr i64, ptr %team, i64 <threads>
  %threads = load i64, ptr %threads.at
  %chunks = mul i64 %threads, 8
  %none = alloca i64
  store i64 0, ptr %none
  %caller = call ptr @"PyEval_SaveThread"()
  %done = call i64 @together(ptr %team, ptr @nothing, ptr null, i64 %chunks, ptr %none)
  call void @"PyEval_RestoreThread"(ptr %caller)
  br label %end
stirred:
  call void @apart(ptr %team)
  call void @wake(ptr %team)
  br label %end
copies:
  %table.at = getelementptr ptr, ptr %args, i64 2
  %table.object = load ptr, ptr %table.at
  %table.word = call i64 @"PyLong_AsLongLong"(ptr %table.object)
  %table = inttoptr i64 %table.word to ptr
  %room.at = getelementptr ptr, ptr %args, i64 3
  %room.object = load ptr, ptr %room.at
  %room.data.at = getelementptr i8, ptr %room.object, i64 <data>
  %room.data = load i64, ptr %room.data.at
  %room.word = getelementptr i64, ptr %table, i64 2
  store i64 %room.data, ptr %room.word
  %parts = load i64, ptr %table
  %arrays.at = getelementptr i64, ptr %table, i64 1
  %arrays = load i64, ptr %arrays.at
  br label %array
array:
  %a = phi i64 [ 0, %copies ], [ %a.next, %fits ]
  %a.more = icmp ult i64 %a, %arrays
  br i1 %a.more, label %look, label %found
look:
  %a.next = add i64 %a, 1
  %from.place = add i64 %a, 4
  %from.at = getelementptr ptr, ptr %args, i64 %from.place
  %from.object = load ptr, ptr %from.at
  %flags.at = getelementptr i8, ptr %from.object, i64 <flags>
  %flags = load i32, ptr %flags.at
  %whole = and i32 %flags, <without_gaps>
  %gaps = icmp eq i32 %whole, 0
  br i1 %gaps, label %end, label %fits
fits:
  %from.data.at = getelementptr i8, ptr %from.object, i64 <data>
  %from.data = load i64, ptr %from.data.at
  %row = mul i64 %a, 3
  %row.from = add i64 %row, 3
  %row.from.at = getelementptr i64, ptr %table, i64 %row.from
  store i64 %from.data, ptr %row.from.at
  br label %array
found:
  %undivided = icmp eq i64 %parts, 1
  br i1 %undivided, label %at.once, label %shared
at.once:
  %copied.here = call i8 @copied(ptr %table, i64 0)
  br label %end
shared:
  %never = alloca i64
  store i64 0, ptr %never
  %owner = call ptr @"PyEval_SaveThread"()
  %copied = call i64 @together(ptr %team, ptr @copied, ptr %table, i64 %parts, ptr %never)
  call void @"PyEval_RestoreThread"(ptr %owner)
  br label %end
loops:
  %rows.at = getelementptr ptr, ptr %args, i64 2
  %rows.object = load ptr, ptr %rows.at
  %rows.word = call i64 @"PyLong_AsLongLong"(ptr %rows.object)
  %rows = inttoptr i64 %rows.word to ptr
  %noted.at = getelementptr ptr, ptr %args, i64 3
  %noted.object = load ptr, ptr %noted.at
  %noted.word = call i64 @"PyLong_AsLongLong"(ptr %noted.object)
  %noted = inttoptr i64 %noted.word to ptr
  %halt.at = getelementptr ptr, ptr %args, i64 4
  %halt.object = load ptr, ptr %halt.at
  %halt.word = call i64 @"PyLong_AsLongLong"(ptr %halt.object)
  %halt = inttoptr i64 %halt.word to ptr
  %master = call ptr @"PyEval_SaveThread"()
  %came = call i64 @steps(ptr %team, ptr %rows, ptr %noted, ptr %halt)
  call void @"PyEval_RestoreThread"(ptr %master)
  br label %end
compared:
  %then.at = getelementptr ptr, ptr %args, i64 2
  %then.object = load ptr, ptr %then.at
  %then.word = call i64 @"PyLong_AsLongLong"(ptr %then.object)
  %then = inttoptr i64 %then.word to ptr
  %values.at = getelementptr ptr, ptr %args, i64 3
  %values = load ptr, ptr %values.at
  %alike = call i1 @alike(ptr %then, ptr %values)
  %alike.word = zext i1 %alike to i64
  br label %end
end:
  %said = phi i64
    [ 0, %ready ], [ 0, %begin ], [ 0, %dismiss ], [ 0, %help ], [ 0, %idle ], [ 0, %stirred ],
    [ <gaps>, %look ], [ 0, %at.once ], [ 0, %shared ], [ %came, %loops ],
    [ %alike.word, %compared ]
  %answer = call ptr @"PyLong_FromLongLong"(i64 %said)
  ret ptr %answer
}

; Loops one after the other, until one does not come to its end; a bit for each status of that one.
define internal i64 @steps(ptr %team, ptr %rows, ptr %noted, ptr %stop) {
start:
  %count = load i64, ptr %rows
  %first = getelementptr i64, ptr %rows, i64 1
  %threads.at = getelementptr i64, ptr %team, i64 <threads>
  %threads = load i64, ptr %threads.at
  br label %look
look:
  %k = phi i64 [ 0, %start ], [ %k.next, %over ]
  %row = phi ptr [ %first, %start ], [ %row.next, %over ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %each, label %done
each:
  %k.next = add i64 %k, 1
  %row.next = getelementptr i64, ptr %row, i64 <step>
  %kernel = load i64, ptr %row
  %chunks.at = getelementptr i64, ptr %row, i64 1
  %chunks = load i64, ptr %chunks.at
  %trips.at = getelementptr i64, ptr %row, i64 2
  %trips = load i64, ptr %trips.at
  %around.at = getelementptr i64, ptr %row, i64 3
  %around = load i64, ptr %around.at
  %note.at = getelementptr ptr, ptr %noted, i64 %kernel
  %note = load ptr, ptr %note.at
  %task = load ptr, ptr %note
  %far.at = getelementptr ptr, ptr %note, i64 1
  %far = load ptr, ptr %far.at
  %frame = getelementptr i64, ptr %note, i64 <noted>
  store i64 %chunks, ptr %frame
  %its.trips = getelementptr i64, ptr %frame, i64 1
  store i64 %trips, ptr %its.trips
  %its.threads = getelementptr i64, ptr %frame, i64 2
  store i64 %threads, ptr %its.threads
  br label %put
put:
  %v = phi i64 [ 0, %each ], [ %v.next, %one ]
  %v.more = icmp ult i64 %v, %around
  br i1 %v.more, label %one, label %go
one:
  %v.place = add i64 %v, 4
  %v.from = getelementptr i64, ptr %row, i64 %v.place
  %v.value = load i64, ptr %v.from
  %v.to = getelementptr i64, ptr %far, i64 %v
  store i64 %v.value, ptr %v.to
  %v.next = add i64 %v, 1
  br label %put
go:
  %alone = icmp eq i64 %chunks, 1
  br i1 %alone, label %here, label %all
here:
  %status = call i8 %task(ptr %frame, i64 0)
  %well = icmp eq i8 %status, 0
  %wide = zext i8 %status to i64
  %bit = shl i64 1, %wide
  %mine = select i1 %well, i64 0, i64 %bit
  br label %over
all:
  %theirs = call i64 @together(ptr %team, ptr %task, ptr %frame, i64 %chunks, ptr %stop)
  br label %over
over:
  %bits = phi i64 [ %mine, %here ], [ %theirs, %all ]
  %good = icmp eq i64 %bits, 0
  br i1 %good, label %look, label %bad
bad:
  ret i64 %bits
done:
  ret i64 0
}

; One part of all the copies in a table, in whole cache lines.
define internal i8 @copied(ptr %table, i64 %part) {
start:
  %parts = load i64, ptr %table
  %count.at = getelementptr i64, ptr %table, i64 1
  %count = load i64, ptr %count.at
  %room.at = getelementptr i64, ptr %table, i64 2
  %room = load ptr, ptr %room.at
  %next = add i64 %part, 1
  %last = icmp eq i64 %next, %parts
  br label %look
look:
  %k = phi i64 [ 0, %start ], [ %k.next, %each ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %each, label %end
each:
  %k.next = add i64 %k, 1
  %row = mul i64 %k, 3
  %row.at = getelementptr i64, ptr %table, i64 %row
  %from.at = getelementptr i64, ptr %row.at, i64 3
  %to.at = getelementptr i64, ptr %row.at, i64 4
  %size.at = getelementptr i64, ptr %row.at, i64 5
  %from = load ptr, ptr %from.at
  %place = load i64, ptr %to.at
  %to = getelementptr i8, ptr %room, i64 %place
  %size = load i64, ptr %size.at
  %step = udiv i64 %size, %parts
  %low.fine = mul i64 %step, %part
  %low = and i64 %low.fine, -64
  %high.fine = mul i64 %step, %next
  %high.whole = and i64 %high.fine, -64
  %high = select i1 %last, i64 %size, i64 %high.whole
  %length = sub i64 %high, %low
  %to.low = getelementptr i8, ptr %to, i64 %low
  %from.low = getelementptr i8, ptr %from, i64 %low
  %there = call ptr @"memcpy"(ptr %to.low, ptr %from.low, i64 %length)
  br label %look
end:
  ret i8 0
}

define internal i8 @nothing(ptr %frame, i64 %chunk) {
  ret i8 0
}

; Run task(frame, 0 ... count-1); a bit for each status that there was.
define internal i64 @together(ptr %team, ptr %task, ptr %frame, i64 %count, ptr %stop) {
start:
  %launch.at = getelementptr i64, ptr %team, i64 <launch>
  %launch.old = load atomic i64, ptr %launch.at monotonic, align 8
  %launch = add i64 %launch.old, 1
  ; First of all: whoever sees what follows sees that it is not about tickets of an earlier launch.
  store atomic i64 %launch, ptr %launch.at release, align 8
  %upper = shl i64 %launch, <bits>
  %threads.at = getelementptr i64, ptr %team, i64 <threads>
  %threads = load i64, ptr %threads.at
  %tickets = getelementptr i64, ptr %team, i64 <tickets>
  %task.at = getelementptr i64, ptr %team, i64 <task>
  store atomic ptr %task, ptr %task.at release, align 8
  %frame.at = getelementptr i64, ptr %team, i64 <frame>
  store atomic ptr %frame, ptr %frame.at release, align 8
  %count.at = getelementptr i64, ptr %team, i64 <count>
  store atomic i64 %count, ptr %count.at release, align 8
  %stop.at = getelementptr i64, ptr %team, i64 <stop>
  store atomic ptr %stop, ptr %stop.at release, align 8
  %statuses.at = getelementptr i64, ptr %team, i64 <statuses>
  store atomic i64 0, ptr %statuses.at release, align 8
  %finished.at = getelementptr i64, ptr %team, i64 <finished>
  store atomic i64 0, ptr %finished.at release, align 8
  br label %open
open:
  %o = phi i64 [ 0, %start ], [ %o.next, %open ]
  %o.word = mul i64 %o, <line>
  %o.at = getelementptr i64, ptr %tickets, i64 %o.word
  %o.many = mul i64 %o, %count
  %o.first = udiv i64 %o.many, %threads
  %o.ticket = or i64 %upper, %o.first
  store atomic i64 %o.ticket, ptr %o.at seq_cst, align 8
  %o.next = add i64 %o, 1
  %o.more = icmp ult i64 %o.next, %threads
  br i1 %o.more, label %open, label %run
run:
  call void @apart(ptr %team)
  call void @wake(ptr %team)
  %mine = call i64 @work(ptr %team, i64 0)
  br label %wait
wait:
  %looks = phi i64 [ 0, %run ], [ %looks.next, %again ]
  %finished = load atomic i64, ptr %finished.at acquire, align 8
  %all = icmp uge i64 %finished, %count
  br i1 %all, label %end, label %rest
rest:
  <pause>
  %looks.next = add i64 %looks, 1
  %patient = icmp ult i64 %looks, <eager>
  br i1 %patient, label %again, label %offer
offer:
  <offer>
  br label %again
again:
  br label %wait
end:
  %statuses = load atomic i64, ptr %statuses.at acquire, align 8
  ret i64 %statuses
}

; Wake all who sleep.
define internal void @wake(ptr %team) {
start:
  %asleep.at = getelementptr i64, ptr %team, i64 <asleep>
  %semaphore.at = getelementptr i64, ptr %team, i64 <semaphore>
  ; Mostly nobody does: who waits looks at this line again and again, and is to keep it.
  %some.asleep = load atomic i64, ptr %asleep.at seq_cst, align 8
  %any = icmp sgt i64 %some.asleep, 0
  br i1 %any, label %take, label %end
take:
  %asleep = atomicrmw xchg ptr %asleep.at, i64 0 seq_cst
  br label %look
look:
  %left = phi i64 [ %asleep, %take ], [ %left.next, %post ]
  %some = icmp sgt i64 %left, 0
  br i1 %some, label %post, label %end
post:
  %posted = call i32 @"sem_post"(ptr %semaphore.at)
  %left.next = sub i64 %left, 1
  br label %look
end:
  ret void
}

; Have all others keep away from the processor that this thread is on.
define internal void @apart(ptr %team) {
start:
  %own = alloca [<room> x i64]
  %processors.at = getelementptr i64, ptr %team, i64 <processors>
  %avoided.at = getelementptr i64, ptr %team, i64 <avoided>
  %threads.at = getelementptr i64, ptr %team, i64 <threads>
  %threads = load i64, ptr %threads.at
  %tickets = getelementptr i64, ptr %team, i64 <tickets>
  %avoided = load atomic i64, ptr %avoided.at monotonic, align 8
  br i1 <sleeps>, label %ask, label %end
ask:
  %here.short = call i32 @"sched_getcpu"()
  %here = zext i32 %here.short to i64
  %moved = icmp ne i64 %here, %avoided
  %known = icmp ult i64 %here, <most>
  %goes = and i1 %moved, %known
  br i1 %goes, label %allowed, label %end
allowed:
  ; Where this one is not there to be avoided, nobody has said where the others may be.
  %word = lshr i64 %here, 6
  %bit.number = and i64 %here, 63
  %bit = shl i64 1, %bit.number
  %mask.at = getelementptr i64, ptr %processors.at, i64 %word
  %mask = load i64, ptr %mask.at
  %in = and i64 %mask, %bit
  %is.in = icmp ne i64 %in, 0
  br i1 %is.in, label %copy, label %end
copy:
  %c = phi i64 [ 0, %allowed ], [ %c.next, %copy ]
  %c.from = getelementptr i64, ptr %processors.at, i64 %c
  %c.to = getelementptr i64, ptr %own, i64 %c
  %c.value = load i64, ptr %c.from
  store i64 %c.value, ptr %c.to
  %c.next = add i64 %c, 1
  %c.more = icmp ult i64 %c.next, <room>
  br i1 %c.more, label %copy, label %clear
clear:
  %others = xor i64 %mask, %bit
  %own.at = getelementptr i64, ptr %own, i64 %word
  store i64 %others, ptr %own.at
  ; Whoever has come before this is told now, whoever comes after it has all told again.
  %before = atomicrmw xchg ptr %avoided.at, i64 %here acq_rel
  br label %each
each:
  %h = phi i64 [ 1, %clear ], [ %h.next, %next ]
  %h.more = icmp ult i64 %h, %threads
  br i1 %h.more, label %look, label %end
look:
  %h.word = mul i64 %h, <line>
  %h.place = add i64 %h.word, <handle>
  %h.at = getelementptr i64, ptr %tickets, i64 %h.place
  %handle = load atomic i64, ptr %h.at acquire, align 8
  %there = icmp ne i64 %handle, 0
  br i1 %there, label %tell, label %next
tell:
  %told = call i32 @"pthread_setaffinity_np"(i64 %handle, i64 <bytes>, ptr %own)
  br label %next
next:
  %h.next = add i64 %h, 1
  br label %each
end:
  ret void
}

; Take chunks, those of range %me first, until none is left; how many.
define internal i64 @work(ptr %team, i64 %me) {
start:
  %threads.at = getelementptr i64, ptr %team, i64 <threads>
  %threads = load i64, ptr %threads.at
  %tickets = getelementptr i64, ptr %team, i64 <tickets>
  %launch.at = getelementptr i64, ptr %team, i64 <launch>
  %task.at = getelementptr i64, ptr %team, i64 <task>
  %frame.at = getelementptr i64, ptr %team, i64 <frame>
  %count.at = getelementptr i64, ptr %team, i64 <count>
  %stop.at = getelementptr i64, ptr %team, i64 <stop>
  %statuses.at = getelementptr i64, ptr %team, i64 <statuses>
  %finished.at = getelementptr i64, ptr %team, i64 <finished>
  br label %ranges
ranges:
  %j = phi i64 [ 0, %start ], [ %j.next, %range.done ]
  %done = phi i64 [ 0, %start ], [ %taken, %range.done ]
  %loyal = phi i64 [ <loyal>, %start ], [ %loyal.now, %range.done ]
  %j.more = icmp ult i64 %j, %threads
  br i1 %j.more, label %range, label %end
range:
  %turned = add i64 %me, %j
  %r = urem i64 %turned, %threads
  %r.next = add i64 %r, 1
  %r.word = mul i64 %r, <line>
  %ticket.at = getelementptr i64, ptr %tickets, i64 %r.word
  br label %look
look:
  %taken = phi i64
    [ %done, %range ], [ %taken, %try ], [ %taken, %stay ], [ %taken.next, %finish ]
  %loyal.now = phi i64
    [ %loyal, %range ], [ %loyal.now, %try ], [ %loyal.less, %stay ], [ %loyal.now, %finish ]
  %ticket = load atomic i64, ptr %ticket.at acquire, align 8
  %next = and i64 %ticket, <mask>
  %count = load atomic i64, ptr %count.at acquire, align 8
  %many = mul i64 %r.next, %count
  %range.end = udiv i64 %many, %threads
  %left = icmp ult i64 %next, %range.end
  br i1 %left, label %mine.or.not, label %range.done
mine.or.not:
  %foreign = icmp ne i64 %j, 0
  %rest = sub i64 %range.end, %next
  %few = icmp ult i64 %rest, 2
  %until = select i1 %few, i64 0, i64 <soon>
  %patient = icmp ugt i64 %loyal.now, %until
  %stays = and i1 %foreign, %patient
  br i1 %stays, label %stay, label %chunk
stay:
  <pause>
  %loyal.less = sub i64 %loyal.now, 1
  br label %look
chunk:
  %task = load atomic ptr, ptr %task.at acquire, align 8
  %frame = load atomic ptr, ptr %frame.at acquire, align 8
  %stop = load atomic ptr, ptr %stop.at acquire, align 8
  %launch = load atomic i64, ptr %launch.at acquire, align 8
  %number = shl i64 %launch, <bits>
  %upper = and i64 %ticket, <upper>
  %current = icmp eq i64 %upper, %number
  br i1 %current, label %try, label %range.done
try:
  %ticket.next = add i64 %ticket, 1
  %swap = cmpxchg ptr %ticket.at, i64 %ticket, i64 %ticket.next acq_rel acquire
  %mine = extractvalue { i64, i1 } %swap, 1
  br i1 %mine, label %may, label %look
may:
  %stopped = load atomic i64, ptr %stop monotonic, align 8
  %goes = icmp eq i64 %stopped, 0
  br i1 %goes, label %run, label %skip
skip:
  br label %tell
run:
  %status = call i8 %task(ptr %frame, i64 %next)
  %well = icmp eq i8 %status, 0
  br i1 %well, label %finish, label %bad
bad:
  store atomic i64 1, ptr %stop monotonic, align 8
  br label %tell
tell:
  %told = phi i8 [ <stopped>, %skip ], [ %status, %bad ]
  %wide = zext i8 %told to i64
  %bit = shl i64 1, %wide
  %before = atomicrmw or ptr %statuses.at, i64 %bit acq_rel
  br label %finish
finish:
  %others = atomicrmw add ptr %finished.at, i64 1 acq_rel
  %taken.next = add i64 %taken, 1
  br label %look
range.done:
  %j.next = add i64 %j, 1
  br label %ranges
end:
  ret i64 %done
}

; Help until there has been nothing to do for a while.
define internal void @serve(ptr %team) {
start:
  %threads.at = getelementptr i64, ptr %team, i64 <threads>
  %threads = load i64, ptr %threads.at
  %helpers = sub i64 %threads, 1
  %over.at = getelementptr i64, ptr %team, i64 <over>
  %left.at = getelementptr i64, ptr %team, i64 <left>
  %asleep.at = getelementptr i64, ptr %team, i64 <asleep>
  %patience.at = getelementptr i64, ptr %team, i64 <patience>
  %semaphore.at = getelementptr i64, ptr %team, i64 <semaphore>
  %arrived.at = getelementptr i64, ptr %team, i64 <arrived>
  %arrived = atomicrmw add ptr %arrived.at, i64 1 monotonic
  %place = urem i64 %arrived, %helpers
  %me = add i64 %place, 1
  %tickets = getelementptr i64, ptr %team, i64 <tickets>
  %self.word = mul i64 %me, <line>
  %own.at = getelementptr i64, ptr %tickets, i64 %self.word
  %last.word = mul i64 %helpers, <line>
  %last.at = getelementptr i64, ptr %tickets, i64 %last.word
  br i1 <sleeps>, label %register, label %ready
register:
  %self = call i64 @"pthread_self"()
  %self.place = add i64 %self.word, <handle>
  %self.at = getelementptr i64, ptr %tickets, i64 %self.place
  store atomic i64 %self, ptr %self.at release, align 8
  %avoided.at = getelementptr i64, ptr %team, i64 <avoided>
  store atomic i64 -1, ptr %avoided.at release, align 8
  br label %ready
ready:
  br label %look
look:
  %spins = phi i64
    [ 0, %ready ], [ %spins.now, %rest ], [ %spins.now, %offer ], [ 0, %up ], [ 0, %slept ]
  %seen = phi i64
    [ -1, %ready ], [ %seen.now, %rest ], [ %seen.now, %offer ], [ -1, %up ], [ -1, %slept ]
  %over = load atomic i64, ptr %over.at monotonic, align 8
  %ended = icmp ne i64 %over, 0
  br i1 %ended, label %leave, label %help
help:
  ; A launch issues all tickets anew.  Whoever had a chunk of it when all were issued was there
  ; until all were taken, and leaves the others' alone until the own one tells of the next.
  %own.ticket = load atomic i64, ptr %own.at acquire, align 8
  %issued = lshr i64 %own.ticket, <bits>
  %new = icmp ne i64 %issued, %seen
  br i1 %new, label %take, label %idle
take:
  %last.ticket = load atomic i64, ptr %last.at acquire, align 8
  %last.issued = lshr i64 %last.ticket, <bits>
  %complete = icmp eq i64 %last.issued, %issued
  %done = call i64 @work(ptr %team, i64 %me)
  %took = icmp ne i64 %done, 0
  br label %idle
idle:
  %busy = phi i1 [ false, %help ], [ %took, %take ]
  %all = phi i1 [ false, %help ], [ %complete, %take ]
  %through = and i1 %busy, %all
  %seen.now = select i1 %through, i64 %issued, i64 %seen
  %spins.more = add i64 %spins, 1
  %spins.now = select i1 %busy, i64 0, i64 %spins.more
  %patience = load atomic i64, ptr %patience.at monotonic, align 8
  %goes.on = icmp ult i64 %spins.now, %patience
  br i1 %goes.on, label %rest, label %tired
rest:
  <pause>
  %turn = and i64 %spins.now, <polite>
  %offers = icmp eq i64 %turn, <polite>
  br i1 %offers, label %offer, label %look
offer:
  <offer>
  br label %look
tired:
  br i1 <sleeps>, label %down, label %leave
down:
  ; Whoever launches from here on wakes us; what was launched before is there to be seen.
  %others = atomicrmw add ptr %asleep.at, i64 1 seq_cst
  fence seq_cst
  %late = call i64 @work(ptr %team, i64 %me)
  %none = icmp eq i64 %late, 0
  %over.now = load atomic i64, ptr %over.at seq_cst, align 8
  %stays = icmp eq i64 %over.now, 0
  %sleeps = and i1 %none, %stays
  br i1 %sleeps, label %sleep, label %up
up:
  %fewer = atomicrmw sub ptr %asleep.at, i64 1 seq_cst
  br label %look
sleep:
  %woken = call i32 @"sem_wait"(ptr %semaphore.at)
  br label %slept
slept:
  br label %look
leave:
  %before = atomicrmw add ptr %left.at, i64 1 acq_rel
  ret void
}

declare ptr @"PyLong_FromLongLong"(i64)
declare i64 @"PyLong_AsLongLong"(ptr)
declare ptr @"PyEval_SaveThread"()
declare void @"PyEval_RestoreThread"(ptr)
declare ptr @"memcpy"(ptr, ptr, i64)
declare i32 @"sem_init"(ptr, i32, i32)
declare i32 @"sem_wait"(ptr)
declare i32 @"sem_post"(ptr)
declare i32 @"sched_getcpu"()
declare i64 @"pthread_self"()
declare i32 @"pthread_setaffinity_np"(i64, i64, ptr)
<declaration>
"""


def text(stopped: int) -> str:
    """LLVM text of ``<name>(address of a team, what to do)``.

    Parameters
    ----------
    stopped
        The status of a chunk that is not begun, because something has gone wrong elsewhere.
    """
    numbers = {
        "together": TOGETHER, "launch": _LAUNCH, "task": _TASK, "frame": _FRAME, "count": _COUNT,
        "stop": _STOP, "threads": THREADS, "finished": _FINISHED, "statuses": _STATUSES,
        "left": LEFT, "asleep": ASLEEP, "semaphore": _SEMAPHORE, "end": END, "copy": COPY,
        "stir": STIR, "steps": STEPS, "like": LIKE, "step": STEP, "noted": NOTED, "gaps": GAPS,
        "data": DATA, "flags": FLAGS, "without_gaps": WITHOUT_GAPS,
        "polite": _POLITE, "loyal": _LOYAL, "soon": _LOYAL - _SOON,
        "over": OVER, "arrived": _ARRIVED, "tickets": _TICKETS, "line": LINE,
        "avoided": AVOIDED, "patience": PATIENCE, "processors": PROCESSORS, "most": MOST_PROCESSORS,
        "room": MOST_PROCESSORS // 64, "bytes": MOST_PROCESSORS // 8, "handle": _HANDLE,
        "eager": _EAGER, "bits": _BITS, "mask": (1 << _BITS) - 1,
        "upper": -1 << _BITS,
        "serve": SERVE, "nothing": NOTHING, "stopped": stopped,
    }  # fmt: skip
    pause, declaration = _PAUSES.get(platform.machine(), ("", ""))
    offer = ""
    if _YIELDS:
        offer = 'call i32 @"sched_yield"()'
        declaration += '\ndeclare i32 @"sched_yield"()'
    made = _TEXT.replace("<pause>", pause).replace("<declaration>", declaration)
    made = made.replace("<offer>", offer)
    for word, number in numbers.items():
        made = made.replace(f"<{word}>", str(number))
    return made.replace("<sleeps>", str(SLEEPS).lower()) + likeness.text()
