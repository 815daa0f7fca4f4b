"""Random generators of the user's: which methods are known, and where their state lies.

The state is read and written in memory, which takes a microsecond where the public ways take fifty.
Where it lies is tried out on generators of our own before it is relied on.

References
----------
numpy/random/bitgen.h and numpy/random/src; CPython, Modules/_randommodule.c, ``RandomObject``.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
import sys
from collections.abc import Callable, Sequence
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

import numpy as np

from autopar.records import dataclass
from autopar.runtime.peek import in_mro

Places = tuple[tuple[int, int], ...]
"""Addresses and sizes of the pieces of a state."""
Pieces = tuple[memoryview, ...]


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
    if is_python(kind):
        return vars(value).keys() == {"gauss_next"} and _as_shipped()
    module = sys.modules.get("numpy.random")
    return module is not None and kind in (module.Generator, module.RandomState)


def is_python(kind: Any) -> bool:
    """Whether `kind` is ``random.Random``, which is not imported for programs that do without."""
    return kind is getattr(sys.modules.get("random"), "Random", sys)


def source_of(owner: Any) -> Any:
    """What holds the state: the generator itself, or NumPy's bit generator."""
    if is_python(type(owner)):
        return owner
    return owner.bit_generator if type(owner).__name__ == "Generator" else owner._bit_generator


_USED = {"_log": math.log, "_sqrt": math.sqrt, "_cos": math.cos, "_sin": math.sin}
_OWN = (
    "choice", "expovariate", "gauss", "normalvariate", "randint", "randrange", "shuffle", "uniform",
)  # fmt: skip
_BELOW = ("_randbelow", "_randbelow_with_getrandbits")
_ABSENT = ("random", "getrandbits")  # those of the C class are not hidden


@functools.cache
def _library() -> tuple[Any, Any, str]:
    """Names in `random.Random` and in its module, and the file of that, as they are found first."""
    import random

    return vars(random.Random), vars(random), random.Random.seed.__code__.co_filename


def _as_shipped() -> bool:
    """Whether `random.Random` and what it uses are those of the standard library."""
    in_class, in_module, _ = _library()
    members = [*map(in_class.get, (*_OWN, *_BELOW, *_ABSENT)), *map(in_module.get, _USED)]
    return members == _shipped()


@functools.cache
def _shipped() -> list[object]:
    """What `_as_shipped` compares with; nothing where the class has been changed before."""
    in_class, _, _ = _library()
    below = in_class.get("_randbelow_with_getrandbits")
    found = [*map(in_class.get, _OWN), below, below]
    if not all(map(_of_the_library, found)):
        return []
    return [*found, *(None for _ in _ABSENT), *_USED.values()]


def _of_the_library(function: Any) -> bool:
    _, in_module, file = _library()
    if type(function) is not FunctionType or function.__globals__ is not in_module:
        return False
    return bool(function.__code__.co_filename == file)


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
    if is_python(type(source)):
        return _python(source)
    return _PLACES[type(source).__name__](source)


def pieces(source: Any) -> Pieces:
    """The state of a generator, piece by piece, as long as the generator lives."""
    return tuple([_piece(*place) for place in places(source)])


def _piece(address: int, size: int) -> memoryview:
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


def copy(of: Sequence[bytes | memoryview], to: Pieces) -> None:
    """Make the state `of` one generator that of another."""
    for one, other in zip(of, to, strict=True):
        other[:] = one


def is_known(source: Any) -> bool:
    """Whether the state of such a generator can be read and written."""
    kind: Any = type(source)
    if is_python(kind):
        return sys.implementation.name == "cpython" and _sound(kind)
    own = getattr(sys.modules.get("numpy.random"), kind.__name__, None)
    return kind.__name__ in _PLACES and kind is own and _sound(kind)


@functools.cache
def _sound(kind: Any) -> bool:
    """Whether states lie where they are looked for: a generator becomes another by its bytes."""
    try:
        if is_python(kind):
            return _sound_python(kind)
        one, two = kind(1), kind(2)
        generator = np.random.Generator(one)
        for _ in range(7):  # an odd number of halves of words, so that one is kept
            generator.integers(0, 9)
        copy(pieces(one), pieces(two))
        same: bool = _flat(one.state) == _flat(two.state)
        return same
    except (AttributeError, ValueError, AssertionError):
        return False


def _flat(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _flat(value) for key, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _sound_python(kind: Any) -> bool:
    if kind.__base__ is None or kind.__base__.__basicsize__ < 20 + _WORDS:
        return False
    one = kind(1)
    one.random()
    words = struct.unpack("=i624I", b"".join(pieces(one)))
    return bool(one.getstate()[1] == (*words[1:], words[0]))


@functools.cache
def as_expected() -> bool:
    """Whether NumPy's generators answer with the types that `draws` knows, and whether what
    kernels compute in place of NumPy is the same to the last bit."""
    old, new = np.random.RandomState(1), np.random.default_rng(1)
    whole = (old.randint(9), old.choice(9), old.poisson(2.0), new.choice(9), new.poisson(2.0))
    real = (old.rand(), old.uniform(), old.normal(), new.random(), new.uniform(), new.normal())
    weighted = (old.choice(2, p=[0.5, 0.5]), new.choice(2, p=[0.5, 0.5]))
    types = {type(x) for x in (*whole, *weighted)} == {int} and {type(x) for x in real} == {float}
    items = (old.choice([1, 2]), new.choice([1, 2]), new.integers(9))
    return types and {type(x) for x in items} == {np.int64} and _polar() and _inverse()


def _polar() -> bool:
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


def _inverse() -> bool:
    one, two = np.random.RandomState(1), np.random.RandomState(1)
    drawn = [one.standard_exponential() for _ in range(200)]
    return drawn == [-math.log(1.0 - two.random_sample()) for _ in range(200)]
