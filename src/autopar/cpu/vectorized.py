"""Which innermost loops of optimised code work on vectors, for those who want to know.

Read off LLVM's own text: what it was asked for says nothing of what it did.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import networkx as nx

_FUNCTION = re.compile(r"^define .*?\{$(.*?)^\}", re.MULTILINE | re.DOTALL)
_LABEL = re.compile(r'^(?:([\w.$-]+)|"([^"]+)"):')
_EDGE = re.compile(r'label %(?:([\w.$-]+)|"([^"]+)")')
_VECTOR = re.compile(r"<(\d+) x (double|float|i8|i16|i32|i64)>")
_NAMES = {"double": "float64", "float": "float32"}
_BITS = {"double": 64, "float": 32}
_NODE = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_DONE = "llvm.loop.isvectorized"
_LOOP = re.compile(r"!llvm\.loop !(\d+)")


def innermost(text: str) -> tuple[str, ...]:
    """For each innermost loop of LLVM text its widest vectors, such as ``8 float64``, or nothing.

    Of a loop that LLVM has made vectors of, the last iterations, one by one, do not count.
    """
    done = _done(text)
    found = []
    for body in _FUNCTION.findall(text):
        blocks = _blocks(body)
        for loop in _innermost(_graph(blocks)):
            inside = "\n".join(blocks[name] for name in loop)
            widest = max(_VECTOR.findall(inside), key=_width, default=None)
            if widest is not None:
                count, kind = widest
                found.append(f"{count} {_NAMES.get(kind, kind.replace('i', 'int'))}")
            elif done.isdisjoint(_LOOP.findall(inside)):
                found.append("")
    return tuple(found)


def told(loops: Sequence[str]) -> str:
    """A sentence on what `innermost` has found."""
    kinds = Counter(filter(None, loops))
    count = kinds.total()
    several = "s" if len(loops) != 1 else ""
    vectors = f" of {', '.join(sorted(kinds, reverse=True))}" if kinds else ""
    return f"{count} of {len(loops)} innermost loop{several} in vectors{vectors}"


def _width(vector: tuple[str, str]) -> int:
    count, kind = vector
    return int(count) * (_BITS.get(kind) or int(kind[1:]))


def _done(text: str) -> set[str]:
    """Numbers of what stands behind the loops that LLVM has made vectors of."""
    nodes = dict(_NODE.findall(text))
    marks = {f"!{number}" for number, node in nodes.items() if _DONE in node}
    return {number for number, node in nodes.items() if marks & set(re.findall(r"!\d+", node))}


def _blocks(body: str) -> dict[str, str]:
    """The lines of each block of a function; nothing jumps to the first, which may have no name."""
    name, found = "", dict[str, list[str]]()
    for line in body.splitlines():
        label = _LABEL.match(line)
        if label is not None:
            name = label[1] or label[2]
        found.setdefault(name, []).append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def _graph(blocks: dict[str, str]) -> nx.DiGraph:
    """Which block may come after which."""
    made = nx.DiGraph()
    made.add_nodes_from(blocks)
    for name, text in blocks.items():
        made.add_edges_from((name, plain or quoted) for plain, quoted in _EDGE.findall(text))
    return made


def _innermost(graph: nx.DiGraph) -> Iterator[set[str]]:
    """The blocks of each loop with none in it."""
    for blocks in nx.strongly_connected_components(graph):
        inside = graph.subgraph(blocks)
        if not inside.edges:
            continue
        heads = {to for to in blocks if any(one not in blocks for one in graph.predecessors(to))}
        once = nx.DiGraph(inside)
        once.remove_edges_from([(one, to) for one, to in inside.edges if to in heads])
        # Without a way in from outside it is code that nobody comes to.
        deeper = list(_innermost(once)) if heads else []
        yield from deeper or [blocks]
