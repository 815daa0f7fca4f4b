"""Products of matrices in relaxed mode: near the sum in source order, and told by the report."""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace

import numpy as np
import pytest
from outcome import FILE, readable

from autopar import config, journal
from autopar.cpu import blas
from autopar.hook.loader import code_of

pytestmark = [
    pytest.mark.usefixtures("lenient"),
    pytest.mark.skipif(not blas.found(), reason="no functions of BLAS that are known"),
]
N, LONG = 24, 70  # of which the second is more than one block of a triangle


@pytest.fixture(autouse=True, params=[1, 3])
def relaxed(lenient, request):
    settings = replace(config.current(), fp="relaxed", verify=False, fail_on_fallback=True)
    config.use(replace(settings, threads=request.param))


def again(value):
    """A copy that lies in memory as `value` does."""
    if not isinstance(value, np.ndarray):
        return value
    base = value if value.base is None else value.base
    first = (value.ctypes.data - base.ctypes.data) // value.itemsize
    cells = base.ravel("K").copy()[first:]
    return np.lib.stride_tricks.as_strided(cells, value.shape, value.strides)


def called(source, **names):
    """The arrays in `names` after ``run(…)``, by CPython and by kernels, and the loop's record."""
    outcomes = []
    journal.clear()
    for code in (compile(source, FILE, "exec"), code_of(source, FILE, "text")):
        given = {name: again(value) for name, value in names.items()}
        space = {"np": np}
        with readable(source), np.errstate(all="ignore"):
            exec(code, space)
            result = space["run"](**given)
        outcomes.append({**given, "result": result})
    taken = [one for one in journal.records() if one.runs]
    return (*outcomes, taken)


def near(mine, theirs, bound, dtype):
    """Within what roundings of so large a sum of absolute values, some hundred terms, may do."""
    return np.all(np.abs(mine - theirs) <= 500 * np.finfo(dtype).eps * bound)


def matrices(count, rows=N, cols=N, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(rows, cols)).astype(dtype) for _ in range(count)]


def _added(source):
    """`source` with nothing taken off in its statements; ranges stay."""
    lines = source.splitlines()
    return "\n".join(x if " in range" in x else re.sub(r"-(?=\D)", "+", x) for x in lines)


def check(source, products=1, dtype="float64", **names):
    """`source` leaves in `c` what it should, with so many products left to BLAS."""
    wanted, found, records = called(source, **names)
    told = [line for record in records for line in record.products]
    assert len(told) == products, [(r.line, r.status, r.refusal, r.products) for r in records]
    positive = {k: abs(v) if isinstance(v, np.ndarray) else v for k, v in names.items()}
    bound = called(_added(source), **positive)[0]
    for name in wanted:
        if isinstance(wanted[name], np.ndarray):
            assert found[name].dtype == wanted[name].dtype
            assert near(found[name], wanted[name], bound[name], dtype), name
        elif name == "result":
            assert wanted[name] == found[name]


HEAD = "def run(a, b, c, n=N, m=N, p=N, x=0.5):\n".replace("N", str(N))
ORDERS = ["ijk", "ikj", "kij", "kji", "jik", "jki"]
ENDS = {"i": "n", "j": "p", "k": "m"}


def loops(order, statement, ends=ENDS):
    lines = [
        f"{'    ' * depth}for {var} in range({ends[var]}):" for depth, var in enumerate(order, 1)
    ]
    return HEAD + "\n".join([*lines, "    " * (len(order) + 1) + statement]) + "\n"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "statement",
    [
        "c[i, j] += a[i, k] * b[k, j]",
        "c[i, j] -= x * a[k, i] * b[k, j]",
        "c[i, j] = b[j, k] * a[i, k] + c[i, j]",
        "c[i, j] += 2 * (a[k, i] * -b[j, k]) * x",
        "c[j, i] += x * (a[i, k] * b[k, j] + b[i, k] * a[k, j])",
    ],
)
def test_any_order_and_any_transposes(order, statement):
    a, b, c = matrices(3)
    check(loops(order, statement), a=a, b=b, c=c)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("sizes", [(20, 33, 11), (1, 30, 20), (30, 1, 20), (30, 20, 1)])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_shapes_and_layouts(sizes, dtype, layout):
    rows, inner, cols = sizes
    a, b, c = (
        np.asarray(matrices(1, *shape, dtype)[0], order=layout)
        for shape in ((rows, inner), (inner, cols), (rows, cols))
    )
    source = loops("ikj", "c[i, j] += a[i, k] * b[k, j]")
    check(source, a=a, b=b, c=c, n=rows, m=inner, p=cols, dtype=dtype)
    # The same on its side, and with every matrix in another layout.
    turned = loops("ijk", "c[j, i] += a[i, k] * b[k, j]")
    check(turned, a=a, b=b, c=c.T.copy(), n=rows, m=inner, p=cols, dtype=dtype)
    check(
        turned, a=a.copy("F"), b=b.copy("C"), c=c.T.copy("F"), n=rows, m=inner, p=cols, dtype=dtype
    )


def test_parts_of_matrices():
    a, b, c = matrices(3, 3 * N, 3 * N)
    source = loops("ijk", "c[i + 3, j + 5] += a[2 + i, k] * b[k, 7 + j]")
    check(source, a=a, b=b, c=c)
    check(loops("ijk", "c[i, j] += a[i, k] * b[k, j]"), a=a[10:, 4:], b=b[1:], c=c[:, 9:])


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ("[::2]", "", ""),
        ("[:, ::2]", "", ""),
        ("", "[::-1]", ""),
        ("", "", "[:, ::-1]"),
        ("", "", "[::2, ::2]"),
    ],
)
def test_what_blas_cannot_take_is_added_up_by_loops(a, b, c):
    """Columns that lie apart, rows from the last to the first: right all the same."""
    given = dict(zip("abc", matrices(3, 2 * N, 2 * N), strict=True))
    views = {
        name: eval(f"v{part}", {"v": given[name]})
        for name, part in zip("abc", (a, b, c), strict=True)
    }
    source = loops("ijk", "c[i, j] += a[i, k] * b[k, j]")
    journal.clear()
    code = code_of(source, FILE, "text")
    space = {}
    with readable(source):
        exec(code, space)
    before = views["c"].copy()
    space["run"](**views)
    n = N
    wanted = before[:n, :n] + views["a"][:n, :n] @ views["b"][:n, :n]
    assert np.allclose(views["c"][:n, :n], wanted, rtol=0, atol=1e-10)


VECTORS = [
    "c[0, i] += a[i, k] * b[0, k]",
    "c[i, 3] -= x * a[k, i] * b[k, 2]",
    "c[i, i] += a[i, k] * b[k, k]",
    "c[i, 0] += b[k, i + 1] * x * a[2 * k, 5]",
    "c[1, i] += a[i, k] * b[0, k] + b[i, k] * a[k, 7]",
]


@pytest.mark.parametrize("order", ["ik", "ki"])
@pytest.mark.parametrize("statement", VECTORS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_products_with_vectors(order, statement, dtype):
    a, b, c = matrices(3, 2 * N, 2 * N, dtype)
    statement = statement if dtype == "float64" else statement.replace("x *", "")
    source = loops(order, statement.replace("* x *", "*"))
    products = "c[i, i]" not in statement
    check(source, products, dtype=dtype, a=a, b=b, c=c)
    turned = (m.copy("F") for m in (a, b, c))
    check(source, products, dtype=dtype, **dict(zip("abc", turned, strict=True)))


def test_vectors_that_lie_apart_or_backwards():
    (a,) = matrices(1)
    x, y = np.random.default_rng(1).normal(size=(2, 3 * N))
    source = loops("ik", "c[i] += a[i, k] * b[k]") + "    return i, k\n"
    for of_x in (x[::3], x[:N], x[N - 1 :: -1]):
        for of_y in (y[::3], y[:N], y[N - 1 :: -1]):
            check(source, a=a, b=of_x, c=of_y)


def test_a_vector_for_each_row_of_a_triangle():
    """Where rows need those before them; else the rows are parallel, and stay with their loops."""
    a, b, c = matrices(3)
    source = loops("ijk", "c[i, j] += a[i, k] * b[k, j]", {"i": "n", "j": "p", "k": "i"})
    check(source, 0, a=a, b=b, c=c)
    check(source.replace("b[k, j]", "c[k, j]"), a=a, b=b, c=c)


GATHERED = [
    "s = 0.0\n{k}    s += a[i, k] * b[k, j]\n{l}c[i, j] = s",
    "s = 0\n{k}    s -= a[i, k] * b[k, j]\n{l}c[i, j] = x * s",
    "s = c[i, j]\n{k}    s += a[i, k] * b[k, j]\n{l}c[i, j] = s",
    "s = x\n{k}    s += a[i, k] * x * b[k, j]\n{l}c[i, j] = 3.0 * c[i, j] + s * x",
    "s = 0.0\n{k}    s = s + b[k, j] * a[i, k]\n{l}c[i, j] += x * s",
    "s = 0.0\n{k}    s += a[i, k] * b[k, j]\n{l}c[i, j] -= s",
]


@pytest.mark.parametrize("body", GATHERED)
def test_a_scalar_that_gathers(body):
    a, b, c = matrices(3)
    inside = body.format(k=" " * 12 + "for k in range(m):\n    " + " " * 8, l=" " * 12)
    source = f"{HEAD}    for i in range(n):\n        for j in range(p):\n            {inside}\n"
    check(source, a=a, b=b, c=c)


@pytest.mark.parametrize("order", ["ikj", "kij"])
@pytest.mark.parametrize("value", ["a[i, k]", "x * a[i, k]", "-(a[i, k] * 2.0)"])
@pytest.mark.parametrize(
    "statement", ["c[i, j] += t * b[k, j]", "c[i, j] = c[i, j] - b[k, j] * t * x"]
)
def test_a_scalar_that_passes_a_factor_on(order, value, statement):
    a, b, c = matrices(3)
    one, two, _ = order
    source = f"""{HEAD}    for {one} in range(n):
        for {two} in range(m):
            t = {value}
            for j in range(p):
                {statement}
"""
    check(source, a=a, b=b, c=c)
    check(source + "    return t\n", 0, a=a, b=b, c=c)
    check(source.replace(value, "c[i, k] * a[i, k]"), 0, a=a * 0.01, b=b, c=c)
    check(source.replace(value, "abs(a[i, k])"), 0, a=a, b=b, c=c)


def test_what_stands_before_and_after():
    a, b, c = matrices(3)
    source = f"""{HEAD}    for i in range(n):
        for j in range(p):
            c[i, j] *= x
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
            c[i, j] = c[i, j] / 3.0
"""
    check(source, a=a, b=b, c=c)


@pytest.mark.parametrize(
    "columns",
    [
        "range(i + 1)", "range(i)", "range(i, p)", "range(i + 1, p)", "range(p - i)",
        "range(max(0, 1), p - i)", "range(i, i + 1)", "range(40, i)", "range(i, 30)",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "statement",
    ["c[i, j] += a[i, k] * a[j, k]", "c[i, j] -= a[i, k] * b[j, k] + b[i, k] * a[j, k]"],
)
def test_triangles(columns, statement):
    a, b, c = matrices(3, LONG, LONG)
    source = f"{HEAD}    for i in range(n):\n        for j in {columns}:\n"
    source += f"            for k in range(m):\n                {statement}\n"
    check(source, "max" not in columns, a=a, b=b, c=c, n=LONG, m=7, p=LONG)


def test_rows_that_a_triangle_leaves_out_need_not_be_there():
    (a,) = matrices(1, 30, 90)
    (c,) = matrices(1, 90, 90)
    source = f"{HEAD}    for i in range(n):\n        for j in range(i, 30):\n"
    source += "            for k in range(m):\n                c[i, j] += a[i, k] * a[j, k]\n"
    check(source, a=a, b=a, c=c, n=80, m=9)
    check(source.replace("range(i, 30)", "range(29 - i)"), a=a, b=a, c=c, n=80, m=9)


def test_sums_that_begin_anew_in_an_outer_loop():
    a, b, c = matrices(3)
    source = f"""{HEAD}    for t in range(3):
        for i in range(n):
            for j in range(p):
                c[i, j] = 0.1 * c[i, j] + t
                for k in range(m):
                    c[i, j] += a[i, k] * b[k, j]
        for i in range(n):
            for j in range(m):
                a[i, j] = c[j, i] / 100.0
"""
    check(source, a=a, b=b, c=c)


def test_products_of_many_matrices():
    rng = np.random.default_rng(0)
    a, b, c = (rng.normal(size=(4, 12, 12)) for _ in range(3))
    source = loops(
        "tijk",
        "c[t, i, j] += a[t, i, k] * b[t, k, j]",
        {"t": "4", "i": "12", "j": "12", "k": "12"},
    )
    check(source, a=a, b=b, c=c)
    check(source.replace("b[t,", "b[2,"), a=a, b=b, c=c)
    check(source.replace("c[t,", "c[2,"), a=a, b=b, c=c)


def test_what_the_loops_leave_in_their_variables():
    a, b, c = matrices(3)
    source = loops("ijk", "c[i, j] += a[i, k] * b[k, j]") + "    return i, j, k\n"
    check(source, a=a, b=b, c=c)
    check(source.replace("in range(p)", "in range(3, p)"), a=a, b=b, c=c)
    check(source.replace("in range(p)", "in range(i)"), 0, a=a, b=b, c=c)
    for order, products in (("ijk", 1), ("ikj", 0)):
        source = loops(order, "c[i, j] += a[i, k] * b[k, j]").replace(
            "    for", "    i = j = k = -1\n    for", 1
        )
        for sizes in ((0, N, N), (N, 0, N), (N, N, 0)):
            n, m, p = sizes
            check(source + "    return i, j, k\n", products, a=a, b=b, c=c, n=n, m=m, p=p)


@pytest.mark.parametrize(
    "sizes", [(0, 9, 9), (9, 0, 9), (9, 9, 0), (1, 1, 1), (1, 90, 90), (90, 1, 90)]
)
def test_few_of_them(sizes):
    """The same kernels as for many, once these are there."""
    n, m, p = sizes
    a, b, c = matrices(3, 200, 200)
    source = loops("ijk", "c[i, j] += a[i, k] * b[k, j]") + "    return x\n"
    journal.clear()
    code = code_of(source, FILE, "text")
    space = {}
    with readable(source):
        exec(code, space)
    run = space["run"]
    run(a, b, c.copy())
    mine = c.copy()
    assert run(a, b, mine, n, m, p) == 0.5
    wanted = c.copy()
    wanted[:n, :p] += a[:n, :m] @ b[:m, :p]
    assert np.allclose(mine, wanted, rtol=0, atol=1e-10)


REFUSED = {
    "the factor is what is written": "c[i, j] += c[i, k] * b[k, j]",
    "another row of it": "c[i, j] += c[i + 1, k] * b[k, j]",
    "no sum": "c[i, j] = a[i, k] * b[k, j]",
    "taken from a number": "c[i, j] = a[i, k] * b[k, j] - c[i, j]",
    "twice what there is": "c[i, j] += c[i, j] + a[i, k] * b[k, j]",
    "three factors": "c[i, j] += a[i, k] * b[k, j] * a[k, k]",
    "not of both": "c[i, j] += a[i, k] * b[i, j]",
    "a number that changes": "c[i, j] += a[j, 0] * b[i, j]",
    "an indirect row": "c[int(b[i, 0]) % n, j] += a[i, k] * b[k, j]",
    "a band": "c[i, j] += a[i, i + k] * b[k, j]",
    "a quotient": "c[i, j] += a[i, k] / b[k, j]",
    "a function": "c[i, j] += abs(a[i, k]) * b[k, j]",
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_no_product(why):
    a, b, c = matrices(3, 2 * N, 2 * N)
    config.use(replace(config.current(), fail_on_fallback=False))
    check_loosely(loops("ijk", REFUSED[why], dict.fromkeys("ijk", "20")), a=a, b=b, c=c)


def check_loosely(source, **names):
    """Nothing is left to BLAS, and what comes out is right."""
    wanted, found, records = called(source, **names)
    assert not any(record.products for record in records)
    for name, value in wanted.items():
        if isinstance(value, np.ndarray) and np.all(np.isfinite(value)):
            assert np.allclose(value, found[name], rtol=1e-6)


@pytest.mark.parametrize(
    ("ranges", "dtype"),
    [
        (("range(n)", "range(0, p, 2)", "range(m)"), "float64"),
        (("range(n)", "range(p)", "range(m)"), "int64"),
        (("range(n)", "range(p)", "range(m)"), "complex128"),
    ],
)
def test_ranges_and_types_that_are_left_to_loops(ranges, dtype):
    a, b, c = (m.astype(dtype) for m in matrices(3, 3 * N, 3 * N))
    heads = (
        f"{'    ' * k}for {v} in {r}:\n"
        for k, (v, r) in enumerate(zip("ijk", ranges, strict=True), 1)
    )
    source = HEAD.replace(str(N), "30") + "".join(heads)
    check_loosely(source + "                c[i, j] += a[i, k] * b[k, j]\n", a=a, b=b, c=c)


def test_a_scalar_that_is_read_later():
    a, b, c = matrices(3)
    inside = GATHERED[0].format(k=" " * 12 + "for k in range(m):\n    " + " " * 8, l=" " * 12)
    source = f"{HEAD}    for i in range(n):\n        for j in range(p):\n            {inside}\n"
    check_loosely(source + "    return s\n", a=a, b=b, c=c)


def test_matrices_that_share_memory():
    (a,) = matrices(1)
    source = loops("ijk", "c[i, j] += a[i, k] * b[k, j]", dict.fromkeys("ijk", "10"))
    for shift in (0, 3, 12):
        journal.clear()
        space, plain = {}, {}
        with readable(source):
            exec(code_of(source, FILE, "text"), space)
        exec(compile(source, FILE, "exec"), plain)
        mine, theirs = a * 0.01, a * 0.01
        space["run"](mine, mine, mine[shift:, shift:])
        plain["run"](theirs, theirs, theirs[shift:, shift:])
        assert np.allclose(mine, theirs, rtol=1e-9)
        (record,) = (one for one in journal.records() if one.runs)
        assert bool(record.products) == (shift == 12)


def test_an_error_is_raised_where_python_raises_it():
    a, b, c = matrices(3)
    source = loops("ijk", "c[i, j] += a[i, k] * b[k, j]")
    config.use(replace(config.current(), fail_on_fallback=False))
    code = code_of(source, FILE, "text")
    space, plain = {}, {}
    with readable(source):
        exec(code, space)
    exec(compile(source, FILE, "exec"), plain)
    outcomes = []
    for run in (space["run"], plain["run"]):
        mine = c.copy()
        with pytest.raises(IndexError, match="index 24 is out of bounds"):
            run(a, b, mine, N, N, N + 1)
        outcomes.append(mine.tobytes())
    assert outcomes[0] == outcomes[1]


def test_the_report_says_so():
    a, b, c = matrices(3)
    _, _, (record,) = called(loops("kij", "c[i, j] += a[i, k] * b[k, j]"), a=a, b=b, c=c)
    said = "line 2 is the product of `a[i, k]` and `b[k, j]`, in `c[i, j]`: left to BLAS"
    assert record.products == [said]
    assert (record.status, record.refusal.code) == ("sequential", "product")


def test_without_blas_loops_add_up(apart, monkeypatch):
    settings = config.current()
    apart()
    config.use(replace(config.current(), fp="relaxed", verify=False, threads=settings.threads))
    monkeypatch.setattr(blas, "_FORMS", ("no_such_{}",))
    blas._symbol.cache_clear()
    try:
        a, b, c = matrices(3)
        check(loops("ijk", "c[i, j] += a[i, k] * b[k, j]"), 0, a=a, b=b, c=c)
    finally:
        blas._symbol.cache_clear()


def test_exact_mode_leaves_them_to_loops():
    config.use(replace(config.current(), fp="exact"))
    a, b, c = matrices(3)
    wanted, found, records = called(loops("ijk", "c[i, j] += a[i, k] * b[k, j]"), a=a, b=b, c=c)
    assert wanted["c"].tobytes() == found["c"].tobytes()
    assert not any(record.products for record in records)


def test_functions_of_blas_are_where_numpy_has_them():
    name = blas.routine("float64", "gemm")
    place = blas.address(name)
    assert place == ctypes.cast(blas._library()[blas._symbol("dgemm")], ctypes.c_void_p).value
    other = name.replace("64", "32") if name.endswith("64") else name.replace("32", "64")
    assert blas.address(other) is None
