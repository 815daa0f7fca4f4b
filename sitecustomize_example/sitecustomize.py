"""Makes ``AUTOPAR=1 python script.py`` mean ``python -m autopar script.py``.

Put this directory on PYTHONPATH, or this file into site-packages.  Python imports it at every
start, before the program; it does nothing unless AUTOPAR is 1.  Python never asks an import hook
for the program itself, so the interpreter is started anew, in the same process, with autopar in
front of the program.  Another sitecustomize further on the path is run as if this one were not
there.
"""

import os
import sys


def _with_autopar(arguments):
    """The arguments of the interpreter with ``-m autopar`` before the program, or None."""
    start = _program_index(arguments)
    if start is None or arguments[start : start + 2] == ["-m", "autopar"]:
        return None
    return [*arguments[:start], "-m", "autopar", *arguments[start:]]


def _program_index(arguments):
    """Where the program begins behind the interpreter's own options; None leaves Python alone."""
    index = 1
    while index < len(arguments):
        word = arguments[index]
        if word == "-" or not word.startswith("-"):
            return index
        if word == "--":
            return None  # rare enough to leave alone
        if word.startswith("--"):
            index += 2 if word == "--check-hash-based-pycs" else 1
            continue
        for position, letter in enumerate(word[1:], 1):
            if letter in "cm":
                # "-um name" holds a flag and the program in one word: not worth taking apart.
                return index if position == 1 else None
            if letter in "ixhV?":
                return None  # interactive, skipping a first line, or only printing something
            if letter in "WX":
                index += position == len(word) - 1  # its value is the next word
                break
        index += 1
    return None  # interactive


def _restart():
    # Not during `-E` or `-I`, which say that the environment does not count.
    if os.environ.get("AUTOPAR") != "1" or sys.flags.ignore_environment or not sys.executable:
        return
    if os.environ.get("PYTHONINSPECT"):
        return
    arguments = _with_autopar(list(getattr(sys, "orig_argv", ())))
    if arguments is None or not _is_installed():
        return
    arguments[0] = sys.executable
    if os.name == "nt":  # there, exec would return to the shell at once
        import subprocess

        os._exit(subprocess.call(arguments))
    os.execv(sys.executable, arguments)


def _is_installed():
    from importlib.util import find_spec

    if find_spec("autopar") is not None:
        return True
    sys.stderr.write("[autopar] AUTOPAR=1, but autopar is not installed for this Python\n")
    return False


def _run_next():
    """Run the sitecustomize that this one hides, if there is one."""
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [entry for entry in sys.path if os.path.abspath(entry) != here]
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("sitecustomize", paths)
    if spec is None or spec.loader is None:
        return
    from importlib.util import module_from_spec

    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_restart()
_run_next()
