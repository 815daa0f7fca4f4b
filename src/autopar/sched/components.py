"""Strongly connected components of a small graph; an import of networkx costs more than a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def condensed(
    nodes: Sequence[int], edges: Iterable[tuple[int, int]]
) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
    """The components, and for each the places of those that its edges lead to.

    Notes
    -----
    Tarjan's algorithm with an explicit stack, O(V + E); R. Tarjan, *Depth-first search and linear
    graph algorithms*, SIAM Journal on Computing 1(2), 1972.
    """
    after: dict[int, dict[int, None]] = {node: {} for node in nodes}
    for source, sink in edges:
        after[source][sink] = None
    number: dict[int, int] = {}  # in the order of their discovery
    lowest: dict[int, int] = {}  # the least number that is reached from a node, still open
    open_nodes: list[int] = []
    home: dict[int, int] = {}
    parts: list[frozenset[int]] = []
    for root in nodes:
        pending = [] if root in number else [(root, iter(after[root]))]
        while pending:
            node, sinks = pending[-1]
            if node not in number:
                number[node] = lowest[node] = len(number)
                open_nodes.append(node)
            left = next((s for s in sinks if s not in home), None)
            if left is None:
                pending.pop()
                if pending:
                    outer = pending[-1][0]
                    lowest[outer] = min(lowest[outer], lowest[node])
                if lowest[node] == number[node]:
                    at = open_nodes.index(node)
                    parts.append(frozenset(open_nodes[at:]))
                    home.update(dict.fromkeys(open_nodes[at:], len(parts) - 1))
                    del open_nodes[at:]
            elif left in number:
                lowest[node] = min(lowest[node], number[left])
            else:
                pending.append((left, iter(after[left])))
    leads = [
        frozenset(home[sink] for node in part for sink in after[node]) - {place}
        for place, part in enumerate(parts)
    ]
    return parts, leads
