"""Random nests as Python text, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from drawn import sampled_from

RANKS = {"A": 1, "B": 2, "C": 1, "idx": 1}
INTS = ("n", "m", "q")


@st.composite
def nests(draw, affine: bool = True, scalars: bool = False, leaves: bool = False):
    """A nest of one to three loops; `affine` keeps to what the analysis must get exactly."""
    names = iter(f"w{k}" for k in range(100))

    def atom(around):
        return draw(sampled_from([*around, *around, *INTS, "0", "1", "2"]))

    def index(around):
        kind = draw(st.integers(0, 9))
        if kind == 0 and around:
            one = draw(sampled_from(around))
            return draw(sampled_from([f"{one} // 2", f"({one} + 1) % 3", f"2 * {one}"]))
        if kind == 1 and not affine:
            return draw(sampled_from(["idx[{}]", "n * {}", "m * {} + 1"])).format(atom(around))
        if kind == 2 and scalars:
            return "s"
        if kind == 3:
            return f"{atom(around)} - {atom(around)}"
        if kind == 4:
            return f"-{atom(around)} + {atom(around)} + {draw(st.integers(-1, 2))}"
        shift = draw(sampled_from(["", "", " + 1", " - 1", " + q"]))
        return atom(around) + shift

    def element(around, arrays="ABC"):
        array = draw(sampled_from(arrays))
        return f"{array}[{', '.join(index(around) for _ in range(RANKS[array]))}]"

    def test(around):
        op = draw(sampled_from(["<", "<=", ">", ">=", "==", "!="]))
        one = f"{atom(around)} {op} {atom(around)}"
        kind = draw(st.integers(0, 5))
        if kind == 0:
            one = f"{one} {draw(sampled_from(['and', 'or']))} {atom(around)} < {atom(around)}"
        if kind == 1:
            one = f"not ({one} or {atom(around)} > 1)"
        if kind == 2 and not affine:
            one = f"{one} {draw(sampled_from(['and', 'or']))} A[{index(around)}] > 5"
        if kind == 3 and not affine:
            one = f"A[{index(around)}] > 5"
        return one

    def value(around):
        one = draw(st.integers(0, 5))
        if one == 0:
            return f"({element(around)} if {test(around)} else {element(around)} + 3)"
        if one == 1 and scalars:
            return f"{element(around)} * 3 + {draw(sampled_from('st'))}"
        if one == 2:
            return f"{element(around)} - 2 * {element(around)}"
        return f"{element(around)} * 5 + 1"

    def assign(around, pad):
        target = element(around)
        if scalars and draw(st.integers(0, 2)) == 0:
            target = draw(sampled_from("st"))
            if draw(st.booleans()):
                return [f"{pad}{target} = {draw(sampled_from('st'))} * 3 + {element(around)}"]
        return [f"{pad}{target} = {value(around)}"]

    def block(around, depth, pad, count):
        out = []
        for _ in range(count):
            kind = draw(st.integers(0, 9))
            if kind <= 2 and depth:
                out += loop(around, depth - 1, pad)
            elif kind == 3:
                out += [f"{pad}if {test(around)}:", *block(around, 0, pad + "    ", 1)]
                if draw(st.booleans()):
                    out += [f"{pad}else:", *block(around, depth, pad + "    ", 1)]
            elif kind == 4 and leaves:
                what = draw(sampled_from(["break", "continue", "continue"]))
                out += [f"{pad}if {test(around)}:"]
                if draw(st.booleans()):
                    out += assign(around, pad + "    ")
                out += [f"{pad}    {what}"]
            elif kind == 5 and not affine and scalars:
                name = next(names)
                out += [f"{pad}{name} = 0", f"{pad}while {name} < 2:"]
                out += [f"{pad}    {name} = {name} + 1"]
                out += block(around, draw(st.integers(0, depth)), pad + "    ", 1)
            else:
                out += assign(around, pad)
        return out

    def bounds(around):
        lows = ["0", "1", "m", *around]
        highs = ["n", "n", "3", "m + 2", *around, *(f"n - {x}" for x in around)]
        if scalars:
            highs.append("s % 4")
        if not affine:
            highs.append("A[0] % 4")
        low, high = draw(sampled_from(lows)), draw(sampled_from(highs))
        step = draw(sampled_from([1, 1, 1, 2, 3, -1, -2]))
        if step < 0:
            low, high = high, low
        return f"{low}, {high}, {step}" if step != 1 else f"{low}, {high}"

    def loop(around, depth, pad):
        free = [v for v in "ijk" if v not in around]
        if scalars and around:
            free = [draw(sampled_from(free)), "k"]
        if not free:
            return assign(around, pad)
        var = free[0]
        if var in around:
            return assign(around, pad)
        head = f"{pad}for {var} in range({bounds(around)}):"
        return [head, *block([*around, var], depth, pad + "    ", draw(st.integers(1, 2)))]

    head = f"for i in range({bounds([])}):"
    body = block(["i"], 2, "    ", draw(st.integers(1, 3)))
    return "\n".join([head, *body]) + "\n"


# ---------------------------------------------------------------------------- one by hand

FOUR_DEEP = """
for i in range(1, n):
    X[i] = Y[i] + 10
    for j in range(1, n):
        B[j] = A[j, m, m]
        for k in range(1, n):
            for l in range(1, n):
                A[j + p1, k, l] = B[j] + C[j, k, l]
        Y[i + j + p2] = A[j + p3, m, m]
"""
FOUR_DEEP_RANKS = {"X": 1, "Y": 1, "A": 3, "B": 1, "C": 3}
