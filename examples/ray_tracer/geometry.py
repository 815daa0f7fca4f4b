"""Vectors as tuples, and a ray against spheres and a floor."""

import math

EPSILON = 1e-6


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(a):
    return scale(a, 1.0 / math.sqrt(dot(a, a)))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def reflect(direction, normal):
    return sub(direction, scale(normal, 2.0 * dot(direction, normal)))


def hit_sphere(origin, direction, center, radius):
    """Distance along the ray to the sphere, infinity if it misses."""
    to = sub(origin, center)
    b = dot(to, direction)
    c = dot(to, to) - radius * radius
    disc = b * b - c
    if disc <= 0.0:
        return math.inf
    root = math.sqrt(disc)
    if -b - root > EPSILON:
        return -b - root
    if -b + root > EPSILON:
        return -b + root
    return math.inf


def nearest(origin, direction, centers, radii):
    """Distance and number of the first sphere on the ray; -1 for the floor, None for the sky."""
    best, which = math.inf, None
    for k in range(len(radii)):
        t = hit_sphere(origin, direction, centers[k], radii[k])
        if t < best:
            best, which = t, k
    if direction[1] < 0.0:
        t = -origin[1] / direction[1]
        if EPSILON < t < best:
            best, which = t, -1
    return best, which


def in_shadow(origin, direction, centers, radii):
    for center, radius in zip(centers, radii):
        if hit_sphere(origin, direction, center, radius) < math.inf:
            return True
    return False
