"""Generated texts come out of both tools as they went in, or are refused before they are sent.

`scripts/campaign bodies` does the same for thousands.
"""

from pathlib import Path

from campaigns.bodies import carry
from interop.bodies import HOSTILE, generated
from waypost.carriers.folders.home import Home


def test_generated_texts_survive_in_both_tools(tmp_path: Path) -> None:
    carried = carry(generated(200, seed=7), Home(str(tmp_path)))
    assert carried.unlike == []
    assert carried.sent > 120
    assert carried.refused > 10  # subjects of several lines are among them
    reasons = {one for why in carried.refusals for one in why.split(", ")}
    assert reasons <= {"subject: not_one_line", "subject: blank_field", "body: blank_field"}


def test_hostile_texts_survive_as_subjects_or_are_refused(tmp_path: Path) -> None:
    carried = carry([(text, "Look.") for text in HOSTILE], Home(str(tmp_path)))
    assert carried.unlike == []
    assert carried.sent > 30
    assert carried.sent + carried.refused == len(HOSTILE)
