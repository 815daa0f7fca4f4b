"""BLAKE2 as `hashlib` has it, whose import would load OpenSSL: longer than all hashes take.

It names files of caches and tells damaged ones: nobody relies on its being hard to forge.
"""

from functools import partial

try:
    from _blake2 import blake2b
except ImportError:  # a Python that was built without it
    from hashlib import blake2b

SIZE = 32
"""Bytes of a digest."""
digest = partial(blake2b, digest_size=SIZE)
