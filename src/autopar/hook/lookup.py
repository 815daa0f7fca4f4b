"""The loops of one file: as an earlier process has left them, or a copy of this one, or found now.

When those of a script are known, what it begins with has been imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from autopar import config
from autopar.hook import ahead, cache, meanwhile
from autopar.hook.record import Loops
from autopar.records import replace

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from types import CodeType
    from typing import Literal


def loops(source: str | bytes, file: str, kind: Literal["module", "script", "text"]) -> Loops:
    """The loops of a file; see `hook.loader.code_of`.

    Raises
    ------
    SyntaxError
        The user's; other exceptions are ours.
    """
    if kind == "text":
        return _rewritten(source, file, cache.token(source, file))[0]
    if kind == "module":
        return _module(source, file)
    token = cache.token(source, file)
    known = cache.find(file, token)
    if known is not None:
        ahead.run(known.ahead)
        return known
    first = ahead.beginning(source, file)
    leave = partial(_leave, source, file, token, first.code)
    works = {file: leave} if first.takes_long else {}
    meanwhile.send({**works, **dict(_modules(file, first.others))})
    ahead.run(first.code)
    return meanwhile.awaited(file, partial(cache.find, file, token)) or leave()


def _module(source: str | bytes, file: str) -> Loops:
    token = cache.token(source, file)
    look = partial(cache.find, file, token)
    known = look() or meanwhile.awaited(file, look)
    if known is None:
        known, _ = _rewritten(source, file, token)
        cache.keep(file, known)
    return known


def _leave(source: str | bytes, file: str, token: str, first: CodeType | None = None) -> Loops:
    """The loops, found now and left for others, unless a warning is shown that is theirs too."""
    known, warned = _rewritten(source, file, token)
    known = replace(known, ahead=first)
    # Python compiles a script at every start and warns again, and a copy is heard by nobody.
    if not warned:
        cache.keep(file, known)
    return known


def _modules(script: str, names: Sequence[str]) -> Iterator[tuple[str, Callable[[], object]]]:
    """The files of modules beside `script` whose loops nobody knows, and what finds them."""
    folder = os.path.dirname(os.path.realpath(script))
    for name in names:
        file = os.path.join(folder, f"{name}.py")
        if not os.path.isfile(file):
            continue  # it is elsewhere
        try:
            source = config.read_whole(file)
        except OSError:
            continue  # which is for the import to say
        token = cache.token(source, file)
        if cache.find(file, token) is None:
            yield file, partial(_leave, source, file, token)


def _rewritten(source: str | bytes, file: str, token: str) -> tuple[Loops, bool]:
    """The loops, and whether a warning was shown meanwhile."""
    # Not `catch_warnings`: that would make Python repeat warnings it has shown already.
    import warnings

    from autopar.hook.rewrite import rewrite

    shown = False
    show = warnings.showwarning

    def watch(*args: object, **options: object) -> None:
        nonlocal shown
        shown = True
        show(*args, **options)  # type: ignore[arg-type]

    warnings.showwarning = watch
    try:
        return rewrite(source, file, token), shown
    finally:
        warnings.showwarning = show
