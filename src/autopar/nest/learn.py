"""What a nest becomes once it is known what its live-ins are: a simpler one, or a typed one."""

from __future__ import annotations

from autopar.nest.arrays.sideways import turned_back
from autopar.nest.arrays.whole import needed
from autopar.nest.functions import known
from autopar.nest.ir import For, Nest
from autopar.nest.text import asked
from autopar.nest.text.counted import counted, outermost, sequence
from autopar.nest.typed.listed import misused
from autopar.nest.typed.told import Became, Held, Left, Told
from autopar.nest.typed.types import Typed, infer
from autopar.nest.values import absent, displays, tables, texts, tuples
from autopar.nest.values.copies import propagated
from autopar.nest.values.replaced import replaced
from autopar.nest.values.swapped import swapped
from autopar.nest.walking import statements
from autopar.verdict import Reason, Refusal, Span


def learned(nest: Nest, told: Told) -> Refusal | Became | Left | Typed:
    """The next step: each does one thing, and the nest that comes out is asked again."""
    found = _answered(nest, told)
    if found is not None:
        return found
    if told.buckets:
        return Left("buckets")
    if told.draws:
        return Left("draws")
    if told.dicts:
        return Left("dicts")
    asked_of = tables.left(nest) or texts.left(nest)
    if asked_of is not None:
        return asked_of
    if told.ragged:
        return Left("ragged")
    functions = {path: known(f) for path, f in told.calls}
    calls = {path: f for path, f in functions.items() if f is not None}
    counts = counted(nest, dict(told.atoms), calls)
    if counts is not nest:
        return Became(counts)
    loop = outermost(nest)
    # With lists it saves copying them for each of the loops in it, and back.
    if loop is not None and not sequence(loop) and not told.listed:
        return _refusal(
            nest,
            Reason.NOT_RANGE,
            "a while that no count of Python's ends: the loops in it run alone",
        )
    if tuples.needed(nest):
        return Left("tuples")
    if told.nothing or absent.needed(nest):
        return _became(_without_none(nest, told.nothing))
    items = displays.apart(nest)
    if items is not nest:
        return Became(items)
    shorter = nest if told.met else propagated(nest)
    if shorter is not nest:
        return Became(shorter)
    rows = replaced(nest, told.tables)
    if rows is not nest:
        return Became(rows)
    rows = swapped(nest, told.tables)
    if rows is not nest:
        return Became(rows)
    return misused(nest, dict(told.listed)) or _typed(nest, told)


def _answered(nest: Nest, told: Told) -> Refusal | Became | None:
    """What depends on the answers to what the nest asks."""
    if told.texts:
        ranks = dict(told.ranks)
        numbers = texts.numbered(nest, {path: ranks.get(path, 0) for path in told.texts})
        if numbers != nest:
            return _became(numbers)
    objects: dict[int, object] = {}
    members = {path: objects.setdefault(n, object()) for path, n in told.members}
    if asked.needed(nest, members):
        own = set(nest.scalars)
        plain = {path for path in told.comparable if path not in own}
        plain.add("")  # a literal
        found = {path: one for path, one in members.items() if path not in own}
        plainer = asked.answered(nest, dict(told.answers), found, plain)
        if plainer != nest:  # words may be left, as arguments
            return _became(plainer)
    return tuples.starred(nest)


def _typed(nest: Nest, told: Told) -> Refusal | Became | Left | Typed:
    """The nest with types, once nothing else is to be done."""
    ranks = dict(told.ranks)
    one_array = turned_back(nest, ranks) if told.plain else nest
    if one_array != nest:
        return Became(one_array)
    conditional = bool(nest.conditions) and not told.met
    if conditional or needed(nest, ranks, dict(told.calls)):
        if not told.plain:
            return _refusal(nest, Reason.WRONG_TYPE, "a subclass of numpy.ndarray as a whole")
        return Left("shapes")
    loops = any(isinstance(s, For) and s is not nest.loop for s in statements(nest.loop))
    if told.glanced and not loops:
        return _refusal(nest, Reason.NOT_ARRAY, "numbers and elements only")
    if isinstance(told.types, Refusal):
        return told.types
    types = told.types
    typed = infer(nest, dict(types.arrays), dict(types.numbers), dict(types.calls))
    if isinstance(typed, Refusal) and typed.reason is Reason.MIXED_TYPE:
        return Left("types", typed)
    return typed


def without_tuples(nest: Nest, held: dict[str, Held], nothing: frozenset[str]) -> Nest | Refusal:
    """`nest` without tuples, None and needless copies of scalars.

    Parameters
    ----------
    held
        What is known of live-in arrays and lists.
    nothing
        Live-ins that are None.
    """
    plain = tuples.apart(nest, held)
    return plain if isinstance(plain, Refusal) else _without_none(plain, nothing)


def _without_none(nest: Nest, nothing: frozenset[str]) -> Nest | Refusal:
    plain = absent.apart(nest, nothing) if nothing or absent.needed(nest) else nest
    return plain if isinstance(plain, Refusal) else propagated(plain)


def _became(nest: Nest | Refusal) -> Became | Refusal:
    return nest if isinstance(nest, Refusal) else Became(nest)


def _refusal(nest: Nest, reason: Reason, detail: str) -> Refusal:
    return Refusal(reason, Span(nest.file, nest.loop.line), detail)
