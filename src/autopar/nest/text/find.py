"""Finds the loops of a module and says for each whether it is a nest.

The largest loop that can be taken is; the loops inside it become candidates of their own, asked
only when the outer one has been declined at run time.  So do runs of statements on whole arrays.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from autopar.nest.bound import stored
from autopar.nest.ir import COUNTING, Nest
from autopar.nest.text.counted import outermost, promising
from autopar.nest.text.iteration import called
from autopar.nest.text.leaving import Loop, heading
from autopar.nest.text.lift import lift, lift_run, lift_together
from autopar.nest.text.live import live_after, reads_frames, reads_names
from autopar.nest.text.methods import Calling, calling
from autopar.nest.text.neighbours import neighbours, searches
from autopar.nest.text.reach import functions, reach
from autopar.nest.text.runs import imports_numpy, parts, runs, weight
from autopar.nest.text.sources import source_of, through
from autopar.nest.text.stretches import Stretch, stretch
from autopar.nest.text.views import is_view
from autopar.nest.trees import children
from autopar.records import dataclass
from autopar.verdict import Reason, Refusal, Span

_ITEMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List)
_OFF = re.compile(r"#\s*autopar:\s*off\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One loop, several next to one another, or a run of statements, and what became of it.

    Attributes
    ----------
    nodes
        The loop alone, or the statements.
    nest, refusal
        Exactly one of them.
    parent
        Index of the enclosing candidate whose fallback contains this one.
    weight
        Operations of a run; 0 for loops.
    stretch
        What of a loop is a nest, if that is not all of it.
    through
        The loop through what the interpreter evaluates before, if it is one; see `sources`.
    calling
        What it hands over, where it is no nest but calls methods that a call may write out.
    inner
        Whether it stands in another loop.
    """

    nodes: tuple[ast.stmt, ...]
    function: str
    nest: Nest | None
    refusal: Refusal | None
    parent: int | None
    weight: int = 0
    stretch: Stretch | None = None
    calling: Calling | None = None
    inner: bool = False
    through: ast.For | None = None


def find(tree: ast.Module, file: str, source: str) -> tuple[Candidate, ...]:
    """All candidates of `tree`, outer before inner, loops in textual order."""
    lines = source.split("\n") if _OFF.search(source) else []
    if _file_is_off(tree, lines):
        return ()
    found: list[Candidate] = []
    everything, known = reads_frames(tree), functions(tree)
    of_module = imports_numpy(tree), reads_names(tree), known, found
    for scope, function in _scopes(tree):
        live = _everything if everything else live_after(scope)
        _Search(file, function, live, lines, *of_module).block(scope.body, None, frozenset())
    return tuple(found)


def _everything(stmt: ast.stmt, name: str) -> bool:
    """All names are live: someone may look into the frame."""
    return True


def _file_is_off(tree: ast.Module, lines: list[str]) -> bool:
    end = tree.body[0].lineno - 1 if tree.body else len(lines)
    return any(_OFF.match(line.strip()) for line in lines[:end])


def _is_off(node: Loop, lines: list[str]) -> bool:
    """Whether the comment stands in the header of the loop, or alone on the line above it."""
    above = lines[node.lineno - 2 : node.lineno - 1] if node.lineno > 1 else []
    header = lines[node.lineno - 1 : node.body[0].lineno - 1]
    alone = any(_OFF.match(line.strip()) for line in above)
    return alone or any(_OFF.search(line) for line in header)


Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _scopes(tree: ast.Module) -> Iterator[tuple[Scope, str]]:
    def inside(scope: Scope, prefix: str) -> Iterator[tuple[Scope, str]]:
        for node in _own(scope):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = prefix + node.name
                yield node, name
                local = "" if isinstance(node, ast.ClassDef) else "<locals>."
                yield from inside(node, f"{name}.{local}")

    yield tree, "<module>"
    yield from inside(tree, "")


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """Nodes below `scope`, without looking inside nested scopes."""
    for node in children(scope):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own(node)


@dataclass(frozen=True, slots=True)
class _Search:
    """One scope.

    Attributes
    ----------
    live
        Whether a name may be read after a statement.
    lines
        Of the text, where some loop is turned off.
    arrays
        Whether there may be arrays in it.
    names
        Whether the module may go through names of its own.
    functions
        Those of the module.
    found
        Candidates of all scopes so far.
    """

    file: str
    function: str
    live: Callable[[ast.stmt, str], bool]
    lines: list[str]
    arrays: bool
    names: bool
    functions: Mapping[str, ast.FunctionDef]
    found: list[Candidate]

    def block(
        self,
        nodes: list[ast.stmt],
        parent: int | None,
        counters: frozenset[str],
        inner: bool = False,
    ) -> None:
        """Candidates among `nodes` and in them.

        Parameters
        ----------
        counters
            The variables of loops around.
        inner
            Whether there are any.
        """
        outer = parent
        together = self.together(nodes, parent)
        for node in nodes:
            parent = together.get(node, outer)
            within, around = parent, counters
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(node, Loop):
                if _is_off(node, self.lines):
                    off = Refusal(Reason.TURNED_OFF, Span(self.file, node.lineno), "# autopar: off")
                    self.add((node,), off, parent)
                    continue
                within = self.loop(node, parent, inner)
                if isinstance(node, ast.For) and called(node.iter) == "range":
                    around |= stored([node.target])
            for block in _blocks(node):
                self.block(block, within, around, inner or isinstance(node, Loop))
        for run in runs(nodes, counters, self.arrays):
            self.run(run, together.get(run[0], outer), counters)

    def together(self, nodes: Sequence[ast.stmt], parent: int | None) -> dict[ast.stmt, int]:
        """For each statement of neighbouring loops that are a nest, the number of that one."""
        found: dict[ast.stmt, int] = {}
        for part in (*neighbours(nodes, self.fits), *searches(nodes)):
            live = functools.partial(self.live, part[-1])
            nest = lift_together(part, self.file, self.function, live)
            if isinstance(nest, Nest):
                found |= dict.fromkeys(part, self.add(part, nest, parent))
        return found

    def fits(self, node: Loop) -> bool:
        """Whether `node` may be a nest together with others."""
        return isinstance(node, ast.For) and _countable(node) and not _is_off(node, self.lines)

    def add(
        self,
        nodes: tuple[ast.stmt, ...],
        nest: Nest | Refusal,
        parent: int | None,
        weight: int = 0,
        calling: Calling | None = None,
        inner: bool = False,
    ) -> int:
        refusal = nest if isinstance(nest, Refusal) else None
        taken = None if isinstance(nest, Refusal) else nest
        self.found.append(
            Candidate(nodes, self.function, taken, refusal, parent, weight, None, calling, inner)
        )
        return len(self.found) - 1

    def loop(self, node: Loop, parent: int | None, inner: bool) -> int | None:
        """The parent of what is in `node`."""
        held = self.through(node, parent, inner)
        if held is not None:
            return held
        if not _countable(node):
            if parent is None:
                self.add((node,), self.not_counted(node), parent)
            return parent
        nest = lift(node, self.file, self.function, functools.partial(self.live, node))
        methods = None
        if isinstance(nest, Refusal):
            methods = calling(node, functools.partial(self.live, node))
        taken = _worth(nest) if isinstance(nest, Nest) else methods is not None
        between = None
        if self.marked(node):
            unknown = not inner and isinstance(nest, Nest) and self.unknown(node, nest)
            between = stretch(node, nest, self.live, self.lifted, unknown)
        if between is None or not _worth(between.nest):
            if taken:
                return self.add((node,), nest, parent, 0, methods, inner)
            if parent is None:
                left = nest if isinstance(nest, Refusal) else self.not_counted(node)
                self.add((node,), left, parent)
            return parent
        around = parent
        if taken and not between.watched:  # else it is the whole loop, from any iteration on
            around = self.add((node,), nest, parent, 0, methods, inner)
        own = Candidate(
            (node,), self.function, between.nest, None, around, stretch=between, inner=inner
        )
        self.found.append(own)
        # What is inside is asked beside it: the interpreter executes it at each event.
        return len(self.found) - 1 if between.watched else around

    def through(self, node: Loop, parent: int | None, inner: bool) -> int | None:
        """The number of a loop through what is evaluated before, where that may be a nest."""
        source = source_of(node) if isinstance(node, ast.For) else None
        if source is None or not self.marked(node):
            return None
        assert isinstance(node, ast.For)
        loop = through(node, source)
        nest = lift(loop, self.file, self.function, functools.partial(self.live, node))
        if isinstance(nest, Refusal) or not _worth(nest):
            return None
        self.found.append(
            Candidate((node,), self.function, nest, None, parent, inner=inner, through=loop)
        )
        return len(self.found) - 1

    def not_counted(self, node: Loop) -> Refusal:
        """Why a loop is none of those that may be taken."""
        word = "while " if isinstance(node, ast.While) else ""
        head = word + ast.unparse(heading(node)[-1])
        return Refusal(Reason.NOT_RANGE, Span(self.file, node.lineno), head)

    def unknown(self, node: Loop, nest: Nest) -> bool:
        """Whether the text of `node` says nothing of how long it takes."""
        return not reach((node,), nest.roots, self.functions).loops

    def marked(self, node: Loop) -> bool:
        """Whether a name of ours may stand beside the user's for as long as `node` runs."""
        return isinstance(node, ast.While) or not self.names

    def lifted(self, node: Loop, live: Callable[[str], bool]) -> Nest | Refusal:
        return lift(node, self.file, self.function, live)

    def run(self, run: tuple[ast.stmt, ...], parent: int | None, counters: frozenset[str]) -> None:
        """A run, and its statements alone, for when some of them are not taken."""
        if any(_OFF.search(line) for line in self.lines[run[0].lineno - 2 : run[-1].end_lineno]):
            return
        for part in (run, *parts(run, counters)):
            live = functools.partial(self.live, part[-1])
            nest = lift_run(part, self.file, self.function, live)
            if isinstance(nest, Nest):
                number = self.add(part, nest, parent, weight(part, counters))
                parent = number if part is run else parent


def _countable(node: Loop) -> bool:
    """Whether it may be a loop over a range, or over the items of arrays."""
    if isinstance(node, ast.While):
        return True
    if called(node.iter) is not None:
        return called(node.iter) in COUNTING or is_view(node.iter)
    return isinstance(node.iter, _ITEMS)


def _worth(nest: Nest) -> bool:
    """Whether to ask for it at run time."""
    loop = outermost(nest)
    return loop is None or promising(loop)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body
