"""What may be said in plainer words: ``match``, ``try``, ``raise``, ``assert`` and ``:=``."""

from __future__ import annotations

from .sketch import Sketch

_PATTERNS = ("0", "1 | 2", "-1", "3.0", "k", "_", "1.5 | 0", "4")
_HELPERS = {
    "root": (
        "def root(x):\n    if x < LEAST:\n        y = x\n        raise ValueError(x)\n"
        "    return math.sqrt(abs(x))\n"
    ),
    "kind": (
        "def kind(x):\n    if x < 0: return 1\n    elif x < LEAST + 9: return 2\n"
        "    raise ValueError(x)\n"
    ),
    "ratio": (
        "def ratio(x, y=LEAST):\n    try:\n        return x / y\n    except ZeroDivisionError:\n"
        "        return -1.5\n"
    ),
    "which": (
        "def which(x):\n    match x:\n        case 0: return 1.5\n"
        "        case k if k > 2: y = k * 2\n        case _: y = LEAST\n    return y + 1\n"
    ),
}


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    sketch.setup.append("W = values('float64', (n + 3,), 5)")
    sketch.reals.append(lambda: f"W[{sketch.place()}]")
    sketch.targets.append(lambda: f"W[{sketch.mine()}]")
    if sketch.rarely(2):
        name = pick(*_HELPERS)
        least = pick("-9", "0", "1", "-2")
        text = _HELPERS[name].replace("LEAST", least)
        sketch.helpers[name] = "import math\n" + text
        sketch.reals += [lambda: f"{name}({sketch.real(1)})"] * 2

    def matched() -> None:
        pair = sketch.rarely(3)
        subject = pick(sketch.whole, sketch.real)(1)
        sketch.write(f"match {subject}, {sketch.i()} % 3:" if pair else f"match {subject}:")
        sketch.depth += 1
        for _ in range(pick(2, 1, 3)):
            one = pick(*_PATTERNS[:4])
            pattern = f"({one}, {pick(*_PATTERNS)})" if pair else one
            guard = f" if {sketch.truth()}" if sketch.rarely(4) else ""
            if not pair and not guard and sketch.rarely(6):
                pattern, guard = "k", " if k > 1"
            sketch.write(f"case {pattern}{guard}:")
            sketch.block()
        if sketch.rarely(2):
            sketch.write(pick("case _:", "case k:"))
            if sketch.lines[-1].endswith("k:") and pair:
                sketch.lines[-1] = sketch.lines[-1].replace("k:", "_:")
            sketch.block()
        sketch.depth -= 1

    def tried() -> None:
        sketch.write("try:")
        sketch.block()
        if sketch.rarely(3):
            with sketch.inside():
                sketch.write(
                    pick(
                        f"if {sketch.truth()}: raise ValueError(s)", f"assert {sketch.truth()}",
                        f"s += 1 / {sketch.whole()}", f"s = W[{sketch.i()} + {pick('1', '4')}]",
                    )
                )  # fmt: skip
        sketch.write(pick("except Exception:", "except (ValueError, ZeroDivisionError) as e:"))
        with sketch.inside():
            sketch.write(
                pick("t += 1", "s = 0.5", "pass", "continue" if not sketch.whiles else "pass")
            )
        if sketch.rarely(3):
            sketch.write("else:")
            sketch.block()
        if sketch.rarely(3):
            sketch.write("finally:")
            sketch.block()

    def assigned() -> None:
        name, value = pick("s", "t"), sketch.real()
        form = pick(0, 1, 2, 3)
        if form == 0:
            sketch.write(f"if ({name} := {value}) > {sketch.small()}:")
        elif form == 1:
            both = f"{sketch.truth()} {pick('and', 'or')} ({name} := {value}) > 0.5"
            sketch.write(f"if {pick(both, f'not ({both})')}:")
        elif form == 2:
            other = pick("s", "t")
            sketch.write(f"{other} = ({name} := {value}) * {sketch.small()} + {sketch.real()}")
            return
        else:
            sketch.write(f"q {pick('+', '')}= {sketch.whole()} + (r := {sketch.whole()})")
            return
        sketch.block()
        if sketch.rarely(3):
            sketch.write("else:")
            sketch.block()

    def one() -> None:
        """One of them, if blocks may still have blocks in them."""
        (pick(matched, tried, assigned) if sketch.budget > 0 else sketch.store)()

    sketch.statements += [one, one, one]
