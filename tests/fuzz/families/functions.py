"""Functions of the program's own: plain, lambdas, closures, methods, and those that store."""

from __future__ import annotations

from .sketch import Sketch

_HELPERS = {
    "twice": ("def twice(x): return x * 2 + 1\n", "twice({a})"),
    "clip": (
        "def clip(x, low=-0.5, high=2):\n    if x < low: return low\n"
        "    return high if x > high else x\n",
        "clip({a}, high={b})",
    ),
    "both": ("def both(x, y): return x + y, x - y\n", "both({a}, {b})[1]"),
    "first": (
        "def first(x):\n    for k in range(9):\n        if x < k: return k\n    return -1.5\n",
        "first({a})",
    ),
    "none": ("def none(x):\n    if x > 1: return x\n", "(none({a}) or 0.5)"),
    "fails": ("def fails(x):\n    if x > 4: raise ValueError(x)\n    return x + 1\n", "fails({a})"),
    "checks": ("def checks(x):\n    assert x != 3, x\n    return x\n", "checks({a})"),
    "deep": ("def deep(x, k=3): return x if k == 0 else deep(x * 0.5, k - 1)\n", "deep({a})"),
    "spin": ("def spin(x, y):\n    k = 0\n    while x * x + y * y < 4 and k < 6:\n"
             "        x, y = x * x - y * y + 0.3, 2 * x * y + 0.2\n        k += 1\n    return k\n",
             "spin({a}, {b})"),
    "scale": ("RATE = 1.5\ndef scale(x): return x * RATE\n", "scale({a})"),
    "many": ("def many(*args): return args[0]\n", "many({a}, {b})"),
    "Curve": (
        "class Curve:\n    rate = 2\n    def __init__(self, k): self.k = k\n"
        "    def at(self, x): return x * self.k + self.rate\n"
        "    def __call__(self, x): return x - self.k\ncurve = Curve(1.5)\n",
        "curve.at({a})",
    ),
}  # fmt: skip
_STORING = {
    "put": "def put(u, i, v): u[i] = v\n",
    "add": "def add(u, i, v):\n    if v > 0:\n        u[i] += v\n    else:\n        u[i + 1] = 1\n",
    "smooth": "def smooth(u, i, v):\n    for k in range(i):\n        u[k] = (u[k] + v) * 0.5\n",
}
_LOCAL = (
    ("f = lambda x: x * c - 1", "f({a})"),
    ("def f(x): return x + {free}", "f({a})"),
    ("def f(x, k=n): return x * k", "f({a})"),
    ("f = math.cos", "f({a})"),
    ("f = abs", "f({a})"),
    ("f = (lambda k: lambda x: x + k)(c)", "f({a})"),
    ("f = curve.at", "f({a})"),
)


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    usual = ("twice", "clip", "both", "first", "spin", "scale", "Curve")
    for _ in range(pick(1, 2, 1)):
        name = pick(*usual) if sketch.tame else pick(*_HELPERS)
        sketch.helpers[name], call = _HELPERS[name]

        def called(call: str = call) -> str:
            return call.format(a=sketch.real(), b=sketch.real())

        sketch.reals += [called, called]
        if name == "both":
            sketch.statements.append(
                lambda: sketch.write(f"s, t = both({sketch.real()}, {sketch.real()})")
            )
    if sketch.rarely(2):
        text, local = pick(*_LOCAL[: None if "Curve" in sketch.helpers else -1])
        sketch.first.append(lambda: text.replace("{free}", pick("c", "n")))
        sketch.reals += [lambda: local.format(a=sketch.real())] * 2
    if sketch.rarely(2):
        store = pick(*_STORING)
        sketch.helpers[store] = _STORING[store]
        sketch.setup.append("e = " + pick("values('float64', (n + 3,), 9)", "[0.5] * (n + 3)"))
        sketch.reals.append(lambda: f"e[{sketch.place()}]")
        sketch.statements += [
            lambda: sketch.write(f"{store}(e, {sketch.place()}, {sketch.real(1)})")
        ] * 2
