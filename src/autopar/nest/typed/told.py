"""What a call tells of the live-ins of a nest, and what the nest becomes for that: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from autopar.nest.functions import Function
from autopar.nest.ir import Asked, Nest
from autopar.nest.typed.types import ArrayType
from autopar.records import dataclass, field
from autopar.verdict import Refusal


@dataclass(frozen=True, slots=True)
class Types:
    """Types of the live-ins, by path."""

    arrays: tuple[tuple[str, ArrayType], ...]
    numbers: tuple[tuple[str, str], ...]
    calls: tuple[tuple[str, Function], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What is the same for all calls of one type key.

    Attributes
    ----------
    types
        Of the live-ins, or why these are not taken as they are.
    ranks
        Number of axes of each array.
    plain
        Whether no array is of a subclass of `numpy.ndarray`.
    listed
        Arrays that stand for lists, with how many of their axes are those of lists; `tables`: those
        of lists of lists of numbers.
    atoms, nothing, comparable
        Live-in numbers with their types; those that are None; those of types of Python's own,
        which are compared by what they are.
    members
        Live-ins that are equal to themselves alone, with a number for each object.
    calls
        What each function is; for one that draws random numbers, its name.
    texts
        Arrays that stand for texts, or for lists of characters, and numbers for characters.
    answers
        To what the nest asks.
    buckets, draws, dicts, ragged
        Whether it appends to rows of lists; draws random numbers; has dictionaries, and lists whose
        rows are of several lengths.
    met
        Whether the conditions of the nest have been looked at when it is asked.
    glanced
        Whether it is a run of statements in no loop.
    """

    types: Types | Refusal
    ranks: tuple[tuple[str, int], ...]
    plain: bool
    listed: tuple[tuple[str, int], ...]
    tables: frozenset[str]
    atoms: tuple[tuple[str, str], ...]
    nothing: frozenset[str]
    comparable: frozenset[str]
    members: tuple[tuple[str, int], ...]
    calls: tuple[tuple[str, object], ...]
    texts: frozenset[str]
    answers: tuple[tuple[Asked, bool], ...]
    buckets: bool
    draws: bool
    dicts: bool
    ragged: bool
    met: bool
    glanced: bool


@dataclass(frozen=True, slots=True)
class Became:
    """Another nest stands for it; `met` as in `Told`."""

    nest: Nest
    met: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """What is left to be done depends on more than `Told`; `refusal` is for where it is in vain."""

    what: Literal["buckets", "draws", "dicts", "ragged", "tuples", "shapes", "types"]
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Arrays:
    """What is known of the live-ins of one call.

    Attributes
    ----------
    ranks
        Number of axes of each array.
    ones
        Arrays and those of their axes that are one element long.
    ordered
        Arrays whose axes have strides that do not grow.
    boolean, counting, real
        Arrays of NumPy's bools, of its integers, and of its floats.
    dtypes
        Names of their dtypes.
    dense, sideways
        Arrays whose elements lie one after the other, in C order or in Fortran's.
    ints, doubles
        Live-in numbers that are Python ints, and those that are floats of double precision.
    listed
        Arrays that stand for lists.
    fixed
        Those that stand for tuples, or for lists of such: a part of one is no list.
    objects
        Everything that is neither array nor number: functions, types, None.
    """

    ranks: Mapping[str, int]
    ones: frozenset[tuple[str, int]]
    ordered: frozenset[str]
    boolean: frozenset[str]
    counting: frozenset[str]
    real: frozenset[str]
    dtypes: Mapping[str, str]
    dense: frozenset[str]
    sideways: frozenset[str]
    ints: frozenset[str]
    doubles: frozenset[str]
    objects: Mapping[str, object]
    listed: Mapping[str, int] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a live-in array or list.

    Attributes
    ----------
    shape
        Its extents at the first call.
    fixed
        How many of its last axes are those of tuples, which do not change.
    listed
        Whether it is a list or tuple.
    """

    shape: tuple[int, ...]
    fixed: int = 0
    listed: bool = False
