"""Programs that loops with events, or loops over objects, once answered in another way."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

STRETCHES = {
    "a loop with an else and events of its own, in what follows an event": """
n, a, b = 25, [0.1 * k for k in range(25)], [0.0] * 6
for t in range(n):
    b[t % 6] += a[t]
    if t % 5 == 2:
        print(t)
    for k in range(3):
        if k == 2:
            break
        b[k] += 1
    else:
        b[5] += 1
""",
    "a loop in what follows an event that returns from its else": """
n, a, b = 25, [0.1 * k for k in range(25)], [0.0] * 6
def f():
    for t in range(n):
        b[t % 6] += a[t]
        if t % 5 == 2:
            print(t)
        for k in range(3):
            if k == 2:
                break
            b[k] += 1
        else:
            return 5
    return 6
x = f()
""",
}

HEAD = """
class Item:
    def __init__(self, k):
        self.total, self.k, self.state = 0.0, k, "a"
    def add(self, t):
        self.total += t
        return self.total
    def turn(self, t):
        if self.state == "a":
            self.state = "b"
            return 1
        self.state = "a"
        return 2
def run(f):
    items = [Item(k) for k in range(3)]
    done = []
    for _ in range(3):
        done.append((f(items, 6), [list(vars(item).items()) for item in items]))
    return done
"""

OBJECTS = {
    "a sum in a loop over objects alone": """
def f(items, n):
    s = 0.0
    for t in range(n):
        for k, item in enumerate(items):
            s += item.add(k)
        s = max([s, 1.0, min(items[0].total, s)]) if t >= 0 else print(s)
    return s
x = run(f)
""",
    "a sum in a loop over objects in one that is refused": """
def f(items, n):
    s = 0
    for t in range(n):
        for item in items:
            s += item.turn(t)
    return s
x = run(f)
""",
}

NEW = {
    "in two branches": """
        if t % 2 == 1: self.n3 = t * 2.0
        if t % 2 == 0: self.n1 = t
        self.n0 = t
""",
    "in a branch first": """
        if t > 0: self.q = 1.0
        self.p = t
        self.q = t
""",
    "in a loop first": """
        for j in range(t):
            self.q = 1.0
        self.p = t
        self.q = t
""",
    "twice": """
        self.q = t
        self.p = t
        self.q = 2.0
""",
    "in a loop": """
        for j in range(t):
            self.q = 1.0
            self.p = t
            self.q = t + j
""",
}


@pytest.mark.parametrize("body", NEW.values(), ids=NEW)
def test_new_attributes_are_kept_in_order(body: str) -> None:
    both(f"""
class Item:
    def go(self, t):
{body}
        return t
def one(items, t):
    s = 0
    for item in items:
        s += item.go(t)
    return s
def several(items, n):
    s = 0
    for t in range(n):
        for item in items:
            s += item.go(t)
    return s
x = []
for n in (0, 1, 2, 3, 3, 1, 0):
    for f in (one, several):
        items = [Item(), Item()]
        x.append((f(items, n), [list(vars(item).items()) for item in items]))
        x.append((f(items, 3), [list(vars(item).items()) for item in items]))
""")


@pytest.mark.parametrize("source", STRETCHES.values(), ids=STRETCHES)
def test_loops_with_events(source: str) -> None:
    both(source)


@pytest.mark.parametrize("source", OBJECTS.values(), ids=OBJECTS)
def test_loops_over_objects(source: str) -> None:
    both(HEAD + source)


def test_a_name_declared_in_an_event_leaves_the_rest_of_the_file_as_it_is() -> None:
    found = both("""
n, a, b = 25, [0.1 * k for k in range(25)], [0.0] * 6
def f():
    for t in range(n):
        b[t % 6] += a[t]
        if t % 10 == 3:
            global declared
            declared = t
            print(declared)
def g():
    for t in range(n):
        b[t % 6] += 2.0
f()
g()
""")
    assert found.loops[11] == "compiled"


LAST = """
def run(ps, sun):
    for p in ps:
        old = p.x
        p.x = p.v + old
        sun.x = old
"""
SWAPPED = """
def run(ps, sun):
    for p in ps:
        for q in ps:
            sun.x, q.x = q.x, sun.v
        sun.v = sun.v * 0.5 + 1.0
"""


@pytest.mark.parametrize("source", [LAST, SWAPPED], ids=["old", "swapped"])
def test_an_attribute_is_given_what_another_was_before_it_changed(source: str) -> None:
    """Not the item that its list has in the end."""
    head = """
class P:
    def __init__(self, k):
        self.x, self.v = 0.5 * k, 0.25 + k
"""
    end = """
ps, sun = [P(k) for k in range(40)], P(50)
for turn in "abc":
    run(ps, sun)
x = [(p.x, p.v) for p in [*ps, sun]]
"""
    found = both(head + source + end)
    assert "compiled" in found.loops_after(head).values()
