"""Random graphs and their compressed rows."""

import numpy as np


def preferential_attachment(nodes, links, rng):
    """Directed edges: each new page links to older ones, popular pages more likely."""
    edges = []
    targets = list(range(links))
    pool = []
    for page in range(links, nodes):
        chosen = set()
        while len(chosen) < min(links, page):
            if pool and rng.random() < 0.85:
                chosen.add(pool[int(rng.random() * len(pool))])
            else:
                chosen.add(int(rng.random() * page))
        for other in sorted(chosen):
            edges.append((page, other))
            if rng.random() < 0.3:
                edges.append((other, page))
            pool.append(other)
        pool.append(page)
    for a in targets:
        edges.append((a, (a + 1) % links))
    return edges


def compressed(edges, nodes):
    """Row starts and columns of the edges, sorted by their first node."""
    start = np.zeros(nodes + 1, dtype=np.int64)
    for a, _ in edges:
        start[a + 1] += 1
    for i in range(nodes):
        start[i + 1] += start[i]
    place = start[:-1].copy()
    column = np.zeros(len(edges), dtype=np.int64)
    for a, b in edges:
        column[place[a]] = b
        place[a] += 1
    return start, column


def transposed(start, column):
    """The same graph with every edge turned round."""
    nodes = len(start) - 1
    t_start = np.zeros_like(start)
    for e in range(len(column)):
        t_start[column[e] + 1] += 1
    t_start = np.cumsum(t_start)
    place = t_start[:-1].copy()
    t_column = np.zeros_like(column)
    for i in range(nodes):
        for e in range(start[i], start[i + 1]):
            j = column[e]
            t_column[place[j]] = i
            place[j] += 1
    return t_start, t_column
