"""Typing of operations, against what the operations really return."""

from __future__ import annotations

import itertools
import operator
import warnings
from typing import Any

import numpy as np
import pytest

from autopar.nest import functions, kinds

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "<<": operator.lshift,
    ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}


def sample(atom: str) -> Any:
    if atom in kinds.PYTHON:
        return kinds.PYTHON[atom](1)
    return np.dtype(atom[3:]).type(1)


@pytest.mark.parametrize("op", BINARY)
def test_binary_operations_return_what_was_said(op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for left, right in itertools.product(kinds.ATOMS, repeat=2):
            step = kinds.binary(op, left, right)
            if step is not None:
                got = kinds.atom_of(BINARY[op](sample(left), sample(right)))
                assert got == step.out, (left, right)


@pytest.mark.parametrize("op", UNARY)
def test_unary_operations_return_what_was_said(op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for atom in kinds.ATOMS:
            out = kinds.unary(op, atom)
            if out is not None:
                assert kinds.atom_of(UNARY[op](sample(atom))) == out, atom


def test_every_atom_has_a_tag_a_dtype_and_is_recognised():
    tags = {kinds.tag(atom) for atom in kinds.ATOMS}
    assert tags == set(range(1, len(kinds.ATOMS) + 1))
    for atom in kinds.ATOMS:
        value = sample(atom)
        assert kinds.atom_of(value) == atom
        assert np.dtype(kinds.dtype(atom)).type(value) == value


@pytest.mark.parametrize(
    "value", ["1", None, [1], np.float16(1), np.longdouble(1), np.datetime64(1, "s"), np.array(1)]
)
def test_what_is_no_plain_number_has_no_atom(value):
    assert kinds.atom_of(value) is None


@pytest.mark.parametrize("value", [np.longlong(1), np.ulonglong(1)])
def test_a_second_type_of_the_same_width_is_not_confused_with_the_first(value):
    """On 64-bit Linux `np.longlong` has the name of `np.int64` and is another type."""
    atom = kinds.atom_of(value)
    assert atom is None or np.dtype(kinds.dtype(atom)).type is type(value)


def test_storage_holds_every_value_of_its_atoms():
    for atoms in itertools.combinations(kinds.ATOMS, 2):
        held = kinds.storage(frozenset(atoms))
        if held is None:
            continue
        for atom in atoms:
            if kinds.is_python(atom) and atom != held:
                continue  # checked at the assignment
            assert np.can_cast(kinds.dtype(atom), held, "safe"), (atoms, held)


def test_combine_takes_only_what_computes_in_one_dtype():
    both = frozenset(("float", "np.float64"))
    assert kinds.combine("+", both, frozenset(("int",))) == ("float64", both)
    narrow = frozenset(("np.int8", "np.int64"))
    assert kinds.combine("+", narrow, frozenset(("int",))) is None
    assert kinds.combine("+", narrow, frozenset(("np.int64",))) == (
        "int64",
        frozenset(("np.int64",)),
    )
    assert kinds.combine("&", frozenset(("float",)), frozenset(("int",))) is None


CALLS = {
    "abs": abs, "int": int, "float": float, "bool": bool, "round": round,
}  # fmt: skip


def test_functions_return_what_was_said():
    import math

    names = ("floor", "ceil", "trunc", "sqrt", "exp", "isnan", "degrees")
    table = {**CALLS, **{n: getattr(math, n) for n in names}}
    table |= {f"np.{n}": getattr(np, n) for n in ("sqrt", "absolute", "sign", "floor", "square")}
    table |= {f"np.{n}": np.dtype(n).type for n in kinds.NUMBERS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in table.items():
            known = functions.known(call)
            assert known is not None, name
            for atom in kinds.ATOMS:
                said = functions.result(known, (atom,))
                if said is not None:
                    assert kinds.atom_of(call(sample(atom))) == said, (name, atom)
