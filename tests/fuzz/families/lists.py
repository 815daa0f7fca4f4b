"""Lists and tuples of numbers, two names of one list among them."""

from __future__ import annotations

from .sketch import Head, Sketch

_FLOATS = (
    "[0.5 * k - 1 for k in range(n + 3)]",
    "[1.5] * (n + 3)",
    "[float(v) for v in values('float64', (n + 3,), 4)]",
    "[-0.0, 1.0] * 5",
    "list(values('float64', (n + 3,), 4))",
    "[k if k == 2 else k / 2 for k in range(n + 3)]",
    "[float('nan'), 1e308, -1e308] * 4",
)
_INTEGERS = (
    "[(3 * k) % 5 for k in range(n + 3)]",
    "[0] * (n + 3)",
    "list(range(n + 3))",
    "[k % 2 == 0 for k in range(n + 3)]",
    "[2**62, -3, 5, 2**63 - 1] * 3",
    "[1, 2**70, 3] * 4",
)


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    cut = None if not sketch.tame else -2
    sketch.setup.append(f"x = {pick(*_FLOATS[:cut])}")
    sketch.setup.append(f"y = {pick(*_INTEGERS[:cut])}")
    sketch.setup.append(f"z = {pick('x[:]', 'tuple(x)', 'x', 'y')}")
    sketch.changes += [
        "x = [1, 2, 3] * 5",
        "z = x",
        "x[2] = 7",
        "x = tuple(x)",
        "x = x[:4]",
        "y[1] = 2.5",
        "x[1] = None",
    ]
    sketch.reals += [lambda: f"x[{place()}]", lambda: f"z[{place()}]"]
    sketch.wholes += [lambda: f"y[{place()}]", lambda: f"y[{place()}]", lambda: "len(x)"]
    sketch.truths.append(lambda: f"y[{place()}]")
    sketch.targets += [lambda: f"x[{place()}]", lambda: f"x[{sketch.mine()}]"]
    if sketch.rarely(3):
        sketch.targets.append(lambda: f"z[{place()}]")
    sketch.counts.append(lambda: str(pick("len(x) - 3", "len(y)", "len(z) - 3")))
    sketch.heads += [
        lambda name: Head(f"for v in {pick('x', 'z')}", (), ("v",)),
        lambda name: Head(f"for {name}, v in enumerate(x)", (name,), ("v",)),
    ]

    def count() -> None:
        sketch.write(f"y[{place()}] {pick('+', '', '-')}= {sketch.whole(pick(1, 0))}")

    def swap() -> None:
        name, one, two = pick("x", "y"), place(), place()
        sketch.write(f"{name}[{one}], {name}[{two}] = {name}[{two}], {name}[{one}]")

    def rename() -> None:
        sketch.write(pick("x, z = z, x", "z = x", "v = x[-1]", "x = z", "y = [1] * (n + 3)"))

    sketch.statements += [count, count, swap]
    if sketch.rarely(3):
        sketch.statements.append(rename)
