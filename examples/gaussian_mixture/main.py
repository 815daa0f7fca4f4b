"""How many clusters are in the data?  k-means++ and Gaussian mixtures, compared by BIC.

    python main.py --points 2000 --most 5

The data come from a known mixture of four parts, so the answer can be checked.
"""

import argparse
import math

import numpy as np
from em import fit

TRUE = [
    # weight, mean, standard deviations along x, y and z, rotation in the plane
    (0.35, (0.0, 0.0, 0.0), (1.0, 0.4, 0.5), 0.5),
    (0.25, (3.0, 2.5, 1.0), (0.5, 0.9, 0.3), 0.0),
    (0.25, (-3.0, 2.0, -1.0), (0.7, 0.7, 0.8), 0.9),
    (0.15, (1.0, -3.5, 2.0), (1.2, 0.3, 0.4), -0.4),
]


def sample(count, rng):
    """Points of the true mixture, and from which part each one came."""
    data = np.zeros((count, 3))
    labels = []
    for p in range(count):
        u = rng.random()
        part = 0
        while part < len(TRUE) - 1 and u >= TRUE[part][0]:
            u -= TRUE[part][0]
            part += 1
        _, mean, scale, angle = TRUE[part]
        g = [s * rng.normal() for s in scale]
        data[p, 0] = mean[0] + math.cos(angle) * g[0] - math.sin(angle) * g[1]
        data[p, 1] = mean[1] + math.sin(angle) * g[0] + math.cos(angle) * g[1]
        data[p, 2] = mean[2] + g[2]
        labels.append(part)
    return data, labels


def squared_distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b))


def seed_centres(data, k, rng):
    """k-means++: each next centre with a probability proportional to its squared distance."""
    centres = [data[rng.integers(len(data))]]
    nearest = np.full(len(data), np.inf)
    while len(centres) < k:
        for p, x in enumerate(data):
            nearest[p] = min(nearest[p], squared_distance(x, centres[-1]))
        target = rng.random() * nearest.sum()
        running = 0.0
        for p in range(len(data)):
            running += nearest[p]
            if running >= target:
                break
        centres.append(data[p])
    return np.array(centres)


def k_means(data, centres):
    """Lloyd's algorithm until no point changes its cluster."""
    n, d = data.shape
    k = len(centres)
    owner = np.full(n, -1)
    rounds = 0
    changed = True
    while changed:
        changed = False
        for p in range(n):
            best, best_dist = -1, np.inf
            for c in range(k):
                dist = 0.0
                for i in range(d):
                    diff = data[p, i] - centres[c, i]
                    dist += diff * diff
                if dist < best_dist:
                    best, best_dist = c, dist
            if owner[p] != best:
                owner[p] = best
                changed = True
        for c in range(k):
            members = data[owner == c]
            if len(members) > 0:
                centres[c] = members.mean(axis=0)
        rounds += 1
    inertia = sum(squared_distance(data[p], centres[owner[p]]) for p in range(n))
    return owner, rounds, inertia


def bic(loglik, n, k, d):
    """Bayesian information criterion; smaller is better."""
    parameters = (k - 1) + k * d + k * d * (d + 1) // 2
    return -2.0 * loglik * n + parameters * math.log(n)


def main():
    parser = argparse.ArgumentParser(description="Gaussian mixtures from scratch")
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--most", type=int, default=5, help="largest number of clusters")
    parser.add_argument("--limit", type=int, default=60, help="iterations of one fit at most")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--plot", metavar="FILE")
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    data, labels = sample(args.points, rng)
    scores = {}
    models = {}
    for k in range(2, args.most + 1):
        centres = seed_centres(data, k, rng)
        owner, rounds, inertia = k_means(data, centres)
        weights, means, _, resp, history = fit(data, centres, limit=args.limit)
        scores[k] = bic(history[-1], len(data), k, 3)
        models[k] = (weights, means, resp)
        print(f"k = {k}: k-means {rounds} rounds, inertia {inertia:.6f}")
        print(f"       mixture {len(history)} iterations, log likelihood {history[-1]:.9f}")
        print(f"       BIC {scores[k]:.6f}, moved {np.sum(np.argmax(resp, axis=1) != owner)}")

    best = min(scores, key=scores.get)
    weights, means, resp = models[best]
    print(f"best number of clusters: {best}")
    order = np.argsort(-weights)
    for c in order:
        print(f"  weight {weights[c]:.6f} mean", " ".join(f"{x:9.6f}" for x in means[c]))

    assigned = resp.argmax(axis=1)
    table = [[0] * best for _ in TRUE]
    for true, found in zip(labels, assigned):
        table[true][found] += 1
    for true, row in enumerate(table):
        print(f"  true part {true}:", " ".join(f"{row[c]:5d}" for c in order))

    if args.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.scatter(data[:, 0], data[:, 1], c=assigned, s=4)
        plt.plot(means[:, 0], means[:, 1], "k+", ms=12)
        plt.savefig(args.plot)


if __name__ == "__main__":
    main()
