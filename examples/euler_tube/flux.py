"""Pieces of a finite volume scheme for the one-dimensional Euler equations."""

import math

GAMMA = 1.4


def minmod(a, b):
    """The smaller slope, or none where they disagree."""
    if a * b <= 0.0:
        return 0.0
    if abs(a) < abs(b):
        return a
    return b


def sound_speed(rho, p):
    return math.sqrt(GAMMA * p / rho)


def energy(rho, u, p):
    return p / (GAMMA - 1.0) + 0.5 * rho * u * u


def physical_flux(rho, u, p):
    return rho * u, rho * u * u + p, u * (energy(rho, u, p) + p)


def hllc(rho_l, u_l, p_l, rho_r, u_r, p_r):
    """Flux of mass, momentum and energy between two states (Toro's HLLC)."""
    c_l = sound_speed(rho_l, p_l)
    c_r = sound_speed(rho_r, p_r)
    s_l = min(u_l - c_l, u_r - c_r)
    s_r = max(u_l + c_l, u_r + c_r)
    if s_l >= 0.0:
        return physical_flux(rho_l, u_l, p_l)
    if s_r <= 0.0:
        return physical_flux(rho_r, u_r, p_r)
    m_l = rho_l * (s_l - u_l)
    m_r = rho_r * (s_r - u_r)
    s_m = (p_r - p_l + m_l * u_l - m_r * u_r) / (m_l - m_r)
    if s_m >= 0.0:
        rho, u, p, s, m = rho_l, u_l, p_l, s_l, m_l
    else:
        rho, u, p, s, m = rho_r, u_r, p_r, s_r, m_r
    f0, f1, f2 = physical_flux(rho, u, p)
    star = m / (s - s_m)
    e = energy(rho, u, p)
    e_star = star * (e / rho + (s_m - u) * (s_m + p / m))
    return f0 + s * (star - rho), f1 + s * (star * s_m - rho * u), f2 + s * (e_star - e)
