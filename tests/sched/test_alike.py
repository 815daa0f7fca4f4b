"""What comes to the same in all iterations of a loop."""

from __future__ import annotations

import pytest

from autopar.nest.ir import Assign, Element, Name
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import statements
from autopar.sched.alike import alike, varying

SOURCE = """\
for i in range(n):
    p[0] = 1.0
    q[0] = u[0, i]
    for j in range(1, n):
        p[j] = p[j - 1] * b
        s = p[j] + z[j]
        t = s * u[j, i]
        q[j] = q[j - 1] - t
        if z[j] > 0.0:
            w[j] = s
        else:
            w[j] = 0.0
        if q[j] > 0.0:
            x[j] = 1.0
        v[0, j] = 2.0
        r = v[0, j]
"""


def test_what_varies_and_what_does_not():
    loop = lift_text(SOURCE).loop
    private = frozenset("pqwx")
    found = varying(loop, private)
    assert found == {"i", "q", "t", "x", "v", "r"}
    same = {
        s.target.id if isinstance(s.target, Name) else s.target.array
        for s in statements(loop)
        if isinstance(s, Assign) and isinstance(s.target, Name | Element) and alike(s, found)
    }
    assert same == {"p", "s", "w"}


@pytest.mark.parametrize("stmt", ["p[j] = i * 1.0", "p[i] = 1.0", "p[j] = u[i, 0]"])
def test_whatever_mentions_the_loop_varies(stmt):
    source = f"for i in range(n):\n    for j in range(n):\n        {stmt}\n        q[j] = p[j]\n"
    assert varying(lift_text(source).loop, frozenset("pq")) == {"i", "p", "q"}


def test_what_is_assigned_where_the_range_varies():
    source = "for i in range(n):\n    for j in range(i):\n        p[j] = 1.0\n        s = 2.0\n"
    assert varying(lift_text(source).loop, frozenset("p")) == {"i", "j", "p", "s"}
