"""Objects whose attributes are read and assigned; arrays, lists and numbers in them."""

from __future__ import annotations

from .sketch import Sketch

_CLASSES = {
    "SimpleNamespace": "",
    "Box": "class Box:\n    pass\n",
    "Slots": "class Slots:\n    __slots__ = ('u', 'v', 't', 'k', 'x')\n",
    "Watched": "class Watched:\n    @property\n    def t(self): return 0.25\n"
    "    @t.setter\n    def t(self, value): self.k = value\n",
}


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    kind = pick("Box", "Slots", "Box", *([] if sketch.tame else ["SimpleNamespace", "Watched"]))
    sketch.setup.append(_CLASSES[kind] + f"p = {kind}()")
    sketch.setup.append(f"p.u = values({pick('float64', 'int64', 'float32')!r}, (n + 3,), 7)")
    sketch.setup.append(f"p.v = {pick('p.u.copy()', 'p.u', 'p.u[::-1]', 'p.u + 1')}")
    sketch.setup.append(f"p.k = {pick('0', '2**63 - 2', '1.5', 'np.int64(2)', 'True')}")
    sketch.setup.append(f"p.t = {pick('0.0', '1', 'np.float64(0.5)', '-0.0')}")
    sketch.setup.append(f"p.x = {pick('[0.5 * k for k in range(n + 3)]', '[0] * (n + 3)')}")
    sketch.setup.append(f"o = {'p' if not sketch.tame else 'SimpleNamespace(t=1.5, k=2)'}")
    sketch.changes += [
        "p.k = 1.5",
        "o = p",
        "p.u = p.v",
        "p.t = 3",
        "p.x = p.u",
        "p.x[1] = 2",
        "p.v = p.v[:3]",
    ]
    sketch.reals += [
        lambda: "p.t", lambda: f"p.u[{place()}]", lambda: f"p.v[{place()}]",
        lambda: f"p.x[{place()}]", lambda: str(pick("o.t", "p.t")),
    ]  # fmt: skip
    sketch.wholes += [lambda: "p.k", lambda: "len(p.u)"]
    sketch.targets += [
        lambda: f"p.u[{place()}]", lambda: f"p.{pick('u', 'v', 'x')}[{place()}]",
        lambda: f"p.u[{sketch.mine()}]",
    ]  # fmt: skip

    other = "p" if sketch.tame else "o"

    def change() -> None:
        if sketch.rarely(2):
            sketch.write(f"{pick('p', other)}.k {pick('+', '', '-')}= {sketch.whole(1)}")
        else:
            sketch.write(f"{pick('p', 'p', other)}.t {pick('+', '', '*')}= {sketch.real(1)}")

    def swap() -> None:
        sketch.write(pick("p.u, p.v = p.v, p.u", "p.v = p.u", "p.u = p.u * 2", "p.u += 1",
                          "p.w = p.t", "o = p", "p.x = [0.0] * (n + 3)"))  # fmt: skip

    sketch.statements += [change, change]
    if sketch.rarely(3):
        sketch.statements.append(swap)
