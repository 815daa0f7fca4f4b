"""What a script imports first, imported before there is a ``__main__``.

Most scripts begin with imports of NumPy and of modules of Python's own.  They come to the same
before the script starts: then none of the program's objects are there yet, so that Python's
collector of cycles need not look at anything of it, ever (`hook.collector`).  The script imports
once more, and finds them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from types import CodeType

from autopar import journal
from autopar.records import dataclass
from autopar.runtime.process import traced

_NUMPY = "numpy"
_ALLOWED = """
__future__ abc argparse array ast base64 bisect bz2 calendar cmath codecs collections colorsys
concurrent configparser contextlib contextvars copy csv ctypes dataclasses datetime decimal
difflib dis enum errno fnmatch fractions functools gc getopt getpass glob graphlib gzip hashlib
heapq hmac html importlib inspect io ipaddress itertools json keyword linecache locale logging
lzma marshal math mmap multiprocessing numbers operator os pathlib pickle pkgutil platform
pprint queue random re reprlib resource sched secrets select selectors shlex shutil signal
socket sqlite3 stat statistics string struct subprocess sys sysconfig tempfile textwrap
threading time timeit token tokenize tomllib traceback types typing unicodedata unittest urllib
uuid warnings weakref xml zipfile zlib zoneinfo
"""
"""They look at no `__main__`, warn of nothing, and change nothing that others have imported."""


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

    with warnings.catch_warnings():  # of nothing has been warned so far, and of this will be again
        warnings.simplefilter("ignore")
        tree = compile(source, file, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
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
        if not others and names <= allowed:
            first.append(stmt)
        else:
            others += sorted(names - allowed)
    # What is imported from there has no effect, and must stand first.
    first = [stmt for stmt in first if getattr(stmt, "module", None) != "__future__"]
    code = compile(ast.Module(first, []), file, "exec", dont_inherit=True) if first else None
    return Beginning(code, tuple(others))


def _tops(names: Iterable[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def run(code: CodeType | None) -> None:
    """Import what a script begins with; an exception is the script's, which comes to it again."""
    if code is None or traced():
        return
    try:
        exec(code, {"__name__": "__main__", "__file__": code.co_filename})
    except Exception as error:
        journal.debug(2, f"{code.co_filename}: imported ahead: {type(error).__name__}: {error}")
