"""What `oacp send` refuses, it refuses before it writes anything, and says how to mend it."""

from pathlib import Path

import pytest

from commands.desk import ALIEN, PROJECT, Desk, desk

__all__ = ["desk"]
TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
USUAL = {
    "from": "claude",
    "to": "codex",
    "type": "notification",
    "subject": "Hello",
    "body": "Look.",
}


def words(**changed: str) -> list[str]:
    """The words of a good `send`, with some options changed; the body comes last."""
    return ["send", *(f"--{name}={value}" for name, value in (USUAL | changed).items())]


NEAR = [
    ({"to": "codx"}, 3, "unknown_recipient", "codex"),
    ({"to": "codex,gemni"}, 3, "unknown_recipient", "gemini"),
    ({"from": "cladue"}, 3, "unknown_recipient", "claude"),
    ({"type": "qestion"}, 2, "usage", "question"),
]


@pytest.mark.parametrize(("changed", "code", "error", "meant"), NEAR)
def test_a_slip_is_answered_with_the_near_name(
    desk: Desk, changed: dict[str, str], code: int, error: str, meant: str
) -> None:
    told = desk.fail(*words(**changed))
    assert (told[0], told[1]["error"]) == (code, error)
    assert told[1]["hint"] == f'did you mean "{meant}"?'


def test_an_unknown_project_is_not_made(desk: Desk) -> None:
    code, error = desk.fail(*words(), "--project", "my-ap")
    assert (code, error["hint"]) == (3, f'did you mean "{PROJECT}"?')


def test_a_broadcast_with_one_stranger_reaches_nobody(desk: Desk) -> None:
    desk.fail(*words(to="codex,gemini,stranger"))
    assert (desk.rows(), desk.rows(agent="gemini")) == ([], [])


def test_nothing_near_means_all_names(desk: Desk) -> None:
    assert desk.fail(*words(to="zebra"))[1]["hint"] == "the agents are claude, codex, gemini"


INVALID = [
    ({"subject": " "}, "subject", "blank_field"),
    ({"subject": "two\nlines"}, "subject", "not_one_line"),
    ({"subject": "x" * 201}, "subject", "too_long"),
    ({"body": ""}, "body", "blank_field"),
    ({"to": "codex,codex"}, "to.1", "not_unique"),
    ({"to": "codex,gemini", "type": "handoff"}, "to", "point_to_point"),
    ({"type": "handoff"}, "body", "text_body"),
    ({"type": "review_feedback", "body": "round: 1"}, "body.blocking_count", "missing_field"),
]


@pytest.mark.parametrize(("changed", "path", "problem"), INVALID)
def test_an_invalid_message_is_refused_with_its_problems(
    desk: Desk, changed: dict[str, str], path: str, problem: str
) -> None:
    code, error = desk.fail(*words(**changed))
    assert (code, error["error"]) == (5, "invalid_format")
    assert (path, problem) in [(one["path"], one["code"]) for one in error["problems"]]


def test_all_problems_come_at_once(desk: Desk) -> None:
    _, error = desk.fail(*words(subject="", body=""), "--priority", "P9")
    assert {"subject", "body", "priority"} <= {one["path"] for one in error["problems"]}


@pytest.mark.parametrize("option", ["body", "subject"])
def test_a_secret_stays_at_home_and_is_never_repeated(desk: Desk, option: str) -> None:
    said = desk.say(*words(**{option: f"use {TOKEN}"}), "--json")
    assert (said.code, said.objects[0]["error"]) == (5, "secret_detected")
    assert said.objects[0]["problems"][0]["path"] == option
    assert TOKEN not in said.out + said.err
    assert desk.rows() == []


def test_a_secret_goes_out_when_that_is_wanted(desk: Desk) -> None:
    assert desk.say(*words(body=f"use {TOKEN}"), "--allow-secrets").code == 0
    assert len(desk.rows()) == 1


@pytest.mark.parametrize("name", ["../claude", "a/b", ".x", "-x", "x" * 65, "a..b", "ä"])
def test_a_recipient_s_name_leads_nowhere_else(desk: Desk, name: str) -> None:
    assert desk.fail(*words(to=name))[0] == 2


def test_nobody_is_no_recipient(desk: Desk) -> None:
    assert desk.fail(*words(to=" , "))[0] == 2


@pytest.mark.parametrize("option", ["--body-file", "--context-keys-file"])
def test_a_file_that_is_not_there_is_named(desk: Desk, option: str) -> None:
    good = words()[:-1] if option == "--body-file" else words()
    code, error = desk.fail(*good, option, "nowhere.md")
    assert code == 2
    assert "nowhere.md" in error["details"]


def test_a_body_must_be_utf_8_and_of_bounded_size(desk: Desk) -> None:
    assert desk.fail(*words()[:-1], given=b"\xff\xfe")[0] != 0
    code, error = desk.fail(*words()[:-1], given=b"x" * (1 << 20))
    assert (code, error["problems"][0]["code"]) == (5, "too_large")


def test_a_terminal_s_escapes_in_a_slip_are_shown_not_obeyed(desk: Desk) -> None:
    said = desk.say(*words(type="\x1b[2Jquestion"))
    assert said.code == 2
    assert "\x1b" not in said.err + said.out


CODES = [
    (2, ["inbox"], "which agent"),
    (2, ["inbox", "--agent", "codex", "--tpye", "question"], "unrecognized"),
    (2, ["inbox", "--agent", "codex", "--type", "qestion"], "qestion"),
    (2, ["inbox", "--agent", "codex", "--priority", "P7"], "P7"),
    (2, ["send", "--from", "claude", "--type", "question"], "--to"),
    (3, ["inbox", "--agent", "nobody"], "no agent called"),
    (3, ["inbox", "nowhere", "--agent", "codex"], "no project called"),
    (3, ["show", "msg-nowhere", "--agent", "codex"], "no message"),
    (3, ["reply", "msg-nowhere", "--from", "codex", "-b", "x"], "no message"),
    (3, ["done", "msg-nowhere", "--agent", "codex"], "no message"),
    (3, ["thread", "conv-nowhere"], "no conversation"),
]


@pytest.mark.parametrize(("code", "line", "said"), CODES)
def test_the_code_says_whose_fault_it_was(
    desk: Desk, code: int, line: list[str], said: str
) -> None:
    told = desk.fail(*line)
    assert told[0] == code
    assert said in told[1]["details"]
    assert desk.say(*line).err.startswith("error: ")


# -- --create: what is missing is made, but only for a message that would go out -------------------


def test_create_makes_the_recipient_that_is_missing(desk: Desk) -> None:
    assert desk.say(*words(to="newcomer"), "--create").code == 0
    assert [row["subject"] for row in desk.rows(agent="newcomer")] == ["Hello"]


def test_create_makes_the_project_too(desk: Desk) -> None:
    assert desk.say(*words(), "--project", "new", "--create").code == 0
    assert len(desk.rows("--project", "new")) == 1


@pytest.mark.parametrize("changed", [{"subject": ""}, {"to": "../evil"}, {"to": "Codex"}])
def test_create_makes_nothing_for_a_message_that_is_refused(
    desk: Desk, changed: dict[str, str]
) -> None:
    code, error = desk.fail(*words(**({"to": "newcomer"} | changed)), "--create")
    assert (code in (1, 2, 5), "unrecognized" in error["details"]) == (True, False)
    assert not (desk.project / "agents" / "newcomer").exists()


def test_create_makes_nothing_in_a_dry_run(desk: Desk) -> None:
    assert desk.say(*words(to="newcomer"), "--create", "--dry-run").code == 0
    assert not (desk.project / "agents" / "newcomer").exists()


def test_an_alien_sender_can_be_answered_only_once_it_is_known(desk: Desk) -> None:
    desk.drop("alien.yaml")
    answer = ("reply", ALIEN["id"], "--from", "codex", "-b", "Seen.")
    assert desk.fail(*answer)[0] == 3
    desk.tell("agent", "add", "alien")
    assert Path(desk.tell(*answer)["inbox_path"]).is_file()
