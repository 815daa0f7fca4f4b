"""Faults planted in autopar are found, each by a program of a bounded run.

`CAUGHT_BY` has the seed of the run and the number of the program, as
``python -m tests.fuzz --mutations`` prints it, and the grammar where that is another one than in
the run; after a change of the grammar it must be printed anew.  Where only the order of the chunks
tells, a program whose `order` is not 0 is kept: the others leave it to the threads.
"""

from __future__ import annotations

import pytest

from .choices import seeded
from .compare import judge
from .faults import MUTATIONS
from .grammar import program
from .mutations import found_apart
from .setting import eager
from .test_fuzz import PROGRAMS

CAUGHT_BY: dict[str, tuple[int, int] | tuple[int, int, str]] = {
    "drop_true_dependences": (0, 14),
    "drop_anti_dependences": (0, 97, "terms"),
    "drop_output_dependences": (0, 77, "terms"),
    "drop_conditional_dependences": (0, 24),
    "drop_control_dependences": (0, 30),
    "drop_scalar_dependences": (0, 12, "terms"),
    "swap_direction": (0, 47),
    "wrong_level": (0, 33, "terms"),
    "forget_negative_differences": (0, 14),
    "all_in_bounds": (0, 0),
    "ignore_aliases": (0, 24),
    "ignore_overlapping_views": (0, 24),
    "believe_wrapped_subscripts": (0, 97, "terms"),
    "all_loops_parallel": (0, 12, "terms"),
    "groups_backwards": (2, 29, "terms"),
    "groups_forget_scalars": (0, 132),
    "statements_backwards": (0, 1, "terms"),
    "fuse_everything": (0, 7, "families"),
    "parts_from_the_value_before": (2, 56),
    "what_goes_with_a_minimum_forgotten": (0, 91, "terms"),
    "notes_in_one_place": (0, 9, "terms"),
    "notes_of_another_moment": (1, 101, "terms"),
    "everything_private": (0, 4, "terms"),
    "parts_joined_backwards": (51, 65, "terms"),
    "tiles_without_skew": (1, 1, "terms"),
    "sweeps_hand_on_to_neighbours": (1, 22),
    "cuts_one_late": (6, 66),
    "cuts_at_any_variable": (0, 47),
    "strips_one_too_long": (1, 33, "terms"),
    "index_arrays_without_duplicates": (3, 135, "parts"),
    "numbers_of_an_earlier_call": (0, 65, "terms"),
    "closed_forms_one_late": (0, 73),
    "skip_bounds_checks": (0, 0),
    "contract_fma": (0, 56),
    "reassociate": (0, 56),
    "weak_floats_promote": (0, 100, "terms"),
    "narrow_integers_stay_wide": (0, 50),
    "unchecked_integers": (12, 134),
    "conversions_unchecked": (0, 36, "terms"),
    "divide_as_c": (0, 1, "terms"),
    "remainder_as_c": (12, 34),
    "zero_divisors_pass": (2, 104),
    "tags_all_python": (0, 82),
    "no_roll_back": (0, 5, "terms"),
    "always_rerunnable": (0, 148, "terms"),
    "claims_unproved": (0, 0),
    "no_last_value": (0, 1, "terms"),
    "first_value_instead_of_last": (0, 1, "terms"),
    "memo_without_shapes": (1, 133, "terms"),
    "memo_without_numbers": (0, 18),
    "memo_without_aliases": (0, 6),
    "lists_not_put_back": (0, 7, "families"),
    "every_element_put_back": (2, 111, "families"),
    "generators_not_moved_on": (0, 7, "families"),
    "second_of_a_pair_forgotten": (2, 72, "families"),
    "attributes_without_a_question": (3, 79, "families"),
    "keys_in_order": (8, 97),
    "nothing_reversed": (6, 73),
    "conditions_of_comprehensions_ignored": (1, 77),
    "warnings_not_repeated": (0, 12, "terms"),
    "warnings_on_another_line": (0, 12, "terms"),
    "overflow_unnoticed": (0, 12, "terms"),
    "strips_not_put_back": (1, 54),
    "nothing_live": (0, 1, "terms"),
    "unset_is_assigned": (0, 6),
}


def test_there_is_a_program_for_every_mutation() -> None:
    assert CAUGHT_BY.keys() == MUTATIONS.keys()
    assert max(number for _, number, *_ in CAUGHT_BY.values()) < PROGRAMS


@pytest.mark.parametrize("name", MUTATIONS)
def test_it_is_found(name: str) -> None:
    seed, number, *grammar = CAUGHT_BY[name]
    assert found_apart(name, seed, number, *grammar)


def test_without_a_fault_nothing_is_found() -> None:
    with eager():
        for found in sorted(set(CAUGHT_BY.values())):
            judge(program(seeded(*found)))
