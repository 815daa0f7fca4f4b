"""Draws of random numbers in nests: the stream, the types and the final state are Python's."""

from __future__ import annotations

import pytest
from outcome import same

START = """\
import random
import numpy as np
from random import random as uniform01, Random

np.random.seed(11)
random.seed(12)
rng = np.random.default_rng(13)
old = np.random.RandomState(14)
own = random.Random(15)
"""
END = """
states = [
    np.random.get_state(legacy=False), rng.bit_generator.state, old.get_state(legacy=False),
    list(random.getstate()), list(own.getstate()),
]
"""


def compiled(text: str) -> None:
    """Assert that the program means the same both ways, and that its nest is compiled."""
    loops = same(START + text + END)
    assert set(loops.values()) == {"compiled"}, loops


DRAWS = [
    "np.random.rand()",
    "np.random.random()",
    "np.random.random_sample()",
    "np.random.uniform()",
    "np.random.uniform(-2, 3)",
    "np.random.uniform(high=2.5, low=i)",
    "np.random.uniform(3.0, 1.0)",
    "np.random.randn()",
    "np.random.standard_normal()",
    "np.random.normal()",
    "np.random.normal(1.5, 2)",
    "np.random.normal(scale=0.5)",
    "np.random.randint(10)",
    "np.random.randint(0, 10)",
    "np.random.randint(-5, 2**40)",
    "np.random.randint(-9223372036854775807, 9223372036854775807)",
    "np.random.randint(low=3, high=4)",
    "np.random.randint(2**32)",
    "np.random.choice(7)",
    "np.random.exponential(2)",
    "np.random.standard_exponential()",
    "np.random.poisson(3.5)",
    "np.random.poisson(40)",
    "old.rand()",
    "old.uniform(0.25, 0.5)",
    "old.normal(0.0, 3.0)",
    "old.randint(i + 1)",
    "rng.random()",
    "rng.uniform(0.5, 2)",
    "rng.standard_normal()",
    "rng.normal(2.0, 0.1)",
    "rng.normal(loc=i)",
    "rng.standard_exponential()",
    "rng.exponential(2.0)",
    "rng.poisson(0.5)",
    "rng.poisson(i)",
    "rng.integers(10)",
    "rng.integers(3, 2**33)",
    "rng.integers(0, 2**32)",
    "rng.integers(0, 2**32 - 1, endpoint=True)",
    "rng.integers(1, 6, endpoint=True)",
    "rng.integers(0, 1)",
    "rng.choice(9)",
    "random.random()",
    "uniform01()",
    "random.uniform(2, 3.5)",
    "random.uniform(i, -i)",
    "random.randint(1, 6)",
    "random.randint(-(10**17), 10**17)",
    "random.randrange(10)",
    "random.randrange(3, 2**40)",
    "random.randrange(i, i + 1)",
    "random.getrandbits(5)",
    "random.getrandbits(32)",
    "random.getrandbits(53)",
    "random.gauss(0.0, 1.0)",
    "random.gauss(2, 3)",
    "random.normalvariate(1.0, 0.5)",
    "random.expovariate(1.5)",
    "random.expovariate(-2)",
    "own.random()",
    "own.randint(0, 99)",
    "own.gauss(0, 1)",
]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.usefixtures("strict")
def test_values_types_and_state(draw: str) -> None:
    compiled(f"""\
x = None
seen = np.zeros(33)
for i in range(33):
    x = {draw}
    seen[i] = x % 1024
""")


@pytest.mark.parametrize("kind", ["MT19937", "PCG64", "PCG64DXSM", "SFC64", "Philox"])
@pytest.mark.usefixtures("strict")
def test_every_bit_generator(kind: str) -> None:
    compiled(f"""\
rng = np.random.Generator(np.random.{kind}(5))
old = np.random.RandomState(np.random.{kind}(6))
seen = np.zeros((25, 5))
for i in range(25):
    seen[i, 0] = rng.random()
    seen[i, 1] = rng.integers(6)
    seen[i, 2] = rng.normal()
    seen[i, 3] = old.randn()
    seen[i, 4] = old.randint(1000)
""")


@pytest.mark.usefixtures("strict")
def test_half_a_word_is_kept() -> None:
    compiled("""\
rng.integers(5)
total = 0
for i in range(7):
    total += rng.integers(5)
again = rng.integers(5)
""")


@pytest.mark.usefixtures("strict")
def test_the_second_number_of_a_pair_is_kept() -> None:
    compiled("""\
before = np.random.randn(), random.gauss(0, 1)
s = 0.0
for i in range(6):
    s += np.random.randn() * random.gauss(0.0, 1.0)
after = np.random.randn(), random.gauss(0, 1)
""")


@pytest.mark.usefixtures("strict")
def test_elements_of_vectors() -> None:
    compiled("""\
values = np.arange(5) * 1.5
items = [2, 3, 5]
total = 0
seen = np.zeros((20, 3))
for i in range(20):
    total += random.choice(items)
    seen[i, 0] = np.random.choice(values)
    seen[i, 1] = rng.choice(values)
    seen[i, 2] = random.choice(values)
""")


@pytest.mark.usefixtures("strict")
def test_monte_carlo_pi() -> None:
    compiled("""\
inside = 0
for i in range(500):
    if random.random() ** 2 + random.random() ** 2 <= 1.0:
        inside += 1
""")


@pytest.mark.usefixtures("strict")
def test_random_walk() -> None:
    compiled("""\
def walk(steps):
    path = np.zeros((steps + 1, 2))
    for k in range(1, steps + 1):
        way = np.random.randint(4)
        path[k] = path[k - 1]
        if way == 0:
            path[k, 0] += 1
        elif way == 1:
            path[k, 0] -= 1
        elif way == 2:
            path[k, 1] += 1
        else:
            path[k, 1] -= 1
    return path

path = walk(100)
""")


@pytest.mark.usefixtures("strict")
def test_ising_sweeps() -> None:
    compiled("""\
def sweep(spins, beta):
    n = spins.shape[0]
    for i in range(n):
        for j in range(n):
            s = spins[i, j]
            near = (
                spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
            )
            cost = 2 * s * near
            if cost <= 0 or np.random.rand() < np.exp(-beta * cost):
                spins[i, j] = -s

spins = np.where(np.random.rand(12, 12) < 0.5, 1, -1)
for _ in [0, 1, 2]:
    sweep(spins, 0.4)
""")


@pytest.mark.usefixtures("strict")
def test_ising_at_random_places() -> None:
    compiled("""\
def run(spins, beta, steps):
    n = spins.shape[0]
    energy = 0
    for step in range(steps):
        a = rng.integers(0, n)
        b = rng.integers(0, n)
        s = spins[a, b]
        cost = 2 * s * (
            spins[(a + 1) % n, b] + spins[(a - 1) % n, b]
            + spins[a, (b + 1) % n] + spins[a, (b - 1) % n]
        )
        if cost < 0:
            s = -s
            energy += cost
        elif rng.random() < np.exp(-cost * beta):
            s = -s
            energy += cost
        spins[a, b] = s
    return energy

spins = np.where(np.random.rand(10, 10) < 0.5, 1, -1)
energy = run(spins, 0.4, 400)
""")


@pytest.mark.usefixtures("strict")
def test_rejection_sampling() -> None:
    compiled("""\
xs = np.zeros(40)
tries = 0
for i in range(40):
    while True:
        x = rng.uniform(-1, 1)
        y = rng.uniform(-1, 1)
        tries += 1
        if x * x + y * y < 1.0:
            break
    xs[i] = x
""")


@pytest.mark.usefixtures("strict")
def test_a_draw_in_the_test_of_a_loop() -> None:
    compiled("""\
count = 0
for i in range(50):
    while random.random() < 0.7:
        count += 1
        if count % 5 == 0:
            continue
        count += 1
""")


@pytest.mark.usefixtures("strict")
def test_short_circuits_and_branches_draw_only_when_they_are_reached() -> None:
    compiled("""\
hits = np.zeros(6, int)
for i in range(60):
    if i % 2 == 0 and random.random() < 0.5:
        hits[0] += 1
    if i % 3 == 0 or rng.random() < 0.5 or np.random.rand() < 0.5:
        hits[1] += 1
    x = random.random() if i % 5 else rng.random()
    if not (x < 0.5 and rng.random() < x):
        hits[2] += 1
    y = (random.random() if rng.random() < 0.5 else 0.25) + rng.random()
    if y > 0.7:
        hits[3] += 1
""")


@pytest.mark.usefixtures("strict")
def test_order_of_operands() -> None:
    compiled("""\
a = np.zeros(30)
for i in range(30):
    a[i] = rng.random() - rng.random() / (1.0 + rng.random())
""")


@pytest.mark.usefixtures("strict")
def test_chained_comparisons_draw_once() -> None:
    compiled("""\
inside = np.zeros(3, int)
for i in range(80):
    if 0.25 < rng.random() < 0.75:
        inside[0] += 1
    if 0.25 < rng.random() and rng.random() < 0.75:
        inside[1] += 1
    if random.random() < random.random() < random.random():
        inside[2] += 1
""")


@pytest.mark.usefixtures("strict")
def test_subscripts_draw_once() -> None:
    compiled("""\
histogram = np.zeros(6)
table = np.zeros((3, 4))
for i in range(80):
    histogram[rng.integers(6)] += random.random()
    table[np.random.randint(3), np.random.randint(4)] -= np.random.rand()
    table[random.randrange(3), 1] = random.random()
""")


@pytest.mark.usefixtures("strict")
def test_bounds_of_inner_loops() -> None:
    compiled("""\
count = 0
for i in range(20):
    for j in range(np.random.randint(1, 6)):
        count += j
""")


@pytest.mark.usefixtures("strict")
def test_helper_functions() -> None:
    compiled("""\
def step(size):
    return size * (np.random.rand() - 0.5)

def jitter(x, generator):
    if x < 0:
        return generator.random()
    return step(x) + generator.random()

x = 0.0
s = 0.0
for i in range(40):
    x += step(0.1)
    s += rng.random() - jitter(x, rng) * rng.random()
    if 0.2 < jitter(x, rng) < 0.9:
        s += 1.0
    if np.random.rand() < step(1.0) or step(2.0) > np.random.rand():
        s -= 1.0
""")


@pytest.mark.usefixtures("strict")
def test_functions_that_draw_until_something_fits() -> None:
    compiled("""\
def inside(generator):
    while True:
        x = generator.uniform(-1.0, 1.0)
        y = generator.uniform(-1.0, 1.0)
        if x * x + y * y < 1.0:
            return x

def even():
    while True:
        k = random.randrange(100)
        if k % 2:
            continue
        if k > 50:
            return k / 2
        elif k > 25:
            return -1.0

points = np.zeros(30)
for i in range(30):
    points[i] = inside(rng) + even()
""")


@pytest.mark.usefixtures("strict")
def test_generators_of_objects() -> None:
    compiled("""\
class Model:
    def __init__(self):
        self.rng = np.random.default_rng(3)
        self.other = self.rng
        self.count = np.zeros(4)
        self.last = 0.0

    def noise(self):
        return self.rng.random()

    def run(self, n):
        s = 0.0
        for i in range(n):
            self.last = self.rng.random() + self.last
            self.count[self.rng.integers(4)] += 1
            s += self.noise() * self.other.random()
        return s

model = Model()
s = model.run(30)
count, last, state = model.count, model.last, model.rng.bit_generator.state
""")


@pytest.mark.usefixtures("strict")
def test_two_generators_with_one_state() -> None:
    compiled("""\
bits = np.random.PCG64(3)
one, two = np.random.Generator(bits), np.random.Generator(bits)
s = 0.0
for i in range(20):
    s = s / 2 + one.random() - two.random() + rng.random()
state = bits.state
""")


@pytest.mark.usefixtures("strict")
def test_another_generator_at_each_call() -> None:
    compiled("""\
def mean(generator):
    s = 0.0
    for i in range(20):
        s += generator.random()
    return s

found = [mean(np.random.default_rng(k)) for k in range(5)] + [mean(old), mean(own)]
""")


@pytest.mark.usefixtures("strict")
def test_arrays_beside_draws() -> None:
    compiled("""\
a = np.arange(20.0)
b = np.zeros((20, 8))
for i in range(20):
    x = random.random()
    b[i, :] = a[:8] * x
    b[i, 1:] += rng.random()
""")


@pytest.mark.usefixtures("strict")
def test_no_iterations() -> None:
    compiled("""\
def draw(n):
    s = 0.0
    for i in range(n):
        s += random.gauss(0.0, 1.0) + rng.integers(3)
    return s

found = [draw(n) for n in (0, 1, 2)]
""")


@pytest.mark.parametrize(
    "line",
    [
        "a[i + int(x * 3)] = x",
        "a[i] = 1.0 / (i - 15)",
        "a[i] = random.randint(5, 20 - i)",
        "a[i] = rng.integers(0, 15 - i)",
        "a[i] = np.random.normal(0.0, 15.0 - i)",
        "a[i] = rng.uniform(0.0, 15.0 - i)",
        "a[i] = rng.poisson(15 - i)",
        "a[i] = random.expovariate(15.0 - i)",
        "a[i] = np.random.exponential(15.0 - i)",
    ],
)
@pytest.mark.usefixtures("lenient")
def test_a_failure_in_the_middle(line: str) -> None:
    loops = same(
        START
        + f"""\
a = np.zeros(30)
try:
    for i in range(30):
        x = random.random() + np.random.randn() + rng.random() + random.gauss(0.0, 1.0)
        {line}
except (IndexError, ValueError, ZeroDivisionError) as error:
    shown = type(error).__name__
"""
        + END
    )
    assert set(loops.values()) == {"failed-inside"}


@pytest.mark.parametrize(
    "leave",
    [
        "assert rng.random() < 0.9, rng.random()",
        "assert unlikely(0.9), rng.random()",
        "if rng.random() > 0.9: raise ValueError(rng.random())",
        "if rng.random() > 0.9: break",
    ],
)
@pytest.mark.usefixtures("strict")
def test_leaving_the_nest(leave: str) -> None:
    compiled(f"""\
def unlikely(most):
    return rng.random() < most

s = 0.0
try:
    for i in range(100):
        s += np.random.rand()
        {leave}
except (AssertionError, ValueError) as error:
    shown = repr(error)
""")


REFUSED = {
    "rng.random(3, np.float32).sum()": "draw",
    "np.random.rand(d0=2)": "draw",
    "rng.integers(0, 5, dtype=np.int32)": "draw",
    "rng.integers(0, 5, endpoint=flag)": "draw",
    "rng.gamma(2.0)": "draw",
    "random.randrange(0, 10, 3)": "draw",
    "random.betavariate(1.0, 2.0)": "draw",
    "random.choice(range(3))": "draw",
    "np.random.randint(0, 5.5)": "wrong-type",
    "random.uniform(half, 1.0)": "wrong-type",
    "sub.random()": "wrong-type",
    "patched.uniform(0.0, 1.0)": "compiled",  # with what stands in the place of its `random`
}


@pytest.mark.parametrize(("draw", "code"), REFUSED.items())
@pytest.mark.usefixtures("lenient")
def test_what_is_refused(draw: str, code: str) -> None:
    loops = same(
        START
        + f"""\
class Sub(Random):
    pass

flag, half, items, sub, patched = True, np.float64(0.5), [1, 2], Sub(3), Random(4)
patched.random = lambda: 0.25
s = 0.0
for i in range(30):
    s += {draw}
"""
        + END
    )
    assert set(loops.values()) == {code}


@pytest.mark.usefixtures("lenient")
def test_a_class_that_was_patched() -> None:
    loops = same(
        START
        + """\
genuine = random.Random.gauss
try:
    random.Random.gauss = lambda self, mu, sigma: self.random() + mu
    s = 0.0
    for i in range(30):
        s += own.gauss(0.0, 1.0)
finally:
    random.Random.gauss = genuine
"""
        + END
    )
    assert "compiled" not in loops.values()
