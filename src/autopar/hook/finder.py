"""Which modules autopar loads: the user's own and those on the list, never Python's."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType

from autopar.config import Settings
from autopar.hook import collector, modules, openblas
from autopar.hook.loader import Loader
from autopar.records import BUILTINS, dataclass

__builtins__ = BUILTINS  # a program may replace Python's

_STDLIB = os.path.dirname(os.__file__)
_INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True, slots=True)
class Scope:
    """The modules to take: all below `directories`, and by name those in `packages`."""

    directories: tuple[str, ...]
    packages: tuple[str, ...]
    exclude: tuple[str, ...]

    def takes(self, name: str, file: str) -> bool:
        """Whether the loops of module `name` in `file` are autopar's to take."""
        if self.leaves(name):
            return False
        if _is_pythons(file):
            return False
        if matches(name, self.packages):
            return True
        return any(_is_own(file, directory) for directory in self.directories)

    def leaves(self, name: str) -> bool:
        """Whether module `name` is left alone wherever it is."""
        return name.partition(".")[0] == "autopar" or matches(name, self.exclude)


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern fits `name` or a package around it."""
    if not patterns:
        return False
    from fnmatch import fnmatchcase  # which imports more than all else here

    while name:
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            return True
        name = name.rpartition(".")[0]
    return False


def _is_own(file: str, directory: str) -> bool:
    """Below `directory`, and not in a Python or a virtual environment that lies there too."""
    if not _below(file, directory) or _installed(file, directory):
        return False
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix}
    return not any(_below(p, directory) and _below(file, p) for p in prefixes)


def _is_pythons(file: str) -> bool:
    """By place, not by name: a user's own `test.py` or `queue.py` is not Python's."""
    return _below(file, _STDLIB) and not _installed(file, _STDLIB)


def _is_settled(origin: str | None) -> bool:
    """Whether a module is nobody's who works on it now."""
    if origin is None or origin in ("built-in", "frozen"):
        return origin is not None
    return _is_pythons(origin) or _installed(origin, "")


def _below(file: str, directory: str) -> bool:
    return file.startswith(directory.rstrip(os.sep) + os.sep)


def _installed(file: str, directory: str) -> bool:
    return not _INSTALLED.isdisjoint(file[len(directory) :].split(os.sep))


class Finder:
    """Stands first on `sys.meta_path` and asks those behind it."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.thread_timeout = openblas.ThreadTimeout()

    @functools.cached_property
    def own(self) -> modules.Modules | None:
        """autopar's own modules, read once one is wanted: not where nothing is taken."""
        return modules.modules()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the finders behind find, with the loader replaced where the module is ours."""
        self.thread_timeout.importing(name)
        if name.startswith(modules.PREFIX) and self.own is not None:
            spec = self.own.spec(name)
            if spec is None:
                spec = self._behind(name, path, target)
                return spec and self.own.noted(spec)
            return spec
        spec = self._behind(name, path, target)
        if collector.resting() and spec is not None and not _is_settled(spec.origin):
            collector.start(apart=False)  # the user's own of that name is imported instead
        # Other tools' loaders (pytest's, coverage's) are left alone: the type must be exact.
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return spec
        file = spec.loader.path
        if self.scope.takes(name, file):
            spec.loader = Loader(spec.loader.name, file)
        return spec

    def _behind(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        finders = sys.meta_path
        start = finders.index(self) + 1 if self in finders else len(finders)
        for finder in tuple(finders[start:]):
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find and find(name, path, target)
            if spec is not None:
                return spec
        return None


def scope_of(settings: Settings, directories: Sequence[str]) -> Scope:
    """The scope for `settings` when the script lives in `directories`."""
    # A path through a symbolic link and the real one are both the script's.
    own = {os.path.abspath(d) for d in directories} | {os.path.realpath(d) for d in directories}
    return Scope(tuple(sorted(own)), settings.packages, settings.exclude)
