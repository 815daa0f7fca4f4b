"""Arrays and lists in order: windows, medians, places, sorts in place."""

from __future__ import annotations

from .sketch import Sketch

_DTYPES = ("float64", "float64", "int64", "float32", "uint8", "bool")


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    wild = ", True" if not sketch.tame else ""
    sketch.setup.append(f"C = values({pick(*_DTYPES)!r}, (n + 3,), 5{wild})")
    sketch.setup.append(f"DD = values({pick('float64', 'int64')!r}, (n + 3, n + 3), 6{wild})")
    some = pick("[3, 1, 2] * 3", "[0.5, 0.25, -1.0] * 4", "[0.0, -0.0, 1.0] * 3")
    sketch.setup.append(
        f"u = {some if sketch.tame else pick(some, '[1, 0.5, True] * 3', '(3, 1)')}"
    )
    sketch.changes += [
        "C = C[::-1]",
        "C[1] = 0",
        "DD = DD.T",
        "u = u[1:]",
        "u = [float('nan'), *u[1:]]",
    ]

    def part() -> str:
        row = f"DD[{place()}]"
        window = f"DD[{pick('1', '0', place())}:{pick('3', '2', 'n')}, 1:{pick('4', '3', 'n')}]"
        return pick("C", "C[1:4]", "C[:n]", row, f"{row} * 2", "C + 1", window, "DD[1:4, 0]")

    def number() -> str:
        return pick(
            f"np.median({part()})",
            f"np.sort({part()})[{pick('0', '-1', '1')}]",
            f"np.argsort({part()})[{pick('0', '1', '-1')}]",
            f"sorted(C)[{pick('0', '-1', '1')}]",
            f"sorted(u, reverse={pick('True', 'False')})[0]",
            "np.median(u)",
            f"sum(np.sort({part()}))",
        )

    def window() -> None:
        sketch.write("near = []")
        sketch.write(f"for g in range({pick('3', 'n', 'm', '9')}):")
        with sketch.inside():
            sketch.variables.append("g")
            sketch.write(f"near.append({sketch.real(pick(1, 0))})")
            sketch.variables.pop()
        sketch.write(pick("near.sort()", "near.sort(reverse=True)", "near = sorted(near)"))
        sketch.write(f"if len(near) > 2: s = s * 0.5 + near[{pick('1', '0', '-1')}]")

    def add() -> None:
        sketch.write(f"s = s * 0.5 + {number()}")

    def in_place() -> None:
        plain = pick("u.sort()", "C.sort()", "C[1:5].sort()", "u.sort(reverse=True)")
        odd = pick("s = C.sort()", "u.sort(key=abs)", "DD.sort()", f"DD[{place()}].sort()", plain)
        sketch.write(plain if sketch.tame else odd)

    def own() -> None:
        sketch.write(f"E = ({part()}).copy()")
        sketch.write(pick("E.sort()", "E = np.sort(E)", "E = np.argsort(E)"))
        sketch.write(f"s = s - E[{pick('0', '-1')}]")

    sketch.statements += [window, window, add, add, in_place, own]
    sketch.reals += [lambda: f"C[{place()}]", lambda: f"DD[{place()}, {place()}]", lambda: "u[0]"]
    sketch.targets += [lambda: f"C[{place()}]", lambda: f"DD[{sketch.mine()}, 0]"]
