"""Random numbers, one at a time, and the generators that they come from."""

from __future__ import annotations

from .sketch import Sketch

_GENERATORS = {
    "np.random": ("rand()", "uniform(-1, 2)", "normal()", "random()", "randn()",
                  "exponential(2.0)", "standard_normal()", "uniform()", "poisson(1.5)"),
    "rng": ("random()", "uniform(-1, 2)", "normal()", "exponential()", "standard_normal()",
            "normal(1.0, 0.5)", "uniform(0, c)", "poisson(2)"),
    "random": ("random()", "uniform(-1, 2)", "gauss(0, 1)", "gauss(mu=1.0, sigma=2)",
               "expovariate(1.5)", "normalvariate(0.0, 1.0)", "triangular(0, 1)"),
    "own": ("random()", "gauss(0.0, 1.0)", "uniform(0, s)"),
    "state": ("rand()", "normal(0, 2)", "standard_normal()", "uniform(0, 1)"),
}  # fmt: skip
_INTEGERS = {
    "np.random": ("randint(5)", "randint(1, 4)", "choice(4)", "randint(0, 2**40)"),
    "rng": ("integers(5)", "integers(1, 4)", "integers(0, 3, endpoint=True)", "choice(4)"),
    "random": ("randint(1, 6)", "randrange(5)", "getrandbits(5)", "randrange(1, 9)",
               "choice([1, 2, 3])", "randrange(0, 9, 3)"),
    "own": ("randint(0, 3)", "randrange(2**40)"),
    "state": ("randint(3)", "randint(-2, 2)"),
}  # fmt: skip
_MANY = {
    "np.random": ("rand({size})", "rand(2, {size})[0]", "randn({size})",
                  "normal(0.5, 2, size={size})", "uniform(-1, c, {size})",
                  "randint(0, 5, {size})", "exponential(2.0, size=({size},))"),
    "rng": ("random({size})", "random((2, {size}))[1]", "normal(size={size})",
            "standard_normal({size})", "uniform(-1, 2, {size})", "integers(0, 7, {size})",
            "exponential(1.5, {size})", "poisson(2.5, {size})"),
    "state": ("rand({size})", "random_sample({size})", "normal(0, 2, {size})",
              "randint(1, 4, size={size})"),
}  # fmt: skip


def join(sketch: Sketch) -> None:
    pick = sketch.pick
    name = pick("np.random", "rng", "random", "own", "rng", "state")
    seed = pick("1", "2", "7")
    sketch.setup.append(
        {
            "np.random": f"np.random.seed({seed})",
            "rng": f"rng = np.random.default_rng({seed})",
            "random": f"random.seed({seed})",
            "own": f"own = random.Random({seed})",
            "state": f"state = np.random.RandomState({seed})",
        }[name]
    )
    if sketch.rarely(3):  # which second number of a pair is kept
        first = {"np.random": "np.random.randn()", "rng": "rng.integers(5, dtype=np.int32)",
                 "random": "random.gauss(0, 1)", "own": "own.gauss(0, 1)",
                 "state": "state.randn()"}[name]  # fmt: skip
        sketch.setup.append(f"_ = {first}")
    sketch.setup.append("D = " + pick("values('float64', (n + 3,), 2)", "[0.0] * (n + 3)"))

    def real() -> str:
        return f"{name}.{pick(*_GENERATORS[name])}"

    sketch.reals += [real, lambda: f"D[{sketch.place()}]", real]
    sketch.wholes.append(lambda: f"{name}.{pick(*_INTEGERS[name])}")
    sketch.truths.append(lambda: f"{real()} < {pick('0.5', '0.2', 'c')}")
    sketch.targets += [lambda: f"D[{sketch.place()}]"] * 2
    if name in _MANY and sketch.rarely(2):
        sketch.setup.append("drawn = values('float64', (n + 3,), 6)")
        sizes = ("n + 3", "n + 3", "len(D)", *([] if sketch.tame else ["n", "m", "n - 1", "4"]))

        def many() -> str:
            return f"{name}.{pick(*_MANY[name]).replace('{size}', pick(*sizes))}"

        sketch.reals += [lambda: f"drawn[{sketch.place()}]"] * 2
        sketch.reals.append(lambda: f"np.{pick('sum', 'max', 'mean')}({many()})")
        sketch.statements += [lambda: sketch.write(f"drawn = {many()}")] * 2
    if not sketch.tame:
        sketch.statements.append(
            lambda: sketch.write(
                f"_ = {name}.{pick('shuffle(D)', 'seed(3)', 'uniform(2, 1)', 'bytes(3)')}"
            )
        )
