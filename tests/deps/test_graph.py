"""The dependence graph of a four-deep nest whose offsets are known at the call only.

Four statements at depths one to four: the example of Allen & Kennedy, *Optimizing Compilers for
Modern Architectures*, section 2.4, one loop deeper and with its three offsets made parameters.
"""

from __future__ import annotations

import itertools

import pytest
from nests import FOUR_DEEP, FOUR_DEEP_RANKS
from replay import Machine, found_dependences

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.deps.graph import graph
from autopar.nest.text.lift import lift_text

S1, S2, S3, S4 = 3, 5, 8, 9  # lines


def found(p1: int, p2: int, p3: int):
    """Nest, edges between lines with kind and level, and what the nest really does."""
    sizes = {"n": 4, "m": 2, "p1": p1, "p2": p2, "p3": p3}
    shapes = {f"{a}.shape[{k}]": 20 for a, rank in FOUR_DEEP_RANKS.items() for k in range(rank)}
    nest = lift_text(FOUR_DEEP)
    made = graph(
        analyse(nest, Facts(frozenset(sizes), tuple(FOUR_DEEP_RANKS.items()))), sizes | shapes
    )
    line = dict(made.nodes(data="line"))
    edges = {
        (line[a], line[b], data["kind"], data["level"])
        for a, b, data in made.edges(data=True)
        if data["variable"] in FOUR_DEEP_RANKS
    }
    run = Machine(dict(sizes), {})
    run.run(nest.loop)
    happened = {(line[a], line[b], level) for a, b, _, _, level, _ in found_dependences(run.events)}
    return edges, happened


def test_the_graph_of_the_whole_nest():
    """With the book's offsets: one recurrence of S2, S3 and S4 in `i`, and S1 that follows it."""
    edges, _ = found(p1=1, p2=0, p3=1)
    true = {(a, b, level) for a, b, kind, level in edges if kind == "true"}
    assert true == {
        (S2, S3, None), (S2, S3, 1),
        (S3, S2, 1), (S3, S2, 2),
        (S3, S4, 1), (S3, S4, None),
        (S4, S1, 1),
    }  # fmt: skip
    assert {(a, b) for a, b, _, level in edges if level == 1} >= {(S2, S2), (S3, S3), (S4, S4)}


def test_the_graph_inside_the_outer_loop():
    """What one iteration of `i` must still keep: S4 after S3, and S2 with S3 in order of `j`."""
    edges, _ = found(p1=1, p2=0, p3=1)
    inner = {(a, b, kind, level) for a, b, kind, level in edges if level != 1}
    assert inner == {
        (S2, S3, "true", None),
        (S3, S2, "true", 2),
        (S3, S4, "true", None),
    }


def test_other_offsets_have_other_graphs():
    apart, _ = found(p1=12, p2=-12, p3=6)
    assert not {(a, b) for a, b, kind, _ in apart if kind == "true"} & {
        (S3, S2),
        (S3, S4),
        (S4, S1),
    }
    back, _ = found(p1=-1, p2=0, p3=0)
    assert (S2, S3, "anti", 2) in back
    assert (S3, S2, "true", 2) not in back


@pytest.mark.parametrize(
    ("p1", "p2", "p3"), list(itertools.product([-2, -1, 0, 1, 2, 12], [-12, -1, 0, 1], [-1, 0, 1]))
)
def test_every_graph_is_what_a_trace_shows(p1, p2, p3):
    edges, happened = found(p1, p2, p3)
    assert {(a, b, level) for a, b, _, level in edges} == happened
