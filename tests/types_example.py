"""How a program uses the typed forms; type checkers read this file, and a test runs it."""

from typing import assert_type

import waypost
from waypost.types import Handoff, Query, TaskAssignment


def next_steps(data: bytes) -> list[str]:
    """What the new owner of a task could do first."""
    handoff = waypost.parse(data).typed(Handoff)
    assert_type(handoff, Handoff)
    assert_type(handoff["from"], str)
    body = handoff["body"]
    if isinstance(body, str):  # a text that is no mapping, as some writers send
        return [body]
    return body["context_bundle"]["suggested_next_steps"]


def question_of(data: bytes) -> tuple[str, int]:
    """A query's question, and when it was asked."""
    query = waypost.parse(data, "acp").typed(Query)
    assert_type(query["ts"], int)
    assert_type(query["payload"]["question"], str)
    return query["payload"]["question"], query["ts"]


def task_of(data: bytes) -> str:
    """Which task is given."""
    assignment = waypost.parse(data, "agentmail").typed(TaskAssignment)
    return assignment["task_id"]
