"""Training of a support vector machine by sequential minimal optimization, Gaussian kernel.

Each step changes the two multipliers that violate the optimality conditions most.
"""

from math import exp

from copperhead import inputs

SIZES = {"check": 80, "steady": 1_000}


def make(n, seed):
    problem = inputs.two_classes(n, seed)
    lists = {name: problem[name].tolist() for name in ("points", "labels")}
    return {**problem, **lists}


def run(points, labels, gamma, cost, tolerance, limit):
    def kernel(x, y):
        return exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y)))

    indices = range(len(points))
    alphas = [0.0 for _ in points]
    errors = [-label for label in labels]
    step, bias = 0, 0.0
    while step < limit:
        rising = [i for i in indices if (alphas[i] < cost if labels[i] > 0 else alphas[i] > 0.0)]
        falling = [i for i in indices if (alphas[i] > 0.0 if labels[i] > 0 else alphas[i] < cost)]
        high = min(rising, key=lambda i: errors[i])
        low = max(falling, key=lambda i: errors[i])
        bias = (errors[high] + errors[low]) / 2.0
        if errors[low] - errors[high] <= 2.0 * tolerance:
            break
        from_high = [kernel(points[high], x) for x in points]
        from_low = [kernel(points[low], x) for x in points]
        sign = labels[high] * labels[low]
        if sign > 0:
            least = max(0.0, alphas[high] + alphas[low] - cost)
            most = min(cost, alphas[high] + alphas[low])
        else:
            least = max(0.0, alphas[low] - alphas[high])
            most = min(cost, cost + alphas[low] - alphas[high])
        curvature = 2.0 - 2.0 * from_high[low]
        best = alphas[low] + labels[low] * (errors[high] - errors[low]) / curvature
        change = min(max(best, least), most) - alphas[low]
        by_low = change * labels[low]
        by_high = -sign * change * labels[high]
        errors = [
            error + (by_high * h + by_low * w) for error, h, w in zip(errors, from_high, from_low)
        ]
        alphas[low] += change
        alphas[high] -= sign * change
        step += 1
    return alphas, bias, step
