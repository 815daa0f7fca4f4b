"""Lists of lists to whose rows a nest appends: neighbours of each point, what falls in each bin."""

from dataclasses import replace

import pytest
from tests.same.outcome import both, same

from autopar import config
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import buckets

HEAD = "import operator\ndef f(rows, xs, n, x, other):\n    k = 0\n    for i in range(n):\n"
TAIL = """
rows = {rows}
xs = {xs}
other = {other}
before = list(rows)
try:
    found = f(rows, xs, n, 0.5, other)
except (ZeroDivisionError, IndexError, TypeError, AttributeError) as error:
    found = str(error)
kept = [*map(operator.is_, before, rows)], [row is rows[0] for row in rows]
"""


def program(
    body, rows="[[] for _ in range(n)]", xs="[k * 0.37 % 1.0 for k in range(n)]", other="[0.5] * n"
):
    lines = "".join(f"        {line}\n" for line in body.strip("\n").splitlines())
    return f"{HEAD}{lines}    return k\n{TAIL.format(rows=rows, xs=xs, other=other)}"


TAKEN = {
    "one each": "rows[i].append(xs[i])",
    "bins": "rows[int(xs[i] * n)].append(i)",
    "neighbours": """
for j in range(i):
    d = xs[i] - xs[j]
    if d * d < 0.1:
        rows[i].append(j)
        rows[j].append(i)
""",
    "from the back": "rows[-1 - i].append(i * x)",
    "how many rows": """
for j in range(len(rows)):
    if (i + j) % 3 == 1:
        rows[j].append(i)
""",
    "tuples": "rows[i * i % n].append((i, xs[i] * x))",
    "several to one": "rows[0].append(i)\nrows[i // 2].append(-i)\nrows[0].append(n)",
    "a break": "if xs[i] > 0.9:\n    break\nrows[i].append(k)\nk += 1",
    "a list beside it": "rows[i].append(i)\nother[i] += xs[i]",
    "two lists": "rows[i].append(i)\nother[i % 2].append((i, x))",
    "a helper": "rows[g(i, n)].append(i)\nk += 1",
}
OTHERS = {"two lists": "[[], [0.5]]"}


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("n", [7, 1])
def test_compiled(strict, name, n):
    source = program(TAKEN[name], other=OTHERS.get(name, "[0.5] * n"))
    source = "def g(i, n):\n    return (i * 3 + 1) % n\n" + source
    assert same(source, n=n)[6] == "compiled"


def test_no_rows(lenient):
    both(program("rows[i].append(i)"), n=0)
    both(program("rows[i].append(i)", "[]"), n=3)


@pytest.mark.parametrize("rows", ["[[1, None], ['a'], [2.0]]", "[[]] * 3", "[q := [], q, []]"])
def test_behind_what_is_there(strict, rows):
    """Whatever it is, and also where several rows are one."""
    assert same(program("rows[i % 3].append(i)", rows), n=7)[4] == "compiled"


def test_rows_of_rows(strict):
    body = "rows[i % 2][-i % 3].append((i, xs[i]))"
    rows = "[[[] for _ in range(3)] for _ in range(2)]"
    assert same(program(body, rows), n=7)[4] == "compiled"


def test_of_an_object(strict):
    source = """
class Grid:
    def __init__(self, m):
        self.m = m
        self.cells = [[[] for _ in range(m)] for _ in range(m)]
    def fill(self, points):
        for k, (x, y) in enumerate(points):
            self.cells[int(x * self.m)][int(y * self.m)].append(k)
g = Grid(4)
g.fill([(k * 0.37 % 1.0, k * 0.73 % 1.0) for k in range(n)])
cells = g.cells
"""
    assert same(source, n=20)[7] == "compiled"


LEFT = {
    "read": "rows[i].append(i)\nk += rows[0][0]",
    "how long a row is": "rows[i].append(i)\nk += len(rows[i - 1])",
    "a row by name": "row = rows[i]\nrow.append(i)\nk += len(row)",
    "changed": "rows[i].append(i)\nrows[0][0] = 3",
    "replaced": "rows[i].append(i)\nrows[i] = [x]",
    "behind the end": "k += 1\nrows[i + 1].append(i)",
    "before the beginning": "k += 1\nrows[-i - 2].append(i)",
    "a float": "k += 1\nrows[xs[i]].append(i)",
    "a tuple": "k += 1\nrows[i, 0].append(i)",
    "an error midway": "rows[i].append(k)\nk += 1 // (3 - i)",
    "a list": "rows[i].append(xs)",
    "large integers": "rows[i].append(10 ** (6 * i))",
    "int or float": "rows[i].append(i if i % 2 else x)",
    "another list": "rows[i].append(i)\nrows = other",
}


@pytest.mark.parametrize("name", LEFT)
def test_what_only_python_can_do(lenient, name):
    ended = both(program(LEFT[name]), n=7)
    assert ended.loops[4] != "compiled" or name in {"int or float", "an error midway"}


@pytest.mark.parametrize(
    ("read", "rows", "other"),
    [
        ("other[0]", "[[1], [2], [3]]", "rows[1]"),
        ("other[0][0]", "[[1], [2], [3]]", "rows"),
        ("other[0][0]", "[[1], [2], [3]]", "[rows[2], rows[0]]"),
        ("other[1][0]", "[[1], [2, 3], [3]]", "[[1, 2], rows[1]]"),
        ("len(other)", "[[1], [2], [3]]", "rows[1]"),
        ("sum(other)", "[[1], [2], [3]]", "rows[1]"),
    ],
)
def test_another_name_of_a_row(lenient, read, rows, other):
    """What has been appended is seen there at once."""
    source = program(f"rows[i % 3].append(i)\nk += {read}", rows, other=other)
    assert both(source, n=7).loops[4] != "compiled"


@pytest.mark.parametrize("other", ["[[0]] + rows[1:]", "rows", "[rows, []]"])
def test_a_row_of_two_lists(lenient, other):
    source = program(
        "rows[i % 3].append(i)\nother[i % 2].append(-i)", "[[1], [2], [3]]", other=other
    )
    assert both(source, n=7).loops[4] != "compiled"


@pytest.mark.parametrize("rows", ["[[1], [2], [3]]", "[[[1], [2]], [[3], [4]], [[5], [6]]]"])
def test_a_list_in_itself(lenient, rows):
    """What is appended to it makes it longer, or is a row of it from then on."""
    deep = "[0]" * (rows.count("[[[") + 0)
    body = f"rows[i % 3]{deep}.append(i)\nk = 2 * k + len(rows)"
    inner = program(body, f"[*{rows}]").replace("before = ", "rows[1] = rows\nbefore = ")
    inner += "rows[1] = before[1] = None\nfound = str(found)\n"
    assert both(inner, n=7).loops[4] != "compiled"


def test_a_row_that_holds_others(lenient):
    body = "rows[i % 2][i % 3 % 2].append(i)\nk += 1"
    source = program(body, "[[[], []], [[], []]]")
    source = source.replace("before = ", "rows[0][1] = rows[1]\nbefore = ")
    assert both(source, n=7).loops[4] != "compiled"


def test_objects_that_are_there_are_not_asked(strict):
    config.use(replace(config.current(), verify=True))
    head = "class A:\n    def __array__(self, *_):\n        raise ValueError\n"
    source = head + program("rows[i % 3].append(i)", "[[A()], [1], []]")
    source += "rows[0], before[0], A = rows[0][1:], None, None\n"
    assert same(source, n=7)[7] == "compiled"


def test_a_list_that_grows_is_a_row(lenient):
    body = "rows[i % 3].append(i)\nother.append(i)\nif len(other) > 3:\n    k += other[0]"
    assert both(program(body, other="rows[1]"), n=7).loops[4] != "compiled"


def test_a_helper_that_reads_the_list(lenient):
    """It is seen once the helper is written out."""
    source = """
rows = [[1], [2], [3]]
def many(i):
    return len(rows[i % 3])
def f(n):
    k = 0
    for i in range(n):
        rows[i % 3].append(i)
        k = k * 3 + many(i + 1)
    return k
found = f(n)
"""
    assert both(source, n=7).loops[7] != "compiled"


@pytest.mark.parametrize(
    "rows",
    ["([], [], [])", "[[], (), []]", "{0: [], 1: [], 2: []}", "[L(), [], []]", "L([[], [], []])"],
)
def test_other_kinds_of_lists(lenient, rows):
    source = "class L(list):\n    def append(self, x):\n        super().append((x, 'mine'))\n"
    source += program("rows[i % 3].append(i)", rows)
    source = source.replace("for row in rows", "for row in [*rows]").replace(
        "is rows[0]", "is rows"
    )
    source += "rows, before, L = [*map(list, rows)], None, None\n"
    assert both(source, n=7).loops[7] != "compiled"


def test_rows_of_several_lengths(lenient):
    rows = "[[[], []], [[]]]"
    assert both(program("rows[i % 2][0].append(i)", rows), n=7).loops[4] != "compiled"


def test_both_ways(strict):
    """The interpreter's appends are taken back before those of the kernels, and compared."""
    config.use(replace(config.current(), verify=True))
    for name in ("neighbours", "tuples", "two lists"):
        source = program(TAKEN[name], other=OTHERS.get(name, "[0.5] * n"))
        assert same(source, n=7)[4] == "compiled"


def test_what_is_one():
    text = """
for i in range(len(a)):
    a[i].append(i)
    b[i][0].append(i)
    c[i].append(i)
    c[i][0].append(i)
    d[i].append(d[0])
    e[i].append(i)
    e[i] = 0
    g[i, 0].append(i)
    h[i].append(i)
    h = 3
    q.append(i)
"""
    assert buckets(lift_text(text)) == {"a": 1, "b": 2}
