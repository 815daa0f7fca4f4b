"""Gravity between point masses: a disc of bodies around a heavy one.

    a_i = sum over j of G m_j (r_j - r_i) / (|r_j - r_i|^2 + e^2)^(3/2)

integrated with the leapfrog scheme; the softening e keeps near encounters finite.

    python examples/nbody.py --bodies 250 --steps 60
"""

import argparse
import hashlib
import math

import numpy as np


def disc(n, seed):
    """Positions, velocities and masses: bodies on nearly circular orbits around a heavy one."""
    rng = np.random.default_rng(seed)
    position = np.zeros((n, 3))
    velocity = np.zeros((n, 3))
    mass = np.full(n, 1.0 / n)
    mass[0] = 100.0
    radius = rng.uniform(1.0, 5.0, n)
    angle = rng.uniform(0.0, 2.0 * math.pi, n)
    height = rng.normal(0.0, 0.05, n)
    for i in range(1, n):
        speed = math.sqrt(mass[0] / radius[i])
        position[i, 0] = radius[i] * math.cos(angle[i])
        position[i, 1] = radius[i] * math.sin(angle[i])
        position[i, 2] = height[i]
        velocity[i, 0] = -speed * math.sin(angle[i])
        velocity[i, 1] = speed * math.cos(angle[i])
    return position, velocity, mass


def accelerate(position, mass, acceleration, soft):
    """Acceleration of every body by all others."""
    n = position.shape[0]
    for i in range(n):
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(n):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            square = dx * dx + dy * dy + dz * dz + soft
            pull = mass[j] / (square * math.sqrt(square))
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        acceleration[i, 0] = ax
        acceleration[i, 1] = ay
        acceleration[i, 2] = az


def move(target, rate, dt):
    """target <- target + dt rate, for positions as for velocities."""
    for i in range(target.shape[0]):
        for k in range(3):
            target[i, k] += dt * rate[i, k]


def energy(position, velocity, mass, soft):
    """Kinetic plus potential energy, each pair counted once."""
    n = mass.shape[0]
    part = np.zeros(n)
    for i in range(n):
        square = velocity[i, 0] ** 2 + velocity[i, 1] ** 2 + velocity[i, 2] ** 2
        part[i] = 0.5 * mass[i] * square
        for j in range(i):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            part[i] -= mass[i] * mass[j] / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
    return float(part.sum())


def main():
    parser = argparse.ArgumentParser(description="Gravity between point masses")
    parser.add_argument("--bodies", type=int, default=250)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()

    soft = 1e-4
    dt = 1e-3
    position, velocity, mass = disc(options.bodies, options.seed)
    acceleration = np.zeros_like(position)
    print(f"energy at the start {energy(position, velocity, mass, soft):.9f}")
    accelerate(position, mass, acceleration, soft)
    for _ in range(options.steps):
        move(velocity, acceleration, 0.5 * dt)
        move(position, velocity, dt)
        accelerate(position, mass, acceleration, soft)
        move(velocity, acceleration, 0.5 * dt)
    print(f"energy at the end   {energy(position, velocity, mass, soft):.9f}")
    print("checksum", hashlib.sha256(position.tobytes() + velocity.tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
