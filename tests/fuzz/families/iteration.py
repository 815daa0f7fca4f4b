"""What loops go through besides ranges."""

from __future__ import annotations

from .sketch import Head, Sketch


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    sketch.setup.append(f"E = values({pick('float64', 'int64', 'float32', 'uint8')!r}, (n,), 5)")
    sketch.setup.append(f"F = {pick('E.copy()', 'E[::-1]', 'E', 'E * 2.5', 'E[:-1]')}")
    sketch.setup.append("G = values('float64', (n, 3), 8)")
    sketch.setup.append(f"ee = {pick('[0.5 * k for k in range(n)]', '[3, 1, 2]', '(1.5, 2.5)')}")
    sketch.changes += ["E = F", "F = F[:1]", "ee = []", "ee = [1]", "G = G[:, ::-1]"]
    sketch.reals += [lambda: f"E[{pick('0', '-1', '2')}]"]
    sketch.targets += [lambda: f"E[{sketch.mine()}]", lambda: "G[0, 1]"]

    def source() -> str:
        return str(pick("E", "F", "ee", "E[1:]", "ee", "reversed(E)"))

    def product(name: str) -> Head:
        other = name * 2
        how = pick(
            f"np.ndindex(n, {pick('m', '2')})", "itertools.product(range(n), range(m))",
            "itertools.product(range(2), repeat=2)", "np.ndindex(G.shape)",
        )  # fmt: skip
        return Head(f"for {name}, {other} in {how}", (name, other))

    def counting(name: str) -> Head:
        step, test = pick("1", "2", "h", "1"), pick("", "", f" and {sketch.real()} < 9")
        last = (f"{name} += {step}",)
        if step == "h":
            last = (f"{name} += max(h, 1)",)
        return Head(f"while {name} < {pick('n', 'n - 1', 'len(E)')}{test}", (name,), (),
                    (f"{name} = {pick('0', '1')}",), last)  # fmt: skip

    def listed(name: str) -> Head:
        how = pick(
            "reversed(range(n))", "np.arange(n)", "(0, 2, 1)", "[1, n - 1]", "list(range(n))",
            "np.arange(1, n, 2)", "sorted(range(n))", "reversed(range(1, n))",
            "reversed(range(0, n, 2))",
            "map(int, ee)", "reversed(range(n))", "X",
        )  # fmt: skip
        return Head(f"for {name} in {how}", (name,))

    def numbered(name: str) -> Head:
        start = pick("", "", ", 1", ", start=1")
        return Head(f"for {name}, v in enumerate({source()}{start})", (name,), ("v",))

    def paired(name: str) -> Head:
        third = pick(("u, v", ""), ("u, v", ""), (f"u, v, {name}", ", range(n)"))
        names = (name,) if third[1] else ()
        return Head(f"for {third[0]} in zip({source()}, {source()}{third[1]})", names, ("u", "v"))

    def rows(name: str) -> Head:
        return pick(
            Head("for u, v, w in G", (), ("u", "v", "w")),
            Head("for row in G", (), ("row[0]", "row[2]", "row[1]")),
            Head(f"for {name}, (u, v) in enumerate(zip(E, F))", (name,), ("u", "v")),
            Head(f"for {name}, row in enumerate(G)", (name,), ("row[1]", "row.sum()")),
        )

    sketch.heads += [product, counting, counting, listed, listed, numbered, paired, rows]
    sketch.heads += [lambda name: Head(f"for v in {source()}", (), ("v",))]
    sketch.heads += [counting, numbered, paired]
