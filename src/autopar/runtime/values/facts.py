"""What the values of one call say: the type key, the aliases, the parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from autopar.deps.data import Equation, Overlap
from autopar.nest import functions, kinds
from autopar.nest.functions import Function
from autopar.nest.hidden import FRESH, GLOBALS, ORDER, STORED, TYPES
from autopar.nest.ir import Asked, Const, Expr, Name, Nest, Word
from autopar.nest.show import text
from autopar.nest.text.reading import METHODS
from autopar.nest.typed.types import ArrayType
from autopar.nest.values.new_keys import owner_of
from autopar.nest.values.tables import asked
from autopar.pipeline import live_ins
from autopar.records import dataclass, field, replace
from autopar.runtime.values.again import OWNERS, WHOSE, Glance, apart
from autopar.runtime.values.answers import answer, is_member
from autopar.runtime.values.attributes import targets
from autopar.runtime.values.buckets import Buckets, alone, within
from autopar.runtime.values.buckets import buckets as found_buckets
from autopar.runtime.values.characters import texts_of_one_length
from autopar.runtime.values.dicts import DICTS, GET_OF_DICT, kind_of
from autopar.runtime.values.generators import Drawing
from autopar.runtime.values.lent import Lent
from autopar.runtime.values.lists import NO_LISTS, Lists
from autopar.runtime.values.mirrors import tuples_of_several_types
from autopar.runtime.values.mixed import Pair
from autopar.runtime.values.overlap import Layout, equations
from autopar.runtime.values.paths import Paths, Resolver, Said, dicts_gone_through
from autopar.runtime.values.plain import is_plain_array, type_name
from autopar.verdict import Reason, Refusal, Refused, Span

_MAX_INT = 2**63 - 1
_C, _F, _ALIGNED, _WRITEABLE, _WARNS = 0x1, 0x2, 0x100, 0x400, 1 << 31
_FLAGS = _C | _F | _ALIGNED | _WRITEABLE | _WARNS  # who owns the memory is no part of a type
_TEXTUAL = {"S": "bytes", "U": "text", "V": "raw bytes", "O": "Python objects"}
_SEQUENCES = (list, tuple, range, bytes, bytearray)
_TABLES = (*DICTS, set, frozenset, list, tuple)
Table: TypeAlias = Any
"""What a nest asks with ``in``, and looks up keys in."""
_NO_TEXTS = frozenset[str]()
_MOST_RELATIONS = 1024  # remembered at a time
_EXACT_WORK = 1000  # how hard NumPy may try to prove that two overlapping views share no element


class Keys(NamedTuple):
    """What a dictionary has when a call begins: its keys, as numbers, and their values."""

    numbers: tuple[int, ...]
    values: tuple[Any, ...]


@dataclass(slots=True, eq=False)
class Values:
    """Resolved live-ins of one call, in the order of the nest's sorted paths.

    Nothing changes them; but to make them frozen would take a microsecond of each call.

    They are `plain` unless one of the arrays is of a subclass of `numpy.ndarray`.  Some of the
    arrays may stand for `lists`; others are only `extended`.  Random generators that the nest draws
    from are `lent`.  For `dicts`, and for lists of `ragged` rows, arrays have yet to be made;
    `keys` are then those of the dictionaries.  What the nest asks has `answers`.  To the rows of
    `buckets` something is appended.
    Some arrays, and some numbers, are those of the characters of `texts`.
    `owners` are the arrays, where each is seen to own memory without gaps that no other one has.
    """

    arrays: dict[str, np.ndarray[Any, Any]]
    numbers: dict[str, Any]
    calls: dict[str, Any]
    plain: bool = True
    lists: Lists = NO_LISTS
    extended: dict[str, list[Any]] = field(default_factory=dict)
    lent: Lent | None = None
    dicts: dict[str, Table] = field(default_factory=dict)
    answers: dict[Asked, bool] = field(default_factory=dict)
    ragged: dict[str, Sequence[Any]] = field(default_factory=dict)
    buckets: dict[str, Buckets] = field(default_factory=dict)
    texts: frozenset[str] = frozenset()
    owners: dict[str, np.ndarray[Any, Any]] | None = None
    keys: dict[str, Keys] = field(default_factory=dict)

    def value(self, path: str) -> Any:
        """The array, or list, behind `path`, as the user knows it."""
        array = self.arrays[path]
        found = self.lists.value(path)
        return array if found is None else found


_NONE: dict[Any, Any] = {}


def plain(arrays: dict[str, np.ndarray[Any, Any]], numbers: dict[str, Any]) -> Values:
    """NumPy's own arrays and Python's numbers, and nothing else."""
    return Values(
        arrays, numbers, _NONE, True, NO_LISTS, _NONE, None, _NONE, _NONE, _NONE, _NONE, _NO_TEXTS,
        None, _NONE,
    )  # fmt: skip


def widened(values: Values, weak: Sequence[str]) -> Values:
    """`values` with room for floats in place of lists of ints, and for notes of where they are.

    Raises
    ------
    Refused
        Where such a list is also used as one of ints.
    """
    arrays = dict(values.arrays)
    for path, mirror in values.lists.widened(weak):
        arrays[path] = mirror.array
        assert mirror.stored is not None
        arrays[path + STORED] = mirror.stored
    return replace(values, arrays=arrays)


def with_types(values: Values, pairs: Mapping[str, Pair]) -> Values:
    """`values` with the types of the elements of lists beside them.

    Raises
    ------
    Refused
        Where such a list is also used as another one.
    """
    arrays = dict(values.arrays)
    for path, mirror in values.lists.noted(pairs):
        arrays[path] = mirror.array
        assert mirror.types is not None
        arrays[path + TYPES] = mirror.types
    return replace(values, arrays=arrays)


class Reader:
    """Resolves the live-in paths of one nest and makes the type key of a call.

    Lists at the paths `ragged` are known to have rows of several lengths.
    """

    def __init__(self, nest: Nest, ragged: set[str]) -> None:
        self.ragged = ragged
        found = live_ins(nest)
        arrays, calls, numbers = found.arrays, found.calls, found.numbers
        self.nest = nest
        resolver = Paths(nest).resolver
        self.orders = tuple(sorted(path for path in arrays if path.endswith((ORDER, FRESH))))
        arrays = arrays - {*self.orders}
        places = {root: k for k, root in enumerate(nest.roots)}  # of those that are handed over
        self.arrays = tuple((p, places.get(p, -1), resolver(p)) for p in sorted(arrays))
        self.calls = tuple((p, places.get(p, -1), resolver(p, called=True)) for p in sorted(calls))
        numbers = numbers - arrays - calls
        self.numbers = tuple((p, places.get(p, -1), resolver(p)) for p in sorted(numbers))
        dots = [path.rpartition(".") for path in calls]
        owners = {owner for owner, _, name in dots if name in METHODS and owner[-1:] not in "<>"}
        self.only_asked = asked(nest)
        getters = {path: owner_of(path) for path in calls if owner_of(path)}
        self.getters = {path: (owner, resolver(owner)) for path, owner in getters.items()}
        self.extended = tuple((p, resolver(p)) for p in sorted(found.extended))
        self.grown = found.grown
        self.buckets = tuple((p, resolver(p), depth) for p, depth in found.buckets)
        self.owners = tuple((p, resolver(p)) for p in sorted(owners))
        self.written = found.written
        self.place = Span(nest.file, nest.loop.line)
        self.items = [path.replace(".['", "['") for path in nest.paths if ".['" in path]
        self.targets = targets(nest, resolver)
        self.gone_through = tuple((p, resolver(p)) for p in dicts_gone_through(nest))
        self.questions = tuple(
            (q, _operand(q.left, resolver), _operand(q.right, resolver)) for q in found.questions
        )
        sides = [side for q, *_ in self.questions for side in (q.left, q.right)]
        self.maybe = frozenset(side.id for side in sides if isinstance(side, Name))
        more: tuple[object, ...] = (*self.extended, *self.orders, *self.owners, *self.buckets)
        more += *self.targets, *self.questions, *self.gone_through
        self.glance = None if more else Glance(self.arrays, self.numbers, self.calls, nest.roots)
        self.confused = sorted(arrays & (calls | numbers))
        self.members: dict[int, object] = {}
        self.mixed: dict[str, Pair] = {}  # lists that have turned out to have elements of two types
        self.codes: dict[int, CodeType] = {}
        self.spaces: dict[int, dict[str, Any]] = {}

    def refuse(self, reason: Reason, detail: str) -> Refused:
        return Refused(Refusal(reason, self.place, detail))

    def read(
        self, roots: tuple[Any, ...], said: Said | None = None
    ) -> tuple[tuple[Any, ...], Values]:
        """Type key and values; raises `Refused` for live-ins that are never taken.

        Parameters
        ----------
        said
            What these `roots` have reply to the nests that this one stands for.
        """
        said = Said(roots) if said is None else said
        key: list[Any] = []
        arrays: dict[str, Any] = {}
        numbers: dict[str, Any] = {}
        calls: dict[str, Any] = {}
        dicts: dict[str, Table] = {}
        ragged: dict[str, Sequence[Any]] = {}
        texts: set[str] = set()
        plain, lists, roots, owning = True, NO_LISTS, said.roots, True
        if self.targets and self.items:  # such a dictionary may be that of an object's attributes
            raise self.refuse(Reason.SYNTAX, f"{self.items[0]} beside attributes that change")
        if self.targets and self.gone_through:  # likewise
            what = self.gone_through[0][0]
            raise self.refuse(Reason.SYNTAX, f"{what}, gone through beside attributes that change")
        for target in self.targets:
            refusal = target.refusal(said, self.place)
            if refusal is not None:
                raise Refused(refusal)
        ndarray = np.ndarray
        for path, place, resolve in self.arrays:
            array = roots[place] if place >= 0 else resolve(said)
            kind = type(array)
            if kind is ndarray:  # as nearly always
                arrays[path] = array
                flags, dtype = array.flags.num, array.dtype
                if flags & WHOSE not in OWNERS:
                    owning = False
                key += (dtype, dtype.char, array.ndim, flags & _FLAGS)
                continue
            owning = False
            if path in self.ragged and kind in (list, tuple):
                ragged[path] = array
                key += "ragged", tuples_of_several_types(array)
                continue
            if kind in (list, tuple) and path not in self.written:
                spelled = texts_of_one_length(array)
                if spelled is not None:
                    texts.add(path)
                    arrays[path] = spelled
                    key += str, spelled.ndim
                    continue
            if kind in _SEQUENCES and (kind is range or path not in self.only_asked):
                lists = self._with_list(path, array, said, lists, arrays, key)
                continue
            if kind in DICTS or (path in self.only_asked and kind in _TABLES):
                dicts[path] = array
                key += kind, kind_of(array)
                continue
            if kind is str:
                texts.add(path)
                coded = array.encode("utf-32-le", "surrogatepass")
                array, kind = np.frombuffer(coded, np.uint32), np.ndarray
                key.append(str)
            if array is None and path in self.maybe:  # and is an array where it is not None
                key.append(kind)
                continue
            if kind is not ndarray:
                if not is_plain_array(kind):
                    raise self.refuse(Reason.NOT_ARRAY, f"{path} is {type_name(array)}")
                array = array.view(ndarray)
                plain = False
            arrays[path] = array
            # Two C types of one size are equal dtypes, but not the same: hence the character.
            key += (array.dtype, array.dtype.char, array.ndim, array.flags.num & _FLAGS)
        for path, resolve in self.owners:
            owner = resolve(said)
            if type(owner) is np.ndarray:
                owning = False
                arrays[path] = owner
                key += (owner.dtype, owner.dtype.char, owner.ndim, owner.flags.num & _FLAGS)
        more: dict[str, list[Any]] = {}
        for path, resolve in self.extended:
            found = resolve(said)
            if type(found) is not list or any(found is other for other in more.values()):
                raise self.refuse(Reason.NOT_ARRAY, f"{path} is {type_name(found)}")
            if lists.names(found) - {path}:
                raise self.refuse(Reason.OVERLAP, f"{path} has another name as well")
            more[path] = found
        for path, place, resolve in self.numbers:
            number = roots[place] if place >= 0 else resolve(said)
            kind = type(number)
            if kind is float or (kind is int and -_MAX_INT <= number <= _MAX_INT):
                numbers[path] = number
                key.append(kind)
                continue
            if kind is ndarray:
                owning = False
                arrays[path] = number
                key += (number.dtype, number.dtype.char, number.ndim, number.flags.num & _FLAGS)
                continue
            if path in self.ragged and kind in (list, tuple):
                ragged[path] = number
                key += "ragged", tuples_of_several_types(number)
                continue
            if kind is list and not number and path in self.grown:
                key.append("empty")
                continue
            if kind in _SEQUENCES:
                owning = False
                lists = self._with_list(path, number, said, lists, arrays, key)
                continue
            if kind is int:
                raise self.refuse(Reason.BIG_INTEGER, path)
            letter = kind is str and len(number) == 1 and path not in self.nest.scalars
            if letter and (texts or any(one.letters for one in lists.mirrors.values())):
                texts.add(path)  # beside these it is a character
                numbers[path] = ord(number)
                key.append("letter")
                continue
            numbers[path] = number
            key.append(kind)
            if is_member(number):
                self.members[id(number)] = number
                key.append(id(number))
        for path in self.orders:
            owning = False
            if path.endswith(ORDER):
                arrays[path] = lists.order(path.removesuffix(ORDER))
            else:
                arrays[path] = lists.fresh(path.removesuffix(FRESH))
        sources: dict[int, int] = {}
        for path, _, resolve in self.calls:
            function, draws, plainly = said.callee(path, resolve)
            if function is GET_OF_DICT and path in self.getters:
                owner, find = self.getters[path]
                table = find(said)
                if type(table) in DICTS:
                    dicts[owner] = table
                    key += type(table), kind_of(table)
                    continue
            calls[path] = function if draws is None else draws
            if draws is not None:
                key += _draw_key(draws, sources)
            elif plainly is None:
                key.append(id(function))
            else:
                code = plainly.__code__
                self.codes[id(code)] = code  # which keeps it, and so its number
                space = plainly.__globals__
                self.spaces[id(space)] = space
                key += (id(code), id(space), type(function))
        for path, resolve in self.gone_through:
            if any(table is resolve(said) for p, table in dicts.items() if p in self.written):
                raise self.refuse(Reason.OVERLAP, f"{path} has another name as well")
        key.append(plain)
        answers: dict[Asked, bool] = {}
        for question, left, right in self.questions:
            reply = answer(question.op, left(said), right(said))
            if reply is None:
                raise self.refuse(Reason.WRONG_TYPE, f"{text(question)}, which may run code")
            answers[question] = reply
            key.append(reply)
        buckets: dict[str, Buckets] = {}
        for path, resolve, depth in self.buckets:
            buckets[path] = found_buckets(path, resolve(said), depth)
            key.append("buckets")
        texts |= {path for path, one in lists.mirrors.items() if one.letters}
        named = frozenset(texts) if texts else _NO_TEXTS
        owners = arrays if owning and apart(arrays.values()) else None
        values = Values(
            arrays, numbers, calls, plain, lists, more, None, dicts, answers, ragged, buckets,
            named, owners,
        )  # fmt: skip
        if buckets:
            empty = (resolve(said) for path, _, resolve in self.numbers if path in self.grown)
            alone(buckets, {*_lists(values), *map(id, empty)})
        return tuple(key), values

    def _with_list(
        self,
        path: str,
        value: Sequence[Any],
        said: Said,
        lists: Lists,
        arrays: dict[str, Any],
        key: list[Any],
    ) -> Lists:
        """`lists` and the one behind `path`, for which an array stands from now on."""
        lists = Lists() if lists is NO_LISTS else lists
        mirror = lists.add(path, value, said.mirrors, self.mixed.get(path))
        arrays[path] = mirror.array
        # As many as for an array.
        atom = "letter" if mirror.letters else mirror.atom
        key += (atom, mirror.holders, mirror.array.ndim, mirror.inner, mirror.other)
        return lists

    def builtins(self, values: Values) -> None:
        """Raise `Refused` where a function that is no call in the IR has been replaced."""
        for path, name in self.nest.counting:
            found = values.calls[path]
            if found is not functions.counting(name) or not functions.genuine(found, name):
                raise self.refuse(Reason.SHADOWED, name)

    def types(
        self, values: Values
    ) -> tuple[dict[str, ArrayType], dict[str, str], dict[str, Function]]:
        """Types behind a new key; raises `Refused` for what is not supported."""
        for path in self.confused:
            raise self.refuse(Reason.WRONG_TYPE, f"{path} is used as an array and as a number")
        arrays = {path: self._array_type(path, a) for path, a in values.arrays.items()}
        for path, mirror in values.lists.mirrors.items():
            kind = arrays[path]
            listed = "" if mirror.inner else mirror.atom  # what is in arrays is no object
            writeable, other = mirror.writeable, mirror.other
            arrays[path] = replace(kind, listed=listed, writeable=writeable, other=other)
        numbers = {}
        for path, number in values.numbers.items():
            atom = kinds.atom_of(number)
            if atom is None:
                raise self.refuse(Reason.WRONG_TYPE, f"{path} is {type_name(number)}")
            numbers[path] = atom
        calls, counting = {}, dict(self.nest.counting)
        for path, found in values.calls.items():
            function = functions.known(found)
            if function is None and path in counting:
                continue
            if function is None:
                raise self.refuse(Reason.CALL, f"{path}(…)")
            name = path.rpartition(f".{GLOBALS}.")[2]
            if name in ("min", "max") and function.form != name:
                raise self.refuse(Reason.SHADOWED, name)
            calls[path] = function
        return arrays, numbers, calls

    def _array_type(self, path: str, array: np.ndarray[Any, Any]) -> ArrayType:
        flags = array.flags.num
        if not array.ndim or not _is_number(array.dtype):
            shown = _element_name(array.dtype)
            raise self.refuse(Reason.WRONG_TYPE, f"{path} is a {array.ndim}-d array of {shown}")
        if flags & _WARNS and path in self.written:
            detail = f"NumPy warns of writing to {path}, which np.broadcast_arrays made"
            raise self.refuse(Reason.READ_ONLY, detail)
        layout = "C" if flags & _C else "F" if flags & _F else "A"
        writeable, aligned = bool(flags & _WRITEABLE), bool(flags & _ALIGNED)
        return ArrayType(array.dtype.name, array.ndim, layout, writeable, aligned)


def _lists(values: Values) -> Iterator[int]:
    """The `id` of each list that a nest has to do with, but for buckets, and of other things."""
    for mirror in values.lists.mirrors.values():
        yield from within(mirror.value, len(mirror.holders) - 1)
    for rows in values.ragged.values():
        yield from within(rows, 1)
    for table in values.dicts.values():
        yield id(table)
        yield from map(id, dict.values(table) if type(table) in DICTS else table)
    yield from map(id, values.extended.values())


def _operand(expr: Expr, resolver: Callable[[str], Resolver]) -> Resolver:
    """How to find what a question is about."""
    if isinstance(expr, Name):
        return resolver(expr.id)
    assert isinstance(expr, Const | Word)
    value = expr.value
    return lambda said: value


def _draw_key(draws: Drawing, sources: dict[int, int]) -> tuple[object, ...]:
    """What a draw is, whichever generator it draws from; `sources` are numbered as they come."""
    source = draws.source
    number = sources.setdefault(id(source), len(sources))
    return Drawing, draws.kind, draws.name, type(source), number


def _is_number(dtype: np.dtype[Any]) -> bool:
    # Two C types can share a name: np.longlong is another type than np.int64.
    known = dtype.name in (*kinds.NUMBERS, "bool") and dtype.char == np.dtype(dtype.name).char
    return known and bool(dtype.isnative)


def _element_name(dtype: np.dtype[Any]) -> str:
    """A dtype as a user would say it."""
    if dtype.names is not None:
        return "structured elements"
    if dtype.kind in _TEXTUAL:
        return _TEXTUAL[dtype.kind]
    if not dtype.isnative:
        return f"byte-swapped {dtype.name}"
    return str(dtype.type.__name__ if dtype.name in kinds.NUMBERS else dtype.name)


class Aliases(NamedTuple):
    """Array paths that are one and the same view, and those that overlap in another way.

    A tuple, since it is part of each call's question: it is compared and hashed at once.
    """

    same: tuple[tuple[str, ...], ...] = ()
    tangled: frozenset[Overlap] = frozenset()

    def joins(self, one: str, two: str) -> bool:
        """Whether these two share memory, or elements of the one do."""
        both = min(one, two), max(one, two)
        return any(one in group and two in group for group in self.same if one != two) or any(
            (overlap.first, overlap.second) == both for overlap in self.tangled
        )


NO_ALIASES = Aliases()


def aliases(arrays: dict[str, np.ndarray[Any, Any]], written: Sequence[str]) -> Aliases:
    """How the arrays share memory; only pairs with a written one matter.

    Two arrays that each own their memory share none: most pairs need no look.
    """
    tangled: set[Overlap] = set()
    same: dict[str, set[str]] = {}
    views: dict[str, np.ndarray[Any, Any]] = {}
    owners: dict[int, dict[str, np.ndarray[Any, Any]]] = {}
    for path, array in arrays.items():
        if array.base is None and array.flags.owndata:
            owners.setdefault(id(array), {})[path] = array
        else:
            views[path] = array
    for first in written:
        a = arrays[first]
        alone = a.flags.forc
        known = owners.get(id(a))
        others = arrays if known is None else {**known, **views} if views else known
        if not alone:
            found = _relation(a, a)
            if found is not None and found is not _SAME:
                tangled.add(Overlap(first, first, found))
        for second, b in others.items():
            if second == first or (second in written and second < first):
                continue
            if a is b:
                found = _SAME if alone else _relation(a, a)
            elif not np.may_share_memory(a, b):
                continue
            else:
                found = _relation(a, b) if first < second else _relation(b, a)
            if found is _SAME:
                same.setdefault(first, {first}).add(second)
            elif found is not None:
                tangled.add(Overlap(min(first, second), max(first, second), found))
    if not same and not tangled:
        return NO_ALIASES
    return Aliases(_classes(same), frozenset(tangled))


def _classes(same: dict[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    merged: list[set[str]] = []
    for group in same.values():
        touching = [g for g in merged if g & group]
        merged = [g for g in merged if not g & group]
        merged.append(group.union(*touching))
    return tuple(sorted(tuple(sorted(g)) for g in merged))


_SAME: tuple[Equation, ...] = (Equation((), (), 0, (), ()),)
_NEW: tuple[Equation, ...] = (Equation((), (), 1, (), ()),)
_relations: dict[Any, tuple[Equation, ...] | None] = {}


def _relation(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> tuple[Equation, ...] | None:
    """`_SAME` for one view whose elements are all apart, else where elements share memory."""
    apart = 0 if a is b else _at(b) - _at(a)
    key = (a.shape, a.strides, a.dtype, b.shape, b.strides, b.dtype, apart)
    found = _relations.get(key, _NEW)
    if found is _NEW:
        found = _related(a, b, apart)
        if len(_relations) >= _MOST_RELATIONS:
            _relations.clear()
        _relations[key] = found
    return found


def _related(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], apart: int
) -> tuple[Equation, ...] | None:
    first, second = (Layout(x.shape, x.strides, x.itemsize) for x in (a, b))
    if not apart and first == second and a.dtype == b.dtype and first.simple:
        return _SAME
    try:
        if not np.shares_memory(a, b, max_work=_EXACT_WORK):  # type: ignore[arg-type]
            return None
    except np.exceptions.TooHardError:
        pass
    return equations(first, second, apart)


def _at(a: np.ndarray[Any, Any]) -> int:
    address: int = a.ctypes.data
    return address
