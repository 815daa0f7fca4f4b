"""Lists that a nest reads while it appends to them: queues, pools, sieves of what was found."""

import numpy as np
import pytest
from tests.same.outcome import both, same

SEARCH = """
def distances(start, column, source, dist, queue):
    head = 0
    while head < len(queue):
        i = queue[head]
        head += 1
        for e in range(start[i], start[i + 1]):
            j = int(column[e])
            if dist[j] < 0:
                dist[j] = dist[i] + 1
                queue.append(j)
    return dist, queue, head
"""


def graph(nodes, links, seed):
    rng = np.random.default_rng(seed)
    degree = rng.integers(0, links, nodes)
    start = np.concatenate([[0], np.cumsum(degree)])
    return start, rng.integers(0, nodes, start[-1])


@pytest.mark.parametrize("nodes", [1, 7, 300])
def test_breadth_first_search(strict, nodes):
    start, column = graph(nodes, 6, nodes)
    source = SEARCH + (
        "d = [-1] * n\nd[0] = 0\nq = [0]\n"
        "found = distances(start, column, 0, d, q)\nsame = found[0] is d and found[1] is q\n"
    )
    assert same(source, start=start, column=column, n=nodes)[4] == "compiled"


def test_more_items_than_there_is_room_for_at_first(strict):
    source = """
def f(q, n):
    k = 0
    while k < len(q):
        if len(q) < n:
            q.append(q[k] * 3 % 1000 + k)
        k += 1
    return k
q = [1]
k = f(q, n)
"""
    assert same(source, n=70_000)[4] == "compiled"


def test_a_list_that_is_empty_at_first(strict):
    source = """
def f(pool, n):
    total = 0
    for k in range(n):
        if pool and k % 3:
            total += pool[(k * 7) % len(pool)]
        elif not pool or k % 5:
            pool.append(k)
        else:
            pool.append(pool[-1] + 1)
    return total
a, b = [], [9, 8]
x = f(a, n), f(b, n), f([], 0), f(a, n)
"""
    assert same(source, n=50)[4] == "compiled"


@pytest.mark.parametrize("first", ["1.5", "-0.0", "1", "True", "2**62"])
def test_items_of_other_types(lenient, first):
    source = f"""
def f(q, n):
    k = 0
    while k < len(q) and len(q) < n:
        q.append(q[k] * 2)
        q.append(-q[k])
        k += 1
    return q[-1]
q = [{first}]
x = f(q, n)
"""
    both(source, n=30)


def test_numpys_numbers(strict):
    source = """
def f(q, a):
    k = 0
    while k < len(q):
        if a[q[k]] > 0:
            q.append(a[q[k]])
        k += 1
    return q
q = f([a[0]], a)
"""
    both(source, a=np.array([1, 2, 3, 4, 0]))


def test_primes_by_trial_division(strict):
    source = """
def primes(found, n):
    for k in range(2, n):
        prime = True
        j = 0
        while j < len(found) and found[j] * found[j] <= k:
            if k % found[j] == 0:
                prime = False
                break
            j += 1
        if prime:
            found.append(k)
found = []
primes(found, n)
"""
    assert same(source, n=500)[3] == "compiled"


@pytest.mark.usefixtures("lenient")
class TestLeftToPython:
    """The answer is Python's, whoever computes it."""

    def test_reading_behind_the_end(self):
        source = """
def f(q, n):
    k = 0
    while k < n:
        q.append(q[k] + q[k + 1])
        k += 2
try:
    q = [1, 2]
    f(q, 20)
except IndexError as error:
    why = str(error)
"""
        both(source)

    def test_counting_from_the_end(self):
        source = """
def f(q, n):
    for k in range(n):
        q.append(q[k - 3] + 1)
q = [1, 2, 5]
f(q, n)
"""
        both(source, n=40)

    def test_items_that_are_assigned_to_parts(self):
        source = """
def f(q, n):
    for k in range(n):
        q.append(q[k] + 1)
        q[k:k + 1] = [0]
q = [1, 2, 5]
f(q, n)
"""
        assert same(source, n=40)[3] != "compiled"

    @pytest.mark.parametrize(
        "head",
        [
            "for v in q:",
            "for k, v in enumerate(q):",
            "for v, w in zip(q, q):",
            "z = q\n    for v in z:",
            "for v in reversed(q):",
            "for v in q[:]:",
            "for v in q[-2:]:",
        ],
    )
    @pytest.mark.parametrize("begin", ["", "q = []\n    q.append(3)\n    q.append(n)\n    "])
    def test_going_through_a_list_that_grows(self, head, begin):
        source = f"""
def f(q, n):
    {begin}for i in range(3):
        {head.replace(chr(10), chr(10) + "    ")}
            if len(q) < n:
                q.append(v + i)
    return q
q = f([3, 4], n)
"""
        both(source, n=40)

    def test_another_name_for_the_list(self):
        source = """
def f(q, r, n):
    s = 0
    for k in range(n):
        q.append(q[k] + r[-1])
        s += len(r)
    return s
q = [1, 2, 5]
s = f(q, q, n), f(q, [3], n)
"""
        both(source, n=40)

    def test_a_row_of_another_list(self):
        source = """
def f(q, rows, n):
    s = 0
    for k in range(n):
        q.append(k)
        s += len(rows[0])
    return s
q = [1, 2]
s = f(q, [q, [3, 4]], n)
"""
        both(source, n=40)

    def test_integers_that_grow_large(self):
        source = """
def f(q, n):
    for k in range(n):
        q.append(q[k] * q[k])
q = [3]
f(q, n)
"""
        both(source, n=9)

    def test_a_division_by_zero_midway(self):
        source = """
def f(q, n):
    for k in range(n):
        q.append(100 // (q[k] - 3) + k)
try:
    q = [9]
    f(q, n)
except ZeroDivisionError:
    why = "zero"
"""
        both(source, n=400)

    def test_a_nan_stays_the_same_object(self):
        source = """
def f(q, n):
    for k in range(n):
        q.append(q[k])
nan = float("nan")
q = [nan, 1.0]
f(q, n)
alike = [v is nan for v in q]
"""
        both(source, n=10)


@pytest.mark.parametrize("value", ["(i, k)", "(i, (k, i * k), 0.5 * k)", "(k,)", "(a[i], i)"])
def test_tuples_appended_to_a_list_from_before(strict, value):
    source = f"""
def f(edges, a, n):
    for i in range(n):
        for k in range(n):
            if (i * k) % 3 == 1:
                edges.append({value})
edges = [(7, 8)]
same = edges
f(edges, a, n)
x = same is edges
f(edges, a, 0)
"""
    assert same(source, a=[3, 1, 4, 1, 5, 9, 2, 6], n=8)[3] == "compiled"


@pytest.mark.parametrize(
    "more",
    ["edges.append((i, k, 1))", "edges.append(i)", "x += len(edges)", "x += edges[0][0]",
     "edges.append((i, 1.5))", "edges.append((10**30, i))", "edges.append((i, 1 // (i - 4)))"],
)  # fmt: skip
def test_other_tuples(lenient, more):
    source = f"""
def f(edges, n):
    x = 0
    for i in range(n):
        for k in range(n):
            if (i * k) % 3 == 1:
                edges.append((i, k))
        {more}
    return x
edges = [(7, 8)]
try:
    x = f(edges, n)
except ZeroDivisionError as error:
    x = str(error)
"""
    both(source, n=8)


def test_as_many_as_a_list_has_that_grows(lenient):
    source = """
def f(q, out, n):
    for i in range(n):
        for z in range(len(q)):
            out.append((z, i))
            q.append(-z)
    for z in range(len(q)):
        out.append(z)
        q.append(z)
q, out = [1], []
f(q, out, n)
f(q, out, 0)
"""
    both(source, n=3)
