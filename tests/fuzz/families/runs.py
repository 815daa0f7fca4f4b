"""Statements on whole arrays, most of them outside loops; arrays of the program's own."""

from __future__ import annotations

from .sketch import Sketch

_DTYPES = ("float64", "float64", "float64", "float32", "int64", "int32", "uint8")


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    one, two = pick(*_DTYPES), pick(*_DTYPES)
    wild = ", True" if sketch.rarely(4) else ""
    sketch.setup.append(f"U = values({one!r}, (n + 1,), 1{wild})")
    sketch.setup.append(f"V = {pick(f'values({two!r}, (n + 1,), 2)', 'U', 'U[::-1]', 'U.copy()')}")
    sketch.setup.append(f"W = values({pick(one, two)!r}, (n + 1, n + 1), 3)")
    sketch.changes += ["U = V", "U = U[:-1]", "V = U[::-1]", "W = W.T", "U = U.astype(np.float32)"]
    vectors = ["U", "V"]

    def vector() -> str:
        return str(
            pick(
                *vectors,
                "W[0]",
                "W[:, 1]",
                "U",
                "V",
                "U" if sketch.tame else "V[::-1]",
                "W[1]",
            )
        )

    def value(depth: int) -> str:
        if depth <= 0:
            return str(pick(vector(), vector(), vector(), "2.0", "c", "3", "s"))
        a, b = value(depth - 1), value(0)
        return str(
            pick(
                f"({a} + {b})", f"({a} * {b})", f"({a} - {b})", f"np.sqrt({a})", f"(-{a})",
                f"np.where({vector()} > 0, {a}, {b})", f"np.maximum({a}, {b})", f"abs({a})",
                f"({a} / {b})", f"np.exp({a})", f"({a}) ** 2", f"np.roll({vector()}, 1)",
                f"np.minimum({a}, {b}) + {vector()}", f"np.clip({a}, -1, 2)",
            )
        )  # fmt: skip

    def total() -> str:
        a = pick(vector(), f"{vector()} * {vector()}", "W")
        name = pick("sum", "mean", "max", "min", "any", "std", "prod")
        return f"np.{name}({a})"

    def statement() -> str:
        name, form = pick("U", "V", "P", "Q"), sketch.number(0, 11)
        if form < 4:
            vectors.extend({name} - set(vectors))
            return f"{name} = {value(2)} + {vector()}"
        if form < 7:
            left, right = pick(("[1:]", "[:-1]"), ("[:]", ""), ("[::2]", "[::2]"), ("[1:]", "[1:]"))
            return f"U{left} {pick('', '+', '*')}= ({value(1)} + {vector()}){right}"
        return str(
            pick(
                f"s = {total()}", f"U {pick('+', '*', '-')}= {value(1)}", "U, V = V, U",
                f"W[{pick('0', '-1', ':, 0', '1:, :')}] = {value(1)}", f"W = W {pick('+', '*')} U",
                f"V = U{pick('.copy()', '', '[::-1]', ' * 2')}", f"t = U[{sketch.place()}] * 2",
                f"U[U > {pick('0', 's')}] = {pick('0', 'c')}", f"R = np.zeros(n + 1) + {vector()}",
                f"r = {pick('len(U)', 'W.shape[0]', 'int(s)')}",
            )
        )  # fmt: skip

    sketch.loose = not sketch.rarely(3)
    sketch.first += [statement] * (sketch.pick(2, 3, 1, 4, 5) if sketch.loose else 0)
    sketch.statements += [lambda: sketch.write(statement())] * 3
    sketch.reals += [total, lambda: f"U[{sketch.place()}]"]
    sketch.targets += [lambda: f"U[{sketch.place()}]", lambda: f"W[{sketch.place()}, 1]"]
