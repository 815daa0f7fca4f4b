"""Who is the main thread to a program, after autopar has worked on threads of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SRC = str(Path(__file__).parents[2] / "src")
PROGRAM = """
import _thread
here = _thread.get_ident()
import numpy as np
a = np.zeros((500, 500))
for i in range(500):
    for j in range(500):
        a[i, j] = i * 0.5 + j
import threading
print(threading.main_thread().ident == here, threading.current_thread().name)
"""


def test_it_is_the_one_that_began(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AUTOPAR")}
    settings = {"PYTHONPATH": SRC, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for more in ({}, {"AUTOPAR_FAIL_ON_FALLBACK": "1"}):
        done = subprocess.run(
            [sys.executable, "-m", "autopar", str(script)], capture_output=True, text=True,
            env={**kept, **settings, **more}, timeout=100, check=True,
        )  # fmt: skip
        assert done.stdout == "True MainThread\n"
