"""Object code is loaded by llvmlite's library as `llvmlite.binding` would."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autopar.cpu import loader

TEXT = """
declare i64 @"outside_three"()
define i64 @"twice_plus_%s"(i64 %%x) {
  %%three = call i64 @"outside_three"()
  %%y = add i64 %%x, %%x
  %%z = add i64 %%y, %%three
  ret i64 %%z
}
"""
RUN = """
import ctypes, sys
from autopar.cpu import loader
direct = loader.loader()
assert isinstance(direct, loader._Library), direct
assert "llvmlite.binding" not in sys.modules
three = ctypes.CFUNCTYPE(ctypes.c_int64)(lambda: 3)
place = ctypes.cast(three, ctypes.c_void_p).value
known = direct.processor()
from autopar.cpu import machine
other = loader._Binding()
assert known == other.processor() == machine.processor()
for one, way in ((direct, "direct"), (other, "other"), (direct, "again")):
    one.add_symbol("outside_three", place)
    address = one.function(machine.assemble(TEXT % way), f"twice_plus_{way}")
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(20) == 43
print("done")
"""


@pytest.mark.skipif(
    not loader.llvmlite.__version__.startswith(loader._KNOWN) or sys.platform != "linux",
    reason="this llvmlite is only used by its Python side",
)
def test_both_ways_load_what_is_assembled() -> None:
    command = [sys.executable, "-c", f"TEXT = {TEXT!r}\n{RUN}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr


def test_another_user_of_llvm_is_respected() -> None:
    from llvmlite import binding

    assert binding
    assert isinstance(loader.loader.__wrapped__(), loader._Binding)


def test_an_unknown_version_is_used_by_its_python_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader.llvmlite, "__version__", "99.0.0")
    monkeypatch.delitem(sys.modules, "llvmlite.binding", raising=False)
    assert isinstance(loader.loader.__wrapped__(), loader._Binding)
