"""Ranks of the pages of a random web: PageRank, hubs and authorities, distances, components.

    python pagerank.py --pages 25000

The graph is kept in compressed rows.
"""

import argparse
from collections import Counter

import numpy as np
from graph import compressed, preferential_attachment, transposed


def pagerank(start, column, back_start, back_column, damping=0.85, tol=1e-10):
    """Power iteration until the ranks change by less than tol in total."""
    n = len(start) - 1
    degree = start[1:] - start[:-1]
    dangling = degree == 0
    rank = np.full(n, 1.0 / n)
    new = np.zeros(n)
    changes = []
    err = 1.0
    while err > tol:
        lost = rank[dangling].sum()
        base = (1.0 - damping) / n + damping * lost / n
        for i in range(n):
            s = 0.0
            for e in range(back_start[i], back_start[i + 1]):
                j = back_column[e]
                s += rank[j] / degree[j]
            new[i] = base + damping * s
        err = np.abs(new - rank).sum()
        rank, new = new, rank
        changes.append(err)
    return rank, changes


def hubs_and_authorities(start, column, iterations):
    """Kleinberg's scores; each side collects from the other along the links."""
    n = len(start) - 1
    hub = np.ones(n)
    auth = np.ones(n)
    for _ in range(iterations):
        auth[:] = 0.0
        for i in range(n):
            for e in range(start[i], start[i + 1]):
                auth[column[e]] += hub[i]
        auth /= np.sqrt(np.sum(auth**2))
        for i in range(n):
            hub[i] = sum(auth[column[e]] for e in range(start[i], start[i + 1]))
        hub /= np.sqrt(np.sum(hub**2))
    return hub, auth


def distances(start, column, source):
    """Breadth first search; -1 where there is no path."""
    n = len(start) - 1
    dist = [-1] * n
    dist[source] = 0
    queue = [source]
    head = 0
    while head < len(queue):
        i = queue[head]
        head += 1
        for e in range(start[i], start[i + 1]):
            j = int(column[e])
            if dist[j] < 0:
                dist[j] = dist[i] + 1
                queue.append(j)
    return dist


def find(parent, i):
    """Root of i, halving the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def components(start, column):
    """Weakly connected components by union and find."""
    n = len(start) - 1
    parent = list(range(n))
    for i in range(n):
        for e in range(start[i], start[i + 1]):
            a, b = find(parent, i), find(parent, int(column[e]))
            if a != b:
                parent[max(a, b)] = min(a, b)
    return [find(parent, i) for i in range(n)]


def random_surfer(start, column, steps, rng, damping=0.85):
    """Visits of somebody who follows links at random, and sometimes goes anywhere."""
    n = len(start) - 1
    visits = np.zeros(n, dtype=np.int64)
    at = 0
    for _ in range(steps):
        out = start[at + 1] - start[at]
        if out == 0 or rng.random() > damping:
            at = int(rng.random() * n)
        else:
            at = column[start[at] + int(rng.random() * out)]
        visits[at] += 1
    return visits


def main():
    parser = argparse.ArgumentParser(description="PageRank of a random web")
    parser.add_argument("--pages", type=int, default=25000)
    parser.add_argument("--links", type=int, default=6)
    parser.add_argument("--top", type=int, default=8)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    edges = preferential_attachment(args.pages, args.links, rng)
    start, column = compressed(edges, args.pages)
    back_start, back_column = transposed(start, column)
    print(f"{args.pages} pages, {len(edges)} links")

    rank, changes = pagerank(start, column, back_start, back_column)
    print(f"{len(changes)} iterations, sum {rank.sum():.12f}")
    for k, err in enumerate(changes):
        if k % 10 == 0:
            print(f"  change {k:3d}: {err:.6e}")
    hub, auth = hubs_and_authorities(start, column, 25)
    visits = random_surfer(start, column, 40 * args.pages, rng)
    print("  page      rank         hub          authority   visits   in  out")
    best = np.argsort(-rank, kind="stable")[: args.top]
    for i in best:
        links_in = back_start[i + 1] - back_start[i]
        links_out = start[i + 1] - start[i]
        print(
            f"{i:6d} {rank[i]:.9f} {hub[i]:.9f} {auth[i]:.9f}"
            f" {visits[i] / visits.sum():.6f} {links_in:5d} {links_out:3d}"
        )

    for source in best[:2]:
        dist = distances(start, column, int(source))
        levels = Counter(dist)
        print(f"from {source}:", ", ".join(f"{d}: {levels[d]}" for d in sorted(levels)))
    sizes = Counter(components(start, column))
    print(f"{len(sizes)} components, largest {max(sizes.values())}")
    order = np.argsort(rank, kind="stable")
    sorted_rank = rank[order]
    gini = 2.0 * sum((k + 1) * r for k, r in enumerate(sorted_rank)) / args.pages - 1.0
    print(f"gini {gini:.12f}")


if __name__ == "__main__":
    main()
