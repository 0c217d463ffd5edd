"""`oacp show` and `oacp done`: a message whole, then out of the way."""

import subprocess
from pathlib import Path

import pytest

from commands.desk import ALIEN, Desk, desk
from commands.terminal import command, environment

__all__ = ["desk"]
RAW = b'id: x\r\nfrom: "alien"\nbody: "\xc3\xa9 \\u0000"   # odd, but theirs\n\n'


def test_people_read_the_fields_and_the_body(desk: Desk) -> None:
    desk.drop("a.yaml", body="One.\n\n\tTwo.\n")
    said = desk.say("show", ALIEN["id"], "--agent", "codex")
    assert "from: alien\n" in said.out
    assert said.out.endswith("\n\nOne.\n\n\tTwo.\n")
    assert f"answer: oacp reply --agent codex {ALIEN['id']}" in said.err
    assert f"put away: oacp done --agent codex {ALIEN['id']}" in said.err


def test_programs_read_the_row_and_the_body(desk: Desk) -> None:
    desk.drop("a.yaml", type="handoff", body={"intent": "take over"})
    shown = desk.tell("show", ALIEN["id"], "--agent", "codex")
    assert shown["body"] == {"intent": "take over"}
    assert {key: shown[key] for key in ("id", "from", "subject")} == {
        key: ALIEN[key] for key in ("id", "from", "subject")
    }


def test_raw_gives_the_very_bytes(desk: Desk) -> None:
    desk.drop("a.yaml", text="").write_bytes(RAW)
    words = command("oacp", "show", "a.yaml", "--agent", "codex", "--raw")
    done = subprocess.run(words, capture_output=True, env=environment(), check=True)
    assert done.stdout == RAW


@pytest.mark.parametrize("wanted", ["msg-20260313T1430Z-alien-a1b2", "msg-20260313", "m", "a.yaml"])
def test_a_message_is_found_by_id_beginning_or_file(desk: Desk, wanted: str) -> None:
    desk.drop("a.yaml")
    assert desk.tell("show", wanted, "--agent", "codex")["id"] == ALIEN["id"]


def test_a_message_is_found_by_its_path(desk: Desk) -> None:
    path = desk.drop("a.yaml")
    assert desk.tell("show", str(path), "--agent", "codex")["id"] == ALIEN["id"]


def test_a_whole_id_wins_over_longer_ones(desk: Desk) -> None:
    desk.drop("long.yaml", id="msg-1-more")
    desk.drop("short.yaml", id="msg-1")
    assert desk.tell("show", "msg-1", "--agent", "codex")["path"].endswith("short.yaml")


def test_a_beginning_of_several_ids_is_refused_with_them(desk: Desk) -> None:
    desk.drop("a.yaml", id="msg-1")
    desk.drop("b.yaml", id="msg-2")
    code, error = desk.fail("show", "msg-", "--agent", "codex")
    assert (code, error["error"]) == (2, "usage")
    assert error["hint"].endswith("msg-1, msg-2")


def test_the_archive_and_the_outbox_are_looked_through_too(desk: Desk) -> None:
    sent = desk.send()
    desk.tell("done", sent["message_id"], "--agent", "codex")
    for agent in ("claude", "codex"):
        assert desk.tell("show", sent["message_id"], "--agent", agent)["body"] == "Look."


def test_an_unreadable_file_is_explained(desk: Desk) -> None:
    desk.drop("bad.yaml", text="a: [")
    said = desk.say("show", "bad.yaml", "--agent", "codex")
    assert "error[yaml_syntax]" in said.out
    assert not said.out.startswith("\n")


def test_a_hostile_body_is_shown_not_obeyed(desk: Desk) -> None:
    desk.drop("red.yaml", body="\x1b[31mred\x1b[0m\n\u202eab\n\tc\n")
    out = desk.say("show", "red.yaml", "--agent", "codex").out
    assert "\x1b" not in out
    assert out.endswith("\\u001b[31mred\\u001b[0m\n\\u202eab\n\tc\n")


# -- done ----------------------------------------------------------------------------------------


def archived(desk: Desk) -> list[str]:
    return sorted(path.name for path in (desk.project / "agents/codex/inbox/archive").iterdir())


def test_done_puts_a_message_into_the_archive(desk: Desk) -> None:
    path = desk.drop("a.yaml")
    before = path.read_bytes()
    (put,) = desk.tell("done", ALIEN["id"], "--agent", "codex")
    assert put["id"] == ALIEN["id"]
    assert Path(put["archived"]).read_bytes() == before
    assert (desk.rows(), archived(desk)) == ([], ["a.yaml"])


def test_the_archive_overwrites_nothing(desk: Desk) -> None:
    for subject in ("One", "Two", "Three"):
        desk.drop("a.yaml", subject=subject)
        desk.tell("done", "a.yaml", "--agent", "codex")
    assert archived(desk) == ["a.1.yaml", "a.2.yaml", "a.yaml"]


def test_delete_really_deletes(desk: Desk) -> None:
    desk.drop("a.yaml")
    assert desk.say("done", ALIEN["id"], "--agent", "codex", "--delete").out.startswith("deleted ")
    assert (desk.rows(), archived(desk)) == ([], [])


def test_several_are_done_or_none(desk: Desk) -> None:
    desk.drop("a.yaml", id="msg-1")
    desk.drop("b.yaml", id="msg-2")
    assert desk.fail("done", "msg-1", "msg-nowhere", "--agent", "codex")[0] == 3
    assert len(desk.tell("done", "msg-1", "msg-2", "--agent", "codex")) == 2
    assert archived(desk) == ["a.yaml", "b.yaml"]


def test_one_that_cannot_be_put_away_holds_up_no_other(desk: Desk) -> None:
    longest = "n" * 250 + ".yaml"
    desk.drop(longest, id="msg-1")
    desk.tell("done", longest, "--agent", "codex")
    desk.drop(longest, id="msg-2")
    desk.drop("b.yaml", id="msg-3")
    said = desk.say("done", "msg-2", "msg-3", "--agent", "codex", "--json")
    assert (said.code, said.objects[0][0]["error"]) == (1, "unreadable")
    assert said.objects[0][1]["archived"].endswith("/b.yaml")


def test_one_named_twice_is_done_once(desk: Desk) -> None:
    desk.drop("a.yaml")
    assert desk.say("done", ALIEN["id"], "a.yaml", "--agent", "codex").code == 0
    assert archived(desk) == ["a.yaml"]


def test_what_is_no_message_can_be_put_away_too(desk: Desk) -> None:
    desk.drop("bad.yaml", text="a: [")
    assert desk.say("done", "bad.yaml", "--agent", "codex").out == "archived bad.yaml\n"


def test_only_the_inbox_is_put_away(desk: Desk) -> None:
    sent = desk.send()
    assert desk.fail("done", sent["outbox_path"], "--agent", "claude")[0] == 3
    desk.tell("done", sent["message_id"], "--agent", "codex")
    assert desk.fail("done", sent["message_id"], "--agent", "codex")[0] == 3
