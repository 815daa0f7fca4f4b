"""``AUTOPAR_VERIFY=1``: every nest both ways, by the interpreter and by kernels, compared."""

from __future__ import annotations

import builtins
import functools
import reprlib
from array import array as packed
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autopar import config
from autopar.nest.hidden import GENERATOR
from autopar.nest.ir import EXIT, Nest
from autopar.nest.values.buckets import ADDED
from autopar.nest.values.tables import TABLE
from autopar.runtime.process import UNSET
from autopar.runtime.run.transaction import Transaction
from autopar.runtime.site import Site
from autopar.runtime.values.attributes import Kept
from autopar.runtime.values.facts import Values

Result = tuple[Any, ...] | None


class VerifyError(AssertionError):
    """Kernels and interpreter disagree: a defect of autopar."""


@functools.lru_cache(maxsize=256)
def _reference(
    text: str, roots: tuple[str, ...], file: str, unset: tuple[str, ...]
) -> Callable[..., dict[str, Any]]:
    """A function of the live-ins that runs the loop as written and returns its variables."""
    body = "\n".join("    " + line for line in text.splitlines())
    head, first = ", ".join(roots), "".join(f"    del {name}\n" for name in unset)
    source = f"def reference({head}):\n{first}{body}\n    return locals()\n"
    space: dict[str, Any] = {"__builtins__": builtins}  # those of the program
    exec(compile(source, f"<verify {file}>", "exec"), space)
    function: Callable[..., dict[str, Any]] = space["reference"]
    return function


def verified(
    site: Site,
    nest: Nest,
    roots: tuple[Any, ...],
    values: Values,
    run: Callable[[], Result],
) -> Result:
    """`run()`, after the interpreter has shown on the same arrays and lists what must come out.

    Raises
    ------
    VerifyError
        Naming the variable that differs.
    """
    spec = site.spec
    named = zip(spec.roots, roots, strict=False)
    unset = tuple(name for name, value in named if value is UNSET)
    function = _reference(spec.text, spec.roots, spec.file, unset)
    arrays, lists = values.arrays, values.lists
    own = {local.path for local in nest.locals} | lists.paths
    own |= {path for path in arrays if path.startswith((GENERATOR, TABLE))}
    lent = values.lent
    drawn_before = [] if lent is None else lent.states()
    paths = [path for path, a in arrays.items() if path not in own and a.flags.writeable]
    ours = (ADDED, TABLE)
    tables = {id(root) for n, root in zip(nest.roots, roots, strict=False) if n.startswith(ours)}
    held = [row for row in (*lists.rows(), *values.extended.values()) if id(row) not in tables]
    items_before = list(map(list, held))
    mine = [arrays[path] for path in paths]
    undo = Transaction(mine)
    before = dict(zip(spec.roots, roots, strict=False))
    kept = Kept(spec.live_out, before)
    expected: dict[str, Any] | None = None
    try:
        with np.errstate(all="ignore"):
            expected = function(*roots[: len(spec.roots)])
            expected |= kept.now()
    except Exception:
        pass  # the nest raises: the kernels must give up
    before |= kept.before
    kept.put_back()
    reference = [array.copy() for array in mine]
    undo.roll_back()
    drawn = [] if lent is None else lent.states()
    if lent is not None:
        lent.put(drawn_before)
    wanted_rows = list(map(list, held))
    for row, items in zip(held, items_before, strict=True):
        row[:] = items
    found = run()
    place = f"{spec.file}:{spec.line}"
    if found is None:
        return None
    if expected is None:
        raise VerifyError(f"{place}: the interpreter raises, the kernels did not")
    for path, array, wanted in zip(paths, mine, reference, strict=True):
        if not _alike(array, wanted):
            raise VerifyError(f"{place}: array {path} differs")
    for row, items in zip(held, wanted_rows, strict=True):
        if len(row) != len(items) or not all(map(same, row, items)):
            raise VerifyError(f"{place}: a list is {row!r}, the interpreter has {items!r}")
    if lent is not None and lent.states() != drawn:
        raise VerifyError(f"{place}: the state of a random generator differs")
    for name, value in zip(spec.live_out, found, strict=True):
        wanted = expected.get(name, UNSET)
        if name == EXIT and wanted is UNSET and value == 0:
            continue
        if value is UNSET and (wanted is before.get(name, UNSET) or wanted is UNSET):
            continue
        if not same(value, wanted):
            texts = reprlib.repr(value), reprlib.repr(wanted)
            raise VerifyError(f"{place}: {name} is {texts[0]}, the interpreter has {texts[1]}")
    return found


def check_tables(nest: Nest, wanted: dict[str, Any], found: dict[str, Any]) -> None:
    """Raise `VerifyError` where dictionaries hold other values than the interpreter stored."""
    for path, table in wanted.items():
        mine = found[path]
        held = dict(mine)  # without what a subclass may have in the place of methods
        if not (same(list(held), list(table)) and same(list(held.values()), list(table.values()))):
            place = f"{nest.file}:{nest.loop.line}"
            raise VerifyError(f"{place}: {path} is {held!r}, the interpreter has {table!r}")


def check_rows(
    nest: Nest, wanted: dict[str, list[list[Any]]], found: dict[str, list[list[Any]]]
) -> None:
    """Raise `VerifyError` where lists hold other items than the interpreter has appended."""
    for path, rows in wanted.items():
        if not all(map(_alike_rows, found[path], rows)):
            place = f"{nest.file}:{nest.loop.line}"
            raise VerifyError(f"{place}: {path} is {found[path]!r}, the interpreter has {rows!r}")


def _alike_rows(mine: list[Any], theirs: list[Any]) -> bool:
    """What was in a row before is the very same, whatever it is."""
    pairs = zip(mine, theirs, strict=False)
    return len(mine) == len(theirs) and all(one is two or same(one, two) for one, two in pairs)


def _alike(mine: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> bool:
    """Equal in bits; where these are given up, half of the digits of the largest number will do."""
    if _bits(mine) == _bits(theirs):
        return True
    if config.current().fp == "exact" or mine.dtype.kind not in "fc":
        return False
    largest = np.max(np.abs(theirs), where=np.isfinite(theirs), initial=0.0)
    near = float(np.finfo(mine.dtype).eps) ** 0.5
    return np.allclose(mine, theirs, rtol=near, atol=near * float(largest), equal_nan=True)


def _bits(array: np.ndarray[Any, Any]) -> bytes:
    """Bytes with every nan alike: which operand's nan survives is not defined by IEEE 754."""
    if array.dtype.kind not in "fc":
        return array.tobytes()
    parts = np.ascontiguousarray(array).reshape(-1).view(array.real.dtype)
    return np.where(np.isnan(parts), np.nan, parts).tobytes()


def _plainly_same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether these are numbers of one type in Python's own, all with the same bits."""
    kinds = {*map(type, a)}
    if len(a) != len(b) or kinds != {*map(type, b)}:
        return False
    if kinds == {float}:
        return packed("d", a).tobytes() == packed("d", b).tobytes()
    return kinds <= {int, bool} and len(kinds) == 1 and list(a) == list(b)


def same(a: object, b: object) -> bool:
    """Equal in type and bits, or near where these are given up; any nan equals any other."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):  # the very same, or both new
        if a is b or _plainly_same(a, b):
            return True
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, int):
        return a == b
    if isinstance(a, set | deque) and isinstance(b, set | deque):
        return same(list(a), list(b))  # in the order in which they are gone through
    if isinstance(a, dict) and isinstance(b, dict):
        made = getattr(a, "default_factory", None), getattr(b, "default_factory", None)
        return made[0] is made[1] and same(list(a.items()), list(b.items()))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        about = [(x.shape, x.dtype, x.strides, x.flags.writeable) for x in (a, b)]
        return about[0] == about[1] and _alike(a, b)
    return _alike(np.asarray(a), np.asarray(b))
