"""ALPyNA's twelve benchmarks as plain Python, one file each, written from the mathematics.

Every file has ``make(n, seed)`` (deterministic inputs), ``run(**inputs)`` (the loops), ``SIZES``
and ``PARALLEL`` (the loop variables whose iterations ALPyNA runs in parallel).  `annotated` holds
the same loops with the pragmas of a Numba user.
"""

NAMES = (
    "vadd",
    "saxpy",
    "conway",
    "hilbert",
    "jacobi",
    "gemver",
    "black_scholes",
    "fbcorr",
    "conv_2d",
    "gemm",
    "mandelbrot",
    "syr2k",
)
