"""`oacp reply` fills in who, what and where; `oacp thread` draws what came of it."""

from pathlib import Path
from typing import Any

import pytest

from commands.desk import ALIEN, Desk, desk
from interop.test_they_read_ours import example_body
from waypost.dialects.oacp.types import TYPES

__all__ = ["desk"]
ANSWERED = [(kind, entry.answered_by[0]) for kind, entry in TYPES.items() if entry.answered_by]


def ask(desk: Desk, kind: str = "question", *options: str) -> dict[str, Any]:
    """A message from claude to codex that waits for an answer."""
    return desk.send("--type", kind, *options, body=example_body(kind))


def answer(desk: Desk, asked: dict[str, Any], *options: str, kind: str = "") -> dict[str, Any]:
    """Codex's answer, of the usual type when none is named."""
    words = ["reply", asked["message_id"], *(["--type", kind] if kind else [])]
    options = options if "--from" in options else ("--from", "codex", *options)
    body = example_body(kind or dict(ANSWERED).get(asked["type"], "notification"))
    receipt: dict[str, Any] = desk.tell(*words, *options, given=body.encode())
    return receipt


@pytest.mark.parametrize(("kind", "usual"), ANSWERED)
def test_the_usual_type_answers(desk: Desk, kind: str, usual: str) -> None:
    reply = answer(desk, ask(desk, kind))
    assert (reply["type"], reply["from"], reply["to"]) == (usual, "codex", "claude")


def test_an_answer_stands_in_its_thread(desk: Desk) -> None:
    asked = ask(desk)
    reply = answer(desk, asked)
    assert reply["conversation_id"] == asked["conversation_id"]
    assert desk.rows(agent="claude")[0]["parent_message_id"] == asked["message_id"]
    assert reply["subject"] == "Re: Hello"


def test_an_answer_to_an_answer_keeps_its_subject(desk: Desk) -> None:
    again = answer(desk, answer(desk, ask(desk)), "--from", "claude")
    assert (again["subject"], again["to"]) == ("Re: Hello", "codex")


def test_a_long_subject_stays_within_its_bound(desk: Desk) -> None:
    reply = answer(desk, ask(desk, "question", "-s", "x" * 200))
    assert reply["subject"] == "Re: " + "x" * 196


PRIORITIES = [
    ("handoff", "handoff_complete", "P0"),
    ("review_request", "review_feedback", "P0"),
    ("review_request", "review_lgtm", "P0"),
    ("review_feedback", "review_addressed", "P0"),
    ("brainstorm_request", "brainstorm_followup", "P0"),
    ("question", "notification", "P2"),
]


@pytest.mark.parametrize(("kind", "reply", "priority"), PRIORITIES)
def test_some_answers_take_their_parent_s_priority(
    desk: Desk, kind: str, reply: str, priority: str
) -> None:
    assert answer(desk, ask(desk, kind, "--priority", "P0"), kind=reply)["priority"] == priority


def test_what_is_said_wins_over_what_is_filled_in(desk: Desk) -> None:
    more = ("--to", "gemini", "--subject", "Other", "--priority", "P3", "--conversation-id", "c")
    reply = answer(desk, ask(desk), *more)
    assert (reply["to"], reply["subject"], reply["priority"]) == ("gemini", "Other", "P3")
    assert reply["conversation_id"] == "c"


def test_a_beginning_of_the_id_is_enough(desk: Desk) -> None:
    asked = ask(desk)
    desk.tell("reply", asked["message_id"][:-1], "--from", "codex", "-b", "Yes.")
    assert desk.rows(agent="claude")[0]["parent_message_id"] == asked["message_id"]


def test_context_keys_are_not_taken_over_unasked(desk: Desk) -> None:
    asked = ask(desk, "question", "--context-keys", "pr:42")
    reply = answer(desk, asked)
    texts = [Path(one["inbox_path"]).read_text() for one in (asked, reply)]
    assert ["pr:42" in text for text in texts] == [True, False]


def test_an_answer_to_what_one_sent_oneself_goes_to_the_others(desk: Desk) -> None:
    assert answer(desk, ask(desk), "--from", "claude")["to"] == "codex"


def test_an_unreadable_file_can_t_be_answered(desk: Desk) -> None:
    desk.drop("bad.yaml", text="a: [")
    _, error = desk.fail("reply", "bad.yaml", "--from", "codex", "-b", "Yes.")
    assert '""' not in error["details"]


# -- thread ----------------------------------------------------------------------------------------


def test_a_thread_is_drawn_as_a_tree(desk: Desk) -> None:
    asked = ask(desk)
    answer(desk, answer(desk, asked), "--from", "claude")
    assert desk.say("thread", asked["conversation_id"]).out.split("\n") == [
        asked["conversation_id"],
        "  claude → codex  question: Hello",
        "    codex → claude  notification: Re: Hello",
        "      claude → codex  notification: Re: Hello",
        "",
    ]


def test_a_thread_names_who_owes_an_answer(desk: Desk) -> None:
    asked = ask(desk, "task_request", "--to", "codex,gemini")
    assert desk.tell("thread", asked["conversation_id"])["owed"] == [
        {"id": asked["message_id"], "owing": ["codex", "gemini"]}
    ]
    answer(desk, asked)
    assert desk.tell("thread", asked["conversation_id"])["owed"][0]["owing"] == ["gemini"]
    assert "waits for gemini" in desk.say("thread", asked["message_id"]).out
    answer(desk, asked, "--from", "gemini")
    assert desk.tell("thread", asked["conversation_id"])["owed"] == []


def test_a_message_is_in_its_thread_once_whoever_has_it(desk: Desk) -> None:
    asked = ask(desk, "question", "--to", "codex,gemini")
    desk.tell("done", asked["message_id"], "--agent", "codex")
    rows = desk.tell("thread", asked["message_id"])["messages"]
    assert [row["id"] for row in rows] == [asked["message_id"]]


def test_a_thread_without_a_name_follows_the_parents(desk: Desk) -> None:
    desk.drop("a.yaml", id="msg-1")
    desk.drop("b.yaml", id="msg-2", parent_message_id="msg-1")
    rows = desk.tell("thread", "msg-2")["messages"]
    assert [row["id"] for row in rows] == ["msg-1", "msg-2"]


def test_a_circle_of_parents_does_not_hang(desk: Desk) -> None:
    desk.drop("a.yaml", id="msg-1", parent_message_id="msg-2", conversation_id="c")
    desk.drop("b.yaml", id="msg-2", parent_message_id="msg-1", conversation_id="c")
    assert desk.say("thread", "c").out.count("alien → codex") >= 2


@pytest.mark.parametrize("wanted", ["", "msg-"])
def test_a_word_that_means_several_threads_is_refused(desk: Desk, wanted: str) -> None:
    desk.drop("a.yaml", id="msg-1")
    desk.drop("b.yaml", id="msg-2")
    assert desk.fail("thread", wanted)[0] in (2, 3)


def test_an_id_is_enough_for_its_thread(desk: Desk) -> None:
    desk.drop("a.yaml")
    assert desk.tell("thread", ALIEN["id"][:-2])["messages"][0]["id"] == ALIEN["id"]
