"""The code cache, and what happens when rewriting fails."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from types import CodeType

import pytest

from autopar import config, journal
from autopar.hook import cache, loader, rewrite
from autopar.verdict import Reason

LOOPS = b"""\
def f(n):
    for i in range(n):
        s = i
    return s
def g(n):
    for i in range(n):
        print(i, file=n)
"""


@pytest.fixture
def settings(tmp_path):
    made = config.read({"cache_dir": tmp_path / "cache"}, {}, tmp_path)
    before = config._current
    config.use(made)
    journal.clear()
    yield made
    config._current = before
    journal.clear()


@pytest.fixture
def rewritten(monkeypatch):
    """The sources that were rewritten, as against found in the cache."""
    seen = []
    plain = rewrite.rewrite

    def spy(source, file, token):
        seen.append(source)
        return plain(source, file, token)

    monkeypatch.setattr(rewrite, "rewrite", spy)
    return seen


def site_of(code, name):
    (function,) = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name]
    return [c for c in function.co_consts if type(c).__name__ == "Site"]


def test_a_second_start_finds_the_code(settings, rewritten):
    for _ in range(2):
        code = loader.code_of(LOOPS, "/a/user.py", "module")
        (site,) = site_of(code, "f")
        assert (site.spec.line, site.spec.function) == (2, "f")
        assert not site_of(code, "g")
        (refused,) = [r for r in journal.records() if r.refusal]
        assert (refused.line, refused.function, refused.refusal.reason) == (6, "g", Reason.CALL)
        journal.clear()
    assert rewritten == [LOOPS]


def test_a_changed_source_replaces_its_entry(settings, rewritten):
    for source in (LOOPS, LOOPS + b"x = 3\n", LOOPS):
        loader.code_of(source, "/a/user.py", "module")
    loader.code_of(LOOPS, "/b/user.py", "module")
    assert len(rewritten) == 4
    assert len(list((Path(settings.cache_dir) / "code").iterdir())) == 2


@pytest.mark.parametrize("keep", [0, 10, 40, 100, -1])
def test_a_damaged_entry_is_an_absent_entry(keep, settings, rewritten):
    loader.code_of(LOOPS, "/a/user.py", "module")
    (entry,) = (Path(settings.cache_dir) / "code").iterdir()
    good = entry.read_bytes()
    entry.write_bytes(good[:keep] + b"?" * (len(good[keep:]) if keep > 0 else 0))
    assert loader.code_of(LOOPS, "/a/user.py", "module") is not None
    assert len(rewritten) == 2
    assert entry.read_bytes() == good


def test_text_is_not_cached(settings):
    assert loader.code_of(LOOPS, "<string>", "text") is not None
    assert not Path(settings.cache_dir).exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_without_room_it_works_without_cache(number, settings, monkeypatch, capsys):
    def full(path, *rest, **options):
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(cache.os, "replace", full)
    assert loader.code_of(LOOPS, "/a/user.py", "module") is not None
    assert capsys.readouterr().err == ""
    config.use(replace(settings, verbose=1))
    assert loader.code_of(LOOPS, "/a/user.py", "module") is not None
    assert "[autopar] rewritten code is not cached" in capsys.readouterr().err
    assert not list((Path(settings.cache_dir) / "code").iterdir())


def test_a_cache_that_others_can_write_is_not_read(settings):
    loader.code_of(LOOPS, "/a/user.py", "module")
    (Path(settings.cache_dir) / "code").chmod(0o777)
    token = cache.token(LOOPS, "/a/user.py")
    assert cache.find("/a/user.py", token) is None


def test_a_failure_of_ours_leaves_the_module_alone(settings, monkeypatch, capsys):
    def broken(*_):
        raise RuntimeError("oh")

    monkeypatch.setattr(rewrite, "rewrite", broken)
    assert loader.code_of(LOOPS, "/a/user.py", "module") is None
    assert capsys.readouterr().err == ""
    config.use(replace(settings, debug=1))
    assert loader.code_of(LOOPS, "/a/user.py", "module") is None
    shown = capsys.readouterr().err
    assert "left alone, autopar failed: RuntimeError: oh" in shown
    assert all(line.startswith("[autopar] ") for line in shown.splitlines())


def test_of_each_loop_that_is_left_it_is_said_why(settings, capsys):
    text = b"""
def f(d, rows, n):
    for key, value in d.items():
        for i in range(n):
            rows[i] += value
    while d:
        d.popitem()
    for line in open(n):
        print(line)
    for i in range(n):
        for j in (1, i):
            rows[i] += j
"""
    config.use(replace(settings, verbose=1))
    loader.code_of(text, "/a/user.py", "module")
    said = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[2] for line in said] == ["d.items()", "d.popitem()", "open(n)"]
    assert [line.split(":")[2] for line in said] == ["3", "7", "8"]


def test_terms_without_end_leave_the_module_alone(settings, capsys):
    config.use(replace(settings, verbose=1))
    assert loader.code_of(LOOPS + b"x = 1\ny = x" + b" + x" * 40 + b"\n", "/a/user.py", "module")
    assert "left alone" not in capsys.readouterr().err
    terms = LOOPS + b"x = 1\ny = x" + b" + x" * 990 + b"\n"
    compile(terms, "/a/user.py", "exec")
    assert loader.code_of(terms, "/a/user.py", "module") is None
    assert "[autopar] /a/user.py: left alone: hundreds of terms" in capsys.readouterr().err


@pytest.mark.parametrize("source", [b"for i in (:\n", b"for i in x: pass\nreturn\n", b"for\0"])
def test_a_syntax_error_is_left_to_python(source, settings):
    assert loader.code_of(source, "/a/user.py", "module") is None


def test_the_loader_steps_aside(settings, tmp_path):
    import importlib.util

    for name, text in (("plain", "x = 'for'\n"), ("loops", LOOPS.decode())):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        spec = importlib.util.spec_from_loader(name, loader.Loader(name, str(file)))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert (type(module.__loader__) is loader.Loader) is (name == "loops")
    assert not list(tmp_path.glob("__pycache__/loops.*"))


def test_functions_still_pickle_by_reference_and_sites_do_not_hinder_copies(settings):
    import copy

    code = loader.code_of(LOOPS, "/a/user.py", "module")
    assert copy.deepcopy(code) is code
    assert Path(code.co_filename) == Path("/a/user.py")
