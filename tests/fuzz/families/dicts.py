"""Dictionaries with integers as keys, and sets, looked up and, less often, changed."""

from __future__ import annotations

from .sketch import Sketch

_DICTS = (
    "{k: k * 0.5 for k in range(n + 3)}",
    "{k: k * k for k in range(-1, n + 3)}",
    "{k * 2: 1.5 - k for k in range(n + 3)}",
    "{k: k + 0.5 for k in range(n + 3)}",
    "{n + 2 - k: -k for k in range(n + 3)}",
    "{0: 1, 1: 2.5, 2: 0.5, 3: 1, 4: 2.5, 5: 7, 6: 1}",
    "{k: True for k in range(n + 3)}",
    "{True: 1.5, 2: 2.5, 0: 3.5, 3.0: 1.0}",
    "{k: [k, 1] for k in range(n + 3)}",
    "{}",
)
_SETS = (
    "{1, 3, n}",
    "frozenset(range(-2, n, 3))",
    "[k * k % 5 for k in range(n)]",
    "(2, 0, 7)",
    "set(np.arange(n) // 2)",
    "{0.0, 1, True}",
    "set()",
)


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    sketch.setup.append(f"d = {pick(*_DICTS[: 5 if sketch.tame else None])}")
    sketch.setup.append("H = values('float64', (n + 3,), 3)")
    sketch.setup.append(f"I = {pick('np.arange(n + 3)', '[k % 3 for k in range(n + 3)]')}")

    def key() -> str:
        return str(pick(place(), f"I[{place()}]", "2", *([] if sketch.tame else ["True", "2.0"])))

    sketch.changes += [
        "d = {}",
        "d.pop(1, 0)",
        "d[2] = 5",
        "d[1] = 0.5",
        "d = {k: 2 for k in range(n)}",
        "H = H[:4]",
    ]
    sketch.reals += [lambda: f"d[{key()}]"] * 3 + [lambda: f"H[{place()}]"]
    sketch.wholes += [lambda: f"I[{place()}]"]
    sketch.targets += [lambda: f"H[{place()}]", lambda: f"H[{sketch.mine()}]"]
    if not sketch.tame and sketch.rarely(2):
        sketch.reals.append(lambda: f"d.get({key()}, 0.25)")
        sketch.truths.append(lambda: f"{key()} in d")
    if not sketch.tame and sketch.rarely(2):
        sketch.targets.append(lambda: f"d[{key()}]")
    if sketch.rarely(3):
        sketch.setup.append(f"chosen = {pick(*_SETS)}")
        sketch.changes += ["chosen = {2, 1}", "chosen = list(chosen)", "chosen = set(chosen) | {4}"]
        sketch.truths += [lambda: f"{key()} in chosen", lambda: f"{key()} not in chosen"]
