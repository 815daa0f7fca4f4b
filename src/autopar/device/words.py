"""Small functions in C that kernels call for what C has no operator for, or means otherwise.

Signed integers that overflow, shifts that are too far and divisors of zero are undefined in C, and
integers wrap in kernel text.  So their operations are done on unsigned ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from autopar.device.dialect import Dialect
from autopar.device.values import kind
from autopar.nest.mixing import PARTS

_INT2, _UINT2 = "i64 a, i64 b", "u64 a, u64 b"
_OUT = "i64 *found, ap_bool *over"

# Name, type of the result, parameters, text (None: the dialect's own), other words in it.
_WORDS: tuple[tuple[str, str, str, str | None, tuple[str, ...]], ...] = (
    ("all", "ap_bool", "AP_LOCAL i32 *flag, ap_bool test", None, ()),
    ("least", "i64", "AP_LOCAL i32 *flag, i32 number", None, ()),
    ("high", "i64", _INT2, None, ()),
    ("high_unsigned", "u64", _UINT2, None, ()),
    ("zeros", "i64", "i64 a", None, ()),
    ("ones", "i64", "i64 a", None, ()),
    ("bits", "i64", "f64 a", None, ()),
    ("of_bits", "f64", "i64 a", None, ()),
    ("divide_float32", "f32", "f32 a, f32 b", None, ()),
    ("sqrt_float32", "f32", "f32 a", None, ()),
    ("square", "f64", "f64 a", "{ return a * a; }", ()),
    ("inf", "f64", "", "{ return ap_of_bits(0x7ff0000000000000); }", ("of_bits",)),
    ("nan", "f64", "", "{ return ap_of_bits(0x7ff8000000000000); }", ("of_bits",)),
    ("add", "i64", _INT2, "{ return (i64)((u64)a + (u64)b); }", ()),
    ("sub", "i64", _INT2, "{ return (i64)((u64)a - (u64)b); }", ()),
    ("mul", "i64", _INT2, "{ return (i64)((u64)a * (u64)b); }", ()),
    ("shl", "i64", _INT2, "{ return (i64)((u64)a << (b & 63)); }", ()),
    ("shr", "i64", _INT2, "{ return a >> (b & 63); }", ()),
    ("shl_unsigned", "u64", _UINT2, "{ return a << (b & 63); }", ()),
    ("shr_unsigned", "u64", _UINT2, "{ return a >> (b & 63); }", ()),
    # Devices divide 64 bits step by step; most numbers have room in half of them.
    (
        "div_unsigned", "u64", _UINT2,
        "{\n    b = b ? b : 1;\n    return (a | b) >> 32 ? a / b : (u32)a / (u32)b;\n}", (),
    ),
    (
        "mod_unsigned", "u64", _UINT2,
        # By the quotient, which is mostly wanted as well.
        "{ return a - ap_div_unsigned(a, b) * (b ? b : 1); }", ("div_unsigned",),
    ),
    (
        "floordiv", "i64", _INT2,
        """{
    if (((u64)a | (u64)b) >> 32 == 0) return (u32)a / (b ? (u32)b : 1);  // in far less time
    if (b == -1) return (i64)(0 - (u64)a);  // the one quotient that overflows
    b = b ? b : 1;
    i64 rest = a % b;
    return a / b - (rest != 0 && (rest ^ b) < 0);
}""", (),
    ),
    (
        "mod", "i64", _INT2,
        """{
    i64 near = (i64)(a < 0 ? (u64)a + (u64)b : a < b ? (u64)a : (u64)a - (u64)b);
    if (b > 0 && (u64)near < (u64)b) return near;  // as at the edge of a torus
    if (b == -1 || b == 0) return 0;
    if (((u64)a | (u64)b) >> 32 == 0) return (u32)a % (u32)b;
    i64 rest = a % b;
    return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}""", (),
    ),
    ("abs", "i64", "i64 a", "{ return a < 0 ? (i64)(0 - (u64)a) : a; }", ()),
    ("min_int64", "i64", _INT2, "{ return a < b ? a : b; }", ()),
    ("max_int64", "i64", _INT2, "{ return a > b ? a : b; }", ()),
    ("min_uint64", "u64", _UINT2, "{ return a < b ? a : b; }", ()),
    ("max_uint64", "u64", _UINT2, "{ return a > b ? a : b; }", ()),
    (
        "checked_add", "void", f"{_INT2}, {_OUT}",
        """{
    i64 sum = (i64)((u64)a + (u64)b);
    *over = ((a ^ sum) & (b ^ sum)) < 0;
    *found = sum;
}""", (),
    ),
    (
        "checked_sub", "void", f"{_INT2}, {_OUT}",
        """{
    i64 rest = (i64)((u64)a - (u64)b);
    *over = ((a ^ b) & (a ^ rest)) < 0;
    *found = rest;
}""", (),
    ),
    (
        "checked_mul", "void", f"{_INT2}, {_OUT}",
        """{
    i64 low = (i64)((u64)a * (u64)b);
    *over = ap_high(a, b) != low >> 63;
    *found = low;
}""", ("high",),
    ),
    (
        "checked_umul", "void", f"{_UINT2}, u64 *found, ap_bool *over",
        "{\n    *over = ap_high_unsigned(a, b) != 0;\n    *found = a * b;\n}", ("high_unsigned",),
    ),
    ("bit_length", "i64", "i64 a", "{ return 64 - ap_zeros(a); }", ("zeros",)),
    *(
        (f"complex_{dtype}", kind(dtype), f"{part} re, {part} im",
         f"{{ {kind(dtype)} z; z.re = re; z.im = im; return z; }}", ())
        for dtype, part in (("complex64", "f32"), ("complex128", "f64"))
    ),
    *(
        (f"{word}_{dtype}", kind(dtype), f"{kind(dtype)} a, {kind(dtype)} b",
         f"{{ return ap_complex_{dtype}({text}); }}", (f"complex_{dtype}",))
        for dtype in PARTS
        for word, text in (
            ("add", "a.re + b.re, a.im + b.im"),
            ("sub", "a.re - b.re, a.im - b.im"),
            ("mul", "a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re"),
        )
    ),
    *(
        (f"same_{dtype}", "ap_bool", f"{kind(dtype)} a, {kind(dtype)} b",
         "{ return a.re == b.re && a.im == b.im; }", ())
        for dtype in PARTS
    ),
    *(
        (f"from_{old}_to_{new}", kind(new), f"{kind(old)} a",
         f"{{ return ap_complex_{new}(({part})a.re, ({part})a.im); }}", (f"complex_{new}",))
        for old, new, part in (
            ("complex64", "complex128", "f64"), ("complex128", "complex64", "f32"),
        )
    ),
)  # fmt: skip
_NEEDED = {name: needed for name, _, _, _, needed in _WORDS}


def called(text: str) -> frozenset[str]:
    """Those of these functions that `text` calls."""
    return frozenset(re.findall(r"\bap_(\w+)\(", text)) & _NEEDED.keys()


def written(names: Iterable[str], dialect: Dialect) -> str:
    """Text of these functions and of what they call, each after what it calls."""
    wanted, grown = frozenset[str](), frozenset(names)
    while wanted != grown:
        wanted = grown
        grown = wanted.union(*(_NEEDED[name] for name in wanted))
    own = dict(dialect.words)
    return "".join(
        f"AP_FUNCTION {result} ap_{name}({parameters or 'void'}) {text or own[name]}\n"
        for name, result, parameters, text, _ in _WORDS
        if name in wanted
    )
