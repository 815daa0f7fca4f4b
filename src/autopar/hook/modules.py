"""autopar's own modules, all in one file of the cache.

To find a hundred modules, open them and read them takes as long as to run what is in them; and
where Python keeps no ``.pyc``, each process would compile them.  So a process leaves what it has
imported for those that come after it.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import sys
import zlib
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType

from autopar import __version__, config
from autopar.digest import digest
from autopar.records import BUILTINS, dataclass

__builtins__ = BUILTINS  # a program may replace Python's

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

PREFIX = "autopar."
_MOST_FILES = 8  # for other versions of Python, or of autopar
_HEAD = 8  # bytes that say how long the table is
_FIRST = 1 << 18  # bytes that are read at once, mostly with all that a short program imports
_LARGEST = 1 << 24  # a table has fewer


@dataclass(frozen=True, slots=True)
class Place:
    """Where the code of a module stands in the file, with its sum; and the files it comes from.

    Attributes
    ----------
    state
        Size and time of the module's own file, as it was when that was read.
    """

    start: int
    size: int
    check: int
    path: str
    cached: str | None
    package: bool
    state: tuple[int, int]

    def files(self) -> tuple[str, str | None, bool, tuple[int, int]]:
        """What stays wherever in the file the code is."""
        return self.path, self.cached, self.package, self.state

    @property
    def stands(self) -> bool:
        """Whether nobody has changed the module since."""
        try:
            return _state(self.path) == self.state
        except OSError:
            return False


class Modules:
    """The modules of one cache directory.

    Attributes
    ----------
    table
        Those that are in the file, by name: the values of their places.
    new
        The code of those that had to be imported from files of their own, which were of that state.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.process = os.getpid()
        self.table: dict[str, tuple[Any, ...]] = {}
        self.head = self.first = b""
        self.start = 0  # of the code in the file
        self.new: dict[str, tuple[CodeType, tuple[int, int]]] = {}
        with contextlib.suppress(OSError):
            self.read(self.part(0, _FIRST))

    def part(self, start: int, size: int) -> bytes:
        """Bytes of the file as it is now; others may have put one with more modules in its place.

        Raises
        ------
        OSError
            It cannot be read.
        """
        with open(self.file, "rb", buffering=0) as stream:
            if stream.read(_HEAD) != self.head and self.head:
                return b""
            stream.seek(start)
            return stream.read(size)

    def read(self, first: bytes) -> None:
        """Take the table from the first bytes of the file, where it is undamaged."""
        size, check = (int.from_bytes(first[k : k + 4], "little") for k in (0, 4))
        if _FIRST < _HEAD + size < _LARGEST:
            first = self.part(0, _HEAD + size)
        table = first[_HEAD : _HEAD + size]
        # Unmarshalling damaged bytes can crash the interpreter, so sums are checked first.
        if 0 < len(table) == size and zlib.crc32(table) == check:
            self.table = marshal.loads(table)
            self.head, self.first, self.start = first[:_HEAD], first, _HEAD + size

    def place(self, name: str) -> Place | None:
        """Where the code of a module stands, if it is in the file."""
        found = self.table.get(name)
        return None if found is None else Place(*found)

    def text(self, name: str) -> memoryview | bytes | None:
        """The marshalled code of a module, if it is in the file and undamaged."""
        place = self.place(name)
        if place is None:
            return None
        start = self.start + place.start
        text: memoryview | bytes = memoryview(self.first)[start : start + place.size]
        if len(text) < place.size:
            try:
                text = self.part(start, place.size)
            except OSError:
                return None
        return text if zlib.crc32(text) == place.check else None

    def code(self, name: str) -> CodeType | None:
        """The code of a module, if it is in the file."""
        text = self.text(name)
        if text is None:
            return None
        code: CodeType = marshal.loads(text)
        return code

    def spec(self, name: str) -> ModuleSpec | None:
        """What the import system asks for; None where the file has not the module as it is now."""
        place = self.place(name)
        if place is None or not place.stands:
            return None
        loader = _Loader(self, name, place.path, True)
        spec = ModuleSpec(name, loader, origin=place.path, is_package=place.package)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(place.path))
        spec.has_location = True
        spec.cached = place.cached
        return spec

    def noted(self, spec: ModuleSpec) -> ModuleSpec:
        """`spec` of a module that is not in the file, which is to know it the next time."""
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(self, spec.loader.name, spec.loader.path, False)
        return spec

    def leave(self) -> None:
        """Write the file anew, if this process has imported something that is not in it."""
        if self.new and os.getpid() == self.process:
            # Marshalling what there is no memory for may raise either of the two.
            with contextlib.suppress(OSError, MemoryError, ValueError):
                self.write()

    def write(self) -> None:
        """Put a file with all of it in the place of the one there is.

        Raises
        ------
        OSError, MemoryError, ValueError
            Nothing has changed.
        """
        old = Modules(self.file)  # of another process, perhaps, that has imported more
        table: dict[str, tuple[Any, ...]] = {}
        texts: list[bytes | memoryview] = []
        start = 0
        for name in dict.fromkeys((*old.table, *self.new)):  # early ones first
            text, place = old.text(name), old.place(name)
            if name in self.new:
                code, state = self.new[name]
                text, place = marshal.dumps(code), _place(name, state)
            if text is None or place is None:
                continue
            table[name] = (start, len(text), zlib.crc32(text), *place.files())
            texts.append(text)
            start += len(text)
        head = marshal.dumps(table)
        sizes = len(head).to_bytes(4, "little") + zlib.crc32(head).to_bytes(4, "little")
        config.make_room(os.path.dirname(self.file), _MOST_FILES)
        config.write_whole(self.file, b"".join((sizes, head, *texts)))


class _Loader(SourceFileLoader):
    """Loads a module of autopar's, whose code is in the file (`there`) or will be."""

    def __init__(self, modules: Modules, name: str, path: str, there: bool) -> None:
        super().__init__(name, path)
        self.modules, self.there = modules, there

    def exec_module(self, module: ModuleType) -> None:
        """Let it have builtins of its own: a program may put others in the place of Python's.

        As `unittest.mock.patch("builtins.open")` does for a while.
        """
        module.__dict__["__builtins__"] = BUILTINS
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType | None:
        code = self.modules.code(fullname) if self.there else None
        if code is None:
            state = _state(self.path)
            code = super().get_code(fullname)
            if code is not None:
                self.modules.new[fullname] = code, state
        return code


def _state(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def _place(name: str, state: tuple[int, int]) -> Place | None:
    """Of a module that has been imported, where it is to get one."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if spec is None or spec.origin is None:
        return None
    package = spec.submodule_search_locations is not None
    return Place(0, 0, 0, spec.origin, spec.cached, package, state)


def modules() -> Modules | None:
    """Those of the cache directory of the settings; None where nothing can be kept."""
    try:
        folder = config.cache_folder("modules")
    except (OSError, config.ConfigError):
        return None
    own = os.path.dirname(config.__file__)  # others may have another copy of autopar
    parts = MAGIC_NUMBER, sys.version, __version__, sys.flags.optimize, sys.pycache_prefix, own
    found = Modules(os.path.join(folder, digest(repr(parts).encode()).hexdigest()[:32]))
    atexit.register(found.leave)
    return found
