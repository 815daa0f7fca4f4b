"""Lists of objects with numbers in their attributes, and methods that change these."""

from __future__ import annotations

from .sketch import Head, Sketch

_METHODS = """    def __init__(self, k):
        self.x, self.v, self.k = {x}, {v}, {k}
    def push(self, f, dt=0.5): self.v += f * dt
    def move(self, dt): self.x += self.v * dt
    def force(self): return -self.x * 0.5
    def bump(self):
        self.k += 1
        return self.k
    def step(self, dt):
        self.push(self.force(), dt)
        self.v = self.v * 0.75 + self.force()
        self.move(dt)
"""
_HEADS = {
    "plain": "class Body:\n",
    "slots": "class Body:\n    __slots__ = 'x', 'v', 'k'\n",
    "default": "class Body:\n    v = 0.25\n",
    "property": "class Body:\n    @property\n    def v(self): return self.w * 2\n"
    "    @v.setter\n    def v(self, value): self.w = value * 0.5\n",
    "watched": "class Body:\n    def __setattr__(self, name, value):\n"
    "        object.__setattr__(self, name, value)\n",
    "absent": "class Body:\n    def __getattr__(self, name): return 1.5\n",
}
_OTHER = "class Other(Body):\n    def force(self): return self.v + 1\n"


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    kind = pick("plain", "slots", "plain", "plain", *([] if sketch.tame else _HEADS))
    body = _METHODS.format(
        x=pick("0.5 * k", "1.0", "k", "k * 1e300", "k if k else 0.5"),
        v=pick("0.25", "1.5 - k", "k", "0"),
        k=pick("k", "0", "1.5", "2**62 + k", "True"),
    )
    text = _HEADS[kind] + body
    if kind == "default":
        text = text.replace("self.x, self.v, self.k", "self.x, v, self.k")
    sketch.helpers["Body"] = text
    made = "[Body(k) for k in range(n + 3)]"
    if sketch.rarely(8):
        made = f"tuple({made})"
    sketch.first.append(lambda: f"ps = {made}")
    odd = [
        "qs = ps", "qs = ps", "qs = [Body(k) for k in range(n + 3)]", "qs = ps[:]",
        "ps = [ps[0]] * 3 + [*ps]", "ps = [Other(3), *ps]", "ps[1].k = 2.5", "o = ps[1]",
        "ps[2].x = None", "ps[1].force = lambda: 0.5", "del ps[1].x", "ps = []",
    ]  # fmt: skip
    if sketch.rarely(4 if sketch.tame else 2):
        line = pick(*odd[: 3 if sketch.tame else None])
        if "Other" in line:
            sketch.helpers["Body"] += _OTHER
        sketch.first.append(lambda: line)
    two = "ps" if not sketch.first or len(sketch.first) < 2 else pick("ps", "qs")
    if two == "qs" and not sketch.first[-1]().startswith("qs"):
        two = "ps"

    def member() -> str:
        names = [item.partition(".")[0] for item in sketch.items if item[0] == "p"]
        return str(pick(*names[-1:], *names[-1:], f"{pick('ps', two)}[{place()}]"))

    def through(name: str) -> Head:
        p = f"p{name}"
        options = [f"for {p} in ps", f"for {p} in {two}", f"for {name}, {p} in enumerate(ps)"]
        if sketch.variables:
            options += [f"for {p} in ps[{sketch.i()} + 1:]", f"for {p} in ps[{place()}:]"]
        if sketch.rarely(4):
            options = [f"for {p} in reversed(ps)", f"for {p}, _ in zip(ps, {two})"]
        text = pick(*options)
        return Head(text, (name,) if "enumerate" in text else (), (f"{p}.x", f"{p}.v"))

    def act() -> None:
        sketch.write(
            pick(
                f"{member()}.push({sketch.real(1)})", f"{member()}.move({sketch.small()})",
                f"{member()}.step({sketch.small()})", f"q += {member()}.bump()",
                f"{member()}.v += {member()}.force() * {sketch.real()}",
            )
        )  # fmt: skip

    def exchange() -> None:
        a, b = f"ps[{place()}]", member()
        sketch.write(
            pick(
                f"{a}.x, {b}.x = {b}.x, {a}.x", f"{a}.v, s = s, {a}.v",
                f"if {a} is {b}: s += 1", f"s = sum(o.x * o.v for o in {two})",
                f"s = max([o.x for o in {two}])",
            )
        )  # fmt: skip

    def taken() -> None:
        sketch.write(f"p = ps[{place()}]")
        sketch.write(f"p.{pick('x', 'v')} {pick('+', '-', '')}= {sketch.real(1)}")

    sketch.reals += [lambda: f"{member()}.x", lambda: f"{member()}.v"] * 2
    sketch.reals.append(lambda: f"{member()}.force()")
    sketch.wholes += [lambda: f"{member()}.k", lambda: "len(ps)"]
    sketch.targets += [lambda: f"{member()}.x", lambda: f"{member()}.v"] * 2
    sketch.targets += [lambda: f"{member()}.k", lambda: f"ps[{sketch.mine()}].v"]
    sketch.statements += [act, act, exchange, taken]
    sketch.heads += [through] * 6
