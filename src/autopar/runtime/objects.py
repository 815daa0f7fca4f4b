"""A loop that calls methods of the user's objects: a nest for those of a call, and its run."""

from __future__ import annotations

import ast
import functools
import pickle
from collections.abc import Sequence
from typing import Any

from autopar import journal
from autopar.nest.bound import stored
from autopar.nest.ir import Nest
from autopar.nest.text.lift import lift, lift_run
from autopar.nest.text.methods import calling, on_lines
from autopar.nest.trees import every
from autopar.records import dataclass, replace
from autopar.runtime.aside import aside
from autopar.runtime.before import Before
from autopar.runtime.flat.calls import flattened
from autopar.runtime.flat.scene import Changed, Scene, Seen, Source, Thing, look, seen_now
from autopar.runtime.flat.text import Final, Member, Value
from autopar.runtime.process import UNSET, user_globals
from autopar.runtime.site import Site
from autopar.runtime.values.lent import Lent
from autopar.site_spec import SiteSpec
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST = 4  # ways that the objects of one loop may differ


@dataclass(frozen=True, slots=True)
class Last:
    """The variable of the loop: what its last item has at these places.

    Attributes
    ----------
    sequences
        Names of what the loop goes through together.
    which
        The one that has the item.
    places
        Of the variable in the item.
    """

    sequences: tuple[str, ...]
    which: int
    places: tuple[int, ...]


class Objects:
    """What stands for the engine of a loop that calls methods."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.before: Before | None = Before(site.spec)  # until it is noted
        self.made: list[Flat] = []
        self.refused: dict[Any, Refusal] = {}

    def call(self, roots: tuple[Any, ...], lent: Lent | None = None) -> tuple[Any, ...] | None:
        """See `Site.run`."""
        assert lent is None
        for flat in self.made:
            try:
                seen = seen_now(flat.checks, roots)
            except (Changed, Refused):
                continue
            results = flat.call(self.site, seen)
            if results is not None and self.before is not None:
                self.before.note()
                self.before = None
            return results
        kinds = tuple(map(type, roots))
        refusal = self.refused.get(kinds)
        if refusal is None:
            if len(self.made) == _MOST or len(self.refused) == _MOST:
                where = Span(self.site.spec.file, self.site.spec.line)
                refusal = Refusal(Reason.CALL, where, "methods of too many different objects")
                return self.site.decline(refusal, forever=True)
            space = user_globals(self.site.spec.file)  # another thread has other frames
            made = functools.partial(_made, self.site, roots, space)
            found = aside(lambda: self.site.started(made))
            if found is None:
                return None
            if isinstance(found, Flat):
                self.made.append(found)
                return found.call(self.site, seen_now(found.checks, roots))
            refusal = self.refused[kinds] = found
        return self.site.decline(refusal)


def may_be_flat(site: Site) -> bool:
    """Whether the methods that a loop calls may be written out in its text."""
    stmts = ast.parse(site.spec.text).body
    live = site.spec.live_out
    if site.spec.flat or len(stmts) != 1 or any(not name.isidentifier() for name in live):
        return False
    return calling(stmts[0], live.__contains__) is not None


def _made(site: Site, roots: tuple[Any, ...], space: dict[str, Any]) -> Flat | Refusal:
    """The nest for objects like these, or why there is none."""
    spec = site.spec
    (loop,) = ast.parse(spec.text).body
    assert isinstance(loop, ast.For)
    on_lines(loop, spec.line, spec.lines)
    names = spec.roots
    try:
        stmts, finals, made = flattened(
            loop, names, spec.live_out, (spec.file, space), functools.partial(Scene, roots)
        )
    except Refused as refused:
        return refused.refusal
    if not stmts:  # all that it does is to give attributes values that are known
        return Refusal(Reason.TOO_SMALL, Span(spec.file, spec.line), "")
    assigned = stored(stmts)
    lasts = _lasts(stmts, finals)
    named = (_index(final.value) for final in finals)
    wanted = {node.id for node in named if isinstance(node, ast.Name) and node.id not in lasts}
    items = {name: made.items[name] for name in wanted & made.items.keys()}
    wanted = wanted - items.keys() | {place for _, place in items.values()}
    wanted |= {final.ran for final in finals if final.ran is not None}
    text = "\n".join(map(ast.unparse, stmts))
    journal.debug(3, f"{spec.file}:{spec.line} with methods written out:\n{text}")
    match stmts:
        case [ast.For() as only]:
            nest = lift(only, spec.file, spec.function, wanted.__contains__)
        case _:
            nest = lift_run(stmts, spec.file, spec.function, wanted.__contains__)
    if isinstance(nest, Refusal):
        return nest
    nest = replace(nest, elsewhere=made.elsewhere)
    sources: list[Source] = []
    for name in nest.roots:
        source = made.sources.get(name)
        if source is None:
            if name not in names:
                return Refusal(Reason.UNBOUND, Span(spec.file, spec.line), name)
            source = "root", names.index(name)
        sources.append(source)
    inner = _inner(site, nest, text)
    checks = tuple(made.scene.checks)
    places = made.sources
    given = frozenset(made.scene.given)
    return Flat(inner, checks, tuple(sources), places, tuple(finals), assigned, lasts, items, given)


def _inner(site: Site, nest: Nest, text: str) -> Site:
    """What runs `nest`, as if it were `site`."""
    spec = SiteSpec(
        file=site.spec.file,
        line=site.spec.line,
        function=site.spec.function,
        roots=nest.roots,
        live_out=nest.handed,
        nest=pickle.dumps(nest, protocol=pickle.HIGHEST_PROTOCOL),
        text=text,
        parent=None,
        flat=True,
    )
    others = list(site.children)
    inner = Site(spec, site)
    site.children[:] = others  # it is no loop of the user's
    inner.children = site.children
    inner.record, inner.winner = site.record, site.winner
    return inner


def _lasts(stmts: Sequence[ast.stmt], finals: Sequence[Final]) -> dict[str, Last]:
    """Variables of the loop that are items of lists, and are not assigned in it."""
    match stmts:
        case [ast.For(target=target, iter=ast.Name(id=name))]:
            pairs: list[tuple[tuple[str, ...], int, ast.expr]] = [((name,), 0, target)]
        case [
            ast.For(target=ast.Tuple(elts=elts), iter=ast.Call(func=ast.Name(id="zip"), args=args))
        ] if len(elts) == len(args) and all(isinstance(arg, ast.Name) for arg in args):
            ids = tuple(arg.id for arg in args if isinstance(arg, ast.Name))
            pairs = [(ids, k, part) for k, part in enumerate(elts)]
        case _:
            return {}
    assert isinstance(stmts[0], ast.For)
    inside = stored(stmts[0].body)
    written = {
        node.value.id
        for node in every(stmts[0])
        if isinstance(node, ast.Subscript | ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (not isinstance(node.ctx, ast.Load) or isinstance(node, ast.Attribute))
    }
    found: dict[str, Last] = {}
    for ids, which, part in pairs:
        if inside & {*ids} or written & {*ids}:
            return {}
        for name, places in _places(part, ()):
            if name not in inside:
                found[name] = Last(ids, which, places)
    needed = {final.value.id for final in finals if isinstance(final.value, ast.Name)}
    return {name: last for name, last in found.items() if name in needed}


def _places(target: ast.expr, around: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
    if isinstance(target, ast.Name):
        return [(target.id, around)]
    assert isinstance(target, ast.Tuple)
    return [one for k, part in enumerate(target.elts) for one in _places(part, (*around, k))]


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """The nest for objects of some classes.

    Attributes
    ----------
    inner
        Runs it.
    checks
        What must be true of the objects.
    sources
        Where the values of its roots are found.
    places
        Where the value of each name from outside is found.
    finals
        What the names and attributes of the user's are in the end.
    assigned
        Names that the nest assigns.
    lasts
        Variables of the loop whose last value is an item of a list.
    items
        Names of such items within it: the list, and the name that says which.
    given
        Attributes of objects in lists that it may assign.
    """

    inner: Site
    checks: tuple[tuple[Any, ...], ...]
    sources: tuple[Source, ...]
    places: dict[str, Source]
    finals: tuple[Final, ...]
    assigned: frozenset[str]
    lasts: dict[str, Last]
    items: dict[str, tuple[str, str]]
    given: frozenset[str]

    def call(self, site: Site, seen: Seen) -> tuple[Any, ...] | None:
        """Run it on the objects that were `seen`; see `Site.run`."""
        inner = self.inner
        inner.record, inner.began, inner.unknown = site.record, site.began, site.unknown
        try:
            values = tuple([look(source, seen) for source in self.sources])
            given = dict(zip(inner.spec.roots, values, strict=True))
            held = {name: self.last(last, given) for name, last in self.lasts.items()}
            for final in self.finals:
                value = _index(final.value)
                if isinstance(value, ast.Name) and value.id not in self.assigned:
                    held[value.id] = look(self.places[value.id], seen)
        except Refused as refused:
            refusal = refused.refusal
            return site.decline(
                Refusal(refusal.reason, Span(site.spec.file, site.spec.line), refusal.detail)
            )
        columns = [
            (*source[1:], value, value.copy())
            for source, value in zip(self.sources, values, strict=True)
            if source[0] == "each" and source[2] in self.given
        ]
        results = inner.ask(values)
        site.reason, site.lost_s, site.might_s = inner.reason, inner.lost_s, inner.might_s
        site.pause, inner.pause = inner.pause, 0
        site.saved_s = inner.saved_s
        inner.lost_s = 0.0
        if results is None:
            return None
        held |= dict(zip(inner.spec.live_out, results, strict=True))
        for name, (path, place) in self.items.items():
            held[name] = UNSET if held[place] is UNSET else given[path][held[place]]
        for number, attribute, now, before in columns:
            for thing, value, old in zip(seen.crowds[number], now, before, strict=True):
                if value is not old:
                    setattr(thing, attribute, value)
        return self.finished(site, seen, held)

    def last(self, last: Last, given: dict[str, Any]) -> Any:
        """The last value of a variable of the loop; raises `Refused`."""
        sequences = [given[name] for name in last.sequences]
        if any(type(one) not in (list, tuple) for one in sequences):
            raise _odd(last.sequences[last.which])
        count = min(map(len, sequences))
        if not count:
            return UNSET
        value = sequences[last.which][count - 1]
        for place in last.places:
            if type(value) is not tuple:
                raise _odd(last.sequences[last.which])
            value = value[place]
        return value

    def finished(self, site: Site, seen: Seen, held: dict[str, Any]) -> tuple[Any, ...]:
        """Assign the attributes; the final values of the site's names."""
        things = seen.things
        names: dict[str, Any] = {}
        for final in self.finals:
            if final.ran is not None and held[final.ran] is UNSET:
                continue
            match final.value:
                case ast.Name(id=name):
                    value = held.get(name, UNSET)
                case ast.Constant(value=literal):
                    value = literal
                case Thing(number=number):
                    value = things[number]
                case Member(crowd=crowd, index=ast.Constant(value=int(place))):
                    value = seen.crowds[crowd.number][place]
                case Member(crowd=crowd, index=ast.Name(id=name)):
                    place = held.get(name, UNSET)
                    value = UNSET if place is UNSET else seen.crowds[crowd.number][place]
                case other:
                    value = getattr(other, "value", None)
            if isinstance(final.target, str):
                names[final.target] = value
            elif value is not UNSET:
                number, attribute = final.target
                setattr(things[number], attribute, value)
        return tuple(names.get(name, UNSET) for name in site.spec.live_out)


def _index(value: Value) -> Value:
    """What says which value it is in the end, of what a name means."""
    return value.index if isinstance(value, Member) else value


def _odd(name: str) -> Refused:
    return Refused(Refusal(Reason.NOT_ARRAY, Span("", 0), f"the items of {name}"))
