"""Correlation of a set of images with a bank of filters.

    out_{p,f,y,x} = sum over v, u, d of image_{p,y+v,x+u,d} filter_{f,v,u,d}

Images and filters have their channels d last; only places where the filter lies inside the image
are computed, in single precision.
"""

import numpy as np

SIZES = {"check": 12, "steady": 160}
PARALLEL = ("p", "f", "y", "x")


def make(n, seed):
    rng = np.random.default_rng(seed)
    images = rng.standard_normal((4, n, n, 4), dtype=np.float32)
    filters = rng.standard_normal((8, 5, 5, 4), dtype=np.float32)
    out = np.zeros((4, 8, n - 4, n - 4), dtype=np.float32)
    return {"images": images, "filters": filters, "out": out}


def run(images, filters, out):
    for p in range(out.shape[0]):
        for f in range(out.shape[1]):
            for y in range(out.shape[2]):
                for x in range(out.shape[3]):
                    out[p, f, y, x] = 0.0
                    for v in range(filters.shape[1]):
                        for u in range(filters.shape[2]):
                            for d in range(filters.shape[3]):
                                out[p, f, y, x] += images[p, y + v, x + u, d] * filters[f, v, u, d]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
