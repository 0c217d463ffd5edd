"""`waypost listen` as a process of its own: it begins, serves, and ends."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from commands.terminal import PATIENCE, Said, command, environment, say
from commands.town import Town, town

__all__ = ["town"]


def refused(town: Town, *options: str) -> Said:
    """What a listener says that can't begin."""
    said = say("waypost", "listen", "--as", "family", *options, WAYPOST_HOME=str(town.home))
    assert said.out == ""
    return said


def test_it_says_where_it_listens_and_remembers(town: Town) -> None:
    family = town.listen("family")
    assert list(family.card) == ["agent", "id", "address", "token"]
    assert family.token.endswith("@" + family.card["address"])
    assert town.tell("peers", "token", "--as", "family")["token"] == family.token


def test_people_see_two_lines(town: Town) -> None:
    words = command("waypost", "listen", "--as", "family", "--on", "127.0.0.1:0")
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(WAYPOST_HOME=str(town.home)),
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("family listens at 127.0.0.1:")
        assert process.stdout.readline().startswith("token: waypost://")
        process.terminate()
        assert process.communicate(timeout=PATIENCE) == ("", "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_without_a_word(town: Town, number: signal.Signals, code: int) -> None:
    assert town.listen("family").end(number) == (code, "")


def test_a_signal_ends_its_programs_too(town: Town) -> None:
    family = town.family("--exec", "echo begun; sleep 600")
    town.tell("delegate", "family", "?")
    assert family.end() == (0, "")


def test_only_one_process_listens_for_an_agent(town: Town) -> None:
    family = town.listen("family")
    said = refused(town)
    assert (said.code, "family listens already, at " in said.err) == (1, True)
    family.process.kill()
    family.process.wait(PATIENCE)
    town.listen("family")


def test_an_address_in_use_is_told(town: Town) -> None:
    family = town.listen("other")
    said = refused(town, "--on", family.card["address"])
    assert (said.code, "address already in use" in said.err) == (1, True)


@pytest.mark.parametrize(
    "options", [["--on", "nonsense"], ["--max-tasks", "0"], ["--as", "a b"], ["--lan", "x"]]
)
def test_wrong_words_are_refused(town: Town, options: list[str]) -> None:
    assert refused(town, *options).code == 2


def test_others_can_not_find_what_only_this_machine_can_reach(town: Town) -> None:
    said = refused(town, "--on", "127.0.0.1:0", "--lan")
    assert (said.code, "--on 0.0.0.0:" in said.err) == (2, True)


def test_a_peer_enrolled_meanwhile_is_served_and_a_revoked_one_is_not(town: Town) -> None:
    town.family("--exec", "echo hi")
    assert town.say("ask", "family", "?").out == "hi\n"
    town.tell("peers", "remove", "kit", "--as", "family")
    assert town.fail("ask", "family", "?") == (4, "not_trusted")


def test_as_many_programs_run_as_may(town: Town) -> None:
    town.family("--exec", "echo begun; sleep 600", "--max-tasks", "1")
    town.tell("delegate", "family", "one")
    assert town.fail("delegate", "family", "two") == (6, "overloaded")
    assert town.tell("delegate", "family", "three", "--urgent")["accepted"] is True


def test_without_a_program_nothing_is_answered_and_nothing_taken(town: Town) -> None:
    town.family()
    assert town.fail("ask", "family", "?") == (3, "unknown_domain")
    assert town.fail("delegate", "family", "?") == (6, "refused")


def test_a_failing_program_is_logged_and_the_listener_goes_on(town: Town) -> None:
    family = town.family("--exec", "echo private >&2; exit 3")
    assert town.fail("ask", "family", "?") == (1, "internal")
    assert town.tell("ping", "family")["active_tasks"] == 0
    code, complaints = family.end()
    assert (code, "exit code 3" in complaints, "private" in complaints) == (0, True, True)


def test_a_program_acts_as_the_agent_that_it_answers_for(town: Town) -> None:
    waypost = str(command("waypost")[0])
    town.family("--exec", f"{waypost} peers token")
    token = town.tell("peers", "token", "--as", "family")["token"]
    assert town.say("ask", "family", "Who are you?").out == token + "\n"


def test_the_death_of_a_listener_lets_no_call_wait_beyond_its_time(
    town: Town, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    family = town.family("--exec", f"echo > {gate}; read word < {gate}")
    with subprocess.Popen(
        command("waypost", "ask", "family", "?", "--json", "--timeout", "3"),
        stdout=subprocess.PIPE,
        env=environment(),
    ) as asking:
        gate.read_text()  # the program is at work
        family.process.kill()
        gate.write_text("go\n")  # what it left behind ends, too
        out, _ = asking.communicate(timeout=PATIENCE)
    assert asking.returncode == 6
    assert json.loads(out)["error"] in ("lost", "timeout")  # the network may tell, or not


def test_it_is_a_peer_again_when_it_is_started_again(town: Town) -> None:
    family = town.family("--exec", "echo one")
    family.process.kill()
    family.process.wait(PATIENCE)
    assert town.fail("ask", "family", "?") == (6, "unreachable")
    again = town.listen("family", "--exec", "echo two")
    town.tell("peers", "add", again.token)  # it is at another port now
    assert town.say("ask", "family", "?").out == "two\n"
