"""Lists of which a nest takes the last item: depth first searches, flood fills, backtracking."""

import numpy as np
import pytest
from tests.same.outcome import both, same

SEARCH = """
def search(start, column, stack, seen):
    order = []
    while TEST:
        v = stack.pop()
        if seen[v]:
            continue
        seen[v] = 1
        order.append(v)
        for e in range(start[v], start[v + 1]):
            w = int(column[e])
            if not seen[w]:
                stack.append(w)
    return order
seen = [0] * n
stack = [0]
given = stack
order = search(start, column, stack, seen)
same = given is stack
"""


def graph(nodes, links, seed):
    rng = np.random.default_rng(seed)
    degree = rng.integers(0, links, nodes)
    start = np.concatenate([[0], np.cumsum(degree)])
    return start, rng.integers(0, nodes, start[-1])


@pytest.mark.parametrize("test", ["stack", "len(stack) > 0", "len(stack)", "len(stack) != 0"])
@pytest.mark.parametrize("nodes", [1, 7, 300])
def test_depth_first_search(strict, nodes, test):
    start, column = graph(nodes, 6, nodes)
    found = same(SEARCH.replace("TEST", test), start=start, column=column, n=nodes)
    assert found[4] == "compiled"


def test_left_by_a_break(strict):
    start, column = graph(50, 6, 1)
    source = SEARCH.replace("TEST", "True").replace(
        "        v = stack", "        if not stack:\n            break\n        v = stack"
    )
    assert same(source, start=start, column=column, n=50)[4] == "compiled"


def test_what_is_left_of_a_list_that_was_there(strict):
    """Items that were never taken are the very objects; others are new ones."""
    source = """
def f(stack, n):
    k = 0
    while len(stack) > n:
        v = stack.pop()
        k += 1
        if v > 10:
            stack.append(v / 2)
            stack.append(v / 4)
    return k
stack = [float(v) for v in range(3, 60)]
kept = stack[:]
k = f(stack, n)
same = [one is other for one, other in zip(stack, kept)]
"""
    for n in (0, 5, 30, 57, 80):
        assert same(source, n=n)[4] == "compiled"


def test_taken_and_put_back(strict):
    source = """
def f(stack, n):
    for k in range(n):
        v = stack.pop()
        stack.append(v)
    return stack
stack = [1.5, 2.5, 3.5]
kept = stack[:]
f(stack, 4)
same = [one is other for one, other in zip(stack[:2], kept)]
"""
    assert same(source)[3] == "compiled"


@pytest.mark.parametrize("first", ["stack = [(i, j)]", "stack = []\n{}stack.append((i, j))"])
def test_flood_fill(strict, first):
    indent = "                "
    source = f"""
import numpy as np
def fill(img, out):
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            if out[i, j] == 0 and img[i, j]:
                {first.format(indent)}
                while stack:
                    x, y = stack.pop()
                    if x < 0 or y < 0 or x >= img.shape[0] or y >= img.shape[1]:
                        continue
                    if out[x, y] or not img[x, y]:
                        continue
                    out[x, y] = 1 + i * img.shape[1] + j
                    stack.append((x + 1, y))
                    stack.append((x - 1, y))
                    stack.append((x, y + 1))
                    stack.append((x, y - 1))
out = np.zeros(img.shape, dtype=np.int64)
fill(img, out)
"""
    img = np.random.default_rng(4).integers(0, 3, size=(20, 17))
    assert same(source, img=img)[4] == "compiled"


def test_a_stack_for_each_iteration(strict):
    """Parts of the plane that are divided until they are small: one stack in each iteration."""
    source = """
def f(out, n):
    for i in range(n):
        stack = [1.0 + i]
        total = 0.0
        while stack:
            v = stack.pop()
            if v < 0.3:
                total += v * v
            else:
                stack.append(v * 0.5)
                stack.append(v * 0.25)
        out[i] = total
out = [0.0] * 40
f(out, 40)
"""
    assert same(source)[3] == "compiled"


def test_more_items_than_there_is_room_for_at_first(strict):
    source = """
def f(stack, n):
    most = total = 0
    while stack:
        v = stack.pop()
        total += v
        if v < n:
            for k in range(5):
                stack.append(n + k)
            stack.append(v + 1)
        if len(stack) > most:
            most = len(stack)
    return most, total
x = f([0], n)
"""
    assert same(source, n=20_000)[4] == "compiled"


def test_a_statement_of_its_own(strict):
    source = """
def f(n):
    best = []
    steps = 0
    for k in range(n):
        while best and best[-1] > (k * 7) % 11:
            best.pop()
            steps += 1
        best.append((k * 7) % 11)
    return steps, len(best)
x = f(n)
"""
    assert same(source, n=60)[5] == "compiled"


@pytest.mark.parametrize("more", ["v * 0.5", "a[k % 4]", "max(a[k % 4], 0.5)"])
@pytest.mark.parametrize("given", ["[1.5, a[0], a[1], 2.5]", "[1.5, 2.5]", "[a[0]]", "[]"])
def test_numbers_of_both_kinds(lenient, given, more):
    source = f"""
def f(stack, a, n):
    for k in range(n):
        if len(stack) > k % 3:
            v = stack.pop()
        else:
            v = -1.0
        if k % 5:
            stack.append({more})
        if k % 3:
            stack.append(v + 1)
    return v
stack = {given}
kept = stack[:]
v = f(stack, a, 17)
same = [one is other for one, other in zip(stack, kept)]
"""
    both(source, a=np.array([0.25, -1.5, 3.5, 2.0]))


def test_one_that_the_nest_makes(strict):
    source = """
def f(n):
    for i in range(n):
        stack = []
        for k in range(n):
            while stack and stack[-1] > (k * i) % 7:
                stack.pop()
            stack.append((k * i) % 7)
    return stack
stack = f(12)
"""
    assert same(source)[3] == "compiled"


@pytest.mark.usefixtures("lenient")
class TestLeftToPython:
    """The answer is Python's, whoever computes it."""

    @pytest.mark.parametrize(
        "body",
        [
            "s += stack.pop()",
            "s = stack.pop() + stack.pop()",
            "out[len(stack)] = stack.pop()",
            "out[k] = stack.pop(0)",
            "out[k] = stack.pop(-1)",
            "out[k] = stack.pop(-2)",
            "stack.append(stack.pop())",
            "v = stack.pop()\n        stack[0] = v",
            "v = w = stack.pop()\n        s += v * w",
            "a, b = stack.pop()\n        s += a",
            "s += len(stack)\n        stack.pop()",
            "for v in stack:\n            stack.pop()\n            s += v",
            "for v in stack:\n            s += v\n        stack.pop()",
            "other = stack\n        v = other.pop()\n        s += v + len(stack)",
            "del stack[-1]",
            "v = stack.pop()\n        stack = stack[1:]",
            "v = stack.pop()\n        s += v if v in stack else 1",
            "v = stack.pop()\n        stack.sort()\n        s += stack[0]",
            "v = stack.pop()\n        stack.append(s)\n        stack.append(k * 0.5)",
            "v = stack.pop()\n        s += sum(stack)",
            "v = stack.pop()\n        s += stack[-1] - stack[0]",
            "v = stack.pop()\n        s += stack[k]",
            "stack.append(k)\n        s += stack[-1]",
            "stack.append((k, s))\n        v = stack.pop()\n        s += v[0]",
            "stack.append([k, s])\n        v = stack.pop()\n        s += v[0]",
        ],
    )
    @pytest.mark.parametrize(
        "given", ["[1.5, 2.5, -3.5, 4.5]", "list(range(12))", "[]", "[True, 2, 0.5]", "(1, 2, 3)"]
    )
    @pytest.mark.parametrize("own", [False, True])
    def test_whatever_comes(self, given, body, own):
        source = f"""
def f(stack, out, n, s):
  try:
    for k in range(n):
        {"stack = list(stack)" if own else "s += stack[0]"}
        {body}
  except Exception as error:
    return type(error).__name__, str(error), s, k
  return s, k
out = [0] * 12
stack = given = {given}
x = f(stack, out, 6, 0)
same = stack is given
"""
        both(source)

    def test_an_empty_one(self):
        source = """
def f(stack, out, n):
    for k in range(n):
        out[k] = stack.pop()
        if k % 2:
            stack.append(k)
    return stack
out = [0] * 12
stack = [7, 8, 9]
try:
    f(stack, out, 12)
except IndexError as error:
    why = str(error)
"""
        assert same(source)[3] != "compiled"

    def test_a_stack_of_the_users(self):
        source = """
class Stack:
    def __init__(self):
        self.items = 0.5
    def pop(self):
        self.items = self.items * 0.5 + 1
        return self.items
    def sort(self):
        self.items = 3.0
def f(stack, out, n):
    for k in range(n):
        out[k] = stack.pop()
        if k == 5:
            stack.sort()
out = [0.0] * 12
stack = Stack()
f(stack, out, 12)
x = stack.items
"""
        both(source)

    @pytest.mark.parametrize("given", ["{3, 1}", "bytearray(b'abc')", "deque([1, 2, 3])"])
    def test_what_is_no_list(self, given):
        source = f"""
from collections import deque
def f(stack, n):
    s = 0
    while stack:
        v = stack.pop()
        s = s * 3 + v
        if s < n:
            stack.append(s)
    return s
stack = {given}
try:
    x = f(stack, 30)
except AttributeError as error:
    x = str(error)
"""
        both(source)
