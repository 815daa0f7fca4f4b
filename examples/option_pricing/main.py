"""Option prices four ways: formula, tree, Monte Carlo, and finite differences.

    python main.py --steps 900 --paths 20000

European, American, barrier and Asian options on one stock without dividends.
"""

import argparse
import math

import numpy as np
from models import binomial, black_scholes, implied_volatility

SPOT, RATE, SIGMA, YEARS = 100.0, 0.05, 0.2, 1.0


def asian_call(strike, paths, days, rng):
    """Arithmetic average, the geometric average as control variate.  Price and standard error."""
    dt = YEARS / days
    drift = (RATE - 0.5 * SIGMA**2) * dt
    vol = SIGMA * math.sqrt(dt)
    discount = math.exp(-RATE * YEARS)
    plain, control = [], []
    for _ in range(paths):
        log_s = math.log(SPOT)
        total, log_total = 0.0, 0.0
        for _ in range(days):
            log_s += drift + vol * rng.standard_normal()
            total += math.exp(log_s)
            log_total += log_s
        plain.append(discount * max(total / days - strike, 0.0))
        control.append(discount * max(math.exp(log_total / days) - strike, 0.0))

    # the geometric average is lognormal
    mean = math.log(SPOT) + (RATE - 0.5 * SIGMA**2) * dt * (days + 1) / 2
    var = SIGMA**2 * dt * (days + 1) * (2 * days + 1) / (6 * days)
    forward = math.exp(mean + 0.5 * var)
    known = black_scholes(forward * discount, strike, RATE, math.sqrt(var / YEARS), YEARS)
    x, y = np.array(control), np.array(plain)
    beta = np.mean((x - x.mean()) * (y - y.mean())) / x.var()
    adjusted = y - beta * (x - known)
    return adjusted.mean(), adjusted.std() / math.sqrt(paths)


def barrier_call(strike, barrier, paths, days, rng):
    """Up-and-out call; most paths end early at the barrier."""
    dt = YEARS / days
    payoffs = np.zeros(paths)
    knocked = 0
    for n in range(paths):
        s = SPOT
        alive = True
        for _ in range(days):
            z = rng.standard_normal()
            s *= math.exp((RATE - 0.5 * SIGMA * SIGMA) * dt + SIGMA * math.sqrt(dt) * z)
            if s >= barrier:
                alive = False
                break
        if not alive:
            knocked += 1
            continue
        payoffs[n] = max(s - strike, 0.0) * math.exp(-RATE * YEARS)
    return payoffs.mean(), payoffs.std() / math.sqrt(paths), knocked


def american_by_regression(strike, paths, days, rng):
    """Longstaff and Schwartz: exercise where the payoff beats a fitted parabola."""
    dt = YEARS / days
    s = np.zeros((paths, days + 1))
    s[:, 0] = SPOT
    for n in range(paths):
        for t in range(days):
            z = rng.standard_normal()
            growth = (RATE - 0.5 * SIGMA**2) * dt + SIGMA * math.sqrt(dt) * z
            s[n, t + 1] = s[n, t] * math.exp(growth)
    cash = np.maximum(strike - s[:, -1], 0.0)
    for t in range(days - 1, 0, -1):
        cash *= math.exp(-RATE * dt)
        now = strike - s[:, t]
        inside = now > 0
        if inside.sum() < 10:
            continue
        x = s[inside, t] / strike
        fit = np.polyfit(x, cash[inside], 2)
        hold = np.polyval(fit, x)
        cash[inside] = np.where(now[inside] > hold, now[inside], cash[inside])
    cash *= math.exp(-RATE * dt)
    return cash.mean(), cash.std() / math.sqrt(paths)


def american_by_differences(strike, nodes, steps):
    """Crank-Nicolson for an American put, projected over-relaxation in each step."""
    s_max = 3.0 * strike
    ds = s_max / nodes
    dt = YEARS / steps
    payoff = np.array([max(strike - i * ds, 0.0) for i in range(nodes + 1)])
    v = payoff.copy()
    rhs = np.zeros(nodes + 1)
    sweeps = 0
    for _ in range(steps):
        for i in range(1, nodes):
            a = 0.25 * dt * (SIGMA**2 * i * i - RATE * i)
            b = -0.5 * dt * (SIGMA**2 * i * i + RATE)
            c = 0.25 * dt * (SIGMA**2 * i * i + RATE * i)
            rhs[i] = a * v[i - 1] + (1.0 + b) * v[i] + c * v[i + 1]
        err = 1.0
        while err > 1e-8:
            err = 0.0
            for i in range(1, nodes):
                a = 0.25 * dt * (SIGMA**2 * i * i - RATE * i)
                b = -0.5 * dt * (SIGMA**2 * i * i + RATE)
                c = 0.25 * dt * (SIGMA**2 * i * i + RATE * i)
                gauss = (rhs[i] + a * v[i - 1] + c * v[i + 1]) / (1.0 - b)
                new = max(payoff[i], v[i] + 1.3 * (gauss - v[i]))
                err = max(err, abs(new - v[i]))
                v[i] = new
            sweeps += 1
    at = SPOT / ds
    i = int(at)
    return v[i] + (at - i) * (v[i + 1] - v[i]), sweeps


def main():
    parser = argparse.ArgumentParser(description="Option prices four ways")
    parser.add_argument("--steps", type=int, default=900, help="of the tree")
    parser.add_argument("--paths", type=int, default=20000)
    parser.add_argument("--days", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=300, help="of the finite differences")
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)

    print("strike   formula        tree           delta      american put   implied")
    for strike in np.arange(80.0, 121.0, 10.0):
        formula = black_scholes(SPOT, strike, RATE, SIGMA, YEARS)
        tree, delta = binomial(SPOT, strike, RATE, SIGMA, YEARS, args.steps, "call", False)
        put, _ = binomial(SPOT, strike, RATE, SIGMA, YEARS, args.steps)
        vol = implied_volatility(tree, SPOT, strike, RATE, YEARS)
        print(f"{strike:6.1f} {formula:13.9f} {tree:13.9f} {delta:11.7f} {put:13.9f} {vol:.7f}")

    price, error = asian_call(100.0, args.paths, args.days, rng)
    print(f"asian call    {price:.9f} +- {error:.9f}")
    for barrier in (120.0, 140.0):
        price, error, knocked = barrier_call(100.0, barrier, args.paths, args.days, rng)
        print(f"barrier {barrier:.0f}   {price:.9f} +- {error:.9f}, {knocked} knocked out")
    price, error = american_by_regression(100.0, args.paths, args.days // 2, rng)
    print(f"american put  {price:.9f} +- {error:.9f} by regression")
    price, sweeps = american_by_differences(100.0, args.nodes, args.days)
    print(f"american put  {price:.9f} by differences, {sweeps} sweeps")


if __name__ == "__main__":
    main()
