"""Fully connected layers on plain lists."""

import math
import random


def dot(u, v):
    return sum(x * y for x, y in zip(u, v))


class Dense:
    """Weights as a list of rows, one row per output."""

    def __init__(self, n_in, n_out, activation):
        scale = math.sqrt(2.0 / (n_in + n_out))
        self.n_in = n_in
        self.n_out = n_out
        self.activation = activation
        self.w = [[random.gauss(0.0, scale) for _ in range(n_in)] for _ in range(n_out)]
        self.b = [0.0] * n_out
        self.vw = [[0.0] * n_in for _ in range(n_out)]
        self.vb = [0.0] * n_out
        self.gw = [[0.0] * n_in for _ in range(n_out)]
        self.gb = [0.0] * n_out

    def forward(self, x):
        self.x = x
        z = [dot(row, x) + b for row, b in zip(self.w, self.b)]
        if self.activation == "tanh":
            self.y = [math.tanh(v) for v in z]
        else:
            self.y = z
        return self.y

    def backward(self, grad):
        """Add to the gradients of the weights; returns the gradient of the input."""
        if self.activation == "tanh":
            grad = [g * (1.0 - y * y) for g, y in zip(grad, self.y)]
        back = [0.0] * self.n_in
        for i in range(self.n_out):
            g = grad[i]
            self.gb[i] += g
            for j in range(self.n_in):
                self.gw[i][j] += g * self.x[j]
                back[j] += g * self.w[i][j]
        return back

    def update(self, rate, momentum, batch, decay):
        """Gradient descent with momentum and weight decay; clears the gradients."""
        for i in range(self.n_out):
            for j in range(self.n_in):
                g = self.gw[i][j] / batch + decay * self.w[i][j]
                self.vw[i][j] = momentum * self.vw[i][j] - rate * g
                self.w[i][j] += self.vw[i][j]
                self.gw[i][j] = 0.0
            self.vb[i] = momentum * self.vb[i] - rate * self.gb[i] / batch
            self.b[i] += self.vb[i]
            self.gb[i] = 0.0


def softmax(z):
    top = max(z)
    e = [math.exp(v - top) for v in z]
    total = sum(e)
    return [v / total for v in e]
