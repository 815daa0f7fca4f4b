"""Faults planted in autopar are found, each by a program of a bounded run.

`CAUGHT_BY` has the seed of the run and the number of the program, as
``python -m tests.fuzz --mutations`` prints it; after a change of the grammar it must be printed
anew.  Where only the order of the chunks tells, a program whose `order` is not 0 is kept: the
others leave it to the threads.
"""

from __future__ import annotations

import pytest

from .choices import seeded
from .compare import judge
from .grammar import program
from .mutations import MUTATIONS, finds
from .setting import eager
from .test_fuzz import PROGRAMS

CAUGHT_BY = {
    "drop_true_dependences": (0, 123),
    "drop_anti_dependences": (0, 13),
    "drop_output_dependences": (0, 6),
    "drop_conditional_dependences": (0, 3),
    "drop_control_dependences": (0, 20),
    "drop_scalar_dependences": (0, 3),
    "swap_direction": (0, 5),
    "wrong_level": (0, 25),
    "forget_negative_differences": (0, 3),
    "all_in_bounds": (0, 0),
    "ignore_aliases": (2, 111),
    "ignore_overlapping_views": (4, 96),
    "believe_wrapped_subscripts": (0, 9),
    "all_loops_parallel": (0, 3),
    "groups_backwards": (0, 3),
    "groups_forget_scalars": (0, 113),
    "statements_backwards": (0, 4),
    "fuse_everything": (0, 3),
    "skip_bounds_checks": (0, 0),
    "contract_fma": (0, 56),
    "reassociate": (0, 56),
    "weak_floats_promote": (0, 31),
    "narrow_integers_stay_wide": (0, 83),
    "unchecked_integers": (3, 135),
    "conversions_unchecked": (0, 16),
    "divide_as_c": (0, 59),
    "remainder_as_c": (11, 7),
    "zero_divisors_pass": (0, 88),
    "tags_all_python": (0, 3),
    "no_roll_back": (0, 7),
    "always_rerunnable": (4, 78),
    "claims_unproved": (0, 30),
    "no_last_value": (0, 1),
    "first_value_instead_of_last": (0, 3),
    "memo_without_shapes": (0, 24),
    "memo_without_numbers": (0, 7),
    "memo_without_aliases": (15, 61),
    "warnings_not_repeated": (0, 83),
    "warnings_on_another_line": (0, 83),
    "overflow_unnoticed": (0, 83),
    "strips_not_put_back": (4, 78),
    "nothing_live": (0, 1),
    "unset_is_assigned": (0, 8),
}


def test_there_is_a_program_for_every_mutation() -> None:
    assert CAUGHT_BY.keys() == MUTATIONS.keys()
    assert max(number for _, number in CAUGHT_BY.values()) < PROGRAMS


@pytest.mark.parametrize("name", MUTATIONS)
def test_it_is_found(name: str) -> None:
    seed, number = CAUGHT_BY[name]
    assert finds(name, seed, [number])


def test_without_a_fault_nothing_is_found() -> None:
    with eager():
        for seed, number in sorted(set(CAUGHT_BY.values())):
            judge(program(seeded(seed, number)))
