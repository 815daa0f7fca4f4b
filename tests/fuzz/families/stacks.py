"""Lists of which the program takes the last item."""

from __future__ import annotations

from .sketch import Sketch


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    given = pick("[1.5, 2.5, 0.5]", "[3, 1, 2]", "[0.5]", "[]")
    odd = pick(given, "[True, 2, 0.5]", "(1, 2)", "[(1, 2)]")
    sketch.setup.append(f"todo = {given if sketch.tame else odd}")
    sketch.setup.append("held = todo[:]")
    sketch.changes += ["todo = []", "held = todo = [4.5, 1.5]", "todo = list(range(9))"]
    if sketch.rarely(3):
        sketch.first.append(lambda: f"todo = {pick('[]', '[0.5, 1.5]', '[s]')}")

    def push() -> None:
        name = pick("todo", "todo", "todo", "held")
        sketch.write(f"{name}.append({sketch.real(pick(1, 0)) if sketch.tame else sketch.value()})")

    def pull() -> None:
        taken = pick("s = todo.pop()", "t = todo.pop()", "todo.pop()", "s = held.pop()")
        wild = pick(
            taken, "s += todo.pop()", "s = todo.pop(0)", "s = t = todo.pop()", "del todo[-1]"
        )
        guard = pick("if todo: ", "if len(todo) > 1: ", "") if not sketch.tame else "if todo: "
        sketch.write(guard + (taken if sketch.tame and "held" not in taken else wild))

    def drain() -> None:
        sketch.write(f"while {pick('todo', 'len(todo) > 0', 'len(todo) > 2')}:")
        with sketch.inside():
            sketch.write("top = todo.pop()")
            sketch.write(f"s = s * 0.5 + {pick('top', 'top * top', 'abs(top)')}")
            sketch.write(f"if {pick('1 < top < 50', '0.5 < abs(top) < 9')}:")
            with sketch.inside():
                sketch.write(f"todo.append(top {pick('* 0.5', '- 1', '// 2')})")
                if sketch.rarely(2):
                    sketch.write("todo.append(top * 0.25)")

    def own() -> None:
        pair = pick("(top * 0.5, deep + 1)", "(top - 1, deep + 1)")
        sketch.write(f"pairs = [({sketch.real(0)}, 0)]")
        sketch.write("while pairs:")
        with sketch.inside():
            sketch.write("top, deep = pairs.pop()")
            sketch.write("s = s * 0.5 + deep")
            sketch.write(f"if deep < {pick('3', '2')}: pairs.append({pair})")
            if sketch.rarely(2):
                sketch.write(f"if deep < 2: pairs.append({pair})")

    sketch.statements += [push, push, pull, pull, drain, own]
    sketch.wholes.append(lambda: "len(todo)")
    if sketch.rarely(2):
        sketch.reals.append(lambda: f"todo[{pick('-1', '0')}]")
