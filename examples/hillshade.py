"""Shaded relief of a real elevation model, in plain loops.

The elevations are those of the Jacksboro fault in Tennessee that matplotlib ships.  Steps:
resample, smooth, slope and aspect after Horn, light from one sun, light from several directions,
the part of the sky that every point sees, and a picture of it all.

    python examples/hillshade.py --out hillshade.png --zoom 1

Azimuths count clockwise from north, aspect is the direction that a slope faces.
"""

import argparse
import hashlib
import math

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.image import imsave

METRES_PER_DEGREE = 111_200.0


def load():
    """Elevation in metres (north at the top), width and height of a cell in metres."""
    with get_sample_data("jacksboro_fault_dem.npz") as data:
        elevation = data["elevation"].astype(np.float64)
        latitude = 0.5 * float(data["ymin"] + data["ymax"])
        width = float(data["dx"]) * METRES_PER_DEGREE * math.cos(math.radians(latitude))
        height = float(data["dy"]) * METRES_PER_DEGREE
    return elevation, width, height


def resample(coarse, zoom):
    """Bilinear interpolation to `zoom` times as many rows and columns."""
    rows, cols = coarse.shape
    fine = np.zeros((rows * zoom, cols * zoom))
    for i in range(rows * zoom):
        for j in range(cols * zoom):
            y = min(max((i + 0.5) / zoom - 0.5, 0.0), rows - 1.0)
            x = min(max((j + 0.5) / zoom - 0.5, 0.0), cols - 1.0)
            top = min(int(y), rows - 2)
            left = min(int(x), cols - 2)
            v = y - top
            u = x - left
            upper = (1.0 - u) * coarse[top, left] + u * coarse[top, left + 1]
            lower = (1.0 - u) * coarse[top + 1, left] + u * coarse[top + 1, left + 1]
            fine[i, j] = (1.0 - v) * upper + v * lower
    return fine


def smooth(z, passes):
    """Repeated 3 x 3 smoothing of the inner points; the rim stays."""
    rows, cols = z.shape
    other = z.copy()
    for _ in range(passes):
        for i in range(1, rows - 1):
            for j in range(1, cols - 1):
                sides = z[i - 1, j] + z[i + 1, j] + z[i, j - 1] + z[i, j + 1]
                other[i, j] = 0.5 * z[i, j] + 0.125 * sides
        for i in range(1, rows - 1):
            for j in range(1, cols - 1):
                z[i, j] = other[i, j]


def slope_and_aspect(z, width, height, slope, aspect):
    """Horn's weighted differences; beyond the edge the nearest cell repeats."""
    rows, cols = z.shape
    for i in range(rows):
        for j in range(cols):
            n = max(i - 1, 0)
            s = min(i + 1, rows - 1)
            w = max(j - 1, 0)
            e = min(j + 1, cols - 1)
            east = (z[n, e] + 2.0 * z[i, e] + z[s, e]) - (z[n, w] + 2.0 * z[i, w] + z[s, w])
            south = (z[s, w] + 2.0 * z[s, j] + z[s, e]) - (z[n, w] + 2.0 * z[n, j] + z[n, e])
            dx = east / (8.0 * width)
            dy = south / (8.0 * height)
            slope[i, j] = math.atan(math.sqrt(dx * dx + dy * dy))
            facing = math.atan2(-dx, dy)
            if facing < 0.0:
                facing += 2.0 * math.pi
            aspect[i, j] = facing


def hillshade(slope, aspect, azimuth, altitude, shade):
    """Light on every cell from a sun at `azimuth` and `altitude` (degrees), 0 to 1."""
    rows, cols = slope.shape
    zenith = math.radians(90.0 - altitude)
    sun = math.radians(azimuth)
    for i in range(rows):
        for j in range(cols):
            direct = math.cos(zenith) * math.cos(slope[i, j])
            tilted = math.sin(zenith) * math.sin(slope[i, j]) * math.cos(sun - aspect[i, j])
            shade[i, j] = max(direct + tilted, 0.0)


def many_suns(slope, aspect, azimuths, altitude, shade):
    """Mean light of several suns, each weighted by how far a slope turns away from it."""
    rows, cols = slope.shape
    zenith = math.radians(90.0 - altitude)
    for i in range(rows):
        for j in range(cols):
            light = 0.0
            weights = 0.0
            for k in range(azimuths.shape[0]):
                turned = math.radians(azimuths[k]) - aspect[i, j]
                direct = math.cos(zenith) * math.cos(slope[i, j])
                lit = direct + math.sin(zenith) * math.sin(slope[i, j]) * math.cos(turned)
                weight = math.sin(0.5 * turned) ** 2 + 0.1
                light += weight * max(lit, 0.0)
                weights += weight
            shade[i, j] = light / weights


def add_sky(z, di, dj, step, reach, sky):
    """Add what is seen of the sky in one direction: 1 - sin(horizon), within `reach` cells."""
    rows, cols = z.shape
    for i in range(rows):
        for j in range(cols):
            steepest = 0.0
            for r in range(1, reach + 1):
                row = i + r * di
                col = j + r * dj
                if row < 0 or row >= rows or col < 0 or col >= cols:
                    break
                rise = (z[row, col] - z[i, j]) / (r * step)
                if rise > steepest:
                    steepest = rise
            sky[i, j] += 1.0 - steepest / math.sqrt(1.0 + steepest * steepest)


def sky_view(z, width, height, reach):
    """Mean over eight directions of the part of the sky that a cell sees."""
    sky = np.zeros_like(z)
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            if di or dj:
                step = math.sqrt((di * height) ** 2 + (dj * width) ** 2)
                add_sky(z, di, dj, step, reach, sky)
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            sky[i, j] /= 8.0
    return sky


def paint(z, single, many, sky, image):
    """Green valleys to brown and white heights, darkened by shade and narrow sky."""
    rows, cols = z.shape
    low = z.min()
    span = z.max() - low
    for i in range(rows):
        for j in range(cols):
            part = (z[i, j] - low) / span
            light = (0.5 * single[i, j] + 0.5 * many[i, j]) * sky[i, j] * sky[i, j]
            red = 95.0 + 190.0 * part
            green = 150.0 + 60.0 * part
            blue = 85.0 + 150.0 * part * part
            image[i, j, 0] = int(min(red * light * 1.3, 255.0))
            image[i, j, 1] = int(min(green * light * 1.3, 255.0))
            image[i, j, 2] = int(min(blue * light * 1.3, 255.0))


def main():
    parser = argparse.ArgumentParser(description="Shaded relief of a real elevation model")
    parser.add_argument("--out", default="hillshade.png")
    parser.add_argument("--zoom", type=int, default=1, help="cells per original cell and axis")
    parser.add_argument("--crop", type=int, help="only that many rows and columns")
    parser.add_argument("--azimuth", type=float, default=315.0)
    parser.add_argument("--altitude", type=float, default=40.0)
    parser.add_argument("--reach", type=int, default=10, help="cells to look for the horizon")
    options = parser.parse_args()

    coarse, width, height = load()
    coarse = coarse[: options.crop, : options.crop]
    z = resample(coarse, options.zoom)
    width, height = width / options.zoom, height / options.zoom
    smooth(z, 2)
    slope, aspect, single, many = (np.zeros_like(z) for _ in range(4))
    slope_and_aspect(z, width, height, slope, aspect)
    hillshade(slope, aspect, options.azimuth, options.altitude, single)
    many_suns(slope, aspect, np.array([225.0, 270.0, 315.0, 360.0]), 30.0, many)
    sky = sky_view(z, width, height, options.reach)
    image = np.zeros((*z.shape, 3), dtype=np.uint8)
    paint(z, single, many, sky, image)
    imsave(options.out, image)

    print(f"{z.shape[0]} x {z.shape[1]} cells of {width:.1f} m x {height:.1f} m")
    print(
        f"elevation {z.min():.1f} to {z.max():.1f} m, slope up to {math.degrees(slope.max()):.1f}"
    )
    print(f"light {single.mean():.6f} and {many.mean():.6f}, sky {sky.mean():.6f}")
    state = b"".join(array.tobytes() for array in (z, slope, aspect, single, many, sky, image))
    print("checksum", hashlib.sha256(state).hexdigest()[:16])


if __name__ == "__main__":
    main()
