"""Object code is brought into memory without LLVM, or left to LLVM where anything is unusual."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

from autopar.cpu import machine, placed

pytestmark = pytest.mark.skipif(placed._system() is None, reason="only LLVM loads code here")

TEXT = """
@"table" = internal constant [4 x double] [double 1.5, double 2.5, double 3.5, double 4.5]
@"count" = internal global i64 0
@"given" = internal global i64 40
declare i64 @"outside"(i64)
declare void @"llvm.memset.p0.i64"(ptr, i8, i64, i1)
define double @"looked_up"(i64 %k) {
  %at = getelementptr [4 x double], ptr @"table", i64 0, i64 %k
  %x = load volatile double, ptr %at
  %y = fmul double %x, 1.25
  ret double %y
}
define i64 @"counted"() {
  %old = load i64, ptr @"count"
  %new = add i64 %old, 1
  store i64 %new, ptr @"count"
  %more = load volatile i64, ptr @"given"
  %sum = add i64 %new, %more
  ret i64 %sum
}
define i64 @"asked"(i64 %x) {
  %y = call i64 @"outside"(i64 %x)
  %z = add i64 %y, 1
  ret i64 %z
}
define void @"cleared"(ptr %at, i64 %n) {
  call void @"llvm.memset.p0.i64"(ptr %at, i8 0, i64 %n, i1 false)
  ret void
}
define i64 @"both"(i64 %x) {
  %y = call i64 @"asked"(i64 %x)
  %z = call i64 @"asked"(i64 %y)
  ret i64 %z
}
"""
_twice = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda x: 2 * x)


@pytest.fixture(scope="module")
def code() -> bytes:
    return machine.assemble(TEXT)


def find(symbol: str) -> int | None:
    if symbol == "outside":
        return ctypes.cast(_twice, ctypes.c_void_p).value
    return machine._known(symbol)


def function(code: bytes, name: str, result: type, *arguments: type) -> ctypes._CFuncPtr:
    place = placed.function(code, name, find)
    assert place is not None
    return ctypes.CFUNCTYPE(result, *arguments)(place)


def test_code_constants_and_what_is_written(code: bytes) -> None:
    looked_up = function(code, "looked_up", ctypes.c_double, ctypes.c_int64)
    assert [looked_up(k) for k in range(4)] == [1.875, 3.125, 4.375, 5.625]
    counted = function(code, "counted", ctypes.c_int64)
    assert [counted() for _ in range(3)] == [41, 42, 43]
    assert function(code, "counted", ctypes.c_int64)() == 41  # one of its own


def test_functions_that_are_elsewhere(code: bytes) -> None:
    assert function(code, "asked", ctypes.c_int64, ctypes.c_int64)(20) == 41
    assert function(code, "both", ctypes.c_int64, ctypes.c_int64)(20) == 83
    found = np.arange(9)
    clear = function(code, "cleared", None, ctypes.c_void_p, ctypes.c_int64)
    clear(found.ctypes.data, 5 * 8)
    assert found.tolist() == [0, 0, 0, 0, 0, 5, 6, 7, 8]


def test_memory_is_executed_or_written_and_never_both(code: bytes) -> None:
    place = placed.function(code, "counted", find)
    assert place is not None
    for line in open("/proc/self/maps"):  # noqa: SIM115
        ends, rights = line.split()[:2]
        first, last = (int(end, 16) for end in ends.split("-"))
        if first <= place < last:
            assert rights == "r-xp"


def changed(code: bytes, at: int, form: str, value: int) -> bytes:
    content = bytearray(code)
    struct.pack_into(form, content, at, value)
    return bytes(content)


def relocations(code: bytes) -> list[int]:
    """Where the relocations are."""
    sections = placed._File(code).sections
    return [
        one.offset + k * 24
        for one in sections
        if one.kind == 4 and sections[one.info].name != one.name
        for k in range(one.size // 24)
    ]


def test_what_is_unusual_is_left_to_llvm(code: bytes) -> None:
    assert placed.function(code, "absent", find) is None
    assert placed.function(code, "asked", lambda symbol: None) is None
    assert placed.function(changed(code, 18, "<H", 183), "counted", find) is None  # for ARM
    assert placed.function(changed(code, 16, "<H", 3), "counted", find) is None  # a library
    assert placed.function(changed(code, 5, "<B", 2), "counted", find) is None
    assert placed.function(changed(code, 58, "<H", 40), "counted", find) is None
    for size in (0, 10, 63, 64, len(code) // 2, len(code) - 1):
        assert placed.function(code[:size], "counted", find) is None
    places = relocations(code)
    assert places
    for at in places:
        (about,) = struct.unpack_from("<Q", code, at + 8)
        # relative to the place, as the small code model has them, or far outside of the section
        for wrong in (
            changed(code, at + 8, "<Q", about - 1 + 2),
            changed(code, at, "<Q", 1 << 40),
        ):
            other = placed.function(wrong, "counted", find)
            assert other is None or at in _unwinding(code)


def _unwinding(code: bytes) -> set[int]:
    """Relocations that nobody looks at."""
    file = placed._File(code)
    left = [
        one
        for one in file.sections
        if one.kind == 4 and file.text(file.names, file.sections[one.info].name) == ".eh_frame"
    ]
    return {one.offset + k * 24 for one in left for k in range(one.size // 24)}


def test_llvm_loads_what_is_left_to_it(code: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    class Loader:
        def add_symbol(self, name: str, place: int) -> None:
            given.append(name)

        def function(self, code: bytes, name: str) -> int:
            given.append(name)
            found = find("outside")
            assert found is not None
            return found

    monkeypatch.setattr(machine, "_loader", Loader)
    machine.load(code, "asked", ())
    assert given == ["asked"]  # nobody here knows what is outside


def test_a_warm_process_does_without_llvm(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\na = np.zeros((2000, 2000))\n"
        "for i in range(2000):\n    for j in range(2000):\n        a[i, j] = i + 0.5 * j\n"
        "print(a.sum(), any('libllvmlite' in line for line in open('/proc/self/maps')))\n"
    )
    command = [sys.executable, "-m", "autopar", "--report-json", str(tmp_path / "r"), str(script)]
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    said = [
        subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert [line.split()[1] for line in said] == ["True", "False"]
    assert said[0].split()[0] == said[1].split()[0]
