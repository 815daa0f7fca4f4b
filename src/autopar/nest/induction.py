"""Integers that are stepped along with a loop, said in its variable: ``k += 2`` is ``k0 + 2 * i``.

Every name that is replaced, and every assignment whose value is rewritten, gets an expression that
has the very value, and type, that CPython has there.  So the nest means what it meant; but a scalar
that went from one iteration to the next has become one that each iteration computes for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autopar.nest.flow import names as read_in
from autopar.nest.forward import Definitions, definitions
from autopar.nest.ir import (
    Assign,
    Compare,
    Element,
    Expr,
    For,
    If,
    Leave,
    Name,
    Nest,
    Stmt,
    While,
    assigned,
    expressions,
    statements,
)
from autopar.nest.meaning import rebuilt
from autopar.nest.polynomial import Polynomial, chosen, number, read, symbol
from autopar.nest.types import Typed

_LONGEST = 60  # operands of a closed form; longer ones cost more than they are worth

_Env = Mapping[str, Polynomial | None]  # scalar -> its value here, None where that is not known


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

    After the loop the same forms hold with ``i`` one step beyond the last iteration.  Anything
    else (an update under a condition, in a `while`, in a loop that is left early or whose number of
    iterations changes; types other than Python's int) is not known and stays as it was.

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
    if not names:
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
            roots=tuple(sorted({*nest.roots, *hidden})),
            scalars=tuple(sorted(assigned(loop))),
        ),
        given,
    )


@dataclass(slots=True)
class _Around:
    """A loop, `while` included, that is being walked: what is known where iterations end."""

    ends: list[_Env] = field(default_factory=list)
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
        Loops around this place; the variables of the `for` loops among them.
    """

    ints: frozenset[str]
    meaning: Definitions
    given: dict[object, Given] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    around: list[_Around] = field(default_factory=list)
    loops: frozenset[str] = frozenset()

    def entry(self, name: str) -> Polynomial:
        """The value of scalar `name` when the nest begins."""
        made = self.given.setdefault(name, Given(f"<{name} at entry>", Name(name)))
        return symbol(Name(made.name))

    def value(self, expr: Expr, env: _Env, line: int) -> Polynomial | None:
        """`expr` where `env` holds, if it is an exact integer of things that stay."""

        def name(id: str) -> Polynomial | None:
            if id in env:
                return env[id]
            if id in self.meaning:
                return read(self.meaning[id], name, line)
            return symbol(Name(id)) if id in self.ints or id in self.loops else None

        return _short(read(expr, name, line))

    def written(self, expr: Expr, env: _Env, line: int) -> Expr:
        """`expr` with every name in it whose value is known replaced."""
        if not any(env.get(name) is not None for name in read_in((expr,))):
            return expr
        whole = self.value(expr, env, line)
        if whole is not None:
            return whole.expr(line)
        return rebuilt(expr, lambda operand: self.written(operand, env, line))

    # ------------------------------------------------------------------ statements

    def block(
        self, stmts: Sequence[Stmt], env: _Env | None
    ) -> tuple[tuple[Stmt, ...], _Env | None]:
        """`stmts` rewritten, and what is known after them; None where nobody gets."""
        made: list[Stmt] = []
        for stmt in stmts:
            if env is None:
                made.append(stmt)
            else:
                here, env = self.statement(stmt, env)
                made.append(here)
        return tuple(made), env

    def statement(self, stmt: Stmt, env: _Env) -> tuple[Stmt, _Env | None]:
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

    def assign(self, stmt: Assign, name: str, env: _Env) -> tuple[Stmt, _Env]:
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

    def loop(self, loop: For, env: _Env) -> tuple[Stmt, _Env]:
        """`loop` rewritten, and what is known after it."""
        marks = {k: f"<{k} in {loop.id}>" for k in sorted(assigned(loop) & set(env))}
        ends, breaks, _ = self.body(loop, {**env, **{k: symbol(Name(m)) for k, m in marks.items()}})
        cycle = _Cycle(
            Name(loop.var),
            self.value(loop.start, env, loop.line),
            self.value(loop.step, env, loop.line),
            loop.line,
        )
        forms = {k: _short(form) for k, form in cycle.forms(marks, ends, env).items()}
        _, _, body = self.body(loop, {**env, **forms})
        beyond = None if breaks else self.beyond(loop, cycle, env)
        after = dict(env)
        for name, form in forms.items():
            if form is not None and loop.var in form.names:
                form = None if beyond is None else form.where({loop.var: beyond}, loop.line)
            after[name] = None if breaks else _short(form)
        start, stop, step = (
            self.written(e, env, loop.line) for e in (loop.start, loop.stop, loop.step)
        )
        return replace(loop, start=start, stop=stop, step=step, body=body), after

    def body(self, loop: For, env: _Env) -> tuple[_Env, bool, tuple[Stmt, ...]]:
        """What is known at the end of an iteration that begins with `env`; if it may break."""
        outer, self.loops = self.loops, self.loops | {loop.var}
        self.around.append(_Around())
        body, end = self.block(loop.body, env)
        here, self.loops = self.around.pop(), outer
        return _merged((*here.ends, end)) or dict.fromkeys(env), here.breaks, body

    def beyond(self, loop: For, cycle: _Cycle, env: _Env) -> Polynomial | None:
        """What the loop variable would be in an iteration after the last one."""
        stop, start, step = self.value(loop.stop, env, loop.line), cycle.start, cycle.literal
        if stop is None or start is None or not step:
            return None
        span = stop - start
        if span.literal is not None:
            return start + number(len(range(0, span.literal, step)) * step)
        hidden = {g.name for g in self.given.values()}
        if not span.names <= self.ints | hidden:
            return None  # it is another number of iterations each time
        new = Given(f"<trips of {loop.id}>", span.expr(loop.line), step)
        made = self.given.setdefault((span, step), new)
        return start + symbol(Name(made.name)) * number(step)


@dataclass(frozen=True, slots=True)
class _Cycle:
    """The iterations of one loop: its variable, and its range where that is known."""

    var: Name
    start: Polynomial | None
    step: Polynomial | None
    line: int

    @property
    def literal(self) -> int | None:
        return None if self.step is None else self.step.literal

    def forms(
        self, marks: Mapping[str, str], ends: _Env, env: _Env
    ) -> dict[str, Polynomial | None]:
        """The scalars of `marks` at the start of any iteration; `ends` is in terms of marks."""
        found: dict[str, Polynomial | None] = dict.fromkeys(marks)
        known: dict[str, Polynomial] = {}
        grew = True
        while grew:  # a form may be built on that of another scalar
            grew = False
            open_marks = frozenset(marks.values()) - set(known)
            for name, mark in marks.items():
                end, entry = ends[name], env[name]
                if mark in known or end is None or entry is None:
                    continue
                change = (end - symbol(Name(mark))).where(known, self.line)
                again = end.where(known, self.line)
                if not change.names & open_marks:
                    form = self.summed(entry, change)
                elif not again.names & open_marks:
                    form = self.delayed(entry, again)
                else:
                    continue
                if form is not None:
                    found[name] = known[mark] = form
                    grew = True
        return found

    def summed(self, entry: Polynomial, change: Polynomial) -> Polynomial | None:
        """`entry` and the `change` of each iteration before."""
        if not change.terms:
            return entry
        powers = change.by_power(self.var.id)
        if powers is None or len(powers) > 2 or self.start is None or self.step is None:
            return None
        moved = symbol(self.var) - self.start
        if len(powers) == 1:
            if powers[0] == self.step:
                return entry + moved
            times = self.times(moved, powers[0])
            return None if times is None else entry + times
        count = self.times(moved, number(1))
        if count is None:
            return None
        fixed = powers[0] + powers[1] * self.start
        pairs = (count * (count - number(1))).floor(2, self.line)
        return entry + count * fixed + powers[1] * self.step * pairs

    def times(self, moved: Polynomial, change: Polynomial) -> Polynomial | None:
        """`change` times the number of steps in `moved`, which is a multiple of the step."""
        step = self.literal
        if not step:
            return None
        if all(factor % step == 0 for _, factor in change.terms):
            return moved * Polynomial.of({s: factor // step for s, factor in change.terms})
        ahead = moved if step > 0 else number(0) - moved
        return ahead.floor(abs(step), self.line) * change

    def delayed(self, entry: Polynomial, end: Polynomial) -> Polynomial | None:
        """`entry` in the first iteration, and in others the `end` of the one before."""
        if self.start is None or self.step is None:
            return None
        var, line = symbol(self.var), self.line
        before = end.where({self.var.id: var - self.step}, line)
        if entry == end.where({self.var.id: self.start - self.step}, line):
            return before
        first = Compare("==", self.var, self.start.expr(line), line)
        return chosen(first, entry, before, line)


def _merged(envs: Sequence[_Env | None]) -> _Env | None:
    """What is known wherever `envs` come together; None where nobody gets."""
    some = [env for env in envs if env is not None]
    if not some:
        return None
    first, *others = some
    return {k: v if all(o[k] == v for o in others) else None for k, v in first.items()}


def _short(form: Polynomial | None) -> Polynomial | None:
    """`form`, unless it is too long to be worth anything."""
    return form if form is None or form.size <= _LONGEST else None


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
