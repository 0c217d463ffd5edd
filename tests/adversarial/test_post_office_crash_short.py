"""A server that is killed at random moments: no letter is lost on its way, and none comes twice."""

import signal
from collections import Counter
from pathlib import Path
from random import Random

from office_town import Town, caller, said, town_in

_ROUNDS, _LETTERS = 4, 25


def subjects(files: list[Path]) -> Counter[str]:
    return Counter(said(file.read_text(), "subject") for file in files)


def test_letters_arrive_once_though_the_server_is_killed_again_and_again(tmp_path: Path) -> None:
    chance = Random(20)
    with town_in(tmp_path) as town:
        town.add("codex", "folder")
        town.add("claude")
        wanted = [
            subject for number in range(_ROUNDS) for subject in one_round(town, number, chance)
        ]
        town.start(WAYPOST_LETTERS="100000")
        town.until(lambda: len(town.files("codex")) >= len(wanted))
        town.until(lambda: not town.files("claude"))
        assert subjects(town.files("codex")) == Counter(wanted)
        letters = town.office.inbox(caller("claude"), limit=200, unread_only=False).letters
        assert Counter(one.subject for one in letters) == Counter(f"back {one}" for one in wanted)
        assert not town.office.verify().flaws
        town.office.rebuild()
        assert subjects(town.files("codex")) == Counter(wanted)


def one_round(town: Town, number: int, chance: Random) -> list[str]:
    """Letters both ways while the server runs, and its sudden end."""
    town.start(WAYPOST_LETTERS="100000")
    sent = [f"{number}/{one}" for one in range(_LETTERS)]
    for subject in sent:
        town.office.send(caller("claude"), "codex", text="A letter.", subject=subject)
        town.drop("codex", "claude", subject=f"back {subject}")
    town.office.wait(town.office.last(), chance.random() / 10)
    assert town.end(signal.SIGKILL) == -signal.SIGKILL
    return sent


def test_what_its_reader_removed_does_not_come_back(tmp_path: Path) -> None:
    with town_in(tmp_path) as town:
        town.add("codex", "folder")
        town.add("claude")
        town.start()
        town.office.send(caller("claude"), "codex", text="Once", subject="Once")
        town.file("codex", "Once").unlink()
        town.end(signal.SIGKILL)
        town.start()
        town.office.send(caller("claude"), "codex", text="Twice", subject="Twice")
        town.file("codex", "Twice")
        assert subjects(town.files("codex")) == {"Twice": 1}
