"""Puts a question in front of each candidate, the original left beside it as the fallback.

The rewritten code asks a *site* and runs the user's loop only when the answer is None::

    while True:                                 # once: to have something to break out of
        if SITE.active and SITE.turn():
            try: ANSWER = (a, b, n)             # the nest's roots
            except NameError: ANSWER = None
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

``SITE`` and ``NameError`` are string constants until `record.bound` puts the objects in their
place: no name is looked up that the user could have rebound, and the code can be marshalled.
"""

from __future__ import annotations

import ast
import copy
import pickle
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.util import decode_source

from autopar.hook.foreign import foreign
from autopar.hook.record import Loops, error_marker, site_marker
from autopar.kernel import SiteSpec
from autopar.nest.find import Candidate, find
from autopar.nest.ir import EXIT
from autopar.nest.lift import Exit, Loop, exits, heading
from autopar.nest.runs import RETURNED, goes_through
from autopar.verdict import Reason, Refusal, Span


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
        if why is not None and isinstance(c.nodes[0], ast.For)
    ]
    specs = [_spec(candidates[i], file, taken) for i in taken]  # before the tree changes
    if not specs:
        return Loops(None, token, (), tuple(refusals))
    copies = any(EXIT in spec.live_out for spec in specs)
    if copies:  # Python warns of each copy of a doubtful expression: only of the user's own
        compile(tree, file, "exec", dont_inherit=True)
    _Rewriter(token, [(candidates[i].nodes, specs[n]) for n, i in enumerate(taken)]).replace(tree)
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


def _spec(candidate: Candidate, file: str, taken: Sequence[int]) -> SiteSpec:
    nest, nodes, parent = candidate.nest, candidate.nodes, candidate.parent
    called = candidate.calling
    if nest is None:
        assert called is not None
        return SiteSpec(
            file=file,
            line=nodes[0].lineno,
            function=candidate.function,
            roots=called.roots,
            live_out=called.live_out,
            nest=b"",
            text="\n".join(ast.unparse(_alone(node)) for node in nodes),
            parent=taken.index(parent) if parent in taken else None,
            told=called.told,
        )
    return SiteSpec(
        file=file,
        line=nodes[0].lineno,
        function=candidate.function,
        roots=nest.roots,
        live_out=nest.results,
        nest=pickle.dumps(nest, protocol=pickle.HIGHEST_PROTOCOL),
        text="\n".join(ast.unparse(_alone(node)) for node in nodes),
        parent=taken.index(parent) if parent in taken else None,
        weight=candidate.weight,
        paths=tuple(p for p in nest.paths if "." in p) if candidate.weight else (),
        items=bool(candidate.weight) and goes_through(nodes),
    )


# ---------------------------------------------------------------------------- the tree


def _alone(node: ast.stmt) -> ast.stmt:
    """The loop, or another statement, for `runtime.verify`, which runs it in a function of its own.

    Without its ``else``, which the rewritten code runs itself; where it is left for good, the
    function returns its variables.
    """
    loop = copy.deepcopy(node)
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
    numbers = {id(stmt): number for number, stmt in enumerate(exits(loop), 1)}
    for outer in ast.walk(loop):
        for block in _blocks(outer):
            block[:] = [
                _told(stmt, numbers[id(stmt)]) if id(stmt) in numbers else stmt for stmt in block
            ]
    return loop


def _told(stmt: ast.stmt, number: int) -> ast.stmt:
    told = ast.parse(f"return {{**locals(), {EXIT!r}: {number}}}").body[0]
    return (
        ast.If(ast.UnaryOp(ast.Not(), stmt.test), [told], [])
        if isinstance(stmt, ast.Assert)
        else told
    )


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
        todo.extend((child, inside) for child in ast.iter_child_nodes(node))
    return found


class _Rewriter:
    """Puts the questions of a module.

    Parameters
    ----------
    sites
        The statements of each site, in the order of their numbers.
    """

    def __init__(self, token: str, sites: Sequence[tuple[tuple[ast.stmt, ...], SiteSpec]]) -> None:
        self.token = token
        self.sites: dict[ast.stmt, list[tuple[int, tuple[ast.stmt, ...], SiteSpec]]] = {}
        for number, (nodes, spec) in enumerate(sites):
            self.sites.setdefault(nodes[0], []).append((number, nodes, spec))
        # Before the tree changes, for then their copies would be counted with them.
        self.leaving: dict[ast.stmt, tuple[Exit, ...]] = {
            n: exits(n) for n in self.sites if isinstance(n, Loop)
        }

    def replace(self, tree: ast.Module) -> None:
        # Inner blocks first: an `else` that moves out of its loop has been seen by then.
        for node in reversed(list(ast.walk(tree))):
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
            last = k + len(nodes)
            inner = self.asked(block[k:last], number)
            ends = self.leaving.get(nodes[0], ())
            changed += _question(inner, block[k], number, spec, self.token, ends)
            k = last
        return changed


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):  # `body` of a lambda is an expression
            yield block


_QUESTION = """\
while True:
    if {site!r}.active and {site!r}.turn():
        try:
            {answer} = ({roots})
        except {unbound!r}:
            {answer} = None
        try:
            {answer} = {site!r}.run({answer})
        except:
            del {answer}
            raise
        if {answer} is not None:
            {bind}
            {done}
        del {answer}
    break
"""


def _question(
    nodes: list[ast.stmt],
    head: ast.stmt,
    number: int,
    spec: SiteSpec,
    token: str,
    ends: Sequence[Exit],
) -> list[ast.stmt]:
    """The statements that stand for `nodes`, all but `ends` on the line of `head`.

    Parameters
    ----------
    ends
        The statements by which the user leaves it for good, as `nest.lift` numbers them.
    """
    site = site_marker(token, number)
    answer = f"answer_{token}"  # can be parsed, and cannot be the user's
    text = _QUESTION.format(
        site=site,
        answer=answer,
        unbound=error_marker(token),
        roots="".join(f"{name}, " for name in spec.roots),
        bind="\n            ".join(
            f"if {answer}[{n}] is not {site!r}.unset: {name} = {answer}[{n}]"
            for n, name in enumerate(spec.live_out)
            if name not in (EXIT, RETURNED)
        )
        or "pass",
        done="\n            ".join(_leaving(answer, spec)),
    )
    (ask,) = ast.parse(text).body
    assert isinstance(ask, ast.While)
    taken = _taken(ask)
    left = []
    for exit_number in range(1, 1 + len(ends)):
        test = f"if {answer}[{spec.live_out.index(EXIT)}] == {exit_number}:\n    del {answer}"
        left += ast.parse(test).body
    taken[-2:-2] = left
    for node in ast.walk(ask):
        _place(node, head)
        if isinstance(node, ast.Name) and node.id == answer:
            node.id = f"<autopar {number}>"  # cannot be written, and shows whose it is
    for one, end in zip(left, ends, strict=True):
        assert isinstance(one, ast.If)
        if not isinstance(end, ast.Assert) or not _calls(end.test):
            one.body.append(copy.deepcopy(end))  # in its own line
        if isinstance(end, ast.Assert):
            # Another thread may have made it true meanwhile, and calls may draw random numbers.
            fails = copy.deepcopy(end)
            fails.test = ast.copy_location(ast.Constant(False), end.test)
            one.body.append(fails)
    ask.body[-1:-1] = nodes
    if not isinstance(head, Loop):
        return [ask]
    # A loop with an `else` that became a nest has no `break` out of it: the `else` runs unless the
    # nest was left for good, and stands behind both ways instead of in each.
    after, head.orelse = head.orelse, []
    return [ask, *after]


def _leaving(answer: str, spec: SiteSpec) -> tuple[str, str]:
    """What is done when all results have been assigned."""
    if RETURNED not in spec.live_out:
        return f"del {answer}", "break"
    return f"{answer} = {answer}[{spec.live_out.index(RETURNED)}]", f"return {answer}"


def _taken(ask: ast.While) -> list[ast.stmt]:
    """What `ask` does with results."""
    look = ask.body[0]
    assert isinstance(look, ast.If)
    found = look.body[2]
    assert isinstance(found, ast.If)
    return found.body


def _calls(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) for node in ast.walk(test))


def _place(node: ast.AST, head: ast.stmt) -> None:
    """Give `node` the place of the head of a loop or statement: line numbers stay the user's."""
    if "lineno" in node._attributes:
        ast.copy_location(node, head)
        if isinstance(head, Loop):
            *_, last = heading(head)
            node.end_lineno = last.end_lineno  # type: ignore[attr-defined]
            node.end_col_offset = last.end_col_offset  # type: ignore[attr-defined]
