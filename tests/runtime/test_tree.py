"""Folders and the office: what a tool wrote becomes a letter, whatever went wrong before."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from office_scene import PROJECT, Clock, caller
from waypost.carriers.folders.home import Home, Project
from waypost.errors import OfficeBusyError
from waypost.mailbox.sending import send
from waypost.office import Office, open_office
from waypost.office.world import World
from waypost.runtime.post_office import dispatch_once
from waypost.runtime.tree import Tree


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def office(tmp_path: Path, clock: Clock) -> Iterator[Office]:
    with open_office(tmp_path / "home", patience=0.05, world=World(now=clock)) as made:
        for name in ("codex", "gemini", "cursor"):
            made.register(caller(name), carrier="folder", with_token=False)
        yield made


@pytest.fixture
def project(tmp_path: Path, office: Office) -> Project:
    """The folders of everybody, as a server finds them."""
    home = Home(str(tmp_path / "oacp"))
    Tree(office, home).furnish_named(PROJECT)
    return home.project(PROJECT)


def inbox(project: Project, name: str) -> Path:
    return Path(project.mailbox(name).inbox)


def drop(project: Project, to: str, **fields: str) -> Path:
    given = {"id": "m-1", "from": "codex", "to": to, "type": "notification", "priority": "P2",
             "created_at_utc": "2026-11-19T21:00:00Z", "subject": "News", "body": "News.",
             **fields}  # fmt: skip
    file = inbox(project, to) / f"{given['id']}.yaml"
    file.write_text("".join(f"{key}: {json.dumps(one)}\n" for key, one in given.items()))
    return file


def test_what_could_not_be_taken_in_is_taken_at_the_next_look(
    office: Office, project: Project, tmp_path: Path
) -> None:
    tree = Tree(office, Home(str(tmp_path / "oacp")))
    drop(project, "gemini")
    with closing(sqlite3.connect(tmp_path / "home" / "office.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OfficeBusyError):
            tree.look(project.mailbox("gemini"))
        other.rollback()
    tree.look(project.mailbox("gemini"))
    assert [one.subject for one in office.inbox(caller("gemini")).letters] == ["News"]


def test_a_copy_that_its_reader_removed_unseen_does_not_come_again(
    office: Office, project: Project, clock: Clock, tmp_path: Path
) -> None:
    draft = {"from": "codex", "to": ["gemini", "cursor"], "type": "notification",
             "subject": "Release at noon", "body": "Noon."}  # fmt: skip
    sent = send(project, draft)
    Path(sent.inbox_paths[0]).unlink()
    for _ in range(3):
        dispatch_once(office, str(tmp_path / "oacp"), PROJECT)
        clock.move(minutes=1)  # no tool writes for so long
    assert list(inbox(project, "gemini").glob("*.yaml")) == []
    (letter,) = office.inbox(caller("cursor"), unread_only=False).letters
    letters = office.thread(caller("codex"), letter.thread).letters
    assert [one.states for one in letters] == [{"gemini": "done", "cursor": "handed_over"}]


def test_a_file_that_names_no_sender_makes_nobody_up(
    office: Office, project: Project, tmp_path: Path
) -> None:
    tree = Tree(office, Home(str(tmp_path / "oacp")))
    file = drop(project, "gemini")
    file.write_text(file.read_text().replace("from:", "sender:"))
    before = office.agents(caller("codex"))
    tree.look(project.mailbox("gemini"))
    assert office.agents(caller("codex")) == before
    assert office.inbox(caller("gemini")).letters == ()
