"""Kernel rows in parallel; the search, which is short, by one thread."""

import math

import numpy as np
from numba import prange


def kernels(points, gamma, high, low, from_high, from_low):
    n, features = points.shape
    for i in prange(n):
        to_high = 0.0
        to_low = 0.0
        for k in range(features):
            first = points[high, k] - points[i, k]
            second = points[low, k] - points[i, k]
            to_high += first * first
            to_low += second * second
        from_high[i] = math.exp(-gamma * to_high)
        from_low[i] = math.exp(-gamma * to_low)


def run(points, labels, alphas, gamma, cost, tolerance, limit):
    n = points.shape[0]
    errors = -labels
    from_high = np.empty(n)
    from_low = np.empty(n)
    step = 0
    bias = 0.0
    while step < limit:
        high = -1
        low = -1
        least_error = np.inf
        most_error = -np.inf
        for i in range(n):
            if labels[i] > 0:
                rises = alphas[i] < cost
                falls = alphas[i] > 0.0
            else:
                rises = alphas[i] > 0.0
                falls = alphas[i] < cost
            if rises and errors[i] < least_error:
                least_error = errors[i]
                high = i
            if falls and errors[i] > most_error:
                most_error = errors[i]
                low = i
        bias = (least_error + most_error) / 2.0
        if most_error - least_error <= 2.0 * tolerance:
            break
        kernels(points, gamma, high, low, from_high, from_low)
        sign = labels[high] * labels[low]
        if sign > 0:
            least = max(0.0, alphas[high] + alphas[low] - cost)
            most = min(cost, alphas[high] + alphas[low])
        else:
            least = max(0.0, alphas[low] - alphas[high])
            most = min(cost, cost + alphas[low] - alphas[high])
        curvature = 2.0 - 2.0 * from_high[low]
        best = alphas[low] + labels[low] * (least_error - most_error) / curvature
        change = min(max(best, least), most) - alphas[low]
        by_low = change * labels[low]
        by_high = -sign * change * labels[high]
        for i in range(n):
            errors[i] += by_high * from_high[i] + by_low * from_low[i]
        alphas[low] += change
        alphas[high] -= sign * change
        step += 1
    return bias, step
