"""How OpenCL and CUDA spell what kernels need: all in which their C differs."""

from __future__ import annotations

from autopar.records import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """One kind of C for devices.

    Attributes
    ----------
    name, suffix
        As users write it, and of files with its text.
    head
        Comes first in each text: the types that are named after NumPy's dtypes, and words that
        mean the same in all dialects.
    options
        For its compiler, so that each operation is rounded as it stands.
    words
        Text of functions that have no common spelling.
    """

    name: str
    suffix: str
    head: str
    options: tuple[str, ...]
    words: tuple[tuple[str, str], ...]


APART = "#define AP_APART\n"
"""In front of a text: what an array holds is reached by way of its own address only."""
_TYPES = """\
typedef struct { f64 re, im; } c128;
typedef struct { f32 re, im; } c64;
typedef u8 ap_bool;
#ifdef AP_APART
#define AP_ONLY AP_RESTRICT
#else
#define AP_ONLY
#endif
"""

OPENCL = Dialect(
    name="opencl",
    suffix=".cl",
    head=f"""\
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define AP_KERNEL __kernel
#define AP_KERNEL_OF(items) AP_KERNEL
#define AP_FUNCTION static
#define AP_GLOBAL __global
#define AP_RESTRICT restrict
#define AP_LOCAL __local
#define AP_CHIP __local
#define AP_MEET barrier(CLK_LOCAL_MEM_FENCE)
#define AP_ITEM get_global_id(0)
#define AP_GROUP get_local_size(0)
#define AP_WORST(word, status) atomic_max(word, status)
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef float f32;
typedef double f64;
{_TYPES}""",
    # Nothing is said of speed here: each such option gives up bits.
    # The user can do nothing about what a compiler thinks of text that they have not written.
    options=("-cl-std=CL1.2", "-w"),
    words=(
        (
            "all",
            """{
    if (get_local_id(0) == 0) *flag = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!test) *flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ap_bool found = *flag != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return found;
}""",
        ),
        (
            "least",
            """{
    if (get_local_id(0) == 0) *flag = number;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_min(flag, number);
    barrier(CLK_LOCAL_MEM_FENCE);
    i32 found = *flag;
    barrier(CLK_LOCAL_MEM_FENCE);
    return found;
}""",
        ),
        ("high", "{ return mul_hi(a, b); }"),
        ("high_unsigned", "{ return mul_hi(a, b); }"),
        ("zeros", "{ return clz(a); }"),
        ("ones", "{ return popcount(a); }"),
        ("bits", "{ return as_long(a); }"),
        ("of_bits", "{ return as_double(a); }"),
        # Twice the digits and two more are enough to round twice: S. Figueroa, "When is double
        # rounding innocuous?", SIGNUM Newsletter 30(3), 1995.  OpenCL rounds floats loosely here.
        ("divide_float32", "{ return (f32)((f64)a / (f64)b); }"),
        ("sqrt_float32", "{ return (f32)sqrt((f64)a); }"),
    ),
)

CUDA = Dialect(
    name="cuda",
    suffix=".cu",
    head=f"""\
#define AP_KERNEL extern "C" __global__
#define AP_KERNEL_OF(items) AP_KERNEL __launch_bounds__(items, 1)
#define AP_FUNCTION static __device__
#define AP_GLOBAL
#define AP_RESTRICT __restrict__
#define AP_LOCAL
#define AP_CHIP __shared__
#define AP_MEET __syncthreads()
#define AP_GROUP blockDim.x
#define AP_ITEM ((i64)blockIdx.x * blockDim.x + threadIdx.x)
#define AP_WORST(word, status) atomicMax(word, status)
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
{_TYPES}""",
    options=("--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"),
    words=(
        ("all", "{ return __syncthreads_and(test) != 0; }"),
        (
            "least",
            """{
    if (threadIdx.x == 0) *flag = number;
    __syncthreads();
    atomicMin(flag, number);
    __syncthreads();
    i32 found = *flag;
    __syncthreads();
    return found;
}""",
        ),
        ("high", "{ return __mul64hi(a, b); }"),
        ("high_unsigned", "{ return __umul64hi(a, b); }"),
        ("zeros", "{ return __clzll(a); }"),
        ("ones", "{ return __popcll(a); }"),
        ("bits", "{ return __double_as_longlong(a); }"),
        ("of_bits", "{ return __longlong_as_double(a); }"),
        ("divide_float32", "{ return __fdiv_rn(a, b); }"),
        ("sqrt_float32", "{ return __fsqrt_rn(a); }"),
    ),
)
DIALECTS = {dialect.name: dialect for dialect in (OPENCL, CUDA)}
