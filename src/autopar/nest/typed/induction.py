"""Integers that are stepped along with a loop, said in its variable: ``k += 2`` is ``k0 + 2 * i``.

Every name that is replaced, and every assignment whose value is rewritten, gets an expression that
has the very value, and type, that CPython has there.  So the nest means what it meant; but a scalar
that went from one iteration to the next has become one that each iteration computes for itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from autopar.nest.flow import names as read_in
from autopar.nest.forward import Definitions, definitions, substitute
from autopar.nest.ir import (
    Assign,
    Binary,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Leave,
    Name,
    Nest,
    Stmt,
    Unary,
    While,
)
from autopar.nest.meaning import rebuilt
from autopar.nest.polynomial import Polynomial, number, read, short, symbol
from autopar.nest.typed.cycle import Cycle, Env
from autopar.nest.typed.types import Typed, infer
from autopar.nest.walking import assigned, blocks, children, expressions, statements
from autopar.records import dataclass, field, replace
from autopar.verdict import Refusal

_ARITHMETIC = frozenset(("+", "-", "~", "*", "//", "%"))
_DEEPEST = 8  # loops in loops; each is walked twice in each walk of the one around it


@dataclass(frozen=True, slots=True)
class Given:
    """A number that the closed forms need and that the call knows.

    Attributes
    ----------
    name
        The hidden live-in that holds it: no name that a user can write.
    value
        Of live-ins, extents, and scalars for what they hold when the nest begins.
    step
        Where it is not 0, the number is that of the steps from 0 to `value`, an end left out.
    """

    name: str
    value: Expr
    step: int = 0


@dataclass(frozen=True, slots=True)
class Closed:
    """A nest without induction variables, and what it needs to be given."""

    nest: Nest
    given: tuple[Given, ...]


def closed(typed: Typed) -> tuple[Typed, tuple[Given, ...]] | None:
    """`typed` with closed forms for its induction variables, and what they must be given.

    None where it has none.
    """
    found = without_induction(typed)
    if found.nest is typed.nest:
        return None
    kept = {*found.nest.paths, *found.nest.scalars}
    numbers = {path: atom for path, atom in typed.numbers if path in kept}
    numbers |= {given.name: "int" for given in found.given}
    again = infer(found.nest, dict(typed.arrays), numbers, dict(typed.calls))
    return None if isinstance(again, Refusal) else (again, found.given)


def without_induction(typed: Typed) -> Closed:
    """The nest with closed forms for its induction and wrap-around variables.

    Notes
    -----
    A walk in the order of execution that knows, at each place, the value of integer scalars as
    polynomials in live-ins and the variables of the loops around.  The body of a loop is walked
    with a mark for each scalar's value at the start of an iteration.  From what has become of it
    at the end follows what it is at the start of the iteration with variable ``i`` [1]_:

    * the mark plus `d`, where `d` is a polynomial of degree 0 or 1 in ``i``: an induction variable,
      of degree 1 or 2 in the number of the iteration;
    * an expression ``E(i)`` without marks: a wrap-around variable [2]_, ``E(i - step)`` but for the
      first iteration.

    After the loop the same forms hold with ``i`` one step beyond the last iteration, where the
    number of iterations is a number of the call's, or an expression that cannot be negative; the
    rows of a triangle make forms of degree 2.  Anything else (an update under a condition, in a
    `while`, or in a loop that is left early; types other than Python's int) is not known and stays
    as it was.

    References
    ----------
    .. [1] M. Gerlek, E. Stoltz, M. Wolfe, "Beyond induction variables: detecting and classifying
       sequences using a demand-driven SSA form", ACM TOPLAS 17(1), 1995, section 4.
    .. [2] M. Wolfe, "Beyond induction variables", PLDI 1992, section 4.1.
    """
    nest = typed.nest
    kinds = dict(typed.scalars)
    loops = {s.var for s in statements(nest.loop) if isinstance(s, For)}
    known = definitions(nest)
    names = frozenset(n for n in nest.scalars if kinds[n] == {"int"}) - loops - set(known)
    unchanged = Closed(nest, ())
    if not names or _depth((nest.loop,)) > _DEEPEST:
        return unchanged
    walker = _Walker(typed.ints, known)
    entered = {path for path, atom in typed.numbers if atom == "int"}
    env = {name: walker.entry(name) if name in entered else None for name in sorted(names)}
    (loop,), _ = walker.block((nest.loop,), env)
    (loop,) = _without_dead((loop,), walker.closed, frozenset(nest.live_out) | _names(loop))
    if loop == nest.loop:
        return unchanged
    assert isinstance(loop, For)
    read_now = _names(loop)
    given = tuple(g for g in walker.given.values() if g.name in read_now)
    hidden = {g.name for g in given}
    return Closed(
        replace(
            nest,
            loop=loop,
            paths=tuple(sorted({*nest.paths, *hidden})),
            roots=(*nest.roots, *sorted(hidden - {*nest.roots})),
            scalars=tuple(sorted(assigned(loop))),
        ),
        given,
    )


@dataclass(slots=True)
class _Around:
    """A loop, `while` included, that is being walked: what is known where iterations end."""

    ends: list[Env] = field(default_factory=list)
    breaks: bool = False


@dataclass(slots=True)
class _Walker:
    """Walks the nest with what is known of the integer scalars.

    Attributes
    ----------
    ints, meaning
        Live-in integers; scalars that only stand for an expression.
    given, closed
        What the forms need, by what it is; assignments that now have a closed form.
    around, loops
        Loops around this place; the `for` loops among them by variable, outer before inner.
    """

    ints: frozenset[str]
    meaning: Definitions
    given: dict[object, Given] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    around: list[_Around] = field(default_factory=list)
    loops: dict[str, Cycle] = field(default_factory=dict)

    def entry(self, name: str) -> Polynomial:
        """The value of scalar `name` when the nest begins."""
        made = self.given.setdefault(name, Given(f"<{name} at entry>", Name(name)))
        return symbol(Name(made.name))

    def value(self, expr: Expr, env: Env, line: int) -> Polynomial | None:
        """`expr` where `env` holds, if it is an exact integer of things that stay."""

        def name(id: str) -> Polynomial | None:
            if id in env:
                return env[id]
            if id in self.meaning:
                return read(self.meaning[id], name, line)
            return symbol(Name(id)) if id in self.ints or id in self.loops else None

        return short(read(expr, name, line))

    def written(self, expr: Expr, env: Env, line: int) -> Expr:
        """`expr` with every name in it whose value is known replaced."""
        made, exact = self.partly(expr, env, line)
        return self.whole(made, env, line) if exact else made

    def partly(self, expr: Expr, env: Env, line: int) -> tuple[Expr, bool]:
        """`expr` with its largest exact parts rewritten; or as it is, when all of it is exact."""
        match expr:
            case Name(id=id):
                known = env.get(id) is not None or id in self.meaning
                return expr, known or id in self.ints or id in self.loops
            case Const(value=value):
                return expr, type(value) is int
            case Dim():
                return expr, True
        inner = [self.partly(child, env, line) for child in children(expr)]
        arithmetic = isinstance(expr, Unary | Binary) and expr.op in _ARITHMETIC
        if arithmetic and all(exact for _, exact in inner):
            return expr, True
        parts = iter(self.whole(e, env, line) if exact else e for e, exact in inner)
        return rebuilt(expr, lambda _: next(parts)), False

    def whole(self, expr: Expr, env: Env, line: int) -> Expr:
        """`expr`, which is exact as far as its operations go, as one polynomial."""
        known = {name: env.get(name) for name in read_in((expr,))}
        forms = {name: form.expr(line) for name, form in known.items() if form is not None}
        if not forms:
            return expr
        found = self.value(expr, env, line)
        return substitute(expr, forms) if found is None else found.expr(line)

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt], env: Env | None) -> tuple[tuple[Stmt, ...], Env | None]:
        """`stmts` rewritten, and what is known after them; None where nobody gets."""
        made: list[Stmt] = []
        for stmt in stmts:
            if env is None:
                made.append(stmt)
            else:
                here, env = self.statement(stmt, env)
                made.append(here)
        return tuple(made), env

    def statement(self, stmt: Stmt, env: Env) -> tuple[Stmt, Env | None]:
        line = stmt.line
        match stmt:
            case Assign(target=Element(index=index) as target, value=value):
                axes = tuple(self.written(e, env, line) for e in index)
                value = self.written(value, env, line)
                return replace(stmt, target=replace(target, index=axes), value=value), env
            case Assign(target=Name(id=name), value=value):
                return self.assign(stmt, name, env)
            case If(test=test, body=body, orelse=orelse):
                body, one = self.block(body, env)
                orelse, other = self.block(orelse, env)
                test = self.written(test, env, line)
                return replace(stmt, test=test, body=body, orelse=orelse), _merged((one, other))
            case While(test=test, body=body):
                env = {**env, **dict.fromkeys(assigned(stmt) & set(env))}
                self.around.append(_Around())
                body, _ = self.block(body, env)
                self.around.pop()
                return replace(stmt, test=self.written(test, env, line), body=body), env
            case For():
                return self.loop(stmt, env)
            case Leave(kind="continue"):
                self.around[-1].ends.append(env)
            case Leave():
                self.around[-1].breaks = True
        return stmt, None

    def assign(self, stmt: Assign, name: str, env: Env) -> tuple[Stmt, Env]:
        if name not in env:
            return replace(stmt, value=self.written(stmt.value, env, stmt.line)), env
        found = self.value(stmt.value, env, stmt.line)
        if found is None:
            self.closed.discard(stmt.id)
            value = self.written(stmt.value, env, stmt.line)
        else:
            self.closed.add(stmt.id)
            value = found.expr(stmt.line)
        return replace(stmt, value=value), {**env, name: found}

    # ------------------------------------------------------------------ loops

    def loop(self, loop: For, env: Env) -> tuple[Stmt, Env]:
        """`loop` rewritten, and what is known after it."""
        cycle = Cycle(
            Name(loop.var),
            self.value(loop.start, env, loop.line),
            self.value(loop.stop, env, loop.line),
            self.value(loop.step, env, loop.line),
            loop.line,
        )
        marks = {k: f"<{k} in {loop.id}>" for k in sorted(assigned(loop) & set(env))}
        marked = {**env, **{k: symbol(Name(mark)) for k, mark in marks.items()}}
        ends, breaks, _ = self.body(loop, cycle, marked)
        forms = cycle.forms(marks, ends, env)
        _, _, body = self.body(loop, cycle, {**env, **forms})
        beyond = None if breaks else self.beyond(loop, cycle)
        after = dict(env)
        for name, form in forms.items():
            if form is not None and loop.var in form.names:
                form = None if beyond is None else form.where({loop.var: beyond}, loop.line)
            after[name] = None if breaks else short(form)
        start, stop, step = (
            self.written(e, env, loop.line) for e in (loop.start, loop.stop, loop.step)
        )
        return replace(loop, start=start, stop=stop, step=step, body=body), after

    def body(self, loop: For, cycle: Cycle, env: Env) -> tuple[Env, bool, tuple[Stmt, ...]]:
        """What is known at the end of an iteration that begins with `env`; if it may break."""
        self.loops[loop.var] = cycle
        self.around.append(_Around())
        body, end = self.block(loop.body, env)
        here = self.around.pop()
        del self.loops[loop.var]
        return _merged((*here.ends, end)) or dict.fromkeys(env), here.breaks, body

    def beyond(self, loop: For, cycle: Cycle) -> Polynomial | None:
        """What the loop variable would be in an iteration after the last one."""
        stop, start, step = cycle.stop, cycle.start, cycle.literal
        if stop is None or start is None or not step:
            return None
        span = stop - start
        if span.literal is not None:
            return start + number(len(range(0, span.literal, step)) * step)
        if abs(step) == 1 and self.never_negative(span * number(step)):
            return stop
        hidden = {g.name for g in self.given.values()}
        if not span.names <= self.ints | hidden:
            return None  # it is another number of iterations each time
        new = Given(f"<trips of {loop.id}>", span.expr(loop.line), step)
        made = self.given.setdefault((span, step), new)
        return start + symbol(Name(made.name)) * number(step)

    def never_negative(self, form: Polynomial) -> bool:
        """Whether `form` is at least 0 in every iteration of the loops around.

        Each variable, the innermost first, is replaced by the end of its range where a form that
        is linear in it is least.
        """
        for var, cycle in reversed(self.loops.items()):
            if var not in form.names:
                continue
            powers = form.by_power(var)
            slope = None if powers is None or len(powers) > 2 else powers[1].literal
            if slope is None:
                return False
            least = cycle.ends[0 if slope > 0 else 1]
            if least is None:
                return False
            form = form.where({var: least}, cycle.line)
        return form.literal is not None and form.literal >= 0


def _merged(envs: Sequence[Env | None]) -> Env | None:
    """What is known wherever `envs` come together; None where nobody gets."""
    some = [env for env in envs if env is not None]
    if not some:
        return None
    first, *others = some
    return {k: v if all(o[k] == v for o in others) else None for k, v in first.items()}


def _depth(stmts: Sequence[Stmt]) -> int:
    inside = (_depth(b) + isinstance(s, For | While) for s in stmts for b in blocks(s))
    return max(inside, default=0)


def _names(stmt: Stmt) -> frozenset[str]:
    return frozenset().union(*(read_in(expressions(s)) for s in statements(stmt)))


def _without_dead(
    stmts: Sequence[Stmt], closed: set[int], wanted: frozenset[str]
) -> tuple[Stmt, ...]:
    """`stmts` without closed forms of names that nobody wants."""
    made: list[Stmt] = []
    for stmt in stmts:
        match stmt:
            case Assign(target=Name(id=name), id=id) if id in closed and name not in wanted:
                continue
            case If(body=body, orelse=orelse):
                body, orelse = (_without_dead(b, closed, wanted) for b in (body, orelse))
                stmt = replace(stmt, body=body, orelse=orelse)
            case While(body=body) | For(body=body):
                stmt = replace(stmt, body=_without_dead(body, closed, wanted))
        made.append(stmt)
    return tuple(made)
