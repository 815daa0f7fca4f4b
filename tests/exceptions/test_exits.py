"""Nests that are left for good, by ``return``, ``raise`` or ``assert``: compiled, and the same."""

from __future__ import annotations

import marshal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "names"))
from outcome import same

from autopar.hook.loader import code_of
from autopar.hook.rewrite import rewrite
from autopar.nest.ir import EXIT
from autopar.nest.text.lift import lift_text
from autopar.runtime.site import Site

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
a = np.arange(60.0).reshape(6, 10)
b = np.zeros((6, 10))
x = np.array([0.5, 17.0, 59.0, 60.0, -1.0])
r = []
"""

FUNCTIONS = {
    "the place of an element": """
def f(a, t):
    for i in range(6):
        for j in range(10):
            if a[i, j] == t:
                return i, j
    return None
""",
    "in the outer loop": """
def f(a, t):
    for i in range(6):
        s = 0.0
        for j in range(10):
            s += a[i, j]
        if s > t * 10:
            return s
    return i
""",
    "several, one of them without a value": """
def f(a, t):
    for i in range(6):
        if a[i, 0] > t + 40:
            return
        for j in range(i, 10):
            if a[i, j] == t:
                return "found", a[i, j] + j
            if j > 8 and t < 0:
                return j
        b[i, 0] = i
    return "no"
""",
    "an exception with what was found": """
def f(a, t):
    for i in range(6):
        for j in range(10):
            b[i, j] = a[i, j] * 2
            if a[i, j] == t:
                raise ValueError(f"{t} at {i}, {j}")
    return "no"
""",
    "assert": """
def f(a, t):
    for i in range(6):
        for j in range(10):
            assert a[i, j] != t, (i, j)
            b[i, j] += 1
    return "no"
""",
    "out of a while": """
def f(a, t):
    for i in range(6):
        j = 0
        while j < 10:
            if a[i, j] == t:
                return i * j
            j += 1
    return -1
""",
    "inner loops with an else": """
def f(a, t):
    n = 0
    for i in range(6):
        for j in range(10):
            if a[i, j] == t:
                return "left", n
            if a[i, j] > t + 20:
                break
        else:
            n += 1
            if n == 5:
                return "else", n
        b[i, 0] = n
    return n
""",
    "an else of the nest": """
def f(a, t):
    for i in range(6):
        if a[i, 3] > t:
            return i
    else:
        i = "else"
    return i
""",
    "one after a loop with another": """
def f(a, t):
    for i in range(6):
        for j in range(10):
            for k in range(2):
                if a[i, j] == t + k + 3:
                    return "innermost", i, j, k
            if a[i, j] == t + 40:
                return "inner", i, j
        assert a[i, 0] < t + 30, "outer"
        if a[i, 0] > t + 22:
            raise ValueError(i)
    return "end"
""",
    "a handler that reads what the loop left": """
def f(a, t):
    i = -1
    errors = [KeyError, IndexError]
    try:
        with open(__import__("os").devnull):
            for i in range(6):
                s = a[i, 0]
                if s > t:
                    raise errors[i % 2]
    except errors[i % 2]:
        return i, s
    except LookupError:
        return "other", i
    return "end"
""",
    "in try, with a finally that sees it": """
def f(a, t):
    i = k = -1
    try:
        for i in range(6):
            for j in range(10):
                k = i + j
                if a[i, j] == t:
                    return k
                if a[i, j] > 58:
                    raise KeyError(k)
    except KeyError as error:
        r.append(str(error))
    finally:
        r.append((i, k))
    return "end"
""",
    "the exception that is being handled": """
def f(a, t):
    try:
        1 / 0
    except ZeroDivisionError:
        for i in range(60):
            if i == t:
                raise
    return i
""",
    "a value that is not there yet": """
def f(a, t):
    for i in range(6):
        if a[i, 0] > t:
            return s
        if i > 2:
            s = i
    return "end"
""",
    "a generator": """
def g(a, t):
    yield 1
    for i in range(6):
        for j in range(10):
            if a[i, j] == t:
                return i, j
    yield 2
def f(a, t):
    seen = []
    seen.append((yield_from(g(a, t), seen)))
    return seen
def yield_from(it, seen):
    while True:
        try:
            seen.append(next(it))
        except StopIteration as end:
            return end.value
""",
    "a value that does something": """
def f(a, t):
    for i in range(6):
        for j in range(10):
            if a[i, j] == t:
                return r.append(i) or [k + i for k in range(j)]
""",
    "with the variable rebound": """
def f(a, t):
    for i in range(6):
        i = i * 2
        if i > t / 10:
            return i
    return -i
""",
}
CALLS = """
for t in x:
    try:
        r.append(f(a, t))
    except (ValueError, AssertionError, ZeroDivisionError, UnboundLocalError) as error:
        r.append((type(error).__name__, str(error), error.__traceback__.tb_next.tb_lineno))
"""


@pytest.mark.parametrize("title", FUNCTIONS)
def test_the_same_outcome(title):
    loops = same(HEAD + FUNCTIONS[title] + CALLS)
    assert "compiled" in list(loops.values())[:2]


def test_an_assertion_that_another_thread_makes_true(monkeypatch):
    """What the kernel saw counts: the interpreter must not go on as if it had held."""
    source = "def f(ok):\n    n = 0\n    for i in range(9):\n        assert ok[0] > i, i\n"
    source += "        n = i\n    return n\n"
    code = code_of(source, "<user program>", "text")
    assert code is not None
    space: dict[str, Any] = {}
    exec(code, space)
    run, ok = Site.run, np.array([5.0])

    def late(self: Site, values: Any) -> Any:
        answer = run(self, values)
        ok[0] = 100.0
        return answer

    monkeypatch.setattr(Site, "run", late)
    with pytest.raises(AssertionError, match="5"):
        space["f"](ok)


def test_a_doubtful_expression_is_warned_of_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "def f(x):\n    for i in range(9):\n        for j in range(9):\n"
        "            if i > x:\n                return i is 3\n"
    )
    for how in ([], ["-m", "autopar"]):
        made = subprocess.run(
            [sys.executable, *how, str(script)],
            capture_output=True,
            text=True,
            check=True,
            env={"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": ":".join(sys.path)},
        )
        assert made.stderr.count("SyntaxWarning") == 1


def test_the_rewritten_code_does_not_double_with_each_loop():
    def length(depth: int) -> int:
        lines = ["    " * k + f"    for i{k} in range(2):" for k in range(depth)]
        text = "\n".join(["def f(x):", *lines, "    " * depth + "    if x: return 1"])
        return len(marshal.dumps(rewrite(text, "user.py", "f" * 64).code))

    assert length(8) - length(7) < 2 * (length(5) - length(4))


def test_at_module_level():
    program = (
        HEAD + "for i in range(6):\n    for j in range(10):\n        {}\n        b[i, j] = 1\n"
    )
    for leave in ("assert a[i, j] < 40, (i, j)", "if a[i, j] > 40: raise KeyError(i)"):
        assert same(program.format(leave))[7] == "compiled"


def test_the_interpreter_gets_there_where_the_kernel_gives_up():
    source = FUNCTIONS["the place of an element"].replace("range(10)", "range(11)")
    assert same(HEAD + source + CALLS.replace("ValueError", "IndexError, ValueError"))


def test_what_it_becomes():
    nest = lift_text(
        "for i in range(n):\n    for j in range(n):\n        if a[i, j] > 0.0:\n"
        "            raise ValueError(k)\n        k = j\n"
    )
    assert EXIT in nest.live_out
    assert "k" in nest.live_out


def test_an_else_that_a_break_skips():
    source = "def f(a, t):\n    for i in range(6):\n        if a[i, 0] > t:\n            break\n"
    source += "    else:\n        return -1\n    return i\n"
    assert "compiled" in same(HEAD + source + CALLS).values()


@pytest.mark.parametrize("option", ["-B", "-O"])
def test_assertions_that_are_left_out(option, tmp_path):
    """One cache for both ways of running Python."""
    script = tmp_path / "script.py"
    script.write_text(
        HEAD + "def f():\n    n = 0\n    for i in range(3000):\n        assert i < 2000, i\n"
        "        n += i\n    return n\ntry:\n    print(f())\nexcept AssertionError as e:\n"
        "    print(repr(e))\n"
    )
    wanted = "4498500" if option == "-O" else "AssertionError(2000)"
    for how in ([], ["-m", "autopar"], ["-m", "autopar"]):
        made = subprocess.run(
            [sys.executable, option, *how, str(script)],
            capture_output=True,
            text=True,
            check=True,
            env={"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": ":".join(sys.path)},
        )
        assert made.stdout == wanted + "\n"


def test_what_is_never_reached_is_no_way_out():
    """It is neither lifted nor numbered."""
    source = """
def f(a, t):
    for i in range(6):
        if a[i, 0] > t:
            return i
            return -1
        elif a[i, 0] < 0:
            raise ValueError(i)
            b[i, 0] = c
        if i == 4:
            if t < 17:
                return "four"
            else:
                return "else"
            b[0, 0] = -1
            return "nowhere"
    return "end"
"""
    assert "compiled" in same(HEAD + source + CALLS).values()
