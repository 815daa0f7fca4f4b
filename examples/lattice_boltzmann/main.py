"""Flow around a cylinder in a channel with the lattice Boltzmann method (D2Q9, BGK).

    python main.py --nx 100 --ny 40 --steps 100

Inflow with a parabolic profile at the left, open end at the right, walls at the top and at the
bottom.  Prints mass and drag while it runs.
"""

import argparse

import numpy as np
from d2q9 import CX, CY, OPPOSITE, WEIGHTS, equilibrium, relaxation_time


class Channel:
    """All of the state: distributions, obstacle, density and velocity."""

    def __init__(self, nx, ny, speed, reynolds):
        self.nx = nx
        self.ny = ny
        self.speed = speed
        self.radius = ny / 9
        self.tau = relaxation_time(speed, 2 * self.radius, reynolds)
        self.f = np.zeros((nx, ny, 9))
        self.f_new = np.zeros((nx, ny, 9))
        self.rho = np.ones((nx, ny))
        self.ux = np.zeros((nx, ny))
        self.uy = np.zeros((nx, ny))
        self.solid = np.zeros((nx, ny), dtype=bool)
        self.profile = np.zeros(ny)
        self.place_obstacle()
        self.fill()

    def place_obstacle(self):
        """Walls at the top and at the bottom and a cylinder a little off the axis."""
        cx = self.nx / 4
        cy = self.ny / 2 + 0.5
        for i in range(self.nx):
            for j in range(self.ny):
                if (i - cx) ** 2 + (j - cy) ** 2 <= self.radius**2:
                    self.solid[i, j] = True
        self.solid[:, 0] = True
        self.solid[:, -1] = True

    def fill(self):
        """Start from the inflow profile everywhere."""
        width = self.ny - 2
        for j in range(1, self.ny - 1):
            y = j - 0.5
            self.profile[j] = self.speed * 4.0 * y * (width - y) / (width * width)
        self.ux[:, :] = self.profile
        self.ux[self.solid] = 0.0
        for i in range(self.nx):
            for j in range(self.ny):
                for k in range(9):
                    self.f[i, j, k] = equilibrium(k, self.rho[i, j], self.ux[i, j], self.uy[i, j])

    def macroscopic(self):
        """Density and velocity from the distributions."""
        for i in range(self.nx):
            for j in range(self.ny):
                if self.solid[i, j]:
                    continue
                rho = 0.0
                mx = 0.0
                my = 0.0
                for k in range(9):
                    fk = self.f[i, j, k]
                    rho += fk
                    mx += CX[k] * fk
                    my += CY[k] * fk
                self.rho[i, j] = rho
                self.ux[i, j] = mx / rho
                self.uy[i, j] = my / rho

    def collide(self):
        """Relax towards equilibrium in every fluid cell."""
        omega = 1.0 / self.tau
        for i in range(self.nx):
            for j in range(self.ny):
                if not self.solid[i, j]:
                    ux, uy = self.ux[i, j], self.uy[i, j]
                    uu = 1.5 * (ux * ux + uy * uy)
                    for k in range(9):
                        cu = 3.0 * (CX[k] * ux + CY[k] * uy)
                        feq = WEIGHTS[k] * self.rho[i, j] * (1.0 + cu + 0.5 * cu * cu - uu)
                        self.f[i, j, k] += omega * (feq - self.f[i, j, k])

    def stream(self):
        """Move to the neighbours; what meets a wall goes back.  Returns the force in x."""
        force = 0.0
        for i in range(self.nx):
            for j in range(self.ny):
                if self.solid[i, j]:
                    continue
                for k in range(9):
                    src_i = i - CX[k]
                    src_j = j - CY[k]
                    if src_i < 0 or src_i >= self.nx:
                        self.f_new[i, j, k] = self.f[i, j, k]
                    elif self.solid[src_i, src_j]:
                        back = OPPOSITE[k]
                        self.f_new[i, j, k] = self.f[i, j, back]
                        if 0 < src_j < self.ny - 1:
                            force += 2.0 * CX[back] * self.f[i, j, back]
                    else:
                        self.f_new[i, j, k] = self.f[src_i, src_j, k]
        self.f, self.f_new = self.f_new, self.f
        return force

    def open_ends(self):
        """Equilibrium at the inflow, no gradient at the outflow."""
        for j in range(1, self.ny - 1):
            for k in range(9):
                self.f[0, j, k] = equilibrium(k, 1.0, self.profile[j], 0.0)
        self.f[-1, 1:-1, :] = self.f[-2, 1:-1, :]

    def mass(self):
        return self.rho[~self.solid].sum()

    def vorticity(self):
        """Curl of the velocity by central differences, zero at the rim."""
        curl = np.zeros((self.nx, self.ny))
        curl[1:-1, 1:-1] = 0.5 * (
            (self.uy[2:, 1:-1] - self.uy[:-2, 1:-1]) - (self.ux[1:-1, 2:] - self.ux[1:-1, :-2])
        )
        return np.where(self.solid, 0.0, curl)


def plot(channel, filename):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    speed = np.sqrt(channel.ux**2 + channel.uy**2)
    fig, (top, bottom) = plt.subplots(2, 1, figsize=(8, 7))
    top.imshow(speed.T, origin="lower", cmap="viridis")
    top.set_title("speed")
    bottom.imshow(channel.vorticity().T, origin="lower", cmap="RdBu")
    bottom.set_title("vorticity")
    fig.savefig(filename)


def main():
    parser = argparse.ArgumentParser(description="Flow around a cylinder, lattice Boltzmann")
    parser.add_argument("--nx", type=int, default=100)
    parser.add_argument("--ny", type=int, default=40)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--every", type=int, default=10, help="steps between printed lines")
    parser.add_argument("--speed", type=float, default=0.1)
    parser.add_argument("--reynolds", type=float, default=40.0)
    parser.add_argument("--plot", metavar="FILE")
    args = parser.parse_args()

    channel = Channel(args.nx, args.ny, args.speed, args.reynolds)
    print(f"{args.nx} x {args.ny} cells, tau {channel.tau:.4f}, {channel.solid.sum()} solid")
    drags = []
    for step in range(1, args.steps + 1):
        channel.macroscopic()
        channel.collide()
        force = channel.stream()
        channel.open_ends()
        drags.append(force / (args.speed**2 * channel.radius))
        if step % args.every == 0:
            fastest = np.max(np.sqrt(channel.ux**2 + channel.uy**2))
            print(f"{step:6d} mass {channel.mass():.9f} drag {drags[-1]:.9f} max |u| {fastest:.9f}")
    last = drags[len(drags) // 2 :]
    print(f"mean drag of the second half {sum(last) / len(last):.12f}")
    print(f"enstrophy {np.sum(channel.vorticity() ** 2):.12e}")
    if args.plot:
        plot(channel, args.plot)


if __name__ == "__main__":
    main()
