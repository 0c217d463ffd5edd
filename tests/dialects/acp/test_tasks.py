"""The rules of delegations, one story each."""

from typing import Any

from wires import FAMILY, KIT

from waypost.dialects.acp.tasks import MOST_OPEN, MOST_REMEMBERED, Reply, Report, State, Tasks

ID = "8e4a0b52-6f0d-4c39-9d1e-2b7c85a3f614"
DONE = {"status": "completed", "outcome": "Done."}
YES = {"accepted": True}


def delegation(name: str = ID, **payload: Any) -> dict[str, Any]:
    return {"id": name, "payload": {"task": "Call her", **payload}}


def take(tasks: Tasks, message: dict[str, Any], way: object = "w") -> Any:
    task, sends = tasks.offered(KIT, message, way)
    assert (task is not None, sends) == (True, [])
    return task


def error_codes(sends: list[Any]) -> list[tuple[str, str]]:
    return [(send.kind, send.payload.get("code", "")) for send in sends]


# -- tasks that came -----------------------------------------------------------------------


def test_a_task_is_acknowledged_and_ends_with_one_result() -> None:
    tasks = Tasks()
    task = take(tasks, delegation())
    assert tasks.accept(task, 5000) == [Reply("w", "ack", {**YES, "estimated_ms": 5000})]
    assert tasks.accept(task) == []
    assert tasks.finish(task, DONE) == [Report(KIT, "result", DONE, ID, "w")]
    assert tasks.finish(task, DONE) == []
    assert tasks.fail(task, "internal", "?") == []


def test_a_task_that_is_done_at_once_is_acknowledged_first() -> None:
    tasks = Tasks()
    sends = tasks.finish(take(tasks, delegation()), DONE)
    assert [send.kind for send in sends] == ["ack", "result"]


def test_without_report_back_nothing_is_told_of_the_end() -> None:
    tasks = Tasks()
    sends = tasks.finish(take(tasks, delegation(report_back=False)), DONE)
    assert [send.kind for send in sends] == ["ack"]


def test_a_refusal_before_the_ack_is_one_and_later_a_failure() -> None:
    tasks = Tasks()
    (refusal,) = tasks.refuse(take(tasks, delegation()), "refused", "No time", True)
    assert refusal.payload["accepted"] is False
    assert refusal.payload["retryable"] is True
    task = take(tasks, delegation("b" + ID[1:]))
    tasks.accept(task)
    (failure,) = tasks.refuse(task, "refused", "No time", True)
    assert (failure.kind, failure.payload["status"]) == ("result", "failed")


def test_an_error_in_place_of_the_ack_goes_on_its_stream() -> None:
    tasks = Tasks()
    (send,) = tasks.fail(take(tasks, delegation()), "internal", "broken")
    assert (send.kind, isinstance(send, Reply)) == ("error", True)


def test_a_delegation_that_comes_again_gets_the_same_answer() -> None:
    tasks = Tasks()
    task = take(tasks, delegation(), "first")
    assert tasks.offered(KIT, delegation(), "second") == (None, [])
    assert tasks.accept(task) == [Reply("first", "ack", YES), Reply("second", "ack", YES)]
    assert tasks.offered(KIT, delegation(), "third") == (None, [Reply("third", "ack", YES)])
    tasks.finish(task, DONE)
    assert tasks.offered(KIT, delegation(), "fourth") == (None, [Reply("fourth", "ack", YES)])


def test_the_same_id_with_another_task_is_refused_and_the_task_goes_on() -> None:
    tasks = Tasks()
    task = take(tasks, delegation())
    other = {"id": ID.upper(), "payload": {"task": "Something else"}}
    none, sends = tasks.offered(KIT, other, "w2")
    assert none is None
    assert error_codes(sends) == [("error", "invalid_envelope")]
    assert task.state is State.OFFERED


def test_two_peers_may_use_the_same_id() -> None:
    tasks = Tasks()
    take(tasks, delegation())
    other, sends = tasks.offered(FAMILY, delegation(task="Another"), "w2")
    assert (other is not None, sends) == (True, [])


def test_a_peer_has_only_so_many_tasks_open_and_so_many_remembered() -> None:
    tasks = Tasks()
    taken = [take(tasks, delegation(f"{number}")) for number in range(MOST_OPEN)]
    none, sends = tasks.offered(KIT, delegation("more"), "w")
    assert none is None
    assert sends[0].payload["retryable"] is True
    for task in taken:
        tasks.finish(task, DONE)
    assert len(tasks._book(KIT).ended_taken) == MOST_REMEMBERED


def test_a_task_that_may_still_be_done_stays_open_after_its_time() -> None:
    tasks = Tasks()
    task = take(tasks, delegation())
    assert error_codes(tasks.leave_open(task, "it was read")) == [("error", "timeout")]
    assert tasks.finish(task, DONE) == [Report(KIT, "result", DONE, ID, "w")]


# -- cancels -------------------------------------------------------------------------------


def test_a_cancelled_task_says_so_twice() -> None:
    tasks = Tasks()
    task = take(tasks, delegation())
    tasks.accept(task)
    assert tasks.cancelled(KIT, ID, "c") == (task, [])
    sends = tasks.stopped(task, "plans changed")
    assert sends[0] == Reply("c", "ack", YES)
    assert error_codes(sends) == [("ack", ""), ("error", "cancelled")]


def test_a_task_is_stopped_once_however_often_it_is_cancelled() -> None:
    tasks = Tasks()
    task = take(tasks, delegation())
    tasks.cancelled(KIT, ID, "c1")
    assert tasks.cancelled(KIT, ID, "c2") == (None, [])
    assert [send.kind for send in tasks.stopped(task)] == ["ack", "ack", "error"]


def test_a_cancel_that_comes_too_late_is_a_no() -> None:
    tasks = Tasks()
    task = take(tasks, delegation())
    tasks.cancelled(KIT, ID, "c1")
    sends = tasks.finish(task, DONE)  # it was done before it could be stopped
    assert [send.payload.get("accepted") for send in sends] == [True, None, False]
    none, after = tasks.cancelled(KIT, ID, "c2")
    assert (none, error_codes(after)) == (None, [("ack", "too_late")])


def test_a_cancel_of_nothing_is_a_no() -> None:
    _, sends = Tasks().cancelled(KIT, ID, "c")
    assert error_codes(sends) == [("ack", "too_late")]


def test_a_cancel_that_overtakes_its_delegation_is_remembered() -> None:
    tasks = Tasks()
    tasks.cancelled(KIT, ID, "c")
    none, sends = tasks.offered(KIT, delegation(), "w")
    assert (none, error_codes(sends)) == (None, [("error", "cancelled")])


def test_only_the_peer_that_gave_a_task_can_cancel_it() -> None:
    tasks = Tasks()
    take(tasks, delegation())
    assert tasks.cancelled(FAMILY, ID, "c")[0] is None


# -- tasks that were sent ------------------------------------------------------------------


def result(name: str = ID) -> dict[str, Any]:
    return {"ref": name, "payload": DONE}


def test_a_result_ends_the_task_once() -> None:
    tasks = Tasks()
    task = tasks.sent(FAMILY, ID)
    tasks.acked(task, "ack", YES)
    assert task.state is State.TAKEN
    assert tasks.ended(FAMILY, "result", result(ID.upper())) is task
    assert task.end == ("result", DONE)
    assert tasks.ended(FAMILY, "error", result()) is True


def test_a_result_may_overtake_the_ack() -> None:
    tasks = Tasks()
    task = tasks.sent(FAMILY, ID)
    assert tasks.ended(FAMILY, "result", result()) is task
    tasks.acked(task, "ack", YES)
    assert (task.state, task.end) == (State.ENDED, ("result", DONE))


def test_a_result_that_nobody_asked_for_is_none_of_ours() -> None:
    tasks = Tasks()
    tasks.sent(FAMILY, ID)
    assert tasks.ended(KIT, "result", result()) is False


def test_a_refusal_ends_the_task() -> None:
    tasks = Tasks()
    task = tasks.sent(FAMILY, ID)
    tasks.acked(task, "ack", {"accepted": False})
    assert (task.state, tasks.open_with(FAMILY)) == (State.ENDED, False)


def test_a_task_that_was_read_but_not_answered_waits_for_its_result() -> None:
    tasks = Tasks()
    task = tasks.sent(FAMILY, ID)
    tasks.acked(task, "error", {"code": "timeout", "message": "read", "retryable": False})
    assert tasks.ended(FAMILY, "result", result()) is task


def test_a_forgotten_task_is_unasked_and_a_cancelled_one_repeated() -> None:
    tasks = Tasks()
    tasks.forget(tasks.sent(FAMILY, ID))
    assert tasks.ended(FAMILY, "result", result()) is False
    tasks.called_off(tasks.sent(FAMILY, ID))
    assert tasks.ended(FAMILY, "error", result()) is True
