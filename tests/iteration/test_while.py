"""Loops by `while` that count, and some that do not: compiled where taken, the same in any case."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(3)
n, m, k = 9, 7, 3
A, B = rng.random((n, m)), np.zeros((n, m))
u, v = rng.random(n), np.zeros(n)
ptr = np.array([0, 2, 2, 5, 9])
"""

COUNTED = {
    "up": """
i = 0
while i < n:
    v[i] = u[i] * 2
    i += 1
""",
    "up to and including": """
i = 1
while i <= n - 2:
    v[i] = u[i - 1] + u[i + 1]
    i = i + 1
""",
    "down": """
i = n - 1
while i >= 0:
    v[i] = u[i] + i
    i -= 1
""",
    "down, the bound left out": """
i = n - 1
while i > 2:
    v[i] = u[i] + i
    i = i - 2
""",
    "the bound first": """
i = 0
while n > i:
    v[i] = i
    i = 2 + i
""",
    "beyond the bound": """
i = 2
while i < n:
    v[i] += i
    i += 3
""",
    "not once": """
i = 20
while i < n:
    v[i] += i
    i += 3
""",
    "one in another": """
i = 0
while i < n:
    j = 0
    while j < m:
        B[i, j] = A[i, j] * i - j
        j += 1
    i += 1
""",
    "a triangle, in a for": """
for i in range(m):
    j = i + 1
    while j < m:
        B[i, j] = A[j, i]
        j += 1
    v[i] = j
""",
    "the step first": """
t = 0
while t < 5:
    t += 1
    for i in range(1, n - 1):
        v[i] = u[i] * t
    if v[3] > 3:
        continue
    u[t] = v[t]
""",
    "the step in the middle": """
t = 0
while t < 6:
    u[t] = t
    t += 1
    v[t] += u[t]
""",
    "left early": """
i = 0
while i < n:
    if u[i] > 0.8:
        break
    v[i] = u[i]
    i += 1
""",
    "with an else": """
i = 0
while i < n:
    v[i] = u[i]
    i += 1
else:
    z = i
""",
    "a step that is a variable": """
j = k * k
while j < n:
    v[j] = 1
    j += k
while j > 0:
    v[j - 1] += 2
    j -= k
""",
    "a bound of arithmetic": """
i = 0
while i < (n + m) // 2 - abs(k):
    v[i] = i
    i += 1
j = 1
while j <= min(n, int(u[0]) + 4):
    v[j] += 2
    j += 1
""",
    "an extent": """
i = 0
while i < len(u):
    v[i] += u[i]
    i += 1
j = 0
while j < A.shape[1]:
    B[:, j] = A[:, j] * j
    j += 1
""",
    "whole arrays": """
t = 0
while t < 4:
    B[1:-1] = 0.5 * (A[2:] + A[:-2])
    A[1:-1] = B[1:-1]
    t += 1
i = 0
while i < n:
    B[i, 1:] = A[i, :-1]
    i += 1
""",
    "sums": """
i = s = 0
while i < n:
    s += i * i
    i += 1
x = 0.0
j = 0
while j < n:
    x += u[j]
    j += 1
""",
    "in a function, the counter a parameter": """
def f(a, i, n):
    while i < n:
        a[i] = i * 2.0
        i += 1
    return i
r = [f(v, 0, n), f(v, 3, 3), f(v, 5, 4), f(v, -2, 2)]
""",
    "left by a return": """
def find(a, x):
    i = 0
    while i < len(a):
        if a[i] == x:
            return i
        i += 1
    return -1
r = [find(ptr, 5), find(ptr, 4)]
""",
    "a variable of the loop, later another": """
i = 0
while i < n:
    v[i] = 1
    i += 1
i = 2.5
""",
    "in one piece": """
x, c = 1e30, 0
while x > 1.0:
    x /= 3.0
    c += 1
lo, hi = 0.0, 2.0
while hi - lo > 1e-9:
    mid = (lo + hi) / 2
    if mid * mid > 2.0:
        hi = mid
    else:
        lo = mid
while True:
    c -= 1
    if c < 5:
        break
""",
}
BESIDE = {
    "a condition beside": """
i, s = 0, 0.0
while i < n and s < 2.0:
    s += u[i]
    i += 1
""",
    "a condition in front": """
i, s, most = 0, 0.0, 2.0
while s < most and i < n:
    s += u[i]
    i += 1
""",
    "some on either side": """
i, s, t = 0, 0.0, 1.0
while s < 2.0 and not t > 50 and i < n and u[i] < 0.95:
    s += u[i]
    t *= 2.0
    i += 1
""",
    "a chain": """
i, low = 0, -1
while low < i < n:
    v[i] = u[i]
    low = i - 1
    i += 1
j = n
while 0 <= j - 1 and j - 1 < n:
    v[j - 1] += 1
    j -= 1
""",
    "an else": """
r = []
def run(u, n, most):
    i, s = 0, 0.0
    while i < n and s < most:
        s += u[i]
        if s > 3.0:
            break
        i += 1
    else:
        s = -s
    return i, s
r = [run(u, n, most) for most in (0.0, 1.0, 2.0, 3.5, 100.0)] + [run(u, 0, 1.0)]
""",
    "an else of an inner loop": """
r = np.zeros((4, 3))
for k in range(4):
    i, s = 0, 0.0
    while i < n and s < 1.0 + k:
        s += u[i]
        if s > 3.0:
            break
        i += 1
    else:
        r[k, 0] = 1.0
    r[k, 1] = i
    r[k, 2] = s
""",
    "an insertion": """
for k in range(1, n):
    x = u[k]
    j = k - 1
    while j >= 0 and u[j] > x:
        u[j + 1] = u[j]
        j -= 1
    u[j + 1] = x
""",
    "a test that looks at arrays": """
def largest(u):
    found = 0.0
    for i in range(len(u)):
        if abs(u[i]) > found:
            found = abs(u[i])
    return found
step = 0
while step < 40 and max(largest(u), largest(v)) > 1e-3:
    for i in range(n):
        v[i] = u[i] * 0.5
    for i in range(n):
        u[i] = v[i] * 0.75
    step += 1
""",
    "not once, for either reason": """
i = 0
while i < 0 and u[0] > 0:
    i += 1
j = 0
while j < n and u[0] < 0:
    j += 1
""",
}


OTHERS = {
    "a condition in front that raises in the end": """
i = 0
try:
    while u[i] >= 0.0 and i < n:
        i += 1
except IndexError:
    i = -i
""",
    "a condition in front that warns in the end": """
i, s = 0, np.float64(1e100)
while s * s < 1e300 and i < 5:
    s = s * 1e20 + u[i]
    i += 1
""",
    "a condition in front that draws": """
rng = np.random.default_rng(4)
i = 0
while rng.random() < 0.99 and i < n:
    v[i] = 1.0
    i += 1
x = rng.random()
""",
    "a chain that draws": """
rng = np.random.default_rng(4)
i = 0
while i < rng.integers(5, 9) < 8:
    v[i] = 1.0
    i += 1
x = rng.random()
""",
    "an array in front": """
i, r = 0, ""
try:
    while u and i < 0:
        i += 1
except ValueError:
    r = "ambiguous"
""",
    "nothing in front": """
i, r, low = 0, "", None
try:
    while low < 3 and i < 0:
        i += 1
except TypeError:
    r = "None"
""",
    "a name that is not there yet": """
i, r = 0, ""
def f(i, n):
    while last < 3 and i < n:
        last = i
        i += 1
try:
    f(0, 0)
except UnboundLocalError:
    r = "unbound"
""",
    "a float counter and a condition": """
t, s = 0.0, 0.0
while t < 1.0 and s < 2.5:
    for i in range(n):
        v[i] += t
    s = v[0]
    t += 0.25
""",
    "either of two": """
i, s = 0, 0.0
while i < 4 or s < 2.0:
    s += u[i]
    i += 1
""",
    "a float counter": """
t = 0.0
while t < 1.0:
    for i in range(n):
        v[i] += t
    t += 0.25
x = 0.5
while x < 5:
    v[2] += x
    x += 1
""",
    "a counter of NumPy's": """
i = np.int64(0)
while i < n:
    v[i] += i
    i += 1
j = np.int8(120)
while j < 125:
    v[j - 120] = j
    j += 1
""",
    "a bool to begin with": """
i = True
while i < 1:
    i += 1
j = False
while j < 5:
    v[j] = 1
    s = j
    j += 2
""",
    "rows of a compressed array": """
r = 0
while r < 4:
    j = ptr[r]
    while j < ptr[r + 1]:
        v[j] = u[j] * r
        j += 1
    r += 1
""",
    "a bound that changes": """
i, n2 = 0, 8
while i < n2:
    v[i] += 1
    n2 -= 1
    i += 1
last = np.array([6])
i = 0
while i < last[0]:
    last[0] -= 1
    i += 1
""",
    "a bound that is a float": """
i = 0
while i < n / 2:
    v[i] = i
    i += 1
""",
    "a counter that changes elsewhere": """
i = 0
while i < n:
    if u[i] > 0.5:
        i += 1
    v[i - 1] = 3
    i += 1
i = 0
while i < n:
    for i in range(i, i + 2):
        pass
    i += 1
""",
    "a step of the wrong sign": """
i, d = 0, -1
try:
    while i < n:
        v[i] = i
        i += d
except IndexError:
    pass
""",
    "an exception on the way": """
i = 5
try:
    while i < n + 3:
        v[i] = i
        i += 1
except IndexError:
    pass
""",
    "convergence": """
err = 1.0
while err > 1e-3:
    err = 0.0
    for i in range(1, n - 1):
        w = 0.5 * (u[i - 1] + u[i + 1])
        err = max(err, abs(w - u[i]))
        u[i] = w
""",
    "a step that a continue may skip": """
i = c = 0
while i < n:
    c += 1
    if c % 3 == 0:
        continue
    v[i] = c
    i += 1
""",
    "a huge counter": """
i = 2**63 - 2
c = 0
while i < 2**63 + 2:
    c += 1
    i += 1
""",
}


@pytest.mark.parametrize("name", COUNTED)
def test_is_taken(name):
    loops = same(HEAD + COUNTED[name])
    assert loops
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("name", BESIDE)
def test_a_condition_beside_the_counter_is_asked_first_in_each_iteration(name):
    loops = same(HEAD + BESIDE[name])
    assert loops
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("name", OTHERS)
def test_means_the_same(name):
    same(HEAD + OTHERS[name])


SIEVE = """
def sieve(limit):
    known = {known}
    {first}
    while {test}:
        if known[i]:
            for j in range(i * i, limit + 1, i):
                known[j] = False
        i += 1
    return known, i
k = sieve(500), sieve(4), sieve(3), sieve(1)
"""


@pytest.mark.parametrize("test", ["i * i <= limit", "i * i < limit + 1", "2 * i * i <= limit"])
def test_what_ends_by_a_function_of_what_counts(test):
    lists = SIEVE.format(known="[True] * (limit + 1)", first="i = 2", test=test)
    assert same(HEAD + lists)[HEAD.count("\n") + 5] == "compiled"
    same(HEAD + SIEVE.format(known="np.ones(limit + 1, bool)", first="i = 2", test=test))
    same(HEAD + lists.replace("i = 2", "i = -3"))  # which comes to a step of zero


def test_loops_that_count_are_parallel():
    from autopar import journal

    same(HEAD + COUNTED["one in another"])
    (record,) = journal.records()
    assert record.parallel_loops == ["i", "j"]


def test_a_loop_that_waits_for_somebody_else_is_left_alone():
    """What it ends by is changed by another thread: a kernel would never see it."""
    source = """
import threading
done, count = False, 0
def other():
    global done
    done = True
def run():
    global count
    threading.Timer(0.05, other).start()
    while not done:
        count += 1
run()
ended, count = done, 0
"""
    assert same(source) == {10: "not-range"}
