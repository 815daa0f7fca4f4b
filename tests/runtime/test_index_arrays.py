"""Nests with index arrays: parallel where their contents allow, and the same answer always."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from harness import run, site
from test_contents import KINDS, SCATTER, N, random, scattered

from autopar import config
from autopar.runtime import recalled
from autopar.runtime.choice import contents
from autopar.runtime.choice.contents import Interest, equal, inspected
from autopar.runtime.values.facts import Reader
from autopar.sched.machine import MACHINE

pytestmark = pytest.mark.usefixtures("quiet")
ROWS = (
    "for i in range(ptr.shape[0] - 1):\n"
    "    for k in range(ptr[i], ptr[i + 1]):\n"
    "        a[k] = a[k] * 0.5 + v[i]\n"
)

# ---------------------------------------------------------------------------- scatters


@pytest.mark.parametrize("kind", KINDS)
def test_a_permutation_scatters_in_parallel(strict, kind):
    here, _ = scattered(random(2).permutation(N).astype(kind))
    assert here.record.parallel_loops == ["i"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_element_named_twice_is_met_in_order(strict, kind):
    p = random(2).permutation(N).astype(kind)
    p[3] = p[40]
    here, _ = scattered(p)
    assert here.record.status == "sequential"
    assert here.record.notes == ["`p` names an element twice: loop `i` must run in order"]


@pytest.mark.parametrize("kind", [np.int64, np.int8])
def test_elements_that_wrap_are_met_in_order(strict, kind):
    p = random(2).permutation(N).astype(kind)
    p[p == 7] = 8 - N  # the same as 8
    here, _ = scattered(p)
    assert here.record.status == "sequential"


@pytest.mark.parametrize(("kind", "far"), [(np.int64, N), (np.uint64, 2**63), (np.int8, -N - 1)])
def test_an_element_outside_raises_what_python_raises(lenient, kind, far):
    p = random(2).permutation(N).astype(kind)
    p[50] = far
    a = np.zeros(N)
    assert scattered(p, a=a)[1] is None
    assert not a.any()


def test_subscripts_of_the_index_array_may_wrap(strict):
    source = "for i in range(n):\n    a[p[i - 1]] += v[i]\n"
    names = {"n": N, "a": random().random(N), "p": random(2).permutation(N), "v": np.ones(N)}
    here, _ = run(source, **names)
    assert here.record.status == "sequential"


def test_an_index_array_with_gaps_or_of_another_order(strict):
    wide = np.repeat(random(2).permutation(N), 2)
    for p in (wide[::2], wide[::-2], np.broadcast_to(np.arange(N)[:, None], (N, 2))[:, 1]):
        assert scattered(p)[0].record.parallel_loops == ["i"]
    assert scattered(wide[:N])[0].record.status == "sequential"


def test_an_empty_index_array(lenient):
    nothing = np.zeros(0, np.int64)
    assert scattered(nothing, a=np.zeros(N))[1] is not None
    assert scattered(nothing, n=N)[1] is not None
    assert run(SCATTER, n=1, a=np.zeros(N), p=nothing, v=np.ones(N))[1] is None


def test_an_index_array_that_is_written_is_not_looked_at(strict):
    """A walk through an array that the walk changes."""
    source = "for i in range(n):\n    a[p[i]] = (a[i] + 1) % n\n"
    a = random(3).permutation(N)
    for p in (a, a[::-1], a[:]):
        assert run(source, n=N, a=a, p=p)[0].record.status == "sequential"
    scatter = "for i in range(n):\n    a[p[i]] = i % n\n"
    assert run(scatter, n=N, a=a, p=a)[0].record.status == "sequential"
    assert run(scatter, n=N, a=a, p=random(3).permutation(N))[0].record.status == "parallel"


def test_contents_may_change_between_calls(strict):
    here = site(SCATTER)
    p, v = random(2).permutation(N), random(1).random(N)
    for turn in range(6):
        before = p.copy()
        if turn % 2:
            p[3] = p[40]
        a = np.zeros(N)
        assert (
            here.run(
                tuple(
                    {"n": N, "a": a, "p": p, "v": v}[r] if r != "range" else range
                    for r in here.spec.roots
                )
            )
            is not None
        )
        expected = np.zeros(N)
        np.add.at(expected, p, v)
        assert a.tobytes() == expected.tobytes()
        p[:] = before
    assert here.record.parallel_loops == ["i"]


def test_kernels_read_the_copy_that_was_looked_at(cache, monkeypatch):
    """Whoever changes the array after it was looked at must not make a kernel leave `a`."""
    before = config.current()
    config.use(replace(before, verify=False, fail_on_fallback=True, cache_dir=cache, threads=2))
    try:
        p, v = np.arange(N), np.ones(N)
        around = np.zeros(3 * N)
        a = around[N : 2 * N]
        look = Interest.look

        def late(self, arrays):
            found = look(self, arrays)
            p[:] = -N // 2  # in `around`, but outside `a`
            return found

        monkeypatch.setattr(Interest, "look", late)
        run(SCATTER, n=N, a=a, p=p, v=v)
        assert (a == 1).all()
        assert around.sum() == N
    finally:
        config.use(before)


@pytest.fixture
def reads(cache, monkeypatch):
    """For each call, how often its values were read; nests run as users have them run."""
    found = []
    read = Reader.read

    def noted(self, *args):
        found[-1] += 1
        return read(self, *args)

    monkeypatch.setattr(Reader, "read", noted)
    before = config.current()
    config.use(replace(before, verify=False, fail_on_fallback=True, cache_dir=cache, threads=2))
    yield found
    config.use(before)


def scatter_at(here, reads, p, v):
    """Whether a call was read, which leaves what it should."""
    reads.append(0)
    names = {"n": len(v), "a": np.zeros(len(v)), "p": p, "v": v, "range": range}
    assert here.run(tuple(names[r] for r in here.spec.roots)) is not None
    expected = np.zeros(len(v))
    np.add.at(expected, p, v)
    assert names["a"].tobytes() == expected.tobytes()
    return bool(reads[-1])


def test_small_index_arrays_are_compared_at_a_glance(reads):
    here, v = site(SCATTER), random(1).random(N)
    p = random(2).permutation(N)
    assert scatter_at(here, reads, p, v)
    assert not any(scatter_at(here, reads, p.copy(), v) for _ in range(5))
    twice = p.copy()
    twice[3] = p[40]
    assert scatter_at(here, reads, twice, v)
    assert not scatter_at(here, reads, twice, v)
    assert scatter_at(here, reads, p, v)
    p[[3, 40]] = p[[40, 3]]
    assert scatter_at(here, reads, p, v)
    assert not scatter_at(here, reads, p, v)


def test_large_index_arrays_are_not(reads):
    here, v = site(SCATTER), random(1).random(10_000)
    p = random(2).permutation(10_000)
    assert all(scatter_at(here, reads, p, v) for _ in range(4))


def test_kernels_read_the_copy_that_was_compared(reads, monkeypatch):
    here, p, v = site(SCATTER), np.arange(N), np.ones(N)
    around = np.zeros(3 * N)
    names = {"n": N, "a": around[N : 2 * N], "p": p, "v": v, "range": range}

    def late(array, copy):
        same = equal(array, copy)
        array[:] = -N // 2  # in `around`, but outside `a`
        return same

    monkeypatch.setattr(recalled, "equal", late)
    for turn in range(4):
        p[:] = np.arange(N)
        reads.append(0)
        assert here.run(tuple(names[r] for r in here.spec.roots)) is not None
        assert (p[0] != 0) == (turn > 0)
        assert (names["a"] == turn + 1).all()
    assert reads == [1, 0, 0, 0]
    assert around.sum() == 4 * N


def test_a_nest_that_looks_rarely_looks_again(cache, monkeypatch):
    """An element that wraps for some calls, then a permutation: found out at the next look."""
    free = replace(MACHINE, compare_byte_s=0.0, inspect_byte_s=0.0, dispatch_s=0.0)
    monkeypatch.setattr(contents, "MACHINE", free)
    before = config.current()
    config.use(replace(before, verify=False, fail_on_fallback=False, cache_dir=cache, threads=2))
    try:
        n = 200_000
        p, v = random(2).permutation(n), np.ones(n)
        first = p[0]
        p[0] = p[1] - n  # wraps: nothing is won
        looks = []
        look = Interest.look

        def counted(self, arrays):
            found = look(self, arrays)
            looks.append(bool(found[0]))
            return found

        monkeypatch.setattr(Interest, "look", counted)
        here = site(SCATTER)
        for turn in range(60):
            if turn == 30:
                assert here.record.status == "sequential"
                p[0] = first
            names = {"n": n, "a": np.zeros(n), "p": p, "v": v, "range": range}
            here.run(tuple(names[r] for r in here.spec.roots))
        assert here.record.status == "parallel"
        assert 4 <= sum(looks[:25]) <= 8
        assert all(looks[-4:])
    finally:
        config.use(before)


def test_threads_that_share_an_index_array(strict):
    p, v = random(2).permutation(N), random(1).random(N)
    here = site(SCATTER)
    results = []

    def work():
        for _ in range(20):
            a = np.zeros(N)
            names = {"n": N, "a": a, "p": p, "v": v, "range": range}
            here.run(tuple(names[r] for r in here.spec.roots))
            results.append(a.tobytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80
    assert len(set(results)) == 1


@pytest.mark.parametrize(
    ("body", "parallel"),
    [
        ("a[p[i] - 1] = v[i]", True),
        ("j = p[i]\n    a[j] = a[j] * 2 + v[i]", True),
        ("a[p[q[i]]] += v[i]", True),
        ("b[p[i], q[i]] += v[i]", True),
        ("a[p[i]] = a[q[i]]", False),
        ("a[p[i]] = a[p[i] - 1]", False),
        ("j = p[i]\n    if j % 2:\n        j = q[i]\n    a[j] += v[i]", False),
    ],
)
def test_other_forms(strict, body, parallel):
    p, q = random(2).permutation(N - 1) + 1, random(3).permutation(N - 1)
    names = {"a": random().random(N), "b": np.zeros((N, N)), "v": np.ones(N), "n": N - 1}
    here, _ = run(f"for i in range(n):\n    {body}\n", p=p, q=q, **names)
    # What is not understood may still be computed before, in a loop of its own.
    in_order = here.record.sequential_loops
    assert (here.record.status == "parallel" and not in_order) == parallel


@pytest.mark.parametrize(
    ("body", "parallel"),
    [
        ("a[p[i] + k] = v[i]", True),
        ("a[k + p[i]] = a[p[i] + k] + v[i]", True),
        ("a[p[i] + k] = a[p[i] + m]", False),
        ("a[p[i] + k] = a[p[i] + 3]", True),
        ("a[2 * p[i]] = a[2 * i + 1]", True),
        ("a[p[i] * 2 + 1] += v[i]", True),
        ("a[2 * p[i]] = a[2 * i]", False),
        ("a[2 * p[i]] = a[3 * p[i]]", False),
        ("a[p[i]] = a[q[i]] + v[i]", True),
        ("a[p[i]] = a[r[i]] + v[i]", False),
        ("a[i + 4] = a[line[i]] + v[i]", True),
        ("a[i + 5] = a[line[i]] + v[i]", False),
        ("a[line[i] - 1] = a[i + 3] + v[i]", True),
        ("a[i] = a[r[i]]", False),
    ],
)
def test_elements_in_sums_and_products(strict, body, parallel):
    p = random(2).permutation(N)
    line = np.arange(4, N + 4)
    names = {"p": p, "q": p.copy(), "r": random(3).permutation(N), "line": line, "k": 3, "m": 4}
    names |= {"a": random().random(3 * N), "v": np.ones(N), "n": N}
    here, _ = run(f"for i in range(n):\n    {body}\n", **names)
    in_order = here.record.sequential_loops
    assert (here.record.status == "parallel" and not in_order) == parallel


def test_products_may_wrap():
    assert inspected(np.array([0, 2**42])).scalable
    assert not inspected(np.array([0, 2**53])).scalable
    assert inspected(np.array([0, 2**20], np.int32)).scalable
    assert not inspected(np.array([0, 2**22], np.int32)).scalable
    assert not inspected(np.array([0, 9], np.uint64)).scalable


def test_arrays_are_alike_as_long_as_both_hold_the_same(strict):
    source = "for i in range(n):\n    a[p[i]] = a[q[i]] + v[i]\n"
    p = random(2).permutation(N)
    names = {"a": random().random(N), "v": np.ones(N), "n": N, "p": p}
    for q, parallel in ((p, True), (p.copy(), True), (p[::-1].copy(), False)):
        here, _ = run(source, q=q, **names)
        assert (here.record.status == "parallel") == parallel


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_sums_that_wrap_are_no_subscripts_in_bounds(lenient, kind):
    """``p[i] + 100`` is negative in int8, and leaves `x` at the other end in uint8."""
    p = np.full(4, 100 if kind is np.int8 else 200, kind)
    x = np.arange(400.0)
    y = np.zeros(4)
    source = "for i in range(4):\n    y[i] = x[p[i] + 100]\n"
    expected = x[(p + kind(100)).astype(np.int64)]
    here, _ = run(source, p=p, x=x, y=y)
    if here.record.status != "interpreted":
        assert y.tolist() == expected.tolist()


# ---------------------------------------------------------------------------- gathers and rows


def inside(source, **names):
    """Whether no access of the nest is checked in the kernels that ran."""
    here, _ = run(source, **names)
    (state,) = here.engine.states.values()
    choices = [c for c in state.memo.values() if hasattr(c, "variant")]
    assert choices
    return here, not choices[-1].variant.program.may_fail


def test_a_gather_in_bounds_is_not_checked(strict):
    source = "for i in range(n):\n    y[i] = x[col[i]] + x[col[i] - 1]\n"
    col = random(4).integers(1, 50, N).astype(np.int32)
    names = {"n": N, "x": random().random(50), "y": np.zeros(N)}
    assert inside(source, col=col, **names)[1]
    col[3] = 0
    assert not inside(source, col=col, **names)[1]


@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_a_sparse_product(strict, kind):
    source = """
for i in range(n):
    s = 0.0
    for k in range(ptr[i], ptr[i + 1]):
        j = col[k]
        s += data[k] * x[j]
    y[i] = s
"""
    counts = random(5).integers(0, 4, N)
    ptr = np.concatenate([[0], np.cumsum(counts)]).astype(kind)
    size = int(ptr[-1])
    names = {
        "n": N, "ptr": ptr, "col": random(6).integers(0, N, size).astype(kind),
        "data": random(7).random(size), "x": random(8).random(N), "y": np.zeros(N),
    }  # fmt: skip
    here, unchecked = inside(source, **names)
    assert here.record.parallel_loops == ["i"]
    assert unchecked


@pytest.mark.parametrize(
    ("values", "parallel", "note"),
    [
        ([0, 2, 2, 5, 9], True, False),
        ([3, 3, 3, 3, 3], True, False),
        ([0, 5, 2, 9], False, True),
        ([0, 2, 2, -1], False, False),
    ],
)
def test_rows_of_an_array(strict, values, parallel, note):
    here, _ = run(ROWS, ptr=np.array(values), a=random().random(9), v=random(1).random(9))
    assert ("i" in here.record.parallel_loops) == parallel
    said = "`ptr` has an element smaller than the one before it: loop `i` must run in order"
    assert (here.record.notes == [said]) == note


def test_rows_that_leave_the_array(lenient):
    assert run(ROWS, ptr=np.array([0, 4, 10]), a=np.zeros(9), v=np.ones(9))[1] is None


def test_rows_that_wrap(strict):
    here, _ = run(ROWS, ptr=np.array([-3, -1, 4]), a=np.arange(9.0), v=np.ones(9))
    assert here.record.parallel_loops != ["i", "k"]


def test_rows_named_by_scalars(strict):
    source = """
for i in range(n):
    low = ptr[i]
    high = ptr[i + 1]
    for k in range(low, high):
        a[k] = a[k] * 0.5 + v[i]
"""
    names = {"ptr": np.array([0, 2, 2, 5, 9]), "a": np.ones(9), "v": np.arange(4.0), "n": 4}
    assert run(source, **names)[0].record.parallel_loops[0] == "i"


# ---------------------------------------------------------------------------- nests without


def test_a_nest_without_index_arrays_is_never_looked_into(strict, monkeypatch):
    monkeypatch.setattr(contents, "contents", None)
    here, _ = run("for i in range(n):\n    a[i] += v[i]\n", n=N, a=np.zeros(N), v=np.ones(N))
    assert here.record.parallel_loops == ["i"]


@pytest.mark.parametrize("order", ["C", "F"])
def test_pairs_of_elements(strict, order):
    source = "for i in range(n):\n    y[i] = x[ends[i, 1]] - x[ends[i, 0]]\n"
    ends = np.array(random(2).integers(0, 50, (N, 2)), order=order)
    names = {"n": N, "x": random().random(50), "y": np.zeros(N)}
    assert inside(source, ends=ends, **names)[1]
    ends[7, 1] = -1
    assert not inside(source, ends=ends, **names)[1]
    wide = np.array(random(2).integers(0, 50, (2 * N, 4)), order=order)
    assert not inside(source, ends=wide[::2, ::2], **names)[1]


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_scatter_by_a_table(strict, order):
    source = "for i in range(n):\n    for j in range(2):\n        a[t[i, j]] += v[i] * j\n"
    t = np.array(random(2).permutation(2 * N).reshape(N, 2), order=order)
    names = {"n": N, "a": random().random(2 * N), "v": np.ones(N)}
    assert run(source, t=t, **names)[0].record.parallel_loops == ["i", "j"]
    t[3, 0] = t[9, 1]
    assert run(source, t=t, **names)[0].record.notes[:2] == [
        f"`t` names an element twice: loop `{loop}` must run in order" for loop in "ij"
    ]


def test_how_long_rows_are_decides_what_a_nest_is_likely_to_cost():
    ptr = np.array([0, 20, 40, 60])
    assert contents.row_length(ptr) == 20
    assert contents.row_length(ptr[:1]) == contents.row_length(ptr[:0]) == 0


@pytest.mark.parametrize(
    ("text", "parallel"),
    [
        # Nothing that `p` holds lets `s` be computed out of order.
        ("for i in range(n):\n    s = s * 0.5 + v[p[i]]\n    a[i] = s\n", ()),
        # A gather of what is not written: the loop is parallel as it is.
        ("for i in range(n):\n    a[i] = v[p[i]]\n", ("i",)),
        (SCATTER, ("i",)),
    ],
)
def test_arrays_that_cannot_help_are_not_looked_at(cache, monkeypatch, text, parallel):
    before = config.current()
    config.use(replace(before, verify=False, fail_on_fallback=False, cache_dir=cache, threads=2))
    try:
        n = 700_000
        p, v, a = random(2).permutation(n), random(1).random(n), np.zeros(n)
        expected = {"n": n, "a": np.zeros(n), "p": p, "v": v, "s": 0.25}
        exec(text, expected)
        looks = []
        look = Interest.look
        monkeypatch.setattr(Interest, "look", lambda *me: looks.append(me) or look(*me))
        here = site(text)
        names = {"n": n, "a": a, "p": p, "v": v, "s": 0.25, "range": range}
        found = here.run(tuple(names[r] for r in here.spec.roots))
        assert found is not None
        assert a.tobytes() == expected["a"].tobytes()
        assert tuple(here.record.parallel_loops) == parallel
        assert bool(looks) == (text is SCATTER)
    finally:
        config.use(before)
