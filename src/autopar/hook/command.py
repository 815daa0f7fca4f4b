"""The command line of ``python -m autopar``: own options first, then the user's program."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial

from autopar import __version__, config, journal
from autopar.config import ConfigError
from autopar.hook import runner
from autopar.hook.runner import Program
from autopar.records import dataclass

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    import argparse
    from typing import Any, NoReturn

# What is not given has no entry in the result, so that the environment and the file decide it;
# values are checked in `config`, for all three in the same way.
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "--device": {
        "metavar": "NAME",
        "help": "auto, cpu, opencl, cuda, opencl:1, …, off (default: auto)",
    },
    "--fp": {"metavar": "LEVEL", "help": "exact (the default), ulp, relaxed: what may differ"},
    "--packages": {"metavar": "A,B.*", "help": "take the loops of these packages too"},
    "--threads": {"metavar": "N", "help": "threads of a parallel loop (default: usable cores)"},
    "-v": {"action": "count", "dest": "verbose", "help": "say what is decided; -vv says more"},
    "--report": {"action": "store_true", "help": "show what happened to each loop at the end"},
    "--report-json": {"metavar": "PATH", "help": "write the same as JSON"},
    "--report-html": {"metavar": "PATH", "help": "comes later"},
    "--dump-kernels": {"metavar": "DIR", "help": "write kernels for the device as C text"},
    "--version": {
        "action": "version",
        "version": f"autopar {__version__}",
        "help": "print the version",
    },
    "--help": {"action": "help", "help": "print this text"},
}
_LATER = ("check", "site")
_JOINED = r"(?s)(-v*[mc])(.+)"


class UsageError(Exception):
    """The command line cannot be understood; the text is one line for the user."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line taken apart: names of `Settings` with text or values, and what to run."""

    settings: Mapping[str, object]
    program: Program


def main(arguments: Sequence[str]) -> None:
    """Do what the command line says; errors in it end with one line and exit code 2."""
    try:
        command = parse(arguments)
        start = runner.directory(command.program)
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
    """Take `arguments` apart; the first that is not an option of ours starts the program.

    Raises
    ------
    UsageError
        It cannot be understood.
    SystemExit
        After ``--help`` and ``--version`` have printed their text.
    """
    first = arguments[0] if arguments else "-"
    if not first.startswith("-") and first not in _LATER:
        return Command({}, Program("file", first, tuple(arguments[1:])))
    parser = _parser()
    given = _read(parser, _apart(parser, list(arguments)))
    program = _program(given)
    if "report_html" in given:
        raise UsageError("--report-html comes later; --report-json PATH is there now")
    if "verbose" in given:
        given["verbose"] = min(2, given["verbose"])
    return Command(given, program)


def _parser() -> argparse.ArgumentParser:
    import argparse  # takes longer than all else here, and without options nobody needs it

    parser = argparse.ArgumentParser(
        prog="python -m autopar",
        usage="%(prog)s [options] (script.py | -m module | -c code | -) [args ...]",
        description="Runs a Python program with the loops that allow it in parallel.\n"
        "Everything after the program belongs to the program.",
        epilog="`python -m autopar check script.py` is not in this build yet.",
        # With a width argparse need not ask for the terminal's, for which it imports much.
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=96),
        argument_default=argparse.SUPPRESS,
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    rest: dict[str, Any] = {"nargs": argparse.REMAINDER, "help": argparse.SUPPRESS}
    parser.add_argument("-m", dest="module", **rest)
    parser.add_argument("-c", dest="command", **rest)
    parser.add_argument("program", **rest)
    options = parser.add_argument_group("options")
    for name, how in _OPTIONS.items():
        options.add_argument(*(("-h", name) if name == "--help" else (name,)), **how)
    return parser


def _apart(parser: argparse.ArgumentParser, arguments: list[str]) -> list[str]:
    """`arguments` with ``-mname`` as ``-m name``, as argparse goes on reading after the first."""
    import re

    for position, word in enumerate(arguments):
        joined = re.fullmatch(_JOINED, word)
        if joined:
            before, after = arguments[:position], arguments[position + 1 :]
            given = _read(parser, before)
            started = given["program"] or "module" in given or "command" in given
            return arguments if started else [*before, *joined.groups(), *after]
    return arguments


def _read(parser: argparse.ArgumentParser, arguments: list[str]) -> dict[str, Any]:
    import argparse

    try:
        given, unknown = parser.parse_known_args(arguments)
    except argparse.ArgumentError as error:
        # Nothing else can be wrong here: no option of ours has a type or choices.
        name = str(error.argument_name).removeprefix("-h/")
        wrong = "needs a value" if "metavar" in _OPTIONS[name] else "takes no value"
        raise UsageError(f"{name} {wrong} (see --help)") from None
    if unknown:
        _unknown(unknown[0])
    return vars(given)


def _program(given: dict[str, Any]) -> Program:
    """Take the program out of `given`."""
    words: list[str] = given.pop("program")
    # argparse ends `-m` and `-c` at a "--"; what stands in `words` then is the program's too.
    if "module" in given:
        name, *args = *_needed("-m", given.pop("module")), *words
        return Program("module", name, tuple(args))
    if "command" in given:
        code, *args = *_needed("-c", given.pop("command")), *words
        return Program("command", code, tuple(args))
    plain = words[:1] == ["--"]
    words = words[1:] if plain else words
    if not words:
        raise UsageError("no program given: python -m autopar [options] script.py (see --help)")
    name, *args = words
    if name == "-":
        return Program("stdin", name, tuple(args))
    if not plain and name.startswith("-"):
        _unknown(name)  # argparse takes "-1" and words with spaces for values
    if not plain and name in _LATER and not os.path.exists(name):
        raise UsageError(f"`{name}` is not in this build yet")
    return Program("file", name, tuple(args))


def _needed(flag: str, words: list[str]) -> list[str]:
    if not words:
        raise UsageError(f"{flag} needs a value (see --help)")
    return words


def _unknown(word: str) -> NoReturn:
    import difflib

    option = word.partition("=")[0]
    close = difflib.get_close_matches(option, _OPTIONS, 1)
    hint = f"; did you mean {close[0]}?" if close else " (see --help)"
    raise UsageError(f"unknown option {option}{hint}")
