"""Linked cells: which atoms are near each other without asking every pair."""

import numpy as np


class CellList:
    """A square box cut into cells at least as wide as the cutoff.

    `head[c]` is the last atom put into cell c, `link[i]` the atom before i in the same cell.
    """

    def __init__(self, box, cutoff, atoms):
        self.side = int(box / cutoff)
        if self.side < 3:
            raise ValueError("the box is too small for this cutoff")
        self.width = box / self.side
        self.head = np.full(self.side * self.side, -1)
        self.link = np.full(atoms, -1)
        self.neighbours = []
        for cy in range(self.side):
            for cx in range(self.side):
                around = [
                    ((cy + dy) % self.side) * self.side + (cx + dx) % self.side
                    for dy in (-1, 0, 1)
                    for dx in (-1, 0, 1)
                ]
                self.neighbours.append(around)

    def build(self, x):
        """Sort all atoms into their cells."""
        self.head[:] = -1
        for i in range(len(x)):
            cx = min(int(x[i, 0] / self.width), self.side - 1)
            cy = min(int(x[i, 1] / self.width), self.side - 1)
            cell = cy * self.side + cx
            self.link[i] = self.head[cell]
            self.head[cell] = i
