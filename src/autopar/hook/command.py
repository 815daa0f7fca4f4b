"""The command line of ``python -m autopar``: own options first, then the user's program."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autopar import __version__, config, journal
from autopar.config import ConfigError
from autopar.hook import runner
from autopar.hook.runner import Program

USAGE = """\
usage: python -m autopar [options] (script.py | -m module | -c code | -) [args ...]

Runs a Python program with the loops that allow it in parallel.  Everything after the program
belongs to the program.

options:
  --device NAME        auto, cpu, off (default: auto)
  --fp LEVEL           exact, ulp, relaxed: what may differ from plain Python (default: exact)
  --packages A,B.*     take the loops of these packages too, not only of the script's own modules
  --threads N          threads of a parallel loop (default: the cores this process may use)
  -v, -vv              say what is decided, say more
  --report             print what happened to each loop to stderr at the end
  --report-json PATH   the same as JSON
  --report-html PATH   comes later
  --version            print the version
  -h, --help           print this text

`python -m autopar check script.py` is not in this build yet.
"""

_WITH_VALUE = ("device", "fp", "packages", "threads", "report-json", "report-html")
_WITHOUT = ("report", "version", "help")
_PROGRAMS = ("-m", "-c")
_LATER = ("check", "site")


class UsageError(Exception):
    """The command line cannot be understood; the text is one line for the user."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line taken apart; `program` is None for ``--help`` and ``--version``."""

    settings: Mapping[str, object]
    program: Program | None
    text: str = ""


def main(arguments: Sequence[str]) -> None:
    """Do what the command line says; errors in it end with one line and exit code 2."""
    try:
        command = parse(arguments)
        if command.program is None:
            sys.stdout.write(command.text)
            return
        start = Path(runner.directory(command.program))
        settings = config.read(command.settings, os.environ, start)
        config.use(settings)
        if settings.enabled:
            from autopar.hook.switch import check_cache

            check_cache(settings)
    except (UsageError, ConfigError) as error:
        journal.write(str(error))
        raise SystemExit(2) from None
    runner.run(command.program, settings)


def parse(arguments: Sequence[str]) -> Command:
    """Take `arguments` apart; the first that is not an option of ours starts the program."""
    settings: dict[str, object] = {}
    rest = list(arguments)
    while rest:
        first = rest.pop(0)
        if first[:2] in _PROGRAMS:
            return Command(settings, _program(first, rest))
        if first == "-" or not first.startswith("-"):
            return Command(settings, _named(first, rest))
        if first == "--":
            if not rest:
                break
            return Command(settings, Program("file", rest[0], tuple(rest[1:])))
        text = _option(first, rest, settings)
        if text:
            return Command(settings, None, text)
    raise UsageError("no program given: python -m autopar [options] script.py (see --help)")


def _program(first: str, rest: list[str]) -> Program:
    """``-m name`` or ``-c code``; python also accepts them in one word."""
    flag, what = first[:2], first[2:]
    if not what:
        if not rest:
            raise UsageError(f"{flag} needs a value (see --help)")
        what = rest.pop(0)
    return Program("module" if flag == "-m" else "command", what, tuple(rest))


def _named(first: str, rest: list[str]) -> Program:
    if first == "-":
        return Program("stdin", first, tuple(rest))
    if first in _LATER and not os.path.exists(first):
        raise UsageError(f"`{first}` is not in this build yet")
    return Program("file", first, tuple(rest))


def _option(first: str, rest: list[str], settings: dict[str, object]) -> str:
    """Put one option into `settings`, or answer with the text that it asks for."""
    if first.strip("v") == "-":
        settings["verbose"] = min(2, int(str(settings.get("verbose", 0))) + len(first) - 1)
        return ""
    if first == "-h":
        return USAGE
    name, given, value = first[2:].partition("=")
    if not first.startswith("--") or name not in (*_WITH_VALUE, *_WITHOUT):
        raise UsageError(f"unknown option {first}{_near(name)}")
    if name in _WITHOUT:
        if given:
            raise UsageError(f"--{name} takes no value")
        settings.update({"report": True} if name == "report" else {})
        return {"help": USAGE, "version": f"autopar {__version__}\n"}.get(name, "")
    if not given:
        if not rest:
            raise UsageError(f"--{name} needs a value (see --help)")
        value = rest.pop(0)
    if name == "report-html":
        raise UsageError("--report-html comes later; --report-json PATH is there now")
    settings[name.replace("-", "_")] = value
    return ""


def _near(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, (*_WITH_VALUE, *_WITHOUT), 1)
    return f"; did you mean --{close[0]}?" if close else " (see --help)"
