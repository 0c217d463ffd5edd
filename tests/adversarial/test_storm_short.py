"""The storm campaign in its short form: writers that crowd each other lose and double nothing.

`scripts/campaign storm` does the same with thousands of messages.
"""

import os
from pathlib import Path

from campaigns.storm import CROWD, Outcome, new_project, storm, storm_of_commands


def assert_calm(outcome: Outcome, messages: int) -> None:
    """All were sent, each once, and lie whole where they belong."""
    assert (outcome.wrong(), len(outcome.sent)) == ([], messages)


def test_many_processes_send_as_one_agent_in_one_minute(tmp_path: Path) -> None:
    project = new_project(str(tmp_path), "ann", "bob")
    assert_calm(storm(project, 8, 20, ["bob"]), 160)
    folders = (project.mailbox("bob").inbox, project.mailbox("ann").outbox)
    assert [len(os.listdir(folder)) for folder in folders] == [160, 160]


def test_broadcasts_of_several_writers_are_with_everyone(tmp_path: Path) -> None:
    project = new_project(str(tmp_path), "ann", *CROWD)
    assert_calm(storm(project, 4, 5, CROWD), 20)
    assert {len(os.listdir(project.mailbox(agent).inbox)) for agent in CROWD} == {20}


def test_commands_crowd_each_other_no_less(tmp_path: Path) -> None:
    project = new_project(str(tmp_path), "ann", "bob")
    assert_calm(storm_of_commands(project, 4, 2), 8)


def test_what_a_storm_must_not_do_is_noticed(tmp_path: Path) -> None:
    project = new_project(str(tmp_path), "ann", *CROWD)
    inbox = Path(project.mailbox(CROWD[0]).inbox)
    calm = storm(project, 2, 3, CROWD)
    first, second, third, *_ = sorted(inbox.iterdir())
    first.unlink()
    second.write_text(second.read_text()[:100])
    third.write_text(third.read_text() + "channel: other\n")
    said = " ".join(calm._replace(audit=type(calm.audit)(project)).wrong())
    for what in ("partial or doubled", "half-written", "two contents for one id"):
        assert what in said
