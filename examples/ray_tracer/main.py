"""A ray tracer: shiny spheres on a chequered floor, written as PPM.

    python main.py --width 240 --height 160 --samples 3 --out spheres.ppm

Several jittered rays for each pixel, mirror images to a given depth, one sun with shadows.
"""

import argparse
import hashlib
import math

import numpy as np
from geometry import add, cross, dot, in_shadow, nearest, reflect, scale, sub, unit

LIGHT = unit((0.6, 1.0, -0.5))
SKY_LOW, SKY_HIGH = (1.0, 1.0, 1.0), (0.35, 0.55, 0.95)


class Scene:
    """Spheres with colours and how much they reflect."""

    def __init__(self, count, rng):
        self.centers = [(0.0, 1.0, 0.0), (-2.2, 0.8, 0.9), (2.1, 0.9, 0.6)]
        self.radii = [1.0, 0.8, 0.9]
        self.colors = [(0.9, 0.9, 0.95), (0.9, 0.25, 0.2), (0.2, 0.5, 0.3)]
        self.mirror = [0.7, 0.2, 0.3]
        while len(self.radii) < count:
            self.try_small(rng)

    def try_small(self, rng):
        """Put a small sphere on the floor unless it touches another."""
        r = 0.15 + 0.2 * rng.random()
        center = (8.0 * rng.random() - 4.0, r, 6.0 * rng.random() - 4.0)
        for other, radius in zip(self.centers, self.radii):
            gap = sub(center, other)
            if math.sqrt(dot(gap, gap)) < r + radius:
                return
        self.centers.append(center)
        self.radii.append(r)
        self.colors.append(tuple(0.2 + 0.8 * rng.random() for _ in range(3)))
        self.mirror.append(0.4 * rng.random())

    def surface(self, point, which):
        """Normal, colour and reflectance at a point."""
        if which < 0:
            odd = (math.floor(point[0]) + math.floor(point[2])) % 2
            return (0.0, 1.0, 0.0), ((0.85, 0.85, 0.8) if odd else (0.25, 0.25, 0.3)), 0.15
        normal = scale(sub(point, self.centers[which]), 1.0 / self.radii[which])
        return normal, self.colors[which], self.mirror[which]

    def trace(self, origin, direction, depth):
        """Colour that comes back along a ray."""
        t, which = nearest(origin, direction, self.centers, self.radii)
        if which is None:
            u = 0.5 * (direction[1] + 1.0)
            return add(scale(SKY_LOW, 1.0 - u), scale(SKY_HIGH, u))
        point = add(origin, scale(direction, t))
        normal, color, mirror = self.surface(point, which)
        point = add(point, scale(normal, 1e-4))
        light = 0.15
        facing = dot(normal, LIGHT)
        if facing > 0.0 and not in_shadow(point, LIGHT, self.centers, self.radii):
            light += 0.85 * facing
        result = scale(color, light)
        if depth > 0 and mirror > 0.0:
            back = self.trace(point, reflect(direction, normal), depth - 1)
            result = add(scale(result, 1.0 - mirror), scale(back, mirror))
        return result


class Camera:
    def __init__(self, position, target, angle, aspect):
        self.position = position
        self.forward = unit(sub(target, position))
        right = unit(cross(self.forward, (0.0, 1.0, 0.0)))
        up = cross(right, self.forward)
        half = math.tan(math.radians(angle) / 2)
        self.right = scale(right, half * aspect)
        self.up = scale(up, half)

    def ray(self, u, v):
        """Direction through a point of the picture, both from -1 to 1."""
        return unit(add(self.forward, add(scale(self.right, u), scale(self.up, v))))


def render(scene, camera, width, height, samples, depth, rng):
    """Mean colour of jittered samples in each pixel."""
    image = np.zeros((height, width, 3))
    for j in range(height):
        for i in range(width):
            for sj in range(samples):
                for si in range(samples):
                    u = 2.0 * (i + (si + rng.random()) / samples) / width - 1.0
                    v = 1.0 - 2.0 * (j + (sj + rng.random()) / samples) / height
                    color = scene.trace(camera.position, camera.ray(u, v), depth)
                    for c in range(3):
                        image[j, i, c] += color[c]
        if j % 40 == 0:
            print(f"row {j:4d} mean {image[j].mean() / samples**2:.9f}")
    return image / samples**2


def bloom(image, threshold, radius):
    """Bright pixels shine on the ones around them."""
    height, width, _ = image.shape
    result = image.copy()
    for j in range(height):
        for i in range(width):
            if image[j, i].max() <= threshold:
                continue
            for dj in range(-radius, radius + 1):
                for di in range(-radius, radius + 1):
                    y, x = j + dj, i + di
                    if 0 <= y < height and 0 <= x < width:
                        weight = 0.02 * math.exp(-(di * di + dj * dj) / radius)
                        for c in range(3):
                            result[y, x, c] += weight * image[j, i, c]
    return result


def to_bytes(image):
    """Gamma corrected colours from 0 to 255."""
    clipped = np.clip(image, 0.0, 1.0)
    return np.array(255.0 * clipped ** (1.0 / 2.2) + 0.5, dtype=np.uint8)


def save_ppm(filename, pixels):
    with open(filename, "wb") as file:
        file.write(f"P6\n{pixels.shape[1]} {pixels.shape[0]}\n255\n".encode())
        file.write(pixels.tobytes())


def main():
    parser = argparse.ArgumentParser(description="A ray tracer for spheres")
    parser.add_argument("--width", type=int, default=240)
    parser.add_argument("--height", type=int, default=160)
    parser.add_argument("--samples", type=int, default=3, help="along each side of a pixel")
    parser.add_argument("--spheres", type=int, default=14)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--out", metavar="FILE")
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    scene = Scene(args.spheres, rng)
    camera = Camera((0.5, 2.2, -7.0), (0.0, 0.7, 0.0), 42.0, args.width / args.height)
    image = render(scene, camera, args.width, args.height, args.samples, args.depth, rng)
    image = bloom(image, 0.97, 3)
    pixels = to_bytes(image)
    for c, name in enumerate(("red", "green", "blue")):
        print(f"{name:6s} mean {pixels[:, :, c].mean():.6f} max {pixels[:, :, c].max()}")
    dark = sum(1 for row in pixels for pixel in row if max(pixel) < 64)
    print(f"{dark} dark pixels, checksum {hashlib.sha256(pixels.tobytes()).hexdigest()[:16]}")
    if args.out:
        save_ppm(args.out, pixels)


if __name__ == "__main__":
    main()
