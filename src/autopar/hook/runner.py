"""Runs a program as `python` would, with the loops of `__main__` taken too."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.machinery import BuiltinImporter, ModuleSpec, SourceFileLoader, SourcelessFileLoader
from types import CodeType, ModuleType, TracebackType

from autopar import config
from autopar.config import Settings
from autopar.hook import collector
from autopar.hook.finder import Scope
from autopar.records import dataclass

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Literal

_BELOW_THE_USER = (
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,
    "<frozen runpy>",
    os.path.join(os.path.dirname(os.__file__), "runpy.py"),  # with -X frozen_modules=off
)


_LATER = ("fnmatch", "re", "typing")
"""Modules of Python's that autopar imports once it needs them, unless the user has a file of that
name, which may be there for something else and must not be run instead."""


@dataclass(frozen=True, slots=True)
class Program:
    """What follows autopar's own options on the command line."""

    kind: Literal["file", "module", "command", "stdin"]
    what: str
    args: tuple[str, ...]


def directory(program: Program) -> str:
    """Where the program's own modules live."""
    if program.kind != "file":
        return os.getcwd()
    path = os.path.realpath(program.what)
    return path if os.path.isdir(path) else os.path.dirname(path)


def run(program: Program, settings: Settings) -> None:
    """Run `program` to its end; exceptions leave as they would leave `python`."""
    scope = None
    if settings.enabled:
        from autopar.hook import switch
        from autopar.report import at_exit

        scope = switch.start(settings, [directory(program)])
        at_exit()
        config.whole_command = True
    sys.argv[:] = [program.what if program.kind == "file" else "-", *program.args]
    match program.kind:
        case "file":
            _run_file(program.what, scope)
        case "module":
            _run_module(program.what)
        case "command":
            sys.argv[0] = "-c"
            _first_on_path("")
            _run_text(program.what, "<string>", scope)
        case "stdin":
            _first_on_path("")
            _run_stdin(scope)


def _first_on_path(directory: str) -> None:
    if sys.flags.safe_path:
        return
    for name in _LATER:
        place = os.path.join(directory, name)
        if os.path.exists(f"{place}.py") or os.path.isdir(place):
            import_module(name)
    sys.path.insert(0, directory)


# ---------------------------------------------------------------------------- kinds of programs


def _run_file(name: str, scope: Scope | None) -> None:
    path = name if os.path.isabs(name) else os.path.join(os.getcwd(), name)
    if _is_importable(path):  # a directory or an archive with a __main__.py in it
        sys.path.insert(0, path)
        _run_found("__main__")
        return
    try:
        with open(path, "rb") as stream:
            source = stream.read()
    except OSError as error:
        sys.stderr.write(
            f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\n"
        )
        raise SystemExit(2) from None
    _first_on_path(os.path.dirname(os.path.realpath(path)))
    if path.endswith(".pyc"):
        bare = SourcelessFileLoader("__main__", path)
        named = {"__loader__": bare, "__file__": path, "__cached__": None}
        _execute(lambda: bare.get_code("__main__"), named)
        return
    plain = SourceFileLoader("__main__", path)
    named = {"__loader__": plain, "__file__": path, "__cached__": None}
    _execute(lambda: _script_code(source, path, scope), named)


def _is_importable(path: str) -> bool:
    for hook in sys.path_hooks:
        try:
            hook(path)
        except ImportError:
            continue
        return True
    return False


def _script_code(source: bytes, path: str, scope: Scope | None) -> CodeType:
    from autopar.hook.ahead import Failed
    from autopar.hook.loader import code_of

    code = ends_with = None
    if scope is not None and not scope.leaves("__main__"):
        try:
            code = code_of(source, path, "script")
        except Failed as failed:
            ends_with = failed.error
    if ends_with is not None:
        raise ends_with
    return code or compile(source, path, "exec", dont_inherit=True)


def _run_module(name: str) -> None:
    _first_on_path(os.getcwd())
    sys.argv[0] = "-m"
    _run_found(name)


def _run_found(name: str) -> None:
    """Run a module that the import system finds, rewritten by its loader where it is ours."""
    import runpy

    details: Callable[..., tuple[str, ModuleSpec, CodeType]]
    if name == "__main__":
        details = runpy._get_main_module_details  # type: ignore[attr-defined]
    else:
        details = partial(runpy._get_module_details, name)  # type: ignore[attr-defined]
    error: type[Exception] = runpy._Error  # type: ignore[attr-defined]
    _start()  # for packages around it are executed
    try:
        _, spec, code = details(error)
    except error as reason:
        raise SystemExit(f"{sys.executable}: {reason}") from None
    except Exception:
        _trim_traceback(None)
        raise
    if name != "__main__":
        assert spec.origin is not None
        sys.argv[0] = spec.origin
    named = {
        "__loader__": spec.loader,
        "__file__": spec.origin,
        "__cached__": spec.cached,
        "__package__": spec.parent,
        "__spec__": spec,
    }
    _execute(lambda: code, named, keeps_file=True)


def _run_text(source: str | bytes, file: str, scope: Scope | None) -> None:
    # Python runs -c and stdin with the loader that the interpreter gave to `__main__` at start.
    named: dict[str, object] = {"__loader__": BuiltinImporter}
    if file == "<stdin>":
        named.update(__file__=file, __cached__=None)

    def code() -> CodeType | None:
        from autopar.hook.loader import code_of

        found = None
        if scope is not None and not scope.leaves("__main__"):
            found = code_of(source, file, "text")
        return found or compile(source, file, "exec", dont_inherit=True)

    _execute(code, named)


def _run_stdin(scope: Scope | None) -> None:
    if sys.stdin.isatty():
        import code

        _start()
        code.interact(local=_new_main({"__loader__": BuiltinImporter}).__dict__)
        return
    _run_text(sys.stdin.buffer.read(), "<stdin>", scope)


# ---------------------------------------------------------------------------- running


def _start() -> None:
    """What comes now may be the program's."""
    collector.start(apart=config.current().enabled)


def _new_main(attributes: Mapping[str, object]) -> ModuleType:
    """A `__main__` with `attributes` in the order that a fresh interpreter gives them."""
    main = ModuleType("__main__")
    late = ("__file__", "__cached__")
    main.__dict__.update({k: v for k, v in attributes.items() if k not in late})
    main.__dict__.update(__annotations__={}, __builtins__=builtins)
    main.__dict__.update({k: attributes[k] for k in late if k in attributes})
    sys.modules["__main__"] = main
    return main


def _execute(
    code: Callable[[], CodeType | None],
    named: Mapping[str, object],
    *,
    keeps_file: bool = False,
) -> None:
    """Run code in a `__main__` with such attributes; afterwards take back what Python does."""

    def forget() -> None:
        if not keeps_file:
            main.__dict__.pop("__file__", None)
            main.__dict__.pop("__cached__", None)

    try:
        try:
            compiled = code()
        finally:
            _start()
            main = _new_main(named)
        assert compiled is not None
        exec(compiled, main.__dict__)
    except SystemExit as end:
        if end.code not in (None, 0):
            _note_failure()
        raise
    except BaseException:
        # The interpreter prints it, so that exit codes, Ctrl-C and `python -i` work as ever.
        _trim_traceback(forget)
        raise
    forget()


def _note_failure() -> None:
    """Let nobody compare how long the program took with other runs of it."""
    if "autopar.runtime.process" in sys.modules:  # else nobody is there who would
        from autopar.runtime import process

        process.failed = True


def _trim_traceback(then: Callable[[], None] | None) -> None:
    """Let the exception that is on its way out be shown without the frames below the user's."""
    hook = getattr(sys, "excepthook", sys.__excepthook__)

    def show(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = hook
        users = _users(trace)
        if users is not None or isinstance(value, SyntaxError):
            trace = users
        value.__traceback__ = sys.last_traceback = trace
        try:
            hook(kind, value, trace)
        finally:
            if then is not None:
                then()

    sys.excepthook = show


def _users(trace: TracebackType | None) -> TracebackType | None:
    """`trace` from the first frame that is neither ours nor runpy's."""
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def _is_ours(file: str) -> bool:
    return file.startswith(_BELOW_THE_USER)
