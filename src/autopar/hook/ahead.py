"""What a script imports first, imported before there is a ``__main__``.

Most scripts begin with imports of NumPy and of modules of Python's own.  They come to the same
before the script starts: then none of the program's objects are there yet, so that Python's
collector of cycles need not look at anything of it, ever (`hook.collector`).  The script imports
once more, and finds them.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import sys
import warnings
from collections.abc import Generator, Iterable
from types import CodeType

from autopar.records import dataclass
from autopar.runtime.process import traced

_NUMPY = "numpy"
_ALLOWED = """
__future__ abc argparse array ast base64 bisect bz2 calendar cmath codecs collections colorsys
concurrent configparser contextlib contextvars copy csv ctypes dataclasses datetime decimal
difflib dis enum errno fnmatch fractions functools gc getopt getpass glob graphlib gzip hashlib
heapq hmac html importlib inspect io ipaddress itertools json keyword linecache locale logging
lzma marshal math mmap numbers operator os pathlib pickle pkgutil platform
pprint queue random re reprlib resource sched secrets select selectors shlex shutil signal
socket sqlite3 stat statistics string struct subprocess sys sysconfig tempfile textwrap
threading time timeit token tokenize tomllib traceback types typing unicodedata unittest urllib
uuid warnings weakref xml zipfile zlib zoneinfo
"""
"""They look at no `__main__`, warn of nothing, and change nothing that others have imported."""
_ASKED_FOR = (_NUMPY, "org")  # the latter by `copy`, for Jython
_SUFFIXES = (".py", ".pyc", ".pyd", ".so")
_LEFT = frozenset(
    ("chunk", "cmd", "code", "imghdr", "site", "sndhdr", "sunau", "test", "this", "turtle", "wave")
)
"""Names of Python's modules that none of these imports: a script may have its own beside it."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a script imports.

    Attributes
    ----------
    code
        Imports as far as they can be done before it starts; None where there are none.
    others
        Names of the modules, or of packages around them, that it imports next.
    """

    code: CodeType | None
    others: tuple[str, ...]

    @property
    def takes_long(self) -> bool:
        """Whether `code` takes as long as to find the loops."""
        return self.code is not None and _NUMPY in _tops(self.code.co_names)


def beginning(source: str | bytes, file: str) -> Beginning:
    """What a script imports at its beginning.

    Raises
    ------
    SyntaxError
        The user's.
    """
    import ast

    with _silence():  # of this will be warned when it is compiled
        tree = compile(source, file, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        assert isinstance(tree, ast.Module)
        compile(tree, file, "exec", dont_inherit=True)  # or it has errors that no tree shows
    allowed = {_NUMPY, *_ALLOWED.split()}
    first: list[ast.stmt] = []
    others: list[str] = []
    for stmt in tree.body:
        match stmt:
            case ast.Import(aliases):
                names = _tops(alias.name for alias in aliases)
            case ast.ImportFrom(str(module), _, 0):
                names = _tops([module])
            case ast.Expr(ast.Constant(str())) if stmt is tree.body[0]:
                continue
            case _:
                break
        if not others and allowed.issuperset(names):
            # Modules in a package, and names in modules, may be such as are warned of.
            whole = ast.Import([ast.alias(name) for name in names])
            first.append(ast.fix_missing_locations(ast.copy_location(whole, stmt)))
        else:
            others += [name for name in names if name not in allowed]
    code = compile(ast.Module(first, []), file, "exec", dont_inherit=True) if first else None
    return Beginning(code, tuple(others))


def _tops(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name.partition(".")[0] for name in names))


@contextlib.contextmanager
def _silence() -> Generator[None, None, None]:
    """No warnings are shown.

    `catch_warnings` would make Python repeat those that it has shown already; and one that nobody
    hears of may not be shown again where each is to be shown once.
    """
    entry = ("ignore", None, Warning, None, 0)
    filters: list[object] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, entry)
    try:
        yield
    finally:
        filters.remove(entry)


def run(code: CodeType | None) -> None:
    """Import what a script begins with, where that is nothing of the user's.

    Raises
    ------
    Failed
        Any exception: where it comes to the import, the script ends with that.
    """
    if code is None or traced() or _shadowed():
        return
    try:
        space = {"__name__": "__main__", "__file__": code.co_filename, "__builtins__": builtins}
        exec(code, space)
    except BaseException as error:
        raise Failed(error) from None


class Failed(BaseException):
    """An import of the script's has raised `error`; once more it might be another one.

    NumPy cannot be imported a second time.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def _shadowed() -> bool:
    """Whether the user has a module with a name of Python's, as `random.py` beside the script.

    That would be imported instead, by the script or by NumPy, and is for the script to begin with.
    """
    library = os.path.dirname(os.__file__)
    before = sys.path[: sys.path.index(library)] if library in sys.path else sys.path
    return any(_has_such(place or os.curdir) for place in before)


def _has_such(folder: str) -> bool:
    try:
        names = os.listdir(folder)
    except OSError:
        return os.path.exists(folder)  # an archive, which may have anything in it
    for name in names:
        stem, dot, _ = name.partition(".")
        if stem not in _ASKED_FOR and (stem not in sys.stdlib_module_names or stem in _LEFT):
            continue
        if name.endswith(_SUFFIXES) if dot else _is_package(os.path.join(folder, name)):
            return True
    return False


def _is_package(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, f"__init__{end}")) for end in _SUFFIXES)
