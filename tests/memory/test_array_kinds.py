"""Arrays of every kind: compiled where an element is what NumPy makes of it, else a reason."""

from __future__ import annotations

import array
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "same"))
import harness

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

COPY = "for i in range(n):\n    a[i] = b[i] * 2 + 1\n    t = b[i]\n"
PLAIN = "for i in range(n):\n    a[i] = b[i]\n"


def status(source: str, **names: Any) -> tuple[str, str]:
    """What became of the nest, and why; `lenient` compares with the interpreter."""
    here, _ = harness.run(source, **names)
    record = here.record
    assert record is not None
    return record.status, record.refusal.text if record.refusal else ""


class Named(np.ndarray):
    """A subclass that adds a method of its own."""

    unit = "m"

    def total(self) -> float:
        return float(self.sum())


class Clipped(np.ndarray):
    def __getitem__(self, key):
        return min(super().__getitem__(key), 1.0)


class Checked(np.ndarray):
    def __setitem__(self, key, value):
        super().__setitem__(key, abs(value))


class Counted(np.ndarray):
    def __array_finalize__(self, other):
        self.made_from = other


# ---------------------------------------------------------------------------- classes


@pytest.mark.parametrize("mode", ["r+", "c", "r"])
def test_memory_mapped_files(tmp_path, mode):
    file = tmp_path / "numbers"
    np.arange(40.0).tofile(file)
    mapped = np.memmap(file, np.float64, mode)
    assert status(COPY, a=np.zeros(40), b=mapped, n=40) == ("parallel", "")
    found = status(COPY, a=mapped, b=np.ones(40), n=40)
    if mode == "r":
        assert found == ("interpreted", "this array is read-only: a")
        return
    assert found == ("parallel", "")
    mapped.flush()
    written = np.fromfile(file)
    assert written[7] == (3.0 if mode == "r+" else 7.0)


def test_parts_of_a_memory_mapped_file_overlap_as_views_do(tmp_path):
    mapped = np.memmap(tmp_path / "numbers", np.float64, "w+", shape=(40,))
    mapped[:] = np.arange(40)
    assert status(PLAIN, a=mapped[::2], b=mapped[1::2], n=20)[0] == "parallel"
    assert status(PLAIN, a=mapped[1:], b=mapped[:-1], n=39)[0] == "sequential"
    assert status(PLAIN, a=mapped, b=mapped, n=40)[0] == "parallel"


def test_a_memmap_that_was_given_another_getitem(tmp_path, monkeypatch):
    mapped = np.memmap(tmp_path / "numbers", np.float64, "w+", shape=(40,))
    monkeypatch.setattr(np.memmap, "__getitem__", lambda self, key: 1.0)
    assert status(COPY, a=np.zeros(40), b=mapped, n=40)[0] == "interpreted"
    monkeypatch.undo()
    monkeypatch.setattr(np.memmap, "__setitem__", lambda self, key, value: None, raising=False)
    assert status(COPY, a=mapped, b=np.zeros(40), n=40)[0] == "interpreted"


def test_a_subclass_that_changes_nothing_about_elements():
    a, b = np.zeros(40).view(Named), np.arange(40.0).view(Named)
    assert status(COPY, a=a, b=b, n=40) == ("parallel", "")
    sizes = "for i in range(a.size):\n    a[i] = len(a) + a.shape[0] + a.ndim\n"
    assert status(sizes, a=a)[0] == "parallel"


def test_a_subclass_that_is_changed_later(monkeypatch):
    here = harness.site(PLAIN)
    names = {"a": np.zeros(40), "b": np.ones(40).view(Named), "n": 40, "range": range}
    roots = tuple(names[root] for root in here.spec.roots)
    assert here.run(roots) is not None
    monkeypatch.setattr(Named, "__getitem__", lambda self, key: 7.0, raising=False)
    assert here.run(roots) is None


@pytest.mark.parametrize(
    ("b", "name"),
    [
        (np.ones(40).view(Clipped), "Clipped"),
        (np.ones(40).view(Counted), "Counted"),
        (np.ma.array(np.ones(40), mask=[0, 1] * 20), "numpy.ma.MaskedArray"),
        (np.rec.array(np.zeros(40, [("p", "f8")])), "numpy.rec.recarray"),
        (array.array("d", [1.0] * 40), "array.array"),
    ],
)
def test_a_class_with_elements_of_its_own(b, name):
    a = np.zeros(40, b.dtype) if isinstance(b, np.recarray) else np.zeros(40)
    found, why = status(PLAIN, a=a, b=b, n=40)
    assert found == "interpreted"
    assert why.startswith("this is no array of NumPy's, and no list or dictionary of numbers")
    assert why.endswith(name)


def test_other_classes_that_are_left():
    assert status(PLAIN, a=np.zeros(40).view(Checked), b=np.ones(40), n=40)[0] == "interpreted"
    source = "for i in range(n):\n    a[i] = b[0, i]\n"
    found, why = status(source, a=np.zeros(40), b=np.matrix(np.ones(40)), n=40)
    assert (found, why.endswith("b is numpy.matrix")) == ("interpreted", True)


# ---------------------------------------------------------------------------- dtypes


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("f2", "float16"),
        (np.longdouble, np.dtype(np.longdouble).name),
        (np.clongdouble, np.dtype(np.clongdouble).name),
        (np.longlong, "longlong"),
        (object, "Python objects"),
        ([("p", "f8"), ("q", "i4")], "structured elements"),
        ("M8[s]", "datetime64[s]"),
        ("m8[D]", "timedelta64[D]"),
        (np.dtype("f8").newbyteorder("S"), "byte-swapped float64"),
        (np.dtype("i2").newbyteorder("S"), "byte-swapped int16"),
        ("S3", "bytes"),
        ("U3", "text"),
        ("V4", "raw bytes"),
    ],
)
def test_a_dtype_that_is_left_is_named_with_its_array(dtype, name):
    a, b = np.zeros(40, dtype), np.zeros(40, dtype)
    expected = f"values of this type are not taken: a is a 1-d array of {name}"
    assert status(PLAIN, a=a, b=b, n=40) == ("interpreted", expected)


def test_one_field_of_a_structured_array():
    both = np.zeros(40, [("p", "i1"), ("q", "f8")])  # packed: q is never aligned
    assert status(COPY, a=both["q"], b=np.arange(40.0), n=40) == ("parallel", "")
    assert both["q"][5] == 11.0
    assert not both["p"].any()


@pytest.mark.parametrize("dtype", ["f4", "c16", "i8", "u2", "?"])
def test_elements_at_odd_addresses(dtype):
    size = np.dtype(dtype).itemsize
    odd = np.zeros(40 * size + 1, np.uint8)[1:].view(dtype)
    assert status(PLAIN, a=odd, b=np.ones(40, dtype), n=40) == ("parallel", "")
    assert status(PLAIN, a=np.zeros(40, dtype), b=odd, n=40) == ("parallel", "")
    assert odd.all()


# ---------------------------------------------------------------------------- shapes and flags


def test_fortran_order():
    source = "for i in range(n):\n    for j in range(m):\n        a[i, j] = b[i, j] + 1\n"
    a, b = np.zeros((9, 7), order="F"), np.asfortranarray(np.arange(63.0).reshape(9, 7))
    assert status(source, a=a, b=b, n=9, m=7)[0] == "parallel"


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_arrays_without_elements(shape):
    source = (
        "for i in range(a.shape[0]):\n    for j in range(a.shape[1]):\n        a[i, j] = b[j, i]\n"
    )
    a = np.zeros(shape)
    assert status(source, a=a, b=a.T)[0] != "interpreted"
    assert status("for i in range(n):\n    a[i, 0] = 1\n", a=a, n=0)[0] != "interpreted"


def test_reading_an_array_without_elements_raises_as_ever():
    found, _ = status("for i in range(3):\n    a[i] = b[i]\n", a=np.zeros(3), b=np.zeros(0))
    assert found == "interpreted"


def test_arrays_of_no_dimensions():
    point = np.array(2.0)
    found, why = status("for i in range(n):\n    p[()] = i\n", p=point, n=9)
    assert (found, why.endswith(": p is a 0-d array")) == ("interpreted", True)
    found, why = status("for i in range(n):\n    a[i] = p + i\n", a=np.zeros(9), p=point, n=9)
    assert (found, why.endswith("p is a 0-d array")) == ("interpreted", True)


def test_broadcast_arrays():
    rows = np.broadcast_to(np.arange(7.0), (5, 7))
    source = "for i in range(n):\n    for j in range(m):\n        a[i, j] = b[i, j] + 1\n"
    assert status(source, a=np.zeros((5, 7)), b=rows, n=5, m=7)[0] == "parallel"
    assert status(source, a=rows, b=np.zeros((5, 7)), n=5, m=7)[1] == "this array is read-only: a"
    warned, _ = np.broadcast_arrays(np.arange(7.0), np.zeros((5, 7)))
    found, why = status(source, a=warned, b=np.zeros((5, 7)), n=5, m=7)
    assert (found, "NumPy warns of writing to a" in why) == ("interpreted", True)
    assert status(source, a=np.zeros((5, 7)), b=warned, n=5, m=7)[0] == "parallel"


def test_indices_that_wrap():
    a, b = np.arange(30.0), np.zeros(30)
    assert (
        status("for i in range(n):\n    b[i] = a[i - 1] + a[-i]\n", a=a, b=b, n=30)[0] == "parallel"
    )
    found, why = status("for i in range(n):\n    a[-i - 1] = a[i - 3] + 1\n", a=a, n=30)
    assert found == "sequential"
    assert "a[-i - 1]" in why
    assert status("for i in range(n):\n    b[i] = a[-i]\n", a=a, b=b, n=32)[0] == "interpreted"
