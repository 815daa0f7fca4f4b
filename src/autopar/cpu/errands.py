"""LLVM text of what Python has done in machine code, by threads of a team or at once.

`team` says what is handed over, and has the numbers that stand here in angle brackets.
"""

from __future__ import annotations

TEXT = """
; ptr <name>(ptr self, ptr *args, i64 n): args are the address of the team and what to do.
define ptr @"<name>"(ptr %self, ptr %args, i64 %n) {
start:
  %team = call ptr @given(ptr %args, i64 0)
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
    i64 <again>, label %replayed
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
  %table = call ptr @given(ptr %args, i64 2)
  %room.at = getelementptr ptr, ptr %args, i64 3
  %room.object = load ptr, ptr %room.at
  %room.data.at = getelementptr i8, ptr %room.object, i64 <data>
  %room.data = load i64, ptr %room.data.at
  %room.word = getelementptr i64, ptr %table, i64 2
  store i64 %room.data, ptr %room.word
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
  call void @copy(ptr %team, ptr %table)
  br label %end
loops:
  %rows = call ptr @given(ptr %args, i64 2)
  %noted = call ptr @given(ptr %args, i64 3)
  %halt = call ptr @given(ptr %args, i64 4)
  %master = call ptr @"PyEval_SaveThread"()
  %came = call i64 @steps(ptr %team, ptr %rows, ptr %noted, ptr %halt)
  call void @"PyEval_RestoreThread"(ptr %master)
  br label %end
compared:
  %then = call ptr @given(ptr %args, i64 2)
  %values.at = getelementptr ptr, ptr %args, i64 3
  %values = load ptr, ptr %values.at
  %alike = call i1 @alike(ptr %then, ptr %values)
  %alike.word = zext i1 %alike to i64
  br label %end
replayed:
  %call = call ptr @given(ptr %args, i64 2)
  %tuple.at = getelementptr ptr, ptr %args, i64 3
  %tuple = load ptr, ptr %tuple.at
  %copies.at = getelementptr ptr, ptr %args, i64 4
  %copies.object = load ptr, ptr %copies.at
  %ran = call i64 @replay(ptr %team, ptr %call, ptr %tuple, ptr %copies.object)
  %raised = icmp slt i64 %ran, 0
  br i1 %raised, label %error, label %end
error:
  ret ptr null
end:
  %said = phi i64
    [ 0, %ready ], [ 0, %begin ], [ 0, %dismiss ], [ 0, %help ], [ 0, %idle ], [ 0, %stirred ],
    [ <gaps>, %look ], [ 0, %found ], [ %came, %loops ], [ %alike.word, %compared ],
    [ %ran, %replayed ]
  %answer = call ptr @"PyLong_FromLongLong"(i64 %said)
  ret ptr %answer
}

; An address that Python hands over.
define internal ptr @given(ptr %args, i64 %place) {
start:
  %at = getelementptr ptr, ptr %args, i64 %place
  %object = load ptr, ptr %at
  %word = call i64 @"PyLong_AsLongLong"(ptr %object)
  %address = inttoptr i64 %word to ptr
  ret ptr %address
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

; All the copies in a table.
define internal void @copy(ptr %team, ptr %table) {
start:
  %parts = load i64, ptr %table
  %undivided = icmp eq i64 %parts, 1
  br i1 %undivided, label %at.once, label %shared
at.once:
  %here = call i8 @copied(ptr %table, i64 0)
  ret void
shared:
  %never = alloca i64
  store i64 0, ptr %never
  %owner = call ptr @"PyEval_SaveThread"()
  %all = call i64 @together(ptr %team, ptr @copied, ptr %table, i64 %parts, ptr %never)
  call void @"PyEval_RestoreThread"(ptr %owner)
  ret void
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

declare ptr @"PyLong_FromLongLong"(i64)
declare i64 @"PyLong_AsLongLong"(ptr)
declare ptr @"PyEval_SaveThread"()
declare void @"PyEval_RestoreThread"(ptr)
declare ptr @"memcpy"(ptr, ptr, i64)
"""
