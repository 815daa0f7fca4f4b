"""Comprehensions, generators that are summed up or searched, `map` and `filter`."""

from __future__ import annotations

from .sketch import Sketch


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    sketch.setup.append(
        f"a = {pick('[0.5 * k for k in range(n)]', '[k - 2 for k in range(n)]', '[1.5, 2.5] * 3')}"
    )
    sketch.setup.append(f"b = values({pick('float64', 'int64', 'float32')!r}, (n,), 6)")
    sketch.changes += ["a = []", "a = (1.5, 2.5)", "a = [1]", "b = b[:2]", "a = b"]
    sketch.helpers["half"] = "def half(v): return v / 2\n"
    sketch.helpers["big"] = "def big(v): return v > 0.5\n"

    def text(*templates: str) -> str:
        """One of them, over what `v` goes through."""
        source = pick(
            "a",
            "b",
            "a",
            "a" if sketch.tame else "a[1:]",
            "range(n)",
            "range(m)",
            "reversed(a)",
            "(1.5, 2.5)",
        )
        sketch.items.append("v")
        test = sketch.text("", "", " if v > {real}", " if v")
        item = sketch.text("v", "{value}", "v * {small}", "v + 1", "({value}, v)[1]")
        sketch.items.pop()
        made = pick(
            f"{item} for v in {source}{test}", f"{item} for v in {source}{test}",
            f"u * v for u, v in zip(a, {source})", "u - v for u in a for v in b",
            f"k * v for k, v in enumerate({source})", f"{item} for v in {source}",
        )  # fmt: skip
        clause = f"for v in {source}{test}"
        return sketch.text(*templates, made=made, item=item, clause=clause)

    def total() -> str:
        name = pick("sum", "max", "min", "sum")
        start = ("0.0", "5", "s") if name == "sum" else ("default=0.0", "default=s")
        return text(
            f"{name}({{made}})", f"{name}([{{made}}])", "len([{made}])", f"{name}({{made}})",
            f"{name}(({{made}}), {pick(*start)})", f"{name}(map(half, a))", f"{name}(a)",
        )  # fmt: skip

    def question() -> str:
        test = sketch.text("v > {real}", "v", "v == {whole}")
        return f"{pick('any', 'all')}({test} for v in {pick('a', 'b')})"

    def make() -> None:
        made = text(
            "[{made}]", "[{made}]", "list(map(half, a))", "list(filter(big, a))",
            "[[{item} {clause}] for k in range(n)]", "tuple({made})", "list({made})",
            "{k: v {clause} for k in range(2)}", "sorted(a)" if not sketch.tame else "[{made}]",
            "[v for v in a]" if sketch.tame else "[v for v in a][::-1]",
            "list(map(lambda v: v + c, a))", "np.array([{made}])",
            "[[v * k for v in a] for k in b]",
        )  # fmt: skip
        sketch.write(f"{pick('oo', 'pp')} = {made}")

    sketch.reals += [total, total]
    sketch.truths += [question]
    sketch.statements += [make, make, lambda: sketch.write(f"{pick('s', 'q', 't')} = {total()}")]
    sketch.statements += [lambda: sketch.write(f"q = {question()}")]
    sketch.loose = sketch.rarely(3)
    if sketch.loose:
        sketch.first += [lambda: f"{pick('oo', 'pp')} = {text('[{made}]')}"]
        sketch.first += [lambda: f"{pick('s', 'q')} = {total()}"] * pick(1, 0, 2)
