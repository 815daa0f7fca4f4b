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
from .faults import MUTATIONS
from .grammar import program
from .mutations import finds
from .setting import eager
from .test_fuzz import PROGRAMS

CAUGHT_BY = {
    "drop_true_dependences": (0, 109),
    "drop_anti_dependences": (0, 135),
    "drop_output_dependences": (0, 57),
    "drop_conditional_dependences": (0, 9),
    "drop_control_dependences": (3, 1),
    "drop_scalar_dependences": (0, 12),
    "swap_direction": (0, 5),
    "wrong_level": (0, 18),
    "forget_negative_differences": (0, 20),
    "all_in_bounds": (0, 0),
    "ignore_aliases": (0, 121),
    "ignore_overlapping_views": (0, 121),
    "believe_wrapped_subscripts": (0, 9),
    "all_loops_parallel": (0, 9),
    "groups_backwards": (0, 5),
    "groups_forget_scalars": (0, 27),
    "statements_backwards": (0, 3),
    "fuse_everything": (0, 42),
    "parts_from_the_value_before": (2, 56),
    "what_goes_with_a_minimum_forgotten": (0, 91),
    "notes_in_one_place": (6, 2),
    "notes_of_another_moment": (2, 81),
    "everything_private": (0, 3),
    "closed_forms_one_late": (0, 7),
    "skip_bounds_checks": (0, 0),
    "contract_fma": (0, 56),
    "reassociate": (0, 56),
    "weak_floats_promote": (0, 36),
    "narrow_integers_stay_wide": (0, 63),
    "unchecked_integers": (0, 93),
    "conversions_unchecked": (0, 73),
    "divide_as_c": (1, 0),
    "remainder_as_c": (0, 43),
    "zero_divisors_pass": (1, 92),
    "tags_all_python": (0, 21),
    "no_roll_back": (0, 13),
    "always_rerunnable": (4, 119),
    "claims_unproved": (0, 0),
    "no_last_value": (0, 1),
    "first_value_instead_of_last": (0, 3),
    "memo_without_shapes": (0, 130),
    "memo_without_numbers": (0, 53),
    "memo_without_aliases": (12, 61),
    "warnings_not_repeated": (0, 63),
    "warnings_on_another_line": (0, 63),
    "overflow_unnoticed": (0, 63),
    "strips_not_put_back": (14, 32),
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
