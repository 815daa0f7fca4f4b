"""Shallow water in a basin, as a class that keeps its state in attributes.

    h_t = -H (u_x + v_y),    u_t = -g h_x,    v_t = -g h_y

Linear waves over depth H with friction, on a staggered grid: velocities live on the edges of the
cells, closed walls all round.

    python examples/wave.py --size 120 --steps 150
"""

import argparse
import hashlib
import math

import numpy as np


class Basin:
    """Height of the surface and velocities; `step` moves them on by `dt`."""

    def __init__(self, n, dx=100.0, depth=50.0, friction=1e-4):
        self.n = n
        self.gravity = 9.81
        self.depth = depth
        self.friction = friction
        self.dx = dx
        self.dt = 0.5 * dx / math.sqrt(2.0 * self.gravity * depth)
        self.height = np.zeros((n, n))
        self.east = np.zeros((n, n + 1))
        self.south = np.zeros((n + 1, n))
        self.highest = np.zeros((n, n))

    def drop(self, row, col, radius, height):
        """Add a bell-shaped hill of water."""
        for i in range(self.n):
            for j in range(self.n):
                square = (i - row) ** 2 + (j - col) ** 2
                self.height[i, j] += height * math.exp(-square / radius**2)

    def push(self):
        """Velocities from the slope of the surface, walls stay at zero."""
        pull = self.gravity * self.dt / self.dx
        keep = 1.0 - self.friction * self.dt
        for i in range(self.n):
            for j in range(1, self.n):
                slope = self.height[i, j] - self.height[i, j - 1]
                self.east[i, j] = keep * self.east[i, j] - pull * slope
        for i in range(1, self.n):
            for j in range(self.n):
                slope = self.height[i, j] - self.height[i - 1, j]
                self.south[i, j] = keep * self.south[i, j] - pull * slope

    def flow(self):
        """Heights from what flows in and out, and the highest level so far."""
        share = self.depth * self.dt / self.dx
        for i in range(self.n):
            for j in range(self.n):
                out = (
                    self.east[i, j + 1] - self.east[i, j] + self.south[i + 1, j] - self.south[i, j]
                )
                self.height[i, j] -= share * out
                if self.height[i, j] > self.highest[i, j]:
                    self.highest[i, j] = self.height[i, j]

    def step(self):
        self.push()
        self.flow()


def main():
    parser = argparse.ArgumentParser(description="Shallow water in a basin")
    parser.add_argument("--size", type=int, default=120)
    parser.add_argument("--steps", type=int, default=150)
    options = parser.parse_args()

    basin = Basin(options.size)
    basin.drop(options.size * 0.3, options.size * 0.4, options.size * 0.06, 2.0)
    for t in range(options.steps):
        basin.step()
        if t % 50 == 0:
            volume = basin.height.sum() * basin.dx**2
            print(f"{t * basin.dt:8.1f} s  volume {volume:.6e}  crest {basin.height.max():.6f}")
    state = basin.height.tobytes() + basin.highest.tobytes()
    print("checksum", hashlib.sha256(state).hexdigest()[:16])


if __name__ == "__main__":
    main()
