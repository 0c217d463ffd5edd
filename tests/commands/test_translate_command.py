"""`waypost translate`: what a message says in another dialect, and what it can't say there."""

import json
from pathlib import Path

import pytest

import waypost
from bridges.pairs import KEYS, PAIRS, of
from commands.terminal import quick, say
from schema_files import example

QUESTION = example("oacp", "question")


@pytest.mark.parametrize(("name", "kind", "target"), PAIRS[::5])
def test_what_is_printed_is_the_message_whole(name: str, kind: str, target: str) -> None:
    said = quick("waypost", "translate", "-", "--to", target, given=example(name, kind))
    assert said.code == 0
    message = waypost.parse(said.out)
    assert (message.dialect, message.valid) == (target, True)


def test_people_are_told_what_became_of_it_and_what_is_lost() -> None:
    said = say("waypost", "translate", "-", "--to", "acp", given=QUESTION)
    assert "OACP's question becomes ACP's query" in said.err
    assert "lost: priority: ACP's query has no priority; high is not said" in said.err
    assert "lost: from: the address in ACP isn't known here; --sender names it" in said.err


def test_programs_get_one_object() -> None:
    said = quick("waypost", "translate", "-", "--to", "agentmail", "--json", given=QUESTION)
    (found,) = said.objects
    assert found["from"] == {"dialect": "oacp", "type": "question"}
    assert found["to"] == {"dialect": "agentmail", "type": "coordination_request"}
    assert json.loads(found["text"]) == found["message"]
    assert {"path", "message", "reason"} == set(found["losses"][0])


def test_the_ends_can_be_named() -> None:
    flags = ["--sender", KEYS[0], "--recipient", KEYS[1], "--json"]
    (found,) = quick("waypost", "translate", "-", "--to", "acp", *flags, given=QUESTION).objects
    assert (found["message"]["from"], found["message"]["to"]) == KEYS
    assert {"from", "to"} & {loss["path"] for loss in found["losses"]} == set()


def test_a_reply_is_translated_by_what_it_answers(tmp_path: Path) -> None:
    asked = tmp_path / "query.json"
    asked.write_bytes(example("acp", "query"))
    given = of("oacp", "notification").raw
    flags = ["--to", "acp", "--answering", str(asked), "--json"]
    (found,) = quick("waypost", "translate", "-", *flags, given=given).objects
    assert found["to"]["type"] == "response"
    assert found["message"]["ref"] == (waypost.parse(asked.read_bytes()).fields or {})["id"]


def test_its_own_dialect_gives_the_very_message_back() -> None:
    said = quick("waypost", "translate", "-", "--to", "oacp", given=QUESTION)
    assert (said.out.encode(), "nothing is lost" in said.err) == (QUESTION, True)


REFUSED: dict[str, tuple[list[str], bytes, int, str]] = {
    "another dialect": (["--to", "oapc"], QUESTION, 2, "usage"),
    "no such file": (["--to", "acp", "--answering", "/nowhere.json"], QUESTION, 3, "not_found"),
    "no sound message": (["--to", "acp"], b"{}", 5, "invalid_format"),
    "no letter": (["--to", "oacp"], example("acp", "ping"), 5, "no_translation"),
    "another type": (["--to", "acp", "--type", "result"], QUESTION, 5, "no_translation"),
    "no key": (["--to", "acp", "--sender", "claude"], QUESTION, 5, "invalid_format"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_has_the_one_form(name: str) -> None:
    words, given, code, error = REFUSED[name]
    said = quick("waypost", "translate", "-", *words, "--json", given=given)
    (form,) = said.objects
    assert (said.code, form["error"], said.err) == (code, error, "")
    assert form["details"]


def test_what_is_answered_must_be_in_the_dialect_of_its_reader(tmp_path: Path) -> None:
    asked = tmp_path / "question.yaml"
    asked.write_bytes(QUESTION)
    given = of("oacp", "notification").raw
    said = quick("waypost", "translate", "-", "--to", "acp", "--answering", str(asked), given=given)
    assert (said.code, "no valid message of ACP" in said.err) == (2, True)


def test_a_folder_is_not_one_message(tmp_path: Path) -> None:
    assert quick("waypost", "translate", str(tmp_path), "--to", "acp").code == 2


def test_what_no_live_peer_could_take_is_told() -> None:
    long = QUESTION + b"extra: " + b"y" * 70_000 + b"\n"
    said = quick("waypost", "translate", "-", "--to", "acp", given=long)
    assert (said.code, "a message of ACP that is sent has at most 65,536" in said.err) == (0, True)
    said = quick("waypost", "translate", "-", "--to", "acp", "--json", given=long)
    assert "65,536" in said.objects[0]["warning"]
