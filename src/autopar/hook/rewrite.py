"""Puts a question in front of each candidate, the original left beside it as the fallback.

The rewritten code asks a *site* and runs the user's loop only when the answer is None::

    while True:                                 # once: to have something to break out of
        if SITE.active and False not in SITE.turn:
            try: ANSWER = (a, b, n)             # the nest's roots
            except NameError: ANSWER = None     # or one by one, where it may assign it first
            try: ANSWER = SITE.run(ANSWER)
            except: del ANSWER; raise           # Ctrl-C, or what a signal handler raises
            if ANSWER is not None:
                if ANSWER[0] is not SITE.unset: i = ANSWER[0]
                if ANSWER[1] == 1: del ANSWER; return i   # only where the user's loop has one
                del ANSWER
                break
            del ANSWER
        for i in range(n): ...                  # the user's, untouched
        break

Of a loop with events in it (`nest.text.stretches`) the question stands in each iteration::

    ITEMS = range(n)
    STRETCH = SITE.idle                         # unless somebody asks this time
    if SITE.watching or SITE.active and False not in SITE.turn:
        STRETCH = SITE.stretch(ITEMS)
        ITEMS = STRETCH.items
    for i in ITEMS:
        if STRETCH.plain and SITE.active and False not in SITE.turn:
            ...                                 # as above, for i from here on
            if ANSWER is not None:
                STRETCH.skip(i, ANSWER[0])
                if ANSWER[0] is not SITE.unset: i = ANSWER[0]
                if ANSWER[1] == 1: del ANSWER; print(i); continue   # the event, and what follows
                del ANSWER
                continue
            del ANSWER
        ...                                     # the user's, untouched
    del STRETCH, ITEMS                          # in a `finally`

What a loop goes through is evaluated before the question where it is a call, or the like
(`nest.text.sources`)::

    ITEMS = sorted(edges)
    try:
        ...                                     # as above, and ITEMS is a root
            for w, u, v in ITEMS: ...
    finally: del ITEMS

``SITE`` and ``NameError`` are string constants until `record.bound` puts the objects in their
place: no name is looked up that the user could have rebound, and the code can be marshalled.
``SITE.turn`` is an iterator, from which ``in`` takes an item: that is no call, of which a profiler
would be told, and takes half as long as one.
"""

from __future__ import annotations

import ast
import copy
import pickle
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, nullcontext
from importlib.util import decode_source
from typing import Any

from autopar.hook.foreign import foreign
from autopar.hook.record import Loops, error_marker, site_marker
from autopar.nest.flow import exposed
from autopar.nest.hidden import AT, STOP
from autopar.nest.ir import EXIT
from autopar.nest.text.building import load, place
from autopar.nest.text.find import Candidate, find
from autopar.nest.text.leaving import Exit, Loop, exits, heading, reached
from autopar.nest.text.methods import calls, line_numbers
from autopar.nest.text.reach import functions, reach
from autopar.nest.text.runs import RETURNED, depths, goes_through
from autopar.nest.text.sources import in_place, source_of
from autopar.nest.text.stretches import Stretch
from autopar.nest.trees import all_copied, children, copied, every
from autopar.site_spec import SiteSpec
from autopar.verdict import THROUGH, Reason, Refusal, Span


def rewrite(source: str | bytes, file: str, token: str) -> Loops:
    """Compile `source` with a question in front of each loop that became a nest.

    Parameters
    ----------
    token
        Text that `source` cannot contain, such as a hash of it; part of every marker.

    Raises
    ------
    SyntaxError
        The user's; other exceptions are ours.
    """
    tree = compile(source, file, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    left = (_in_class_body(tree), foreign(tree))
    text = source if isinstance(source, str) else decode_source(source)
    candidates = find(tree, file, text)
    refused = [(None if c.calling else c.refusal) or _forbidden(c, file, left) for c in candidates]
    taken = [i for i, refusal in enumerate(refused) if refusal is None]
    refusals = [
        (c.nodes[0].lineno, c.function, why)
        for c, why in zip(candidates, refused, strict=True)
        if why is not None and isinstance(c.nodes[0], Loop)
    ]
    known = functions(tree)
    specs = [_spec(candidates[i], file, taken, known) for i in taken]  # before the tree changes
    if not specs:
        return Loops(None, token, (), tuple(refusals))
    copies = any(EXIT in spec.live_out for spec in specs)
    if copies:  # Python warns of each copy of a doubtful expression: only of the user's own
        compile(tree, file, "exec", dont_inherit=True)
    _Rewriter(token, [candidates[i] for i in taken], specs).replace(tree)
    with _silence() if copies else nullcontext():
        code = compile(tree, file, "exec", dont_inherit=True)
    return Loops(code, token, tuple(specs), tuple(refusals))


@contextmanager
def _silence() -> Generator[None, None, None]:
    """No warnings are shown.

    Not `catch_warnings`: that would make Python repeat those that it has shown already.
    """
    show = warnings.showwarning
    warnings.showwarning = lambda *args, **options: None
    try:
        yield
    finally:
        warnings.showwarning = show


def _forbidden(candidate: Candidate, file: str, left: tuple[set[ast.AST], ...]) -> Refusal | None:
    """Why code in this place must not change, whatever the loop is."""
    in_class, foreign = left
    node = candidate.nodes[0]
    place = Span(file, node.lineno)
    if node in in_class:
        # The namespace may be any mapping (an Enum's records every name): add no name to it.
        return Refusal(Reason.SYNTAX, place, "a loop in a class body")
    if node in foreign:
        return Refusal(Reason.SYNTAX, place, "a function that another compiler may be given")
    return None


def _spec(
    candidate: Candidate, file: str, taken: Sequence[int], known: Mapping[str, ast.FunctionDef]
) -> SiteSpec:
    nest, nodes, parent = candidate.nest, candidate.nodes, candidate.parent
    called = candidate.calling
    if nest is None:
        assert called is not None
        alone = [*map(_alone, nodes)]
        return SiteSpec(
            file=file,
            line=nodes[0].lineno,
            function=candidate.function,
            roots=called.roots,
            live_out=called.live_out,
            nest=b"",
            text="\n".join(map(ast.unparse, alone)),
            parent=taken.index(parent) if parent in taken else None,
            lines=line_numbers(alone[0]),
            inner=candidate.inner,
            last=_last(nodes),
        )
    shown = nodes if candidate.stretch is None else (candidate.stretch.loop,)
    shown = shown if candidate.through is None else (candidate.through,)
    alone = [*map(_alone, shown)]
    most = reach(shown, nest.roots, known)
    paths = tuple(p for p in nest.paths if "." in p) if candidate.weight else ()
    return SiteSpec(
        file=file,
        line=nodes[0].lineno,
        function=candidate.function,
        roots=nest.roots,
        live_out=nest.handed,
        nest=pickle.dumps(nest, protocol=pickle.HIGHEST_PROTOCOL),
        text="\n".join(map(ast.unparse, alone)),
        parent=taken.index(parent) if parent in taken else None,
        weight=candidate.weight,
        paths=paths,
        depths=depths(nodes, (*nest.roots, *paths)) if candidate.weight else (),
        items=bool(candidate.weight) and goes_through(nodes),
        loops=most.loops,
        indexed=most.indexed,
        attributes=most.paths,
        uses=most.uses,
        lines=line_numbers(alone[0]) if isinstance(alone[0], ast.For) and calls(alone[0]) else (),
        inner=candidate.inner,
        watched=candidate.stretch is not None and candidate.stretch.watched,
        members=_members(nodes),
        last=_last(shown),
        entered=tuple(sorted(exposed((nest.loop,)).intersection(nest.scalars, nest.roots))),
        ends=isinstance(nodes[0], ast.While) and candidate.stretch is None,
    )


def _members(nodes: Sequence[ast.stmt]) -> tuple[tuple[int, int], ...]:
    """First and last lines of the loops in `nodes`, where there are several next to one another.

    Those in front of a search only make what it needs.
    """
    if any(isinstance(node, ast.While) for node in nodes):
        return ()
    loops = [node for node in nodes if isinstance(node, Loop)]
    lines = tuple((node.lineno, node.end_lineno or node.lineno) for node in loops)
    return lines if len(loops) > 1 else ()


def _last(nodes: Sequence[ast.stmt]) -> int:
    """The last line of `nodes`."""
    return max(node.end_lineno or node.lineno for node in nodes)


# ---------------------------------------------------------------------------- the tree


def _alone(node: ast.stmt) -> ast.stmt:
    """The loop, or another statement, for `runtime.verify`, which runs it in a function of its own.

    Without its ``else``, which the rewritten code runs itself; where it is left for good, the
    function returns its variables.  An exception is handled by nobody.
    """
    loop = copied(node)
    if isinstance(loop, ast.Return):
        told = ast.parse(f"return {{**locals(), {RETURNED!r}: None}}").body[0]
        assert isinstance(told, ast.Return)
        assert isinstance(told.value, ast.Dict)
        assert loop.value is not None
        told.value.values[-1] = loop.value
        return told
    if not isinstance(loop, Loop):
        return loop
    loop.orelse = []
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await) for part in every(loop)):
        for outer in every(loop):  # a nest comes to none of them, but they make generators
            for block in _blocks(outer):
                block[:] = reached(block)
    numbers = {id(stmt): number for number, stmt in enumerate(exits(loop), 1)}
    for outer in every(loop):
        if isinstance(outer, ast.ExceptHandler):  # kernels give up before; it may print
            outer.body = [ast.copy_location(ast.Raise(None, None), outer)]
        for block in _blocks(outer):
            block[:] = [
                _told(stmt, numbers[id(stmt)]) if id(stmt) in numbers else stmt for stmt in block
            ]
    return loop


def _told(stmt: ast.stmt, number: int) -> ast.stmt:
    told = ast.parse(f"return {{**locals(), {EXIT!r}: {number}}}").body[0]
    for node in every(told):
        if "lineno" in node._attributes:
            ast.copy_location(node, stmt)
    if not isinstance(stmt, ast.Assert):
        return told
    made = ast.If(ast.UnaryOp(ast.Not(), stmt.test), [told], [])
    place([made], stmt)
    return made


def _in_class_body(tree: ast.Module) -> set[ast.AST]:
    """Nodes whose names live in the namespace of a class."""
    found: set[ast.AST] = set()
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    while todo:
        node, inside = todo.pop()
        if inside:
            found.add(node)
        if isinstance(node, ast.ClassDef):
            inside = True
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inside = False
        todo.extend((child, inside) for child in children(node))
    return found


class _Rewriter:
    """Puts the questions of a module.

    Parameters
    ----------
    candidates, specs
        One of each for each site, in the order of their numbers.
    """

    def __init__(
        self, token: str, candidates: Sequence[Candidate], specs: Sequence[SiteSpec]
    ) -> None:
        self.token = token
        self.sites: dict[ast.stmt, list[tuple[int, tuple[ast.stmt, ...], SiteSpec]]] = {}
        self.stretches: dict[int, tuple[list[ast.stmt], ...]] = {}
        self.through = {n for n, one in enumerate(candidates) if one.through is not None}
        for number, (one, spec) in enumerate(zip(candidates, specs, strict=True)):
            self.sites.setdefault(one.nodes[0], []).append((number, one.nodes, spec))
        # Before the tree changes, for then their copies would be counted with them.
        lasts = (one.nodes[-1] for one in candidates)
        self.leaving: dict[ast.stmt, tuple[Exit, ...]] = {
            n: exits(n) for n in lasts if isinstance(n, Loop)
        }
        between = {n: one.stretch for n, one in enumerate(candidates) if one.stretch is not None}
        for number, stretch in between.items():
            self.stretches[number] = tuple(self.taken_over(stretch, between.keys()))

    def taken_over(self, stretch: Stretch, left_out: Set[int]) -> Iterator[list[ast.stmt]]:
        """What the interpreter executes after each way to leave `stretch`, with questions.

        Parameters
        ----------
        left_out
            Sites that are not asked there: those of all loops with events of their own.
        """
        blocks = {id(event.leave): event.block for event in stretch.events}
        for end in exits(stretch.loop):
            block = blocks.get(id(end))
            if block is None:
                yield _once_more(end)
                continue
            copies: dict[int, Any] = {}
            made = ast.Module(all_copied(block, copies), [])
            for node, sites in list(self.sites.items()):
                known = [
                    (number, tuple(copies[id(n)] for n in nodes), spec)
                    for number, nodes, spec in sites
                    if number not in left_out and all(id(n) in copies for n in nodes)
                ]
                if known:
                    self.sites[copies[id(node)]] = known
                    lasts = (nodes[-1] for _, nodes, _ in known)
                    self.leaving |= {n: exits(n) for n in lasts if isinstance(n, Loop)}
            self.replace(made)
            yield made.body

    def replace(self, tree: ast.Module) -> None:
        # Inner blocks first: an `else` that moves out of its loop has been seen by then.
        for node in reversed(list(every(tree))):
            for block in _blocks(node):
                block[:] = self.asked(block)

    def asked(self, block: Sequence[ast.stmt], around: int = -1) -> list[ast.stmt]:
        """`block` with its questions, but for that of the site `around` all of it."""
        changed: list[ast.stmt] = []
        k = 0
        while k < len(block):
            found = [site for site in self.sites.get(block[k], ()) if site[0] > around]
            if not found:
                changed.append(block[k])
                k += 1
                continue
            number, nodes, spec = found[0]  # a run comes before its parts
            if number in self.stretches:
                changed += _in_stretches(block[k], number, spec, self.token, self.stretches[number])
                k += 1
                continue
            last = k + len(nodes)
            inner = self.asked(block[k:last], number)
            ends = self.leaving.get(nodes[-1], ())
            held = f"items_{self.token}" if number in self.through else ""
            asked = _question(inner, block[k], number, spec, self.token, ends, held)
            changed += _holding(block[k], asked, number, self.token, held) if held else asked
            k = last
        return changed


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):  # `body` of a lambda is an expression
            yield block


_QUESTION = """\
if {also}{site!r}.active and False not in {site!r}.turn:
    try:
        {answer} = ({roots})
    except {unbound!r}:
        {absent}
    try:
        {answer} = {site!r}.run({answer})
    except:
        del {answer}
        raise
    if {answer} is not None:
        {bind}
        {done}
    del {answer}
"""


_STRETCH = """\
{items} = 0
{held} = {site!r}.idle
if {site!r}.watching or {site!r}.active and False not in {site!r}.turn:
    {held} = {site!r}.stretch({items})
    {items} = {held}.items
{items}
del {held}, {items}
"""


_HOLDING = """\
{held} = 0
try:
    pass
finally:
    try: del {held}
    except {unbound!r}: pass
"""
"""A module's names are anybody's: it may have been executed once more meanwhile."""


def _question(
    nodes: list[ast.stmt],
    head: ast.stmt,
    number: int,
    spec: SiteSpec,
    token: str,
    ends: Sequence[Exit],
    held: str = "",
) -> list[ast.stmt]:
    """The statements that stand for `nodes`, all but `ends` on the line of `head`.

    Parameters
    ----------
    ends
        The statements by which the user leaves it for good, as `nest.text.lift` numbers them.
    held
        The name for what the loop goes through, if that has been evaluated by then.
    """
    answer = f"answer_{token}"  # can be parsed, and cannot be the user's
    if RETURNED in spec.live_out:
        returned = f"{answer}[{spec.live_out.index(RETURNED)}]"
        done = f"{answer} = {returned}", f"return {answer}"
    else:
        done = f"del {answer}", "break"
    look = _asked(number, spec, token, {THROUGH: held} if held else {}, done)
    once = ast.While(ast.Constant(True), [look, ast.Break()], [])
    _own(once, head, {answer: f"<autopar {number}>", held: _items_of(number)})
    _add_exits(look, spec, token, number, [_once_more(end) for end in ends])
    once.body[-1:-1] = nodes
    if spec.ends:
        once.body[-1:-1] = _said_to_end(head, site_marker(token, number))
    if not isinstance(head, Loop):
        return [once]
    # A loop with an `else` that became a nest has no `break` out of it: the `else` runs unless the
    # nest was left for good, and stands behind both ways instead of in each.
    after, head.orelse = head.orelse, []
    return [once, *after]


def _items_of(number: int) -> str:
    """The name for what the loop of a site goes through; it cannot be written."""
    return f"<autopar {number} items>"


def _holding(
    loop: ast.stmt, asked: list[ast.stmt], number: int, token: str, held: str
) -> list[ast.stmt]:
    """What is `asked` of `loop`, with what this goes through under a name for as long.

    As with an iterator, that is gone when the ``else`` of the loop begins.
    """
    assert isinstance(loop, ast.For)
    source = source_of(loop)
    assert source is not None
    text = _HOLDING.format(held=held, unbound=error_marker(token))
    first, around = ast.parse(text).body
    assert isinstance(first, ast.Assign)
    assert isinstance(around, ast.Try)
    for node in (first, around):
        _own(node, loop, {held: _items_of(number)})
    first.value = source
    loop.iter = in_place(loop.iter, source, load(_items_of(number), source))
    around.body = asked[:1]
    return [first, around, *asked[1:]]


def _said_to_end(loop: ast.stmt, site: str) -> list[ast.stmt]:
    """What says that the interpreter is done with `loop`, where somebody wants to know."""
    said = ast.parse(f"if {site!r}.open: {site!r}.over()").body
    for stmt in said:
        _own(stmt, loop, {})
    return said


def _in_stretches(
    loop: ast.stmt,
    number: int,
    spec: SiteSpec,
    token: str,
    blocks: Sequence[list[ast.stmt]],
) -> list[ast.stmt]:
    """`loop` with a question in each iteration, and what stands around it.

    Parameters
    ----------
    blocks
        What the interpreter executes after each way to leave the nest, before it goes on.
    """
    answer, held, items = (f"{what}_{token}" for what in ("answer", "stretch", "items"))
    names = {answer: f"<autopar {number}>", held: f"<autopar {number} range>"}
    names[items] = _items_of(number)
    done = [f"del {answer}", "continue"]
    if isinstance(loop, ast.While):
        look = _asked(number, spec, token, {}, done)
        around: list[ast.stmt] = [loop]
    else:
        assert isinstance(loop, ast.For)
        assert isinstance(loop.target, ast.Name)
        here = loop.target.id
        ends = {AT: here, STOP: f"{held}.stop"}
        skip = f"{held}.skip({here}, {answer}[{spec.live_out.index(here)}])"
        look = _asked(number, spec, token, ends, done, f"{held}.plain and ", skip)
        text = _STRETCH.format(held=held, items=items, site=site_marker(token, number))
        *before, through, after = ast.parse(text).body
        first = before[0]
        assert isinstance(first, ast.Assign)
        assert isinstance(through, ast.Expr)
        for node in (*before, through, after):
            _own(node, loop, names)
        first.value, loop.iter = loop.iter, through.value
        # Whoever leaves the loop, nothing is left behind that would be seen among its names.
        around = [*before, ast.copy_location(ast.Try([loop], [], [], [after]), loop)]
    _own(look, loop, names)
    _add_exits(look, spec, token, number, blocks)
    loop.body.insert(0, look)
    return around


def _asked(
    number: int,
    spec: SiteSpec,
    token: str,
    ends: Mapping[str, str],
    done: Sequence[str],
    also: str = "",
    *first: str,
) -> ast.If:
    """The question of a site.

    Parameters
    ----------
    ends
        Expressions for roots that are no names of the user's.
    done
        Statements that are executed when all results have been assigned.
    also
        What must be true for it to be asked.
    first
        Statements that are executed before the results are assigned.
    """
    site, answer = site_marker(token, number), f"answer_{token}"
    results = (
        f"if {answer}[{n}] is not {site!r}.unset: {name} = {answer}[{n}]"
        for n, name in enumerate(spec.live_out)
        if name not in (EXIT, RETURNED)
    )
    text = _QUESTION.format(
        site=site,
        also=also,
        answer=answer,
        unbound=error_marker(token),
        absent="\n        ".join(_one_by_one(spec, ends, token, answer)) or f"{answer} = None",
        roots="".join(f"{ends.get(name, name)}, " for name in spec.roots),
        bind="\n        ".join((*first, *results)) or "pass",
        done="\n        ".join(done),
    )
    (look,) = ast.parse(text).body
    assert isinstance(look, ast.If)
    return look


def _one_by_one(spec: SiteSpec, ends: Mapping[str, str], token: str, answer: str) -> Iterator[str]:
    """Lines that hand over the roots where one has no value; nothing where all must have one."""
    if not spec.entered:
        return
    unbound, unset = error_marker(token), site_marker(token, 0)
    yield f"{answer} = ()"
    yield "try:"
    for name in spec.roots:
        more = f"{answer} = (*{answer}, {ends.get(name, name)})"
        if name not in spec.entered:
            yield f"    {more}"
            continue
        yield f"    try: {more}"
        yield f"    except {unbound!r}: {answer} = (*{answer}, {unset!r}.unset)"
    yield f"except {unbound!r}: {answer} = None"


def _add_exits(
    look: ast.If, spec: SiteSpec, token: str, number: int, blocks: Sequence[list[ast.stmt]]
) -> None:
    """Put what is executed after each way to leave a nest behind its results."""
    taken = look.body[2]
    assert isinstance(taken, ast.If)
    answer = f"answer_{token}"
    *_, last = taken.body
    for exit_number, block in enumerate(blocks, 1):
        test = f"if {answer}[{spec.live_out.index(EXIT)}] == {exit_number}:\n    del {answer}"
        (way,) = ast.parse(test).body
        assert isinstance(way, ast.If)
        _own(way, last, {answer: f"<autopar {number}>"})
        way.body += block  # in its own lines
        if isinstance(last, ast.Continue):
            way.body.append(copy.copy(last))
        taken.body.insert(-2, way)


def _own(top: ast.stmt, head: ast.stmt, names: Mapping[str, str]) -> None:
    """Give `top` the place of `head`, and its names ones that show whose they are."""
    place = _place(head)
    for node in every(top):
        if "lineno" in node._attributes:
            vars(node).update(place)
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]  # cannot be written


def _once_more(end: Exit) -> list[ast.stmt]:
    """What the interpreter executes when a nest was left by `end`."""
    again: list[ast.stmt] = []
    if not isinstance(end, ast.Assert) or not _calls(end.test):
        again.append(copied(end))
    if isinstance(end, ast.Assert):
        # Another thread may have made it true meanwhile, and calls may draw random numbers.
        fails = copied(end)
        fails.test = ast.copy_location(ast.Constant(False), end.test)
        again.append(fails)
    return again


def _calls(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) for node in every(test))


def _place(head: ast.stmt) -> dict[str, int | None]:
    """Where the head of a loop, or a statement, stands: line numbers stay the user's."""
    last = heading(head)[-1] if isinstance(head, Loop) else head
    return {
        "lineno": head.lineno,
        "col_offset": head.col_offset,
        "end_lineno": last.end_lineno,
        "end_col_offset": last.end_col_offset,
    }
