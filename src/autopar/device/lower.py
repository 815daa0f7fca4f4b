"""Kernel text as C for a device: the same text that the CPU's kernels are made of.

So what a kernel computes, cast by cast, is decided in one place, and this room decides only how it
is spelled.  A kernel's function stays as it is, and an entry in front of it, which is what a device
runs, hands each work item its chunk of the loop and keeps the greatest status of all.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from typing import Literal

from autopar.cpu.evaluate import BINARY, Array, Parameter
from autopar.cpu.lower import definition_of
from autopar.device.dialect import Dialect
from autopar.device.evaluate import CHECKED, Answer, Evaluation, Memory, refuse, unknown
from autopar.device.naming import spelled
from autopar.device.values import PARTS, Untaken, Value, binary, cast, fitted, kind, stated
from autopar.device.words import called, written
from autopar.kernel import Kernel
from autopar.records import dataclass
from autopar.verdict import Reason, Refusal, Span

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
        Of an array where it is, the byte at which it begins there, an extent or a stride; of a
        number its value, or the parts of a complex one.
    axis
        Of an extent or a stride.
    dtype
        Of a number.
    """

    place: int
    part: Literal["data", "offset", "n", "s", "number", "re", "im"]
    axis: int = 0
    dtype: str = "int64"


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel in C.

    Attributes
    ----------
    entry
        Name of what a device runs.  Its arguments: where the greatest status is kept, for
        `parallel` ones the iterations of the loop and in how many chunks, and `arguments`.
    written
        Which parameters are arrays that it writes to.
    """

    entry: str
    text: str
    parallel: bool
    arguments: tuple[Argument, ...]
    written: frozenset[int]


def lower(kernel: Kernel, parameters: Sequence[Parameter], dialect: Dialect) -> Source | Refusal:
    """`kernel` in C.

    Parameters
    ----------
    parameters
        Of all arguments, as for `cpu.lower`.

    Raises
    ------
    TypeError, NotImplementedError
        Its text is not in the language.
    """
    (function,) = ast.parse(kernel.text).body
    assert isinstance(function, ast.FunctionDef)
    own = 4 if kernel.parallel else 1  # stop, chunk, lo, hi; or stop
    try:
        for reduction in kernel.copied:
            raise Untaken(f"each part of the loop would need a {reduction.name} of its own")
        return _Kernel(function, parameters, own).source(dialect)
    except Untaken as untaken:
        return Refusal(Reason.DEVICE, Span("", 0), str(untaken))


class _Function(Evaluation):
    """Statements of one function.

    Parameters
    ----------
    helpers
        Text of functions that are called, by name; filled as they are met.
    """

    def __init__(self, helpers: dict[str, tuple[str, tuple[str, ...]]]) -> None:
        super().__init__()
        self.helpers = helpers
        self.lines: list[str] = []
        self.depth = 1
        self.fresh = 0
        self.results: tuple[str, ...] = ()

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def temporary(self) -> str:
        self.fresh += 1
        return f"ap_{self.fresh}"

    # ------------------------------------------------------------------ statements

    def block(self, body: Sequence[ast.stmt]) -> None:
        self.depth += 1
        for stmt in body:
            self.statement(stmt)
        self.depth -= 1

    def statement(self, stmt: ast.stmt) -> None:
        match stmt:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Name(id="room_"),
                    args=[ast.Constant(value=str() as dtype), ast.Constant(value=int() as length)],
                ),
            ):
                own = Memory(Array(dtype, 1, "C"), spelled(name), length)
                self.scope.names[name] = own
                self.scope.declared.append(f"{kind(dtype)} {own.name}[{length}]")
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=value), ast.Name(id=over)])],
                value=ast.Call(func=ast.Name(id=word), args=args),
            ) if word in CHECKED:
                call = self.checked(word, args)
                targets = self.target(value, CHECKED[word]), self.target(over, "bool")
                self.write(f"{call}, {', '.join(f'&{t}' for t in targets)});")
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                self.store(target, self.answer(value))
            case ast.AugAssign(target=ast.Name(id=name), op=ast.BitOr(), value=value) if (
                self.name(name).dtype == "bool"
            ):
                held = self.name(name).text
                self.write(f"{held} = {held} | {self.condition(value)};")
            case ast.AugAssign(target=target, op=op, value=value):
                here = self.value(_read(target))
                self.store(target, binary(BINARY[type(op)], here, self.value(value)))
            case ast.If(test=ast.Call(func=ast.Name(id="stopped_"))):
                pass  # who launches looks between kernels
            case ast.If(test=test, body=body, orelse=orelse):
                self.write(f"if ({_bare(self.condition(test))}) {{")
                self.block(body)
                if orelse:
                    self.write("} else {")
                    self.block(orelse)
                self.write("}")
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(ast.Name("range" | "apart_"), args=args)
            ):
                self.counted(name, args, stmt.body)
            case ast.While(test=test, body=body):
                self.write(f"while ({_bare(self.condition(test))}) {{")
                self.block(body)
                self.write("}")
            case ast.Break():
                self.write("break;")
            case ast.Continue():
                self.write("continue;")
            case ast.Return(value=ast.expr() as value):
                self.returns(self.answer(value))
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call(func=ast.Name()) as call):
                refuse(call)
                raise unknown(stmt)
            case _:
                raise unknown(stmt)

    def target(self, name: str, dtype: str, taken: bool = False) -> str:
        """The variable `name`, which the first value that is assigned makes one of that dtype.

        Parameters
        ----------
        taken
            Whether a value of any dtype is taken: a literal.
        """
        known = self.scope.names.get(name)
        if known is None:
            known = self.scope.names[name] = Value(dtype, spelled(name))
            self.scope.declared.append(f"{kind(dtype)} {known.text}")
        if isinstance(known, Memory) or (known.dtype != dtype and not taken):
            raise TypeError(f"{name} changes its type")
        return known.text

    def store(self, target: ast.expr, answer: Answer) -> None:
        match target, answer:
            case ast.Tuple(elts=targets), tuple():
                # All are known before the first is stored.
                held = []
                for value in answer:
                    name = self.temporary()
                    self.scope.declared.append(f"{kind(value.dtype)} {name}")
                    self.write(f"{name} = {value.text};")
                    held.append(Value(value.dtype, name, value.literal))
                for one, value in zip(targets, held, strict=True):
                    self.store(one, value)
            case ast.Name(id=name), Value():
                text = self.target(name, answer.dtype, answer.literal is not None)
                known = self.scope.names[name]
                assert isinstance(known, Value)
                self.write(f"{text} = {_bare(fitted(answer, known.dtype).text)};")
            case ast.Subscript(), Value():
                memory, place = self.element(target)
                dtype = memory.kind.dtype
                self.scope.written.add(memory.name)
                self.write(f"{place} = {_bare(fitted(answer, dtype).text)};")
            case _:
                raise unknown(target)

    def counted(self, name: str, args: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        """``for name in range(…)``, whose bounds and step stay within ``2**62``.

        The variable may be assigned in the body, so something else counts.
        """
        bounds = [self.integer(a) for a in args]
        start = bounds[0] if len(bounds) > 1 else "0"
        stop = bounds[1] if len(bounds) > 1 else bounds[0]
        at, end, step = (self.temporary() for _ in range(3))
        head = f"i64 {at} = {start}, {end} = {stop}"
        match args[2:]:
            case []:
                step, test = "1", f"{at} < {end}"
            case [ast.Constant(value=int() as known)]:
                step, test = str(known), f"{at} {'<' if known > 0 else '>'} {end}"
            case _:
                head += f", {step} = {bounds[2]}"
                test = f"{step} > 0 ? {at} < {end} : {at} > {end}"
        self.write(f"for ({head}; {test}; {at} += {step}) {{")
        variable = self.target(name, "int64")
        self.depth += 1
        self.write(f"{variable} = {at};")
        self.depth -= 1
        self.block(body)
        self.write("}")

    def returns(self, answer: Answer) -> None:
        """``return`` of a helper: of several values, each goes where the caller wants it."""
        parts = answer if isinstance(answer, tuple) else (answer,)
        self.results = self.results or tuple(part.dtype for part in parts)
        fits = [fitted(p, d).text for p, d in zip(parts, self.results, strict=True)]
        if len(fits) == 1:
            self.write(f"return {_bare(fits[0])};")
            return
        for k, text in enumerate(fits):
            self.write(f"*ap_r{k} = {_bare(text)};")
        self.write("return;")

    # ------------------------------------------------------------------ helpers

    def helper(self, name: str, args: list[Value]) -> Answer:
        """The answer of a helper, which is a function of its own for each dtypes of a call."""
        full = "_".join(("ap", name, *(a.dtype for a in args)))
        if full not in self.helpers:
            made = _Function(self.helpers)
            text = made.whole(definition_of(name), full, args)
            self.helpers[full] = text, made.results
        _, results = self.helpers[full]
        texts = [stated(a).text for a in args]
        if len(results) == 1:
            return Value(results[0], f"{full}({', '.join(texts)})")
        found = []
        for dtype in results:
            held = self.temporary()
            self.scope.declared.append(f"{kind(dtype)} {held}")
            found.append(Value(dtype, held))
        self.write(f"{full}({', '.join((*texts, *(f'&{v.text}' for v in found)))});")
        return tuple(found)

    def whole(self, function: ast.FunctionDef, name: str, args: Sequence[Value]) -> str:
        """Text of a helper that is called with such values."""
        names = [arg.arg for arg in function.args.args]
        for arg, value in zip(names, args, strict=True):
            self.scope.names[arg] = Value(value.dtype, spelled(arg))
        self.depth = 0
        self.block(function.body)
        given = [f"{kind(v.dtype)} {spelled(n)}" for n, v in zip(names, args, strict=True)]
        result = kind(self.results[0])
        if len(self.results) > 1:
            given += [f"{kind(d)} *ap_r{k}" for k, d in enumerate(self.results)]
            result = "void"
        own = [f"    {one};" for one in self.scope.declared]
        head = f"AP_FUNCTION {result} {name}({', '.join(given)}) {{"
        return "\n".join([head, *own, *self.lines, "}", ""])


class _Kernel(_Function):
    """A kernel; `own` is the number of its arguments that its entry makes."""

    def __init__(
        self, function: ast.FunctionDef, parameters: Sequence[Parameter], own: int
    ) -> None:
        super().__init__({})
        self.function = function
        names = [arg.arg for arg in function.args.args]
        assert len(names) == len(parameters)
        self.own = names[:own]
        self.given = list(zip(names[own:], parameters[own:], strict=True))

    def returns(self, answer: Answer) -> None:
        assert isinstance(answer, Value)
        self.write(f"return {_bare(cast(answer, 'int64').text)};")

    def source(self, dialect: Dialect) -> Source:
        """The whole text, for one kind of device."""
        for name in self.own:
            self.scope.names[name] = Value("int64", spelled(name))
        for name, parameter in self.given:
            held = spelled(name)
            if isinstance(parameter, Array):
                if not parameter.aligned:
                    raise Untaken("an array is not aligned")
                self.scope.names[name] = Memory(parameter, held)
            else:
                self.scope.names[name] = Value(parameter.dtype, held)
        self.depth = 0
        self.block(self.function.body)
        self.fits()
        body = self.text()
        helpers = "\n".join(text for text, _ in self.helpers.values())
        words = written(called(helpers + body), dialect)
        text = "\n".join(part for part in (dialect.head, words, helpers, body) if part)
        parallel = len(self.own) > 1
        names = self.scope.written
        stored = frozenset(k for k, (n, _) in enumerate(self.given) if spelled(n) in names)
        return Source(self.function.name, text, parallel, self.arguments(), stored)

    def fits(self) -> None:
        """Raise `Untaken` where a work item would need too much memory of its own."""
        import numpy as np

        rooms = [m for m in self.scope.names.values() if isinstance(m, Memory) and m.length]
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
                used = [(w, axis) for n, w, axis in self.scope.used if n == held]
                found += [
                    Argument(place, which, axis)
                    for which in ("n", "s")
                    for axis in range(parameter.ndim)
                    if (which, axis) in used
                ]
            elif parameter.dtype in PARTS:
                dtype = PARTS[parameter.dtype]
                found += [Argument(place, "re", 0, dtype), Argument(place, "im", 0, dtype)]
            else:
                found.append(Argument(place, "number", 0, parameter.dtype))
        return tuple(found)

    def text(self) -> str:
        """The kernel's function and its entry."""
        name = self.function.name
        inner = [f"i64 {spelled(n)}" for n in self.own[1:]]
        outer, handed = ["AP_GLOBAL i32 *ap_status"], [spelled(n) for n in self.own[1:]]
        if self.own[1:]:
            outer += ["i64 ap_trips", "i64 ap_chunks"]
        for argument in self.arguments():
            key, parameter = self.given[argument.place]
            held = spelled(key)
            match argument.part:
                case "data":
                    inner.append(f"AP_GLOBAL char *{held}")
                    outer.append(f"AP_GLOBAL char *{held}")
                case "offset":
                    outer.append(f"i64 ap_at_{held}")
                    handed.append(f"{held} + ap_at_{held}")
                case "n" | "s":
                    size = f"ap_{argument.part}{argument.axis}_{held}"
                    inner.append(f"i64 {size}")
                    outer.append(f"i64 {size}")
                    handed.append(size)
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
            f"AP_FUNCTION i32 ap_{name}(",
            *_listed(inner or ["void"]),
            ") {",
            *(f"    {one};" for one in self.scope.declared),
            *self.lines,
            "}",
            "",
            f"AP_KERNEL void {name}(",
            *_listed(outer),
            ") {",
        ]
        if self.own[1:]:
            _, chunk, low, high = map(spelled, self.own)
            lines += [
                f"    i64 {chunk} = AP_ITEM;",
                f"    if ({chunk} >= ap_chunks) return;",
                # Where there is one chunk for each iteration, the product may be too large.
                f"    i64 {low} = ap_chunks == ap_trips"
                f" ? {chunk} : {chunk} * ap_trips / ap_chunks;",
                f"    i64 {high} = ap_chunks == ap_trips"
                f" ? {chunk} + 1 : ({chunk} + 1) * ap_trips / ap_chunks;",
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


def _listed(parameters: Sequence[str]) -> list[str]:
    """Lines with these parameters."""
    text = ", ".join(p.replace(" ", "\0") for p in parameters)
    lines = textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="    ")
    return [line.replace("\0", " ") for line in lines]


def _bare(text: str) -> str:
    """`text` without parentheses around all of it."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and k < len(text) - 1:
            return text
    return text[1:-1]


def _read(target: ast.expr) -> ast.expr:
    """The same place, read instead of written."""
    return ast.parse(ast.unparse(target), mode="eval").body
