"""Prices of options: an option for each thread, the put from the call by their parity.

put = call + K exp(-r T) - S
"""

import functools
import math

from suite.on_gpu.launch import blocks, compiled

READ = ("spot", "strike", "years")
WRITTEN = ("call", "put")
THREADS = 256

TEXT = """
extern "C" __global__ void black_scholes(double rate, double volatility,
                                         const double* __restrict__ spot,
                                         const double* __restrict__ strike,
                                         const double* __restrict__ years,
                                         double* __restrict__ call, double* __restrict__ put,
                                         long long n) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double s = spot[i], k = strike[i], t = years[i];
    const double spread = volatility * sqrt(t);
    const double d1 = (log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread;
    const double owed = k * exp(-rate * t);
    const double price = s * normcdf(d1) - owed * normcdf(d1 - spread);
    call[i] = price;
    put[i] = price + owed - s;
}
"""


@functools.cache
def kernel():
    from numba import cuda

    half = math.sqrt(0.5)

    @cuda.jit
    def prices(rate, volatility, spot, strike, years, call, put):
        i = cuda.grid(1)
        if i >= spot.size:
            return
        s = spot[i]
        t = years[i]
        spread = volatility * math.sqrt(t)
        d1 = (math.log(s / strike[i]) + (rate + 0.5 * volatility * volatility) * t) / spread
        n1 = 0.5 + 0.5 * math.erf(d1 * half)
        n2 = 0.5 + 0.5 * math.erf((d1 - spread) * half)
        owed = strike[i] * math.exp(-rate * t)
        price = s * n1 - owed * n2
        call[i] = price
        put[i] = price + owed - s

    return prices


def by_numba(rate, volatility, spot, strike, years, call, put):
    grid = blocks((spot.size, THREADS))
    kernel()[grid, THREADS](rate, volatility, spot, strike, years, call, put)


def by_raw(rate, volatility, spot, strike, years, call, put):
    grid = blocks((spot.size, THREADS))
    given = (rate, volatility, spot, strike, years, call, put, spot.size)
    compiled(TEXT, "black_scholes")(grid, (THREADS,), given)


def by_arrays(rate, volatility, spot, strike, years, call, put):
    import cupy
    from cupyx.scipy.special import erf

    half = math.sqrt(0.5)
    spread = volatility * cupy.sqrt(years)
    d1 = (cupy.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    n1 = 0.5 + 0.5 * erf(d1 * half)
    n2 = 0.5 + 0.5 * erf((d1 - spread) * half)
    owed = strike * cupy.exp(-rate * years)
    call[:] = spot * n1 - owed * n2
    put[:] = call + owed - spot
