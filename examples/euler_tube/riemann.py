"""Exact solution of the Riemann problem for an ideal gas."""

import math

from flux import GAMMA, sound_speed

G1 = (GAMMA - 1.0) / (2.0 * GAMMA)
G2 = (GAMMA + 1.0) / (2.0 * GAMMA)


def wave_function(p, rho_k, p_k):
    """Velocity change over the wave to pressure p, and its derivative."""
    c = sound_speed(rho_k, p_k)
    if p > p_k:
        a = 2.0 / ((GAMMA + 1.0) * rho_k)
        b = (GAMMA - 1.0) / (GAMMA + 1.0) * p_k
        root = math.sqrt(a / (p + b))
        return (p - p_k) * root, root * (1.0 - 0.5 * (p - p_k) / (p + b))
    ratio = p / p_k
    return 2.0 * c / (GAMMA - 1.0) * (ratio**G1 - 1.0), ratio ** (-G2) / (rho_k * c)


def star_state(left, right):
    """Pressure and velocity between the waves, by Newton's method."""
    rho_l, u_l, p_l = left
    rho_r, u_r, p_r = right
    p = 0.5 * (p_l + p_r)
    change = 1.0
    while change > 1e-12:
        f_l, d_l = wave_function(p, rho_l, p_l)
        f_r, d_r = wave_function(p, rho_r, p_r)
        new = max(p - (f_l + f_r + u_r - u_l) / (d_l + d_r), 1e-10)
        change = 2.0 * abs(new - p) / (new + p)
        p = new
    return p, 0.5 * (u_l + u_r) + 0.5 * (f_r - f_l)


def side(speed, rho, u, p, p_star, u_star):
    """State left of the contact; the right side is its mirror image."""
    c = sound_speed(rho, p)
    if p_star > p:
        ratio = p_star / p
        shock = u - c * math.sqrt(G2 * ratio + G1)
        if speed < shock:
            return rho, u, p
        k = (GAMMA - 1.0) / (GAMMA + 1.0)
        return rho * (ratio + k) / (k * ratio + 1.0), u_star, p_star
    c_star = c * (p_star / p) ** G1
    if speed < u - c:
        return rho, u, p
    if speed > u_star - c_star:
        return rho * (p_star / p) ** (1.0 / GAMMA), u_star, p_star
    c_fan = (2.0 * c + (GAMMA - 1.0) * (u - speed)) / (GAMMA + 1.0)
    factor = c_fan / c
    rho_fan = rho * factor ** (2.0 / (GAMMA - 1.0))
    p_fan = p * factor ** (2.0 * GAMMA / (GAMMA - 1.0))
    return rho_fan, speed + c_fan, p_fan


def sample(speed, left, right, p_star, u_star):
    """Density, velocity and pressure on the ray x / t = speed."""
    if speed <= u_star:
        return side(speed, *left, p_star, u_star)
    rho, u, p = right
    rho, u, p = side(-speed, rho, -u, p, p_star, -u_star)
    return rho, -u, p
