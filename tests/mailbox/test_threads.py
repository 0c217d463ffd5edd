"""Conversations of messages that say little of where they belong."""

from commands.desk import Desk, desk

__all__ = ["desk"]


def drop_chain(desk: Desk, *ids: str, **fields: str) -> None:
    """Messages of which each answers the one before."""
    for parent, name in zip(("", *ids), ids, strict=False):
        desk.drop(f"{name}.yaml", id=name, parent_message_id=parent, **fields)


def thread(desk: Desk, wanted: str) -> list[str]:
    return [row["id"] for row in desk.tell("thread", wanted)["messages"]]


def test_a_long_chain_without_a_conversation_is_one_thread(desk: Desk) -> None:
    names = [f"msg-{letter}" for letter in "dbeac"]  # the files lie in another order
    drop_chain(desk, *names)
    for name in names:
        assert sorted(thread(desk, name)) == sorted(names)


def test_a_chain_below_a_conversation_belongs_to_it(desk: Desk) -> None:
    desk.drop("z.yaml", id="msg-z", conversation_id="conv-20260313-alien-001")
    desk.drop("y.yaml", id="msg-y", parent_message_id="msg-z")
    desk.drop("x.yaml", id="msg-x", parent_message_id="msg-y")
    assert sorted(thread(desk, "conv-20260313-alien-001")) == ["msg-x", "msg-y", "msg-z"]


def test_answers_to_what_nobody_has_are_together(desk: Desk) -> None:
    for name in "ab":
        desk.drop(f"{name}.yaml", id=f"msg-{name}", parent_message_id="msg-gone")
    assert len(thread(desk, "msg-gone")) == 2


def test_a_circle_without_a_conversation_is_one_thread(desk: Desk) -> None:
    for name, parent in ("ab", "bc", "ca"):
        desk.drop(f"{name}.yaml", id=f"msg-{name}", parent_message_id=f"msg-{parent}")
    assert len(thread(desk, "msg-b")) == 3


def test_a_deep_conversation_is_drawn_to_its_end(desk: Desk) -> None:
    drop_chain(desk, *(f"msg-{n:04}" for n in range(1500)), conversation_id="c", type="question")
    assert desk.say("thread", "c").out.count("alien → codex") == 1500
    assert "… and 1492 more that wait for an answer" in desk.say().out
