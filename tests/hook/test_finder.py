"""Which modules are taken."""

from __future__ import annotations

import importlib.util
import json
import os
import sys

import pytest

from autopar.hook.finder import Finder, Scope, matches
from autopar.hook.loader import Loader


@pytest.mark.parametrize(
    ("name", "patterns", "fits"),
    [
        ("a", ("a",), True),
        ("a.b.c", ("a",), True),
        ("ab", ("a",), False),
        ("b", ("b.*",), False),
        ("b.c", ("b.*",), True),
        ("b.c.d", ("b.*",), True),
        ("a", (), False),
    ],
)
def test_patterns(name, patterns, fits):
    assert matches(name, patterns) is fits


HOME = os.path.join(os.sep, "home", "u")
SITE = os.path.join(HOME, "venv", "lib", "python3.11", "site-packages", "numpy", "core.py")


@pytest.mark.parametrize(
    ("name", "file", "takes"),
    [
        ("mine", os.path.join(HOME, "mine.py"), True),
        ("mine.deep", os.path.join(HOME, "mine", "deep.py"), True),
        ("test", os.path.join(HOME, "test.py"), True),
        ("mine.left", os.path.join(HOME, "mine", "left.py"), False),
        ("numpy.core", SITE, False),
        ("listed.core", SITE, True),
        ("json", json.__file__, False),
        ("listed.json", json.__file__, False),
        ("autopar.config", os.path.join(HOME, "autopar", "config.py"), False),
        ("other", os.path.join(os.sep, "home", "user2", "other.py"), False),
    ],
)
def test_scope(name, file, takes):
    assert Scope((HOME,), ("listed",), ("mine.left",)).takes(name, file) is takes


def test_an_environment_inside_the_directory_is_left(monkeypatch):
    monkeypatch.setattr(sys, "prefix", os.path.join(HOME, "env"))
    scope = Scope((HOME,), (), ())
    assert not scope.takes("x", os.path.join(HOME, "env", "lib", "x.py"))
    assert scope.takes("x", os.path.join(HOME, "x.py"))


@pytest.fixture
def finder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    made = Finder(Scope((str(tmp_path),), (), ()))
    monkeypatch.setattr(sys, "meta_path", [made, *sys.meta_path])
    return made


def test_wraps_plain_source_loaders_only(finder, tmp_path, monkeypatch):
    (tmp_path / "own_module.py").write_text("x = 3\n")
    assert type(importlib.util.find_spec("own_module").loader) is Loader
    assert type(importlib.util.find_spec("json").loader) is not Loader
    assert importlib.util.find_spec("no_such_module") is None

    class Other(importlib.machinery.SourceFileLoader):
        pass

    class OtherFinder:
        def find_spec(self, name, path=None, target=None):
            loader = Other(name, str(tmp_path / "own_module.py"))
            return importlib.util.spec_from_loader(name, loader)

    monkeypatch.setattr(sys, "meta_path", [finder, OtherFinder(), *sys.meta_path[1:]])
    assert type(finder.find_spec("own_module").loader) is Other


def test_finders_in_front_of_it_are_not_asked(finder, monkeypatch):
    class Loud:
        def find_spec(self, name, path=None, target=None):
            raise AssertionError("asked twice")

    monkeypatch.setattr(sys, "meta_path", [Loud(), *sys.meta_path])
    assert finder.find_spec("json") is not None
