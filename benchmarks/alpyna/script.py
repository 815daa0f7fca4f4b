"""Run one benchmark file as a script and print a checksum of everything it leaves behind."""

import argparse
import hashlib

import numpy as np


def digest(data):
    """sha256 over names, types, shapes and bytes of all values, in order; of lists, over theirs."""
    total = hashlib.sha256()
    for name, value in data.items():
        if isinstance(value, (list, tuple)):
            total.update(f"{name} {type(value).__name__} {len(value)}\n".encode())
            kind = of_one_type(value)
            if kind:
                total.update(kind.encode() + np.array(value).tobytes())
                continue
            total.update(digest({str(k): item for k, item in enumerate(value)}).encode())
            continue
        array = np.ascontiguousarray(value)
        total.update(f"{name} {type(value).__name__} {array.dtype} {array.shape}\n".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def of_one_type(values):
    """The name of the type of all `values`, if they are as many numbers of NumPy's; else None."""
    kinds = {type(value) for value in values}
    if len(kinds) != 1 or not kinds <= {float, int, bool}:
        return None
    return None if np.array(values).dtype.kind == "O" else kinds.pop().__name__


def main(make, run, sizes):
    """Command line of a benchmark file: make the inputs, run the loops, print the checksum."""
    parser = argparse.ArgumentParser()
    parser.add_argument("size", nargs="?", default="check", help="check, steady or a number")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    n = sizes[options.size] if options.size in sizes else int(options.size)
    data = make(n, options.seed)
    run(**data)
    print(digest(data))
