"""Which innermost loops of optimised code work on vectors, for those who want to know.

Read off LLVM's own text: what it was asked for says nothing of what it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import networkx as nx

from autopar.cpu.emit import users_name
from autopar.cpu.metadata import NAME
from autopar.records import dataclass

_FUNCTION = re.compile(r"^define .*?\{$(.*?)^\}", re.MULTILINE | re.DOTALL)
_LABEL = re.compile(r'^(?:([\w.$-]+)|"([^"]+)"):')
_EDGE = re.compile(r'label %(?:([\w.$-]+)|"([^"]+)")')
_VECTOR = re.compile(r"<(\d+) x (double|float|i8|i16|i32|i64)>")
_NAMES = {"double": "float64", "float": "float32"}
_BITS = {"double": 64, "float": 32}
_NODE = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_PART = re.compile(r"!(\d+)")
_NAMED = re.compile(rf'!"{re.escape(NAME)}", !"([^"]*)"')
_BYTE = re.compile(r"\\([0-9A-F]{2})")
_DONE = "llvm.loop.isvectorized"
_LOOP = re.compile(r"!llvm\.loop !(\d+)")


@dataclass(frozen=True, slots=True)
class Innermost:
    """A loop of machine code with none in it.

    Attributes
    ----------
    name
        Of its variable, see `metadata.named`; empty where it has none.
    lanes, kind
        How many numbers its widest vectors hold, and of which dtype; 1 and nothing: there are none.
    """

    name: str
    lanes: int = 1
    kind: str = ""


def innermost(text: str) -> tuple[Innermost, ...]:
    """The innermost loops of LLVM text.

    Of one that LLVM has made vectors of, the last iterations, one by one, do not count.
    """
    names, done = _known(text)
    found = []
    for body in _FUNCTION.findall(text):
        blocks = _blocks(body)
        for loop in _innermost(_graph(blocks)):
            inside = "\n".join(lines for block, lines in blocks.items() if block in loop)
            nodes = _LOOP.findall(inside)
            name = next((names[node] for node in nodes if node in names), "")
            widest = max(_VECTOR.findall(inside), key=_width, default=None)
            if widest is not None:
                lanes, kind = widest
                kind = _NAMES.get(kind, kind.replace("i", "int"))
                found.append(Innermost(name, int(lanes), kind))
            elif done.isdisjoint(nodes):
                found.append(Innermost(name))
    return tuple(found)


def told(loops: Sequence[Innermost]) -> str:
    """A sentence on what `innermost` has found, of the loops that are the user's."""
    theirs: dict[str, list[Innermost]] = {}
    for loop in loops:
        if loop.name and not loop.name.endswith("_"):
            theirs.setdefault(users_name(loop.name), []).append(loop)
    parts = []
    for name, same in theirs.items():
        wide = [loop for loop in same if loop.lanes > 1]
        if not wide:
            parts.append(f"{name} one by one")
            continue
        widest = max(wide, key=lambda loop: loop.lanes)
        some = f" in {len(wide)} of {len(same)}" if len(wide) < len(same) else ""
        parts.append(f"{name} in vectors of {widest.lanes} {widest.kind}{some}")
    return f"innermost loops: {', '.join(parts) or 'none'}"


def _width(vector: tuple[str, str]) -> int:
    count, kind = vector
    return int(count) * (_BITS.get(kind) or int(kind[1:]))


def _read(name: str) -> str:
    """A text in which LLVM has written bytes beyond ASCII by their numbers."""
    return _BYTE.sub(lambda found: chr(int(found[1], 16)), name).encode("latin-1").decode("utf-8")


def _known(text: str) -> tuple[dict[str, str], set[str]]:
    """By the number of what stands behind a loop its name, and which LLVM has made vectors of."""
    nodes = dict(_NODE.findall(text))
    noted = ((number, _NAMED.search(node)) for number, node in nodes.items())
    names = {number: _read(found[1]) for number, found in noted if found is not None}
    marks = {number for number, node in nodes.items() if _DONE in node}
    named: dict[str, str] = {}
    done: set[str] = set()
    for number, node in nodes.items():
        parts = _PART.findall(node)
        named.update((number, names[part]) for part in parts if part in names)
        if not marks.isdisjoint(parts):
            done.add(number)
    return named, done


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
