"""Runs of kernels that have been chosen: on the device or the CPU, again where one was in doubt."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from autopar import config, journal, pipeline
from autopar.journal import LoopRecord
from autopar.kernel import Loaded, Status
from autopar.nest.ir import Nest
from autopar.runtime.aside import aside, ours
from autopar.runtime.choice.choose import Chooser, spared_s
from autopar.runtime.choice.variants import Choice, Known, Variant
from autopar.runtime.process import clock
from autopar.runtime.run import pool
from autopar.runtime.run.launch import Launch, launched, with_rooms
from autopar.runtime.run.transaction import Transaction
from autopar.runtime.site import Site
from autopar.runtime.trial import DOUBT
from autopar.runtime.values.facts import Values
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Plan, products
from autopar.verdict import Reason, Refusal, Span

if TYPE_CHECKING:
    from autopar.runtime.run.on_device import OnDevice

MAX_FAILURES = 3
"""Runs of a variant without a result, after which there are no more."""
_LONGEST_CALL = 2e-3  # seconds beyond which a call has compiled something, once and for all


class Runner:
    """All runs of one nest.

    Attributes
    ----------
    device
        Where the last run was.
    unmoved
        Why it was not on the device that the user wants; empty if it was, or none is wanted.
    """

    def __init__(self, site: Site, nest: Nest, chooser: Chooser) -> None:
        self.site, self.nest, self.chooser = site, nest, chooser
        self.record, self.refusal = chooser.record, chooser.refusal
        self.device, self.unmoved = "cpu", ""
        self.noted: tuple[Any, ...] = ()  # what the report says already, and its remark
        self.remark: Refusal | None = None

    def performed(
        self, state: Known, choice: Choice, values: Values
    ) -> tuple[Variant, int, Launch | None]:
        """The variant that ran in the end, its status, and the run.

        Loops next to one another that the device does not take together run one by one.
        """
        variant = choice.variant
        while variant.instead is not None:
            variant = variant.instead
        if variant.state.target is not None:
            launch = self.offloaded(state, variant, choice, values)
            if launch is not None:
                return variant, Status.DONE, launch
            if self.site.spec.members:
                return variant, Status.FAILED, None
            if config.current().target is None:  # it was chosen for being faster
                state.barred = True
                state.forget()
        while True:
            status, launch = self.attempt(variant, choice, values)
            if status not in (Status.UNSURE, Status.ALARMED):
                return variant, status, launch
            other = aside(functools.partial(self.chooser.other, variant, status))
            if other is None:
                return variant, status, launch
            variant.instead = variant = other

    def offloaded(
        self, state: Known, variant: Variant, choice: Choice, values: Values
    ) -> Launch | None:
        """A run on the device that the user wants; None, with nothing changed, if there was none.

        What a run on the device cannot say, or meets, the CPU finds out by itself.
        """
        try:
            found = self.on_device(state, variant, choice, values)
        except Exception as error:
            if not ours(error):
                raise
            journal.trace(error)
            found = f"{type(error).__name__}, see AUTOPAR_DEBUG=1"
        self.device, self.unmoved = "cpu", found if isinstance(found, str) else ""
        if not isinstance(found, str):
            status, launch = found
            if status:
                self.unmoved = "it met what only the CPU can tell"
        if self.unmoved:
            variant.left, variant.why = variant.left + 1, self.unmoved
            return None
        self.device = launch.device
        self.site.join()
        self.record.transfer_bytes += launch.moved + launch.scratch
        return launch

    def on_device(
        self, state: Known, variant: Variant, choice: Choice, values: Values
    ) -> tuple[int, OnDevice] | str:
        """Status and run on the device, or why there was none."""
        # Imported here: few programs have a device.
        from autopar.device.api import DeviceFailed
        from autopar.device.values import Untaken
        from autopar.runtime.choice.moves import in_pieces, moves
        from autopar.runtime.run.on_device import ready, run_on_device, warn

        target, loaded = variant.state.target, variant.loaded
        assert target is not None
        assert loaded is not None
        if variant.sources is None:
            made = functools.partial(
                pipeline.for_device, variant.state.typed, variant.plan, loaded.program, target
            )
            variant.sources = aside(made)
        if isinstance(variant.sources, Refusal):
            return variant.sources.detail
        if values.lent is not None:
            return "random numbers are drawn by NumPy"
        if variant.left >= MAX_FAILURES:
            return variant.why
        inputs, names = driver_inputs(values, loaded.inputs), self.nest.live_out
        known = variant.state, variant.key[0], values
        between = functools.partial(in_pieces, *known, variant.plan, loaded.program)
        try:
            if variant.ready is None:
                variant.ready = ready(loaded, variant.sources, target)
            given = variant.ready, values, names, choice.extents, inputs
            return run_on_device(*given, moves(*known), between)
        except Untaken as untaken:
            return str(untaken)
        except DeviceFailed as failed:
            warn(str(failed))
            return str(failed)

    def attempt(self, variant: Variant, choice: Choice, values: Values) -> tuple[int, Launch]:
        """Status of one run, with every array as before unless it is done.

        Raises
        ------
        MemoryError
            When there is no room for the copies that undo it; nothing has run then.
        """
        loaded = variant.loaded
        assert loaded is not None
        undo, lent = None, values.lent
        threads = choice.threads if choice.contest is None else choice.contest.now
        if lent is not None:
            lent.begin()
        back = undone(loaded, choice, self.nest, lent is not None)
        if back:
            undo = Transaction([values.arrays[path] for path in back], loaded.sharing(threads))
        timed = choice.vague > 0 and not variant.parallel
        names = self.nest.live_out
        values = with_rooms(values, choice.extents)
        launch = launched(loaded, values, threads, names, timed)
        launch.brief = choice.swift
        inputs = driver_inputs(values, loaded.inputs)
        try:
            if choice.may_be_long:
                run = functools.partial(loaded.drive, launch, *inputs)
                status = pool.interruptible(run, launch.word)
            else:
                status = loaded.drive(launch, *inputs)
        except BaseException:
            if undo is not None and not set(loaded.program.written).difference(back):
                undo.roll_back()  # else some arrays would be of before, and others not
            raise
        launch.close()
        if lent is not None and not status and not lent.commit():
            status = Status.FAILED
        if undo is not None:
            if status:
                undo.roll_back()
            undo.close()
        return status, launch

    def done(self, state: Known, choice: Choice, variant: Variant, seconds: float) -> None:
        """Note a run that took so long, and what it has won."""
        again = self.noted[:1] == (id(variant),)
        self.note(choice, variant, seconds)
        self.chooser.ran(state, choice, seconds)
        site, interpreted_s = self.site, choice.interpreted_s
        site.saved_s = spared_s(choice, seconds)
        if choice.brief or choice.watched:
            whole_s = clock() - site.began
            site.doubtful = choice.brief and DOUBT * whole_s > interpreted_s
            if choice.watched and again:  # the first run makes, and reads, what others need as well
                site.lost_s = min(whole_s, _LONGEST_CALL) - interpreted_s
                site.might_s = interpreted_s

    def timed(self, launch: Launch, whole_s: float) -> None:
        """Note what a call has won, or lost, of which only the kernel has told how long it is."""
        interpreted_s = max(0.0, launch.seconds - MACHINE.enter_s) * MACHINE.looking_share
        self.site.lost_s = min(whole_s, _LONGEST_CALL) - interpreted_s
        self.site.saved_s = min(self.site.saved_s, interpreted_s)

    def note(self, choice: Choice, variant: Variant, seconds: float) -> None:
        record = self.record
        record.runs += 1
        record.run_s += seconds
        mark = id(variant), choice.threads, self.device, self.unmoved
        record.device = self.device
        if self.noted == mark:
            record.refusal = self.remark
            return
        self.noted = mark
        plan = variant.plan
        parallel = variant.parallel and choice.threads > 1
        self.remark = self.described(record, plan, parallel)
        spec = self.site.spec
        for first, last in spec.members:
            part = journal.loop(spec.file, first, spec.function)
            part.together, part.leads = record, first == spec.line
            part.device = self.device
            own = plan.within(first, last)
            self.described(part, own, parallel and bool(own.parallel_loops))

    def described(self, record: LoopRecord, plan: Plan, parallel: bool) -> Refusal | None:
        """Note in `record` how a nest ran by `plan`; the remark that goes with it."""
        record.refusal = remark = None
        if self.unmoved:
            remark = self.remarked(record, Reason.DEVICE, self.unmoved)
        if record.status == "parallel":
            return remark  # the report says the best that happened
        record.status = "parallel" if parallel else "sequential"
        record.parallel_loops = list(plan.parallel_loops) if parallel else []
        record.sequential_loops = list(plan.sequential_loops)
        record.products = _told(plan)
        record.notes = [*plan.explain, *plan.parts]
        if not parallel and not self.unmoved:
            threads = config.current().threads
            told = plan.alone(threads)
            why = Reason.DEPENDENCE if told else Reason.ONE_THREAD
            why = Reason.PRODUCT if record.products else why
            if why is Reason.ONE_THREAD:
                told = ("no more are to be used" if threads == 1 else "too little work for more",)
            remark = self.remarked(record, why, "; ".join((*record.products, *told)))
        return remark

    def remarked(self, record: LoopRecord, why: Reason, detail: str) -> Refusal:
        """What the report remarks on a run of the loop of `record`."""
        record.refusal = Refusal(why, Span(record.file, record.line), detail)
        return record.refusal


def _told(plan: Plan) -> list[str]:
    """What the report says of the products in `plan`, which few have."""
    if not any(products(plan.body)):
        return []
    from autopar.sched.products import told

    return list(dict.fromkeys(told(plan.body)))


def undone(loaded: Loaded, choice: Choice, nest: Nest, draws: bool = False) -> tuple[str, ...]:
    """Paths of the arrays that are put back where kernels do not come to their end."""
    # Of its own arrays, those that begin as copies are read before they are written.
    begun = (one.path for one in nest.locals if one.initial is not None)
    paths = (*loaded.program.written, *begun)
    if draws or loaded.may_fail:
        return paths
    return tuple(p for p in paths if p not in choice.renewed) if loaded.may_alarm else ()


def driver_inputs(values: Values, inputs: tuple[tuple[str, str, int], ...]) -> list[int]:
    """Numbers, and extents where `values` have no such number; see `Loaded.inputs`."""
    numbers, arrays = values.numbers, values.arrays
    return [
        int(numbers[path]) if path in numbers else arrays[array].shape[axis]
        for path, array, axis in inputs
    ]
