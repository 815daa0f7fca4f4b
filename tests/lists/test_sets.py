"""Sets of integers that a nest makes: counted, asked and sorted, whatever order they have."""

import numpy as np
import pytest
from tests.same.outcome import both, same

COUNTED = """
def f(n, m):
    total = 0
    for page in range(n):
        seen = set()
        for k in range(m):
            seen.add({value})
        total += len(seen)
        for one in sorted(seen):
            total = total * 31 % 1000003 + one
    return total
x = f(n, m)
"""


@pytest.mark.parametrize("value", ["k * page % 7", "-k * k % (page + 2) - 5", "page", "2**40 - k"])
def test_what_is_added(strict, value):
    assert same(COUNTED.format(value=value), n=9, m=20)[4] == "compiled"


def test_until_there_are_enough(strict):
    source = """
def f(n, m, pool):
    found = []
    for page in range(1, n):
        chosen = set()
        k = 0
        while len(chosen) < min(m, page):
            chosen.add(pool[(k + page) % len(pool)])
            k += 1
        for one in sorted(chosen):
            found.append((page, one))
    return found
x = f(n, m, pool)
x = f(n, m, pool[:3] * 20)
"""
    assert same(source, n=30, m=3, pool=list(range(0, 700, 7)))[4] == "compiled"


def test_membership(strict):
    source = """
def f(n):
    total = 0
    for i in range(n):
        seen = set()
        k = i + 1
        while k not in seen:
            seen.add(k)
            k = k * k % 101
        if k in seen:
            total += len(seen) * k
        known = i in seen
        if known:
            total += 1
    return total
x = f(n)
"""
    both(source.replace("while k not in seen:", "for _ in range(20):"), n=40)


def test_truth(strict):
    source = """
def f(a, n):
    total = 0
    for i in range(n):
        seen = set()
        for j in range(i):
            if a[j] > i:
                seen.add(j)
        if not seen:
            total += 1
        elif i % 2 and seen:
            total += len(seen)
    return total
x = f(a, n)
"""
    assert same(source, a=[3, 1, 4, 1, 5, 9, 2, 6], n=8)[4] == "compiled"


def test_a_sorted_copy_while_it_grows(strict):
    source = """
def f(n):
    total = 0
    for i in range(n):
        seen = set()
        seen.add(i)
        seen.add(3)
        for one in sorted(seen):
            seen.add(one * 2 + 1)
            total += len(seen) * one
    return total
x = f(n)
"""
    both(source, n=10)


@pytest.mark.usefixtures("lenient")
class TestLeftToPython:
    """The answer is Python's, whoever computes it."""

    @pytest.mark.parametrize(
        "value",
        ["1.0 * k", "k % 2 == 0", "k if k % 3 else True", "a[k]", "b[k]", "k if k % 2 else a[k]",
         "b[k] if k % 2 else k", "10**30 + k", "2**62 * k", "str(k)", "(k, page)", "u[k]",
         "float('nan')", "-0.0 * k", "None"],
    )  # fmt: skip
    def test_items_of_other_types(self, value):
        source = COUNTED.format(value=value).replace("def f(n, m):", "def f(n, m, a=a, b=b, u=u):")
        source = "try:\n" + "".join(f"    {line}\n" for line in source.splitlines())
        source += "except (TypeError, OverflowError) as error:\n    x = str(error)\n"
        arrays = {
            "a": np.arange(20) % 6,
            "b": np.linspace(0, 3, 20),
            "u": np.arange(20, dtype=np.uint64) + 2**63,
        }
        both(source, n=5, m=12, **arrays)

    def test_types_of_what_is_sorted(self):
        source = """
def f(a, n):
    found = []
    for i in range(n):
        seen = set()
        seen.add(a[i])
        seen.add(i)
        seen.add(int(a[i]) + 1)
        for one in sorted(seen):
            found.append(one)
    return found
x = f(a, n)
"""
        both(source, a=np.array([0, 2, 1, 3, 5, 4]), n=6)

    @pytest.mark.parametrize(
        "use",
        ["for one in seen:\n            x.append(one)", "x.append(seen.pop())", "y = seen",
         "x += list(seen)", "seen |= {i}", "x.append(sorted(seen, reverse=True)[0])",
         "seen.discard(3)", "seen.update([1, 2])", "x.append(sum(seen))", "x.append(max(seen))",
         "x.append(hash(frozenset(seen)))", "if seen == {0, 1}:\n            x.append(1)",
         "del seen", "seen.clear()", "x.append(1.5 in seen)", "x.append((i + 1) in seen)",
         "x.append(float('nan') in seen)", "x.append(seen and 1)", "x.append(len(seen) > 2)"],
    )  # fmt: skip
    def test_other_uses(self, use):
        source = f"""
def f(n):
    x = []
    for i in range(n):
        seen = set()
        for k in range(i + 1):
            seen.add(k * 37 % 11)
        {use}
    return x
x = f(n)
"""
        both(source, n=9)

    def test_a_set_that_lives_on(self):
        source = """
seen = set()
for i in range(n):
    seen.add(i * i % 7)
kind, size = type(seen), len(seen)
for i in range(n):
    again = set()
    for k in range(i):
        again.add(k % 5)
x = type(again), len(again), seen == again
"""
        both(source, n=20)

    def test_more_items_than_pay(self):
        source = """
def f(n, m):
    total = 0
    for i in range(n):
        seen = set()
        for k in range(m):
            seen.add((k * 7919 + i) % 5003)
        total += len(seen)
    return total
x = f(n, 500), f(n, 512), f(n, 513), f(n, 3000)
"""
        both(source, n=4)

    @pytest.mark.parametrize("name", ["set", "sorted", "len"])
    def test_other_builtins(self, name):
        source = f"""
def f(n):
    total = 0
    for i in range(n):
        seen = set()
        for k in range(i):
            seen.add(k % 5)
        for one in sorted(seen):
            total += one * i
        total += len(seen)
    return total
import builtins
class Odd(set):
    def add(self, value):
        super().add(value + 1)
real = {name}
{name} = Odd if "{name}" == "set" else lambda x: real(x) + real(x)
x = f(n)
"""
        both(source, n=6)

    def test_an_error_midway(self):
        source = """
def f(a, n):
    for i in range(n):
        seen = set()
        for k in range(5):
            seen.add(100 // (a[i] - k))
        a[i] = len(seen)
try:
    a = list(given)
    f(a, n)
except ZeroDivisionError:
    x = "zero"
"""
        both(source, given=[9, 8, 7, 6, 5, 4, 3], n=7)


@pytest.mark.parametrize("function", ["sorted", "any", "len"])
def test_a_function_of_the_users_by_that_name(function, lenient):
    source = f"""
def {function}(what):
    return [7, 8]
def f(n):
    total = 0
    for i in range(n):
        seen = set()
        seen.add(i)
        if 3 in seen:
            total += 1
        copy = sorted(seen)
        total += copy[0]
    return total
x = f(n)
"""
    if function == "len":
        source = source.replace("copy = sorted(seen)", "copy = len(seen)")
    assert same(source, n=9)[6] == "shadowed"


def test_sorted_in_an_expression(strict):
    source = """
def f(n):
    total = 0
    for i in range(n):
        seen = set()
        for k in range(i):
            seen.add(-k * k % 7)
        seen.add(i)
        copy = sorted(seen)
        total = total * 31 % 1000003 + copy[0] + copy[-1]
    return total
x = f(n)
"""
    assert same(source, n=9)[4] == "compiled"
