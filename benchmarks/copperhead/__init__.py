"""The three examples of the Copperhead paper as plain Python, from the mathematics, in two styles.

Files that end in ``_comprehension`` build new lists with comprehensions, ``map``, ``zip``, ``sum``
and ``reduce``; those that end in ``_loops`` go through NumPy arrays with ``for i in range(n)``, and
``csr_lists`` does so through lists.  Every file has ``make(n, seed)`` (deterministic inputs),
``run(**inputs)``, which writes into its arguments or returns something new, and ``SIZES``.

The styles add in the same order, so with Python 3.11 they agree to the last bit.  From 3.12 on
``sum`` of floats is compensated, and the comprehensions differ from the loops in the last places.

References
----------
B. Catanzaro, M. Garland, K. Keutzer, "Copperhead: Compiling an Embedded Data Parallel Language",
PPoPP 2011.
"""

NAMES = (
    "csr_comprehension",
    "csr_loops",
    "csr_lists",
    "ell_comprehension",
    "ell_loops",
    "pcg_comprehension",
    "pcg_loops",
    "smo_comprehension",
    "smo_loops",
)
