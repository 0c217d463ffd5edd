"""`oacp watch --follow --exec`: a program is woken for each message, whatever it makes of it."""

import os
import signal
from pathlib import Path

import pytest

from commands.desk import Desk, desk
from commands.follower import follow

__all__ = ["desk"]
BIG = "x" * 900_000


def is_running(pid: int) -> bool:
    """Whether a process is there and no mere remainder of one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_urgent_mail_wakes_first_and_the_rest_in_processing_order(desk: Desk) -> None:
    for priority in ("P3", "P1", "P0"):
        desk.drop(f"{priority}.yaml", id=f"msg-{priority}", priority=priority)
    with follow("--since", "epoch", "--exec", "echo $OACP_MESSAGE_ID") as watch:
        assert [watch.hear() for _ in range(3)] == ["msg-P0", "msg-P1", "msg-P3"]


def test_the_program_reads_the_very_message_and_finds_its_fields_around_it(desk: Desk) -> None:
    path = desk.drop("a.yaml", subject="Who; $(am) I?")
    program = 'cmp - "$OACP_MESSAGE_FILE" && echo "$OACP_FROM $OACP_TYPE $OACP_SUBJECT"'
    with follow("--since", "epoch", "--exec", program) as watch:
        assert watch.hear() == "alien notification Who; $(am) I?"
    assert path.exists()


def test_a_failing_program_is_told_about_and_its_mail_stays(desk: Desk) -> None:
    path = desk.drop("a.yaml", id="msg-a")
    with follow("--since", "epoch", "--exec", "exit 3") as watch:
        assert watch.complaint() == "ERROR: the program failed on msg-a (exit code 3)"
        assert "stays in the inbox" in watch.complaint()
        desk.drop("b.yaml", id="msg-b")
        assert "msg-b" in watch.complaint()
    assert path.exists()


def test_a_program_that_was_told_of_a_message_is_not_woken_for_it_again(desk: Desk) -> None:
    desk.drop("a.yaml", id="msg-a")
    with follow("--since", "epoch", "--exec", "echo $OACP_MESSAGE_ID") as watch:
        assert watch.hear() == "msg-a"
        desk.drop("b.yaml", id="msg-b")
        assert watch.hear() == "msg-b"  # so the first is noted
    with follow("--exec", "echo $OACP_MESSAGE_ID") as watch:
        desk.drop("c.yaml", id="msg-c", priority="P3")
        assert watch.hear() in ("msg-b", "msg-c")  # the second may have been cut off


@pytest.mark.parametrize("program", ["true", "exec <&-", "head -c 1 > /dev/null"])
def test_a_program_may_leave_a_large_message_unread(desk: Desk, program: str) -> None:
    desk.drop("big.yaml", id="msg-big", priority="P0", body=BIG)
    desk.drop("next.yaml", id="msg-next")
    with follow("--since", "epoch", "--exec", f"echo $OACP_MESSAGE_ID; {program}") as watch:
        assert [watch.hear(), watch.hear()] == ["msg-big", "msg-next"]


def test_what_a_program_leaves_running_holds_nobody_up(desk: Desk) -> None:
    desk.drop("big.yaml", id="msg-big", priority="P0", body=BIG)
    desk.drop("next.yaml", id="msg-next")
    lingering = "exec 3<&0; sleep 60 <&3 3<&- >/dev/null 2>&1 & echo $! $OACP_MESSAGE_ID"
    with follow("--since", "epoch", "--exec", lingering) as watch:
        heard = [watch.hear().split() for _ in range(2)]
    for pid, _ in heard:
        os.kill(int(pid), signal.SIGKILL)
    assert [name for _, name in heard] == ["msg-big", "msg-next"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_watch_that_is_ended_takes_the_program_and_its_children_along(
    desk: Desk, number: int
) -> None:
    desk.drop("a.yaml", id="msg-a")
    program = "sleep 60 & echo $$ $!; wait; echo never"
    with follow("--since", "epoch", "--exec", program) as watch:
        pids = [int(word) for word in watch.hear().split()]
        assert watch.end(number) == 130
        assert [pid for pid in pids if is_running(pid)] == []
    with follow("--exec", "echo $OACP_MESSAGE_ID") as watch:
        assert watch.hear() == "msg-a"  # it was not dealt with


def test_a_message_that_has_left_meanwhile_wakes_nobody(desk: Desk) -> None:
    desk.drop("a.yaml", id="msg-a", priority="P0")
    desk.drop("b.yaml", id="msg-b")
    desk.drop("c.yaml", id="msg-c", priority="P3")
    program = 'echo $OACP_MESSAGE_ID; rm -f "$(dirname $OACP_MESSAGE_FILE)/b.yaml"'
    with follow("--since", "epoch", "--exec", program) as watch:
        assert [watch.hear(), watch.hear()] == ["msg-a", "msg-c"]
