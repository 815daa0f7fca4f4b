"""Tuples of numbers: made, taken apart, swapped, kept."""

from __future__ import annotations

from .sketch import Head, Sketch


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    sketch.setup.append(
        f"pt = {pick('(0.5, 1.5)', '(1.5, 2.5)', *([] if sketch.tame else ['(0, 1)', '(1, 2.5)']))}"
    )
    pairs = pick(
        "[(k + 0.5, k * 0.5) for k in range(n)]", "((1, 2), (3, 4))",
        "[(k, k * 0.5) for k in range(n)]",
    )  # fmt: skip
    sketch.setup.append(f"pairs = {pairs}")
    sketch.setup.append("T = values('float64', (n + 3, 2), 3)")
    sketch.changes += ["pt = (1, 2)", "pt = [0.5, 1.5]", "pairs = []", "pt = (1.5, 2.5, 3.5)"]
    sketch.reals += [lambda: "pt[0]", lambda: "pt[1]", lambda: "pt[-1]"]
    sketch.targets.append(lambda: f"T[{sketch.place()}, {pick('0', '1')}]")
    sketch.heads.append(
        lambda name: Head(f"for u, v in {pick('pairs', 'T', 'pairs[1:]')}", (), ("u", "v"))
    )

    def make() -> None:
        sketch.write(f"pt = {sketch.real(1)}, {sketch.real()}")

    def apart() -> None:
        sketch.write(f"{pick('s, t', 'u, v', 't, s', 'q, s')} = {pick('pt', 'pt', 'T[0]', 'pt')}")

    def swap() -> None:
        one = sketch.real()
        sketch.write(pick("s, t = t, s", f"s, t = t, {one}", f"s, t = t, s + {one}",
                          "q, r = r, q", f"u = v = {one}", f"s, (t, q) = {one}, pt"))  # fmt: skip

    sketch.statements += [make, apart, swap, make, swap]
