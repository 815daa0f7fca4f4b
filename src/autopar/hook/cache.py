"""Rewritten code on disk: one entry for each source file, replaced when anything changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER

from autopar import __version__, config, journal
from autopar.digest import SIZE, digest
from autopar.hook import record

_FORMAT = 2


def token(source: str | bytes, file: str) -> str:
    """Hash of everything that the rewritten code of `file` depends on."""
    found = digest()
    # "surrogatepass": a `str` that cannot be encoded still has a hash; compiling it is not our say
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    for part in (text, os.fsencode(file), *_circumstances()):
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()


def _circumstances() -> Iterator[bytes]:
    yield MAGIC_NUMBER
    yield sys.version.encode()
    # Warnings of the compiler are shown where code is compiled, so other options compile anew.
    yield repr((__version__, _FORMAT, sys.flags.optimize, sys.warnoptions)).encode()
    yield config.own_sum("hook", "nest").encode()


def find(file: str, token: str) -> record.Loops | None:
    """The entry for `file` if it was made under this `token` and is undamaged."""
    try:
        entry = config.read_whole(_entry(file))
    except (OSError, config.ConfigError):
        return None  # absent, or a directory that `keep` reports
    key, check, payload = entry[:SIZE], entry[SIZE : 2 * SIZE], entry[2 * SIZE :]
    # Unmarshalling damaged bytes can crash the interpreter, so the sum is checked first.
    if key != bytes.fromhex(token) or check != digest(payload).digest():
        return None
    return record.load(payload)


def writable() -> bool:
    """Whether there is a place to write to."""
    try:
        return os.access(config.cache_folder("code"), os.W_OK)
    except (OSError, config.ConfigError):
        return False


def keep(file: str, loops: record.Loops) -> None:
    """Store `loops`; without a place to write, say so at ``-v`` and go on."""
    payload = record.dump(loops)
    entry = bytes.fromhex(loops.token) + digest(payload).digest() + payload
    try:
        config.write_whole(_entry(file), entry)
    except (OSError, config.ConfigError) as error:
        journal.say(1, f"rewritten code is not cached: {error}")


def _entry(file: str) -> str:
    name = repr((file, sys.implementation.cache_tag, sys.flags.optimize)).encode()
    return os.path.join(config.cache_folder("code"), digest(name).hexdigest()[:32])
