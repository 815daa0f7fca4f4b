"""Options in parallel."""

import math

from numba import prange


def run(rate, volatility, spot, strike, years, call, put):
    half = math.sqrt(0.5)
    drift = rate + 0.5 * volatility * volatility
    for i in prange(spot.shape[0]):
        spread = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + drift * years[i]) / spread
        d2 = d1 - spread
        n1 = 0.5 * (1.0 + math.erf(d1 * half))
        n2 = 0.5 * (1.0 + math.erf(d2 * half))
        owed = strike[i] * math.exp(-rate * years[i])
        call[i] = spot[i] * n1 - owed * n2
        put[i] = owed * (1.0 - n2) - spot[i] * (1.0 - n1)
