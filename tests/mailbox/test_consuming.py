"""Putting mail away, also when several do it at once or one dies half-way."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from campaigns.actors import Actor, Report, steps_of
from commands.desk import PROJECT, Desk, desk
from commands.terminal import command, environment
from waypost.carriers.folders.home import Home
from waypost.mailbox.consuming import archive
from waypost.mailbox.items import find

__all__ = ["desk"]


def archived(desk: Desk) -> list[str]:
    folder = desk.project / "agents" / "codex" / "inbox" / "archive"
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("option", [[], ["--delete"]])
def test_of_many_who_put_one_message_away_one_has_done_it(desk: Desk, option: list[str]) -> None:
    words = ("done", "--agent", "codex", desk.send()["message_id"], *option)
    started = [
        subprocess.Popen(command("oacp", *words), env=environment(), stderr=subprocess.DEVNULL)
        for _ in range(6)
    ]
    codes = [process.wait() for process in started]
    assert sorted(codes) == [0, 3, 3, 3, 3, 3]
    assert len(archived(desk)) == (0 if option else 1)
    assert desk.rows() == []


def test_who_died_half_way_leaves_no_second_copy(desk: Desk) -> None:
    path = Path(desk.send()["inbox_path"])
    os.link(path, path.parent / "archive" / path.name)  # then the lights went out
    desk.tell("done", path.name, "--agent", "codex")
    assert (archived(desk), path.exists()) == ([path.name], False)


def test_a_message_that_went_meanwhile_is_not_found(desk: Desk) -> None:
    sent = desk.send()
    assert desk.say("done", sent["message_id"], "--agent", "codex").code == 0
    code, error = desk.fail("done", sent["message_id"], "--agent", "codex")
    assert (code, error["error"]) == (3, "not_found")


def test_wherever_one_dies_who_puts_mail_away_there_is_one_copy_in_the_end(desk: Desk) -> None:
    box = Home(str(desk.home)).project(PROJECT).mailbox("codex")

    def put_away(report: Report) -> None:
        archive(box, find(box, name, ("inbox",)))

    name = Path(desk.send()["inbox_path"]).name
    steps = steps_of(put_away)
    for step in range(1, len(steps) + 1):
        name = Path(desk.send()["inbox_path"]).name
        assert Actor(put_away, step, signal.SIGKILL).wait().was_killed
        desk.say("done", name, "--agent", "codex")
        assert desk.rows() == []
        assert [one for one in archived(desk) if one.startswith(name[:-5])].count(name) == 1
    assert len(archived(desk)) == len(steps) + 1
