"""Expectation maximisation for a mixture of Gaussians with full covariances."""

import math

import numpy as np


def cholesky(a):
    """Lower triangle L with L L' = a."""
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                if s <= 0.0:
                    raise ValueError("covariance is not positive definite")
                low[i, i] = math.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return low


def log_density(x, mean, low):
    """Logarithm of the normal density at x, the covariance given by its Cholesky factor."""
    d = len(mean)
    z = np.zeros(d)
    total = d * math.log(2.0 * math.pi)
    for i in range(d):
        s = x[i] - mean[i]
        for j in range(i):
            s -= low[i, j] * z[j]
        z[i] = s / low[i, i]
        total += z[i] * z[i] + 2.0 * math.log(low[i, i])
    return -0.5 * total


def log_sum_exp(values):
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values))


def expectation(data, weights, means, covs, resp):
    """Fill the responsibilities; returns the log likelihood."""
    k = len(weights)
    factors = [cholesky(c) for c in covs]
    total = 0.0
    for n, x in enumerate(data):
        logs = [math.log(weights[c]) + log_density(x, means[c], factors[c]) for c in range(k)]
        norm = log_sum_exp(logs)
        for c in range(k):
            resp[n, c] = math.exp(logs[c] - norm)
        total += norm
    return total


def maximisation(data, resp, weights, means, covs, ridge=1e-6):
    """New weights, means and covariances from the responsibilities, in place."""
    n, d = data.shape
    for c in range(resp.shape[1]):
        count = 0.0
        for p in range(n):
            count += resp[p, c]
        weights[c] = count / n
        for i in range(d):
            s = 0.0
            for p in range(n):
                s += resp[p, c] * data[p, i]
            means[c, i] = s / count
        for i in range(d):
            for j in range(i + 1):
                s = 0.0
                for p in range(n):
                    s += resp[p, c] * (data[p, i] - means[c, i]) * (data[p, j] - means[c, j])
                covs[c, i, j] = s / count
                covs[c, j, i] = s / count
            covs[c, i, i] += ridge


def fit(data, means, tol=1e-5, limit=200):
    """Iterate until the mean log likelihood gains less than tol; returns all of the model."""
    n = len(data)
    k = means.shape[0]
    weights = np.full(k, 1.0 / k)
    means = means.copy()
    spread = np.diag(data.var(axis=0))
    covs = np.array([spread.copy() for _ in range(k)])
    resp = np.zeros((n, k))
    history = []
    gain = float("inf")
    while gain > tol and len(history) < limit:
        history.append(expectation(data, weights, means, covs, resp) / n)
        maximisation(data, resp, weights, means, covs)
        if len(history) > 1:
            gain = history[-1] - history[-2]
    return weights, means, covs, resp, history
