"""Training of a support vector machine by sequential minimal optimization, Gaussian kernel.

Each step changes the two multipliers that violate the optimality conditions most.
"""

import math

import numpy as np

from copperhead import inputs

SIZES = {"check": 80, "steady": 1_000}


def make(n, seed):
    problem = inputs.two_classes(n, seed)
    return {**problem, "alphas": np.zeros(n)}


def run(points, labels, alphas, gamma, cost, tolerance, limit):
    n, features = points.shape
    errors = -labels
    from_high = np.empty(n)
    from_low = np.empty(n)
    step, bias = 0, 0.0
    while step < limit:
        high = low = -1
        least_error = math.inf
        most_error = -math.inf
        for i in range(n):
            if labels[i] > 0:
                rises, falls = alphas[i] < cost, alphas[i] > 0.0
            else:
                rises, falls = alphas[i] > 0.0, alphas[i] < cost
            if rises and errors[i] < least_error:
                least_error = errors[i]
                high = i
            if falls and errors[i] > most_error:
                most_error = errors[i]
                low = i
        bias = (least_error + most_error) / 2.0
        if most_error - least_error <= 2.0 * tolerance:
            break
        for i in range(n):
            to_high = 0.0
            to_low = 0.0
            for k in range(features):
                to_high += (points[high, k] - points[i, k]) ** 2
                to_low += (points[low, k] - points[i, k]) ** 2
            from_high[i] = math.exp(-gamma * to_high)
            from_low[i] = math.exp(-gamma * to_low)
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
