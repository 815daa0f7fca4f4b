"""Statements of kernel text in C, and the helpers that they call."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from autopar.cpu.evaluate import BINARY, Array
from autopar.cpu.lower import definition_of
from autopar.device.evaluate import CHECKED, Answer, Evaluation, Memory, refuse, unknown
from autopar.device.naming import spelled
from autopar.device.unrolling import Lengths
from autopar.device.values import Value, binary, fitted, kind, stated, width


class Function(Evaluation):
    """Statements of one function.

    Parameters
    ----------
    helpers
        Text of functions that are called, by name; filled as they are met.
    elementary
        As for `Evaluation`.

    Attributes
    ----------
    items
        How many work items go on together somewhere in it; 0: nowhere.
    lengths
        Of its loops.
    """

    def __init__(
        self, helpers: dict[str, tuple[str, tuple[str, ...]]], elementary: Collection[str]
    ) -> None:
        super().__init__(elementary)
        self.helpers = helpers
        self.lines: list[str] = []
        self.depth = 1
        self.fresh = 0
        self.items = 0
        self.lengths = Lengths()
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
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Name(id="onchip_"),
                    args=[ast.Constant(value=str() as dtype), ast.Constant(value=int() as length)],
                ),
            ):
                kept = Memory(Array(dtype, 1, "C"), spelled(name), length, shared=True)
                self.scope.names[name] = kept
            case ast.Assign(
                targets=[ast.Tuple(elts=names)],
                value=ast.Call(func=ast.Name(id="word_"), args=[ast.Subscript() as cell]),
            ):
                self.read_word(names, cell)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Name(id="put_word_"), args=[ast.Subscript() as cell, *values]
                )
            ):
                self.put_word(cell, values)
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
            case ast.If(
                test=ast.Call(
                    func=ast.Name(id="together_"),
                    args=[ast.Constant(value=int() as items), test],
                ),
                body=body,
                orelse=orelse,
            ):
                self.together(items, test, body, orelse)
            case ast.If(test=test, body=body, orelse=orelse):
                self.write(f"if ({bare(self.condition(test))}) {{")
                self.block(body)
                if orelse:
                    self.write("} else {")
                    self.block(orelse)
                self.write("}")
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(ast.Name("range" | "apart_"), args=args)
            ):
                self.counted(name, args, stmt.body)
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(
                    ast.Name("unrolled_"),
                    args=[ast.Constant(value=int() as many), ast.expr() as end],
                ),
            ):
                self.write(f"#pragma unroll {many}")
                self.counted(name, [end], stmt.body)
            case ast.While(test=test, body=body):
                self.write(f"while ({bare(self.condition(test))}) {{")
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
            case ast.Expr(value=ast.Call(func=ast.Name(id="meet_"))):
                self.write("AP_MEET;")
            case ast.Expr(value=ast.Call(func=ast.Name()) as call):
                refuse(call)
                raise unknown(stmt)
            case _:
                raise unknown(stmt)

    def together(
        self, items: int, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
    ) -> None:
        """What a block of work items does where they run together and `test` holds in each.

        Chunks of more than one iteration are not such a block.
        """
        assert self.items in (0, items)  # a kernel is launched in groups of one size
        self.items = items
        self.write("#ifdef AP_EACH")
        true = isinstance(test, ast.Constant)
        asked = "" if true else f" && ap_all(ap_flag, {bare(self.condition(test))})"
        self.write(f"if (ap_whole{asked}) {{")
        self.block(body)
        self.write("} else")
        self.write("#endif")
        self.write("{")
        self.block(orelse)
        self.write("}")

    def read_word(self, names: Sequence[ast.expr], cell: ast.Subscript) -> None:
        """The cells from `cell` on, which lies as words do."""
        memory, place = self.element(cell)
        dtype, bits = memory.kind.dtype, 8 * width(memory.kind.dtype)
        held, word = self.temporary(), f"u{bits * len(names)}"
        self.scope.declared.append(f"{word} {held}")
        self.write(f"{held} = *(AP_GLOBAL {word} *)&{place};")
        for k, one in enumerate(names):
            assert isinstance(one, ast.Name)
            part = f"({held} >> {bits * k})" if k else held
            part = f"(u8){part} != 0" if dtype == "bool" else f"({kind(dtype)}){part}"
            self.write(f"{self.target(one.id, dtype)} = {part};")

    def put_word(self, cell: ast.Subscript, values: Sequence[ast.expr]) -> None:
        """Store into the cells from `cell` on, which lies as words do."""
        memory, place = self.element(cell)
        self.scope.written.add(memory.name)
        dtype, bits = memory.kind.dtype, 8 * width(memory.kind.dtype)
        word = f"u{bits * len(values)}"
        texts = (fitted(self.value(value), dtype).text for value in values)
        wide = (f"({word})(u{bits}){text}" for text in texts)
        parts = (f"{text} << {bits * k}" if k else text for k, text in enumerate(wide))
        self.write(f"*(AP_GLOBAL {word} *)&{place} = {' | '.join(parts)};")

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
                self.lengths.assigned(name, answer.text)
                text = self.target(name, answer.dtype, answer.literal is not None)
                known = self.scope.names[name]
                assert isinstance(known, Value)
                self.write(f"{text} = {bare(fitted(answer, known.dtype).text)};")
            case ast.Subscript(), Value():
                memory, place = self.element(target)
                dtype = memory.kind.dtype
                self.scope.written.add(memory.name)
                self.write(f"{place} = {bare(fitted(answer, dtype).text)};")
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
        variable = self.target(name, "int64")
        with self.lengths.loop(self.lines, start, stop if step == "1" else ""):
            self.write(f"for ({head}; {test}; {at} += {step}) {{")
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
            self.write(f"return {bare(fits[0])};")
            return
        for k, text in enumerate(fits):
            self.write(f"*ap_r{k} = {bare(text)};")
        self.write("return;")

    # ------------------------------------------------------------------ helpers

    def helper(self, name: str, args: list[Value]) -> Answer:
        """The answer of a helper, which is a function of its own for each dtypes of a call."""
        full = "_".join(("ap", name, *(a.dtype for a in args)))
        if full not in self.helpers:
            made = Function(self.helpers, self.elementary)
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


def bare(text: str) -> str:
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
