"""From ``ast`` expressions to those of the IR."""

from __future__ import annotations

import ast
from typing import Literal

from autopar.nest import ir, walking
from autopar.nest.marks import LENT, MOVED, THROUGH, marked, said
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_MOST_MEMBERS = 16  # of a tuple in which something is looked for
_WHAT: dict[type[ast.expr], str] = {
    ast.Dict: "a dictionary that the loop makes",
    ast.Set: "a set that the loop makes",
    ast.JoinedStr: "a text that the loop makes",
}
"""What an expression that is not taken is, where its text alone says little."""

SHAPE, LENGTH, MATMUL = "<shape>", "<length>", "<matmul>"
METHODS = frozenset(
    (
        "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "copy", "cumprod", "cumsum",
        "dot", "fill", "flatten", "max", "mean", "min", "prod", "ravel", "reshape", "round", "std",
        "sum", "trace", "transpose", "var",
    )
)  # fmt: skip
"""Methods of arrays that mean something in a nest."""
_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@dataclass(slots=True)
class Reading:
    """What has been read of a nest.

    Attributes
    ----------
    file, function
        Where it stands, for messages.
    assigned
        Names that it binds.
    paths
        Live-in paths so far.
    counting
        Those of functions that are no calls in the IR, and which one each must be.
    tuples
        Names of tuples of numbers, and the numbers.
    counters
        Names of integers at this place, NumPy's perhaps, and the same as Python ints.
    count
        Numbers given to statements and accesses.
    """

    file: str
    function: str
    assigned: frozenset[str]
    paths: set[str] = field(default_factory=set)
    counting: dict[str, str] = field(default_factory=dict)
    tuples: dict[str, tuple[ir.Expr, ...]] = field(default_factory=dict)
    counters: dict[str, ir.Expr] = field(default_factory=dict)
    count: int = 0

    def refuse(self, reason: Reason, node: ast.AST, detail: str | None = None) -> Refused:
        text = ast.unparse(said(node)).partition("\n")[0] if detail is None else detail
        line = getattr(node, "lineno", 0)
        return Refused(Refusal(reason, Span(self.file, line), text))

    def next_id(self) -> int:
        self.count += 1
        return self.count

    def path(self, node: ast.expr) -> str | None:
        """The dotted live-in name that `node` is, or None.

        An item of a dictionary, ``p["dt"]``, is an attribute called ``['dt']``.
        """
        match node:
            case ast.Name(id=name):
                return None if name in self.assigned else name
            case ast.Attribute(value=value, attr=attr):
                base = self.path(value)
                private = attr.startswith("__") and not attr.endswith("__")
                return None if base is None or private else f"{base}.{attr}"
            case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
                base = self.path(value)
                return None if base is None or not key.isidentifier() else f"{base}.['{key}']"
        return None

    def live_in(self, node: ast.expr) -> str:
        path = self.path(node)
        if path is None:
            raise self.refuse(Reason.SYNTAX, node)
        self.paths.add(path)
        return path

    def place(self, node: ast.Subscript) -> ir.Load | ir.View:
        """``a[i, j]`` or ``a[i][j]``, or what has more to it than that."""
        base: ir.Expr
        if self.path(node.value) is not None:
            base = ir.Load(self.live_in(node.value), (), self.next_id(), node.lineno)
        else:
            base = self.expr(node.value)
        tupled = int(isinstance(node.slice, ast.Tuple) or bool(self.members(node.slice)))
        elts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        index: tuple[ir.Part, ...] = self.members(node.slice) or tuple(map(self.part, elts))
        if isinstance(base, ir.Load):
            plain = tuple(p for p in index if not isinstance(p, ir.Slice | str))
            if plain and len(plain) == len(index):
                nested = bool(base.index)
                tupled = base.tupled or (tupled and len(base.index) + 1)
                return replace(base, index=base.index + plain, tupled=tupled, nested=nested)
            if not base.index:
                base = ir.Name(base.array)
        return ir.View(base, index, node.lineno, tupled)

    def part(self, node: ast.expr) -> ir.Part:
        """One item of a subscript."""
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                begin, end, each = (
                    None if e is None else self.index(e) for e in (lower, upper, step)
                )
                return ir.Slice(begin, end, each, marked(node, LENT), marked(node, THROUGH))
            case ast.Constant(value=None):
                return "None"
            case ast.Constant(value=value) if value is ...:
                return "..."
            case ast.List():
                return ir.Call(ir.PLACES, (self.argument(node),), node.lineno)
        return self.index(node)

    def index(self, node: ast.expr) -> ir.Expr:
        """A subscript, for which it is the same whose integers it is computed in."""
        plain = self.expr(node)
        return self.exact(plain) or plain

    def exact(self, expr: ir.Expr) -> ir.Expr | None:
        """`expr` in Python ints, which do not wrap; None where it may be something else."""
        match expr:
            case ir.Const(value=value) if type(value) is int:
                return expr
            case ir.Name(id=name):
                return self.counters.get(name)
            case ir.Binary(op="+" | "-" | "*", left=left, right=right):
                one, two = self.exact(left), self.exact(right)
                return None if one is None or two is None else replace(expr, left=one, right=two)
        return None

    def members(self, node: ast.expr) -> tuple[ir.Expr, ...]:
        """The numbers in the tuple that `node` names, if it does."""
        return self.tuples.get(node.id, ()) if isinstance(node, ast.Name) else ()

    def shape(self, node: ast.expr) -> ir.Expr:
        """All extents of an array."""
        owner = ir.Name(self.live_in(node)) if self.path(node) is not None else self.expr(node)
        return ir.Call(SHAPE, (owner,), node.lineno)

    def extent(self, node: ast.expr, axis: int) -> ir.Expr:
        """``node.shape[axis]``."""
        if self.path(node) is not None:
            return ir.Dim(self.live_in(node), axis, attribute=True)
        return ir.View(self.shape(node), (ir.Const(axis),), node.lineno)

    def length(self, node: ast.expr) -> ir.Expr:
        """``len(node)``."""
        if self.path(node) is not None:
            return ir.Dim(self.live_in(node), 0)
        return ir.Call(LENGTH, (self.expr(node),), node.lineno)

    def expr(self, node: ast.expr) -> ir.Expr:
        line = node.lineno
        match node:
            case ast.Constant(value=bool() | int() | float() | complex() as value):
                return ir.Const(value)
            case ast.Name(id="__debug__"):
                return ir.Const(__debug__)
            case ast.Constant(value=None):
                return ir.Word(None, line)
            case ast.Constant(value=str(letter)) if len(letter) == 1:
                return ir.Word(letter, line)  # as `nest.values.texts` finds out
            case ast.Name(id=name) if name in self.tuples:
                raise self.refuse(Reason.SYNTAX, node)
            case ast.Name(id=name) if name in self.assigned:
                return ir.Name(name)
            case ast.Name():
                return ir.Name(self.live_in(node))
            case ast.Attribute(value=value, attr="shape"):
                return self.shape(value)
            case ast.Attribute() if self.path(node) is not None:
                return ir.Name(self.live_in(node))
            case ast.Subscript() if self.path(node) is not None:
                return ir.Name(self.live_in(node))
            case ast.Attribute(value=value, attr="T"):
                return ir.Call("<.T>", (self.expr(value),), line)
            case ast.Attribute(value=value, attr="real" | "imag" as attr):
                return ir.Call(f"<{attr}>", (self.expr(value),), line)
            case ast.Subscript(
                value=ast.Attribute(value=base, attr="shape"), slice=ast.Constant(value=int(axis))
            ):
                return self.extent(base, axis)
            case ast.Subscript(
                value=ast.Attribute(value=base, attr="shape"),
                slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(axis))),
            ):
                return self.extent(base, -axis)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(k))) if self.members(
                value
            ):
                if k not in range(len(self.members(value))):
                    raise self.refuse(Reason.SYNTAX, node)
                return self.members(value)[k]
            case ast.Subscript(slice=ast.Constant(value=str())):
                raise self.refuse_as(node, "an item under a name")
            case ast.Subscript():
                return self.place(node)
            case ast.UnaryOp(op=op, operand=operand):
                return _unary(_UNARY[type(op)], self.expr(operand), line)
            case ast.BinOp(op=ast.MatMult(), left=left, right=right):
                return ir.Call(MATMUL, (self.expr(left), self.expr(right)), line)
            case ast.BinOp(op=op, left=left, right=right) if type(op) in BINARY:
                return ir.Binary(BINARY[type(op)], self.expr(left), self.expr(right), line)
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp(op=op, values=values):
                word: Literal["and", "or"] = "and" if isinstance(op, ast.And) else "or"
                return ir.Logic(word, tuple(self.expr(v) for v in values), line)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ir.Select(self.expr(test), self.expr(body), self.expr(orelse), line)
            case ast.Call():
                return self.call(node)
            case ast.Tuple(elts=elts) if elts:
                return ir.Items(tuple(map(self.expr, elts)), line)
        spelled = isinstance(node, ast.Constant) and isinstance(node.value, str)
        what = "a text that is not just compared" if spelled else _WHAT.get(type(node), "")
        raise self.refuse_as(node, what)

    def refuse_as(self, node: ast.expr, what: str) -> Refused:
        """Refuse `node`, and say what it is."""
        text = ast.unparse(said(node)).partition("\n")[0]
        return self.refuse(Reason.SYNTAX, node, f"{text}, {what}" if what else text)

    def compare(self, node: ast.Compare) -> ir.Expr:
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[among]):
                return self.member(node.left, among, isinstance(op, ast.NotIn), node)
            case ast.Compare(
                left=left,
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=None)],
            ) if self.path(left) is None:
                absent = ir.Call(ir.IS_NONE, (self.expr(left),), node.lineno)
                opposite = isinstance(op, ast.IsNot)
                return ir.Unary("not", absent, node.lineno) if opposite else absent
            case ast.Compare(
                left=ast.Tuple() as left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]
            ) if isinstance(right, ast.Tuple):
                differ = ir.Unary("not", self.matched(left, right, node), node.lineno)
                opposite = isinstance(op, ast.NotEq)  # a bool of Python's either way
                return differ if opposite else ir.Unary("not", differ, node.lineno)
            case ast.Compare(ops=[op], comparators=[right]):
                question = self.question(node.left, op, right, node)
                if question is not None:
                    return question
        for op in node.ops:
            if type(op) not in _COMPARE:
                raise self.refuse(Reason.SYNTAX, node)
        items = [node.left, *node.comparators]
        # Inner operands are read twice, which nobody can see until `nest.calls.hoist` takes calls
        # out of them; each read has an id of its own.
        pairs = tuple(
            ir.Compare(
                _COMPARE[type(op)],  # type: ignore[arg-type]
                self.compared(left),
                self.compared(right),
                node.lineno,
            )
            for op, left, right in zip(node.ops, items, items[1:], strict=False)
        )
        return pairs[0] if len(pairs) == 1 else ir.Logic("and", pairs, node.lineno, chain=True)

    def compared(self, node: ast.expr) -> ir.Expr:
        """An operand; a literal of one character is that of a text, or nobody's."""
        match node:
            case ast.Constant(value=str(word)) if len(word) == 1:
                return ir.Word(word, node.lineno)
        return self.expr(node)

    def question(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.expr
    ) -> ir.Expr | None:
        """A comparison of what is no number, which has one answer all through a call."""
        same = isinstance(op, ast.Is | ast.IsNot)
        words = any(isinstance(side, ast.Constant) and _is_word(side) for side in (left, right))
        if not same and not (words and isinstance(op, ast.Eq | ast.NotEq)):
            return None
        items = [side for side in (left, right) if isinstance(side, ast.Subscript | ast.Name)]
        if not same and any(self.path(side) is None for side in items):
            return self.characters(left, op, right, node)
        one, two = self.known(left), self.known(right)
        texts = any(isinstance(side, ir.Word) and side.value is not None for side in (one, two))
        if one is None or two is None or (same and texts):
            raise self.refuse(Reason.SYNTAX, node)
        asked = ir.Asked("is" if same else "==", one, two, node.lineno)
        negative = isinstance(op, ast.IsNot | ast.NotEq)
        return ir.Unary("not", asked, node.lineno) if negative else asked

    def characters(self, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.expr) -> ir.Expr:
        """``s[i] == "A"``: of a text, as `nest.values.texts` finds out."""
        one, two = map(self.argument, (left, right))
        return ir.Compare("==" if isinstance(op, ast.Eq) else "!=", one, two, node.lineno)

    def known(self, node: ast.expr) -> ir.Expr | None:
        """What `node` names from before the nest, or a literal."""
        match node:
            case ast.Constant(value=str() | None as value):
                return ir.Word(value, node.lineno)
            case ast.Constant(value=bool() as value):
                return ir.Const(value)
        return None if self.path(node) is None else ir.Name(self.live_in(node))

    def member(
        self, node: ast.expr, among: ast.expr, negative: bool, whole: ast.Compare
    ) -> ir.Expr:
        """``node in (1, 2, 3)``, ``in range(5, 10)``, ``in "AEIOU"``, ``in d``."""
        line = whole.lineno
        match among:
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if 0 < len(elts) <= _MOST_MEMBERS:
                tests = self.evaluated([self.matched(node, one, whole) for one in elts], line)
                found = tests[0] if len(tests) == 1 else ir.Logic("or", tuple(tests), line)
            case ast.Call(func=ast.Name(id="range"), args=[*bounds], keywords=[]) if (
                0 < len(bounds) <= 2 and self.path(among.func) is not None
            ):
                self.counting[self.live_in(among.func)] = "range"
                low = ast.copy_location(ast.Constant(0), node) if len(bounds) == 1 else bounds[0]
                start, stop = (self.plain(end, whole) for end in (low, bounds[-1]))
                here = ir.Call("<index>", (self.again(node, whole),), line)
                there = ir.Call("<index>", (self.again(node, whole),), line)
                first = ir.Compare("<=", start, here, line)
                found = ir.Logic("and", (first, ir.Compare("<", there, stop, line)), line)
            case ast.Constant(value=str(word)) if 0 < len(word) <= _MOST_MEMBERS:
                found = ir.Call(ir.AMONG, (self.argument(node), ir.Word(word, line)), line)
            case _ if self.path(among) is not None:
                key = self.expr(node)
                held = ir.Load(self.live_in(among), (key,), self.next_id(), among.lineno)
                found = ir.Call(ir.IN, (held,), line)
            case _:
                raise self.refuse(Reason.SYNTAX, whole)
        no = ir.Unary("not", found, line)  # a bool of Python's, whatever is compared
        return no if negative else ir.Unary("not", no, line)

    def matched(self, node: ast.expr, one: ast.expr, whole: ast.Compare) -> ir.Expr:
        """Whether `node` is `one`, or equal to it, which is the same for a literal or an int."""
        match node, one:
            case ast.Tuple(elts=mine), ast.Tuple(elts=others):
                return self.matched_in_turn(mine, others, whole)
        asked = self.question(node, ast.Eq(), one, whole)
        if asked is not None:
            return asked
        return ir.Compare("==", self.again(node, whole), self.plain(one, whole), whole.lineno)

    def matched_in_turn(
        self, mine: list[ast.expr], others: list[ast.expr], whole: ast.Compare
    ) -> ir.Expr:
        """Whether the items of two tuples are the same, or equal."""
        starred = any(isinstance(item, ast.Starred) for item in (*mine, *others))
        if starred or not 0 < len(mine) == len(others) <= _MOST_MEMBERS:
            raise self.refuse(Reason.SYNTAX, whole)
        tests = []
        for one, two in zip(mine, others, strict=True):
            pair = (two, one) if isinstance(one, ast.Constant) else (one, two)
            tests.append(self.matched(*pair, whole))
        tests = self.evaluated(tests, whole.lineno)
        return tests[0] if len(tests) == 1 else ir.Logic("and", tuple(tests), whole.lineno)

    def evaluated(self, tests: list[ir.Expr], line: int) -> list[ir.Expr]:
        """`tests`, which may be left once one is decided: by then Python has all that they compare.

        So what may raise there is compared to itself beside the first one.
        """
        compared = (part for test in tests[1:] for part in walking.walk(test))
        sides = (
            side
            for part in compared
            if isinstance(part, ir.Compare)
            for side in (part.left, part.right)
        )
        itself = tuple(
            ir.Compare("==", self.once_more(side), self.once_more(side), line)
            for side in dict.fromkeys(sides)
            if not self.is_there(side)
        )
        if not itself:
            return tests
        known = itself[0] if len(itself) == 1 else ir.Logic("and", itself, line)
        sure = ir.Select(known, ir.Const(True), ir.Const(False), line)
        return [ir.Call(ir.GIVEN, (tests[0], sure), line), *tests[1:]]

    def once_more(self, expr: ir.Expr) -> ir.Expr:
        """`expr` with accesses of its own."""
        made = walking.rebuilt(expr, self.once_more)
        return replace(made, id=self.next_id()) if isinstance(made, ir.Load) else made

    def is_there(self, expr: ir.Expr) -> bool:
        """Whether `expr` has a value, for sure: a literal, what is not assigned here, a counter."""
        match expr:
            case ir.Call(func="<index>", args=(inner,)):
                return self.is_there(inner)
            case ir.Name(id=name):
                return name not in self.assigned or name in self.counters
        return isinstance(expr, ir.Const | ir.Dim | ir.Word)

    def again(self, node: ast.expr, whole: ast.Compare) -> ir.Expr:
        """`node`, which Python evaluates once, and which may be evaluated several times."""
        found = self.expr(node)
        if any(isinstance(part, ir.Call | ir.Items) for part in walking.walk(found)):
            raise self.refuse(Reason.SYNTAX, whole)
        return found

    def plain(self, node: ast.expr, whole: ast.Compare) -> ir.Expr:
        """`node`, an integer or a literal, which may be left unevaluated."""
        found = self.expr(node)
        for part in walking.walk(found):
            match part:
                case ir.Const() | ir.Name() | ir.Dim() | ir.Unary(op="-" | "+"):
                    pass
                case ir.Binary(op="+" | "-" | "*"):
                    pass
                case _:
                    raise self.refuse(Reason.SYNTAX, whole)
        return found if isinstance(found, ir.Const) else ir.Call("<index>", (found,), node.lineno)

    def call(self, node: ast.Call) -> ir.Expr:
        match node:
            case ast.Call(
                func=ast.Attribute(value=value, attr="conjugate" | "conj" as attr), args=[]
            ):
                if self.path(value) is None and not node.keywords:
                    return ir.Call(f"<{attr}>", (self.expr(value),), node.lineno)
            case ast.Call(
                func=ast.Attribute(value=value, attr="bit_length" | "bit_count" as attr),
                args=[],
                keywords=[],
            ):
                return ir.Call(f"<{attr}>", (self.expr(value),), node.lineno)
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Name("bin") as made, args=[value], keywords=[]),
                    attr="count",
                ),
                args=[ast.Constant("1")],
                keywords=[],
            ):
                self.counting[self.live_in(made)] = "bin"
                whole = ir.Call("<index>", (self.expr(value),), node.lineno)
                return ir.Call("<bit_count>", (whole,), node.lineno)
        func = self.path(node.func)
        stars = sum(isinstance(a, ast.Starred) for a in node.args)
        if (stars and (func is None or stars > 1 or node.keywords)) or any(
            word.arg is None for word in node.keywords
        ):
            raise self.refuse(Reason.CALL, node)
        names = tuple(word.arg for word in node.keywords if word.arg is not None)
        # CPython places a call in the line of the attribute that it calls.
        line = node.lineno if isinstance(node.func, ast.Name) else node.func.end_lineno
        line = line or node.lineno
        owner: tuple[ir.Expr, ...] = ()
        if func is None:
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS:
                raise self.refuse(Reason.CALL, node)
            func, owner = f"<.{node.func.attr}>", (self.expr(node.func.value),)
        elif not func.startswith("<"):
            self.paths.add(func)
        if func == "len" and len(node.args) == 1 and not names:
            self.counting[func] = func
            return self.length(node.args[0])
        if func == "ord" and len(node.args) == 1 and not names:
            self.counting[func] = func
            return ir.Call(ir.ORD, (self.argument(node.args[0]),), line)
        if func == "float" and not names:
            match node.args:
                case [ast.Constant(value=str() as spelled)]:
                    self.counting[func] = func
                    return self.spelled(spelled, node)
        values = (*node.args, *(word.value for word in node.keywords))
        args = (*owner, *map(self.argument, values))
        return ir.Call(func, args, line, names, moved=marked(node.func, MOVED))

    def spelled(self, number: str, node: ast.Call) -> ir.Expr:
        """``float("inf")``."""
        try:
            return ir.Const(float(number))
        except ValueError:
            raise self.refuse(Reason.CALL, node) from None

    def argument(self, node: ast.expr) -> ir.Expr:
        match node:
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                listed = isinstance(node, ast.List)
                return ir.Items(tuple(map(self.argument, elts)), node.lineno, listed)
            case ast.Starred(value=value):
                return ir.Call(ir.STAR, (self.expr(value),), node.lineno)
            case ast.Constant(value=str() | None as value):
                return ir.Word(value, node.lineno)
        return self.expr(node)


def _is_word(node: ast.Constant) -> bool:
    """Whether it is text, or None."""
    return node.value is None or isinstance(node.value, str)


def _unary(op: str, operand: ir.Expr, line: int) -> ir.Expr:
    match op, operand:
        case "-", ir.Const(value=bool()):
            pass
        case "-", ir.Const(value=int() | float() as value):
            return ir.Const(-value)
    return ir.Unary(op, operand, line)  # type: ignore[arg-type]
