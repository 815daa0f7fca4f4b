"""What is said of vectors is what is in LLVM's code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from autopar.cpu import machine
from autopar.cpu.vectorized import Innermost, innermost, told

NESTED = """
define void @"f"(i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %"inner one"
"inner one":
  %k = phi i64 [ 0, %outer ], [ %k.next, %"inner one" ]
  %v = fadd <8 x double> zeroinitializer, zeroinitializer
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %n
  br i1 %more, label %"inner one", label %second, !llvm.loop !1
second:
  %j = phi i64 [ 0, %"inner one" ], [ %j.next, %third ]
  %even = trunc i64 %j to i1
  br i1 %even, label %third, label %third2
third2:
  %w = add <4 x i32> zeroinitializer, zeroinitializer
  br label %third
third:
  %j.next = add i64 %j, 1
  %again = icmp slt i64 %j.next, %n
  br i1 %again, label %second, label %rest, !llvm.loop !7
rest:
  %r = phi i64 [ 0, %third ], [ %r.next, %rest ]
  %r.next = add i64 %r, 1
  %left = icmp slt i64 %r.next, %n
  br i1 %left, label %rest, label %single, !llvm.loop !3
single:
  %s = phi i64 [ 0, %rest ], [ %s.next, %single ]
  %s.next = add i64 %s, 1
  %last = icmp slt i64 %s.next, %n
  br i1 %last, label %single, label %latch, !llvm.loop !7
latch:
  %i.next = add i64 %i, 1
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %outer, label %exit
exit:
  ret void
}

!1 = distinct !{!1, !5, !2}
!2 = !{!"llvm.loop.isvectorized", i32 1}
!3 = distinct !{!3, !4, !2}
!4 = !{!"llvm.loop.unroll.runtime.disable"}
!5 = !{!"autopar.loop", !"\\C3\\A4"}
!6 = !{!"autopar.loop", !"j"}
!7 = distinct !{!7, !6}
"""

PROGRAM = """
import numpy as np
def scaled(x, y):
    for i in range(x.size):
        y[i] = 2.0 * x[i] + y[i]
def swept(x):
    for i in range(1, x.size):
        x[i] = 0.5 * x[i - 1] + x[i]
scaled(np.ones(3_000_000), np.ones(3_000_000))
swept(np.ones(3_000_000))
"""


def test_innermost_loops_and_their_widest_vectors() -> None:
    found = innermost(NESTED)
    wide = Innermost("ä", 8, "float64"), Innermost("j", 4, "int32")
    assert set(found) == {*wide, Innermost("j")}  # not the rest of one that is done
    assert len(found) == 3
    told_of = "innermost loops: ä in vectors of 8 float64, j in vectors of 4 int32 in 1 of 2"
    assert told((*wide, Innermost("j"), Innermost("base_"), Innermost(""))) == told_of


def test_what_has_no_loop() -> None:
    assert innermost('define void @"f"() {\n  ret void\n}\n') == ()
    assert told(()) == "innermost loops: none"


def test_of_code_that_llvm_has_made_vectors_of() -> None:
    loop = """
    define void @"f"(ptr noalias %a, i64 %n) {
    entry:
      br label %next
    next:
      %i = phi i64 [ 0, %entry ], [ %up, %next ]
      %place = getelementptr double, ptr %a, i64 %i
      %x = load double, ptr %place
      %y = fmul double %x, 3.0
      store double %y, ptr %place
      %up = add nuw nsw i64 %i, 1
      %more = icmp slt i64 %up, %n
      br i1 %more, label %next, label %end
    end:
      ret void
    }
    """
    found = innermost(str(machine.optimised(loop)))
    assert found
    assert all(one.lanes > 1 and one.kind == "float64" for one in found)


def test_names_are_the_users():
    """Those that the emitter had to change, too; its own loops are not told of."""
    loops = [Innermost("x2_rowx", 4, "float64"), Innermost("x2"), Innermost("c_"), Innermost("row")]
    assert told(loops) == "innermost loops: row in vectors of 4 float64 in 1 of 2, x2 one by one"


def test_the_verbose_report_tells_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("AUTOPAR_VERIFY", "AUTOPAR_FAIL_ON_FALLBACK"):
        env.pop(name, None)
    command = [sys.executable, "-m", "autopar", "-vv", str(script)]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "innermost" in line]
    scaled, swept = said
    assert f"{script}:4: " in scaled
    assert "innermost loops: i in vectors of " in scaled
    assert f"{script}:7: innermost loops: i one by one" in swept
