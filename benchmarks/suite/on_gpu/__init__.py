"""What an expert writes for a GPU, for ALPyNA's twelve kernels: one module for each.

A module has up to four functions, which take what the plain `run` takes, but with arrays that are
on the device, and leave the results in these:

`by_numba`    kernels of `numba.cuda`
`by_raw`      CUDA C, by `cupy.RawKernel`
`by_arrays`   expressions of whole arrays in CuPy
`one_each`    a thread for each element of the parallel loops, the loop inside as it stands, each
              step adding to the result in global memory: what ALPyNA launches

They launch on the default stream and wait for nothing.  `READ` and `WRITTEN` are the arrays that
must be copied there and back.  Products and sums may be fused, other options are the compilers'
own.  CuPy and Numba are imported by what needs them, so that the texts can be read without.
"""
