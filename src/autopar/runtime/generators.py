"""Random generators of the user's, and copies of them that kernels draw from.

A kernel never touches the user's generator.  It draws from one of NumPy's that has been given the
same state, and the state in which it leaves that one becomes the user's once the run is done: with
its lock taken, and only if nobody else has drawn meanwhile.  So a run that gives up has nothing to
undo.

The state is read and written where it lies in memory, which takes a microsecond where the public
ways take fifty.  Where it lies is tried out on generators of our own before it is relied on.

References
----------
numpy/random/bitgen.h and numpy/random/src; CPython, Modules/_randommodule.c, ``RandomObject``.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import random
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

import numpy as np

from autopar.kernel import Words
from autopar.runtime.plain import in_mro

Places = tuple[tuple[int, int], ...]
"""Addresses and sizes of the pieces of a state."""
Second = tuple[int, float]
"""Whether the second number of a pair is kept, and the number."""
State = tuple[bytes, Second]

_NONE_KEPT: Second = (0, 0.0)


# ---------------------------------------------------------------------------- what is called


@dataclass(frozen=True, slots=True)
class Drawing:
    """A method of a generator."""

    owner: Any
    name: str

    @property
    def kind(self) -> str:
        return type(self.owner).__name__

    @property
    def source(self) -> Any:
        """What holds the state that it draws from."""
        return source_of(self.owner)


def drawing(value: Any) -> Drawing | None:
    """The method of a generator that `value` is, bound."""
    kind = type(value)
    if kind is Drawing:
        found: Drawing = value
        return found
    if kind is not MethodType and kind is not BuiltinMethodType:
        return None
    owner = value.__self__
    if not is_generator(owner):
        return None
    name = value.__name__
    if kind is MethodType and in_mro(type(owner), name) is not value.__func__:
        return None
    return Drawing(owner, name)


def method_of(value: Any, name: str) -> Drawing | None:
    """``value.name``, where it is a method of a generator."""
    if is_generator(value) and callable(in_mro(type(value), name)):
        return Drawing(value, name)
    return None


def is_generator(value: Any) -> bool:
    """Whether `value` is a generator that does as its class says."""
    kind = type(value)
    if kind is random.Random:
        return vars(value).keys() == {"gauss_next"} and _as_shipped()
    module = sys.modules.get("numpy.random")
    return module is not None and kind in (module.Generator, module.RandomState)


def source_of(owner: Any) -> Any:
    """What holds the state: the generator itself, or NumPy's bit generator."""
    if type(owner) is random.Random:
        return owner
    return owner.bit_generator if type(owner).__name__ == "Generator" else owner._bit_generator


_USED = {"_log": math.log, "_sqrt": math.sqrt, "_cos": math.cos, "_sin": math.sin}
_OWN = ("choice", "gauss", "normalvariate", "randint", "randrange", "uniform")


def _as_shipped() -> bool:
    """Whether `random.Random` and what it uses are those of the standard library."""
    found, names = vars(random.Random), vars(random)
    below = found.get("_randbelow")
    return (
        "random" not in found
        and "getrandbits" not in found
        and below is found.get("_randbelow_with_getrandbits")
        and all(_ours(found.get(name), names) for name in (*_OWN, "_randbelow"))
        and all(names.get(name) is wanted for name, wanted in _USED.items())
    )


def _ours(function: Any, names: dict[str, Any]) -> bool:
    if type(function) is not FunctionType or function.__globals__ is not names:
        return False
    return function.__code__.co_filename == _FILE


_FILE = random.Random.seed.__code__.co_filename


# ---------------------------------------------------------------------------- where states lie

_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_WORDS = 4 * 624  # bytes of the state of MT19937


def _at(address: int) -> int:
    """The pointer that is stored there."""
    found = ctypes.c_void_p.from_address(address).value
    assert found is not None
    return found


def bitgen(source: Any) -> int:
    """Address of the ``bitgen_t`` of one of NumPy's bit generators."""
    address: int = _pointer(source.capsule, b"BitGenerator")
    return address


def _python(source: Any) -> Places:
    index = id(source) + object.__basicsize__
    return (index, 4), (index + 4, _WORDS)


def _mt19937(source: Any) -> Places:
    state = _at(bitgen(source))
    return (state + _WORDS, 4), (state, _WORDS)  # in the order in which Python has them


def _pcg64(source: Any) -> Places:
    state = _at(bitgen(source))
    return (_at(state), 32), (state + 8, 8)


def _sfc64(source: Any) -> Places:
    return ((_at(bitgen(source)), 40),)


def _philox(source: Any) -> Places:
    state = _at(bitgen(source))
    return (_at(state), 32), (_at(state + 8), 16), (state + 16, 48)


_PLACES: dict[str, Callable[[Any], Places]] = {
    "MT19937": _mt19937,
    "PCG64": _pcg64,
    "PCG64DXSM": _pcg64,
    "SFC64": _sfc64,
    "Philox": _philox,
}


def places(source: Any) -> Places:
    """Where the state of a generator lies."""
    if type(source) is random.Random:
        return _python(source)
    return _PLACES[type(source).__name__](source)


def _read(where: Places) -> bytes:
    return b"".join(ctypes.string_at(address, size) for address, size in where)


def _write(where: Places, state: bytes) -> None:
    begin = 0
    for address, size in where:
        ctypes.memmove(address, state[begin : begin + size], size)
        begin += size


def is_known(source: Any) -> bool:
    """Whether the state of such a generator can be read and written."""
    kind: Any = type(source)
    if kind is random.Random:
        return sys.implementation.name == "cpython" and _sound(kind)
    own = getattr(sys.modules.get("numpy.random"), kind.__name__, None)
    return kind.__name__ in _PLACES and kind is own and _sound(kind)


@functools.cache
def _sound(kind: Any) -> bool:
    """Whether states lie where they are looked for: a generator becomes another by its bytes."""
    try:
        if kind is random.Random:
            return _sound_python()
        one, two = kind(1), kind(2)
        generator = np.random.Generator(one)
        for _ in range(7):  # an odd number of halves of words, so that one is kept
            generator.integers(0, 9)
        _write(places(two), _read(places(one)))
        same: bool = _flat(one.state) == _flat(two.state)
        return same
    except (AttributeError, ValueError, AssertionError):
        return False


def _flat(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _flat(value) for key, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _sound_python() -> bool:
    if random.Random.__base__ is None or random.Random.__base__.__basicsize__ < 20 + _WORDS:
        return False
    one = random.Random(1)
    one.random()
    words = struct.unpack("=i624I", _read(_python(one)))
    return bool(one.getstate()[1] == (*words[1:], words[0]))


@functools.cache
def polar() -> bool:
    """Whether NumPy's normal numbers from pairs are what IEEE arithmetic makes of the formula."""
    one, two = np.random.RandomState(1), np.random.RandomState(1)
    for _ in range(200):
        r2 = 0.0
        while r2 >= 1.0 or r2 == 0.0:
            x1 = 2.0 * two.random_sample() - 1.0
            x2 = 2.0 * two.random_sample() - 1.0
            r2 = x1 * x1 + x2 * x2
        f = math.sqrt(-2.0 * math.log(r2) / r2)
        if (f * x2, f * x1) != (one.standard_normal(), one.standard_normal()):
            return False
    return True


# ---------------------------------------------------------------------------- what is lent

_free: dict[Any, list[Any]] = {}  # generators of ours that are not in use, by type


class Lent:
    """Generators of ours in place of the user's, for one call of a nest.

    Parameters
    ----------
    owners
        For each generator one of the objects by which the nest draws from it.
    pairs
        Numbers of those whose second number of a pair counts.

    Attributes
    ----------
    arrays
        What stands for them in the kernel; see `kernel.Words`.
    """

    def __init__(self, owners: Sequence[Any], pairs: frozenset[int]) -> None:
        self.owners, self.pairs = owners, pairs
        self.sources = [source_of(owner) for owner in owners]
        self.places = [places(source) for source in self.sources]
        self.copies = [_copy(source) for source in self.sources]
        self.copied = [places(copy) for copy in self.copies]
        self.arrays = tuple(np.zeros(Words.COUNT, np.int64) for _ in owners)
        self.before: list[State] = []

    def close(self) -> None:
        """The copies may serve another call."""
        for copy in self.copies:
            _free.setdefault(type(copy), []).append(copy)

    def states(self) -> list[State]:
        """Those of the user's generators."""
        with self._locked():
            pieces = list(map(_read, self.places))
        return list(zip(pieces, self._seconds(), strict=True))

    def put(self, states: Sequence[State]) -> None:
        """Set those of the user's generators."""
        with self._locked():
            for where, (state, _) in zip(self.places, states, strict=True):
                _write(where, state)
        self._set_seconds([second for _, second in states])

    def begin(self) -> None:
        """Let the copies start where the user's generators are."""
        self.before = self.states()
        everything = zip(self.before, self.copies, self.copied, self.arrays, strict=True)
        for (state, (kept, other)), copy, where, words in everything:
            _write(where, state)
            words[Words.BITS] = bitgen(copy)
            words[Words.KEPT] = kept
            words[Words.OTHER] = np.float64(other).view(np.int64)

    def commit(self) -> bool:
        """Leave the user's generators where the copies are, unless somebody else has drawn."""
        if self._seconds() != [second for _, second in self.before]:
            return False
        with self._locked():
            if list(map(_read, self.places)) != [state for state, _ in self.before]:
                return False
            for where, copied in zip(self.places, self.copied, strict=True):
                _write(where, _read(copied))
        self._set_seconds([_second_in(words) for words in self.arrays])
        return True

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """With the locks of all generators, in an order that is everybody's."""
        with contextlib.ExitStack() as locks:
            for source in sorted(self.sources, key=id):
                if type(source) is not random.Random:
                    locks.enter_context(source.lock)
            yield

    # NumPy's way to these may need the lock, which need not be one to take twice.

    def _seconds(self) -> list[Second]:
        return [
            _second(owner) if number in self.pairs else _NONE_KEPT
            for number, owner in enumerate(self.owners)
        ]

    def _set_seconds(self, seconds: Sequence[Second]) -> None:
        for number, owner in enumerate(self.owners):
            if number in self.pairs and _second(owner) != seconds[number]:
                _set_second(owner, seconds[number])


def _copy(source: Any) -> Any:
    """A generator of ours with the numbers of `source`."""
    kind = np.random.MT19937 if type(source) is random.Random else type(source)
    try:
        return _free[kind].pop()
    except (KeyError, IndexError):
        return kind(0)


def _second_in(words: np.ndarray[Any, np.dtype[np.int64]]) -> Second:
    (other,) = words[Words.OTHER : Words.OTHER + 1].view(np.float64)
    return int(words[Words.KEPT]), float(other)


def _second(owner: Any) -> Second:
    if type(owner) is random.Random:
        found = vars(owner)["gauss_next"]
        return _NONE_KEPT if found is None else (1, found)
    state = owner.get_state(legacy=False)
    return int(state["has_gauss"]), float(state["gauss"])


def _set_second(owner: Any, second: Second) -> None:
    if type(owner) is random.Random:
        vars(owner)["gauss_next"] = second[1] if second[0] else None
        return
    state = owner.get_state(legacy=False)
    state["has_gauss"], state["gauss"] = second
    owner.set_state(state)
