"""Kernel text to a callable: compiled once per machine, then loaded from the cache as machine code.

A cache entry is named after a hash of everything its machine code depends on, written to one side
and renamed into place; an entry that cannot be read is an absent entry.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import llvmlite
import numpy as np

import autopar
from autopar import config
from autopar.config import Location
from autopar.cpu import items, machine, team
from autopar.digest import SIZE, digest
from autopar.kernel import Kernel, Program, Status
from autopar.nest.kinds import dtype
from autopar.nest.typed.types import Typed
from autopar.records import dataclass

if TYPE_CHECKING:
    from llvmlite import ir

    from autopar.cpu.evaluate import Parameter

_loaded: dict[str, Built] = {}


@dataclass(frozen=True, slots=True)
class Built:
    """A kernel ready to run; `compiled` is False when its machine code came from the cache.

    `call` trusts its arguments: the site has checked all types.
    """

    call: Callable[..., int]
    compiled: bool


@dataclass(frozen=True, slots=True)
class _Argument:
    """An argument of a kernel; an `atom` is a number, otherwise it is an array.

    Attributes
    ----------
    own
        Whether each chunk has an array of its own there.
    """

    dtype: str
    atom: str = ""
    ndim: int = 0
    layout: str = "C"
    aligned: bool = True
    own: bool = False


def build(kernel: Kernel, typed: Typed, program: Program, cache: Location | None) -> Built:
    """Compile or load `kernel`; one thread at a time.

    Parameters
    ----------
    cache
        Private directory for kernels, or None to keep nothing.
    """
    signature = _signature(kernel, typed, program)
    key = _key(kernel, signature)
    if key not in _loaded:
        found = _load(key, cache)
        _loaded[key] = found or _compile(kernel, signature, key, cache)
    return _loaded[key]


def name_on_disk(
    kernel: Kernel, typed: Typed, program: Program, cache: Location | None
) -> tuple[str, bool]:
    """What `kernel` is called there, and whether `build` would find it, there or in memory."""
    key = _key(kernel, _signature(kernel, typed, program))
    return key, key in _loaded or (cache is not None and os.path.exists(_file(key, cache)))


def mover(
    work: items.Work, dtype: str, cache: Location | None, kept: bool = False
) -> Callable[..., int] | None:
    """The function that reads, or writes, elements of lists; see `items.text`.

    Parameters
    ----------
    kept
        Only if it is in the cache; None where it is not.
    """
    text = items.text(work, dtype)
    key = _written_key(text)
    if kept and key not in _loaded:
        found = _load(key, cache)
        if found is None:
            return None
        _loaded[key] = found
    return _written(text, cache)


def teams(cache: Location | None) -> Callable[..., int]:
    """The function through which threads work together; see `team.text`."""
    text = team.text(Status.STOPPED, team.SLEEPS, team.YIELDS)
    return _written(text, cache, plain=True)


def _written(text: str, cache: Location | None, plain: bool = False) -> Callable[..., int]:
    """The function of LLVM text, where ``<name>`` stands for its name; `plain`: as it stands."""
    key = _written_key(text, plain)
    if key not in _loaded:
        name = _name(key)
        found = _load(key, cache)
        make = machine.as_written if plain else machine.assemble
        _loaded[key] = found or _assembled(text.replace("<name>", name), text, key, cache, make)
    return _loaded[key].call


def _written_key(text: str, plain: bool = False) -> str:
    return _digest(*_circumstances(), str(0 if plain else machine.LEVEL), text)


def _key(kernel: Kernel, signature: tuple[_Argument, ...]) -> str:
    how = f"{machine.LEVEL} relaxed" if kernel.relaxed else str(machine.LEVEL)
    parts = (
        *_circumstances(),
        how,
        str((kernel.grain, kernel.backwards, len(kernel.outer), kernel.apart)),
        repr(signature),
        kernel.text,
    )
    return _digest(*parts)


def _file(key: str, cache: Location) -> str:
    return os.path.join(cache, f"{key}.bin")


def _digest(*parts: str) -> str:
    return digest("\0".join(parts).encode()).hexdigest()[:32]


@functools.cache
def _circumstances() -> tuple[str, ...]:
    """Everything but the kernel itself that its machine code depends on."""
    return (
        autopar.__version__,
        llvmlite.__version__,
        np.__version__,
        sys.version,
        machine.processor_text(),
        config.own_sum("cpu"),
    )


def _signature(kernel: Kernel, typed: Typed, program: Program) -> tuple[_Argument, ...]:
    numbers, slots = dict(typed.numbers), dict(program.slots)
    word = _Argument("int64", "int")
    args = [word] * (4 if kernel.parallel else 1)
    copied = {reduction.name for reduction in kernel.copied}
    for path in kernel.arrays:
        kind, own = typed.array(path), path in copied
        args.append(_Argument(kind.dtype, "", kind.ndim, kind.layout, kind.aligned, own))
    args += [_Argument(dtype(numbers[path]), numbers[path]) for path in kernel.numbers]
    args += [word for _ in kernel.outer]
    if kernel.asks:
        args.append(_Argument("int64", ndim=1))
    if kernel.cells:
        args.append(_Argument("int8", ndim=2))
        args += [_Argument(slots[c], ndim=1) for c in kernel.cells]
    if kernel.alarms:
        args.append(_Argument("int8", ndim=2))
    if kernel.spans:
        args.append(_Argument("int64", ndim=2))
    return tuple(args)


def _places(kernel: Kernel) -> tuple[int, int]:
    """Where its arrays begin and end among its arguments."""
    first = 4 if kernel.parallel else 1
    return first, first + len(kernel.arrays)


def _compile(
    kernel: Kernel, signature: tuple[_Argument, ...], key: str, cache: Location | None
) -> Built:
    text, endless = _lowered(kernel, signature, key)
    shown = _header(signature) + kernel.text
    make = functools.partial(machine.assemble, endless=endless)
    return _assembled(text, shown, key, cache, make)


def optimised(kernel: Kernel, typed: Typed, program: Program) -> str:
    """LLVM's text of what `build` makes of `kernel`, in which loops are known by their variables.

    To have it takes as long as to compile.
    """
    signature = _signature(kernel, typed, program)
    text, endless = _lowered(kernel, signature, _key(kernel, signature), named=True)
    return str(machine.optimised(text, endless))


def _lowered(
    kernel: Kernel, signature: tuple[_Argument, ...], key: str, named: bool = False
) -> tuple[str, bool]:
    """LLVM text of a kernel, and whether there are loops in it with which LLVM would not end."""
    from autopar.cpu.chains import endless

    (definition,) = ast.parse(kernel.text).body
    assert isinstance(definition, ast.FunctionDef)
    return _module(kernel, definition, signature, _name(key), named), endless(definition)


def _assembled(
    text: str, shown: str, key: str, cache: Location | None, make: Callable[[str], bytes]
) -> Built:
    """LLVM text as a function, kept in the cache beside the text that is `shown` to readers.

    Parameters
    ----------
    make
        Object code of the text.
    """
    code, needed = make(text), machine.symbols(text)
    if cache is not None:
        _write(os.path.join(cache, f"{key}.py"), shown.encode())
        payload = " ".join(needed).encode() + b"\n" + code
        _write(_file(key, cache), digest(payload).digest() + payload)
    return Built(machine.load(code, _name(key), needed), True)


def _name(key: str) -> str:
    """Of the function that Python calls; different for each kernel of a process."""
    return f"kernel_{key}"


def parameters(kernel: Kernel, typed: Typed, program: Program) -> list[Parameter]:
    """What `kernel` is given, as its text knows it."""
    return _parameters(_signature(kernel, typed, program))


def _parameters(signature: tuple[_Argument, ...]) -> list[Parameter]:
    from autopar.cpu.lower import Array, Number

    return [
        Number(a.atom, a.dtype) if a.atom else Array(a.dtype, a.ndim, a.layout, a.aligned)
        for a in signature
    ]


def _module(
    kernel: Kernel,
    definition: ast.FunctionDef,
    signature: tuple[_Argument, ...],
    name: str,
    named: bool = False,
) -> str:
    """LLVM text; what writes it is imported here, for machine code in the cache needs none."""
    from llvmlite import ir

    from autopar.cpu import entry
    from autopar.cpu.lower import lower

    parameters = _parameters(signature)
    module = ir.Module(name=name)
    arrays = range(*_places(kernel)) if kernel.apart else range(0)
    function = lower(module, definition, parameters, kernel.relaxed, arrays, named)
    own = [k for k, argument in enumerate(signature) if argument.own]
    outer = _places(kernel)[1] + len(kernel.numbers)
    cut = entry.Cut(kernel.grain, kernel.backwards, outer) if kernel.parallel else None
    entry.add(module, name, function, parameters, cut, own)
    text = str(module)
    _take_apart(module)
    return text


def _take_apart(module: ir.Module) -> None:
    """Let go of the parts of `module`, which hold one another.

    They are gone at once then.  Else Python would have to look for them among all that there is,
    again and again.
    """
    for function in module.functions:
        for block in function.blocks:
            block.instructions.clear()
            block.terminator = None
        function.blocks.clear()
        function.args, function.return_value = (), None
    module.globals.clear()


def _load(key: str, cache: Location | None) -> Built | None:
    if cache is None:
        return None
    try:
        content = config.read_whole(_file(key, cache))
    except OSError:
        return None
    check, payload = content[:SIZE], content[SIZE:]
    if digest(payload).digest() != check:
        return None  # a damaged entry is an absent entry
    needed, _, code = payload.partition(b"\n")
    return Built(machine.load(code, _name(key), tuple(needed.decode().split())), False)


def _header(signature: tuple[_Argument, ...]) -> str:
    """What the arguments are, for whoever reads the text."""
    kinds = (a.atom or f"{a.dtype}[{a.layout}, {a.ndim}d]" for a in signature)
    return f"# {', '.join(kinds)}\n"


def _write(path: str, content: bytes) -> None:
    """Whole or not at all; a cache that cannot be written is no reason to fail."""
    with contextlib.suppress(OSError):
        config.write_whole(path, content)
