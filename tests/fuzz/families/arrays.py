"""One vector and one table of NumPy's."""

from __future__ import annotations

from .sketch import Sketch

_DTYPES = ("float64", "float64", "int64", "float32", "int32", "uint8", "bool")


def join(sketch: Sketch) -> None:
    pick, place = sketch.pick, sketch.place
    wild = ", True" if not sketch.tame else ""
    sketch.setup.append(f"A = values({pick(*_DTYPES)!r}, (n + 3,), 1{wild})")
    sketch.setup.append(f"M = values({pick(*_DTYPES)!r}, (n + 3, n + 3), 2{wild})")
    sketch.setup.append(f"B = {pick('A.copy()', 'A[::-1]', 'A', 'M[0]', 'M[:, 1]', 'A * 2')}")
    sketch.changes += ["A = B", "A = A[::-1]", "B = A[:-1]", "M = M.T", "A = A.astype(np.float32)"]
    sketch.reals += [
        lambda: f"A[{place()}]", lambda: f"M[{place()}, {place()}]", lambda: f"B[{place()}]",
    ]  # fmt: skip
    sketch.targets += [lambda: f"A[{place()}]", lambda: f"M[{place()}, {place()}]"]
    sketch.targets += [lambda: f"{pick('A', 'B')}[{sketch.mine()}]"]
    sketch.counts.append(lambda: str(pick("len(A) - 3", "M.shape[0] - 3", "A.size - 3")))
