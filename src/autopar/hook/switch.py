"""Turns the import hook on and off."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping, Sequence

from autopar import config, journal
from autopar.hook import loader
from autopar.hook.finder import Finder, Scope, scope_of
from autopar.records import replace

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from autopar.runtime.site import Site

_finder: Finder | None = None
_resting: list[Site] = []


def start(settings: config.Settings, directories: Sequence[str]) -> Scope:
    """Put the hook in front of all imports from now on, or only change what it takes."""
    global _finder
    config.use(settings)
    scope = scope_of(settings, directories)
    if _finder is None:
        _finder = Finder(scope)
        atexit.register(loader.let_go)  # before the user's functions, hence called after them
    _finder.scope = scope
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    return scope


def install(packages: Sequence[str] | str, given: Mapping[str, object]) -> None:
    """What `autopar.install` does."""
    directory = _main_directory()
    named = {"packages": packages or None, **given}
    settings = config.changed(named, directory)
    if _is_on():  # a second call adds
        settings = replace(settings, packages=(*config.current().packages, *settings.packages))
    config.use(settings)
    if not settings.enabled:
        return
    check_cache(settings)
    from autopar.report import at_exit

    at_exit()
    scope = start(settings, [directory])
    while _resting:
        _resting.pop().active = True
    _say_too_late(scope)


def uninstall() -> None:
    """What `autopar.uninstall` does."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    config.use(replace(config.current(), enabled=False))
    for site in loader.sites:
        if site.active:
            site.active = False
            _resting.append(site)


def _is_on() -> bool:
    return _finder in sys.meta_path


def _main_directory() -> str:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.dirname(os.path.abspath(file)) if file else os.getcwd()


def check_cache(settings: config.Settings) -> None:
    """Refuse a cache directory that others can write; do without one that cannot be made."""
    try:
        config.private_dir(settings.cache_dir)
    except OSError as error:
        journal.say(1, f"nothing will be cached: {error}")


def _say_too_late(scope: Scope) -> None:
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        ours = isinstance(getattr(module, "__loader__", None), loader.Loader)
        if not isinstance(file, str) or ours or name == "__main__":
            continue
        if scope.takes(name, file):
            journal.say(1, f"{name} was imported before autopar and stays as it is")
