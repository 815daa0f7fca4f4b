"""NumPy's floating-point warnings: when kernels may watch for them, and saying them afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np

from autopar import config
from autopar.kernel import Alarm, Watch
from autopar.runtime.process import user_globals

_CATEGORIES = {"divide by zero": "divide", "overflow": "over", "invalid value": "invalid"}


_umath: Any = getattr(getattr(np, "_core", None), "umath", None)
setting: Callable[[], object] = getattr(_umath, "_extobj_contextvar", ContextVar("none")).get
"""What NumPy keeps of `np.errstate`: an object that never changes, another for other settings."""
_read: tuple[object, dict[str, str], Watch | None] = (object(), {}, None)


def errors() -> tuple[dict[str, str], Watch | None]:
    """``np.geterr()`` and what kernels should do, or None when only the interpreter will do.

    ``raise``, ``call``, ``print`` and ``log`` act in the middle of a nest.  So do warning filters
    that raise, or show a warning each time that it happens.  In relaxed mode, kernels do not watch:
    what is computed on the way to a result is not what NumPy would have computed.
    """
    global _read
    try:
        now = setting()
    except LookupError:  # another NumPy
        now = object()
    known, found, watch = _read
    if known is not now:
        found = np.geterr()  # type: ignore[assignment]
        watch = _watch(found)
        _read = now, found, watch
    if watch is Watch.NOTICE:
        if _loud():
            return found, None
        if config.current().fp == "relaxed":
            return found, Watch.IGNORE
    return found, watch


def _watch(errors: Mapping[str, str]) -> Watch | None:
    modes = {errors[name] for name in ("divide", "over", "invalid")}
    if errors["under"] != "ignore" or not modes <= {"warn", "ignore"}:
        return None
    return Watch.IGNORE if modes == {"ignore"} else Watch.NOTICE


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
