"""A small neural network from scratch: three spiral arms, told apart by two hidden layers.

    python main.py --points 120 --hidden 32 --epochs 120

Everything is a list of floats or a list of lists.
"""

import argparse
import math
import random

from layers import Dense, softmax


def spirals(per_class, classes, noise):
    """Points (x, y) on spiral arms and their class."""
    data = []
    for c in range(classes):
        for k in range(per_class):
            r = (k + 1) / per_class
            angle = 4.0 * r + 2.0 * math.pi * c / classes + random.gauss(0.0, noise)
            data.append(([r * math.sin(angle), r * math.cos(angle)], c))
    random.shuffle(data)
    return data


class Network:
    """Layers one after another, cross entropy on top."""

    def __init__(self, sizes):
        self.layers = []
        for n, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            last = n == len(sizes) - 2
            self.layers.append(Dense(a, b, "linear" if last else "tanh"))

    def predict(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return softmax(x)

    def learn(self, x, target):
        """Forward and backward for one sample; returns the loss."""
        p = self.predict(x)
        grad = [p[k] - (1.0 if k == target else 0.0) for k in range(len(p))]
        for layer in reversed(self.layers):
            grad = layer.backward(grad)
        return -math.log(p[target] + 1e-300)

    def update(self, rate, momentum, batch, decay):
        for layer in self.layers:
            layer.update(rate, momentum, batch, decay)


def accuracy(network, data):
    right = 0
    for x, target in data:
        p = network.predict(x)
        if p.index(max(p)) == target:
            right += 1
    return right / len(data)


def confusion(network, data, classes):
    table = [[0] * classes for _ in range(classes)]
    for x, target in data:
        p = network.predict(x)
        table[target][p.index(max(p))] += 1
    return table


def numeric_check(network, x, target):
    """Largest difference between backpropagation and a difference quotient in the first layer."""
    layer = network.layers[0]
    network.learn(x, target)
    worst = 0.0
    h = 1e-5
    for i in range(layer.n_out):
        for j in range(layer.n_in):
            keep = layer.w[i][j]
            layer.w[i][j] = keep + h
            up = -math.log(network.predict(x)[target])
            layer.w[i][j] = keep - h
            down = -math.log(network.predict(x)[target])
            layer.w[i][j] = keep
            worst = max(worst, abs((up - down) / (2 * h) - layer.gw[i][j]))
    network.update(0.0, 0.0, 1, 0.0)
    return worst


def main():
    parser = argparse.ArgumentParser(description="A neural network from scratch")
    parser.add_argument("--points", type=int, default=120, help="points of each class")
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=0.15)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--plot", metavar="FILE")
    args = parser.parse_args()

    random.seed(args.seed)
    classes = 3
    data = spirals(args.points, classes, 0.12)
    cut = len(data) * 4 // 5
    train, test = data[:cut], data[cut:]
    network = Network([2, args.hidden, args.hidden, classes])
    print(f"{len(train)} points to learn, {len(test)} to test")
    print(f"gradient check {numeric_check(network, *train[0]) < 1e-6}")

    history = []
    rate = args.rate
    for epoch in range(1, args.epochs + 1):
        random.shuffle(train)
        loss = 0.0
        for start in range(0, len(train), args.batch):
            batch = train[start : start + args.batch]
            for x, target in batch:
                loss += network.learn(x, target)
            network.update(rate, 0.9, len(batch), 1e-4)
        history.append(loss / len(train))
        if len(history) > 10 and history[-1] > history[-10]:
            rate *= 0.9
        if epoch % args.every == 0:
            good = accuracy(network, train)
            print(f"epoch {epoch:4d} loss {history[-1]:.9f} train {good:.4f} rate {rate:.4f}")

    print(f"test accuracy {accuracy(network, test):.4f}")
    for row in confusion(network, test, classes):
        print("  ", row)
    norms = [math.sqrt(sum(v * v for row in layer.w for v in row)) for layer in network.layers]
    print("norms", " ".join(f"{v:.9f}" for v in norms))

    if args.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.semilogy(range(1, len(history) + 1), history)
        plt.xlabel("epoch")
        plt.ylabel("loss")
        plt.savefig(args.plot)


if __name__ == "__main__":
    main()
