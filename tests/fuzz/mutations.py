"""Plants faults in autopar, to show that they are found.

`planted` applies one of `faults` and forgets what autopar remembers.  `search` tells which program
of a run finds which, in a process for each.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from itertools import repeat
from unittest import mock

from .choices import seeded
from .compare import Wrong, forget, judge
from .faults import MUTATIONS
from .grammar import program
from .setting import eager


@contextmanager
def planted(name: str) -> Iterator[None]:
    """autopar with the fault `name`, and nothing remembered from before, nor afterwards."""
    with ExitStack() as stack:
        owner, attribute, wrong = MUTATIONS[name]()
        stack.callback(forget)
        stack.enter_context(mock.patch.object(owner, attribute, wrong))
        forget()
        stack.enter_context(eager())  # with a kernel cache of its own
        yield


def finds(
    name: str, seed: int, numbers: Iterable[int], grammar: str | None = None
) -> tuple[int, str] | None:
    """The first of the programs that reveals that fault, and what it shows."""
    warnings.simplefilter("ignore")
    with planted(name):
        for number in numbers:
            try:
                judge(program(seeded(seed, number, grammar)))
            except Wrong as wrong:
                return number, str(wrong)
            except Exception as error:
                return number, f"{type(error).__name__}: {error}"
    return None


def _start_method() -> multiprocessing.context.BaseContext:
    """Processes begin as copies of one that has imported all they need, where there are such."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "autopar.cpu.build", "autopar.runtime.verify"])
    return context


def found_apart(name: str, seed: int, number: int, grammar: str | None = None) -> bool:
    """Whether the program reveals that fault, in a process of its own.

    A kernel with a fault may write anywhere: what it does to this process might show much later.
    """
    with ProcessPoolExecutor(1, _start_method()) as process:
        answer = process.submit(finds, name, seed, (number,), grammar)
        try:
            return answer.result() is not None
        except BrokenProcessPool:
            return True


def _apart(
    names: Iterable[str], seed: int, numbers: Iterable[int], jobs: int = 1
) -> Iterator[tuple[int, str] | None]:
    """`_finds` in a process of its own for each name."""
    with ProcessPoolExecutor(jobs, _start_method(), max_tasks_per_child=1) as processes:
        yield from processes.map(finds, names, repeat(seed), repeat(numbers))


def search(seed: int, programs: int, names: Sequence[str]) -> int:
    """Print the first program of the run that finds each mutation; how many remain unfound."""
    missing = 0
    names = names or tuple(MUTATIONS)
    for name, found in zip(names, _apart(names, seed, range(programs), 2), strict=True):
        missing += found is None
        number, why = found or (None, "not found")
        print(f'    "{name}": {number},  # {" ".join(why.split())[:90]}', flush=True)
    return missing
