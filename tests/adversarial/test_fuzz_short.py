"""The fuzz campaign in its short form: a few thousand broken messages, the same ones every time."""

import pytest

from campaigns.fuzz import run
from campaigns.inputs import DIALECTS, corpus, make
from campaigns.properties import broken_by

SEED = 20260313


@pytest.mark.parametrize("part", range(6))
def test_broken_messages_break_no_parser(part: int) -> None:
    tally = run(SEED, inputs=500, first=part * 500)
    assert sum(tally.inputs.values()) == 500
    assert tally.failures == []


def test_an_input_follows_from_its_seed_and_number_alone() -> None:
    assert make(SEED, 17) == make(SEED, 17)
    assert len({make(SEED, number).data for number in range(50)}) > 40


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_messages_that_the_campaign_starts_from_hold_every_property(dialect: str) -> None:
    texts = set(corpus()[dialect])
    assert len(texts) > 20
    assert [(text, what) for text in texts for what in broken_by(text, dialect)] == []


def test_a_broken_property_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaigns.properties.CODES", frozenset())
    tally = run(SEED, inputs=20)
    assert any("unknown code" in failure.what for failure in tally.failures)
