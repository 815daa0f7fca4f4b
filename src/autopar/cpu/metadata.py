"""What LLVM is told of loops and functions, beside their instructions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import ir

NAME = "autopar.loop"
"""What the name of a loop's variable is noted under."""


class _Distinct(ir.values.MDValue):  # type: ignore[misc]
    """A node that equals no other, whatever it holds."""

    def descr(self, buf: list[str]) -> None:
        """Its definition; llvmlite knows only of nodes that are what they hold."""
        parts = ", ".join(part.get_reference() for part in self.operands)
        buf += (f"distinct !{{ {parts} }}", "\n")

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _distinct(module: ir.Module, operands: Iterable[Any]) -> _Distinct:
    return _Distinct(module, operands, str(len(module.metadata)))


def apart(module: ir.Module, back: ir.Instruction, blocks: Iterable[ir.Block]) -> None:
    """Say of a loop that its iterations have no memory in common that one of them stores in.

    Parameters
    ----------
    back
        The branch that starts the next iteration.
    blocks
        All of the loop.
    """
    group = _distinct(module, ())
    for block in blocks:
        for instruction in block.instructions:
            if isinstance(instruction, ir.instructions.LoadInstr | ir.instructions.StoreInstr):
                instruction.set_metadata("llvm.access.group", group)
    accesses = module.add_metadata(["llvm.loop.parallel_accesses", group])
    loop = _distinct(module, ())
    loop.operands = (loop, accesses)
    back.set_metadata("llvm.loop", loop)


def named(module: ir.Module, back: ir.Instruction, name: str) -> None:
    """Note the name of a loop's variable, which stays with whatever LLVM makes of the loop.

    Parameters
    ----------
    back
        The branch that starts the next iteration.
    """
    note = module.add_metadata([NAME, name])
    loop = back.metadata.get("llvm.loop")
    if loop is None:
        loop = _distinct(module, ())
        loop.operands = (loop,)
        back.set_metadata("llvm.loop", loop)
    loop.operands = (*loop.operands, note)


def pure(function: ir.Function) -> None:
    """Say of a function that it computes a value of its arguments and does nothing else.

    It may be called once for many calls, and where nobody asks for it.  Of what else C's functions
    leave, in ``errno`` and flags of the processor, nobody knows.
    """
    for name in ("nounwind", "readnone", "speculatable", "willreturn"):
        set.add(function.attributes, name)  # llvmlite itself knows no more than some
