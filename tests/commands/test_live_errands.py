"""Asking, tasking and telling a live peer from the command line."""

import json
import os
from pathlib import Path

import pytest

from commands.town import Town, town

__all__ = ["town"]

ANSWERS = """case $WAYPOST_TASK$WAYPOST_QUESTION in
  refuse) echo 'not on Sundays' >&2; exit 75;;
  fail) echo begun; exit 75;;
  wait) echo begun; sleep 600;;
  data) echo '{"summary": "Three", "outcome": "Done.", "data": [1]}';;
  *) echo "$WAYPOST_KIND of $WAYPOST_PEER: $WAYPOST_TASK$WAYPOST_QUESTION";;
esac"""
EXEC = ("--exec", ANSWERS, "--domain", "family.calendar", "--tool", "phone")


def test_a_question_is_answered(town: Town) -> None:
    town.family(*EXEC)
    assert town.say("ask", "family", "Swim?") == (0, "query of kit: Swim?\n", "")
    assert town.say("ask", "family", "data").out == "Three\n[1]\n"
    answer = town.tell("ask", "family", "Swim?", "--max-tokens", "2")
    assert (answer["peer"], answer["summary"], answer["truncated"]) == ("family", "query of", True)


def test_a_long_question_or_task_comes_by_a_pipe(town: Town) -> None:
    town.family(*EXEC)
    long = "Swim? " * 2000
    assert long.strip() in town.say("ask", "family", given=long.encode()).out
    assert long.strip() in town.say("delegate", "family", "-", "--wait", given=long.encode()).out


def test_what_is_too_long_or_missing_is_refused_before_anything_is_dialled(town: Town) -> None:
    assert town.say("ask", "family", "-", given=b"x" * 70_000).code == 5
    assert town.say("ask", "family", "-", given=b"\xff").code == 1
    assert town.fail("delegate", "family", "?", "--context", "[1]") == (2, "usage")
    assert town.fail("ask", "family", "?", "--timeout", "soon") == (2, "usage")


def test_a_task_is_waited_for(town: Town) -> None:
    town.family(*EXEC)
    said = town.say("delegate", "family", "data", "--wait")
    assert (said.code, said.out) == (0, "Done.\n[1]\n")
    assert said.err.startswith("family has taken task ")
    told = town.tell("delegate", "family", "call", "--wait", "--urgent")
    assert told["result"]["outcome"] == "delegate of kit: call"


def test_a_task_that_fails_or_is_refused_has_its_exit_code(town: Town) -> None:
    town.family(*EXEC)
    assert town.say("delegate", "family", "fail", "--wait").code == 1
    assert town.fail("delegate", "family", "refuse") == (6, "refused")
    late = ("delegate", "family", "wait", "--wait", "--deadline", "0.3")
    assert town.fail(*late) == (6, "timeout")


def test_without_a_listener_the_command_says_that_the_result_finds_nobody(town: Town) -> None:
    town.family("--exec", "echo begun; sleep 600")
    said = town.say("delegate", "family", "call")
    assert said.out.startswith("family has taken task ")
    assert "warning: nobody listens as kit" in said.err
    assert town.tell("delegate", "family", "call", "--no-report")["listener"] is False


def test_without_waiting_the_result_goes_to_the_listener(town: Town, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    town.family("--exec", f"echo begun; read word < {tmp_path}/gate; echo $word")
    kit = town.listen("kit")
    town.tell("peers", "add", kit.token, "--name", "kit", "--as", "family")
    said = town.say("delegate", "family", "call")
    assert "the result goes to the listener of kit" in said.err
    (tmp_path / "gate").write_text("done\n")
    end = kit.next()
    assert (end["event"], end["outcome"]) == ("result", "begun\ndone")
    assert said.out == f"family has taken task {end['id']}\n"


def test_a_task_is_called_off_once(town: Town) -> None:
    town.family(*EXEC)
    job = town.tell("delegate", "family", "wait")
    assert town.tell("ping", "family")["active_tasks"] == 1
    cancelled = town.tell("cancel", "family", job["id"], "--reason", "plans changed")
    assert (cancelled["id"], cancelled["cancelled"]) == (job["id"], True)
    assert town.tell("ping", "family")["active_tasks"] == 0
    assert town.fail("cancel", "family", job["id"]) == (1, "conflict")


def test_news_is_told_to_one_or_to_all(town: Town) -> None:
    family = town.family()
    assert town.say("notify", "family", "home.state", '{"door": "open"}').out == "told family\n"
    heard = family.next()
    assert (heard["event"], heard["topic"], heard["peer"]) == ("notify", "home.state", "kit")
    assert heard["data"] == {"door": "open"}
    town.tell("peers", "add", _nowhere(town), "--name", "away")
    said = town.say("notify", "*", "release", "1.4 is out", "--json")
    assert (said.code, said.objects[0]["sent"]) == (6, ["family"])
    assert said.objects[0]["failed"]["away"]["error"] == "unreachable"
    assert family.next()["data"] == "1.4 is out"


def _nowhere(town: Town) -> str:
    token: str = town.tell("peers", "token", "--as", "away")["token"]
    return token.partition("@")[0] + "@127.0.0.1:9"


def test_who_is_there_and_what_it_can_do(town: Town) -> None:
    town.family(*EXEC)
    status = town.tell("ping", "family")
    assert (status["status"], status["agent_name"]) == ("idle", "family")
    assert town.tell("discover", "family")["tools"] == ["phone"]
    (card,) = town.tell("who", "family.calendar.swim")
    assert card["peer"] == "family"
    assert town.tell("who", "bank") == []
    assert town.say("who", "family.calendar").out == "family: family.calendar  tools: phone\n"
    assert "domains: family.calendar\n" in town.say("discover", "family").out
    begun = status["peer_id"][:14]  # the beginning of an id will do
    assert town.say("ping", begun).out.startswith("family is idle, 0 at work, up ")


@pytest.mark.parametrize("words", [["ask", "famly", "?"], ["ping", "famly"], ["discover", "famly"]])
def test_a_near_name_is_suggested(town: Town, words: list[str]) -> None:
    town.tell("peers", "add", _nowhere(town), "--name", "family")
    said = town.say(*words)
    assert (said.code, said.out) == (3, "")
    assert 'hint:  did you mean "family"?' in said.err


def test_a_domain_of_others_is_told_with_what_is_handled(town: Town) -> None:
    town.family(*EXEC)
    said = town.say("ask", "family", "Rates?", "--domain", "bank")
    assert said.code == 3
    assert "handled are: family.calendar" in said.err


def test_a_secret_stays_at_home(town: Town) -> None:
    town.family(*EXEC)
    token = "ghp_" + "a1B2" * 9
    assert town.fail("ask", "family", f"is {token} good?") == (5, "secret_detected")
    said = town.say("ask", "family", f"is {token} good?", "--allow-secrets")
    assert said.code == 1  # the answer repeats it, and family's listener refuses to


def test_nobody_there_is_told_at_once(town: Town) -> None:
    town.tell("peers", "add", _nowhere(town), "--name", "away")
    assert town.fail("ask", "away", "?") == (6, "unreachable")


def test_answers_reach_the_terminal_harmless(town: Town) -> None:
    town.family("--exec", r"printf 'red \033[31mred\n'")
    assert town.say("ask", "family", "?").out == "red \\u001b[31mred\n"
    assert json.loads(town.say("ask", "family", "?", "--json").out)["summary"] == "red \x1b[31mred"
