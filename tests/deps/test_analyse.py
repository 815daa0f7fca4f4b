"""Dependences against what really happens when a nest is run."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nests import INTS, RANKS, nests
from replay import WHILE, Machine, found_dependences

from autopar.deps import relations, sets
from autopar.deps.analyse import _analyse, analyse
from autopar.deps.data import Facts, Overlap
from autopar.nest.ir import For
from autopar.nest.show import text
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import accesses
from drawn import sampled_from

FACTS = Facts(frozenset(INTS), tuple(sorted(RANKS.items())))
SIZES = st.fixed_dictionaries(
    {"n": st.integers(-1, 5), "m": st.integers(-2, 3), "q": st.integers(-3, 3)}
)
EXTENTS = st.fixed_dictionaries({name: st.integers(0, 6) for name in RANKS})
analyse_afresh = _analyse.__wrapped__
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def parameters(sizes, extents):
    shapes = {f"{a}.shape[{k}]": extents[a] for a, rank in RANKS.items() for k in range(rank)}
    return sizes | shapes


def machine(sizes, extents, **more):
    shapes = {a: (extents[a],) * rank for a, rank in RANKS.items()}
    return Machine({**sizes, "s": 2, "t": 3}, shapes, **more)


def run(nest, sizes, extents):
    made = machine(sizes, extents)
    made.run(nest.loop)
    return made


def said(analysis, held):
    """Array dependences that hold: (source, sink, texts, level) -> those dependences."""
    out: dict[tuple, list] = {}
    for k in held:
        dep = analysis.dependences[k]
        if not dep.scalar and dep.kind != "control":
            key = dep.source, dep.sink, dep.source_text, dep.sink_text, dep.level
            out.setdefault(key, []).append(dep)
    return out


def happened(nest, events):
    names = {access.id: text(access) for _, access in accesses(nest.loop)}
    out: dict[tuple, set] = {}
    for one, two, a, b, level, values in found_dependences(events):
        out.setdefault((one, two, names[a], names[b], level), set()).add(values)
    return out


def check_vectors(nest, deps, seen):
    """Each real distance, in steps of the loop variables, is allowed by some dependence."""
    for values in seen:
        assert any(_allows(nest, dep, values) for dep in deps), (deps, values)


def _allows(nest, dep, values):
    loops = _loops_around(nest, dep.source)
    for k, value in enumerate(values):
        step = eval(text(loops[k].step))
        sign = 1 if step > 0 else -1
        want = "<" if value * sign > 0 else ">" if value * sign < 0 else "="
        if dep.direction[k] not in ("*", want):
            return False
        if dep.distance[k] is not None and dep.distance[k] * step != value:
            return False
        least = dep.least[k] if dep.least else None
        if least is not None and value * sign < least * abs(step):
            return False
    return True


def test_the_least_distance_in_an_inner_loop():
    """Known where the distance is not one number; nothing is said where there is no bound."""

    def least(index):
        source = (
            "for i in range(n):\n    for j in range(n):\n        for k in range(3):\n"
            f"            B[i, j] = B[i, j] + B[i - 1, {index}]\n"
        )
        deps = analyse(lift_text(source), FACTS).dependences
        (dep,) = (d for d in deps if d.kind == "true" and "- 1" in d.sink_text and d.level == 1)
        return dep.distance[:2], dep.least[:2]

    assert least("j") == ((1, 0), (1, 0))
    assert least("j + k - 1") == ((1, None), (1, -1))
    assert least("j - k") == ((1, None), (1, 0))
    assert least("2 * j") == ((1, None), (1, None))


def _loops_around(nest, wanted):
    def search(stmt, around):
        if stmt.id == wanted:
            return around
        inner = (*around, stmt) if isinstance(stmt, For) else around
        for name in ("body", "orelse"):
            for child in getattr(stmt, name, ()):
                got = search(child, inner)
                if got is not None:
                    return got
        return None

    return search(nest.loop, ())


def exact_or_wider(nest):
    """The analysis, and whether all of it is exact."""
    wider = []

    def noted(function):
        return lambda *args: wider.append(function) or function(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relations, "_everything", noted(relations._everything))
        patch.setattr(sets, "wider", noted(sets.wider))
        patch.setattr(sets.System, "leave_out", noted(sets.System.leave_out))
        return analyse_afresh(nest, FACTS, ()), not wider


@QUICK
@given(source=nests(), sizes=SIZES, extents=EXTENTS)
def test_affine_nests_have_exactly_the_dependences_that_happen(source, sizes, extents):
    nest = lift_text(source)
    analysis, exact = exact_or_wider(nest)
    made = run(nest, sizes, extents)
    got = said(analysis, analysis.held(parameters(sizes, extents)))
    want = happened(nest, made.events)
    assert set(want) <= set(got)
    if exact:
        assert set(got) == set(want)
    for key, seen in want.items():
        check_vectors(nest, got[key], seen)


@QUICK
@given(
    source=nests(affine=False, scalars=True, leaves=True),
    sizes=SIZES,
    extents=EXTENTS,
)
def test_no_dependence_is_missed_where_not_everything_is_affine(source, sizes, extents):
    nest = lift_text(source)
    analysis = analyse(nest, FACTS)
    made = run(nest, sizes, extents)
    got = said(analysis, analysis.held(parameters(sizes, extents)))
    for key, seen in happened(nest, made.events).items():
        assert key in got
        check_vectors(nest, got[key], seen)


@QUICK
@given(source=nests(), sizes=SIZES, extents=EXTENTS)
def test_bounds_are_exact_for_affine_nests(source, sizes, extents):
    nest = lift_text(source)
    inside = analyse(nest, FACTS).inside(parameters(sizes, extents))
    events = run(nest, sizes, extents).events
    everything = {access.id for _, access in accesses(nest.loop)}
    outside = {e.access for e in events if not all(0 <= x < extents[e.array] for x in e.index)}
    assert inside == everything - outside


@QUICK
@given(source=nests(affine=False, scalars=True, leaves=True), sizes=SIZES, extents=EXTENTS)
def test_an_access_said_to_be_in_bounds_is(source, sizes, extents):
    nest = lift_text(source)
    inside = analyse(nest, FACTS).inside(parameters(sizes, extents))
    for event in run(nest, sizes, extents).events:
        if event.access in inside:
            assert all(0 <= x < extents[event.array] for x in event.index)


def crossed(then, now):
    """Level of the loop between whose iterations the two moments lie; or a `while` does."""
    level = 0
    for a, b in zip(then, now, strict=False):
        if a[0] != b[0]:
            break
        level += a[2] is not WHILE
        if a != b:
            return level, a[2] is WHILE
    return None, False


@QUICK
@given(source=nests(affine=False, scalars=True, leaves=True), sizes=SIZES, extents=EXTENTS)
def test_every_value_that_crosses_iterations_in_a_scalar_is_reported(source, sizes, extents):
    nest = lift_text(source)
    analysis = analyse(nest, FACTS)
    known = {(d.source, d.sink, d.variable, d.level) for d in analysis.dependences if d.scalar}
    last: dict[str, tuple] = {}
    for stmt, name, writes, at in run(nest, sizes, extents).scalar_events:
        if name not in nest.scalars:
            continue
        if writes:
            last[name] = stmt, at
        elif name in last:
            source_id, then = last[name]
            level, internal = crossed(then, at)
            if internal:
                continue
            own = any(loop == source_id for loop, _, _ in at)  # a loop's variable inside it
            if not own and (level is not None or source_id != stmt):
                assert (source_id, stmt, name, level) in known


@QUICK
@given(sizes=SIZES, step=st.integers(-3, 3).filter(bool), data=st.data())
def test_a_step_known_only_at_the_call_loses_nothing(sizes, step, data):
    low = data.draw(sampled_from(["0", "n * m", "m", "n"]))
    body = data.draw(sampled_from(["A[i + q] = A[i] + 1", "A[i] = A[n - i] + A[q]"]))
    source = f"for i in range({low}, n + m, step):\n    {body}\n"
    nest = lift_text(source)
    sign = 1 if step > 0 else -1
    facts = Facts(frozenset((*INTS, "step")), FACTS.ranks, steps=((nest.loop.id, sign),))
    analysis = analyse(nest, facts)
    extents = dict.fromkeys(RANKS, 5)
    made = machine(sizes | {"step": step}, extents)
    made.run(nest.loop)
    turns = range(eval(low, {}, dict(sizes)), sizes["n"] + sizes["m"], step)
    ends = {
        f"loop{nest.loop.id}.first": turns.start,
        f"loop{nest.loop.id}.last": turns.start + (len(turns) - 1) * step,
    }
    values = parameters(sizes, extents) | ends | {"step": step}
    got = said(analysis, analysis.held(values))
    assert set(happened(nest, made.events)) <= set(got)
    for event in made.events:
        if event.access in analysis.inside(values):
            assert all(0 <= x < 5 for x in event.index)


def test_a_step_of_unknown_sign_orders_nothing():
    nest = lift_text("for i in range(m, n, step):\n    A[i] = A[i + 1]\n")
    analysis = analyse(nest, FACTS)
    kinds = {(d.kind, d.direction) for d in analysis.dependences}
    assert kinds == {("true", ("*",)), ("anti", ("*",)), ("output", ("*",))} or kinds == {
        ("true", ("*",)),
        ("anti", ("*",)),
    }


# ---------------------------------------------------------------------------- aliasing


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, set()),
        ({"same": (("A", "C"),)}, {"true"}),
        ({"tangled": frozenset({Overlap("A", "C")})}, {"true", "anti"}),
        ({"tangled": frozenset({Overlap("A", "A")})}, {"output"}),
    ],
)
def test_arrays_are_apart_unless_the_facts_say_otherwise(more, expected):
    nest = lift_text("for i in range(1, n):\n    A[i] = C[i - 1]\n")
    facts = Facts(frozenset({"n"}), FACTS.ranks, **more)
    analysis = analyse(nest, facts)
    held = analysis.held({"n": 9, "A.shape[0]": 9, "C.shape[0]": 9})
    assert {analysis.dependences[k].kind for k in held} == expected


def test_an_unreadable_access_may_be_anywhere():
    nest = lift_text("for i in range(n):\n    A[i] = 1\n")
    (access,) = [a for _, a in accesses(nest.loop)]
    facts = Facts(frozenset({"n"}), FACTS.ranks, unreadable=frozenset({access.id}))
    (dep,) = analyse(nest, facts).dependences
    assert (dep.kind, dep.level, dep.distance) == ("output", 1, (None,))
    assert not dep.when.holds({"n": 1})
    assert dep.when.holds({"n": 2})


def test_a_name_that_is_not_known_to_hold_an_integer_says_nothing():
    nest = lift_text("for i in range(n):\n    A[i + x] = A[i]\n")
    kinds = {d.kind for d in analyse(nest, Facts(frozenset({"n"}), FACTS.ranks)).dependences}
    assert kinds == {"true", "anti", "output"}


# ---------------------------------------------------------------------------- published examples


LISTING_1 = "for i in range(ub):\n    arg_a[i + k] = arg_a[i] + arg_b\n"


@pytest.mark.parametrize(
    ("k", "expected"),
    [(0, set()), (1, {"true"}), (9, {"true"}), (10, set()), (-1, {"anti"}), (-9, {"anti"})],
)
def test_listing_1_of_alpyna(k, expected):
    """Parallel for k = 0; for k > 0 a recurrence of distance k; for k < 0 only old values."""
    nest = lift_text(LISTING_1)
    analysis = analyse(nest, Facts(frozenset({"ub", "k"}), (("arg_a", 1),)))
    held = analysis.held({"ub": 10, "k": k, "arg_a.shape[0]": 30})
    assert {analysis.dependences[d].kind for d in held} == expected
    assert all(analysis.dependences[d].level == 1 for d in held)


FOUR_STATEMENTS = """
for i in range(1, n):
    X[i] = Y[i] + 10
    for j in range(1, n):
        B[j] = A[j, m]
        for k in range(1, n):
            A[j + p1, k] = B[j] + C[j, k]
        Y[i + j + p2] = A[j + p3, m]
"""


@pytest.mark.parametrize("p1", [-1, 0, 1, 9])
@pytest.mark.parametrize("p2", [-9, 0, 1])
@pytest.mark.parametrize("p3", [0, 1])
def test_the_nest_of_allen_and_kennedy_for_every_outcome_of_its_parameters(p1, p2, p3):
    """Optimizing Compilers for Modern Architectures, section 2.4, offsets made parameters."""
    ranks = {"X": 1, "Y": 1, "A": 2, "B": 1, "C": 2}
    sizes = {"n": 5, "m": 2, "p1": p1, "p2": p2, "p3": p3}
    nest = lift_text(FOUR_STATEMENTS)
    analysis = analyse(nest, Facts(frozenset(sizes), tuple(ranks.items())))
    shapes = {f"{a}.shape[{k}]": 20 for a, rank in ranks.items() for k in range(rank)}
    made = Machine(dict(sizes), {})
    made.run(nest.loop)
    assert set(said(analysis, analysis.held(sizes | shapes))) == set(happened(nest, made.events))


def test_a_while_is_one_node_and_a_break_is_carried():
    nest = lift_text("for i in range(n):\n    if A[i] > 3:\n        break\n    C[i] = A[i]\n")
    edges = analyse(nest, FACTS).dependences
    carried = {(d.source_line, d.sink_line) for d in edges if d.kind == "control" and d.level == 1}
    local = {(d.source_line, d.sink_line) for d in edges if d.kind == "control" and not d.level}
    assert carried == {(3, 2), (3, 3), (3, 4)}
    assert local == {(2, 3), (3, 4)}


def test_ranges_with_min_are_read_only_where_min_is_the_builtin():
    source = "for i in range(0, n, 4):\n    for j in range(i, min(i + 4, n)):\n        A[j] = 1\n"
    nest = lift_text(source)
    known = Facts(frozenset({"n"}), FACTS.ranks, builtins=frozenset({"min"}))
    assert analyse(nest, known).dependences == ()
    unknown = Facts(frozenset({"n"}), FACTS.ranks)
    assert {d.level for d in analyse(nest, unknown).dependences} == {1}


def test_an_analysis_is_plain_data():
    import pickle

    analysis = analyse(lift_text(LISTING_1), Facts(frozenset({"ub", "k"}), (("arg_a", 1),)))
    again = pickle.loads(pickle.dumps(analysis))
    assert again == analysis
    assert hash(again) == hash(analysis)
    assert "isl" not in repr(analysis)
