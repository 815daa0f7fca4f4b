"""One run of a program of kernels, and its undoing."""
