"""An epidemic on a grid: susceptible, infected, recovered, with travel and vaccination.

    python epidemic.py --size 160 --days 200

Every cell is one person who meets the eight neighbours each day.  The same with ordinary
differential equations and a Runge-Kutta step, for comparison.
"""

import argparse

import numpy as np

SUSCEPTIBLE, INFECTED, RECOVERED, VACCINATED = 0, 1, 2, 3
NAMES = {SUSCEPTIBLE: "S", INFECTED: "I", RECOVERED: "R", VACCINATED: "V"}


class Town:
    """State of every person, days since infection, age group."""

    def __init__(self, size, rng):
        self.size = size
        self.rng = rng
        self.state = np.zeros((size, size), dtype=np.int8)
        self.next = np.zeros_like(self.state)
        self.days = np.zeros((size, size), dtype=int)
        self.age = rng.integers(0, 3, (size, size))
        self.infections = np.zeros((size, size), dtype=int)
        self.history = []

    def seed(self, count):
        """Infect some people at random places."""
        rows = self.rng.integers(0, self.size, count)
        cols = self.rng.integers(0, self.size, count)
        self.state[rows, cols] = INFECTED

    def infected_around(self, i, j):
        """Infected among the eight neighbours; the grid ends at its edges."""
        count = 0
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if di == 0 and dj == 0:
                    continue
                y, x = i + di, j + dj
                if y < 0 or y >= self.size or x < 0 or x >= self.size:
                    continue
                if self.state[y, x] == INFECTED:
                    count += 1
        return count

    def spread(self, infect, recover):
        """One day: each susceptible person may catch it from each infected neighbour."""
        risk = np.array([0.7, 1.0, 1.3]) * infect
        for i in range(self.size):
            for j in range(self.size):
                now = self.state[i, j]
                self.next[i, j] = now
                if now == SUSCEPTIBLE:
                    around = self.infected_around(i, j)
                    if around > 0:
                        stays = (1.0 - risk[self.age[i, j]]) ** around
                        if self.rng.random() > stays:
                            self.next[i, j] = INFECTED
                            self.days[i, j] = 0
                            self.infections[i, j] += 1
                elif now == INFECTED:
                    self.days[i, j] += 1
                    if self.days[i, j] > 3 and self.rng.random() < recover:
                        self.next[i, j] = RECOVERED
        self.state, self.next = self.next, self.state

    def travel(self, pairs):
        """Some people change places."""
        for _ in range(pairs):
            i, j, k, m = self.rng.integers(0, self.size, 4)
            for field in (self.state, self.days, self.age):
                field[i, j], field[k, m] = field[k, m], field[i, j]

    def vaccinate(self, fraction):
        """A part of the susceptible, the old ones twice as likely."""
        chance = np.where(self.age == 2, 2.0 * fraction, fraction)
        chosen = (self.state == SUSCEPTIBLE) & (self.rng.random(self.state.shape) < chance)
        self.state[chosen] = VACCINATED

    def wane(self, fraction):
        """Some of the recovered lose their protection."""
        mask = self.state == RECOVERED
        draws = self.rng.random(mask.sum())
        self.state[mask] = np.where(draws < fraction, SUSCEPTIBLE, RECOVERED)

    def record(self):
        counts = np.bincount(self.state.ravel(), minlength=4)
        self.history.append({NAMES[k]: int(c) for k, c in enumerate(counts)})
        return self.history[-1]


def cluster_sizes(state):
    """Sizes of the connected groups of infected people, largest first."""
    size = state.shape[0]
    seen = np.zeros(state.shape, dtype=bool)
    sizes = []
    for i in range(size):
        for j in range(size):
            if state[i, j] != INFECTED or seen[i, j]:
                continue
            stack = [(i, j)]
            seen[i, j] = True
            count = 0
            while stack:
                y, x = stack.pop()
                count += 1
                for ny, nx in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                    inside = 0 <= ny < size and 0 <= nx < size
                    if inside and state[ny, nx] == INFECTED and not seen[ny, nx]:
                        seen[ny, nx] = True
                        stack.append((ny, nx))
            sizes.append(count)
    return sorted(sizes, reverse=True)


def correlation(state, reach):
    """How much more often two infected people are r apart than by chance."""
    ill = (state == INFECTED).astype(float)
    mean = ill.mean()
    result = []
    for r in range(1, reach + 1):
        both = 0.5 * (np.mean(ill[r:, :] * ill[:-r, :]) + np.mean(ill[:, r:] * ill[:, :-r]))
        result.append(both / mean**2 if mean > 0 else 0.0)
    return result


def well_mixed(days, beta, gamma, start, substeps=20):
    """S, I and R of the classical equations by Runge-Kutta, once per day."""

    def rates(y):
        s, i, _ = y
        return np.array([-beta * s * i, beta * s * i - gamma * i, gamma * i])

    y = np.array([1.0 - start, start, 0.0])
    h = 1.0 / substeps
    curve = [y.copy()]
    for _ in range(days):
        for _ in range(substeps):
            k1 = rates(y)
            k2 = rates(y + 0.5 * h * k1)
            k3 = rates(y + 0.5 * h * k2)
            k4 = rates(y + h * k3)
            y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        curve.append(y)
    return np.array(curve)


def main():
    parser = argparse.ArgumentParser(description="An epidemic on a grid")
    parser.add_argument("--size", type=int, default=160)
    parser.add_argument("--days", type=int, default=200)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--infect", type=float, default=0.055)
    parser.add_argument("--recover", type=float, default=0.12)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--plot", metavar="FILE")
    args = parser.parse_args()

    town = Town(args.size, np.random.default_rng(args.seed))
    people = args.size**2
    town.seed(max(people // 2000, 2))
    town.record()
    for day in range(1, args.days + 1):
        town.spread(args.infect, args.recover)
        town.travel(people // 500)
        if day > 40 and day % 7 == 0:
            town.vaccinate(0.01)
        town.wane(0.01)
        counts = town.record()
        if day % args.every == 0:
            sizes = cluster_sizes(town.state)
            print(f"day {day:4d}", *(f"{name} {c:6d}" for name, c in counts.items()), end=" ")
            print(f"groups {len(sizes)}, largest {sizes[:3]}")
        if counts["I"] == 0:
            print(f"over on day {day}")
            break

    infected = [counts["I"] for counts in town.history]
    peak = max(range(len(infected)), key=infected.__getitem__)
    print(f"peak on day {peak}: {infected[peak]} of {people}")
    print("correlation", " ".join(f"{c:.6f}" for c in correlation(town.state, 6)))
    for group in range(3):
        share = town.infections[town.age == group].mean()
        print(f"infections per place, age group {group}: {share:.6f}")
    curve = well_mixed(len(infected) - 1, 0.35, args.recover, infected[0] / people)
    top = int(np.argmax(curve[:, 1]))
    print(f"well mixed: peak on day {top} with {curve[top, 1]:.9f}, end {curve[-1, 2]:.9f}")

    if args.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
        for name in NAMES.values():
            left.plot([counts[name] for counts in town.history], label=name)
        left.legend()
        right.imshow(town.state)
        fig.savefig(args.plot)


if __name__ == "__main__":
    main()
