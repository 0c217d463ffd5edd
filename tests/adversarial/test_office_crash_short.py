"""The crash campaign and the race of the office in their short forms."""

from pathlib import Path

from campaigns import office_crash
from campaigns.office_race import Race


def test_kill_9_under_eight_writers_loses_and_doubles_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    office_crash.prepare(home)
    rounds = [office_crash.play(home, number, seed=7) for number in (8, 9)]
    assert [wrong for _, wrong in rounds] == [[], []]
    assert any(reported for reported, _ in rounds)


def test_of_64_processes_that_want_the_same_files_one_gets_them(tmp_path: Path) -> None:
    assert Race(tmp_path / "home", 64).run(rounds=3) == [1, 1, 1]
