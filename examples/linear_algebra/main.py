"""Dense linear algebra on lists of lists: solve, factor, invert, eigenvalues.

    python main.py --size 240

Solves a test problem with each factorisation, compares with known answers and with NumPy.
"""

import argparse
import math
import random

import numpy as np
from dense import (
    cholesky,
    difference,
    identity,
    jacobi_eigenvalues,
    lu,
    lu_solve,
    matmul,
    matvec,
    norm,
    qr,
    transpose,
)


def random_matrix(n):
    return [[random.uniform(-1.0, 1.0) for _ in range(n)] for _ in range(n)]


def membrane(n):
    """Stiffness of a chain of springs, with a weak coupling of all points."""
    a = []
    for i in range(n):
        row = []
        for j in range(n):
            if i == j:
                row.append(2.0 + 1.0 / n)
            elif abs(i - j) == 1:
                row.append(-1.0)
            else:
                row.append(0.0)
        a.append(row)
    return a


def residual(a, x, b):
    return norm([p - q for p, q in zip(matvec(a, x), b)])


def refine(a, factors, order, b, x):
    """Iterative refinement until the residual no longer falls."""
    history = [residual(a, x, b)]
    while len(history) < 10:
        r = [q - p for p, q in zip(matvec(a, x), b)]
        correction = lu_solve(factors, order, r)
        better = [p + q for p, q in zip(x, correction)]
        now = residual(a, better, b)
        if now >= history[-1]:
            break
        x = better
        history.append(now)
    return x, history


def power_method(a, tol=1e-10):
    """Largest eigenvalue by repeated multiplication."""
    x = [1.0 + 0.01 * i for i in range(len(a))]
    value, old = 0.0, 1.0
    rounds = 0
    while abs(value - old) > tol * abs(old) and rounds < 500:
        old = value
        y = matvec(a, x)
        value = norm(y)
        x = [v / value for v in y]
        rounds += 1
    return value, rounds


def least_squares(points, degree):
    """Fit a polynomial through the normal equations and Cholesky."""
    rows = [[x**k for k in range(degree + 1)] for x, _ in points]
    t = transpose(rows)
    low = cholesky(matmul(t, rows))
    rhs = matvec(t, [y for _, y in points])
    n = len(rhs)
    z = [0.0] * n
    for i in range(n):
        z[i] = (rhs[i] - sum(low[i][j] * z[j] for j in range(i))) / low[i][i]
    c = [0.0] * n
    for i in range(n - 1, -1, -1):
        c[i] = (z[i] - sum(low[j][i] * c[j] for j in range(i + 1, n))) / low[i][i]
    return c


def main():
    parser = argparse.ArgumentParser(description="Dense linear algebra on lists of lists")
    parser.add_argument("--size", type=int, default=240)
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    random.seed(args.seed)
    n = args.size

    a = random_matrix(n)
    truth = [math.sin(i + 1.0) for i in range(n)]
    b = matvec(a, truth)
    factors, order, sign = lu(a)
    x = lu_solve(factors, order, b)
    x, history = refine(a, factors, order, b, x)
    log_det = sum(math.log(abs(factors[i][i])) for i in range(n))
    for i in range(n):
        if factors[i][i] < 0:
            sign = -sign
    print(f"LU: log |det| {log_det:.12f}, sign {sign:+.0f}, residuals", end="")
    print("".join(f" {r:.3e}" for r in history))
    print(f"    error {max(abs(p - q) for p, q in zip(x, truth)):.3e}")
    close = math.isclose(log_det, np.linalg.slogdet(np.array(a))[1], rel_tol=1e-9)
    print(f"    same determinant as NumPy: {close}")

    columns = [lu_solve(factors, order, e) for e in identity(n)]
    inverse = transpose(columns)
    print(f"inverse: |A A^-1 - 1| {difference(matmul(a, inverse), identity(n)):.3e}")

    q, r = qr(a)
    below = max(abs(r[i][j]) for i in range(n) for j in range(i))
    print(f"QR: |A - QR| {difference(matmul(q, r), a):.3e}, below the diagonal {below:.3e}")
    print(f"    |Q'Q - 1| {difference(matmul(transpose(q), q), identity(n)):.3e}")

    m = membrane(n)
    low = cholesky(m)
    print(f"Cholesky: |A - LL'| {difference(matmul(low, transpose(low)), m):.3e}")
    small = [row[: n // 2] for row in m[: n // 2]]
    values, sweeps = jacobi_eigenvalues(small)
    k = len(values)
    known = sorted(2.0 + 1.0 / n - 2.0 * math.cos(math.pi * (i + 1) / (k + 1)) for i in range(k))
    worst = max(abs(p - q) for p, q in zip(values, known))
    print(f"Jacobi: {sweeps} sweeps, {values[0]:.9f} to {values[-1]:.9f}, error {worst:.3e}")
    value, rounds = power_method(m)
    print(f"power method: {value:.9f} after {rounds} rounds")

    points = [(t, math.exp(-t) * math.cos(3 * t)) for t in np.arange(0.0, 2.0, 2.0 / n)]
    for degree in (2, 4, 6):
        c = least_squares(points, degree)
        misfit = norm([y - sum(ck * x**k for k, ck in enumerate(c)) for x, y in points])
        print(f"polynomial of degree {degree}: misfit {misfit:.9f}")


if __name__ == "__main__":
    main()
