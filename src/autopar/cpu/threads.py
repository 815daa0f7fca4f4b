"""LLVM text of threads that take the chunks of one parallel loop after the other.

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

`team` has the numbers that stand here in angle brackets.

References
----------
Self-scheduling by fetch-and-add: Tang and Yew, "Processor Self-Scheduling for Multiple-Nested
Parallel Loops", ICPP 1986; a range for each processor first: Markatos and LeBlanc, "Using Processor
Affinity in Loop Scheduling on Shared-Memory Multiprocessors", IEEE TPDS 5(4), 1994.
"""

from __future__ import annotations

TEXT = """
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

declare i32 @"sem_init"(ptr, i32, i32)
declare i32 @"sem_wait"(ptr)
declare i32 @"sem_post"(ptr)
declare i32 @"sched_getcpu"()
declare i64 @"pthread_self"()
declare i32 @"pthread_setaffinity_np"(i64, i64, ptr)
<declaration>
"""
