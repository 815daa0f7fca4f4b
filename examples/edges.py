"""Edges of a noisy picture: Gaussian blur, Sobel gradient, thinning, all in plain loops.

python examples/edges.py --size 700 --out edges.pgm
"""

import argparse
import hashlib
import math
from pathlib import Path

import numpy as np


def picture(n, seed):
    """A disc, a bar and a ramp with noise, grey values 0 to 255."""
    rng = np.random.default_rng(seed)
    image = rng.normal(0.0, 6.0, (n, n)).astype(np.float32)
    for i in range(n):
        for j in range(n):
            image[i, j] += 40.0 + 60.0 * j / n
            if (i - 0.35 * n) ** 2 + (j - 0.35 * n) ** 2 < (0.2 * n) ** 2:
                image[i, j] += 90.0
            if 0.65 * n < i < 0.8 * n and 0.2 * n < j < 0.9 * n:
                image[i, j] -= 35.0
    return image


def bell(radius, sigma):
    """Weights of a Gaussian, sum 1."""
    weight = np.zeros(2 * radius + 1, dtype=np.float32)
    for k in range(-radius, radius + 1):
        weight[k + radius] = math.exp(-0.5 * (k / sigma) ** 2)
    weight /= weight.sum()
    return weight


def blur_rows(image, weight, out):
    """Weighted mean along rows; the border pixel repeats outside."""
    rows, cols = image.shape
    radius = weight.shape[0] // 2
    for i in range(rows):
        for j in range(cols):
            total = 0.0
            for k in range(-radius, radius + 1):
                place = min(max(j + k, 0), cols - 1)
                total += weight[k + radius] * image[i, place]
            out[i, j] = total


def sobel(image, strength, across, down):
    """Gradient and its length, zero on the border."""
    rows, cols = image.shape
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            right = image[i - 1, j + 1] + 2.0 * image[i, j + 1] + image[i + 1, j + 1]
            left = image[i - 1, j - 1] + 2.0 * image[i, j - 1] + image[i + 1, j - 1]
            below = image[i + 1, j - 1] + 2.0 * image[i + 1, j] + image[i + 1, j + 1]
            above = image[i - 1, j - 1] + 2.0 * image[i - 1, j] + image[i - 1, j + 1]
            across[i, j] = right - left
            down[i, j] = below - above
            strength[i, j] = math.sqrt((right - left) ** 2 + (below - above) ** 2)


def thin(strength, across, down, threshold, edge):
    """Keep a pixel that is strongest across its edge and above the threshold."""
    rows, cols = strength.shape
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            here = strength[i, j]
            if abs(across[i, j]) >= abs(down[i, j]):
                before, after = strength[i, j - 1], strength[i, j + 1]
            else:
                before, after = strength[i - 1, j], strength[i + 1, j]
            if here > threshold and here > before and here >= after:
                edge[i, j] = 255


def main():
    parser = argparse.ArgumentParser(description="Edges of a noisy picture")
    parser.add_argument("--size", type=int, default=700)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()

    image = picture(options.size, options.seed)
    weight = bell(4, 1.6)
    half = np.zeros_like(image)
    smooth = np.zeros_like(image)
    blur_rows(image, weight, half)
    blur_rows(half.T, weight, smooth.T)
    strength, across, down = (np.zeros_like(image) for _ in range(3))
    sobel(smooth, strength, across, down)
    edge = np.zeros(image.shape, dtype=np.uint8)
    thin(strength, across, down, 25.0, edge)
    print(f"strongest gradient {strength.max():.4f}, {int((edge > 0).sum())} edge pixels")
    if options.out:
        head = f"P5 {edge.shape[1]} {edge.shape[0]} 255\n".encode()
        options.out.write_bytes(head + edge.tobytes())
    print("checksum", hashlib.sha256(strength.tobytes() + edge.tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
