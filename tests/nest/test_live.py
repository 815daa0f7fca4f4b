"""Liveness: what is called dead after a loop must really never be read again."""

from __future__ import annotations

import ast
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopar.nest.text.live import live_after
from drawn import sampled_from

NAMES = ("s", "t")


def live(text: str, name: str = "s") -> bool:
    """Whether `name` is live after the first loop named by variable `i` in a function of `text`."""
    body = "\n".join("    " + line for line in text.splitlines())
    function = ast.parse(f"def f(a, n, s, t):\n{body}\n").body[0]
    loops = [x for x in ast.walk(function) if isinstance(x, ast.For) and x.target.id == "i"]
    return live_after(function)(loops[0], name)


LOOP = "for i in range(n):\n    s = a[i]\n"
INDENTED = "    for i in range(n):\n        s = a[i]\n"


@pytest.mark.parametrize(
    "text",
    [
        LOOP + "return s",
        LOOP + "s += 1",
        LOOP + "if n:\n    s = 1\nreturn s",
        LOOP + "while n:\n    n = s\n    s = 2",
        LOOP + "g = lambda: s",
        LOOP + "def g():\n    return s",
        "def g():\n    return s\n" + LOOP + "return g()",
        "g = lambda: s\n" + LOOP + "return g()",
        "late = (s for _ in a)\n" + LOOP + "return list(late)",
        LOOP + "return [s for _ in a]",
        LOOP + "return locals()",
        LOOP + "del s",
        LOOP + "a[s] = 1",
        LOOP + "with s:\n    pass",
        LOOP + "match s:\n    case 1:\n        pass",
        LOOP + "return f'{s}'",
        LOOP + "s: int = s",
        "global s\n" + LOOP,
        "for k in range(3):\n    a[0] = s\n" + INDENTED,
        "while a:\n    n = s\n" + INDENTED,
        "for k in range(3):\n    if n:\n        a[0] = s\n        continue\n" + INDENTED,
        "try:\n" + INDENTED + "    n()\nexcept ValueError:\n    return s",
        "try:\n" + INDENTED + "    s2 = n()\nfinally:\n    print(s)",
        "try:\n" + INDENTED + "    return 1\nfinally:\n    print(s)",
        "for k in a:\n    try:\n"
        + "".join("    " + x + "\n" for x in INDENTED.splitlines())
        + "        break\n    finally:\n        print(s)",
    ],
)
def test_read_later(text):
    assert live(text)


@pytest.mark.parametrize(
    "text",
    [
        LOOP,
        LOOP + "s = 1\nreturn s",
        LOOP + "return t",
        LOOP + "if n:\n    s = 1\nelse:\n    s = 2\nreturn s",
        LOOP + "return 1\nprint(s)",
        "for k in range(3):\n    s = 0\n    a[0] = s\n" + INDENTED,
    ],
)
def test_never_read_again(text):
    assert not live(text)


def test_everything_is_live_in_a_module():
    tree = ast.parse(LOOP + "s = 1\n")
    assert live_after(tree)(tree.body[0], "s")


# A small language whose programs run: reads are recorded, so that liveness can be checked.

LINES = sampled_from(
    ["s = new()", "t = new()", "read(s)", "read(t)", "s = read(t)", "s += 0", "break", "continue",
     "return", "boom()", "LOOP"]
)  # fmt: skip


def indent(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines] or ["    pass"]


def blocks(children: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    def wrap(kind: str, one: list[str], two: list[str]) -> list[str]:
        match kind:
            case "if":
                return ["if flip():", *indent(one), "else:", *indent(two)]
            case "while":
                return ["while flip():", *indent(one), "else:", *indent(two)]
            case "for":
                return ["for k in some():", *indent(one), "else:", *indent(two)]
            case "try":
                return ["try:", *indent(one), "except ValueError:", *indent(two)]
            case "finally":
                return ["try:", *indent(one), "finally:", *indent(two)]
        return one + two

    kinds = sampled_from(["if", "seq", "while", "for", "try", "finally"])
    return st.builds(wrap, kinds, children, children)


PROGRAMS = st.recursive(st.lists(LINES, max_size=3), blocks, max_leaves=8)


@settings(max_examples=250, deadline=None, database=None, derandomize=True)
@given(lines=PROGRAMS, coins=st.lists(st.booleans(), min_size=12, max_size=12))
def test_what_is_called_dead_is_not_read(lines, coins):
    """Values that the loop left in dead names are poisoned; reading one is the failure."""
    text: list[str] = []
    for line in ["s = t = new()", *lines, "LOOP", *lines]:
        body = line.lstrip()
        pad = line[: len(line) - len(body)]
        text += (
            [f"{pad}for i in range(1):", f"{pad}    s = new()", f"{pad}LEFT"]
            if body == "LOOP"
            else [line]
        )
    plain = [line for line in text if line.strip() != "LEFT"]
    try:
        function = ast.parse("\n".join(["def f():", *indent(plain)])).body[0]
        compile(ast.Module([function], []), "<f>", "exec")
    except SyntaxError:
        return
    found = live_after(function)
    loops = [
        x for x in ast.walk(function)
        if isinstance(x, ast.For) and isinstance(x.target, ast.Name) and x.target.id == "i"
    ]  # fmt: skip
    loops.sort(key=lambda loop: loop.lineno)
    number = 0
    shown: list[str] = []
    for line in text:
        if line.strip() == "LEFT":
            dead = [n for n in NAMES if not found(loops[number], n)]
            number += 1
            shown += [line.replace("LEFT", " = ".join([*dead, "'poison'"]))] if dead else []
        else:
            shown.append(line)
    left = iter(coins)
    reads: list[object] = []

    class Done(BaseException):
        pass

    def flip() -> bool:
        try:
            return next(left)
        except StopIteration:
            raise Done from None

    def boom() -> None:
        if flip():
            raise ValueError

    def read(value: object) -> object:
        reads.append(value)
        return value

    space = {
        "flip": flip, "boom": boom, "read": read, "new": lambda: 0, "some": lambda: [0] * flip(),
    }  # fmt: skip
    exec("\n".join(["def f():", *indent(shown)]), space)
    with suppress(Done, ValueError, TypeError):
        space["f"]()  # type: ignore[operator]
    assert "poison" not in reads


CONSUMED = [
    "w = max(abs(s[j]) for j in range(n))",
    "w = sum(x * s for x in a)",
    "w = sorted(a, key=lambda j: s[j])",
    "w = list(s for _ in a)",
    "if any(s > x for x in a): w = 1",
    "for x in a: w = all(s > y for y in x)",
]
KEPT = [
    "w = (abs(s[j]) for j in range(n))",
    "w = zip(x * s for x in a)",
    "w = enumerate(s for x in a)",
    "w = max([lambda: s])",
    "w = list(lambda: s for x in a)",
    "w = sum((x for x in (s for _ in a)), 0)",
    "w = sorted(a, reverse=lambda j: s)",
    "w = math.sum(s for x in a)",
    "w = dict(a, key=lambda: s)",
    "w = min((s for x in a), a)",
    "w = max((s for x in a), a, key=len)",
    "if n: w = any(s > x for x in a)",
    "with a: w = any(s > x for x in a)",
]


def kept(text: str, inside: bool) -> bool:
    """Whether `s` is live after the last loop, in which `text` stands, or before it."""
    body = f"        s = 1\n        {text}\n" if inside else "        s = 1\n"
    before = "" if inside else f"    {text}\n"
    tree = ast.parse(f"def f(a, n, s):\n{before}    for i in range(n):\n{body}")
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    return live_after(function)(function.body[-1], "s")


@pytest.mark.parametrize("text", CONSUMED)
def test_what_a_nest_has_consumed_reads_no_more(text: str) -> None:
    assert not kept(text, True)
    assert kept(text, False)  # where nobody sees whether the builtin is Python's


@pytest.mark.parametrize("text", KEPT)
def test_what_may_be_consumed_later_reads_still(text: str) -> None:
    assert kept(text, True)
    assert kept(text, False)
