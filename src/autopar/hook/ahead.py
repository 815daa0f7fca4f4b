"""What a script imports first, imported before there is a ``__main__``.

Most scripts begin with imports of NumPy and of modules of Python's own.  They come to the same
before the script starts: then none of the program's objects are there yet, so that Python's
collector of cycles need not look at anything of it, ever (`hook.collector`).  The script imports
once more, and finds them.
"""

from __future__ import annotations

import os
import sys
from types import CodeType

from autopar import journal

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


def leading(source: str | bytes, file: str) -> CodeType | None:
    """The imports with which a script begins, as far as they can be done before it starts.

    Raises
    ------
    SyntaxError
        The user's.
    """
    import ast

    tree = compile(source, file, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    allowed = {_NUMPY, *_ALLOWED.split()}
    found: list[ast.stmt] = []
    for stmt in tree.body:
        match stmt:
            case ast.Import(names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(str(module), _, 0):
                modules = [module]
            case ast.Expr(ast.Constant(str())) if stmt is tree.body[0]:
                continue
            case _:
                break
        if not all(name.partition(".")[0] in allowed for name in modules):
            break
        if modules != ["__future__"]:
            found.append(stmt)
    if not found:
        return None
    return compile(ast.Module(found, []), file, "exec", dont_inherit=True)


def run(code: CodeType) -> None:
    """Import what `leading` has found, unless it may be something else here.

    An exception is the script's, which comes to it again.
    """
    if sys.gettrace() is not None or sys.getprofile() is not None or _shadowed():
        return
    try:
        exec(code, {"__name__": "__main__", "__file__": code.co_filename})
    except Exception as error:
        journal.debug(2, f"{code.co_filename}: imported ahead: {type(error).__name__}: {error}")


def _shadowed() -> bool:
    """Whether the user has a module with a name of Python's, as `random.py` beside the script."""
    library = os.path.dirname(os.__file__)
    before = sys.path[: sys.path.index(library)] if library in sys.path else sys.path
    return any(_has_such(place or os.curdir) for place in before)


def _has_such(folder: str) -> bool:
    try:
        names = os.listdir(folder)
    except OSError:
        return False  # such as an archive that is not there
    for name in names:
        stem, _, kind = name.partition(".")
        known = stem == _NUMPY or stem in sys.stdlib_module_names
        if known and (kind or os.path.exists(os.path.join(folder, name, "__init__.py"))):
            return True
    return False
