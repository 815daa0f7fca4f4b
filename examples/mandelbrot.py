"""The Mandelbrot set as a picture (PGM, which most viewers open), smoothly shaded.

The fractional escape time  k + 1 - log2(log2 |z|)  has no visible steps between the colours.

    python examples/mandelbrot.py --size 600 --out mandelbrot.pgm
"""

import argparse
import hashlib
import math
from pathlib import Path

import numpy as np


def escape_times(left, bottom, width, times, limit):
    """Fractional escape time of every pixel, -1 for points that stay."""
    rows, cols = times.shape
    pixel = width / cols
    for i in range(rows):
        for j in range(cols):
            cr = left + (j + 0.5) * pixel
            ci = bottom + (rows - i - 0.5) * pixel
            zr = 0.0
            zi = 0.0
            k = 0
            while k < limit and zr * zr + zi * zi < 256.0:
                new = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = new
                k += 1
            if k < limit:
                size = 0.5 * math.log(zr * zr + zi * zi) / math.log(2.0)
                times[i, j] = k + 1.0 - math.log(size) / math.log(2.0)
            else:
                times[i, j] = -1.0


def shade(times, grey):
    """Grey values 0 to 255, dark inside, waves outside."""
    rows, cols = times.shape
    for i in range(rows):
        for j in range(cols):
            if times[i, j] < 0.0:
                grey[i, j] = 0
            else:
                wave = 0.5 + 0.5 * math.cos(0.35 * math.sqrt(times[i, j]) * 3.0)
                grey[i, j] = int(40.0 + 215.0 * wave)


def main():
    parser = argparse.ArgumentParser(description="The Mandelbrot set as a picture")
    parser.add_argument("--size", type=int, default=600)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()

    rows = options.size
    times = np.zeros((rows, rows * 5 // 4))
    escape_times(-2.35, -1.3, 3.25, times, options.limit)
    grey = np.zeros(times.shape, dtype=np.uint8)
    shade(times, grey)
    inside = int((times < 0.0).sum())
    print(f"{times.shape[0]} x {times.shape[1]} pixels, {inside} inside, mean {grey.mean():.4f}")
    if options.out:
        head = f"P5 {grey.shape[1]} {grey.shape[0]} 255\n".encode()
        options.out.write_bytes(head + grey.tobytes())
    print("checksum", hashlib.sha256(times.tobytes() + grey.tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
