"""Plans against the nest they were made of, run with their parallel loops in odd orders."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nests import INTS, RANKS, nests
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.lift import lift_text
from autopar.sched.distribute import schedule

FACTS = Facts(frozenset(INTS), tuple(sorted(RANKS.items())))
SIZES = st.fixed_dictionaries(
    {"n": st.integers(-1, 5), "m": st.integers(-2, 3), "q": st.integers(-3, 3)}
)
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def planned(source, sizes, live_out=None, facts=FACTS, extent=7):
    nest = lift_text(source)
    if live_out is not None:
        nest = replace(nest, live_out=tuple(s for s in nest.scalars if s in live_out))
    analysis = analyse(nest, facts)
    ranks = dict(facts.ranks)
    shapes = {f"{a}.shape[{k}]": extent for a, rank in ranks.items() for k in range(rank)}
    return nest, schedule(nest, analysis, analysis.held(sizes | shapes))


def outcome(sizes, live_out, act, shuffle=None):
    made = Machine(
        {**sizes, "s": 2, "t": 3}, {a: (7,) * rank for a, rank in RANKS.items()}, shuffle
    )
    act(made)
    missing = object()
    return made.cells, {
        name: made.scalars.get(name, missing) is not missing and made.scalars[name]
        for name in live_out
    }


def check(source, sizes, live_out, seed):
    nest, plan = planned(source, sizes, live_out)
    want = outcome(sizes, nest.live_out, lambda m: m.run(nest.loop))
    for shuffle in (None, random.Random(seed)):
        assert outcome(sizes, nest.live_out, lambda m: m.plan(plan.body), shuffle) == want, plan
    return nest, plan


@QUICK
@given(source=nests(), sizes=SIZES, seed=st.integers(0, 99))
def test_affine_plans_mean_the_nest(source, sizes, seed):
    check(source, sizes, None, seed)


@QUICK
@given(
    source=nests(affine=False, scalars=True, leaves=True),
    sizes=SIZES,
    live_out=st.sets(st.sampled_from("stijk")),
    seed=st.integers(0, 99),
)
def test_plans_with_scalars_and_leaves_mean_the_nest(source, sizes, live_out, seed):
    check(source, sizes, live_out, seed)
