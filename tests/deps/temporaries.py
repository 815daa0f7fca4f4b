"""Random nests with temporary arrays as Python text, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from drawn import sampled_from

SIZES = st.fixed_dictionaries(
    {"n": st.integers(-1, 4), "m": st.integers(-1, 4), "q": st.integers(-1, 3)}
)


@st.composite
def temporaries(draw, tests=False):
    """Nests that fill and read `t` and `u`, mostly, but not always, in this order."""

    def index(around):
        var = draw(sampled_from(around))
        return draw(
            sampled_from(
                [var, var, var, "0", "1", f"m - 1 - {var}", f"{var} - 1", f"{var} + 1", "m", "i",
                 f"2 * {var}", f"{var} // 2"]
            )
        )  # fmt: skip

    def element(around):
        if draw(st.integers(0, 3)) == 0:
            return f"u[{index(around)}, {index(around)}]"
        return f"t[{index(around)}]"

    def assign(around, pad):
        kind = draw(st.integers(0, 4))
        if kind <= 2:
            read = f" + {element(around)}" if draw(st.integers(0, 3)) == 0 else ""
            return [f"{pad}{element(around)} = b[i, {around[-1]}]{read}"]
        return [f"{pad}a[i, {around[-1]}] = {element(around)} * 3"]

    def statement(around, pad, depth):
        kind = draw(st.integers(0, 9))
        if depth and kind <= 5:
            var = "jkl"[2 - depth]
            low, high = draw(
                sampled_from(
                    [("0", "m")] * 4
                    + [
                        ("1", "m"),
                        ("0", "i + 1"),
                        ("i", "m"),
                        ("0", "n - i"),
                        ("0", "q"),
                        ("0", "3"),
                    ]
                    + [("0", "m, 2"), ("m - 1", "-1, -1"), ("0", "n * m"), ("0", "min(n, m)")]
                )
            )
            body = [s for _ in range(draw(st.integers(1, 2)))
                    for s in statement([*around, var], pad + "    ", depth - 1)]  # fmt: skip
            return [f"{pad}for {var} in range({low}, {high}):", *body]
        if tests and kind >= 8:
            test = draw(sampled_from(["i > 0", f"{around[-1]} < q", "b[i, 0] > 4", "q > 0"]))
            inner = draw(sampled_from(["write", "write", "break", "continue", "else"]))
            if inner in ("break", "continue") and len(around) + (inner == "continue") > 1:
                return [f"{pad}if {test}:", f"{pad}    {inner}"]
            out = [f"{pad}if {test}:", *assign(around, pad + "    ")]
            if inner == "else":
                same = draw(st.booleans())  # the same once more, so that both branches write it
                out += [f"{pad}else:", *(out[1:] if same else assign(around, pad + "    "))]
            return out
        return assign(around, pad)

    head = draw(
        sampled_from(
            ["for i in range(n):"] * 3
            + [
                "for i in range(n - 1, -1, -1):",
                "for i in range(0, n, 2):",
                "for i in range(q, n):",
            ]
            + ["for i in range(n * m):"]
        )
    )
    lines = [head]
    for _ in range(draw(st.integers(1, 4))):
        lines += statement(["i"], "    ", 2)
    if draw(st.integers(0, 2)) == 0:
        lines = ["for h in range(n - 1):", *("    " + line for line in lines)]
    return "\n".join(lines) + "\n"
