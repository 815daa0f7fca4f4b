"""The 20 kernels of NPBench that APPy was measured on, as NumPy with loops, from their definitions.

Every file has ``make(n, seed)`` (deterministic inputs), ``run(**inputs)`` (the kernel, which writes
into its arguments) and ``SIZES``.

References
----------
T. Zhou, J. Shirako, V. Sarkar, "APPy: Annotated Parallelism for Python on GPUs", CC 2024.
A. Ziogas et al., "NPBench: A Benchmarking Suite for High-Performance NumPy", ICS 2021.
"""

NAMES = (
    "azimint_naive",
    "cholesky",
    "covariance",
    "fdtd_2d",
    "floyd_warshall",
    "gemm",
    "gemver",
    "gesummv",
    "go_fast",
    "gramschmidt",
    "heat_3d",
    "jacobi_1d",
    "jacobi_2d",
    "softmax",
    "spmv",
    "symm",
    "syr2k",
    "syrk",
    "trisolv",
    "trmm",
)
