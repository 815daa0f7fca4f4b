"""From source to rewritten code, or to plain code whenever anything is in the way."""

from __future__ import annotations

import zlib
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType

from autopar import journal
from autopar.records import BUILTINS

__builtins__ = BUILTINS  # a program may replace Python's

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Literal

    from autopar.hook.record import Loops
    from autopar.runtime.site import Site


sites: list[Site] = []
_texts: list[tuple[str, int]] = []


class Loader(SourceFileLoader):
    """Loads rewritten code where a module has loops to take, and is a plain loader otherwise.

    Only `get_code` differs, and it never reaches the plain ``.pyc`` with rewritten code.
    """

    _ready: CodeType | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """None, for an ordinary module; the moment to step aside where nothing is to be done."""
        self._ready = self._rewritten()
        if self._ready is None and spec.loader is self:
            # Then the module, its `__loader__` and a traceback of its SyntaxError look as ever.
            spec.loader = SourceFileLoader(self.name, self.path)
        return None

    def get_code(self, fullname: str) -> CodeType | None:
        """Rewritten code, or what a plain loader answers."""
        code, self._ready = self._ready or self._rewritten(), None
        return code or super().get_code(fullname)

    def _rewritten(self) -> CodeType | None:
        try:
            source = self.get_data(self.path)
        except OSError:
            return None  # the plain loader reports it
        return code_of(source, self.path, "module")


def code_of(
    source: str | bytes, file: str, kind: Literal["module", "script", "text"]
) -> CodeType | None:
    """Rewritten code of `source`, or None when it should run as if autopar were not there.

    Parameters
    ----------
    kind
        A module and a script come from a file and are cached; text (``-c``, stdin) is not.

    Notes
    -----
    In a `str` a coding comment has no effect, as in ``python -c``.
    """
    text = source.encode("utf-8", "replace") if isinstance(source, str) else bytes(source)
    _texts.append((file, zlib.crc32(text)))
    if not any(word in text for word in (b"for", b"while", b"numpy")):
        return None
    from autopar.hook import lookup

    try:
        return _bound(lookup.loops(source, file, kind), source, file)
    except SyntaxError as error:
        # The user's own: plain compilation comes next and raises it where the user expects it.
        journal.debug(2, f"{file}: {error}")
    except RecursionError:
        why = "hundreds of terms, or of branches in one another, are more than autopar goes through"
        journal.say(1, f"{file}: left alone: {why}")
    except Exception as error:
        # Whatever is wrong with autopar, the user's program runs as it would without.
        journal.say(1, f"{file}: left alone, autopar failed: {type(error).__name__}: {error}")
        journal.trace(error)
    return None


def _bound(loops: Loops, source: str | bytes, file: str) -> CodeType | None:
    """The code with its sites, and the refusals in the journal."""
    for line, function, refusal in loops.refusals:
        journal.loop(file, line, function).refusal = refusal
        journal.say_once(1, f"left to Python: {refusal}")
    if loops.code is None:
        return None
    from autopar.hook import record
    from autopar.runtime import process
    from autopar.runtime.watched import kind

    new: list[Site] = []
    for spec in loops.sites:  # a parent comes before its children
        parent = None if spec.parent is None else new[spec.parent]
        new.append(kind(spec)(spec, parent))
    sites.extend(new)
    objects: dict[str, object] = {record.error_marker(loops.token): NameError}
    objects.update((record.site_marker(loops.token, n), site) for n, site in enumerate(new))
    code = record.bound(loops.code, objects)
    process.texts = _texts  # also those that are loaded later
    process.rewritten.update((id(one), (one, source)) for one in record.changed(code, new))
    return code


def let_go() -> None:
    """Hold nothing of the program's any more: it ends, and its objects are to end before `print`.

    What is reached from one of autopar's modules would end after all modules have been emptied.
    """
    for site in sites:
        site.let_go()
    sites.clear()
