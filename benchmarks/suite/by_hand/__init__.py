"""What somebody who knows Numba well makes of each kernel, by hand.

`run` has the arguments of the plain `run` and must leave the same bytes: loops in an order that
suits memory, blocks where they pay, invariants taken out, triangles dealt out evenly, `prange`
where threads pay.  `relaxed` may add in another order, and `whole` is the NumPy idiom, where there
are such.  Nothing is decorated here; the runner compiles `run` and the functions that it calls,
once exactly and once, `relaxed` if there is one, with `fastmath`.
"""
