"""Strongly connected components, against networkx."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from autopar.sched.components import condensed

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


@given(EDGES)
def test_the_same_components_and_edges_as_networkx(edges):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(10))
    graph.add_edges_from(edges)
    packed = nx.condensation(graph)
    members = {c: frozenset(packed.nodes[c]["members"]) for c in packed}
    parts, leads = condensed(range(10), edges)
    assert set(parts) == set(members.values())
    assert sorted(node for part in parts for node in part) == list(range(10))
    got = {(parts[a], parts[b]) for a, sinks in enumerate(leads) for b in sinks}
    assert got == {(members[a], members[b]) for a, b in packed.edges}


def test_a_long_chain_needs_no_deep_recursion():
    count = 5_000
    chain = [(k, k + 1) for k in range(count - 1)]
    parts, leads = condensed(range(count), chain)
    assert (len(parts), sum(map(len, leads))) == (count, count - 1)
    parts, leads = condensed(range(count), [*chain, (count - 1, 0)])
    assert (len(parts), leads) == (1, [frozenset()])
