"""Statements on whole arrays: compiled where they are taken, and the same in any case."""

from __future__ import annotations

import pytest
from given import HEAD
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAKEN = {
    "a stencil": """
for t in range(5):
    B[1:-1, 1:-1] = 0.25 * (A[2:, 1:-1] + A[:-2, 1:-1] + A[1:-1, 2:] + A[1:-1, :-2])
    A[1:-1, 1:-1] = B[1:-1, 1:-1]
""",
    "all of an array": """
for t in range(3):
    A[:] = A * 0.5 + B
    B[...] = -A
    C[:, :] = 1
    u[:] = c
""",
    "rows and columns": """
for i in range(n):
    A[i] = B[i] * 2.0
    C[i, :] += A[i]
for j in range(m):
    B[:, j] = C[:, j] - u
    A[1:, j] -= A[1:, j] / 3
""",
    "parts that overlap": """
for t in range(4):
    u[1:] = u[:-1]
    v[:-1] = v[1:] + v[:-1]
    A[1:, :] = A[:-1, :]
    A[:, 1:] += A[:, :-1]
    w[::-1] = w
    S[:, :] = S[0]
""",
    "bounds that move": """
for i in range(1, n - 1):
    u[i:] += v[i:] * c
    u[:i] -= v[:i]
    v[i - 1:i + 2] = u[i]
    A[i, i - 1:] = 0.5
""",
    "bounds that are computed": """
for i in range(n):
    lo = max(0, i - 2)
    hi = min(n, i + 3)
    u[i] = v[lo]
    v[lo:hi] += 0.125
""",
    "bounds that are read": """
start = np.array([0, 2, 2, 5, 9])
for r in range(4):
    u[start[r]:start[r + 1]] *= 1.0 + r
    v[start[r]:] = u[start[r]:]
""",
    "steps": """
for t in range(3):
    u[::2] = v[::2] * 2
    u[1::2] = v[:-1:2]
    A[::3, 1::2] += 1.0
    v[::-1] += u
    v[:] = v[::-1] - u
""",
    "broadcasting": """
for t in range(3):
    A[:] = A * w
    A += u[:, None]
    B[1:, :] = w[None, :] + u[1:, np.newaxis]
    C[:] = one * w
    B -= one
    C[2] = w
    S[:, :] = w
""",
    "types": """
for t in range(3):
    f[:] = f * 2 + 1
    f *= 0.1
    f[1:] = A[1:]
    f += A
    A[:] = f
    I[:] = I + i8
    I //= 3
    J[:, 1:] %= 5
    J[:] = J * J
    i8 += i8
    i8 *= 7
    g[:] = g * z
    U[:] = U - 1
    I[:] = U >> 1
    u[:] = I / 3
    f *= A
    i8 += I
""",
    "comparisons and choices": """
for t in range(3):
    ok[:] = (A > B) & ~(C < 0.25)
    A[:] = np.where(ok, A * 0.5, B)
    B[1:, :] = np.where(A[1:, :] > 0.5, 1, 0)
    I[:] = np.where(u > v, I, -I)
    u[:] = np.where(u > v, u, c)
    g[:] = np.where(g > 0.5, g, 0)
""",
    "slices that are cut off": """
for i in range(n):
    u[i:i + 3] += 1.0
    v[i - 2:i + 1] += u[i]
    A[i - 1:i + 2, :99] *= 0.5
    w[-i:] = w[-i:] + A[0, -i:]
    u[n - 2:] -= v[n - 2:20]
    s = u[i:i + 4].sum()
""",
    "masks": """
for t in range(3):
    A[A > 0.75] = 0.0
    B[ok] *= 2.0
    u[u < v] += 1.0
    C[B < 0] = t
""",
    "elements by a mask": """
for t in range(3):
    s = u[u > 0.1].sum() + A[A > B].mean() + np.max(v[ok[:, t] | (u > 0)]) + (w[w > 0] * 2).sum()
    h = np.sum(I[I > t])
    o = u[u > 0.1] @ u[u > 0.1]
    u *= 0.9
""",
    "index arrays": """
for t in range(3):
    u[:] = v[idx]
    v[idx] = u * 2
    u[idx] += 1.0
    A[idx] = B[idx] * 0.5
    w[:] = A[idx[t]]
""",
    "functions": """
for t in range(3):
    A[:] = np.sqrt(np.abs(A)) + np.exp(-B)
    B[:] = np.sin(A) * np.cos(B) + np.maximum(A, B)
    u[:] = np.tanh(v) + abs(u)
    C[:] = np.minimum(C, 0.5) ** 2 + np.square(C)
    v[:] = np.log(u + 1.0) - np.hypot(u, v) + np.sign(v)
    f[:] = np.exp(f) / (1 + np.exp(f))
""",
    "powers": """
for t in range(2):
    u[:] = u ** 2 + v ** 2.0 + u ** 0.5 + u ** -1 + u ** 3 + u ** 1.5
    J[:] = J ** 2
    v[:] = np.power(v, 2.0) + np.power(u, 3)
    I[:] = I ** 3
    f[:] = f ** 2
""",
    "arrays of the nest": """
for t in range(4):
    un = u.copy()
    u[1:-1] = un[1:-1] + 0.25 * (un[2:] - 2 * un[1:-1] + un[:-2])
    d = u - un
    d[0] = 1.0
    v += d * d
""",
    "new arrays": """
for t in range(3):
    e = np.zeros(n)
    for i in range(n):
        e[i] = u[i] * t
    h = np.ones((n, m), dtype=np.float32)
    h[1:] = A[1:]
    A += h
    p = np.full(n, 2)
    q = np.full(n, 0.5)
    p[:3] = 7
    r = np.zeros_like(u)
    r += p * q
    u += e + r
    s = np.zeros(n, dtype=int)
    s += p
    y = np.zeros(n, bool)
    y[1:] = u[1:] > v[1:]
""",
    "an array that is rebound": """
for t in range(4):
    u = u * 0.5 + v
    u[0] = t
    v = u - v
    A = A * 2.0
    A[1:] = A[:-1]
""",
    "arrays changed in place by name": """
def step(a, b):
    for t in range(4):
        a += b
        a *= 0.5
        b -= a
    return a
q = step(u, v)
same_object = q is u
""",
    "private to an iteration": """
for i in range(n):
    row = A[i] * 2.0 + w
    row[1:] -= row[:-1] * 0.5
    B[i] = row
""",
    "names that swap": """
for t in range(5):
    v[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    v[0] = t
    for i in range(1, n):
        v[i] += u[i - 1] * t
    u, v = v, u
""",
    "names that swap an even number of times": """
a, b = u, v
for t in range(10, 2, -2):
    b[:] = a * 0.5 + t
    tmp = a
    a = b
    b = tmp
x, y = a is u, b is v
""",
    "names that go round": """
for t in range(4):
    C[1:] = 2 * B[1:] - A[:-1] * c
    A, B, C = B, C, A
    C[0, 0] = A[0, 0] + t
""",
    "names that never swap": """
for t in range(0):
    u, v = v, u
    u[0] = 3.0
""",
    "views by name": """
def run(A, B):
    for i in range(n):
        x = A[i]
        y = B[i, 1:]
        x[1:] += y
        y[:] = 0.5
        x[0] = y[0] + x[1]
run(A, B)
""",
    "transposes": """
for t in range(3):
    S[:] = S.T * 0.5
    S += C[:m].T
    B[:m] = S.T
""",
    "numbers between": """
for i in range(1, n):
    s = u[i - 1] * 2
    v[i:] = s * u[i:] + v[0] * v[i]
    t = v[i] - s
    A[i, :] = t
    A[i, :] /= u[i] + 3
""",
    "shapes that are asked for": """
for t in range(2):
    e = np.zeros(A.shape)
    e[:] = A
    q = np.zeros((A.shape[0], len(w)))
    q += e
    for i in range(e.shape[0]):
        for j in range(len(w)):
            q[i, j] += e[i, j]
    u += q[:, 0]
""",
    "under conditions": """
for i in range(n):
    if i > 1:
        u[i - 2:i] += v[i - 2:i]
    else:
        u[i:] = 0.25
    while u[i] < 1.0:
        u[i:] += 0.5
""",
    "complex numbers": """
for t in range(3):
    Z[1:] = Z[1:] + Z[:-1] - 1j
    Z += u
    u[:] = Z.real + np.imag(Z)
    Z[:] = np.conj(Z)
""",
    "methods by name": """
for t in range(3):
    x = A.copy()
    y = np.copy(B)
    A[:] = x.T.T + y
    B[:] = np.transpose(np.transpose(x))
""",
    "helper functions": """
def flux(q, h): return 0.5 * (q[1:] + q[:-1]) - h * (q[1:] - q[:-1])
def total(x, scale=2.0):
    t = x * scale
    return t + 1.0
for t in range(3):
    v[1:] += flux(u, 0.25)
    u[:] = total(v, scale=0.5) + total(x=u)
""",
    "reductions": """
for t in range(3):
    s = np.sum(u) + u.sum() + np.sum(A) + (A * B).sum() + u[1:-1].sum() + np.sum(u[::2] * v[::2])
    x = np.max(u) - np.min(v) + A.max() - (A - B).min() + np.prod(u[:4])
    y = u.mean() + np.mean(A) + np.mean(A[2])
    q = f.sum() + f.mean() + (f * g[:, None]).sum()
    h = I.sum() + np.max(I) - I.min() + np.sum(i8) + ok.sum() + np.sum(u > v)
    b = np.any(u > v)
    d = (A > 0).all() and ok.any()
    u[:] = u / s + x * y
    f *= 0.5
    r = A[:, t].sum()
    o = u.sum() if t > 1 else w.sum() if t else v[0]
    p = t > 1 and u.sum() > v.sum() or w.sum() < 0
""",
    "reductions along an axis": """
for t in range(3):
    u[:] = A.sum(axis=1) + np.sum(B[:, 1:-1], axis=1)
    w[:] = A.sum(axis=0) - np.mean(B, axis=0)
    v[:] = np.max(A, axis=1) - A.min(axis=-1) + np.mean(A * B, axis=1)
    A -= A.mean(axis=1)[:, None] * 0.25
    w += np.max(A * 2, axis=0)
    row = np.sum(A, axis=0)
    row[0] = 3.0
    B += row
    U[:] = ok.sum(axis=1)
    g[:] = f.sum(axis=1)
""",
    "products": """
L = rng.normal(size=3000)
for t in range(3):
    s = u @ v + np.dot(u, v) + u.dot(v[::1]) + A[:, t] @ u + A[t] @ w + L @ L
    v[:] = np.outer(u, w)[:, 2]
    x = (u * 2) @ v - np.dot(u[1:], v[:-1]) + u[::-1] @ v + A[t, :0] @ w[:0]
    for i in range(n):
        for j in range(i + 1):
            B[i, 0] -= B[i, :j] @ w[:j]
    B *= 0.25
    u[idx[t]] = L[::3] @ L[1::3]
""",
    "places, norms and axes that stay": """
nans = np.array([1.0, np.nan, 3.0, np.nan])
for t in range(3):
    p = np.argmax(u) + v.argmin() + np.argmin(I) + nans.argmax() + np.argmax(-nans)
    s = np.linalg.norm(u - v) + np.linalg.norm(A[:, t]) + np.linalg.norm(A)
    A -= A.mean(axis=1, keepdims=True)
    B /= np.max(np.abs(B), axis=0, keepdims=True) + 1
    e = np.zeros_like(A)
    e[1:] = A[1:] - A[:-1]
    u[p % n] = s
    I[0] = 5 - t
""",
    "long reductions": """
L = rng.normal(size=5000) * 10.0 ** rng.integers(-5, 5, 5000)
M = L.reshape(50, 100).copy()
for t in range(3):
    s = L.sum() + M.sum() + (L * L).sum() + L[::3].sum()
    q = M.sum(axis=0)
    p = M.sum(axis=1)
    o = L.max() - L[::-1].min()
    L[:] = L * 1.5
""",
    "a test of arrays": """
e = 1.0
t = 0
for i in range(4):
    while np.max(np.abs(u)) > 0.25 and t < 50:
        u *= 0.5
        t += 1
    if (v > 0).any():
        v -= v.mean() + 0.125
""",
    "items of arrays": """
for t in range(2):
    s = 0.0
    for x in u:
        s += x * t
    for i, x in enumerate(v):
        u[i] = x * s + i
    for i, x in enumerate(v[1:], 3):
        s -= x / i
    for x, y in zip(u, v[::2]):
        s += x * y
    for i, (x, y) in enumerate(zip(w, S[t])):
        w[i] = x - y
    for row in A:
        row[1:] *= 0.5
        row += w
    for i, line in enumerate(B):
        u[i] = line.sum()
    for i in reversed(range(n)):
        u[i] += u[i - 1]
    for i in reversed(range(2, n)):
        v[i] -= v[i - 2] * i
""",
    "views that live on": """
for i in range(4):
    q = A[i]
    p = B[:, i]
    q *= 2.0
    p += u
base = q.base is A, p.base is B
""",
    "items of arrays outermost": """
for i, x in enumerate(u):
    v[i] = x * 2 + i
for x, y in zip(u, v):
    s = x * y
for row in A:
    row *= 2.0
for k in reversed(range(1, n)):
    u[k] = u[k - 1]
for x in J:
    x[::2] = x[1] + 1
""",
    "empty parts": """
for i in range(n):
    u[i:i] = 5.0
    v[n:] = u[n:]
    A[0:0] = 3.0
    u[i:] += v[i:]
""",
}

INTERPRETED = {
    "shapes that differ": "for t in range(3):\n    u[1:] = v[:-2]\n",
    "more axes than there are": "for t in range(3):\n    u[1:, 0] = 1.0\n",
    "out of bounds": "for i in range(12):\n    A[i] = 1.0\n",
    "a column out of bounds": "for i in range(12):\n    A[1:, i] = 1.0\n",
    "truth of an array": "for i in range(3):\n    if u > 0.5:\n        v[i] = 1\n",
    "an array for an element": "for i in range(3):\n    u[i] = v\n",
    "a float in place in integers": "for i in range(3):\n    I += 0.5\n",
    "a product of complex arrays": "for i in range(3):\n    Z *= Z\n",
    "an array that grows": "for i in range(3):\n    q = np.zeros(i)\n    u[i] = len(q)\n",
    "two names for one array": "for i in range(3):\n    q = u\n    q[i] = 2.0\n",
    "names that swap where the loop is left": """
for t in range(5):
    u[0] += 1.0
    if u[0] > 2.5:
        break
    u, v = v, u
""",
    "items of a list of texts": "q = ['1', '2']\nfor x in q:\n    u[0] += float(x)\n",
    "items of an array that is rebound": "for x in u:\n    u = u * x\n",
    "items of a table": "for x in A:\n    u[0] = x\n",
    "a function called zip": """
def zip(x, y): return [(1, 2)]
for x, y in zip(u, v):
    w[0] += x
""",
    "too many names": "for x, y in zip(u, v, u):\n    w[0] += x\n",
    "zip that is strict": "for x, y in zip(u, w, strict=True):\n    v[0] += x\n",
    "an array that is changed and then bound to another": """
def whole(u):
    for t in range(3):
        u += 1.0
        u = u * 2
    return u
b = whole(u)
""",
    "an array that is bound anew while another name has it": """
def whole(u, v):
    for t in range(3):
        v[t] = 5.0
        u = u * 2
    return u
b = whole(u, u)
""",
    "an element that is changed before": """
def whole(u):
    for t in range(3):
        u[t] = 1.0
        u = u * 2
    return u
b = whole(u)
""",
    "an array in another order": "F = np.asfortranarray(A)\nfor i in range(3):\n    q = F * 2\n",
    "an array by a mask": "for i in range(3):\n    q = u[u > 0.5]\n",
    "a mean of nothing": "for i in range(3):\n    q = u[u > 9].mean()\n",
    "an array and a number": "q = 1.0\nfor i in range(3):\n    q = q * u\n",
    "an array that turns into a number": "for i in range(3):\n    q = u * 2\n    q = 1.0\n",
    "a dtype that changes": "for i in range(3):\n    u = u > 0.5\n",
    "an axis that stays and is not in the text": """
for i in range(3):
    s = A.sum(axis=1, keepdims=i > 1)
""",
    "the place of the largest of a table": "for i in range(3):\n    s = A.argmax()\n",
    "a sum of nothing, as single": "for i in range(3):\n    s = np.sum(f[0, i:i])\n",
    "a sum of a part that is turned": "for i in range(3):\n    s = A[1:, 1:].T.sum()\n",
    "a sum in another order": "F = np.asfortranarray(A)\nfor i in range(3):\n    s = F.sum()\n",
    "means of integers by rows": "for i in range(3):\n    s = J.mean(axis=0)\n",
    "keywords": "for i in range(3):\n    np.add(u, v, out=u)\n    u[:] = np.sum(u, axis=0)\n",
    "a list": "q = [1.0, 2.0, 3.0]\nfor i in range(3):\n    q[1:] = q[2:]\n",
    "a negative count": "for i in range(3):\n    q = np.zeros(i - 2)\n",
    "integers to negative powers": "for i in range(3):\n    I[:] = I ** -1\n",
    "an overlap by another name": "x = u[1:]\nfor i in range(3):\n    u[:-1] = x * 2\n",
    "a number out of range": "for i in range(3):\n    i8[:] = i8 + 300\n",
    "a part that lives on": "for i in range(3):\n    q = A[i, 1:]\n",
    "a view of either array": """
for i in range(4):
    if i > 1:
        q = A[i]
    else:
        q = B[i]
    q += 1.0
""",
    "a view of before": """
for i in range(4):
    if i > 0:
        q[0] = i
    q = A[i]
""",
    "a float as a bound": "q = 2.0\nfor i in range(3):\n    u[q:] = 1.0\n",
    "an exponent that is not in the text": "for i in range(3):\n    u[:] = 2.0 ** u + v ** c\n",
    "a mask of another shape": "for i in range(3):\n    B[ok[:3]] = 1.0\n",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("title", TAKEN)
def test_taken_in_a_function(title):
    body = "".join(f"    {line}\n" for line in TAKEN[title].splitlines())
    names = "A, B, C, S, u, v, w, f, g, i8, I, J, U, idx, c, z, Z, ok, one, n, m"
    if "def " in body:
        return
    source = f"{HEAD}def whole({names}):\n{body}    return {names}\nback = whole({names})\n"
    loops = same(source)
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops
