"""Putting mail away, also when several do it at once or one dies half-way."""

import os
import subprocess
from pathlib import Path

import pytest

from commands.desk import Desk, desk
from commands.terminal import command, environment

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
