"""The crash campaign in its short form: every kind of accident, and a choice of its moments.

`scripts/campaign crash` plays hundreds of rounds, and with `--every-pair` all the moments.
"""

import pytest

from campaigns.crash import ACCIDENTS, every_pair, play

EVERY_KIND = range(2 * len(ACCIDENTS))  # point-to-point, then broadcast
FEW = 61  # one pair of moments in so many; a prime, so that it meets every first and second one


@pytest.mark.parametrize("number", EVERY_KIND)
def test_no_accident_loses_doubles_or_tears_a_message(number: int) -> None:
    assert play(number, seed=20260313).wrong == []


@pytest.mark.parametrize("recipients", [1, 3])
def test_one_sender_stops_and_another_dies_at_chosen_steps(recipients: int) -> None:
    rounds = list(every_pair(recipients, FEW))
    assert [(one.title, one.wrong) for one in rounds if one.wrong] == []
    assert len(rounds) > 10
