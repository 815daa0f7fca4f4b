"""Settings, read once: command line over environment over pyproject.toml over default."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping

from autopar import __version__
from autopar.digest import digest
from autopar.records import BUILTINS, dataclass, replace

__builtins__ = BUILTINS  # a program may replace Python's

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Literal

    Fp = Literal["exact", "ulp", "relaxed"]

Location = str | os.PathLike[str]
"""A path.  `pathlib` is not imported: a program without loops would wait for that longest."""

_DIALECTS = ("cuda", "opencl")
_DEVICES = ("auto", "cpu", *_DIALECTS, "off")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class ConfigError(ValueError):
    """A setting that autopar cannot work with; the text names where it came from."""


Target = tuple[str, int]
"""A device: the kind of C that it takes, and which of the devices of that kind, from 0."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set.

    Attributes
    ----------
    packages, exclude
        Patterns of dotted module names: ``a`` means `a` and all below it, ``a.*`` all below `a`.
    device
        ``auto``, ``cpu`` or ``off``; or ``cuda`` or ``opencl``, with a colon and the number of one
        where there are several.
    threads
        Resolved: the number of threads a parallel loop may use.
    device_memory
        Bytes of a device's memory that a nest may take; None: what there is.
    background
        Whether a copy of the process may make kernels while the program goes on.
    dump_kernels
        Directory for the text of kernels for devices.
    debug, verbose
        0 to 5 (``AUTOPAR_DEBUG``) and 0 to 2 (``-v``, ``-vv``).
    """

    enabled: bool
    device: str
    fp: Fp
    threads: int
    packages: tuple[str, ...]
    exclude: tuple[str, ...]
    cache_dir: Location
    verify: bool
    fail_on_fallback: bool
    check: bool
    debug: int
    verbose: int
    report: bool
    report_json: Location | None
    report_html: Location | None
    dump_kernels: Location | None = None
    device_memory: int | None = None
    background: bool = True

    @property
    def target(self) -> Target | None:
        """The device that the user wants, in any case; or None."""
        name, _, number = self.device.partition(":")
        return (name, int(number or 0)) if name in _DIALECTS else None


# ---------------------------------------------------------------------------- single values


def _one_of(*names: str) -> Callable[[object], object]:
    def parse(value: object) -> object:
        if value not in names:
            raise ConfigError(f"accepted are {', '.join(names)}{_near(str(value), names)}")
        return value

    return parse


def _switch(value: object) -> object:
    if isinstance(value, bool):
        return value
    if value in ("0", "1"):
        return value == "1"
    raise ConfigError("accepted are 0 and 1")


def _number(low: int, high: int) -> Callable[[object], object]:
    def parse(value: object) -> object:
        text = str(value).strip()
        # `True` would pass for 1; only plain decimal digits are meant.
        if text.isascii() and text.isdecimal() and low <= int(text) <= high:
            return int(text)
        raise ConfigError(f"accepted is a whole number from {low} to {high}")

    return parse


def _patterns(value: object) -> object:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise ConfigError('accepted are module names such as ["mypkg", "other.*"]')
    names = tuple(item.strip() if isinstance(item, str) else item for item in items)
    for name in names:
        if name != "" and not _is_pattern(name):
            raise ConfigError(f"accepted are module names such as mypkg or other.*, not {name!r}")
    return tuple(name for name in names if name)


def _is_pattern(name: object) -> bool:
    return isinstance(name, str) and all(
        part.replace("*", "x").isidentifier() for part in name.split(".")
    )


def _device(value: object) -> object:
    name, colon, number = str(value).partition(":")
    if not colon:
        return _one_of(*_DEVICES)(value)
    if name not in _DIALECTS or not number.isdecimal():
        kinds = " and ".join(f"{kind}:1" for kind in _DIALECTS)
        raise ConfigError(f"accepted are {', '.join(_DEVICES)}, and with numbers {kinds}")
    return value


def _bytes(value: object) -> object:
    text = str(value).strip()
    digits, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "")
    if digits.isascii() and digits.isdecimal() and 0 < int(digits) < 1 << 40:
        return int(digits) * _UNITS.get(unit, 1)
    raise ConfigError("accepted is a number of bytes, or of K, M or G of them, such as 512M")


def _path(value: object) -> object:
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise ConfigError("accepted is a path")
    # Absolute from the start, since the script may change its directory.
    return os.path.abspath(os.path.expanduser(value))


@dataclass(frozen=True, slots=True)
class _Option:
    """How one field of `Settings` is read; `variable` is its place in the environment."""

    parse: Callable[[object], object]
    variable: str | None = None
    in_file: bool = False


_OPTIONS: Mapping[str, _Option] = {
    "enabled": _Option(_switch, "AUTOPAR"),
    "device": _Option(_device, "AUTOPAR_DEVICE", in_file=True),
    "device_memory": _Option(_bytes, "AUTOPAR_DEVICE_MEMORY", in_file=True),
    "background": _Option(_switch, "AUTOPAR_BACKGROUND", in_file=True),
    "dump_kernels": _Option(_path),
    "fp": _Option(_one_of("exact", "ulp", "relaxed"), "AUTOPAR_FP", in_file=True),
    "threads": _Option(_number(1, 65536), "AUTOPAR_THREADS", in_file=True),
    "packages": _Option(_patterns, "AUTOPAR_PACKAGES", in_file=True),
    "exclude": _Option(_patterns, in_file=True),
    "cache_dir": _Option(_path, "AUTOPAR_CACHE_DIR", in_file=True),
    "verify": _Option(_switch, "AUTOPAR_VERIFY"),
    "fail_on_fallback": _Option(_switch, "AUTOPAR_FAIL_ON_FALLBACK"),
    "check": _Option(_switch, "AUTOPAR_CHECK"),
    "debug": _Option(_number(0, 5), "AUTOPAR_DEBUG"),
    "verbose": _Option(_number(0, 2)),
    "report": _Option(_switch),
    "report_json": _Option(_path, "AUTOPAR_REPORT_JSON"),
    "report_html": _Option(_path),
}


def _near(name: str, known: tuple[str, ...]) -> str:
    """``; did you mean …?`` or nothing."""
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _read_one(field: str, value: object, where: str) -> object:
    try:
        return _OPTIONS[field].parse(value)
    except ConfigError as error:
        raise ConfigError(f"{where}: {value!r} is not possible: {error}") from None


# ---------------------------------------------------------------------------- sources


def _from_cli(cli: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for field, value in _known(cli):
        yield field, _read_one(field, value, "--" + field.replace("_", "-"))


def _from_call(given: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for field, value in _known(given):
        yield field, _read_one(field, value, f"install({field}=…)")


def _known(given: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """What was given; None means not given."""
    for field, value in given.items():
        if field not in _OPTIONS:
            raise ConfigError(f"unknown setting {field!r}{_near(field, tuple(_OPTIONS))}")
        if value is not None:
            yield field, value


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    fields_by_variable = {o.variable: field for field, o in _OPTIONS.items() if o.variable}
    for variable, value in environ.items():
        if variable != "AUTOPAR" and not variable.startswith("AUTOPAR_"):
            continue
        if variable not in fields_by_variable:
            near = _near(variable, tuple(fields_by_variable))
            raise ConfigError(f"unknown environment variable {variable}{near}")
        # A variable set to nothing is how shells and job systems say "not set".
        if value != "":
            field = fields_by_variable[variable]
            yield field, _read_one(field, value, variable)


def _pyproject(start: Location) -> str | None:
    """The nearest pyproject.toml at or above `start`."""
    directory, above = os.path.abspath(start), ""
    while directory != above:
        file = os.path.join(directory, "pyproject.toml")
        if os.path.isfile(file):
            return file
        directory, above = os.path.dirname(directory), directory
    return None


def _may_concern(raw: bytes) -> bool:
    """Whether this may be TOML with a table ``tool.autopar``, and not just the name somewhere.

    A dot is before the second word, or it comes first in a line, or in braces, and belongs to a
    table that has begun before; what is named after it has a dot or an equals sign in between.
    """
    if any(escape in raw for escape in (b"\\u00", b"\\U0000", b"\\x6", b"\\x7")):
        return True  # a letter may be written as its number
    for line in raw.splitlines():
        parts = line.split(b"autopar")
        for before, after in itertools.pairwise(parts):
            left, right = before.rstrip(b" \t\"'")[-1:], after.lstrip(b" \t\"'")[:1]
            if left == b"." or (left in b"{," and right and right in b".="):
                return True
    return False


def _table(file: str) -> Mapping[str, object]:
    """The ``[tool.autopar]`` table of `file`."""
    try:
        with open(file, "rb") as stream:
            raw = stream.read()
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from None
    if not _may_concern(raw):
        return {}  # spares the import of tomllib, and complaints about a file not meant for us
    import tomllib

    try:
        tool = tomllib.loads(raw.decode()).get("tool", {})
    except ValueError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from None
    table = tool.get("autopar", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: [tool.autopar] must be a table")
    return table


def _from_file(file: str) -> Iterator[tuple[str, object]]:
    known = tuple(field for field, option in _OPTIONS.items() if option.in_file)
    for key, value in _table(file).items():
        if key not in known:
            raise ConfigError(f"{file}: unknown key {key!r} in [tool.autopar]{_near(key, known)}")
        where = f"{file}: {key} in [tool.autopar]"
        if key == "cache_dir" and isinstance(value, str) and value:
            value = os.path.join(os.path.dirname(file), os.path.expanduser(value))
        yield key, _read_one(key, value, where)


def _default_cache_dir() -> str:
    if sys.platform == "linux":  # platformdirs' own rule, without the 8 ms that its import takes
        base = os.environ.get("XDG_CACHE_HOME", "").strip() or os.path.expanduser("~/.cache")
        path = os.path.join(base, "autopar")
    else:
        import platformdirs

        path = platformdirs.user_cache_dir("autopar")
    if os.path.isabs(path):
        return path
    # No home directory (a container with an unknown user): "~" was not expanded.
    import tempfile

    owner = os.getuid() if hasattr(os, "getuid") else "user"
    return os.path.join(tempfile.gettempdir(), f"autopar-{owner}")


def _cores() -> int:
    """CPUs that this process may use, which a job system may have made fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _defaults() -> dict[str, object]:
    switched_on = {"enabled", "background"}
    switches = {field for field, option in _OPTIONS.items() if option.parse is _switch}
    return {
        **{field: field in switched_on for field in switches},
        "device": "auto",
        "fp": "exact",
        "packages": (),
        "exclude": (),
        "debug": 0,
        "verbose": 0,
        "report_json": None,
        "report_html": None,
        "device_memory": None,
        "dump_kernels": None,
    }


def read(cli: Mapping[str, object], environ: Mapping[str, str], start: Location) -> Settings:
    """Settings from all sources.

    Parameters
    ----------
    cli
        Field names of `Settings` with text or values; None means not given.
    environ
        Usually `os.environ`.
    start
        Directory from which pyproject.toml is searched upwards.

    Raises
    ------
    ConfigError
        For an unknown name or a value that is not accepted.
    """
    values = _defaults()
    file = _pyproject(start)
    values.update(_from_file(file) if file else ())
    values.update(_from_environment(environ))
    values.update(_from_cli(cli))
    if environ.get("AUTOPAR") == "0":
        values["enabled"] = False  # off everywhere, whatever the command line says
    if "threads" not in values:
        values["threads"] = _cores()
    if "cache_dir" not in values:
        values["cache_dir"] = _default_cache_dir()
    return Settings(**values)  # type: ignore[arg-type]  # each value came through its parser


# ---------------------------------------------------------------------------- the current ones

_current: Settings | None = None
whole_command = False
"""Whether this process is `python -m autopar` with a program, rather than one that imports it."""


def current() -> Settings:
    """The settings in force; those of the environment where nobody has set any."""
    global _current
    if _current is None:
        _current = read({}, os.environ, os.getcwd())
    return _current


def use(settings: Settings) -> None:
    """Make `settings` the ones in force."""
    global _current
    _current = settings


def changed(given: Mapping[str, object], start: Location) -> Settings:
    """The settings in force (or else those of environment and file) with `given` on top."""
    base = _current or read({}, os.environ, start)
    enabled = os.environ.get("AUTOPAR") != "0" and bool(given.get("enabled", True))
    return replace(base, **{**dict(_from_call(given)), "enabled": enabled})  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- cache files


_found_only = False


def found_only() -> None:
    """Have no cache from now on but one that is there: who removes it is not to find it again."""
    global _found_only
    _found_only = True


def cache_folder(name: str) -> str:
    """The folder `name` of the cache; raises as `private_dir` does."""
    whole = os.fspath(current().cache_dir)
    if _found_only and not os.path.isdir(whole):
        raise FileNotFoundError(whole)
    return private_dir(os.path.join(private_dir(whole), name))


@functools.cache
def own_files(*rooms: str) -> list[tuple[str, int, int]]:
    """Path, size and time of autopar's modules in these rooms and in none, for caches of work."""
    return sorted(file for room in ("", *rooms) for file in _files(room))


def ways() -> tuple[object, ...]:
    """What has a say in which loops are taken, and how."""
    now = current()
    own = __version__, own_sum("hook", "nest")  # which is known: others ask the system
    return sys.version, own, now.device, now.fp, now.threads, now.packages, now.exclude


@functools.cache
def own_sum(*rooms: str) -> str:
    """What `own_files` says, in short."""
    return digest(repr(own_files(*rooms)).encode("utf-8", "surrogatepass")).hexdigest()


@functools.cache
def _files(room: str) -> list[tuple[str, int, int]]:
    """The same of one room; "" is none.

    Each file is a question to the system, and they are hundreds: who asks for few rooms saves a
    short program a thirtieth of its time.
    """
    found: list[tuple[str, int, int]] = []
    todo = [os.path.join(os.path.dirname(__file__), room)]
    while todo:
        with os.scandir(todo.pop()) as entries:
            inside = list(entries)
        files = [(e.path, e.stat()) for e in inside if e.name.endswith(".py")]
        found += [(path, state.st_size, state.st_mtime_ns) for path, state in files]
        if room:
            todo += [e.path for e in inside if e.name != "__pycache__" and e.is_dir()]
    return found


def private_dir(path: Location) -> str:
    """Create `path` for this user alone if it is missing, and refuse one that others can write.

    What lies in a cache is executed, so whoever can write there can run code as this user.

    Raises
    ------
    ConfigError
        The directory belongs to someone else, or others may write to it.
    OSError
        It cannot be created; callers work without a cache then.
    """
    path = os.fspath(path)
    os.makedirs(path, mode=0o700, exist_ok=True)
    if not hasattr(os, "getuid"):
        return path  # Windows: the user's profile is protected by its own rules
    found = os.stat(path)
    remedy = "or set AUTOPAR_CACHE_DIR to a directory of your own"
    if found.st_uid != os.getuid():
        raise ConfigError(f"the cache directory {path} is another user's; remove it, {remedy}")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        shared = found.st_mode & stat.S_ISVTX  # such as /tmp: others need it as it is
        close = "" if shared else f"run `chmod go-w {path}`, or "
        raise ConfigError(
            f"others can write to the cache directory {path}; "
            f"{close}set AUTOPAR_CACHE_DIR to a directory of your own"
        )
    return path


def write_whole(path: Location, data: bytes) -> None:
    """Write `path` in one step, as seen by other processes; readable by this user alone.

    Raises
    ------
    OSError
        It cannot be written; `path` is as it was then, and nothing is left beside it.
    """
    # Random, not the process id: the directory may be shared by machines and containers.
    part = f"{os.fspath(path)}.{os.urandom(8).hex()}.part"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise


def read_whole(path: Location) -> bytes:
    """What is in the file `path`; raises OSError where it cannot be read."""
    with open(path, "rb") as stream:
        return stream.read()


def make_room(folder: Location, most: int) -> None:
    """Remove the older half of the files in `folder` once there are `most`.

    Raises
    ------
    OSError
        Such as when another process does the same.
    """
    with os.scandir(folder) as entries:
        found = list(entries)
    if len(found) >= most:
        by_age = sorted(found, key=lambda entry: entry.stat().st_mtime_ns)
        for entry in by_age[: len(found) // 2]:
            os.unlink(entry.path)
