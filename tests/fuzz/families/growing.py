"""Lists that the program makes and appends to."""

from __future__ import annotations

from . import nested
from .sketch import Head, Sketch


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    begin = pick("[]", "[]", "[0.5]", "[1, 2]" if not sketch.tame else "[0.5]", "list()")
    sketch.setup.append(f"old = {pick('[1.5, 2.5]', '[0.5]', '[3]')}")

    sketch.changes += ["old = []", "w = old = [0.5]", "old = [1]", "old[0] = 2"]

    def start() -> str:
        return f"w = {begin}"

    if sketch.rarely(2):
        sketch.first.append(start)
    else:
        sketch.setup.append(start() if not sketch.tame else "w = [0.5, 1.5]")
        if sketch.rarely(2):
            sketch.statements.append(lambda: sketch.write(f"w = {pick('[]', '[0.0] * n')}"))

    def append() -> None:
        value = sketch.real(pick(1, 0)) if sketch.tame else sketch.value()
        if not sketch.tame and sketch.rarely(5):
            value = pick("[s, t]", "(s, t)", f"[{value} for _ in range(3)]")
        sketch.write(f"{pick('w', 'w', 'w', 'old')}.append({value})")

    def chain() -> None:
        sketch.write(f"w.append(w[-1] + {sketch.real()})")

    def table() -> None:
        sketch.write("g = []")
        sketch.write(f"for e in range({pick('n', 'm', 'n - 1')}):")
        with sketch.inside():
            sketch.write("line = []")
            sketch.write(f"for f in range({pick('m', 'n', 'e')}):")
            with sketch.inside():
                sketch.variables += ["e", "f"]
                sketch.write(f"line.append({sketch.value()})")
                del sketch.variables[-2:]
            sketch.write("g.append(line)")

    sketch.statements += [append, append, append, append]
    if sketch.rarely(3):
        sketch.statements.append(chain)
    if sketch.rarely(4):
        sketch.statements.append(table)
    if sketch.rarely(3):
        sketch.reals += [lambda: f"w[{pick('-1', '0', place())}]"]
        sketch.wholes += [lambda: "len(w)"]
    if not sketch.tame and sketch.rarely(2):
        sketch.heads.append(lambda name: Head("for v in w[:3]", (), ("v",)))
    if not sketch.tame:
        sketch.statements.append(
            lambda: sketch.write(pick("w.pop()", "w.extend(old)", "w += [1.5]", "del w[0]"))
        )
    if sketch.rarely(3):
        nested.join(sketch)
