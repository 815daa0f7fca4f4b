"""Lists of rows that grow: filled item by item, written out, copied, changed afterwards."""

from __future__ import annotations

from .sketch import Sketch


def join(sketch: Sketch) -> None:
    pick, write = sketch.pick, sketch.write
    old = pick("[]", "[]", "[]", "[[0.5, 1.5]]", "[(1, 0.5)]")
    sketch.setup.append(f"R = {old}")
    sketch.setup.append("v = [0.5, 1.5, 2.5]")
    sketch.changes += [
        "R = []",
        "R = [[1.5] * 3]",
        "v = R",
        "R = v = []",
        "row = [0.5]",
        "v[0] = 2",
    ]

    def value() -> str:
        return str(sketch.real(pick(1, 0)) if sketch.tame else sketch.value())

    def item() -> str:
        return str(pick(value, sketch.whole, value, sketch.truth)())

    def several() -> str:
        return ", ".join(item() for _ in range(pick(2, 3, 1)))

    def put(row: str) -> None:
        """A row at the end of the list, perhaps sometimes only."""
        if sketch.rarely(5):
            write(f"if {sketch.truth()}:")
            with sketch.inside():
                write(f"R.append({row})")
        else:
            write(f"R.append({row})")

    def fill() -> None:
        """A row, item by item."""
        write(f"row = [{pick('', '', '', value())}]")
        write(f"for f in range({pick('m', 'e', 'n', 'e, n', '1, e', 'n - 1 - e')}):")
        with sketch.inside():
            sketch.variables.append("f")
            form = sketch.number(0, 6)
            if form > 2:
                write(f"if {sketch.truth()}:")
                with sketch.inside():
                    write(f"row.append({value()})" if form < 6 else pick("break", "continue"))
                if form == 4:
                    write("else:")
                    with sketch.inside():
                        write(f"row.append({value()})")
            if form in (0, 1, 2, 6):
                write(f"row.append({value()})")
            del sketch.variables[-1]
        if sketch.rarely(8):
            write(pick("row.append(0.5)", "if e == 2: continue", "s += len(row)"))
        put("row")
        if sketch.rarely(8):
            write(
                pick("R.append(row)", "row.append(0.5)", "row[0] = 7", "q += len(row)", "v = row")
            )

    def write_out() -> None:
        """A row of few items."""
        form = sketch.number(0, 4)
        if form < 2:
            put(f"[{several()}]")
        elif form == 2:
            put(f"({several()},)")
        elif form == 3:
            put(pick("v[:]", "v[1:]", "list(v)", "v", "[x * 2 for x in v]", "[]"))
        else:
            write(f"row = [{several()}]")
            put("row")

    def change() -> None:
        """A row that is changed once it is in the list."""
        zero = pick("0.0", "0", value())
        put(pick(f"[{zero}] * m", f"[{zero} for _ in range(m)]", f"[{zero}, {zero}, {zero}]"))
        write("for f in range(m):")
        with sketch.inside():
            place = pick("e", "e", "-1", "e - 1", "0")
            sketch.variables.append("f")
            write(f"R[{place}][f] {pick('', '+', '-')}= {value()}")
            if sketch.rarely(3):
                write(f"s += R[{pick('e', '-1', '0')}][{pick('f', '0', '-1', 'f - 1')}]")
            del sketch.variables[-1]

    def rows() -> None:
        if sketch.rarely(3):
            write("R = []")
        write(f"for e in range({pick('n', 'm', 'n - 1')}):")
        with sketch.inside():
            sketch.variables.append("e")
            pick(fill, write_out, change, fill, change)()
            if sketch.rarely(6):
                pick(write_out, change)()
            del sketch.variables[-1]

    sketch.statements += [rows, rows, rows, rows]
    if sketch.rarely(2):
        sketch.loose = True
        sketch.first.append(lambda: rows() or "pass")
