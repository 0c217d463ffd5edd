"""Whose reservations of one file bear each other: only those of writers who coordinate."""

from itertools import product

import pytest

from waypost.dialects.agentmail.modes import MODES, conflict, mode_meant


@pytest.mark.parametrize(("mode", "other"), list(product(MODES, repeat=2)))
def test_every_pair_conflicts_except_two_shared_writes(mode: str, other: str) -> None:
    assert conflict(mode, other) == ((mode, other) != ("shared_write", "shared_write"))


def test_the_old_word_is_read_as_shared_read() -> None:
    assert mode_meant("shared") == "shared_read"
    assert conflict("shared", "shared_write")
