"""Loops cut where no dependence lies within a part: found exactly, and never between wrong ones."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from autopar.deps import crossing
from autopar.deps.data import Facts, Overlap
from autopar.nest import functions
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.runtime.choice.cuts import in_parts
from autopar.runtime.choice.decide import State, Way, settle
from autopar.runtime.choice.price import Call
from autopar.sched.plan import Loop, launched, walk

RANKS = {"a": 1, "b": 1, "A": 2}


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """The answers are those of an analysis that comes to its end, on a busy machine, too."""
    monkeypatch.setattr(crossing, "_PATIENCE_S", 60.0)


def cut(source, size=100, eager=True, threads=2, **numbers):
    """What `in_parts` answers, for arrays of `size` along each axis."""
    given = {key: numbers.pop(key) for key in ("same", "tangled") if key in numbers}
    nest = lift_text(source)
    arrays = {p: ArrayType("float64", RANKS[p], "C", True, True) for p in nest.paths if p in RANKS}
    calls = {"min": functions.known(min)} if "min" in nest.paths else {}
    typed = infer(nest, arrays, dict.fromkeys(numbers, "int"), calls)
    state = State(typed)
    env = {name: (number, number) for name, number in numbers.items()}
    for path, rank in RANKS.items():
        for axis in range(rank):
            env[f"{path}.shape[{axis}]"] = env[f"{path}.shape[{axis - rank}]"] = (size, size)
    given["builtins"] = frozenset(calls)
    known = Facts(typed.ints, tuple((p, k.ndim) for p, k in typed.arrays), **given)
    facts, held, _ = settle(state, known, env)
    middle = {name: float(low) for name, (low, _) in env.items()}
    work = 5.0 * numbers["n"]
    call = Call(env, middle, dict.fromkeys(RANKS, 8 * size), work, threads, eager)
    found = state.plan(facts, held, Way.PARTS)
    return in_parts(state, facts, held, found, call)


def places(source, **numbers):
    """Where the loop is cut, in order."""
    found = cut(source, **numbers)
    assert found is not None
    assert all(name.startswith("<cut") for name in found[1])
    return list(found[1].values())


def strip(source, **numbers):
    """The length of the strips that the loop is cut into."""
    ((name, number),) = cut(source, **numbers)[1].items()
    assert name.startswith("<strip")
    return number


LOOP = "for i in range(n):\n    "


def test_one_iteration_that_all_others_read():
    assert places(LOOP + "a[i] = a[0] + 1.0", n=50) == [1]
    assert places(LOOP + "a[i] = a[n - 1] + 1.0", n=50) == [49]
    assert places(LOOP + "a[i] = a[k] + 1.0", n=50, k=20) == [20, 21]
    assert places(LOOP + "a[i] = a[k] + 1.0", n=50, k=0) == [1]


def test_two_iterations_of_which_each_is_read_by_all_are_too_many():
    assert cut(LOOP + "a[i] = a[k] + a[m]", n=50, k=20, m=40) is None
    assert places(LOOP + "a[i] = a[k] + a[m]", n=50, k=0, m=49) == [1, 49]


def test_a_crossing():
    assert places(LOOP + "a[i] = a[n - 1 - i] + 1.0", n=50) == [25]
    assert places(LOOP + "a[i] = a[n - 1 - i] + 1.0", n=51) == [26]
    assert places(LOOP + "a[i] = a[k - i] + 1.0", n=50, k=60) == [31]


def test_a_branch_that_one_iteration_takes():
    source = LOOP + "a[i] = a[i - 1] if i == k else b[i]"
    assert places(source, n=50, k=20) == [20]


def test_a_loop_that_counts_down():
    source = "for i in range(n - 1, -1, {}):\n    a[i] = a[k] + 1.0"
    assert places(source.format(-1), n=50, k=20) == [20, 19]
    assert places(source.format(-3), n=50, k=19) == [19, 16]


def test_strips_as_long_as_the_distance():
    assert strip(LOOP + "a[i + k] = a[i] + 1.0", n=50, k=7) == 7
    assert strip(LOOP + "a[i + 9] = a[i] + a[i + k]", n=50, k=4) == 5
    assert cut(LOOP + "a[i + k] = a[i] + 1.0", n=50, k=1) is None
    down = "for i in range(n, k, -2):\n    a[i - k] = a[i] + 1.0"
    assert strip(down, n=50, k=10) == -10
    assert cut(down, n=50, k=9) is None  # which all come from odd places


def test_a_range_that_is_another_each_time():
    source = (
        "for t in range(1, n):\n    for i in range(t, n):\n        A[t, i] = A[t, k] + A[t - 1, i]"
    )
    plan, numbers = cut(source, n=50, k=20)
    assert list(numbers.values()) == [20, 21]
    assert str(plan).count("parallel for i in range(max(t, <cut") == 2


def test_an_outer_loop_is_cut_rather_than_the_inner_one():
    source = "for i in range(n):\n    for j in range(n):\n        A[i, j] = A[k, j] + 1.0"
    plan, numbers = cut(source, n=50, k=20)
    assert [node.loop.var for node in launched(plan.body)] == ["i"] * 3
    assert list(numbers.values()) == [20, 21]


def test_copies_of_the_loop_are_cut_where_they_need_it():
    source = LOOP + "a[i] = a[0] + 1.0\n    b[i + 1] = b[i] + a[i]"
    plan, _ = cut(source, n=50)
    assert [n.parallel for n in walk(plan.body) if isinstance(n, Loop)] == [True, True, False]


@pytest.mark.parametrize(
    "body",
    [
        "a[i + 1] = a[i] + a[0]",
        "s = s + a[i]\n    a[i] = a[0] * s",
        "if a[i] > 0.0:\n        break\n    a[i] = a[0]",
        "a[i * i] = a[0]",
    ],
)
def test_what_must_run_in_order_is_not_cut(body):
    assert cut(LOOP + body, n=50, s=0) is None


def test_not_where_memory_is_shared_in_ways_that_are_not_known():
    source = LOOP + "a[i] = b[0] + 1.0"
    assert places(source, n=50, same=(("a", "b"),)) == [1]
    assert cut(source, n=50, tangled=frozenset((Overlap("a", "b"),))) is None


def test_not_where_a_subscript_may_wrap():
    assert places(LOOP + "a[i] = a[k] + 1.0", n=50, k=20) == [20, 21]
    assert cut(LOOP + "a[i] = a[k] + 1.0", n=50, k=-20) is None


def test_not_where_launches_cost_more_than_they_save():
    long = "for i in range(n):\n    a[i] = a[0] + 1.0"
    assert cut(long, n=10**7, size=10**7, eager=False) is not None
    assert cut(long, n=10**7, size=10**7, eager=False, threads=1) is None
    assert cut(long, n=50, eager=False) is None
    strips = "for i in range(n):\n    a[i + k] = a[i] + 1.0"
    assert cut(strips, n=10**7, k=10**6, size=2 * 10**7, eager=False) is not None
    assert cut(strips, n=10**7, k=8, size=2 * 10**7, eager=False) is None


def test_a_range_that_is_shorter_than_the_analysis_knows():
    source = "for t in range(m):\n    for i in range(min(n, t * t)):\n        a[i + k] = a[i] + 1.0"
    assert strip(source, n=30, m=5, k=20) > 15  # the 16 iterations that there are
    assert places(source, n=30, m=5, k=9) == [9]


def test_a_range_of_more_turns_than_a_range_may_have():
    source = "for i in range(-5, n):\n    if i == h:\n        break\n    a[i + 5] = a[k] + 1.0"
    assert cut(source, n=2**63 - 1, h=0, k=4) is None


def test_it_says_so():
    (line,) = cut(LOOP + "a[i] = a[k] + 1.0", n=50, k=20)[0].parts
    assert line.endswith("reads `a[k]`: loop `i` is cut into 3 parts, each of them parallel")
    (line,) = cut(LOOP + "a[i + k] = a[i] + 1.0", n=50, k=7)[0].parts
    assert line.endswith("reads `a[i]`: loop `i` is cut into strips, each of them parallel")


@pytest.mark.parametrize("seed", range(200))
def test_against_all_iterations_one_by_one(seed):
    """Affine subscripts and a guard: cut exactly where a trace of the loop says that it can be."""
    rng = random.Random(seed)
    n, k = rng.choice((9, 12, 17)), rng.randrange(0, 17)
    start, step = rng.choice((("0", 1), ("n - 1", -1), ("1", 2), ("0", 1)))
    stop = "-1" if step < 0 else "n"
    subscripts = ("i", "i + k", "k", "n - 1 - i", "k - i + n", "2 * i", "i + 1", "i + 5", "0")
    one, two = rng.choice(subscripts[:6]), rng.choice(subscripts)
    test = rng.choice(("True", "True", "i < k", "i == k", "i % 3 == 1"))
    indent = "    " if test != "True" else ""
    guard = f"    if {test}:\n" if indent else ""
    source = (
        f"for i in range({start}, {stop}, {step}):\n{guard}{indent}    a[{one}] = a[{two}] + 1.0"
    )
    space = {"n": n, "k": k}
    turns = list(range(eval(start, space), eval(stop, space), step))
    touched = []
    for i in turns:
        here = {**space, "i": i}
        ran = eval(test, here)
        touched.append((eval(one, here), eval(two, here)) if ran else None)
    spans = sorted(
        (later, earlier)
        for later in range(len(turns))
        for earlier in range(later)
        if touched[earlier] and touched[later]
        and (touched[earlier][0] in touched[later] or touched[later][0] in touched[earlier])
    )  # fmt: skip
    found = cut(source, n=n, k=k)
    exact = step in (1, -1)  # otherwise remainders are not always told apart
    fewest: list[int] = []
    for later, earlier in spans:
        if not fewest or fewest[-1] <= earlier:
            fewest.append(later)
    nearest = min((later - earlier for later, earlier in spans), default=len(turns))
    if found is None:
        assert not spans or not exact or nearest == 1 < len(fewest) - 1
        return
    assert spans or not exact
    numbers = list(found[1].values())
    if any(name.startswith("<strip") for name in found[1]):
        (strip,) = numbers
        assert strip // step >= 2
        assert strip // step == nearest or (strip // step < nearest and not exact)
        return
    at = [0, *(turns.index(number) for number in numbers), len(turns)]
    for low, high in pairwise(at):
        assert low < high
        assert not any(low <= earlier and later < high for later, earlier in spans)
