"""One thread, since each step is short; both ends of the vector at once, so that it is in place."""


def run(r, y):
    n = r.shape[0]
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k // 2):
            low = y[i]
            high = y[k - i - 1]
            y[i] = low + alpha * high
            y[k - i - 1] = high + alpha * low
        if k % 2:
            y[k // 2] = y[k // 2] + alpha * y[k // 2]
        y[k] = alpha


def whole(r, y):
    y[0] = -r[0]
    beta, alpha = 1.0, -r[0]
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[k - 1 :: -1] @ y[:k]) / beta
        y[:k] += alpha * y[k - 1 :: -1]
        y[k] = alpha
