"""Functions with loops that return in their ``else``: found, or not after all."""

from __future__ import annotations

import random

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAKEN = {
    "nothing divides it": """
def f(n):
    for p in range(2, n):
        if n % p == 0:
            return False
    else:
        return True
""",
    "a break": """
def f(n):
    for p in range(2, n):
        if n % p == 0:
            break
    else:
        return n
    return -1
""",
    "loops in loops": """
def f(n):
    t = 0
    for i in range(1, 5):
        for j in range(n % 4):
            if (i * j + n) % 7 == 3:
                break
            if (i + j + n) % 11 == 5:
                return t * 1000
            t += 1
        else:
            if (t + n) % 5 == 0:
                return -t
            t += 3
        t += 1
    else:
        if t % 2:
            return t * 2
    return t
""",
    "while": """
def f(n):
    k = n
    while k > 1:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        if k > 500:
            break
        for q in range(3):
            if (k + q) % 13 == 0:
                return 7
        else:
            if k % 17 == 0:
                break
            elif k % 19 == 0:
                continue
    else:
        return 1
    return 2
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    code = f"{TAKEN[title]}t = 0\nfor n in range(2, 200):\n    t = t * 3 % 10007 + f(n)\n"
    found = both(code)
    assert found.loops[code.count("\n") - 1] == "compiled"


def _block(drawn: random.Random, depth: int, loop: bool) -> list[str]:
    """Statements of a function of `n`, in a `loop` or in none."""
    made = [f"t = (t * 3 + n + {drawn.randrange(9)}) % 1009"]
    for _ in range(drawn.randrange(1, 3)):
        kind = drawn.choice(["if", "for", "while", "leave"] if depth else ["leave"])
        if kind == "leave":
            ways = ["return t", "return -t", "break", "continue"]
            way = drawn.choice(ways if loop else ways[:2])
            made += [f"if (t + n) % {drawn.choice([3, 5, 11])} == 1:", f"    {way}"]
        elif kind == "if":
            inner = _block(drawn, depth - 1, loop)
            made += [f"if t % {drawn.choice([2, 3])}:", *(f"    {line}" for line in inner)]
        else:
            head = "for k in range(n % 4):" if kind == "for" else "while t % 7:"
            made += [head, *(f"    {line}" for line in _block(drawn, depth - 1, True))]
            if drawn.random() < 0.7:
                made += ["else:", *(f"    {line}" for line in _block(drawn, depth - 1, loop))]
    return made


@pytest.mark.parametrize("seed", range(60))
def test_ways_out_at_random(seed: int) -> None:
    drawn = random.Random(seed)
    code = "s = 0\n"
    for number in range(3):
        lines = ["t = c = 0", *_block(drawn, 3, False), "return t + 1"]
        # A loop that goes on for ever is no test.
        lines = [
            part
            for line in lines
            for part in (
                [line, f"{' ' * (len(line) - len(line.lstrip()) + 4)}c += 1"]
                if line.endswith(("4):", "% 7:"))
                else [line]
            )
        ]
        body = "\n    ".join(lines).replace("while t % 7:", "while t % 7 and c < 20:")
        code += f"def f{number}(n):\n    {body}\n"
    code += "for n in range(60):\n    s = s * 7 % 1009 + f0(n)\n"
    code += "for n in range(60):\n    s = s * 7 % 1009 + f1(n) * f2(n)\n"
    both(code)
