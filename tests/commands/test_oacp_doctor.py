"""`oacp doctor`: finds what is wrong with mailboxes, and mends what can be mended without loss."""

import os
import shutil
from pathlib import Path
from typing import Any

from commands.desk import Desk, desk

__all__ = ["desk"]


def findings(desk: Desk, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.say("doctor", "--json", *words).objects[0]["findings"]
    return found


def age(path: Path) -> None:
    """Let a file be two hours old."""
    then = path.lstat().st_mtime - 7200
    os.utime(path, (then, then), follow_symlinks=False)


def test_a_sound_home_has_no_findings(desk: Desk) -> None:
    desk.send()
    said = desk.say("doctor")
    assert (said.code, said.err) == (0, "1 project, 0 findings\n")


def test_a_file_that_is_no_message_is_buried_with_the_reason(desk: Desk) -> None:
    path = desk.drop("a.yaml", "a: [")
    age(path)
    assert [one["repairable"] for one in findings(desk)] == [True]
    assert findings(desk, "--fix") == []
    buried = desk.project / "agents" / "codex" / "dead_letter"
    assert (buried / "a.yaml").read_text() == "a: ["
    assert "YAML" in (buried / "a.yaml.reason.txt").read_text()


def test_an_invalid_message_is_told_and_stays(desk: Desk) -> None:
    path = desk.drop("a.yaml", priority="urgent")
    age(path)
    assert [one["repairable"] for one in findings(desk, "--fix")] == [False]
    assert path.exists()


def test_two_messages_of_one_id_are_both_kept_and_told(desk: Desk) -> None:
    paths = [desk.drop("a.yaml", subject="One"), desk.drop("b.yaml", subject="Two")]
    assert ["shares the id" in one["message"] for one in findings(desk, "--fix")] == [True]
    assert all(path.exists() for path in paths)


def test_the_same_message_in_two_places_is_one(desk: Desk) -> None:
    path = desk.drop("a.yaml")
    shutil.copy(path, path.parent / "archive")
    assert findings(desk) == []


def test_a_missing_folder_is_made_again(desk: Desk) -> None:
    folder = desk.project / "agents" / "codex" / "dead_letter"
    folder.rmdir()
    assert [one["place"] for one in findings(desk)] == [str(folder)]
    assert (findings(desk, "--fix"), folder.is_dir()) == ([], True)


def test_a_copy_that_belongs_to_nobody_is_swept_away_once_it_is_old(desk: Desk) -> None:
    incoming = desk.project / "agents" / "codex" / ".incoming"
    incoming.mkdir()
    copy = incoming / "20260313T1430Z_ann_question.yaml"
    copy.write_text("left behind")
    assert (len(findings(desk, "--fix")), copy.exists()) == (1, True)
    age(copy)
    assert (findings(desk, "--fix"), copy.exists()) == ([], False)


def test_one_project_without_a_folder_of_agents_hides_no_other_s_findings(desk: Desk) -> None:
    desk.say("init", "other", "--agents", "codex")
    agents = desk.home / "projects" / "other" / "agents"
    shutil.rmtree(agents)
    agents.write_text("in the way")
    (desk.project / "agents" / "codex" / "outbox").rmdir()
    places = [one["place"] for one in findings(desk)]
    assert places == [str(desk.project / "agents" / "codex" / "outbox"), str(agents)]


def test_pipes_and_links_outwards_are_buried_unopened(desk: Desk, tmp_path: Path) -> None:
    inbox = desk.project / "agents" / "codex" / "inbox"
    os.mkfifo(inbox / "pipe.yaml")
    (tmp_path / "mine.yaml").write_text("a: b")
    (inbox / "link.yaml").symlink_to(tmp_path / "mine.yaml")
    age(inbox / "pipe.yaml")
    age(inbox / "link.yaml")
    assert len(findings(desk)) == 2
    assert findings(desk, "--fix") == []
    buried = desk.project / "agents" / "codex" / "dead_letter"
    assert (buried / "link.yaml").is_symlink()
    assert (tmp_path / "mine.yaml").read_text() == "a: b"
