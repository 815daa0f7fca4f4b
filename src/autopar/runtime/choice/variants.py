"""What is known of the nest for one type key: ways to run it, and what was chosen before."""

from __future__ import annotations

import math
from typing import Any

from autopar import pipeline
from autopar.config import Target
from autopar.deps.data import Facts, Group
from autopar.kernel import EmitOptions, Loaded, Program
from autopar.nest.ir import For, Name, Stmt
from autopar.nest.kinds import is_python
from autopar.nest.typed.types import Typed
from autopar.records import dataclass, field, replace
from autopar.runtime.choice.contents import Interest
from autopar.runtime.choice.contest import Alone, Contest
from autopar.runtime.choice.decide import State, remembered
from autopar.runtime.choice.lasting import Lasting, idle
from autopar.runtime.choice.outline import Outline, has_whiles, outline, written_out
from autopar.runtime.choice.waiting import Work
from autopar.runtime.values.facts import Values
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Plan, statement
from autopar.verdict import Refusal

_MEMO_SIZE = 256


@dataclass(slots=True)
class Variant:
    """One way to run the nest; `refusal` is set once it is known not to work.

    Its text comes first, and `loaded` once the guard has chosen it: compiling is what takes time.
    `key` says what its plan was made of, and `state` of which nest.
    `instead` is set once it could not say what a call needed, and then runs in its place: a
    variant that names warnings, or one that keeps the source order of a reduction.
    `sources` are its kernels for a device, or why there are none, once that is known, and `ready`
    the same once the device has them; `left` counts the runs that a device left to the CPU, and
    `why` is the reason for the last of them.
    `contests` says on how many threads it runs best, by the logarithm of the work of a call.
    """

    plan: Plan
    key: Any
    options: EmitOptions
    program: Program | None
    refusal: Refusal | None
    state: Known
    loaded: Loaded | None = None
    failures: int = 0
    instead: Variant | None = None
    contests: dict[int, Contest] = field(default_factory=dict)
    sources: Any = None
    ready: Any = None
    left: int = 0
    why: str = ""

    @property
    def parallel(self) -> bool:
        """Whether it launches a parallel loop: not all that a plan allows is launched."""
        return self.program is not None and any(k.parallel for k in self.program.kernels)


class Length:
    """How long runs take that may be long, for all that is known before them.

    Attributes
    ----------
    bounded
        Whether no run takes much longer than another: nothing but the sizes decides how often loops
        run.
    short
        Whether a run has shown that they are over soon.
    """

    __slots__ = ("bounded", "short")

    def __init__(self, bounded: bool) -> None:
        self.bounded, self.short = bounded, False

    def took(self, seconds: float) -> bool:
        """Note a run; whether it is the one that has shown that they are over soon."""
        turned = self.bounded and not self.short and seconds < MACHINE.patient_s
        self.short |= turned
        return turned


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do for one question.

    Attributes
    ----------
    variant
        What to run.
    threads
        On how many threads this call is worth running.
    renewed
        Arrays that need not be as before for the nest to be run again: of what it writes there it
        reads nothing, or only what it has written before.
    length
        Of runs that may take so long that Ctrl-C must reach them.
    extents
        Path, dtype and shape of the plan's temporaries.
    vague
        Where the nest may do far less than was estimated, since it can be left early or nobody
        knows how often a loop runs: what it would take the interpreter, in seconds; else 0.
    interpreted_s
        What it is likely to take the interpreter, in seconds; infinite where nobody can know.
    brief
        Whether that is so little that kernels may well take longer.
    watched
        Whether that may be less than a call of kernels takes.
    handed
        Numbers that only the plan knows: where its loops are cut.
    expected_s
        What a run of the kernels is likely to take.
    swift
        Whether each of its launches is likely to be over too soon to be cut into many parts.
    contest
        Where the number of threads is tried out.
    alone
        Where it is tried out whether one kernel on one thread is faster than all of that.
    doubt_s
        A run in order that takes longer than this would be faster on several threads.
    """

    variant: Variant
    threads: int
    renewed: frozenset[str]
    length: Length | None
    extents: tuple[tuple[str, str, tuple[int, ...]], ...]
    handed: tuple[tuple[str, int], ...] = ()
    vague: float = 0.0
    interpreted_s: float = math.inf
    brief: bool = False
    watched: bool = False
    expected_s: float = 0.0
    swift: bool = False
    contest: Contest | None = None
    alone: Alone | None = None
    doubt_s: float = math.inf

    @property
    def may_be_long(self) -> bool:
        """Whether the next run may take so long that Ctrl-C must reach it."""
        return self.length is not None and not self.length.short

    def values(self, values: Values) -> Values:
        """`values` with what is handed to the plan."""
        if not self.handed:
            return values
        return replace(values, numbers={**values.numbers, **dict(self.handed)})


class Known(State):
    """Everything for one type key."""

    def __init__(self, typed: Typed, target: Target | None = None) -> None:
        super().__init__(typed, target)
        self.elsewhere: Known | None = None  # the same for a GPU that is there to be chosen
        self.barred = False  # whether it has turned out that none is
        self.seen = {loop.id: loop for loop in self.loops}  # their ranges in terms of live-ins
        self.outline = outline((self.typed.nest.loop,), seen=self.seen, kernel=True)
        python = of_python(self.typed)
        self.interpreted = outline(
            (self.typed.nest.loop,), numpy=True, seen=self.seen, python=python
        )
        self.operations = written_out(outline((self.typed.nest.loop,), seen=self.seen))
        self.unending = has_whiles(self.outline)
        counters = {loop.var for loop in self.loops}
        self.triangular = any(
            isinstance(loop.stop, Name) and loop.stop.id in counters for loop in self.loops
        )
        self.arrangements: dict[object, Known] = {}
        self.plain: Known | None = None  # the nest as it stands, where this one is in blocks
        self.arranged = remembered(self._arranged)
        self.trails = remembered(self._trails)
        self.trailing = remembered(self._trailing)
        self.pace = 1.0  # how many times longer kernels take than was guessed
        self.forgotten = 0  # times that all was to be decided anew
        self.slow_s = 0.0  # that runs in order have taken longer than they should
        self.variants: dict[Any, Variant] = {}
        self.lonely: dict[int, Alone] = {}  # by the logarithm of the work of a call
        self.served: set[int] = set()  # the same of calls that have got kernels
        # By question: what to run, a reason, what a nest does that is too small, or that the
        # question has another part, what index arrays hold.
        self.memo: dict[Any, Choice | Refusal | Work | Interest] = {}
        # By question without the numbers that may change; None: it has been asked once.
        self.idle = idle(self)
        self.steady_ints = tuple(path for path in self.ints if path not in self.idle)
        self.lasting: dict[Any, Lasting | Work | None] = {}

    @property
    def ready(self) -> bool:
        """Whether there are kernels of the nest."""
        states = (self, *self.arrangements.values())
        return any(v.loaded is not None for state in states for v in state.variants.values())

    def _arranged(self, facts: Facts) -> Known | None:
        """The nest in panels of columns or blocks of pivots, if its dependences allow that."""
        if self.extends or self.indices:
            return None
        panels = pipeline.panels(self.typed) if self.triangular else None
        if panels and pipeline.in_columns(panels.nest, facts, panels.columns, panels.cells):
            return self.arrangement("panels", panels.typed)
        form = pipeline.pivots(self.typed) if self.target is None else None
        if form is None:
            return None
        copied = pipeline.copied_pivots(self.typed.nest, facts, form)
        if copied is None:
            return None
        return self.arrangement(copied, pipeline.in_blocks(self.typed, copied))

    def _trails(self, facts: Facts) -> tuple[Group, ...]:
        """Groups of loops that may trail one another."""
        if self.extends or self.indices or self.target is not None:
            return ()
        return pipeline.trails(self.typed, facts)

    def _trailing(self, groups: tuple[Group, ...], block: int) -> Known:
        """The nest with these in blocks of so many rows."""
        return self.arrangement((groups, block), pipeline.trailing(self.typed, groups, block))

    def arrangement(self, key: object, typed: Typed) -> Known:
        """What is known of `typed`, which is the nest in blocks."""
        found = self.arrangements.get(key)
        if found is None:
            found = self.arrangements[key] = Known(typed, self.target)
            found.plain = self
        return found

    def beside(self, plan: Plan) -> Outline:
        """What `plan` does but for products of matrices."""
        rest = tuple(map(_without_products, map(statement, plan.body)))
        return outline(rest, seen=self.seen, kernel=True)

    def remember(self, question: Any, answer: Choice | Refusal | Work | Interest) -> None:
        """Keep `answer`; after too many, start again."""
        if len(self.memo) >= _MEMO_SIZE:
            self.memo.clear()
        self.memo[question] = answer

    def forget(self) -> None:
        """Decide anew for all calls to come."""
        self.forgotten += 1
        self.memo.clear()
        self.lasting.clear()

    def outlasting(self, question: Any, answer: Lasting | Work | None) -> None:
        """The same for what outlasts numbers."""
        if len(self.lasting) >= _MEMO_SIZE:
            self.lasting.clear()
        self.lasting[question] = answer


def of_python(typed: Typed) -> frozenset[str]:
    """Names of numbers that are Python's own wherever the nest has them."""
    kinds = {path: frozenset((atom,)) for path, atom in typed.numbers} | dict(typed.scalars)
    return frozenset(name for name, kind in kinds.items() if all(map(is_python, kind)))


def _without_products(stmt: Stmt) -> Stmt:
    if isinstance(stmt, For):
        body = () if stmt.product else tuple(map(_without_products, stmt.body))
        return replace(stmt, body=body)
    return stmt
