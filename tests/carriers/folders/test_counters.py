"""Numbers are given once, whoever asks, and however damaged their file is."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from campaigns.actors import Actor, Report, steps_of
from waypost.carriers.folders.counters import take
from waypost.errors import UnreadableError

DAY = "20260313"


def rand(folder: Path) -> str:
    return take(str(folder), lambda: 7).rand


def conversation(folder: Path, day: str = DAY, last: int = 0) -> int:
    number = take(str(folder), lambda: 7, day, lambda: last).conversation
    assert number is not None
    return number


def test_an_ending_is_four_letters_or_digits_and_comes_once(tmp_path: Path) -> None:
    given = [rand(tmp_path) for _ in range(2000)]
    assert len(set(given)) == 2000
    assert [one for one in given if not re.fullmatch("[0-9a-z]{4}", one)] == []


def test_conversations_count_from_one_each_day(tmp_path: Path) -> None:
    assert [conversation(tmp_path) for _ in range(3)] == [1, 2, 3]
    assert conversation(tmp_path, "20260314") == 1
    assert conversation(tmp_path) == 4


def test_conversations_go_on_from_the_last_one_that_is_known(tmp_path: Path) -> None:
    assert conversation(tmp_path, last=41) == 42
    assert conversation(tmp_path, last=41) == 43


def test_the_two_numbers_share_a_file_and_not_their_count(tmp_path: Path) -> None:
    first = rand(tmp_path)
    assert conversation(tmp_path) == 1
    assert rand(tmp_path) != first
    assert conversation(tmp_path) == 2


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"\xff\x00", b"null", b'{"rand": "x", "conversations": 3}', b'{"rand": {}}'],
)
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "counters").write_bytes(damage)
    assert len(rand(tmp_path)) == 4
    assert conversation(tmp_path, last=5) == 6
    assert json.loads((tmp_path / "counters").read_bytes())["conversations"] == {DAY: 6}


def test_the_file_does_not_grow_with_the_years(tmp_path: Path) -> None:
    days = {f"{day:08}": 1 for day in range(10_000_000, 10_000_900)}
    (tmp_path / "counters").write_text(json.dumps({"conversations": days}))
    conversation(tmp_path)
    assert len(json.loads((tmp_path / "counters").read_bytes())["conversations"]) == 400


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    os.symlink(target, tmp_path / "counters")
    with pytest.raises(OSError, match="symbolic"):
        rand(tmp_path)
    assert target.read_text() == "precious"


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "counters")
    with pytest.raises(UnreadableError, match="counters is not a file"):
        rand(tmp_path)


def test_many_who_ask_at_once_get_different_numbers(tmp_path: Path) -> None:
    def ask(report: Report) -> None:
        for _ in range(100):
            report("{} {}".format(*take(str(tmp_path), lambda: 7, DAY)))

    lines = [line for actor in [Actor(ask) for _ in range(4)] for line in actor.wait().reports()]
    rands, numbers = zip(*(line.split() for line in lines), strict=True)
    assert len(set(rands)) == 400
    assert sorted(map(int, numbers)) == list(range(1, 401))


def test_no_number_comes_twice_wherever_one_who_asks_dies(tmp_path: Path) -> None:
    def ask(report: Report) -> None:
        report(str(conversation(tmp_path)))

    given = []
    for step in range(1, len(steps_of(ask)) + 2):
        given += Actor(ask, step, signal.SIGKILL).wait().reports()
        given.append(str(conversation(tmp_path)))
    assert len(set(given)) == len(given)
