"""Dense matrices as lists of rows: factorisations from the textbook."""

import math


def zeros(n, m):
    return [[0.0] * m for _ in range(n)]


def identity(n):
    return [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]


def transpose(a):
    return [list(column) for column in zip(*a)]


def matmul(a, b):
    n, m, p = len(a), len(b), len(b[0])
    c = zeros(n, p)
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c


def matvec(a, x):
    return [sum(aij * xj for aij, xj in zip(row, x)) for row in a]


def norm(x):
    return math.sqrt(sum(v * v for v in x))


def difference(a, b):
    """Largest difference of two matrices."""
    return max(abs(x - y) for r, s in zip(a, b) for x, y in zip(r, s))


def lu(a):
    """L and U in one matrix, the order of the rows, and the sign of that order."""
    a = [row[:] for row in a]
    n = len(a)
    order = list(range(n))
    sign = 1.0
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(a[i][k]))
        if a[pivot][k] == 0.0:
            raise ZeroDivisionError("matrix is singular")
        if pivot != k:
            a[k], a[pivot] = a[pivot], a[k]
            order[k], order[pivot] = order[pivot], order[k]
            sign = -sign
        for i in range(k + 1, n):
            a[i][k] /= a[k][k]
            factor = a[i][k]
            if factor == 0.0:
                continue
            for j in range(k + 1, n):
                a[i][j] -= factor * a[k][j]
    return a, order, sign


def lu_solve(factors, order, b):
    n = len(b)
    x = [b[i] for i in order]
    for i in range(n):
        for j in range(i):
            x[i] -= factors[i][j] * x[j]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] -= factors[i][j] * x[j]
        x[i] /= factors[i][i]
    return x


def cholesky(a):
    n = len(a)
    low = zeros(n, n)
    for j in range(n):
        s = a[j][j] - sum(v * v for v in low[j][:j])
        low[j][j] = math.sqrt(s)
        for i in range(j + 1, n):
            s = a[i][j]
            for k in range(j):
                s -= low[i][k] * low[j][k]
            low[i][j] = s / low[j][j]
    return low


def qr(a):
    """Householder reflections; returns Q and R."""
    r = [row[:] for row in a]
    n = len(r)
    q = identity(n)
    for k in range(n - 1):
        v = [r[i][k] for i in range(k, n)]
        alpha = -math.copysign(norm(v), v[0])
        v[0] -= alpha
        length = norm(v)
        if length == 0.0:
            continue
        v = [x / length for x in v]
        for j in range(k, n):
            s = 0.0
            for i in range(k, n):
                s += v[i - k] * r[i][j]
            for i in range(k, n):
                r[i][j] -= 2.0 * s * v[i - k]
        for i in range(n):
            s = 0.0
            for j in range(k, n):
                s += q[i][j] * v[j - k]
            for j in range(k, n):
                q[i][j] -= 2.0 * s * v[j - k]
    return q, r


def jacobi_eigenvalues(a, tol=1e-12):
    """Cyclic Jacobi rotations for a symmetric matrix; eigenvalues in rising order."""
    a = [row[:] for row in a]
    n = len(a)
    sweeps = 0
    while True:
        off = math.sqrt(sum(a[i][j] ** 2 for i in range(n) for j in range(n) if i != j))
        if off < tol * n:
            break
        sweeps += 1
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p][q]) < 1e-300:
                    continue
                theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
                t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    akp, akq = a[k][p], a[k][q]
                    a[k][p] = c * akp - s * akq
                    a[k][q] = s * akp + c * akq
                for k in range(n):
                    apk, aqk = a[p][k], a[q][k]
                    a[p][k] = c * apk - s * aqk
                    a[q][k] = s * apk + c * aqk
    return sorted(a[i][i] for i in range(n)), sweeps
