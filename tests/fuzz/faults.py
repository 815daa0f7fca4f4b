"""Faults that may be planted in autopar, at the seams between its functions.

A fault is a function that returns what to patch: owner, attribute, and what takes its place.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autopar import pipeline
from autopar.cpu import intrinsics, loops, machine, operands, scalar
from autopar.cpu.joins import JoinWriter
from autopar.cpu.writer import Value
from autopar.deps import analyse, relations
from autopar.deps.data import ALWAYS, NEVER, Private
from autopar.hook import rewrite
from autopar.nest import kinds
from autopar.nest.ir import Assign, Const
from autopar.nest.text import comprehensions, find
from autopar.nest.text.iteration import Iteration
from autopar.runtime import engine
from autopar.runtime.choice import choose, contents, cuts, decide, entered, interval, numbers
from autopar.runtime.run import joins
from autopar.runtime.run.launch import Launch
from autopar.runtime.run.transaction import Transaction
from autopar.runtime.stand_ins import tables
from autopar.runtime.values import attributes, lent
from autopar.runtime.values.facts import NO_ALIASES, Aliases
from autopar.runtime.values.lent import Lent
from autopar.runtime.values.lists import Lists
from autopar.runtime.values.mirrors import Copied
from autopar.sched import distribute, expand, reductions, sweeps, wavefront

Patch = tuple[Any, str, Any]
MUTATIONS: dict[str, Callable[[], Patch]] = {}


def _mutation(make: Callable[[], Patch]) -> Callable[[], Patch]:
    MUTATIONS[make.__name__.strip("_")] = make
    return make


def _without(function: Callable[..., Any], drop: Callable[[Any], bool]) -> Callable[..., Any]:
    """`function`, which yields, without what `drop` says."""
    return lambda *args: [item for item in function(*args) if not drop(item)]


# ---------------------------------------------------------------------------- dependences


@_mutation
def drop_true_dependences() -> Patch:
    drop = _without(analyse.dependences, lambda d: d.kind == "true")
    return analyse, "dependences", drop


@_mutation
def drop_anti_dependences() -> Patch:
    drop = _without(analyse.dependences, lambda d: d.kind == "anti")
    return analyse, "dependences", drop


@_mutation
def drop_output_dependences() -> Patch:
    drop = _without(analyse.dependences, lambda d: d.kind == "output")
    return analyse, "dependences", drop


@_mutation
def drop_conditional_dependences() -> Patch:
    """Those that exist for some parameters only."""
    drop = _without(analyse.dependences, lambda d: d.when.params)
    return analyse, "dependences", drop


@_mutation
def drop_control_dependences() -> Patch:
    return analyse, "control_dependences", lambda *args: ()


@_mutation
def drop_scalar_dependences() -> Patch:
    return analyse, "scalar_dependences", lambda *args: ()


@_mutation
def swap_direction() -> Patch:
    """Source and sink exchanged, within one iteration of all loops."""
    true = analyse.dependences

    def swapped(*args: Any) -> list[Any]:
        return [
            replace(d, source=d.sink, sink=d.source) if d.level is None else d for d in true(*args)
        ]

    return analyse, "dependences", swapped


@_mutation
def wrong_level() -> Patch:
    """Carried by the loop inside the one that carries it."""
    true = analyse.dependences

    def deeper(d: Any) -> Any:
        return replace(d, level=d.level + 1) if d.level and d.level < len(d.distance) else d

    return analyse, "dependences", lambda *args: [deeper(d) for d in true(*args)]


@_mutation
def forget_negative_differences() -> Patch:
    """Only one of the two orders in which a pair of accesses can meet."""
    true = relations._edge

    def forward(pair: Any, ahead: bool, *rest: Any) -> Any:
        return true(pair, ahead, *rest) if ahead else iter(())

    return relations, "_edge", forward


@_mutation
def all_in_bounds() -> Patch:
    return analyse, "in_bounds", lambda *args: ALWAYS


# ---------------------------------------------------------------------------- aliases


@_mutation
def ignore_aliases() -> Patch:
    return choose, "aliases", lambda *args: NO_ALIASES


@_mutation
def ignore_overlapping_views() -> Patch:
    true = choose.aliases
    return choose, "aliases", lambda *args: Aliases(same=true(*args).same)


@_mutation
def believe_wrapped_subscripts() -> Patch:
    """Accesses that may wrap around keep the subscripts that dependence analysis read."""
    true = decide.State._analyse

    def believing(self: Any, facts: Any) -> Any:
        return true(self, replace(facts, unreadable=frozenset()))

    return decide.State, "_analyse", believing


# ---------------------------------------------------------------------------- plan


@_mutation
def all_loops_parallel() -> Patch:
    return distribute._Scheduler, "_joined", lambda *args: ()


@_mutation
def groups_backwards() -> Patch:
    """The copies of a distributed loop in the wrong order."""
    true = distribute._Scheduler._groups
    return distribute._Scheduler, "_groups", lambda *args: true(*args)[::-1]


@_mutation
def groups_forget_scalars() -> Patch:
    """Statements that share a scalar in different copies of the loop."""
    return distribute._Scheduler, "_ties", lambda *args: ()


@_mutation
def statements_backwards() -> Patch:
    true = distribute._Scheduler._block
    return distribute._Scheduler, "_block", lambda *args: true(*args)[::-1]


@_mutation
def fuse_everything() -> Patch:
    """All copies of a distributed loop joined again, and called parallel."""

    def joined(self: Any, loop: Any, groups: Any, level: int) -> Any:
        return tuple(replace(part, parallel=True) for part in self._whole(loop, level, False))

    return distribute._Scheduler, "_apart", joined


@_mutation
def parts_from_the_value_before() -> Patch:
    """Each part of a sum starts from what it was before the loop."""
    return JoinWriter, "start", lambda *args: False


@_mutation
def what_goes_with_a_minimum_forgotten() -> Patch:
    """Scalars assigned beside a minimum are merged like any others."""
    true = reductions._guarded

    def alone(stmt: Any, scope: Any) -> Any:
        found = true(stmt, scope)
        return found and replace(found, taken=())

    return reductions, "_guarded", alone


@_mutation
def notes_in_one_place() -> Patch:
    """A scalar handed on to another loop as it was in the last iteration."""
    return expand, "turn", lambda loop: Const(0)


@_mutation
def notes_of_another_moment() -> Patch:
    """Notes made at the end of the iteration rather than where the reader stood."""
    true = expand.Expansion.pieces

    def late(self: Any, loop: Any, groups: Any, homes: Any) -> Any:
        paths = {t.path for t in self.made}
        made = true(self, loop, groups, homes)
        paths = {t.path for t in self.made} - paths

        def is_note(stmt: Any) -> bool:
            return isinstance(stmt, Assign) and getattr(stmt.target, "array", None) in paths

        return tuple(replace(piece, body=tuple(sorted(piece.body, key=is_note))) for piece in made)

    return expand.Expansion, "pieces", late


@_mutation
def everything_private() -> Patch:
    """Copies of arrays for each part of a loop, whatever its iterations read."""

    def none_shared(nest: Any, facts: Any, pairs: Any) -> Private:
        return Private((), tuple((*pair, NEVER) for pair in pairs))

    return pipeline, "private", none_shared


@_mutation
def parts_joined_backwards() -> Patch:
    """Of equal least values that of the last part is kept."""
    true = joins.chosen

    def backwards(reduction: Any, tags: Any, cells: Any, rows: range) -> Any:
        return true(reduction, tags, cells, rows[::-1])

    return joins, "chosen", backwards


@_mutation
def tiles_without_skew() -> Patch:
    """Loops in tiles, as if no dependence went back in the inner one."""
    true = wavefront._least
    return wavefront, "_least", lambda *args: max(true(*args) or 0, 0)


@_mutation
def sweeps_hand_on_to_neighbours() -> Patch:
    """Parts of a loop go through others alone although iterations hand on to others."""
    return sweeps, "stay", lambda deps, outer, inner: True


@_mutation
def cuts_one_late() -> Patch:
    """Loops cut one iteration after the place that separates their dependences."""
    true = cuts._at_places

    def late(crossings: Any, turns: Any, values: Any) -> Any:
        places, apart = true(crossings, turns, values)
        return [place + turns.step for place in places], apart

    return cuts, "_at_places", late


@_mutation
def cuts_at_any_variable() -> Patch:
    """Loops cut at a variable of a loop around although dependences lie on one side of it."""
    return cuts, "_beside", lambda crossing, outer, values: False


@_mutation
def strips_one_too_long() -> Patch:
    true = cuts._in_strips

    def longer(crossings: Any, turns: Any, values: Any) -> Any:
        lengths, apart = true(crossings, turns, values)
        return [length + turns.step for length in lengths], apart

    return cuts, "_in_strips", longer


@_mutation
def index_arrays_without_duplicates() -> Patch:
    return contents, "_distinct", lambda *args: True


@_mutation
def numbers_of_an_earlier_call() -> Patch:
    """Sizes in a proof are those of the first call."""
    true, first = numbers.Ration.numbers, {}

    def stale(self: Any, wanted: Any, env: Any) -> Any:
        return first.setdefault((id(self), wanted), true(self, wanted, env))

    return numbers.Ration, "numbers", stale


@_mutation
def closed_forms_one_late() -> Patch:
    """A stepped integer as it is after the first step."""
    true = entered.entered

    def late(values: Any, *rest: Any) -> Any:
        found = true(values, *rest)
        numbers = {k: v + 1 if k.endswith(" at entry>") else v for k, v in found.numbers.items()}
        return replace(found, numbers=numbers)

    return engine, "entered", late


# ---------------------------------------------------------------------------- kernels


@_mutation
def skip_bounds_checks() -> Patch:
    """Kernels believe every subscript, whatever the guard found."""
    true = pipeline.emit

    def trusting(typed: Any, plan: Any, options: Any) -> Any:
        return true(typed, plan, replace(options, inside=_Everything()))

    return pipeline, "emit", trusting


class _Everything(frozenset):  # type: ignore[type-arg]
    def __contains__(self, item: object) -> bool:
        return True

    def __or__(self, other: object) -> _Everything:  # type: ignore[override]
        return self


@_mutation
def contract_fma() -> Patch:
    """A product and a sum are rounded once, not twice."""
    return machine, "assemble", _assembling("contract")


@_mutation
def reassociate() -> Patch:
    """Sums are taken in whatever order is fastest."""
    return machine, "assemble", _assembling("fast")


def _assembling(liberty: str) -> Callable[[str], bytes]:
    """LLVM's compiler, given that liberty with all arithmetic of floats."""
    true = machine.assemble
    return lambda text: true(re.sub(r"= (fadd|fsub|fmul|fdiv) ", rf"= \1 {liberty} ", text))


@_mutation
def weak_floats_promote() -> Patch:
    """A Python float beside float32 computes in double, as before NumPy 2."""
    true = kinds.binary.__wrapped__

    def binary(op: str, left: str, right: str) -> Any:
        step = true(op, left, right)
        if {left, right} == {"np.float32", "float"} and step.out == "np.float32":
            return kinds.Step("float64", "np.float64")
        return step

    return kinds, "binary", functools.cache(binary)


@_mutation
def narrow_integers_stay_wide() -> Patch:
    """No wrap-around at the width of the dtype."""

    def wide(self: Any, expr: Any, left: Any, right: Any, a: str, b: str, *kind: Any) -> Any:
        return Value(f"({a} {expr.op} {b})", *kind)

    return scalar.ScalarWriter, "numpy_integer", wide


@_mutation
def unchecked_integers() -> Patch:
    """Python integers wrap at 64 bits."""
    signs = {"add": "+", "sub": "-", "mul": "*"}
    return scalar.ScalarWriter, "checked", lambda self, op, a, b: f"({a} {signs[op]} {b})"


@_mutation
def conversions_unchecked() -> Patch:
    """Python integers are stored in narrow elements as they come."""
    return scalar.ScalarWriter, "within", lambda self, value, low, high: None


@_mutation
def divide_as_c() -> Patch:
    """Integer quotients and remainders towards zero."""

    def floored(b: Any, op: str, x: Any, y: Any) -> Any:
        return b.sdiv(x, y) if op == "//" else b.srem(x, y)

    return operands, "_floored", floored


@_mutation
def remainder_as_c() -> Patch:
    """Remainders of floats with the sign of the dividend."""
    true = intrinsics.find
    return intrinsics, "find", lambda name: true("fmod_" if name == "float_mod" else name)


@_mutation
def zero_divisors_pass() -> Patch:
    """Python numbers divide by zero without an exception."""
    return scalar.ScalarWriter, "nonzero", lambda self, text, value, zero: text


@_mutation
def tags_all_python() -> Patch:
    """Live-out NumPy floats come back as Python's."""
    true = kinds.tag
    return kinds, "tag", lambda atom: true("float" if atom == "np.float64" else atom)


# ---------------------------------------------------------------------------- run time


@_mutation
def no_roll_back() -> Patch:
    return Transaction, "roll_back", lambda self: None


@_mutation
def always_rerunnable() -> Patch:
    """What was noticed half-way is named by a second run, over what the first has written."""
    return decide.State, "renewed", lambda self, *given: frozenset(self.written)


@_mutation
def claims_unproved() -> Patch:
    return interval, "holds", lambda claim, env: True


@_mutation
def no_last_value() -> Patch:
    return Launch, "_merge", lambda self, name, chunks: None


@_mutation
def first_value_instead_of_last() -> Patch:
    true = Launch._merge

    def first(self: Any, name: str, chunks: int) -> None:
        true(self, name, min(chunks, 1))

    return Launch, "_merge", first


@_mutation
def memo_without_shapes() -> Patch:
    """Answers are remembered by parameters and aliases only."""
    return engine, "Known", _forgetful(2)


@_mutation
def memo_without_numbers() -> Patch:
    return engine, "Known", _forgetful(1)


@_mutation
def memo_without_aliases() -> Patch:
    return engine, "Known", _forgetful(0)


def _forgetful(part: int) -> type:
    """The state of a type key, whose memo ignores a part of the question."""

    class Memo(dict):  # type: ignore[type-arg]
        def get(self, question: Any, default: Any = None) -> Any:
            return super().get(self.cut(question), default)

        def __setitem__(self, question: Any, answer: Any) -> None:
            super().__setitem__(self.cut(question), answer)

        def cut(self, question: Any) -> Any:
            return question[:part] + question[part + 1 :]

    class Known(engine.Known):
        def __init__(self, typed: Any) -> None:
            super().__init__(typed)
            self.memo = Memo()

    return Known


# ---------------------------------------------------------------------------- more than arrays


@_mutation
def lists_not_put_back() -> Patch:
    """Lists stay as they were before the nest."""
    return Lists, "put_back", lambda self: None


@_mutation
def every_element_put_back() -> Patch:
    """Elements that are as they were become numbers of the list's type all the same."""
    true = Copied.put_back

    def everything(self: Any) -> None:
        if self.mirror.stored is not None:
            self.mirror.stored.reshape(-1)[:] = True
        true(self)

    return Copied, "put_back", everything


@_mutation
def generators_not_moved_on() -> Patch:
    """What a nest has drawn is drawn again after it."""
    return Lent, "commit", lambda self: True


@_mutation
def second_of_a_pair_forgotten() -> Patch:
    """Of two normal numbers that are made at once, the second is made anew."""
    return lent, "_set_second", lambda owner, second: None


@_mutation
def attributes_without_a_question() -> Patch:
    """Whatever an object does when an attribute is assigned, and whoever else it is."""
    return attributes.Target, "refusal", lambda self, values, place: None


@_mutation
def keys_in_order() -> Patch:
    """The values of a dictionary, as if its keys were sorted."""
    true = tables.places
    return tables, "places", lambda keys: true(tuple(sorted(keys)))


@_mutation
def nothing_reversed() -> Patch:
    true = Iteration.ordered

    def forwards(self: Any, node: Any, found: Any, backwards: bool) -> Any:
        return true(self, node, found, False)

    return Iteration, "ordered", forwards


@_mutation
def conditions_of_comprehensions_ignored() -> Patch:
    true = comprehensions.loops

    def unfiltered(generators: Any, *rest: Any) -> Any:
        bare = [ast.comprehension(g.target, g.iter, [], g.is_async) for g in generators]
        return true(bare, *rest)

    return comprehensions, "loops", unfiltered


# ---------------------------------------------------------------------------- warnings


@_mutation
def warnings_not_repeated() -> Patch:
    return engine, "ring", lambda *args: None


@_mutation
def warnings_on_another_line() -> Patch:
    true = engine.ring

    def later(alarms: Any, *rest: Any) -> None:
        true([replace(alarm, line=alarm.line + 1) for alarm in alarms], *rest)

    return engine, "ring", later


@_mutation
def overflow_unnoticed() -> Patch:
    return scalar.ScalarWriter, "odd_if", lambda self, condition: None


@_mutation
def strips_not_put_back() -> Patch:
    """A strip that rang is run again on what it has made."""
    return loops.LoopWriter, "put_back", lambda self, strip: self.write("pass")


# ---------------------------------------------------------------------------- rewriting


@_mutation
def nothing_live() -> Patch:
    """Names that are assigned in a loop are taken to be of no use after it."""
    return find, "live_after", lambda scope: lambda loop, name: False


@_mutation
def unset_is_assigned() -> Patch:
    """A name that the nest left alone is assigned the mark for that."""
    wrong = rewrite._QUESTION.replace("{bind}", "{bind_all}")
    return rewrite, "_QUESTION", _Binding(wrong)


class _Binding(str):
    def format(self, **parts: Any) -> str:  # type: ignore[override]
        every = parts["bind"].replace("is not", "is not None or")
        return super().format(**parts, bind_all=every)
