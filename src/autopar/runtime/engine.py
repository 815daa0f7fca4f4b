"""What happens at a call of a site: facts, variant, guarded run, or a decline with its reason."""

from __future__ import annotations

import functools
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeAlias

from autopar import config, journal, pipeline
from autopar.kept import loaded
from autopar.kernel import Status, Watch
from autopar.nest.ir import Nest
from autopar.nest.kinds import atom_of
from autopar.nest.typed.told import Became, Left, Told, Types
from autopar.nest.typed.types import Typed
from autopar.nest.walking import expressions, statements, walk
from autopar.records import dataclass, replace
from autopar.runtime.aside import aside, ours, unnoticed
from autopar.runtime.background import BACKGROUND
from autopar.runtime.before import Before
from autopar.runtime.budget import BUDGET
from autopar.runtime.choice.choose import Chooser
from autopar.runtime.choice.entered import entered
from autopar.runtime.choice.shapes import Shapes, unmet
from autopar.runtime.choice.variants import Choice, Known
from autopar.runtime.measured import note
from autopar.runtime.patience import Spared
from autopar.runtime.process import UNSET, clock, deciding, user_globals
from autopar.runtime.recalled import Earlier, Found, looked_at
from autopar.runtime.run.alarms import errors as current_errors
from autopar.runtime.run.alarms import ring
from autopar.runtime.run.launch import reusable
from autopar.runtime.run.repeat import Repeat
from autopar.runtime.running import MAX_FAILURES, Runner, driver_inputs, undone
from autopar.runtime.site import Site
from autopar.runtime.stand_ins.added import Added, without_buckets
from autopar.runtime.stand_ins.added import Check as CheckRows
from autopar.runtime.stand_ins.drawn import Drawn, drawn_apart
from autopar.runtime.stand_ins.locals import fill, more_room, with_arrays, with_locals
from autopar.runtime.stand_ins.ragged import Ragged, without_ragged
from autopar.runtime.stand_ins.split import without_tuples_of_several_types
from autopar.runtime.stand_ins.tables import Check, NoRoom, Tables, may_want_room, without_dicts
from autopar.runtime.values.again import FLOATS, Seen, apart, owning
from autopar.runtime.values.answers import PLAIN, is_member
from autopar.runtime.values.facts import (
    NO_ALIASES,
    Reader,
    Values,
    aliases,
    plain,
    widened,
    with_types,
)
from autopar.runtime.values.generators import Drawing
from autopar.runtime.values.helpers import definition, plain_function
from autopar.runtime.values.lent import Lent
from autopar.runtime.values.lists import NO_LISTS, known_held
from autopar.runtime.values.mirrors import NotAlike, tuples_of_several_types
from autopar.runtime.values.mixed import Mixed
from autopar.runtime.values.paths import Said
from autopar.verdict import COPIES, Reason, Refusal, Refused, Span

if TYPE_CHECKING:
    from autopar.nest.calls.definition import Helper
    from autopar.runtime.objects import Objects

_MOST_REPLACED = 100  # nests, one after the other, each simpler than the one before
_MOST_BEFORE = 256  # calls that are remembered by what a glance shows of them
_MOST_STRANGE = 64  # after so many in a row that were not, nobody looks any more
_TIMES = 2  # AUTOPAR_DEBUG from which on the time of each run is told
AFTER, AGAIN = 8, 256
"""Calls that are repeated before the next are taken to be steady, and before they are again."""
_DEEPEST = 16  # calls of helper functions in one another


State: TypeAlias = (
    "Known | Refusal | Engine | Shapes[Engine] | Added[Engine] | Drawn[Engine] | Tables[Engine]"
    " | Ragged[Engine] | Objects"
)
"""What is known of a nest for one type key."""


@dataclass(frozen=True, slots=True)
class Written:
    """Calls of helper functions that have been written out.

    Attributes
    ----------
    rounds
        How often.
    codes
        The code of the functions.
    """

    rounds: int = 0
    codes: frozenset[CodeType] = frozenset()


_NOTHING = Written()


class Engine:
    """All calls of one site.

    Parameters
    ----------
    nest
        With calls of helper functions written out; None: as the user wrote it.
    written
        The calls in it that have been written out.
    met
        Whether the conditions of the nest have been looked at when it is asked.
    ragged
        Paths of lists that have turned out to have rows of several lengths; all engines of a site
        share them.
    replaced
        How many nests this one stands for.
    """

    def __init__(
        self,
        site: Site,
        nest: Nest | None = None,
        written: Written = _NOTHING,
        met: bool = False,
        ragged: set[str] | None = None,
        replaced: int = 0,
    ) -> None:
        assert replaced < _MOST_REPLACED, "nests that stand for one another without end"
        self.replaced = replaced
        self.site, self.met, self.written = site, met, written
        self.nest: Nest = loaded(site.spec.nest) if nest is None else nest
        self.outermost = ragged is None
        self.ragged: set[str] = set() if ragged is None else ragged
        self.reader = Reader(self.nest, self.ragged)
        # By type key; an engine for the nest without the calls of its helper functions.
        self.states: dict[Any, State] = {}
        # By what a glance shows of a call, and how many in a row were not among them.
        self.glance = self.reader.glance
        self.before: dict[Any, Earlier] = {}
        self.strange = 0
        self.asked = 0.0
        self.spared = Spared()
        assert site.record is not None
        self.chooser = Chooser(self.nest, site.record, Before(site.spec), site.patience)
        self.runner = Runner(site, self.nest, self.chooser)
        self.chooser.waiting.promised |= site.winner
        self.chooser.looked = bool(site.spec.members)  # without a device they would not be asked
        made = self.nest
        self.returns_arrays = bool(
            made.locals or made.turns or made.rows or made.bundles or made.absents or made.letters
        )
        if site.hunch is not None:
            self.chooser.waiting.waited_s = site.hunch.waited_s

    def refusal(self, reason: Reason, detail: str = "") -> Refusal:
        """A reason to leave the nest to the interpreter."""
        return self.chooser.refusal(reason, detail)

    def inner(self, nest: Nest, met: bool = False) -> Engine:
        """What runs `nest`, which stands for this one."""
        met = met or self.met
        return Engine(self.site, nest, self.written, met, self.ragged, self.replaced + 1)

    # ------------------------------------------------------------------ one call

    def call(
        self, roots: tuple[Any, ...], lent: Lent | None = None, said: Said | None = None
    ) -> tuple[Any, ...] | None:
        """See `Site.run`; what the nest draws from is `lent`, and what `roots` say is `said`."""
        while True:
            if said is None or said.roots is not roots:
                said = Said(roots)
            try:
                return self.answer(roots, lent, said)
            except NotAlike as found:
                if not self.outermost:
                    raise
                if found.depth != 2 or found.path in self.ragged:
                    return self.site.decline(replace(found.refusal, span=self.place))
                self.ragged.add(found.path)

    @property
    def place(self) -> Span:
        """Where the nest stands."""
        return Span(self.nest.file, self.nest.loop.line)

    def answer(
        self, roots: tuple[Any, ...], lent: Lent | None, said: Said
    ) -> tuple[Any, ...] | None:
        """The same; raises `NotAlike` where the rows of a list are of several lengths."""
        self.asked = clock()  # a thread that asks meanwhile makes a guess of it, no more
        errors, watched = current_errors()
        if watched is None:
            return self.site.decline(self.refusal(Reason.ERROR_STATE))
        state: State
        choice: Choice | Refusal | None = None
        again: Found | None = None
        repeat: Repeat | None = None
        values: Values | None = None
        made_s = 0.0
        try:
            glance = self.glance
            seen = glance.seen(said) if glance is not None and lent is None else None
            before = None if seen is None else self.recalled(seen, watched)
            said.passed.append(None if before is None else (self, glance, seen))
            if before is not None:
                state, again, seen = before
                if again is not None:
                    choice, repeat = again.choice, again.repeat
            else:
                key, values = self.reader.read(roots, said)
                if lent is not None:
                    values = replace(values, lent=lent)
                found = self.states.get(key)
                if found is None:
                    if not self.affords():
                        return self.site.decline(self.refusal(Reason.NOT_YET))
                    found = self.states[key] = self.learned(values)
                state = found
                if isinstance(state, Shapes):
                    state = state.engine(values)
                if isinstance(state, Known):
                    if state.extends:
                        values = self.extended(state, values)
                    choice = self.chooser.choose(state, values, watched)
                    if state.locals and values.lists.mirrors:
                        fill(values, self.nest)
                elif isinstance(state, Refusal):
                    choice = state
                elif isinstance(state, Tables | Ragged):
                    if self.spared.spares(self.asked) and not config.current().verify:
                        return self.site.decline(self.refusal(Reason.TOO_SMALL, COPIES))
                    roots = state.roots(roots, values)
                    made_s = clock() - self.asked
                    state = state.engine if isinstance(state, Ragged) else state
                if seen is not None and state is found:
                    self.note_seen(seen, watched, state, choice, values)
        except NotAlike:
            raise
        except Refused as refused:
            if isinstance(refused, Mixed) and not refused.paths <= self.reader.mixed.keys():
                self.reader.mixed |= dict.fromkeys(refused.paths, refused.pair)
                return self.call(roots, lent)
            refusal = refused.refusal
            if not refusal.span.line:
                refusal = replace(refusal, span=self.refusal(refusal.reason).span)
            return self.site.decline(refusal)
        except Exception as error:
            if not ours(error):
                raise
            return self.broken(error)
        if choice is None:  # what others raise is not ours to look into
            if isinstance(state, Added):
                assert values is not None
                rows = _check_rows() if config.current().verify else None
                return state.call(said, lent, values, rows)
            if isinstance(state, Drawn):
                assert values is not None
                return state.call(said, values)
            if isinstance(state, Tables | Engine):
                if isinstance(state, Engine):
                    results = state.call(roots, lent, said)
                else:
                    assert values is not None
                    check = _check() if config.current().verify else None
                    results = state.call(roots, lent, values, check)
                if made_s and results is None and self.site.reason is Reason.TOO_SMALL:
                    self.spared.made(made_s, clock())
                return results
            assert not isinstance(state, Known | Refusal | Shapes | Ragged)
            return state.call(roots, lent)
        if isinstance(choice, Refusal):
            if choice.reason is Reason.NOT_YET:
                self.site.pause = self.chooser.waitings.pause(clock() - self.asked)
            return self.site.decline(choice)
        assert isinstance(state, Known)
        if BACKGROUND.here:
            if values is not None:
                values.lists.prepare()
            return None  # the kernels are on disk
        settings = config.current()
        if seen is not None and values is None:
            if repeat is not None and not settings.verify and settings.debug < _TIMES:
                results = self.repeated(state, repeat, choice, seen, errors)
                repeat.times += 1
                if results is not None and repeat.times % AGAIN == AFTER and again is not None:
                    self.steady(state, repeat, again, said, errors)
                if results is not None:
                    return results
            values = self.values(seen)
        assert values is not None
        if settings.verify:
            from autopar.runtime.verify import verified

            run = functools.partial(self.run, state, choice, roots, values, errors)
            return verified(self.site, state.typed.nest, roots, values, run)
        return self.run(state, choice, roots, values, errors)

    def affords(self) -> bool:
        """Whether to learn something new of the nest, of which nobody may know how much it does."""
        unknown = self.site.unknown
        if unknown is None or unknown.affords(self.nodes):
            return True
        self.site.pause = unknown.pause(self.asked)
        return False

    @functools.cached_property
    def nodes(self) -> int:
        """How many statements and expressions there are in the nest."""
        inside = list(statements(self.nest.loop))
        tops = (top for stmt in inside for top in expressions(stmt))
        return len(inside) + sum(1 for top in tops for _ in walk(top))

    def learned(self, values: Values) -> State:
        """What is to be known of the nest for values like these."""
        began, space = clock(), user_globals(self.nest.file)
        found = aside(functools.partial(self.learn, values, space))
        seconds = clock() - began
        BUDGET.learned_s += seconds
        if self.site.unknown is not None:
            self.site.unknown.took(self.nodes, seconds)
        return found

    def extended(self, state: Known, values: Values) -> Values:
        """`values` with what the nest needs beside them."""
        if state.given:
            values = entered(values, state.given, self.nest)
        if state.weak:
            values = widened(values, state.weak)
        if state.mixed:
            values = with_types(values, state.mixed)
        if state.locals:
            values = with_locals(values, state)
        return values

    def recalled(
        self, seen: Seen, watched: Watch
    ) -> tuple[Known | Engine, Found | None, Seen] | None:
        """What was found at an earlier call that is asked the same; nothing else was read then.

        With it goes what is `seen`, with copies of index arrays, for kernels to read.
        """
        mark, arrays, numbers, functions = seen
        before = self.before.get((mark, watched))
        if before is None:
            return None
        self.strange = 0
        state = before.state
        if not isinstance(state, Known):
            return state, None, seen
        if before.forgotten != state.forgotten:
            self.before.pop((mark, watched), None)  # another thread may have done so
            return None
        alias = NO_ALIASES
        if not before.owning or not apart(arrays):
            alias = aliases(self.values(seen).arrays, state.written)
        found = before.choices.get(alias)
        if found is None or found.choice.variant.refusal is not None:
            return None
        read = found.read(arrays)
        if read is None:
            return None
        return state, found, (mark, read, numbers, functions)

    def values(self, seen: Seen) -> Values:
        """What the values of a call say that a glance is enough for."""
        glance = self.reader.glance
        assert glance is not None
        _, arrays, numbers, _ = seen
        named = dict(zip(glance.arrays, arrays, strict=True))
        return plain(named, dict(zip(glance.numbers, numbers, strict=True)))

    def note_seen(
        self,
        seen: Seen,
        watched: Watch,
        state: State,
        choice: Choice | Refusal | None,
        values: Values,
    ) -> None:
        """Keep what was found, where a glance shows all that it depends on."""
        if isinstance(state, Known):
            if not isinstance(choice, Choice):
                return  # it may still be too early for one
            more = self.returns_arrays or state.extends or state.same
            if more or not _settled(choice, values.numbers):
                self.glance = None
                return
            looked = looked_at(self.reader.glance, state.indices, seen, values.arrays)
            if looked is None:
                self.glance = None
                return
        elif not isinstance(state, Engine):
            self.glance = None
            return
        self.strange += 1
        if self.strange > _MOST_STRANGE:
            self.glance = None
            return
        mark = seen[0], watched
        before = self.before.get(mark)
        if before is None or before.state is not state:
            if len(self.before) >= _MOST_BEFORE:
                self.before.clear()
            before = self.before[mark] = Earlier(state, owning(seen[1]), seen[3])
        if isinstance(state, Known) and isinstance(choice, Choice):
            assert looked is not None
            alias = aliases(self.values(seen).arrays, state.written)
            if alias in before.choices or len(before.choices) < _MOST_BEFORE:
                repeat = self.repeat(choice, choice.values(values))
                before.choices[alias] = Found(choice, repeat, looked)

    def repeat(self, choice: Choice, values: Values) -> Repeat | None:
        """How `choice` runs the next time, where it can be the same again and is not waited for."""
        loaded, glance = choice.variant.loaded, self.reader.glance
        assert loaded is not None
        assert glance is not None
        if choice.variant.state.target is not None:
            return None
        timed = choice.vague > 0 and not choice.variant.parallel
        if timed or choice.may_be_long or not reusable(loaded.program):
            return None
        if any(type(values.numbers.get(path)) in FLOATS for path, _, _ in loaded.inputs):
            return None  # the next one may be another: a glance does not see which
        names = (*glance.arrays, *glance.numbers)
        inputs = driver_inputs(values, loaded.inputs)
        back = undone(loaded, choice, self.nest)
        try:
            return Repeat(loaded, names, choice.handed, inputs, back, choice.extents, choice.swift)
        except KeyError:
            return None

    def repeated(
        self,
        state: Known,
        repeat: Repeat,
        choice: Choice,
        seen: Seen,
        errors: dict[str, str],
    ) -> tuple[Any, ...] | None:
        """Run the kernels as at the last call; None where that is another matter after all.

        Then nothing has been changed that cannot be computed again.
        """
        variant = choice.variant
        if variant.instead is not None:
            return None
        before = clock()
        _, arrays, numbers, _ = seen
        threads = choice.threads if choice.contest is None else choice.contest.now
        try:
            launch = repeat.run((*arrays, *numbers), threads)
        except MemoryError:
            return None  # there is no more room for it in the long way round, which says so
        if launch is None:
            return None
        self.runner.done(state, choice, variant, clock() - before)
        if launch.rang:
            ring(launch.alarms(), self.nest.file, errors)
        results = launch.results()
        launch.release()
        return results

    def steady(
        self,
        state: Known,
        repeat: Repeat,
        found: Found,
        said: Said,
        errors: dict[str, str],
    ) -> None:
        """Have calls like this one run at once from now on, where nothing speaks against it."""
        # Imported here: few programs come that far.
        from autopar.runtime.steady import Odd, Steady, certain

        site, settings = self.site, config.current()
        if not certain(found.choice) or settings.verbose >= _TIMES or None in said.passed:
            return
        if said.passed[0][0] is not site.engine:
            return  # which hands over something else than the site is handed
        passed = [(glance, seen) for _, glance, seen in said.passed]
        try:
            site.steady = Steady(
                site, passed, said.roots, state, found, repeat, self.runner, errors
            )
        except Odd:
            pass
        except Exception as error:  # this call has its results, and the next ones do without
            if not ours(error):
                raise
            journal.trace(error)

    def broken(self, error: Exception) -> tuple[Any, ...] | None:
        """Leave all calls to Python after an error of ours, which must not become the user's."""
        journal.trace(error)
        line = f"{type(error).__name__}, see AUTOPAR_DEBUG=1"
        return self.site.decline(self.refusal(Reason.INTERNAL, line), forever=True)

    def learn(self, values: Values, space: dict[str, Any]) -> State:
        """Type the nest for a new type key; `space` has the names of the user's module."""
        with deciding, unnoticed():  # a fork waits for what is imported
            found = self.first_step(values, space)
        if not BUDGET.asked:
            BUDGET.asked = True
            note("start_s", clock() - self.site.began)
        return found

    def first_step(self, values: Values, space: dict[str, Any]) -> State:
        """The same, by one thread at a time."""
        try:
            self.reader.builtins(values)
        except Refused as refused:
            return refused.refusal
        unset = frozenset(path for path, one in values.numbers.items() if one is UNSET)
        if unset:
            valued = pipeline.valued(self.nest, unset)
            return valued if isinstance(valued, Refusal) else self.inner(valued)
        calls = values.calls.items()
        helpers = {path: f for path, f in calls if plain_function(f) and not _whole(f)}
        if helpers:
            return self.written_out(helpers, values, space)
        step = pipeline.learned(self.nest, self.told(values))
        match step:
            case Typed():
                return Known(step, config.current().target)
            case Became(nest, met):
                return self.inner(nest, met)
            case Left(what, refusal):
                return self.further(what, refusal, values)
        return step

    def told(self, values: Values) -> Told:
        """What `values` tell."""
        types: Types | Refusal
        try:
            arrays, atoms, calls = self.reader.types(values)
            types = Types(tuple(arrays.items()), tuple(atoms.items()), tuple(calls.items()))
        except Refused as refused:
            types = refused.refusal
        numbers = values.numbers.items()
        atom = ((path, atom_of(one)) for path, one in numbers)
        members: dict[int, int] = {}
        functions = values.calls.items()
        return Told(
            types=types,
            ranks=tuple((path, array.ndim) for path, array in values.arrays.items()),
            plain=values.plain,
            listed=tuple(values.lists.depths.items()),
            tables=values.lists.tables,
            atoms=tuple((path, name) for path, name in atom if name is not None),
            nothing=frozenset(path for path, one in numbers if one is None),
            comparable=frozenset(path for path, one in numbers if type(one) in PLAIN),
            members=tuple(
                (path, members.setdefault(id(one), len(members)))
                for path, one in numbers
                if is_member(one)
            ),
            calls=tuple((p, f.name if type(f) is Drawing else f) for p, f in functions),
            texts=values.texts,
            answers=tuple(values.answers.items()),
            buckets=bool(values.buckets),
            draws=any(type(f) is Drawing for _, f in functions),
            dicts=bool(values.dicts),
            ragged=bool(values.ragged),
            met=self.met,
            glanced=self.site.glance is not None,
        )

    def further(self, what: str, refusal: Refusal | None, values: Values) -> State:
        """The step that depends on more than types."""
        if what == "buckets":
            return without_buckets(self.nest, values, self.inner)
        if what == "draws":
            return drawn_apart(self.nest, values, self.inner)
        if what == "dicts":
            return without_dicts(self.nest, values, self.reader.written, self.inner)
        if what == "ragged":
            paths = tuple(sorted(values.ragged))
            widths = {path: tuples_of_several_types(values.ragged[path]) for path in paths}
            widths = {path: width for path, width in widths.items() if width}
            if widths:  # the others are met again in the nest without these
                written = tuple(self.reader.written)
                return without_tuples_of_several_types(self.nest, widths, written, self.inner)
            return without_ragged(self.nest, paths, tuple(self.reader.written), self.inner)
        if what == "shapes":
            return Shapes(self.nest, lambda nest: self.inner(nest, met=True))
        if what == "tuples":
            held = known_held(values.arrays, values.lists)
            nothing = frozenset(path for path, one in values.numbers.items() if one is None)
            plain = pipeline.without_tuples(self.nest, held, nothing)
            return plain if isinstance(plain, Refusal) else self.inner(plain)
        assert refusal is not None, what
        from autopar.nest.typed.types import after_loops

        types = self.reader.types(values)
        other = after_loops(self.nest, *types, lambda one: unmet((one,), values) is None)
        return refusal if other.loop == self.nest.loop else self.inner(other, met=True)

    def flat(self) -> Objects | None:
        """What runs the loop with the methods that it calls written out, where that may be."""
        # Imported here: most programs have no such loops.
        from autopar.runtime.objects import Objects, may_be_flat

        return Objects(self.site) if not self.written.rounds and may_be_flat(self.site) else None

    def written_out(
        self, functions: dict[str, Any], values: Values, space: dict[str, Any]
    ) -> Refusal | Engine | Objects:
        """An engine for the nest with the calls of these functions written out."""
        codes = {path: _code(function) for path, function in functions.items()}
        again = frozenset(path for path, code in codes.items() if code in self.written.codes)
        if again:
            from autopar.nest.calls.recursion import bounded

            nearer = bounded(self.nest, again, values.numbers)
            if nearer is not self.nest:
                return self.inner(nearer)
        found: dict[str, Helper] = {}
        for path, function in functions.items():
            name = path.rpartition(">.")[2]
            one = definition(function, self.nest.file, space)
            if isinstance(one, Refusal):
                flat = self.flat()
                if flat is not None:
                    return flat
                line = f"line {one.span.line}: " if one.span.file == self.nest.file else ""
                return self.refusal(Reason.CALL, f"{name}(…): {line}{one.text}")
            if self.written.rounds == _DEEPEST:
                return self.refusal(Reason.CALL, f"{name}(…) calls itself, or others too deep")
            found[path] = one
        draws = frozenset(path for path, f in values.calls.items() if type(f) is Drawing)
        nest = pipeline.inlined(self.nest, found, draws)
        if isinstance(nest, Refusal):
            flat = self.flat()
            if flat is not None:
                return flat
            return nest
        done = self.written
        written = Written(done.rounds + 1, done.codes.union(codes.values()))
        return Engine(self.site, nest, written, self.met, self.ragged, self.replaced + 1)

    # ------------------------------------------------------------------ running

    def run(
        self,
        state: Known,
        choice: Choice,
        roots: tuple[Any, ...],
        values: Values,
        errors: dict[str, str],
    ) -> tuple[Any, ...] | None:
        """Run the kernels; None, with every array as before, when they give up."""
        before = clock()
        if choice.handed:
            values = choice.values(values)
        try:
            variant, status, launch = self.runner.performed(state, choice, values)
        except MemoryError:
            return self.site.decline(self.refusal(Reason.NO_MEMORY))
        if status == Status.FAILED and launch is not None and more_room(state):
            return self.call(roots, values.lent)
        if status == Status.FAILED and may_want_room(values, self.reader.written):
            raise NoRoom
        if status:
            variant.failures += 1
            alarmed = status == Status.ALARMED
            refusal = self.refusal(Reason.WARNING if alarmed else Reason.FAILED_INSIDE)
            if launch is None:
                refusal = self.refusal(Reason.DEVICE, self.runner.unmoved)
            if variant.failures >= MAX_FAILURES:
                choice.variant.refusal = refusal
            return self.site.decline(refusal)
        assert launch is not None
        seconds = clock() - before
        if config.current().debug >= _TIMES:
            journal.debug(2, f"{self.chooser.place}: run in {seconds:.6f} s")
        if values.lists is not NO_LISTS:
            values.lists.put_back()
        self.runner.done(state, choice, variant, seconds)
        if choice.length is not None and choice.length.took(seconds):
            self.before.clear()  # such calls may be repeated from now on
        if launch.noted:
            ring(launch.alarms(), self.nest.file, errors)
        if launch.timed:
            self.runner.timed(launch, clock() - self.asked)
            self.site.might_s = choice.vague
        results = launch.results()
        if self.returns_arrays:
            results = with_arrays(results, state, values)
        if launch.reusable:
            launch.release()
        return results


def _settled(choice: Choice, numbers: dict[str, Any]) -> bool:
    """Whether no float has to be looked at before it becomes a scalar of the nest."""
    assert choice.variant.loaded is not None
    slots = choice.variant.loaded.program.slots
    return all(dtype == "float64" for name, dtype in slots if type(numbers.get(name)) in FLOATS)


def _code(function: Any) -> CodeType:
    plain = plain_function(function)
    assert plain is not None
    return plain.__code__


def _check() -> Check:
    from autopar.runtime.verify import check_tables

    return check_tables


def _check_rows() -> CheckRows:
    from autopar.runtime.verify import check_rows

    return check_rows


def _whole(function: Any) -> bool:
    """Whether it is a function of NumPy's, in Python, that is known for whole arrays."""
    from autopar.nest.arrays.library import known

    return known(function)
