"""NumPy's floating-point warnings: when kernels may watch for them, and saying them afterwards."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from types import FrameType
from typing import Any

from autopar import config
from autopar.kernel import Alarm, Watch

_CATEGORIES = {"divide by zero": "divide", "overflow": "over", "invalid value": "invalid"}


def watch(errors: Mapping[str, str]) -> Watch | None:
    """What kernels should do under ``np.geterr()``, or None when only the interpreter will do.

    ``raise``, ``call``, ``print`` and ``log`` act in the middle of a nest.  So do warning filters
    that raise, or show a warning each time that it happens.  In relaxed mode, kernels do not watch:
    what is computed on the way to a result is not what NumPy would have computed.
    """
    modes = {errors[name] for name in ("divide", "over", "invalid")}
    if errors["under"] != "ignore" or not modes <= {"warn", "ignore"}:
        return None
    if modes == {"ignore"}:
        return Watch.IGNORE
    if _loud():
        return None
    return Watch.IGNORE if config.current().fp == "relaxed" else Watch.NOTICE


_seen: tuple[list[object], bool] = ([], False)  # filters, and whether they are loud


def _loud() -> bool:
    global _seen
    filters, loud = _seen
    if filters != warnings.filters:
        loud = any(
            entry[0] not in ("default", "ignore", "once", "module")
            and issubclass(RuntimeWarning, entry[2])
            for entry in warnings.filters
        )
        _seen = list(warnings.filters), loud
    return loud


def ring(alarms: Iterable[Alarm], file: str, errors: Mapping[str, str]) -> None:
    """Warn as NumPy would have in the user's code; Python's filters decide what is shown."""
    space = user_globals(file)
    for alarm in alarms:
        kind = alarm.text.partition(" encountered")[0]
        if errors[_CATEGORIES[kind]] != "warn":
            continue
        warnings.warn_explicit(
            alarm.text,
            RuntimeWarning,
            file,
            alarm.line,
            module=space.get("__name__") or "<string>",
            registry=space.setdefault("__warningregistry__", {}),
        )


def user_globals(file: str) -> dict[str, Any]:
    """Names of the module whose code of `file` runs, in the innermost frame that does."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return frame.f_globals if frame is not None else {}
