"""Calls of the C library, and of NumPy's loops, that come to the same in each iteration, made once.

LLVM knows nothing of these functions, so it leaves ``sigma**2`` where it stands, in the innermost
loop.  They compute a value and do nothing else, so where their arguments are made of numbers that a
kernel is handed, they may be called at its beginning, even if they turn out not to be needed.  What
is looked at because of the value, whether Python would raise, stays where it was.

References
----------
Loop-invariant code motion: Muchnick, *Advanced Compiler Design and Implementation*, section 13.2.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_TEMPORARY = re.compile(r"(v\d+_) = (.*)")
_CALL = re.compile(r"\b(libm_\w+|numpy_\w+_[df]+|squared|power_\w+)\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LITERAL = re.compile(r"\b\d+(\.\d*)?(e[+-]?\d+)?\b|\.\d+")
_PLAIN = re.compile(r"[\w\s.,()+*/-]*")
"""Nothing that could trap: no subscripts, and no division but that of floats."""
_CASTS = frozenset(("float64", "float32"))


def first(lines: Sequence[str], numbers: Collection[str]) -> list[str]:
    """The lines of a kernel with what is invariant in its loops in front of them.

    Parameters
    ----------
    lines
        Of its body.
    numbers
        Names of its parameters that are numbers, which nothing assigns.
    """
    if not any(map(_CALL.search, lines)):
        return list(lines)
    texts = [line.strip() for line in lines]
    assigned = [match[1] for match in map(_TEMPORARY.fullmatch, texts) if match]
    known = set(numbers)
    found: dict[str, int] = {}
    for k in _in_loops(lines):
        match = _TEMPORARY.fullmatch(texts[k])
        if match and assigned.count(match[1]) == 1 and _steady(match[2], known):
            known.add(match[1])
            found[match[1]] = k
    wanted = [name for name, k in found.items() if _CALL.search(texts[k])]
    needed = set(wanted)
    while wanted:
        words = set(_WORD.findall(texts[found[wanted.pop()]].partition("=")[2]))
        more = words & found.keys() - needed
        needed |= more
        wanted += more
    moved = sorted(found[name] for name in needed)
    rest = [line for k, line in enumerate(lines) if k not in moved]
    return [*("    " + texts[k] for k in moved), *rest]


def _in_loops(lines: Sequence[str]) -> list[int]:
    """Numbers of the lines that stand in a loop."""
    found: list[int] = []
    around: list[int] = []
    for k, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        while around and depth <= around[-1]:
            around.pop()
        if around:
            found.append(k)
        if line.lstrip().startswith(("for ", "while ")):
            around.append(depth)
    return found


def _steady(text: str, known: Collection[str]) -> bool:
    """Whether `text` is made of `known` numbers, and to evaluate it can do no harm."""
    if not _PLAIN.fullmatch(text) or "//" in text or "**" in text:
        return False
    words = _WORD.findall(_LITERAL.sub("", text))
    return all(word in known or word in _CASTS or _CALL.match(f"{word}(") for word in words)
