"""Kernel text as C for a device: the same text that the CPU's kernels are made of.

So what a kernel computes, cast by cast, is decided in one place, and this room decides only how it
is spelled.  A kernel's function stays as it is, and an entry in front of it, which is what a device
runs, hands each work item its chunk of the loop and keeps the greatest status of all.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeGuard

from autopar.cpu.evaluate import Array, Parameter
from autopar.device.dialect import APART, Dialect
from autopar.device.evaluate import Answer, Memory
from autopar.device.naming import spelled
from autopar.device.plainer import none_leaves, plainer
from autopar.device.statements import Function, bare
from autopar.device.unrolling import Lengths, defined
from autopar.device.values import Untaken, Value, cast, kind
from autopar.device.words import called, written
from autopar.kernel import Kernel
from autopar.nest.mixing import PARTS
from autopar.records import dataclass, replace
from autopar.verdict import Reason, Refusal, Span

WARP = 32
"""Work items that a device runs in step."""
LARGEST_ROOM = 16 * 1024
"""Bytes of a work item's own arrays."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of an entry: a part of what kernel text knows as one parameter.

    Attributes
    ----------
    place
        Which parameter, behind those that the entry makes itself.
    part
        Of an array where its block is, the byte where its first element is there, or would be, an
        extent or a stride; of one that each chunk has for itself, where the blocks of the chunks
        are, and how many bytes each has; of a number its value, or the parts of a complex one.
    axis
        Of an extent or a stride.
    dtype
        Of a number.
    name
        In C, of an extent or a number.
    """

    place: int
    part: Literal["data", "offset", "own", "each", "n", "s", "number", "re", "im"]
    axis: int = 0
    dtype: str = "int64"
    name: str = ""


Few = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel in C.

    Attributes
    ----------
    entry
        Name of what a device runs.  Its arguments: where the greatest status is kept, for
        `parallel` ones how many iterations of the loop, in how many chunks, and the first of them,
        and `arguments`.
    each
        The text for launches of which each chunk has one iteration: compilers then see no loop.
    helpers, body
        The functions of `text` that others may have as well, each behind those that it calls, and
        those that it has for itself.
    touched, written
        Which parameters are arrays of which it reads or writes elements, and those it writes to.
    joined
        Which of them all chunks update in copies that are put together.  Of others that chunks have
        for themselves the last one has the array itself.
    group
        How many work items are to go on together where each has one iteration; 0: any number.
    bounds
        Which of `arguments` are how often some loop runs.
    joint
        The text for what mostly is launched, of all kernels of a nest; empty where it is the only
        one.
    """

    entry: str
    text: str
    each: str
    helpers: tuple[str, ...]
    body: str
    parallel: bool
    arguments: tuple[Argument, ...]
    touched: frozenset[int]
    written: frozenset[int]
    joined: frozenset[int] = frozenset()
    group: int = 0
    bounds: tuple[int, ...] = ()
    joint: str = ""

    def form(self, each: bool, apart: bool, few: Few = ()) -> str:
        """The text for chunks of one iteration each, or more, of arrays that lie apart, or not.

        Parameters
        ----------
        few
            The places of arguments of `bounds` that are few, and their values.
        """
        if self.joint and each == self.parallel and apart and not few:
            return self.joint
        text = self.each if each else self.text
        known = [(self.arguments[k].name, value) for k, value in few]
        return defined(self.entry, known) + (APART + text if apart else text)


def lower(
    kernel: Kernel,
    parameters: Sequence[Parameter],
    dialect: Dialect,
    elementary: Collection[str] = (),
) -> Source | Refusal:
    """`kernel` in C.

    Parameters
    ----------
    parameters
        Of all arguments, as for `cpu.lower`.
    elementary
        Functions that may be the device's own.

    Raises
    ------
    TypeError, NotImplementedError
        Its text is not in the language.
    """
    (function,) = ast.parse(kernel.text).body
    assert isinstance(function, ast.FunctionDef)
    own = 4 if kernel.parallel else 1  # stop, chunk, lo, hi; or stop
    owned = {reduction.name: reduction.private for reduction in kernel.copied}
    copies = {k: owned[path] for k, path in enumerate(kernel.arrays) if path in owned}
    try:
        plain = plainer(none_leaves(function))
        return _Kernel(plain, parameters, own, copies, elementary).source(dialect)
    except Untaken as untaken:
        return Refusal(Reason.DEVICE, Span("", 0), str(untaken))


def together(sources: Sequence[Source], dialect: Dialect) -> tuple[Source, ...]:
    """The kernels of a nest, which have one text where each is launched as is usual.

    What it takes a compiler to begin is mostly more than what a kernel takes.
    """
    if len(sources) < 2:
        return tuple(sources)
    parts = list(dict.fromkeys(helper for source in sources for helper in source.helpers))
    for source in sources:
        parts += [f"#{'define' if source.parallel else 'undef'} AP_EACH", source.body]
    words = written(called("\n".join(parts)), dialect)
    text = APART + "\n".join((dialect.head, words, *parts))
    return tuple(replace(source, joint=text) for source in sources)


class _Kernel(Function):
    """A kernel.

    Parameters
    ----------
    own
        Number of its arguments that its entry makes.
    copies
        Places of arrays that each chunk has for itself, and whether the last one has not.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        parameters: Sequence[Parameter],
        own: int,
        copies: Mapping[int, bool],
        elementary: Collection[str],
    ) -> None:
        super().__init__({}, elementary)
        self.function, self.copies = function, copies
        names = [arg.arg for arg in function.args.args]
        assert len(names) == len(parameters)
        self.own = names[:own]
        self.given = list(zip(names[own:], parameters[own:], strict=True))

    def returns(self, answer: Answer) -> None:
        assert isinstance(answer, Value)
        self.write(f"return {bare(cast(answer, 'int64').text)};")

    def source(self, dialect: Dialect) -> Source:
        """The whole text, for one kind of device."""
        changed = {node.id for node in ast.walk(self.function) if _assigned(node)}
        for name in self.own:
            self.scope.names[name] = Value("int64", spelled(name))
        self.lengths = Lengths(self.function.name)
        for name, parameter in self.given:
            held = spelled(name)
            if isinstance(parameter, Array):
                if not parameter.aligned:
                    raise Untaken("an array is not aligned")
                self.scope.names[name] = Memory(parameter, held)
            else:
                self.scope.names[name] = Value(parameter.dtype, held)
                if parameter.dtype == "int64" and name not in changed:
                    self.lengths.numbers[held] = held
        self.depth = 0
        self.block(self.function.body)
        self.fits()
        body = self.text()
        helpers = tuple(text for text, _ in self.helpers.values())
        words = written(called("\n".join((*helpers, body))), dialect)
        text = "\n".join(part for part in (dialect.head, words, *helpers, body) if part)
        parallel = len(self.own) > 1
        touched, stored = (
            frozenset(k for k, (n, _) in enumerate(self.given) if spelled(n) in names)
            for names in (self.scope.touched, self.scope.written)
        )
        joined = frozenset(place for place, private in self.copies.items() if not private)
        given = self.arguments()
        each = f"#define AP_EACH\n{text}"
        bounds = tuple(k for k, one in enumerate(given) if one.name in self.lengths.bounds)
        name = self.function.name
        return Source(
            name, text, each, helpers, body, parallel, given, touched, stored, joined, self.items,
            bounds,
        )  # fmt: skip

    def fits(self) -> None:
        """Raise `Untaken` where a work item would need too much memory of its own."""
        import numpy as np

        every = self.scope.names.values()
        rooms = [m for m in every if isinstance(m, Memory) and m.length and not m.shared]
        size = sum((m.length or 0) * np.dtype(m.kind.dtype).itemsize for m in rooms)
        if size > LARGEST_ROOM:
            raise Untaken(f"each iteration would need {size} bytes of its own")

    def arguments(self) -> tuple[Argument, ...]:
        """What the entry is given, in order."""
        found = []
        for place, (name, parameter) in enumerate(self.given):
            held = spelled(name)
            if isinstance(parameter, Array):
                found += [Argument(place, "data"), Argument(place, "offset")]
                if place in self.copies:
                    found += [Argument(place, "own"), Argument(place, "each")]
                used = [(w, axis) for n, w, axis in self.scope.used if n == held]
                found += [
                    Argument(place, which, axis, name=f"ap_{which}{axis}_{held}")
                    for which in ("n", "s")
                    for axis in range(parameter.ndim)
                    if (which, axis) in used
                ]
            elif parameter.dtype in PARTS:
                dtype = PARTS[parameter.dtype]
                found += [Argument(place, "re", 0, dtype), Argument(place, "im", 0, dtype)]
            else:
                found.append(Argument(place, "number", 0, parameter.dtype, held))
        return tuple(found)

    def text(self) -> str:
        """The kernel's function and its entry."""
        name = self.function.name
        inner = [f"i64 {spelled(n)}" for n in self.own[1:]]
        outer, handed = ["AP_GLOBAL i32 *ap_status"], [spelled(n) for n in self.own[1:]]
        kept = [m for m in self.scope.names.values() if isinstance(m, Memory) and m.shared]
        if self.items:
            inner += ["ap_bool ap_whole", "AP_LOCAL i32 *ap_flag"]
            inner += [f"AP_LOCAL {kind(one.kind.dtype)} *{one.name}" for one in kept]
            handed += ["ap_whole", "&ap_flag", *(one.name for one in kept)]
        if self.own[1:]:
            outer += ["i64 ap_trips", "i64 ap_chunks", "i64 ap_first"]
        for argument in self.arguments():
            key, parameter = self.given[argument.place]
            held = spelled(key)
            match argument.part:
                case "data":
                    inner.append(f"AP_GLOBAL char *AP_ONLY {held}")
                    outer.append(f"AP_GLOBAL char *AP_ONLY {held}")
                case "offset":
                    inner.append(f"i64 ap_at_{held}")
                    outer.append(f"i64 ap_at_{held}")
                    block = held
                    if argument.place in self.copies:
                        chunk = spelled(self.own[1])
                        mine = f"ap_own_{held} + {chunk} * ap_each_{held}"
                        block = f"({mine})"
                        if self.copies[argument.place]:
                            block = f"({chunk} + 1 == ap_chunks ? {held} : {mine})"
                    handed += [block, f"ap_at_{held}"]
                case "own":
                    outer.append(f"AP_GLOBAL char *ap_own_{held}")
                case "each":
                    outer.append(f"i64 ap_each_{held}")
                case "n" | "s":
                    inner.append(f"i64 {argument.name}")
                    outer.append(f"i64 {argument.name}")
                    handed.append(argument.name)
                case "number":
                    inner.append(f"{kind(argument.dtype)} {held}")
                    outer.append(f"{kind(argument.dtype)} {held}")
                    handed.append(held)
                case part:
                    outer.append(f"{kind(argument.dtype)} ap_{part}_{held}")
                    if part == "im":
                        inner.append(f"{kind(parameter.dtype)} {held}")
                        handed.append(f"ap_complex_{parameter.dtype}(ap_re_{held}, ap_im_{held})")
        lines = [
            *self.lengths.defaults(),
            f"AP_FUNCTION i32 ap_{name}(",
            *_listed(inner or ["void"]),
            ") {",
            *(f"    {one};" for one in self.scope.declared),
            *self.lines,
            "}",
            "",
            *self.begun(name),
            *_listed(outer),
            ") {",
            *self.lengths.constants(),
        ]
        if self.own[1:]:
            _, chunk, low, high = map(spelled, self.own)
            if self.items:
                lines.append("    AP_CHIP i32 ap_flag;")
                rooms = ((kind(one.kind.dtype), one) for one in kept)
                lines += [f"    AP_CHIP {type} {one.name}[{one.length}];" for type, one in rooms]
            lines += [
                f"    i64 {chunk} = AP_ITEM;",
                f"    if ({chunk} >= ap_chunks) return;",
                "#ifdef AP_EACH",
                f"    i64 {low} = ap_first + {chunk}, {high} = {low} + 1;",
                *self.block_test(chunk),
                "#else",
                f"    i64 {low} = ap_first + {chunk} * ap_trips / ap_chunks;",
                f"    i64 {high} = ap_first + ({chunk} + 1) * ap_trips / ap_chunks;",
                *(["    ap_bool ap_whole = 0;"] if self.items else []),
                "#endif",
            ]
        else:
            lines.append("    if (AP_ITEM != 0) return;")
        lines += [
            f"    i32 ap_found = ap_{name}({', '.join(handed)});",
            "    if (ap_found != 0) AP_WORST(ap_status, ap_found);",
            "}",
            "",
        ]
        return "\n".join(lines)

    def begun(self, name: str) -> list[str]:
        """The first lines of the entry.

        Where few work items go on together, there are few on the device: each may have as many
        registers as it can use, and so as many numbers on their way from memory.
        """
        if not 0 < self.items <= WARP:
            return [f"AP_KERNEL void {name}("]
        few = f"AP_KERNEL_OF({self.items})"
        return ["#ifdef AP_EACH", few, "#else", "AP_KERNEL", "#endif", f"void {name}("]

    def block_test(self, chunk: str) -> list[str]:
        """Lines that say whether all of a block run here, which is the same for each of them."""
        items = self.items
        if not items:
            return []
        last = f"{chunk} - {chunk} % {items} + {items}"
        tests = f"AP_GROUP == {items}", f"ap_first % {items} == 0", f"{last} <= ap_chunks"
        return [f"    ap_bool ap_whole = {' && '.join(tests)};"]


def _assigned(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _listed(parameters: Sequence[str]) -> list[str]:
    """Lines with these parameters."""
    text = ", ".join(p.replace(" ", "\0") for p in parameters)
    lines = textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="    ")
    return [line.replace("\0", " ") for line in lines]
