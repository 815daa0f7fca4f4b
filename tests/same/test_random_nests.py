"""Random nests must do what the interpreter does, and most of them must be worth compiling."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from programs import Program, programs
from verdicts import judge

EXAMPLES = 70
seen: Counter[str] = Counter()


@pytest.mark.usefixtures("lenient")
@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # `long_run.py` is there to shrink; here a failure must be quick
    suppress_health_check=list(HealthCheck),
)
@given(program=programs())
def test_the_interpreter_is_the_truth(program: Program) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen[judge(program)] += 1


def test_most_nests_are_compiled_and_many_in_parallel() -> None:
    total = seen.total()
    if total < EXAMPLES:
        pytest.skip("the nests were not run")
    print(f"\n{total} nests:", ", ".join(f"{k} {v}" for k, v in seen.most_common()))
    taken = sum(count for key, count in seen.items() if not key.startswith("interpreted"))
    parallel = sum(count for key, count in seen.items() if key.startswith("parallel"))
    assert taken / total >= 0.5
    assert parallel / total >= 0.25
