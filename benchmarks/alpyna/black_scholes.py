"""Prices of European call and put options after Black and Scholes.

With spot price S, strike K, time to expiry T, interest rate r, volatility v and the normal
distribution function N(d) = (1 + erf(d / sqrt 2)) / 2,

    d1 = (ln(S / K) + (r + v^2 / 2) T) / (v sqrt T),    d2 = d1 - v sqrt T
    call = S N(d1) - K exp(-r T) N(d2)
    put  = K exp(-r T) N(-d2) - S N(-d1)
"""

import math

import numpy as np

SIZES = {"check": 100_000, "steady": 1_500_000}
PARALLEL = ("i",)


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "rate": 0.02,
        "volatility": 0.3,
        "spot": rng.uniform(5.0, 30.0, n),
        "strike": rng.uniform(1.0, 100.0, n),
        "years": rng.uniform(0.25, 10.0, n),
        "call": np.zeros(n),
        "put": np.zeros(n),
    }


def run(rate, volatility, spot, strike, years, call, put):
    half = math.sqrt(0.5)
    drift = rate + 0.5 * volatility * volatility
    for i in range(spot.shape[0]):
        spread = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + drift * years[i]) / spread
        d2 = d1 - spread
        n1 = 0.5 * (1.0 + math.erf(d1 * half))
        n2 = 0.5 * (1.0 + math.erf(d2 * half))
        owed = strike[i] * math.exp(-rate * years[i])
        call[i] = spot[i] * n1 - owed * n2
        put[i] = owed * (1.0 - n2) - spot[i] * (1.0 - n1)


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
