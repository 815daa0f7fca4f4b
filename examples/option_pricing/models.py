"""Black-Scholes formulas and a binomial tree."""

from math import erf, exp, log, sqrt


def normal_cdf(x):
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def black_scholes(spot, strike, rate, sigma, years, kind="call"):
    """Price of a European option."""
    d1 = (log(spot / strike) + (rate + 0.5 * sigma**2) * years) / (sigma * sqrt(years))
    d2 = d1 - sigma * sqrt(years)
    if kind == "call":
        return spot * normal_cdf(d1) - strike * exp(-rate * years) * normal_cdf(d2)
    return strike * exp(-rate * years) * normal_cdf(-d2) - spot * normal_cdf(-d1)


def implied_volatility(price, spot, strike, rate, years, kind="call"):
    """Bisection on the Black-Scholes price."""
    low, high = 1e-4, 4.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if black_scholes(spot, strike, rate, middle, years, kind) > price:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def binomial(spot, strike, rate, sigma, years, steps, kind="put", american=True):
    """Cox-Ross-Rubinstein tree; returns the price and the first step's delta."""
    dt = years / steps
    up = exp(sigma * sqrt(dt))
    down = 1.0 / up
    p = (exp(rate * dt) - down) / (up - down)
    discount = exp(-rate * dt)
    sign = 1.0 if kind == "call" else -1.0

    prices = [spot * up**j * down ** (steps - j) for j in range(steps + 1)]
    values = [max(sign * (price - strike), 0.0) for price in prices]
    delta = 0.0
    for step in reversed(range(steps)):
        price = spot * down**step
        for j in range(step + 1):
            value = discount * (p * values[j + 1] + (1.0 - p) * values[j])
            if american:
                value = max(value, sign * (price - strike))
            values[j] = value
            price *= up * up
        if step == 1:
            delta = (values[1] - values[0]) / (spot * (up - down))
    return values[0], delta
