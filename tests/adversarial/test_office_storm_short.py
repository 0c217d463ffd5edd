"""A short storm: agents of all carriers write while the office is killed, peers come and go, and
somebody puts bad input into every door; every letter is accounted for."""

from pathlib import Path

from campaigns.office_storm import Weather, play
from campaigns.storming.plan import Plan


def test_every_letter_is_accounted_for(tmp_path: Path) -> None:
    plan = Plan(tmp_path / "storm", letters=240, folders=4, tools=3, peers=2)
    rows, wrong = play(plan, Weather(every=2.5, kills=2))
    assert wrong == [], "\n".join(rows)
