"""The dependence graph of a nest for one set of parameter values."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx

from autopar.deps.data import Analysis


def graph(analysis: Analysis, held: Mapping[str, int] | frozenset[int]) -> nx.MultiDiGraph:
    """Statements as nodes, the dependences that hold as edges.

    Parameters
    ----------
    analysis
        Of the nest.
    held
        Values of `analysis.params`, or what `analysis.held` said of them.

    Returns
    -------
    networkx.MultiDiGraph
        Node: statement id, with `line`.  Edge from source to sink, with `level`, `kind`,
        `variable`, `distance`, `direction`, and `dependence`, its position in the analysis.
    """
    chosen = held if isinstance(held, frozenset) else analysis.held(held)
    made = nx.MultiDiGraph()
    for place, dep in enumerate(analysis.dependences):
        made.add_node(dep.source, line=dep.source_line)
        made.add_node(dep.sink, line=dep.sink_line)
        if place in chosen:
            made.add_edge(
                dep.source,
                dep.sink,
                level=dep.level,
                kind=dep.kind,
                variable=dep.variable,
                distance=dep.distance,
                direction=dep.direction,
                dependence=place,
            )
    return made
