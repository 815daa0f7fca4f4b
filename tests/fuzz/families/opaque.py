"""What nobody can see through, in outer loops above all: prints and calls that keep a record."""

from __future__ import annotations

from .sketch import Sketch

_NOTE = (
    "def note(seen, *what):\n    seen.append([(type(w).__name__, w) for w in what])\n"
    "    return len(seen)\n"
)


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    sketch.setup += ["seen = [[]]", "J = values('float64', (n + 3,), 5)"]
    sketch.helpers["note"] = _NOTE
    sketch.reals.append(lambda: f"J[{sketch.place()}]")
    sketch.targets += [lambda: f"J[{sketch.place()}]", lambda: f"J[{sketch.mine()}]"]

    def tell() -> None:
        i, value = sketch.i(), sketch.real()
        sketch.write(
            pick(
                f"print({i}, {value})", f"note(seen, {i}, {value})", f"print(repr({value}), s)",
                f"seen.append({value})", f"q = note(seen, {i})", "note(seen, J.copy())",
                f"print(f'{{{i}}} {{s!r}}')", "seen += [s]",
            )
        )  # fmt: skip

    def outer() -> None:
        tell()
        if sketch.depth < 3:
            sketch.loop()

    def event() -> None:
        """Now and then: between two of them a loop is a nest."""
        i = sketch.i()
        when = (f"{i} % 3 == 0", f"{i} == 2", f"{sketch.truth()}", f"{i} % 2 and {sketch.truth()}")
        sketch.write(f"if {pick(*when)}:")
        with sketch.inside():
            if sketch.rarely(3):
                sketch.statement()
            tell()
            if sketch.rarely(4):
                sketch.write(pick("break", "break" if sketch.whiles else "continue"))
        if sketch.rarely(6):
            sketch.write("else:")
            with sketch.inside():
                sketch.statement()

    sketch.statements += [outer, outer, event, event, event]
    if sketch.rarely(3):
        sketch.statements.append(tell)
