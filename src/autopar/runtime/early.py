"""Declines loops of programs without NumPy before the imports that an analysis needs."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator

from autopar import config
from autopar.kernel import SiteSpec
from autopar.nest.counted import counted
from autopar.nest.ir import (
    Assign,
    Element,
    Load,
    Name,
    Nest,
    Put,
    View,
    expressions,
    statements,
    walk,
)
from autopar.runtime import estimate
from autopar.runtime.outline import outline
from autopar.sched.machine import MACHINE
from autopar.verdict import Reason, Refusal, Span

_LARGEST = 2**63  # float() of a larger int may overflow


class Early:
    """What can be said of a site while NumPy has not been imported by anyone."""

    def __init__(self, spec: SiteSpec) -> None:
        self.nest: Nest = pickle.loads(spec.nest)
        self.spec = spec
        self.array = next(_subscripted(self.nest), None)
        likely = dict.fromkeys((*self.nest.paths, *self.nest.roots), "int")
        self.outline = outline((counted(self.nest, likely, {}).loop,))
        self.work_s = functools.lru_cache(256)(self._work_s)
        self.waited_s = 0.0

    def refusal(self, values: tuple[object, ...]) -> Refusal | None:
        """Why the loop is left now, or None when it may be worth the imports."""
        at = Span(self.spec.file, self.spec.line)
        if self.array is not None:
            # Somebody may import NumPy later, so this is for now only.
            return Refusal(Reason.NOT_ARRAY, at, f"{self.array}: NumPy is not imported")
        settings = config.current()
        if settings.verify or settings.fail_on_fallback:
            return None
        work_s = self.work_s(*(v if type(v) is int else None for v in values))
        self.waited_s += work_s
        if self.waited_s >= MACHINE.compile_s:
            return None
        tiny = work_s < MACHINE.dispatch_s
        return Refusal(Reason.TOO_SMALL if tiny else Reason.NOT_YET, at, "")

    def _work_s(self, *ints: int | None) -> float:
        known = zip(self.spec.roots, ints, strict=True)
        env = {k: float(v) for k, v in known if v is not None and abs(v) < _LARGEST}
        return estimate.operations(self.outline, env) * MACHINE.interpreted_op_s


def _subscripted(nest: Nest) -> Iterator[str]:
    for stmt in statements(nest.loop):
        match stmt:
            case Assign(target=Element(array=path)) | Put(target=View(array=Name(id=path))):
                yield path
        for top in expressions(stmt):
            for expr in walk(top):
                match expr:
                    case Load(array=path) | View(array=Name(id=path)):
                        yield path
