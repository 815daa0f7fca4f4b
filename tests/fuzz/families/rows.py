"""Lists of lists: rows that are named, swapped, gone through, shared and of different lengths."""

from __future__ import annotations

from .sketch import Head, Sketch

_TABLES = (
    "[[k * 0.5 - j for j in range(n + 3)] for k in range(n + 3)]",
    "[[k - j for j in range(n + 3)] for k in range(n + 3)]",
    "[[0] * (n + 3) for k in range(n + 3)]",
    "[[k * 1.5] * (n + 3) for k in range(n + 3)]",
    "[[k, 0.5, j] * 3 for k in range(n + 3) for j in range(2)]",
    "[[1.5] * (n + 3)] * (n + 3)",
    "[[k * 0.5] * (k + 3) for k in range(n + 3)]",
    "[values('float64', (n + 3,), k) for k in range(n + 3)]",
    "[tuple(range(n + 3)) for k in range(n + 3)]",
)


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    table = pick(*_TABLES[: 4 if sketch.tame else None])
    sketch.setup.append(f"L = {table}")
    sketch.setup.append(f"K = {pick('[row[:] for row in L]', 'L', 'L[::-1]', 'L[:]')}")
    sketch.setup.append("row = L[1]")
    sketch.changes += [
        "L[1] = L[0]",
        "L[1] = L[1][:2]",
        "K = L",
        *([] if "tuple(" in table else ["L[2][1] = 7"]),
        "row = L[2]",
        "L = L[:3]",
        "L[0] = None",
    ]
    sketch.reals += [
        lambda: f"L[{place()}][{place()}]", lambda: f"K[{place()}][{place()}]",
        lambda: f"row[{place()}]",
    ]  # fmt: skip
    sketch.wholes += [lambda: "len(L)", lambda: f"len(L[{place()}])"]
    sketch.counts.append(lambda: "len(L[0]) - 3")

    def mine() -> str:
        return "][".join([*sketch.variables, "0", "1"][:2])

    sketch.targets += [
        lambda: f"L[{mine()}]", lambda: f"L[{place()}][{place()}]", lambda: f"L[{mine()}]",
    ]  # fmt: skip
    if sketch.rarely(3):
        sketch.targets += [lambda: f"row[{place()}]"]
    sketch.heads += [
        lambda name: Head("for row in L"),
        lambda name: Head(f"for {name}, row in enumerate({pick('L', 'K')})", (name,)),
        lambda name: Head(f"for v in {pick('row', f'L[{place()}]')}", (), ("v",)),
    ]

    def name_row() -> None:
        sketch.write(f"row = {pick('L', 'K', 'L')}[{place()}]")

    def make_row() -> None:
        made = f"[{sketch.real()} for _ in range(n + 3)]"
        sketch.write(f"{pick('row', f'L[{place()}]', 'row')} = {pick(made, '[0.5] * (n + 3)')}")

    def swap() -> None:
        one, two = pick(("L", "K"), (f"L[{place()}]", f"L[{place()}]"))
        sketch.write(f"{one}, {two} = {two}, {one}")

    def make_table() -> None:
        sketch.write(f"C = [[{pick('0', '0.0', 'c')}] * n for _ in range(n)]")

    sketch.statements += [name_row, name_row, make_row]
    if sketch.rarely(3):
        sketch.statements.append(swap)
    if sketch.rarely(3):
        sketch.first.append(lambda: f"C = [[{pick('0', '0.0', 'c')}] * n for _ in range(n)]")
        sketch.targets += [lambda: f"C[{mine()}]", lambda: f"C[{place()}][{place()}]"]
        sketch.reals += [lambda: f"C[{place()}][{place()}]"]
