"""Kernel text to a callable: compiled once per machine, then loaded from the cache as machine code.

The only module that compiles with Numba.  Numba's own on-disk cache is not used: its index is
keyed on source file times and has crashed with concurrent writers.  Here an entry is named after
a hash of everything its machine code depends on, written to one side and renamed into place; an
entry that cannot be read is an absent entry.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding
from numba import types
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.np.numpy_support import from_dtype

import autopar
from autopar import config
from autopar.cpu import support
from autopar.kernel import Kernel, Program
from autopar.nest.kinds import dtype
from autopar.nest.types import ArrayType, Typed

_loaded: dict[str, Built] = {}
_DIGEST = 32


@dataclass(frozen=True, slots=True)
class Built:
    """A kernel ready to run; `compiled` is False when its machine code came from the cache.

    `call` is the compiled entry itself: the site has checked all types, so Numba's dispatch on
    them would be a second time.  `owner` keeps its machine code alive.
    """

    call: Callable[..., int]
    compiled: bool
    owner: Any


def build(kernel: Kernel, typed: Typed, program: Program, cache: Path | None) -> Built:
    """Compile or load `kernel`; one thread at a time.

    Parameters
    ----------
    cache
        Private directory for kernels, or None to keep nothing.
    """
    signature = _signature(kernel, typed, program)
    key = _key(kernel, signature)
    if key not in _loaded:
        found = _load(kernel, signature, key, cache)
        _loaded[key] = found or _compile(kernel, signature, key, cache)
    return _loaded[key]


def _key(kernel: Kernel, signature: tuple[Any, ...]) -> str:
    parts = (*_circumstances(), repr(signature), kernel.text, repr(kernel.helpers))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@functools.cache
def _circumstances() -> tuple[str, ...]:
    """Everything but the kernel itself that its machine code depends on."""
    return (
        autopar.__version__,
        numba.__version__,
        np.__version__,
        sys.version,
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        hashlib.sha256(Path(support.__file__).read_bytes()).hexdigest(),
    )


def _array(kind: ArrayType) -> Any:
    element = from_dtype(np.dtype(kind.dtype))
    return types.Array(
        element, kind.ndim, kind.layout, readonly=not kind.writeable, aligned=kind.aligned
    )


def _signature(kernel: Kernel, typed: Typed, program: Program) -> tuple[Any, ...]:
    numbers = dict(typed.numbers)
    slots = dict(program.slots)
    args: list[Any] = [types.int64] * (4 if kernel.parallel else 1)
    args += [_array(typed.array(path)) for path in kernel.arrays]
    args += [from_dtype(np.dtype(dtype(numbers[path]))) for path in kernel.numbers]
    args += [types.int64 for _ in kernel.outer]
    if kernel.asks:
        args.append(types.Array(types.int64, 1, "C"))
    if kernel.cells:
        args.append(types.Array(types.int8, 2, "C"))
        args += [types.Array(from_dtype(np.dtype(slots[c])), 1, "C") for c in kernel.cells]
    if kernel.alarms:
        args.append(types.Array(types.int8, 2, "C"))
    return tuple(args)


def _dispatcher(kernel: Kernel) -> Any:
    # Cached machine code finds its environment through the module of that name.
    space = {"__name__": support.__name__, **support.namespace(kernel.helpers)}
    exec(compile(kernel.text, f"<autopar {kernel.name}>", "exec"), space)
    # IEEE as written: no fastmath, no exceptions from divisions, bounds are ours to check.
    return numba.njit(nogil=True, error_model="numpy", boundscheck=False)(space[kernel.name])


def _compile(kernel: Kernel, signature: tuple[Any, ...], key: str, cache: Path | None) -> Built:
    dispatcher = _dispatcher(kernel)
    dispatcher.compile(signature)
    compiled = dispatcher.overloads[signature]
    if cache is not None:
        _write(cache / f"{key}.py", (_header(kernel, signature) + kernel.text).encode())
        # Machine code with addresses of this process baked in is of no use to another.
        if not compiled.library.has_dynamic_globals:
            payload = dumps(compiled._reduce())
            _write(cache / f"{key}.bin", hashlib.sha256(payload).digest() + payload)
    return Built(compiled.entry_point, True, dispatcher)


def _load(kernel: Kernel, signature: tuple[Any, ...], key: str, cache: Path | None) -> Built | None:
    if cache is None:
        return None
    try:
        entry = (cache / f"{key}.bin").read_bytes()
    except OSError:
        return None
    check, payload = entry[:_DIGEST], entry[_DIGEST:]
    if hashlib.sha256(payload).digest() != check:
        return None  # a damaged entry is an absent entry
    support.register(kernel.helpers)
    cpu_target.target_context.refresh()
    rebuilt = CompileResult._rebuild(cpu_target.target_context, *pickle.loads(payload))
    return Built(rebuilt.entry_point, False, rebuilt)


def _header(kernel: Kernel, signature: tuple[Any, ...]) -> str:
    return f"# {', '.join(str(kind) for kind in signature)}\n"


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all; a cache that cannot be written is no reason to fail."""
    with contextlib.suppress(OSError):
        config.write_whole(path, content)
