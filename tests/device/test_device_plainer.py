"""Strips that only processors need are gone, and nothing else."""

from __future__ import annotations

import ast

import pytest

from autopar.device.plainer import plainer

STRIPS = """def kernel(stop, chunk, lo, hi, a):
    for base1_ in range({low}, {high}, 64):
        if stopped_(stop):
            return 2
        for i in apart_(base1_, min(base1_ + {further}, {end})):
            {body}
    return 0"""
PLAIN = """def kernel(stop, chunk, lo, hi, a):
    for i in apart_({low}, {high}):
        {body}
    return 0"""
TAKEN = {"low": "lo", "high": "hi", "further": 64, "end": "hi", "body": "a[i] = 1.0"}


def plain(text: str) -> str:
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    return ast.unparse(plainer(function))


@pytest.mark.parametrize("changes", [{}, {"low": "lo + n", "high": "n", "end": "n"}])
def test_one_loop_is_left(changes):
    given = TAKEN | changes
    assert plain(STRIPS.format(**given)) == PLAIN.format(**given)


@pytest.mark.parametrize(
    "changes",
    [
        {"further": 32},  # strips with holes
        {"end": "lo"},
        {"body": "a[base1_] = 1.0"},
        {"body": "hi = 3"},  # the range of strips is read once, that of a strip each time
        {"low": "i", "body": "a[i] = 2.0"},
        {"body": "a[i] = 1.0\n        b = 1"},
        {"body": "if a[i] > 0:\n                break"},  # out of one strip
        {"high": "a[0]", "end": "a[0]"},
    ],
)
def test_what_stays(changes):
    text = STRIPS.format(**(TAKEN | changes))
    assert plain(text) == ast.unparse(ast.parse(text))
