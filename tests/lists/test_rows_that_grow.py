"""Lists of rows that a nest fills: item by item, of several lengths and types, changed later."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.same.outcome import both, same

import autopar

HEAD = "def f(rows, n, m, x):\n    k = 0\n    why = None\n    for i in range(n):\n"
TAIL = """
rows = {rows}
other = rows
first = rows[:1]
try:
    found = f(rows, n, m, 0.5)
except (ZeroDivisionError, IndexError, TypeError) as error:
    found = str(error)
kept = rows is other, len(set(map(id, rows))) == len(rows), first == rows[:1]
"""


def program(body, rows="[]"):
    """`body` for each `i` in a function; what became of the rows, of which each is its own list."""
    lines = "".join(f"        {line}\n" for line in body.strip("\n").splitlines())
    return f"{HEAD}{lines}    return k\n{TAIL.format(rows=rows)}"


def at_top(body):
    """The same in no function, where each name is seen afterwards."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"rows = []\nx = 0.5\nk = 0\nfor i in range(n):\n{lines}last = rows[-1] is row\n"


FILLED = {
    "rows": """
row = []
for j in range(m):
    row.append(i * x + j)
rows.append(row)
""",
    "either": """
row = []
for j in range(m):
    if (i + j) % 2:
        row.append(i * x)
    else:
        row.append(j * x)
rows.append(row)
""",
    "triangle": """
row = []
for j in range(i):
    row.append(i * x + j)
rows.append(row)
""",
    "from one on": """
row = [1]
for j in range(1, i):
    row.append(i * j)
rows.append(row)
""",
    "those that are": """
row = []
for j in range(m):
    if (i * j) % 3 == 1:
        row.append(j)
rows.append(row)
""",
    "up to some": """
row = []
for j in range(m):
    if i * j > 4:
        break
    row.append(i * x)
rows.append(row)
""",
}
WRITTEN_OUT = {
    "rows in rows": "rows.append([i, [x, k]])",
    "int and float": "rows.append([i, x * i])",
    "bool": "rows.append([i, i > 2, 0.5, x])",
    "sometimes": "if i % 3:\n    rows.append([i, x])",
    "in both": "if i % 3:\n    rows.append([i, x])\nelse:\n    rows.append([k, 0.5])",
    "another name": "row = [i, x]\nx = x * 0.5\nrows.append(row)",
    "item by item": "row = []\nrow.append(i)\nrow.append(x)\nrows.append(row)",
    "sums": "rows.append([i, sum(v * x for v in range(m)), max(i, 2)])",
}
CHANGED = {
    "int, then float": "rows.append([0] * m)\nfor j in range(m):\n    rows[i][j] = x",
    "repeated": """
rows.append([0.0] * m)
for j in range(m):
    rows[i][j] = i * x + j
""",
    "comprehension": """
rows.append([0.0 for _ in range(3)])
for j in range(3):
    rows[-1][j] += i * x + j
""",
    "written out": """
rows.append([0, 0, 1])
for j in range(2):
    rows[i][j] = i + j
""",
    "from the row before": """
rows.append([0] * m)
for j in range(1, m):
    if i > 0:
        rows[i][j] = max(rows[i - 1][j], rows[i][j - 1]) + i % 3
""",
    "named": """
rows.append([1.5] * m)
row = rows[i]
for j in range(m):
    row[j] *= i
k += len(rows)
""",
}


@pytest.mark.parametrize("n", [6, 1, 0])
@pytest.mark.parametrize("name", [*FILLED, *WRITTEN_OUT, *CHANGED])
def test_compiled(strict, name, n):
    body = {**FILLED, **WRITTEN_OUT, **CHANGED}[name]
    assert same(program(body), n=n, m=5)[4] == "compiled"


@pytest.mark.parametrize("name", [*FILLED, *WRITTEN_OUT])
def test_behind_what_is_there(strict, name):
    body = {**FILLED, **WRITTEN_OUT}[name]
    assert same(program(body, "[[1, None], 'a']"), n=6, m=5)[4] == "compiled"


@pytest.mark.parametrize("name", FILLED)
def test_the_last_row_is_the_one_that_has_a_name(strict, name):
    assert same(at_top(FILLED[name]), n=6, m=5)[4] == "compiled"


def test_parts_of_lists_become_rows(lenient):
    source = program("rows.append(v[:])").replace("    k = 0\n", "    k = 0\n    v = [0.5, 1.5]\n")
    assert same(source, n=6, m=5)[5] == "compiled"


def test_a_nan_in_such_a_part_is_the_very_same(lenient):
    """Lists compare it by identity."""
    source = program("rows.append(v[:])").replace(
        "    k = 0\n", "    k = 0\n    v = [0.5, float('nan')]\n"
    )
    source += "alike = [one == two for one in rows for two in rows]\n"
    assert same(source, n=6, m=5)[5] != "compiled"


def test_as_many_items_in_each_branch_whatever_branch_comes_last(strict):
    source = """
def f(n):
    out = []
    for i in range(n):
        if i % 3 == 0:
            out.append(i)
            out.append(-i)
        elif i % 3 == 1:
            for j in range(2):
                out.append(j)
        else:
            out.append(7)
            out.append(8)
    return out
found = f(n)
"""
    assert same(source, n=7)[4] == "compiled"


def test_an_iteration_that_is_left_before_all_items_are_there(strict):
    """The list is as long as it was then."""
    source = """
def f(n):
    for i in range(n):
        row = []
        row.append(i)
        if i == 3:
            break
        row.append(-i)
    return row
found = f(n), f(2)
"""
    assert same(source, n=7)[3] == "compiled"


LEFT = {
    "the same row twice": FILLED["rows"] + "rows.append(row)",
    "a row that is changed later": FILLED["rows"] + "row[0] = 7.5",
    "a row that is longer later": FILLED["triangle"] + "row.append(7.5)",
    "the length of the list": FILLED["triangle"] + "k += len(rows)",
    "an item of several lengths": FILLED["triangle"] + "k += len(rows[0])",
    "int or float": "row = []\nfor j in range(m):\n    if i == j:\n        row.append(1)\n"
    "    else:\n        row.append(x)\nrows.append(row)",
    "another row in its place": "rows.append([0.0] * m)\nrows[i] = [1.0] * m",
    "behind the end": "rows.append([0.0] * m)\nfor j in range(m + 1):\n    rows[i][j] = x",
    "before the beginning": "rows.append([0.0] * m)\nrows[i - 3][0] = x",
    "a tuple as a subscript": "rows.append([0.0] * m)\nrows[i, 0] = x",
    "an error midway": FILLED["triangle"] + "k += 1 // (3 - i)",
    "large integers": FILLED["triangle"].replace("i * x + j", "10 ** (6 * j)"),
    "large integers in a row": "k = 1000 * k + 1\nrows.append([i * x, k ** 6])",
    "rows of two lengths": "rows.append([i, x])\nrows.append([i, x, 1])",
    "a row and a tuple": "rows.append([i, x])\nrows.append((i, x))",
    "one row for all": "rows.append(first)\nrows[i][0] += x",
}


@pytest.mark.parametrize("name", LEFT)
def test_what_only_python_can_do(lenient, name):
    source = program(LEFT[name]).replace("first = rows[:1]", "first = []")
    source = source.replace("    k = 0\n", "    k = 0\n    first = [x]\n").replace(
        "len(set(map(id, rows)))", "[rows.index(row) for row in rows], len(rows)"
    )
    loops = both(source, n=6, m=5).loops
    assert loops[5] != "compiled" or "rows of two" in name


@pytest.mark.parametrize("value", ["rows", "(rows, [])", "L()"])
def test_other_names_and_subclasses_of_the_list(lenient, value):
    source = f"""
class L(list):
    def append(self, row):
        super().append((row, 'mine'))
def f(rows, same, n):
    for i in range(n):
        rows.append([0.0] * 3)
        for j in range(3):
            rows[i][j] = i * 0.5
        same.append([i, 0.5])
rows = []
rows = {value}
try:
    f(*rows, n) if type(rows) is tuple else f(rows, rows, n)
except TypeError as error:
    why = str(error)
rows = type(rows) is L, [*rows]
"""
    both(source, n=4)


def test_a_list_that_is_full_at_a_later_call(lenient):
    source = program(CHANGED["repeated"]) + "found = f(rows, n, m, 1.5)\n"
    both(source, n=4, m=3)


PROGRAM = """
import sys
def near(xs, close):
    rows = []
    for i in range(len(xs)):
        row = []
        for j in range(len(xs)):
            d = xs[i] - xs[j]
            if d * d + d * d * d * d < close:
                row.append(j)
        rows.append(row)
    return rows
xs = [k * 0.37 % 1.0 for k in range(2500)]
found = near(xs, 0.001), near(xs, 0.002), near(xs, 0.003)
print(hash(str(found)) if {tell} else sum(map(sum, found[0])), "numpy" in sys.modules and {tell})
"""


def test_without_numpy(tmp_path: Path) -> None:
    """A list that is empty is no reason to leave a loop, before anybody has imported NumPy."""
    environment = {
        "PYTHONPATH": str(Path(autopar.__file__).parents[1]),
        "XDG_CACHE_HOME": str(tmp_path),
        "PYTHONHASHSEED": "0",
        "PATH": "",
    }
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(tell=True))
    found = [
        subprocess.check_output([sys.executable, *options, file], env=environment, text=True)
        for options in ((), ("-m", "autopar"))
    ]
    assert [one.split()[0] for one in found] == [found[0].split()[0]] * 2
    assert [one.split()[1] for one in found] == ["False", "True"]
