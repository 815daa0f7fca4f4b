"""What became of one random program: run both ways, and judged."""

from __future__ import annotations

import builtins
from typing import Any

import harness
import numpy as np
from programs import Program

from autopar.nest.lift import lift_text
from autopar.runtime.verify import VerifyError
from autopar.verdict import Reason, Refused


class Wrong(AssertionError):
    """A program on which autopar and the interpreter disagree."""


def judge(program: Program) -> str:
    """``parallel``, ``sequential`` or ``interpreted``; for the last, with the reason code.

    Raises
    ------
    Wrong
        Another result than the interpreter's, an error of autopar's own, or arrays that changed
        although the nest was declined.
    """
    try:
        nest = lift_text(program.loop)
    except Refused as refused:
        return f"interpreted {refused.refusal.code}"
    names = program.names()
    if any(root not in names and not hasattr(builtins, root) for root in nest.roots):
        return "interpreted unbound"
    arrays = {k: v for k, v in names.items() if isinstance(v, np.ndarray)}
    before = {k: v.tobytes() for k, v in arrays.items()}
    try:
        here, found = harness.run(program.loop, **names)
    except VerifyError as error:
        if _only_nans_differ(program, arrays, str(error)):
            return "parallel nan"
        raise Wrong(f"{error}\n{program}") from error
    except Exception as error:
        raise Wrong(f"{type(error).__name__}: {error}\n{program}") from error
    record = here.record
    assert record is not None
    if found is not None:
        return record.status
    assert record.refusal is not None
    if record.refusal.reason is Reason.INTERNAL:
        raise Wrong(f"{record.refusal}\n{program}")
    changed = [k for k, v in arrays.items() if v.tobytes() != before[k]]
    if changed:
        raise Wrong(f"declined, but {', '.join(changed)} changed\n{program}")
    return f"interpreted {record.refusal.code}"


def _only_nans_differ(program: Program, got: dict[str, Any], message: str) -> bool:
    """Whether all that differs is which nan it is.

    Sign and payload of a nan that an operation makes are left open by IEEE 754, by C and by LLVM:
    with two nan operands the processor takes that of the first, and a compiler may exchange the
    operands of ``+`` and ``*``.  Another build of CPython or NumPy gives other bits, too.
    """
    if not (message.startswith("<text>") and message.endswith("differs")):
        return False
    wanted = program.names()
    with np.errstate(all="ignore"):
        exec(program.loop, wanted)
    return all(_same_but_nans(got[k], wanted[k]) for k in got)


def _same_but_nans(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype.kind not in "fc":
        return a.tobytes() == b.tobytes()
    part = a.real.dtype
    x, y = (np.ascontiguousarray(v).reshape(-1).view(part) for v in (a, b))
    nan = np.isnan(x)
    return bool((nan == np.isnan(y)).all() and x[~nan].tobytes() == y[~nan].tobytes())
