"""Names of kernel text as names in C."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[a-z][a-z0-9_]*")
# Words of C, OpenCL C and C++, types, macros in small letters, and functions that kernels call.
_WORDS = """
    alignas alignof and and_eq asm atomic auto bitand bitor bool break c128 c64 case catch
    ceil char class compl complex const const_cast constant constexpr continue copysign
    decltype default delete do double dynamic_cast else enum event event_t explicit export
    extern f32 f64 fabs false float floor fma fmod for friend global goto half half2 i16 i32
    i64 i8 if image imaginary inline int intptr_t kernel linux local long mutable namespace
    new noexcept not not_eq nullptr operator or or_eq pipe pixel private protected ptrdiff_t
    public quad read_only read_write register reinterpret_cast restrict return rint
    sampler_t short signbit signed size_t sizeof sqrt static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename u16 u32
    u64 u8 uchar uint uintptr_t ulong uniform union unix unsigned ushort using vec_step
    virtual void volatile wchar_t while write_only xor xor_eq
"""
_TAKEN = frozenset(_WORDS.split())
_VECTOR = re.compile(r"(u?(char|short|int|long)|float|double|half|bool|quad|complex)\d+(x\d+)?")


def spelled(name: str) -> str:
    """`name` for a variable in C: itself wherever C has no other use for it.

    What begins with ``ap_`` is ours.  A changed name ends in what no name of a user's does, so that
    no two become one.
    """
    free = _PLAIN.fullmatch(name) and name not in _TAKEN and not _VECTOR.fullmatch(name)
    if free and not name.startswith(("ap_", "u_", "cl_", "as_", "convert_")):
        return name
    return "u_" + "".join(
        c if re.fullmatch(r"[A-Za-z0-9]", c) else "_" if c == "_" else f"_{ord(c):x}_" for c in name
    )
