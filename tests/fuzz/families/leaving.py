"""Loops that end early or with an exception, that go on until something holds, and their `else`."""

from __future__ import annotations

from .sketch import Head, Sketch


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    sketch.setup.append("Z = values('float64', (n + 3,), 3)")
    sketch.setup.append(f"zeros = {pick('[1, 2, 0, 1] * 3', '[1.5, 0.0, 2.0] * 4', '[1] * 12')}")
    sketch.changes += ["zeros = [1] * 20", "zeros[1] = 0", "Z = Z[:3]"]
    sketch.reals += [lambda: f"Z[{place()}]"]
    sketch.targets += [lambda: f"Z[{place()}]", lambda: f"Z[{sketch.mine()}]"]

    def leave() -> None:
        i = sketch.i()
        how = [
            "break", *["break" if sketch.whiles else "continue"] * 2, "break",
            f"raise ValueError({i})", f"raise IndexError(f'{{{i}}} {{s!r}}')",
        ]  # fmt: skip
        sketch.write(f"if {sketch.truth()}:")
        with sketch.inside():
            if sketch.rarely(3):
                sketch.statement()
            sketch.write(pick(*how))

    def fail() -> None:
        i = sketch.i()
        sketch.write(
            pick(
                f"assert {sketch.truth()}, ({i}, s)", f"s += 1 / zeros[{place()}]",
                f"s = {i} // zeros[{place()}]", f"s = math.sqrt({sketch.real()})",
                f"s = Z[{i} + 5]", f"q = int({sketch.real()} * 1e30)", f"r = r * 3 + {i}",
                f"s = math.log({sketch.real()} - 0.5)", f"q = {i} % zeros[{place()}]",
                f"Z[{i}] = zeros[{i} * 3]", f"s = 2.5 ** ({sketch.real()} * 999)",
            )
        )  # fmt: skip

    def converging(name: str) -> Head:
        test = pick("s > 0.1", "abs(s - t) > 0.5", f"s < {sketch.real()}", f"not {sketch.truth()}")
        step = pick("s *= 0.5", "s, t = t, s * 0.5", "s = s / 2 + 0.01")
        return Head(f"while {test} and {name} < 9", (name,), (), (f"{name} = 0", "s = 3.5"),
                    (step, f"{name} += 1"))  # fmt: skip

    sketch.statements += [leave, leave, fail]
    sketch.heads += [converging]
    if sketch.rarely(3):
        sketch.heads += [lambda name: Head(f"while True and {name} < 7", (name,), (),
                                           (f"{name} = -1",), (f"{name} += 1",))]  # fmt: skip
