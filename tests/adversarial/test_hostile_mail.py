"""Mail from strangers who mean no good, and what a command says and suggests about it."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from commands.desk import Desk, desk
from commands.terminal import shell

__all__ = ["desk"]
NASTY = ["a;reboot", "$(touch${IFS}x)", "`id`", "a'b", "*", "a b", "--all", "\x1b[2J", "   "]


def suggestions(text: str) -> list[str]:
    """The commands that an output suggests."""
    marks = ("next: ", "answer: ", "put away: ")
    return [line.split(": ", 1)[1] for line in text.split("\n") if line.startswith(marks)]


@pytest.mark.parametrize("name", NASTY)
def test_a_suggested_command_is_one_whatever_a_stranger_calls_a_message(
    desk: Desk, name: str
) -> None:
    desk.drop("evil.yaml", id=name)
    said = [desk.say("inbox", "--agent", "codex"), desk.say()]
    said.append(desk.say("show", "evil.yaml", "--agent", "codex"))
    found = [line for one in said for line in suggestions(one.out + one.err)]
    assert len(found) == 4
    for line in found:
        bare = shlex.split(line.replace(" -b …", ""), posix=True)
        assert bare[:1] + bare[2:4] == ["oacp", "--agent", "codex"]
        assert bare[4] in (name, "evil.yaml")
    shown = shell(found[0], desk.home, OACP_HOME=str(desk.home))
    assert (shown.code, "Look." in shown.out) == (0, True)


@pytest.mark.parametrize("name", ["c;reboot", "$(id)"])
def test_a_hint_about_a_review_quotes_its_conversation(desk: Desk, name: str) -> None:
    body = {"pr": "1", "branch": "b", "diff_summary": "x"}
    fields: dict[str, Any] = {"from": "claude", "type": "review_request", "body": body}
    desk.drop("evil.yaml", **fields, conversation_id=name)
    again = ("review", "request", "--from", "claude", "--to", "codex", "--pr", "1")
    said = desk.say(*again, "--branch", "b", "--diff-summary", "x")
    assert f"oacp review request '{name}' --again" in said.err


@pytest.mark.parametrize("field", ["id", "subject", "from", "priority", "expires_at"])
def test_no_field_of_one_message_floods_a_terminal(desk: Desk, field: str) -> None:
    desk.drop("long.yaml", **{"type": "question", field: "9" * 900_000})
    for words in (["inbox", "--agent", "codex"], [], ["thread", "long"]):
        said = desk.say(*words)
        assert len(said.out + said.err) < 3000


@pytest.mark.parametrize("name", ["c" * 400, "two\nlines", "  ", ["c"], {"a": 1}])
def test_a_conversation_with_an_impossible_name_can_still_be_answered(
    desk: Desk, name: object
) -> None:
    claude: dict[str, Any] = {"from": "claude"}
    desk.drop("a.yaml", id="msg-a", conversation_id=name, **claude)
    answer = desk.tell("reply", "msg-a", "--from", "codex", "-b", "Thanks.")
    assert answer["conversation_id"].startswith("conv-")


def test_an_answer_doesn_t_take_over_a_priority_that_is_none(desk: Desk) -> None:
    request = {"pr": "1", "branch": "b", "diff_summary": "x"}
    desk.drop("a.yaml", id="msg-a", type="review_request", priority="urgent", body=request)
    verdict = b"{quality_gate_result: pass, merge_ready: true}"
    words = ("reply", "msg-a", "--from", "codex", "--to", "claude", "--type", "review_lgtm")
    assert desk.tell(*words, given=verdict)["priority"] == "P2"


@pytest.mark.parametrize(
    "command",
    [
        "oacp send --from claude --to codex --type notification -s x --body-file - --json <&-",
        "oacp send --from claude --to codex --type notification -s x --json <&-",
        "oacp review feedback --from codex --findings - --json <&-",
        "oacp review request --from claude --to codex --pr 1 --branch b --json <&-",
    ],
)
def test_a_closed_standard_input_is_no_bug(desk: Desk, command: str) -> None:
    said = shell(command, desk.home, OACP_HOME=str(desk.home))
    assert said.objects[0]["error"] in ("usage", "unreadable")
    assert "bug" not in said.out


def test_a_text_that_is_cut_inside_a_letter_is_too_long_and_not_broken(desk: Desk) -> None:
    words = ("--from", "claude", "--to", "codex", "--type", "notification", "-s", "x")
    code, error = desk.fail("send", *words, given="é".encode() * 600_000)
    assert (code, error["error"]) == (5, "too_large")


@pytest.mark.parametrize("where", ["projects", "projects/my-app/agents"])
def test_links_in_a_circle_are_nobody_s_mailbox(desk: Desk, where: str) -> None:
    circle = desk.home / where / "circle"
    circle.symlink_to(circle)
    desk.send()
    assert [desk.say(*words).code for words in ([], ["doctor"])] == [0, 0]
    assert len(desk.rows()) == 1


def test_an_inbox_that_is_a_link_to_itself_keeps_no_other_from_being_listed(desk: Desk) -> None:
    inbox = desk.project / "agents" / "codex" / "inbox"
    inbox.rename(desk.home / "aside")
    inbox.symlink_to(inbox)
    said = desk.say("inbox", "--all", "--json")
    errors = [one.get("error") for one in said.objects[0]["agents"]]
    assert (said.code, errors) == (1, [None, "unreadable", None])


def test_a_folder_that_is_gone_is_no_place_to_stand_and_no_hindrance(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    os.rmdir(tmp_path / "gone")
    desk.send()
    assert len(desk.rows()) == 1


def test_a_home_of_nobody_is_not_made_here(desk: Desk, tmp_path: Path) -> None:
    code, error = desk.fail("init", "x", "--oacp-dir", "~nobody-of-that-name/oacp")
    assert (code, error["error"]) == (2, "usage")
    assert "OACP_HOME" in error["hint"]
