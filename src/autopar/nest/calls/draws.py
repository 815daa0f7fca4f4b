"""Random draws as statements of their own, in Python's order.

``x = a + rng.random()`` becomes, for the generator that `rng` draws from::

    <generator 0>[0] = <draw double>(<generator 0>[0])
    <rng.random() 7> = <drawn float>(<generator 0>[0])
    x = a + <rng.random() 7>

The array stands for the state of the generator.  A draw reads and writes the one element that all
draws of this generator read and write, so no pass that respects dependences moves, drops or repeats
one, and needs to know of draws.  What its words are is said in `kernel.Words`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from autopar.nest import ir, walking
from autopar.nest.calls.hoist import Hoist, called
from autopar.nest.hidden import DRAW, GENERATOR
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Items,
    Load,
    Name,
    Nest,
    Put,
    Select,
    Stmt,
    Unary,
    View,
    Word,
)
from autopar.nest.meaning import renumbered
from autopar.nest.show import text
from autopar.nest.text.reading import LENGTH, SHAPE
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Literal


@dataclass(frozen=True, slots=True)
class Method:
    """What a path draws with.

    Attributes
    ----------
    owner
        ``Generator``, ``RandomState`` or ``Random``.
    name
        Of the method.
    generator
        Number of the generator; several owners may draw from one.
    """

    owner: str
    name: str
    generator: int


def drawn(
    nest: Nest,
    methods: Mapping[str, Method],
    ranks: Mapping[str, int],
    lists: frozenset[str] = frozenset(),
) -> Nest | Refusal:
    """`nest` with its draws as statements of their own.

    Parameters
    ----------
    methods
        By the paths that the nest calls them by.
    ranks
        Dimensions of the live-in arrays.
    lists
        Those of them that stand for lists and tuples.
    """
    drawer = _Drawer(nest, methods, ranks, lists)
    try:
        (loop,) = drawer.statement(nest.loop)
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    generators = generator_paths(methods)
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted({*nest.paths, *generators} - methods.keys())),
        roots=(*nest.roots, *generators),
        scalars=tuple(sorted(walking.assigned(loop))),
    )


def generator_paths(methods: Mapping[str, Method]) -> tuple[str, ...]:
    """The arrays that stand for generators, by their numbers."""
    count = 1 + max(method.generator for method in methods.values())
    return tuple(f"{GENERATOR}{number}>" for number in range(count))


def keeps_second(methods: Mapping[str, Method]) -> frozenset[int]:
    """Generators that normal numbers are drawn from in pairs, the second of which is kept."""
    pairs = (_TAKEN.get((m.owner, m.name)) for m in methods.values())
    return frozenset(
        method.generator
        for method, taken in zip(methods.values(), pairs, strict=True)
        if taken is not None and taken.pairs
    )


@dataclass(slots=True)
class _Drawer(Hoist):
    methods: Mapping[str, Method]
    ranks: Mapping[str, int]
    lists: frozenset[str]
    line: int = field(default=0, init=False)

    def takes(self, func: str) -> bool:
        return func in self.methods

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """`stmt`, and before it what its calls compute, or what it does to a list."""
        match stmt:
            case Assign(target=Name(id=name), value=Call(args=(Name(id=path),), names=()) as call):
                known = self.ranks.get(path) == 1 and path not in self.nest.scalars
                if name.startswith(ir.DROPPED) and known and self.shuffles(call.func):
                    return self.shuffled(path, call)
        return Hoist.statement(self, stmt)

    def shuffles(self, func: str) -> bool:
        method = self.methods.get(func)
        return method is not None and (method.owner, method.name) == ("Random", "shuffle")

    def shuffled(self, path: str, call: Call) -> tuple[Stmt, ...]:
        """A list, or an array with one axis, in another order.

        References
        ----------
        Fisher and Yates; Knuth, *The Art of Computer Programming* 2, algorithm 3.4.2P.
        """
        line, here = call.line, next(self.ids)
        place, held = Name(f"<place {here} of line {line}>"), Name(f"<t {here}>")
        body: list[Stmt] = []
        draw = _Draw(self, self.methods[call.func], call, body)
        one = Const(1)
        other = draw.value("below", "int", Const(0), Binary("+", place, one, line))

        def item(at: Expr) -> Load:
            return Load(path, (at,), next(self.ids), line)

        def store(at: Expr, value: Expr) -> Assign:
            return Assign(Element(path, (at,), next(self.ids), line), value, next(self.ids), line)

        body.append(Assign(held, item(place), next(self.ids), line))
        body += store(place, item(other)), store(other, held)
        last = Binary("-", Dim(path, 0), one, line)
        back = Const(-1)
        return (For(place.id, last, Const(0), back, tuple(body), here, line),)

    def call(self, call: Call, first: list[Stmt]) -> Expr:
        method = self.methods[call.func]
        taken = _TAKEN.get((method.owner, method.name))
        if taken is None:
            raise self.refuse(call.line, text(call), Reason.DRAW)
        if taken.many == _EACH and call.args and not call.names:
            args: list[Expr | None] = []
            sizes: Sequence[Expr] = call.args
        else:
            given = _arguments(call, taken.params)
            parted = None if given is None else _parted(given, taken)
            if parted is None:
                raise self.refuse(call.line, text(call), Reason.DRAW)
            args, sizes = parted
        make = functools.partial(self.one, taken, method, call, args)
        return self.several(sizes, call, make, first) if sizes else make(first)

    def one(
        self,
        taken: _Taken,
        method: Method,
        call: Call,
        args: Sequence[Expr | None],
        first: list[Stmt],
    ) -> Expr:
        """A number; what draws it goes to `first`."""
        found = taken.make(_Draw(self, method, call, first), *args)
        if found is None:
            raise self.refuse(call.line, text(call), Reason.DRAW)
        return found

    def several(
        self,
        sizes: Sequence[Expr],
        call: Call,
        make: Callable[[list[Stmt]], Expr],
        first: list[Stmt],
    ) -> Name:
        """A new array of these sizes, whose elements are drawn one by one, in C order."""
        line = call.line
        match sizes:
            case [Call(func=func, args=(Name(id=path),))] if func == SHAPE and path in self.ranks:
                sizes = [Dim(path, axis, attribute=True) for axis in range(self.ranks[path])]
        lengths = [self.held(size, line, first) for size in sizes]
        made = called(call.func, next(self.ids))
        inside: list[Stmt] = []
        number = make(inside)
        drawn = [s.value for s in inside if isinstance(s, Assign) and s.target == number]
        whole = any(isinstance(e, Call) and e.func in _INTEGERS for e in drawn)
        shape = lengths[0] if len(lengths) == 1 else Items(tuple(lengths), line)
        new = Call(f"<.new {'int64' if whole else 'float64'}>", (shape,), line)
        first.append(Assign(made, new, next(self.ids), line))
        places = [f"<place {next(self.ids)} of line {line}>" for _ in lengths]
        target = View(made, tuple(map(Name, places)), line)
        stmts = [*inside, Put(target, number, next(self.ids), line)]
        for place, length in zip(reversed(places), reversed(lengths), strict=True):
            stop = length if isinstance(length, Const) else Call("<index>", (length,), line)
            body = tuple(stmts)
            stmts = [For(place, Const(0), stop, Const(1), body, next(self.ids), line)]
        first += stmts
        return made

    def held(self, size: Expr, line: int, first: list[Stmt]) -> Expr:
        """`size`, which is needed more than once."""
        if all(isinstance(e, Const | Name | Dim | Binary) for e in walking.walk(size)):
            return size
        name = Name(f"<t {next(self.ids)}>")
        first.append(Assign(name, size, next(self.ids), line))
        return name


def _parted(
    given: Sequence[Expr | None], taken: _Taken
) -> tuple[list[Expr | None], tuple[Expr, ...]] | None:
    """The arguments of one draw, and the sizes of an array of them; None where it is not taken."""
    if _SIZE not in taken.params:
        return [*given], ()
    k = taken.params.index(_SIZE)
    match given[k]:
        case Items(values=values):
            if not values:
                return None  # an array without axes
            sizes = values
        case Word(value=None):
            sizes = ()
        case size:
            sizes = () if size is None or size is _ABSENT else (size,)
    return [*given[:k], *given[k + 1 :]], sizes


def _arguments(call: Call, params: tuple[Param, ...]) -> list[Expr | None] | None:
    """The arguments by parameter; None where they do not fit."""
    names = [name for name, _ in params]
    count = len(call.args) - len(call.names)
    given = dict(zip(names, call.args[:count], strict=False))
    words = dict(zip(call.names, call.args[count:], strict=True))
    if count > len(names) or not words.keys() <= set(names) - given.keys():
        return None
    given |= words
    if any(usual is _NEEDED and name not in given for name, usual in params):
        return None
    return [given.get(name, usual) for name, usual in params]


@dataclass(frozen=True, slots=True)
class _Draw:
    """One call that draws."""

    drawer: _Drawer
    method: Method
    call: Call
    first: list[Stmt]

    def value(self, how: str, atom: str, *args: Expr) -> Expr:
        """A number of type `atom`, drawn as `how` says; see `functions.DRAWS`."""
        ids, line = self.drawer.ids, self.call.line
        state, place = f"{GENERATOR}{self.method.generator}>", (Const(0),)

        def word() -> Load:
            return Load(state, place, next(ids), line)

        target = Element(state, place, next(ids), line)
        draw = Call(f"{DRAW}{how}>", (word(), *args), line)
        number = called(self.call.func, next(ids))
        result = Call(f"<drawn {atom}>", (word(),), line)
        self.first.append(Assign(target, draw, next(ids), line))
        self.first.append(Assign(number, result, next(ids), line))
        return number

    def again(self, expr: Expr) -> Expr:
        """`expr`, which is needed once more."""
        return renumbered(expr, self.drawer.ids)

    @property
    def line(self) -> int:
        return self.call.line

    def vector(self, expr: Expr) -> str | None:
        """The path of the array with one axis that `expr` is, if it is one."""
        match expr:
            case Name(id=path) if self.drawer.ranks.get(path) == 1:
                return path
        return None


_NEEDED = None
Param = tuple[str, Expr | None]
"""A parameter and its default; `_NEEDED`: it has none."""
Make = Callable[..., Expr | None]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A method that is taken.

    Attributes
    ----------
    pairs
        See `keeps_second`.
    many
        How it makes arrays: ``size`` is one of its parameters, or `_EACH` of its arguments is one.
    """

    make: Make
    params: tuple[Param, ...] = ()
    pairs: bool = False
    many: str = ""


_MOST_WRITTEN = 16
_EACH = "each"
_OPEN = Const(False)
_NONE = Name("<none>")
_NEAR = 1e-8  # to 1, for what NumPy takes for 1
_ABSENT = Name("<absent>")
"""The default of a parameter that says nothing when it is left out."""
_SIZE: Param = ("size", _ABSENT)
_INTEGERS = ("<drawn int>", "<drawn np.int64>")


def _plain(how: str) -> Make:
    """A float made of the arguments as they are."""
    return lambda draw, *args: draw.value(how, "float", *args)


def _integer(how: str, atom: str) -> Make:
    def make(draw: _Draw, low: Expr, high: Expr, endpoint: Expr = _OPEN) -> Expr | None:
        if high is _ABSENT:
            low, high = Const(0), low
        match endpoint:
            case Const(value=bool(closed)):
                return draw.value(f"{how} closed" if closed else how, atom, low, high)
        return None

    return make


def _choice(how: str) -> Make:
    """An integer below `a`, or an element of `a`, of which NumPy makes a vector first."""

    def make(draw: _Draw, a: Expr, size: Expr, again: Expr, p: Expr) -> Expr | None:
        if not _is_none(size) or again != Const(True):
            return None
        if isinstance(a, Items):
            atom = _type_of(a.values)
            place = below(draw, Const(len(a.values)), p) if atom else None
            if place is None:
                return None
            return Call(f"<cast {atom}>", (_chosen(draw, place, a.values),), draw.line)
        path = draw.vector(a)
        if path is None:
            return below(draw, a, p)
        # An element of a list has another type then.
        place = None if path in draw.drawer.lists else below(draw, Dim(path, 0), p)
        if place is None:
            return None
        return Load(path, (place,), next(draw.drawer.ids), draw.line)

    def below(draw: _Draw, count: Expr, p: Expr) -> Expr | None:
        if _is_none(p):
            return draw.value(how, "int", Const(0), count)
        return _weighted(draw, count, p)

    return make


def _is_none(expr: Expr) -> bool:
    return expr is _NONE or (isinstance(expr, Word) and expr.value is None)


def _weighted(draw: _Draw, count: Expr, p: Expr) -> Expr | None:
    """An integer below `count`, each as likely as its item of `p` says.

    As in NumPy: how many of the sums up to an item, over the whole one, are no larger than what is
    drawn.  That `p` sums up to 1 is asked more strictly here, and less exactly.
    """
    ids, line, first = draw.drawer.ids, draw.line, draw.first
    number = next(ids)
    names = (f"<{what} {number}>" for what in ("p", "count", "item", "k", "sum", "part", "place"))
    held, most, item, k, total, summed, place = map(Name, names)
    one, zero = Const(1), Call("<cast float64>", (Const(0.0),), line)

    def assign(target: Name, value: Expr) -> Assign:
        return Assign(target, value, next(ids), line)

    def plus(left: Name, right: Expr) -> Assign:
        return assign(left, Binary("+", left, right, line, reduced=True))

    length: Expr = Call(LENGTH, (held,), line)
    found: Expr = View(held, (k,), line)
    if isinstance(p, Items):
        if not 0 < len(p.values) <= _MOST_WRITTEN or not all(map(_is_plain, p.values)):
            return None
        length, found = Const(len(p.values)), _chosen(draw, k, p.values)
    else:
        first.append(assign(held, p))

    def each(*body: Stmt) -> For:
        begin = assign(item, Call("<cast float64>", (draw.again(found),), line))
        return For(k.id, Const(0), most, one, (begin, *body), next(ids), line)

    def sure(op: Literal["==", "<=", ">="], left: Expr, right: Expr) -> Assign:
        test = Select(Compare(op, left, right, line), Const(True), Const(False), line)
        return assign(Name(f"<ok {next(ids)}>"), Call(ir.GIVEN, (Const(0), test), line))

    first += [
        assign(most, length),
        sure("==", most, Call("<index>", (count,), line)),
        assign(total, zero),
        each(sure(">=", item, Const(0.0)), plus(total, item)),
        sure(">=", total, Const(1.0 - _NEAR)),
        sure("<=", total, Const(1.0 + _NEAR)),
    ]
    drawn = draw.value("double", "float")
    share = Binary("/", summed, total, line, reduced=True)
    further = If(Compare("<=", share, drawn, line), (plus(place, one),), (), next(ids), line)
    first += [
        assign(summed, zero),
        assign(place, Const(0)),
        each(plus(summed, item), further),
    ]
    return place


def _poisson(draw: _Draw, lam: Expr) -> Expr:
    return draw.value("poisson", "int", lam)


def _element(draw: _Draw, seq: Expr) -> Expr | None:
    """`random.choice`, of a list, an array, a row, or of what is written out."""
    match seq:
        case Items(values=values) if 0 < len(values) <= _MOST_WRITTEN:
            return _one_of(draw, values)
        case Name(id=path) if path in draw.drawer.ranks:
            place = draw.value("below", "int", Const(0), Dim(path, 0))
            return Load(path, (place,), next(draw.drawer.ids), draw.line)
        case Name(id=name) if name in draw.drawer.nest.scalars:
            length = Call(LENGTH, (Name(name),), draw.line)
            place = draw.value("below", "int", Const(0), length)
            return View(Name(name), (place,), draw.line)
    return None


def _one_of(draw: _Draw, values: Sequence[Expr]) -> Expr | None:
    """One of these numbers, or of tuples of as many of them."""
    tuples = [one.values for one in values if isinstance(one, Items) and not one.listed]
    if tuples:
        if len(tuples) < len(values) or len({len(one) for one in tuples}) > 1:
            return None
        columns = list(zip(*tuples, strict=True))
    else:
        columns = [tuple(values)]
    if not all(_is_plain(one) for column in columns for one in column):
        return None  # who knows what it takes to evaluate it
    place = draw.value("below", "int", Const(0), Const(len(values)))
    chosen = tuple(_chosen(draw, place, column) for column in columns)
    return Items(chosen, draw.line) if tuples else chosen[0]


def _chosen(draw: _Draw, place: Expr, values: Sequence[Expr]) -> Expr:
    *first, found = values
    for k, value in reversed(list(enumerate(first))):
        here = Compare("==", draw.again(place), Const(k), draw.line)
        found = Select(here, value, found, draw.line)
    return found


def _type_of(values: Sequence[Expr]) -> str:
    """The type of an array of a few numbers that are written out; nothing where it is not sure."""
    plain = (e.operand if isinstance(e, Unary) and e.op in ("-", "+") else e for e in values)
    types = {type(e.value) if isinstance(e, Const) else None for e in plain}
    if not 0 < len(values) <= _MOST_WRITTEN or not types <= {int, float}:
        return ""
    return "float64" if float in types else "int64"


def _is_plain(expr: Expr) -> bool:
    match expr:
        case Unary(op="-" | "+", operand=Const()):
            return True
    return isinstance(expr, Const | Name)


def _randrange(draw: _Draw, start: Expr, stop: Expr, step: Expr) -> Expr | None:
    if stop is _ABSENT:
        return draw.value("below", "int", Const(0), start) if step == Const(1) else None
    match step:
        case Const(value=int(size)) if type(size) is int and size == 1:
            return draw.value("below", "int", start, stop)
    return None


_LOW_HIGH = (("low", Const(0.0)), ("high", Const(1.0)))
_LOC_SCALE = (("loc", Const(0.0)), ("scale", Const(1.0)))
_SCALE = (("scale", Const(1.0)),)
_LAM = (("lam", Const(1.0)),)
_MU_SIGMA = (("mu", Const(0.0)), ("sigma", Const(1.0)))
_CHOICE: tuple[Param, ...] = (
    ("a", _NEEDED), ("size", _NONE), ("replace", Const(True)), ("p", _NONE),
)  # fmt: skip
_RANGE: tuple[Param, ...] = (("low", _NEEDED), ("high", _ABSENT))

_TAKEN: dict[tuple[str, str], _Taken] = {
    ("RandomState", "rand"): _Taken(_plain("double"), many=_EACH),
    ("RandomState", "random"): _Taken(_plain("double"), (_SIZE,)),
    ("RandomState", "random_sample"): _Taken(_plain("double"), (_SIZE,)),
    ("RandomState", "uniform"): _Taken(_plain("uniform"), (*_LOW_HIGH, _SIZE)),
    ("RandomState", "randn"): _Taken(_plain("polar"), (), True, _EACH),
    ("RandomState", "standard_normal"): _Taken(_plain("polar"), (_SIZE,), True),
    ("RandomState", "normal"): _Taken(_plain("polar normal"), (*_LOC_SCALE, _SIZE), True),
    ("RandomState", "standard_exponential"): _Taken(_plain("inverse"), (_SIZE,)),
    ("RandomState", "exponential"): _Taken(_plain("inverse exponential"), (*_SCALE, _SIZE)),
    ("RandomState", "poisson"): _Taken(_poisson, (*_LAM, _SIZE)),
    ("RandomState", "randint"): _Taken(_integer("masked", "int"), (*_RANGE, _SIZE)),
    ("RandomState", "choice"): _Taken(_choice("masked"), _CHOICE),
    ("Generator", "random"): _Taken(_plain("double"), (_SIZE,)),
    ("Generator", "uniform"): _Taken(_plain("rising uniform"), (*_LOW_HIGH, _SIZE)),
    ("Generator", "standard_normal"): _Taken(_plain("standard_normal"), (_SIZE,)),
    ("Generator", "normal"): _Taken(_plain("normal"), (*_LOC_SCALE, _SIZE)),
    ("Generator", "standard_exponential"): _Taken(_plain("standard_exponential"), (_SIZE,)),
    ("Generator", "exponential"): _Taken(_plain("exponential"), (*_SCALE, _SIZE)),
    ("Generator", "poisson"): _Taken(_poisson, (*_LAM, _SIZE)),
    ("Generator", "integers"): _Taken(
        _integer("bounded", "np.int64"), (*_RANGE, _SIZE, ("endpoint", _OPEN))
    ),
    ("Generator", "choice"): _Taken(_choice("bounded"), _CHOICE),
    ("Random", "random"): _Taken(_plain("double")),
    ("Random", "uniform"): _Taken(_plain("between"), (("a", _NEEDED), ("b", _NEEDED))),
    ("Random", "randint"): _Taken(
        lambda draw, a, b: draw.value("within", "int", a, b), (("a", _NEEDED), ("b", _NEEDED))
    ),
    ("Random", "randrange"): _Taken(
        _randrange, (("start", _NEEDED), ("stop", _ABSENT), ("step", Const(1)))
    ),
    ("Random", "getrandbits"): _Taken(
        lambda draw, k: draw.value("bits", "int", k), (("k", _NEEDED),)
    ),
    ("Random", "choice"): _Taken(_element, (("seq", _NEEDED),)),
    ("Random", "gauss"): _Taken(_plain("gauss"), _MU_SIGMA, True),
    ("Random", "expovariate"): _Taken(_plain("rate"), (("lambd", _NEEDED),)),
    ("Random", "normalvariate"): _Taken(_plain("ratio normal"), _MU_SIGMA),
}  # fmt: skip
