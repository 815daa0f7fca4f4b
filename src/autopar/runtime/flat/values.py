"""Expressions of text that is written out for the objects of a call."""

from __future__ import annotations

import ast
import builtins
import math
from abc import abstractmethod
from collections.abc import Sequence
from types import FunctionType, ModuleType

from autopar.nest.bound import stored
from autopar.nest.text import methods
from autopar.nest.trees import every
from autopar.records import dataclass
from autopar.runtime.flat.names import Outside
from autopar.runtime.flat.scene import Bound, Code, Crowd, Group, Other, Said, Thing, is_thing
from autopar.runtime.flat.text import Frame, Member, Part, Value, text_name
from autopar.runtime.values.helpers import function_node
from autopar.runtime.values.plain import plain_attribute
from autopar.verdict import DOT

_COMPUTING = (abs, bool, complex, divmod, float, int, len, max, min, pow, range, round, sum)
_SIMPLE = (list, tuple, int, float, complex, bool)


@dataclass(slots=True)
class Expressions(Outside):
    """Expressions and what they mean."""

    def expr(self, node: ast.expr, frame: Frame) -> ast.expr:
        """`node` as an expression of the text."""
        return self.plain(self.value(node, frame), node)

    def value(self, node: ast.expr, frame: Frame) -> Value:
        """What `node` means."""
        return self.placed(self.unplaced(node, frame), node)

    def unplaced(self, node: ast.expr, frame: Frame) -> Value:
        match node:
            case ast.Constant():
                return node
            case ast.Name():
                return self.name(node, frame)
            case ast.Attribute(value=base, attr=name):
                return self.member(node, self.value(base, frame), name)
            case ast.Subscript(value=base, slice=index):
                owner = self.value(base, frame)
                if isinstance(owner, Crowd) and not isinstance(index, ast.Slice):
                    where = self.expr(index, frame)
                    self.read = True
                    return Member(owner, where)
                if isinstance(owner, Group):
                    return self.item(owner, self.value(index, frame), node)
                if isinstance(index, ast.Slice) and isinstance(owner, ast.Name):
                    part = self.part(owner, index, frame)
                    if part is not None:
                        return part
                if isinstance(index, ast.Constant) and isinstance(index.value, str):
                    raise self.refuse(node)  # a dictionary may lead to other objects
                where = self.expr(index, frame)
                self.read = True
                return ast.Subscript(self.plain(owner, node), where, ast.Load())
            case ast.Call():
                return self.call(node, frame)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                one, two = self.value(left, frame), self.value(right, frame)
                said = self.same(one, op, two) or _compared(one, op, two)
                if isinstance(said, ast.expr):
                    return said
                if said is not None:
                    return ast.Constant(said)
                self.read = True
                return ast.Compare(self.plain(one, node), [op], [self.plain(two, node)])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.value(operand, frame)
                if isinstance(inner, ast.Constant):
                    return ast.Constant(not inner.value)
                return ast.UnaryOp(ast.Not(), self.plain(inner, node))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                found = self.value(test, frame)
                if isinstance(found, ast.Constant):
                    return self.value(body if found.value else orelse, frame)
                self.sheltered += 1
                parts = self.expr(body, frame), self.expr(orelse, frame)
                self.sheltered -= 1
                return ast.IfExp(self.plain(found, node), *parts)
            case ast.BoolOp(op=op, values=values):
                return self.logic(op, values, frame)
            case ast.ListComp() | ast.GeneratorExp():
                return self.comprehension(node, frame)
            case ast.BinOp(left=left, op=op, right=right):
                first, second = self.expr(left, frame), self.expr(right, frame)
                self.read = True
                return ast.BinOp(first, op, second)
            case ast.UnaryOp(op=op, operand=operand):
                inner_expr = self.expr(operand, frame)
                self.read = self.read or not isinstance(inner_expr, ast.Constant)
                return ast.UnaryOp(op, inner_expr)
            case ast.Tuple(elts=elts):
                return ast.Tuple([self.expr(e, frame) for e in elts], ast.Load())
            case ast.List(elts=elts):
                return ast.List([self.expr(e, frame) for e in elts], ast.Load())
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = [None if e is None else self.expr(e, frame) for e in (lower, upper, step)]
                return ast.Slice(*ends)
            case ast.Compare(left=left, ops=ops, comparators=others):
                self.sheltered += 1
                made = [self.expr(e, frame) for e in (left, *others)]
                self.sheltered -= 1
                return ast.Compare(made[0], ops, made[1:])
        raise self.refuse(node)

    def same(self, one: Value, op: ast.cmpop, two: Value) -> ast.expr | None:
        """Whether two objects of one list are the same, where their places say so."""
        if not isinstance(one, Member) or not isinstance(two, Member) or one.crowd != two.crowd:
            return None
        places = one.index, two.index
        if not all(isinstance(at, ast.Name) and at.id in self.natural for at in places):
            return None  # -1 is the last one
        match op:
            case ast.Is():
                return ast.Compare(one.index, [ast.Eq()], [two.index])
            case ast.IsNot():
                return ast.Compare(one.index, [ast.NotEq()], [two.index])
        return None

    def logic(self, op: ast.boolop, values: Sequence[ast.expr], frame: Frame) -> Value:
        """``and`` or ``or`` without the operands that are known."""
        made: list[Value] = []
        self.sheltered += 1
        for k, node in enumerate(values):
            found = self.value(node, frame)
            last = k == len(values) - 1
            if isinstance(found, ast.Constant):
                if bool(found.value) == isinstance(op, ast.Or):
                    made.append(found)
                    break
                if not last:
                    continue
            made.append(found)
        self.sheltered -= 1
        if len(made) == 1:
            return made[0]
        return ast.BoolOp(op, [self.plain(one, values[0]) for one in made])

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> ast.expr:
        inside = Frame(dict(frame.env), frame.homes, frame.text, frame.function, own=frame.own)
        parts = []
        for k, part in enumerate(node.generators):
            if part.is_async:
                raise self.refuse(node)
            self.sheltered += k > 0
            through = self.value(part.iter, inside)
            self.sheltered -= k > 0
            for name in stored([part.target]):
                if name in frame.homes:
                    raise self.refuse(f"{name} in a comprehension")
            if isinstance(through, Crowd) and isinstance(part.target, ast.Name):
                place = self.fresh(part.target.id + DOT)
                self.natural.add(place)
                inside.env[part.target.id] = Member(through, text_name(place))
                target: ast.expr = ast.Name(place, ast.Store())
                source: ast.expr = ast.Call(self.native("range"), [self.length_of(through)], [])
            else:
                source = self.plain(through, part.iter)
                target = self.comprehended(part.target, inside)
            self.sheltered += 1
            tests = [self.expr(test, inside) for test in part.ifs]
            self.sheltered -= 1
            parts.append(ast.comprehension(target, source, tests, 0))
        self.sheltered += 1
        item = self.expr(node.elt, inside)
        self.sheltered -= 1
        self.read = True
        return type(node)(item, parts)

    def comprehended(self, target: ast.expr, frame: Frame) -> ast.expr:
        match target:
            case ast.Name(id=name):
                ours = self.fresh(name)
                frame.env[name] = ast.Name(ours, ast.Load())
                return ast.Name(ours, ast.Store())
            case ast.Tuple(elts=elts):
                return ast.Tuple([self.comprehended(e, frame) for e in elts], ast.Store())
        raise self.refuse(target)

    def member(self, node: ast.Attribute, owner: Value, name: str) -> Value:
        if isinstance(owner, Thing):
            return self.attribute(owner, node)
        if isinstance(owner, Member):
            self.read = True
            return ast.Subscript(self.column(owner, node), owner.index, ast.Load())
        path = self.outer_path(owner)
        if path is not None:
            root, names = path
            meaning = self.scene.known[self.sources[root]]
            assert isinstance(meaning, Other)
            found = meaning.value
            for one in (*names, name):
                if not isinstance(found, ModuleType) and not _holds_numbers(found):
                    raise self.refuse(node)  # another way to an object
                found = plain_attribute(found, one) if isinstance(found, ModuleType) else None
            if is_thing(found) or type(found) in (list, tuple, dict, FunctionType):
                raise self.refuse(node)
        elif not isinstance(owner, ast.Name):
            raise self.refuse(node)
        return ast.Attribute(self.plain(owner, node), name, ast.Load())

    def item(self, group: Group, index: Value, node: ast.expr) -> Thing:
        match index:
            case ast.Constant(value=int(k)) if -len(group.items) <= k < len(group.items):
                return group.items[k]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(k))):
                if 1 <= k <= len(group.items):
                    return group.items[-k]
        raise self.refuse(node)

    def part(self, owner: ast.expr, index: ast.Slice, frame: Frame) -> Part | None:
        """A part of a list of uneven tuples."""
        columns = None if index.step is not None else self.columns(owner, None)
        if columns is None:
            return None
        count = ast.Call(self.native("len"), [text_name(columns[0])], [])
        length = self.let(self.fresh("length"), count)
        ends: list[ast.expr] = []
        for end, base in ((index.lower, "low"), (index.upper, "high")):
            if end is None:
                ends.append(ast.Constant(0) if base == "low" else length)
                continue
            given = self.let(self.fresh(base), self.expr(end, frame))
            below = ast.Compare(given, [ast.Lt()], [ast.Constant(0)])  # which is from the end on
            self.emit(ast.If(below, [self.failing(given)], []))
            within = ast.Compare(given, [ast.Lt()], [length])
            ends.append(ast.IfExp(within, given, length))
        low = self.let(self.fresh("low"), ends[0])
        high = self.let(self.fresh("high"), ends[1])
        some = ast.Compare(low, [ast.Lt()], [high])
        size = ast.IfExp(some, ast.BinOp(high, ast.Sub(), low), ast.Constant(0))
        self.read = True
        return Part(tuple(columns), low.id, high.id, self.let(self.fresh("size"), size).id)

    def call(self, node: ast.Call, frame: Frame) -> Value:
        """What a call returns; a call that stays one is a call."""
        steady = not self.read and not self.sheltered
        func = self.callee(node.func, frame)
        if isinstance(func, Bound | Code):
            body = self.text(func.function)
            if body is not None and steady and func.function not in self.stack:
                return self.written(node, func, body, frame)
            if body is not None and not self.sheltered and func.function not in self.stack:
                return self.beside(node, func, body, frame)
            if isinstance(func, Bound):
                raise self.refuse(node)
        match func:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr="index"):
                if name in self.lists and not self.sheltered:
                    return self.index_of(owner, node, frame)
        if isinstance(node.func, ast.Name) and len(node.args) == 1 and node.func.id == "len":
            found = self.value(node.args[0], frame)
            if isinstance(found, Group | Crowd | Part):
                self.genuine("len", found, frame)
                if isinstance(found, Crowd):
                    return self.length_of(found)
                if isinstance(found, Part):
                    return text_name(found.size)
                return ast.Constant(len(found.items))
            columns = self.columns(found, None) if isinstance(found, ast.Name) else None
            if columns is not None:
                return ast.Call(self.plain(func, node), [text_name(columns[0])], [])
        if isinstance(func, Code):
            self.called.add(func.function)
        args = [self.expr(arg, frame) for arg in node.args]
        names = [ast.keyword(k.arg, self.expr(k.value, frame)) for k in node.keywords]
        self.read = True
        return ast.Call(self.plain(func, node), args, names)

    def beside(
        self, node: ast.Call, func: Bound | Code, body: ast.FunctionDef, frame: Frame
    ) -> Value:
        """`written` after something has been read, which the function must not change."""
        before = frozenset(self.unsteady)
        with self.apart() as inner:
            found = self.written(node, func, body, frame)
        if not all(self.computes(stmt, before) for stmt in inner):
            raise self.refuse(node)
        self.out += inner
        self.read = True
        return found

    def computes(self, top: ast.stmt, known: frozenset[str]) -> bool:
        """Whether `top` changes nothing but variables of ours that are not `known` yet."""
        for node in every(top):
            match node:
                case ast.Subscript(ctx=ast.Store()):
                    return False
                case ast.Name(id=name, ctx=ast.Store()) if name in known:
                    return False
                case ast.Call(func=ast.Name() | ast.Attribute() as func):
                    path = self.outer_path(func)
                    meaning = None if path is None else self.scene.known[self.sources[path[0]]]
                    value = meaning.value if isinstance(meaning, Other) else None
                    of_math = value is math and path is not None and len(path[1]) == 1
                    of_python = path is not None and not path[1]
                    of_python = of_python and any(value is one for one in _COMPUTING)
                    if not of_math and not of_python:
                        return False
                case ast.Call():
                    return False
        return True

    def index_of(self, items: ast.Name, node: ast.Call, frame: Frame) -> ast.expr:
        """``items.index(x)``: from the last item on, what is equal is put down, so the first stays.

        Where there is none, or one that is found by its identity alone, nothing is divided.
        """
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(node)
        wanted = self.let(self.fresh("wanted"), self.expr(node.args[0], frame))
        count = self.let(self.fresh("count"), ast.Call(self.native("len"), [items], []))
        found = self.let(self.fresh("found"), count)
        place = self.fresh("place")
        minus_one = ast.UnaryOp(ast.USub(), ast.Constant(1))
        last = ast.BinOp(count, ast.Sub(), ast.Constant(1))
        backwards = ast.Call(self.native("range"), [last, minus_one, minus_one], [])
        item = ast.Subscript(items, text_name(place), ast.Load())
        equal = ast.Compare(item, [ast.Eq()], [wanted])
        here = ast.Assign([ast.Name(found.id, ast.Store())], text_name(place))
        body: list[ast.stmt] = [ast.If(equal, [here], [])]
        self.emit(ast.For(ast.Name(place, ast.Store()), backwards, body, []))
        missing = ast.Compare(found, [ast.Eq()], [count])
        self.emit(ast.If(missing, [self.failing(found)], []))
        self.read = True
        return found

    def failing(self, number: ast.expr) -> ast.stmt:
        """A statement that no kernel gets past: then the interpreter runs the loop."""
        nothing = ast.BinOp(number, ast.Sub(), number)
        quotient = ast.BinOp(number, ast.FloorDiv(), nothing)
        return ast.Assign([ast.Name(self.fresh("outside"), ast.Store())], quotient)

    def callee(self, node: ast.expr, frame: Frame) -> Value:
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value, frame)
            if isinstance(owner, Member):
                function = self.scene.method_of_each(owner.crowd, node.attr)
                if function is None:
                    raise self.refuse(node)
                return Bound(owner, function)
            if isinstance(owner, Thing):
                key = owner.number, node.attr
                if key in self.attributes or key in self.kept:
                    raise self.refuse(node)
                found = self.scene.method(owner, node.attr)
                for around in self.rounds:
                    around.reads.add(key)
                return self.attribute(owner, node) if found is None else found
            return self.member(node, owner, node.attr)
        return self.value(node, frame)

    def genuine(self, name: str, items: object, frame: Frame) -> None:
        """See to it that a builtin is what it seems, where its result is written out."""
        if items is None:
            return
        found = self.meant(name, frame)
        if not isinstance(found, Other) or found.value is not getattr(builtins, name):
            raise self.refuse(name)

    def text(self, function: FunctionType) -> ast.FunctionDef | None:
        """The definition of a function, if it can be written out."""
        node = function_node(function)
        if not isinstance(node, ast.FunctionDef) or not methods.taken(node.body):
            return None
        args = node.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            return None
        return node

    @abstractmethod
    def written(
        self, call: ast.Call, func: Bound | Code, node: ast.FunctionDef, frame: Frame
    ) -> Value:
        """The statements of a function in place of its call."""


def _holds_numbers(value: object) -> bool:
    """Whether what has this attribute, or had it, is no way to other objects."""
    return value is None or type(value).__module__ == "numpy" or type(value) in _SIMPLE


def _compared(one: Value, op: ast.cmpop, two: Value) -> bool | None:
    """What a comparison of texts, of None or of objects says."""

    def said(value: Value) -> Value:
        match value:
            case ast.Constant(value=None | str() as literal):
                return Said(literal)
        return value

    left, right = said(one), said(two)
    words = isinstance(left, Said) and isinstance(right, Said)
    things = isinstance(left, Thing | Said) and isinstance(right, Thing | Said)
    nothing = Said(None) in (left, right)
    match op:
        case ast.Eq() | ast.NotEq() if words:
            return (left == right) == isinstance(op, ast.Eq)
        case ast.Is() | ast.IsNot() if things and (nothing or not words):
            return (left == right) == isinstance(op, ast.Is)
    return None
