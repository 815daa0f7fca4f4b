"""Rewritten code means what the user wrote, whether a site answers or declines."""

from __future__ import annotations

import dis
import sys
import traceback
import types
import warnings

import pytest

from autopar.hook import record
from autopar.hook.rewrite import rewrite


class FakeSite:
    """Answers from a function of the roots; None declines."""

    unset = object()

    def __init__(self, spec, answer=None, active=True):
        self.spec, self.answer, self.active, self.asked = spec, answer, active, []
        self.turn = iter(())

    def run(self, values):
        self.asked.append(values)
        return self.answer(values) if self.answer and values is not None else None


def build(source, answer=None, active=True):
    """Code of `source` and its fake sites."""
    loops = rewrite(source.encode(), "user.py", "f" * 64)
    if loops.code is None:
        return compile(source, "user.py", "exec"), [], loops
    loops = record.load(record.dump(loops))  # as from the cache
    sites = [FakeSite(spec, answer, active) for spec in loops.sites]
    objects = {record.site_marker(loops.token, n): site for n, site in enumerate(sites)}
    objects[record.error_marker(loops.token)] = NameError
    return record.bound(loops.code, objects), sites, loops


def run(code):
    space = {"__name__": "user"}
    exec(code, space)
    return {k: v for k, v in space.items() if not k.startswith("__") and not callable(v)}


FILL = """\
import numpy as np
a = np.zeros(4)
def f(a, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            a[i] = a[i] + j
            s = s + j
    return s
r = f(a, 3)
"""


@pytest.mark.parametrize("active", [True, False])
def test_a_declined_loop_runs_as_written(active):
    code, sites, _ = build(FILL, active=active)
    got = run(code)
    assert got["r"] == 9.0
    assert got["a"].tolist() == [3.0, 3.0, 3.0, 0.0]
    assert bool(sites[0].asked) is active


def test_an_answer_stands_for_the_loop():
    code, sites, _ = build("n = 3\nfor i in range(n):\n    s = i\nelse:\n    t = 7\n")
    spec = sites[0].spec
    final = {"i": "I", "s": FakeSite.unset}
    sites[0].answer = lambda values: tuple(final[name] for name in spec.live_out)
    assert spec.live_out == ("i", "s")
    got = run(code)
    assert got == {"n": 3, "i": "I", "t": 7}  # `s` was not assigned, `else` ran
    assert sites[0].asked == [tuple({"n": 3, "range": range}[r] for r in spec.roots)]


def test_an_unbound_root_is_told_to_the_site_and_raises_as_ever():
    code, sites, _ = build("def f(a):\n    for i in range(m):\n        a[i] = i\nf([])\n")
    with pytest.raises(NameError, match="name 'm' is not defined"):
        run(code)
    assert sites[0].asked == [None]


def test_a_rebound_nameerror_changes_nothing():
    code, sites, _ = build("NameError = 3\nfor i in range(m_):\n    k = i\n")
    with pytest.raises(__builtins__["NameError"], match="m_"):
        run(code)
    assert sites[0].asked == [None]


def test_inner_loops_name_their_parent():
    _, sites, _ = build(FILL)
    assert [site.spec.parent for site in sites] == [None, 0]
    assert [site.spec.line for site in sites] == [5, 6]


def test_a_loop_inside_an_else_is_asked_too():
    text = "for i in range(2):\n    a = i\nelse:\n    for j in range(3):\n        b = j\n"
    code, sites, _ = build(text)
    assert run(code) == {"i": 1, "a": 1, "j": 2, "b": 2}
    assert len(sites[1].asked) == 1


def test_names_in_methods_are_mangled_as_ever():
    text = (
        "class C:\n    def f(self, __n):\n        for __i in range(__n):\n            s = __i\n"
        "        return s, __i\nr = C().f(4)\n"
    )
    code, sites, _ = build(text)
    assert run(code)["r"] == (3, 3)
    assert 4 in sites[0].asked[0]


@pytest.mark.parametrize("word", ["global", "nonlocal"])
def test_declared_names_are_bound_where_they_live(word):
    text = (
        f"i = -1\ndef outer():\n    {'i = 0' if word == 'nonlocal' else 'pass'}\n"
        f"    def f():\n        {word} i\n        for i in range(3):\n            pass\n"
        "    f()\n    return i\nr = outer()\n"
    )
    plain = run(compile(text, "user.py", "exec"))
    code, sites, _ = build(text)
    assert run(code) == plain
    for site in sites:
        site.answer = lambda values, site=site: (2,) * len(site.spec.live_out)
    assert run(code) == plain


def test_a_class_body_keeps_its_namespace():
    text = (
        "import enum\nclass E(enum.Enum):\n    A = 1\n    for i in range(1):\n        pass\n"
        "plain = [m.name for m in E]\n"
    )
    code, sites, loops = build(text)
    assert sites == []
    assert [r.detail for *_, r in loops.refusals] == ["a loop in a class body"]
    assert run(code)["plain"] == ["A", "i"]


@pytest.mark.parametrize(
    "text",
    [
        "from numba import njit\n@njit\ndef f(n):\n    for i in range(n):\n        s = i\n",
        "import numba\ndef f(n):\n    for i in range(n):\n        s = i\ng = numba.njit(f)\n",
    ],
)
def test_functions_for_other_compilers_keep_their_bytecode(text):
    _, sites, loops = build(text)
    assert sites == []
    assert "another compiler" in loops.refusals[0][2].detail


def test_nothing_is_left_behind_in_the_namespace():
    code, _, _ = build("for i in range(3):\n    seen = sorted(globals())\n")
    assert not any("autopar" in name for name in run(code)["seen"])


def test_tracebacks_have_the_users_lines_and_columns():
    text = "a = [1, 2]\ndef f():\n    for i in range(3):\n        a[i] = 1 / (1 - i)\nf()\n"

    def shown(code):
        with pytest.raises(ZeroDivisionError) as caught:
            exec(code, {})
        return [
            (f.name, f.lineno, f.colno, f.end_colno)
            for f in traceback.extract_tb(caught.value.__traceback__)[1:]
        ]

    code, sites, _ = build(text)
    assert sites
    assert shown(code) == shown(compile(text, "user.py", "exec"))


def test_a_tracer_sees_the_same_lines():
    text = "def f():\n    s = 0\n    for i in range(2):\n        s += i\n    return s\n"

    def lines(code):
        space, seen = {}, []
        exec(code, space)

        def trace(frame, event, arg):
            seen.append((event, frame.f_lineno))
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            space["f"]()
        finally:
            sys.settrace(before)
        return [event for event in seen if event[0] == "line"]

    assert lines(build(text, active=False)[0]) == lines(compile(text, "user.py", "exec"))


def test_only_markers_of_this_module_become_sites():
    text = "m = '<autopar site 00 0>'\nfor i in range(3):\n    k = i\n"
    assert run(build(text)[0])["m"] == "<autopar site 00 0>"


def test_code_with_sites_compares_and_hashes():
    code, _, _ = build(FILL)
    assert code == code.replace()
    assert isinstance(hash(code), int)
    (inner,) = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    assert "FakeSite" in dis.Bytecode(inner).dis()


def test_future_imports_docstrings_and_coding_hold():
    text = (
        "# -*- coding: latin-1 -*-\n'''Doc \xe9.'''\nfrom __future__ import annotations\n"
        "def f(x: undefined):\n    'inner'\n    for i in range(2):\n        s = i\nd = f.__doc__\n"
    )
    loops = rewrite(text.encode("latin-1"), "user.py", "f" * 64)
    space = {}
    objects = {record.site_marker(loops.token, 0): FakeSite(None, active=False)}
    exec(record.bound(loops.code, objects), space)
    assert (space["__doc__"], space["d"]) == ("Doc \xe9.", "inner")


def test_the_compiler_warns_once_about_each_place():
    text = "for i in range(3):\n    k = i\nelse:\n    x = i is 3\ny = 'a' is 'a'\n"
    with warnings.catch_warnings(record=True) as plain:
        warnings.simplefilter("always")
        compile(text, "user.py", "exec")
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        assert rewrite(text.encode(), "user.py", "f" * 64).code is not None
    assert [(str(w.message), w.lineno) for w in ours] == [(str(w.message), w.lineno) for w in plain]
