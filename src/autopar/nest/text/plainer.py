"""Statements in plainer words, which mean the same where no exception is raised.

``match``, ``try``, ``raise``, ``assert``, ``:=`` and several lists become assignments and ``if``s::

    match k % 3:              <matched 1> = k % 3
        case 0: a             if <matched 1> == 0: a
        case 1 | 2: b         elif <matched 1> == 1 or <matched 1> == 2: b

    try: x = a / b            x = a / b
    except E: x = 0

    if c: raise E             if c: <raised> = <raise>(True)

    if (y := f(x)) > 0: a     y = f(x)
                              if y > 0: a

    x, y = [], [0] * n        x = []
                              y = [0] * n

A nest whose kernel comes to what raises is undone, and the interpreter runs it from the beginning.
So no kernel needs what handles an exception, nor what is done just before one is raised.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Sequence

from autopar.nest.text.building import assign, last_name, load, mentions, place
from autopar.nest.trees import all_copied, copied, every
from autopar.records import dataclass, field

_FORMS = (ast.Match, ast.Try, ast.NamedExpr)
_AROUND = (ast.Break, ast.Continue, ast.Return)
# What evaluates all its parts, in the order of its fields.
_IN_ORDER = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Call,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.Attribute,
    ast.keyword,
    ast.NamedExpr,
)
_MAKING = frozenset(("Counter", "defaultdict", "deque", "dict", "len", "range", "set"))
_READING = (ast.Subscript, ast.Attribute, ast.Call)


def plainer(nodes: Sequence[ast.stmt], helper: bool = False) -> Sequence[ast.stmt]:
    """`nodes` in plainer words; what cannot be said so stays as it is.

    Parameters
    ----------
    helper
        Whether `nodes` are the body of a function, of which nothing is seen but what it returns.
    """
    forms = (*_FORMS, ast.Raise, ast.Assert) if helper else _FORMS
    parts = (part for node in nodes for part in every(node))
    if not any(isinstance(part, forms) or _lists(part) is not None for part in parts):
        return nodes
    return _Plainer(helper).block(all_copied(nodes))


def _lists(node: ast.AST) -> list[ast.Assign] | None:
    """One by one what ``x, y = [], [0] * n`` assigns, if none of it is needed for the others."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            pass
        case _:
            return None
    if len(names) != len(values) or not any(map(_is_list, values)):
        return None
    calls = (p for value in values for p in every(value) if isinstance(p, ast.Call))
    if not all(last_name(call.func) in _MAKING for call in calls):
        return None  # of a function, which may read what the names stood for
    bound = [name.id for name in names if isinstance(name, ast.Name)]
    if len(set(bound)) < len(names) or any(mentions(v, name) for v in values for name in bound):
        return None
    return [ast.Assign([name], value) for name, value in zip(names, values, strict=True)]


def _is_list(node: ast.expr) -> bool:
    """Whether that is seen to be a new list, or a set and its like."""
    match node:
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return isinstance(left, ast.List) or isinstance(right, ast.List)
        case ast.Call(func=func):
            return last_name(func) in _MAKING
    return isinstance(node, ast.List | ast.ListComp | ast.Set | ast.Dict)


class _NotPlainer(Exception):
    """What stands there cannot be said in plainer words."""


@dataclass(slots=True)
class _Plainer:
    """Rewrites statements, which are its own to change.

    Attributes
    ----------
    helper
        See `plainer`.
    trying
        How many ``try`` are around.
    names
        How many names were made up so far.
    """

    helper: bool
    trying: int = 0
    names: int = 0

    # ------------------------------------------------------------------ statements

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        made = [part for node in nodes for part in self.statement(node)]
        return _settled(made) if self.helper else made

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        made = self.said(node)
        place(made, node)
        return made

    def said(self, node: ast.stmt) -> list[ast.stmt]:
        undone = self.helper or self.trying > 0
        match node:
            case ast.Match():
                return self.matched(node)
            case ast.Try():
                return self.tried(node)
            case ast.Raise() if undone:
                return [_raised()]
            case ast.Assert() if undone:
                return [_unless(node.test)] if __debug__ else []
            case ast.If():
                return self.branched(node)
            case ast.While():
                return self.repeated(node)
            case ast.For():
                before = self.before(node, "iter")
                node.body, node.orelse = self.block(node.body), self.block(node.orelse)
                return [*before, node]
            case ast.Return(value=ast.expr()) if self.helper:
                return [*self.before(node, "value"), node]
            case ast.Assign() if (lists := _lists(node)) is not None:
                return [part for one in lists for part in self.statement(one)]
            case ast.Assign() | ast.AnnAssign(value=ast.expr()) | ast.AugAssign() | ast.Expr():
                return [*self.before(node, "value"), node]
        return [node]

    def branched(self, node: ast.If) -> list[ast.stmt]:
        test = node.test
        before: list[ast.stmt] = []
        if _assigns(test):
            with contextlib.suppress(_NotPlainer):
                before, node.test = self.condition(test)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        raising, going = _raises(node.body), _raises(node.orelse)
        if raising:  # what follows is in no branch any more, so nothing has a value in one of both
            return [*before, _if(node.test), *node.orelse]
        if going and node.orelse:
            return [*before, _unless(node.test), *node.body]
        return [*before, node]

    def repeated(self, node: ast.While) -> list[ast.stmt]:
        test = node.test
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        if not _assigns(test) or node.orelse:
            return [node]
        try:
            before, last = self.condition(test)
        except _NotPlainer:
            return [node]
        leave = ast.If(ast.UnaryOp(ast.Not(), last), [ast.Break()], [])
        node.test = ast.Constant(True)
        node.body = [*before, leave, *node.body]
        place([node], node)
        return [node]

    # ------------------------------------------------------------------ match

    def matched(self, node: ast.Match) -> list[ast.stmt]:
        """A ``match`` of numbers, or of as many numbers as its tuples have."""
        parts = node.subject.elts if isinstance(node.subject, ast.Tuple) else None
        values = [node.subject] if parts is None else parts
        if any(isinstance(value, ast.Starred) or _assigns(value) for value in values):
            return [node]
        held = [self.name("matched") for _ in values]
        try:
            rest: list[ast.stmt] = []
            for case in reversed(node.cases):
                rest = self.case(case, held, parts is not None, rest)
        except _NotPlainer:
            return [node]
        return [*(assign(n, v) for n, v in zip(held, values, strict=True)), *rest]

    def case(
        self, case: ast.match_case, held: list[str], whole: bool, rest: list[ast.stmt]
    ) -> list[ast.stmt]:
        """What is done for the values `held`: that of `case` where it fits, or else the `rest`."""
        tests: list[ast.expr] = []
        bound: list[ast.stmt] = []
        pattern = case.pattern
        match pattern:
            case ast.MatchAs(pattern=None, name=None):
                pass
            case ast.MatchSequence(patterns=patterns) if whole and len(patterns) == len(held):
                for one, name in zip(patterns, held, strict=True):
                    _fits(one, name, tests, bound)
            case _ if not whole:
                _fits(pattern, held[0], tests, bound)
            case _:
                raise _NotPlainer
        body = self.block(case.body)
        first: list[ast.stmt] = []
        if case.guard is None:
            body = [*bound, *body]
        elif _assigns(case.guard):
            raise _NotPlainer
        elif bound and tests:  # names are bound where the rest fits, before the guard is asked
            flag = self.name("whether")
            fits = [*bound, ast.If(case.guard, [assign(flag, ast.Constant(True))], [])]
            first = [assign(flag, ast.Constant(False)), ast.If(_all(tests), fits, [])]
            tests = [load(flag)]
        else:
            first, tests = bound, [*tests, case.guard]
        if not tests:
            return body
        made = [*first, ast.If(_all(tests), body, rest)]
        place(made, case.body[0])
        return made

    # ------------------------------------------------------------------ try

    def tried(self, node: ast.Try) -> list[ast.stmt]:
        """What is done where nothing is raised."""
        parts = [*node.body, *node.orelse, *node.finalbody]
        inner = [part for stmt in parts for part in every(stmt)]
        # The interpreter would compute what is returned outside of the `try`.
        kept = _AROUND if node.finalbody else () if self.helper else (ast.Return,)
        if any(isinstance(part, kept) for part in inner):
            return [node]
        self.trying += 1
        made = self.block([*node.body, *node.orelse, *node.finalbody])
        self.trying -= 1
        return made

    # ------------------------------------------------------------------ :=

    def before(self, node: ast.stmt, name: str) -> list[ast.stmt]:
        """The assignments that one of its expressions makes, which it is rid of."""
        value = getattr(node, name)
        if not _assigns(value):
            return []
        if isinstance(node, ast.AugAssign) and _assigns(node.target):
            return []
        hoist = _Hoist()
        if isinstance(node, ast.AugAssign):  # read first
            hoist.expr(node.target)
        try:
            setattr(node, name, hoist.expr(copied(value)))
        except _NotPlainer:
            return []
        return hoist.made

    def condition(self, test: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """What is done to know whether `test` is true, and what is to be asked then."""
        match test:
            case ast.BoolOp(values=values) if any(map(_assigns, values[1:])):
                flag = self.name("whether")
                return self.one_by_one(test, flag, values), load(flag)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                before, last = self.condition(operand)
                return before, ast.UnaryOp(ast.Not(), last)
        hoist = _Hoist()
        last = hoist.expr(copied(test))
        return hoist.made, last

    def one_by_one(self, test: ast.BoolOp, flag: str, values: Sequence[ast.expr]) -> list[ast.stmt]:
        """`flag` is whether all, or any, of the `values` are true, of which no more are computed
        than that takes."""
        every = isinstance(test.op, ast.And)
        before, last = self.condition(values[0])
        inside = [assign(flag, ast.Constant(every))]
        if len(values) > 1:
            inside = self.one_by_one(test, flag, values[1:])
        asked = last if every else ast.UnaryOp(ast.Not(), last)
        return [assign(flag, ast.Constant(not every)), *before, ast.If(asked, inside, [])]

    def name(self, word: str) -> str:
        """A name that no user can write."""
        self.names += 1
        return f"<{word} {self.names}>"


@dataclass(slots=True)
class _Hoist:
    """Takes assignments out of an expression, to be made before it is evaluated.

    Attributes
    ----------
    made
        The assignments.
    read
        Names that have been evaluated in what is left.
    looked, called
        Whether that has looked into something that a call could change; whether it calls itself.
    """

    made: list[ast.stmt] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    looked: bool = False
    called: bool = False

    def expr(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.NamedExpr):
            return self.assignment(node)
        if not _assigns(node):
            for inner in every(node):
                if isinstance(inner, ast.Name):
                    self.read.add(inner.id)
                self.looked |= isinstance(inner, _READING)
                self.called |= isinstance(inner, ast.Call)
            return node
        if isinstance(node, ast.IfExp | ast.BoolOp):
            first = node.test if isinstance(node, ast.IfExp) else node.values[0]
            others = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values[1:]
            if any(map(_assigns, others)):
                raise _NotPlainer
            made = self.expr(first)
            for other in others:  # which may be read before what is assigned later
                self.expr(other)
            if isinstance(node, ast.IfExp):
                node.test = made
            else:
                node.values[0] = made
            return node
        if not isinstance(node, _IN_ORDER):
            raise _NotPlainer
        if isinstance(node, ast.Compare) and any(map(_assigns, node.comparators[1:])):
            raise _NotPlainer
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self.expr(value))
            elif isinstance(value, list):
                value[:] = [self.part(item) for item in value]
        self.looked |= isinstance(node, _READING)
        self.called |= isinstance(node, ast.Call)
        return node

    def part(self, item: ast.AST) -> ast.AST:
        if isinstance(item, ast.keyword):
            item.value = self.expr(item.value)
            return item
        return self.expr(item) if isinstance(item, ast.expr) else item

    def assignment(self, node: ast.NamedExpr) -> ast.expr:
        """The name that is assigned; nothing evaluated before it may make a difference to it."""
        read, looked, called = set(self.read), self.looked, self.called
        value = self.expr(node.value)
        calls = any(isinstance(inner, ast.Call) for inner in every(value))
        if node.target.id in read or called or (looked and calls):
            raise _NotPlainer
        self.read, self.looked, self.called = read | {node.target.id}, looked, called
        self.made.append(assign(node.target.id, value))
        place(self.made[-1:], node)
        return load(node.target.id, node)


def _assigns(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.NamedExpr) for inner in every(node))


def _fits(pattern: ast.pattern, name: str, tests: list[ast.expr], bound: list[ast.stmt]) -> None:
    """Add what is asked and assigned where the value of `name` is to fit `pattern`."""
    match pattern:
        case ast.MatchAs(pattern=None, name=None):
            pass
        case ast.MatchAs(pattern=None, name=str(other)):
            bound.append(assign(other, load(name)))
        case ast.MatchValue(value=value):
            tests.append(ast.Compare(load(name), [ast.Eq()], [value]))
        case ast.MatchOr(patterns=patterns):
            ways: list[ast.expr] = []
            for one in patterns:
                if not isinstance(one, ast.MatchValue):
                    raise _NotPlainer
                _fits(one, name, ways, bound)
            tests.append(ast.BoolOp(ast.Or(), ways))
        case _:
            raise _NotPlainer


def _all(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


_RAISED = "<raised>"


def _raised() -> ast.stmt:
    return assign(_RAISED, ast.Call(load("<raise>"), [ast.Constant(True)], []))


def _if(test: ast.expr) -> ast.stmt:
    return ast.If(test, [_raised()], [])


def _unless(test: ast.expr) -> ast.stmt:
    return _if(ast.UnaryOp(ast.Not(), test))


def _raises(nodes: Sequence[ast.stmt]) -> bool:
    """Whether `nodes` always raise, so nobody sees what else they do."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name == _RAISED:
                return True
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Expr() | ast.Pass():
                continue
        return False
    return False


def _settled(nodes: list[ast.stmt]) -> list[ast.stmt]:
    """`nodes`, which raise unless they return before: what they return has no branch left to it."""
    for k, node in enumerate(nodes):
        rest = nodes[k + 1 :]
        if not isinstance(node, ast.If) or not _raises(rest):
            continue
        mine, other = returns(node.body), returns(node.orelse)
        if mine == other:
            continue
        going = node.orelse if mine else node.body
        test = node.test if mine else ast.UnaryOp(ast.Not(), node.test)
        body = node.body if mine else node.orelse
        going = _settled([*going, *rest])
        made = [_unless(test), *body] if _raises(going) else [ast.If(test, body, going)]
        place(made, node)
        return [*nodes[:k], *made]
    return nodes


def returns(nodes: Sequence[ast.stmt]) -> bool:
    """Whether `nodes` always return."""
    match [*nodes]:
        case [*_, ast.Return()]:
            return True
        case [*_, ast.If(body=body, orelse=orelse)]:
            return returns(body) and returns(orelse)
    return False
