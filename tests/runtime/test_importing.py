"""An OACP home is taken over with its history: once, as found, and nothing in it is changed."""

from pathlib import Path

import pytest

from commands.desk import PROJECT, Desk, desk
from commands.terminal import quick
from waypost.carriers.folders.home import Home
from waypost.office import open_office
from waypost.office.callers import Caller
from waypost.runtime.importing import Imported, import_oacp

__all__ = ["desk"]


def taken(desk: Desk, home: Path) -> Imported:
    with open_office(home) as office:
        return import_oacp(office, Home(str(desk.home)).project(PROJECT))


def states(home: Path, sender: str, letter: str) -> dict[str, str]:
    with open_office(home) as office:
        (header,) = office.thread(Caller(sender, PROJECT), letter).letters
        return dict(header.states)


@pytest.fixture
def office(tmp_path: Path) -> Path:
    return tmp_path / "office"


def test_mail_comes_as_far_as_it_had_come(desk: Desk, office: Path) -> None:
    to_two = desk.send("--to", "codex,gemini", "-s", "both")["message_id"]
    desk.tell("done", to_two, "--agent", "gemini")
    gone = desk.send("-s", "gone")
    Path(gone["inbox_path"]).unlink()
    done = taken(desk, office)
    assert (done.letters, done.known, done.left) == (2, 0, ())
    assert states(office, "claude", to_two) == {"codex": "handed_over", "gemini": "done"}
    assert states(office, "claude", gone["message_id"]) == {"codex": "done"}


def test_conversations_stay_together(desk: Desk, office: Path) -> None:
    asked = desk.send("--type", "question")
    desk.tell("reply", asked["message_id"], "--agent", "codex", "-b", "Yes.")
    taken(desk, office)
    with open_office(office) as open_one:
        page = open_one.thread(Caller("claude", PROJECT), asked["message_id"])
        assert [one.sender for one in page.letters] == ["claude", "codex"]
        assert page.letters[1].reply_to == asked["message_id"]


def test_the_bytes_and_times_are_those_of_the_files(desk: Desk, office: Path) -> None:
    path = desk.drop("20260313T1430Z_alien_notification.yaml")
    assert taken(desk, office).letters == 1
    with open_office(office) as open_one:
        letter = open_one.read(Caller("codex", PROJECT), "msg-20260313T1430Z-alien-a1b2")
        assert letter.message == path.read_bytes()
        assert letter.header.to_json()["sent_at"] == "2026-03-13T14:30:00Z"


def test_doing_it_again_takes_only_what_is_new(desk: Desk, office: Path) -> None:
    desk.send()
    assert taken(desk, office).letters == 1
    desk.send()
    again = taken(desk, office)
    assert (again.letters, again.known) == (1, 1)
    with open_office(office) as open_one:
        assert len(open_one.inbox(Caller("codex", PROJECT)).letters) == 2


def test_broken_files_are_named_and_left_alone(desk: Desk, office: Path) -> None:
    broken = desk.drop("broken.yaml", text="id: [")
    invalid = desk.drop("20260313T1430Z_alien_question.yaml", priority="soon")
    desk.send()
    before = desk.files()
    done = taken(desk, office)
    assert done.letters == 1
    assert {one.path for one in done.left} == {str(broken), str(invalid)}
    assert desk.files() == before


def test_two_messages_under_one_id_are_both_kept(desk: Desk, office: Path) -> None:
    desk.drop("20260313T1430Z_alien_notification.yaml")
    desk.drop("20260313T1430Z_alien_notification_b.yaml", subject="another")
    assert taken(desk, office).letters == 2
    assert taken(desk, office).known == 2


def test_the_command_says_what_it_did(desk: Desk, office: Path) -> None:
    desk.send()
    desk.drop("broken.yaml", text="\x1b[2J")
    said = quick("waypost", "import", "oacp", PROJECT, "--home", str(office))
    assert (said.code, said.out.splitlines()[0]) == (0, "1 letter taken over into my-app")
    assert "left alone: " in said.err
    assert "\x1b" not in said.err
    (found,) = quick("waypost", "import", "oacp", PROJECT, "--home", str(office), "--json").objects
    assert (found["letters"], found["known"], len(found["left"])) == (0, 1, 1)
