"""The kernels that the CPU suite measures, as plain Python, from their definitions.

Every file has ``make(n, seed)`` (deterministic inputs), ``run(**inputs)`` (the loops) and
``SIZES``; at the normal size CPython takes between one and ten seconds.  `by_hand` has what an
expert makes of each, `on_gpu` what one writes for a GPU.  ALPyNA's and Copperhead's kernels are
those of their own folders.
"""

import importlib

TOLERANCE = 1e-6
"""How far results of versions that reorder or contract may be from CPython's."""
TURNS_ON_LAST_BIT = {"smo_loops", "smo_comprehension"}
"""Which multipliers are changed next follows from squares that CPython has C's `pow` compute and
compilers multiply out, and from sums whose order is free in relaxed mode: later steps go another
way.  Only autopar's exact result is judged."""

ALPYNA = {
    "vadd": (30, 1_500_000, 8_000_000),
    "saxpy": (30, 1_500_000, 8_000_000),
    "conway": (9, 240, 900),
    "hilbert": (9, 1_000, 4_000),
    "jacobi": (9, 200, 500),
    "gemver": (9, 600, 1_500),
    "black_scholes": (30, 200_000, 1_500_000),
    "fbcorr": (7, 20, 45),
    "conv_2d": (9, 150, 400),
    "gemm": (9, 110, 230),
    "mandelbrot": (9, 150, 400),
    "syr2k": (9, 110, 230),
}
"""Tiny, quick and normal size of each of these twelve."""
COPPERHEAD = {
    "csr_loops": (9, 2_000, 10_000),
    "ell_loops": (9, 1_500, 8_000),
    "pcg_loops": (6, 40, 110),
    "smo_loops": (9, 200, 700),
    "csr_comprehension": (9, 5_000, 25_000),
    "csr_lists": (9, 5_000, 25_000),
    "ell_comprehension": (9, 2_000, 9_000),
    "pcg_comprehension": (6, 80, 200),
    "smo_comprehension": (9, 300, 1_000),
}
"""The same for these; only of those in plain loops is there a version by hand."""
JIT4GPU = ("matmul", "syrk", "nbody", "coulomb", "stencil_5")
POLYBENCH = (
    "two_mm",
    "three_mm",
    "atax",
    "bicg",
    "mvt",
    "gesummv",
    "doitgen",
    "trmm",
    "symm",
    "trisolv",
    "cholesky",
    "lu",
    "ludcmp",
    "covariance",
    "correlation",
    "durbin",
    "gramschmidt",
    "floyd_warshall",
    "nussinov",
    "adi",
    "fdtd_2d",
    "heat_3d",
    "jacobi_1d",
    "seidel_2d",
    "deriche",
)

CG_AND_SVM = ("cg_vectors", "rbf_rows")

PLACES = {
    **{name: (f"alpyna.{name}", f"suite.by_hand.{name}") for name in ALPYNA},
    **{
        name: (f"suite.{name}", f"suite.by_hand.{name}")
        for name in (*JIT4GPU, *CG_AND_SVM, *POLYBENCH)
    },
    **{
        name: (f"copperhead.{name}", f"suite.by_hand.{name}" if "loops" in name else None)
        for name in COPPERHEAD
    },
}
"""Where the plain text of each kernel is, and what is written by hand, or None."""
NAMES = tuple(PLACES)


def sizes(name):
    """The sizes of a kernel: tiny, quick, normal."""
    borrowed = {**ALPYNA, **COPPERHEAD}
    if name in borrowed:
        return dict(zip(("tiny", "quick", "normal"), borrowed[name], strict=True))
    return importlib.import_module(PLACES[name][0]).SIZES
