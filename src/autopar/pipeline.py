"""The stages between a typed nest and kernels that can run, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autopar import config, journal
from autopar.deps.data import Analysis, Facts
from autopar.kernel import Loaded
from autopar.nest.ir import Nest
from autopar.nest.types import Typed
from autopar.sched.plan import Plan
from autopar.verdict import Refusal

__all__ = ["analyse", "compile_plan", "plan"]


def analyse(nest: Nest, facts: Facts) -> Analysis:
    """islpy is imported here: a nest that stays too small never pays for it."""
    from autopar.deps.analyse import analyse

    return analyse(nest, facts)


def plan(nest: Nest, analysis: Analysis, held: frozenset[int]) -> Plan:
    """The schedule for one outcome of the dependence conditions."""
    from autopar.sched.distribute import schedule

    return schedule(nest, analysis, held)


def compile_plan(
    typed: Typed, plan: Plan, inside: frozenset[int], careful: bool
) -> Loaded | Refusal:
    """Emit and build `plan`; `careful` as in `autopar.cpu.emit.emit`.

    Numba is imported here, so that a script without a hot loop never pays for it.
    """
    from autopar.cpu.emit import emit

    journal.debug(3, f"{typed.nest.file}:{typed.nest.loop.line}: plan\n{plan}")
    program = emit(typed, plan, inside, careful)
    if isinstance(program, Refusal):
        return program
    from autopar.cpu.build import build

    cache = _kernel_dir()
    for kernel in program.kernels:
        journal.debug(4, kernel.text)
    journal.debug(4, program.driver)
    built = [build(kernel, typed, program, cache) for kernel in program.kernels]
    space: dict[str, Any] = {}
    exec(compile(program.driver, "<autopar driver>", "exec"), space)
    compiled = any(b.compiled for b in built)
    return Loaded(program, tuple(b.call for b in built), space["drive"], compiled)


def _kernel_dir() -> Path | None:
    """Where kernels are kept, private to the user; None where nothing can be written."""
    try:
        root = config.private_dir(config.current().cache_dir)
        return config.private_dir(root / "kernels")
    except OSError:
        return None
