"""The rules of a connection, one story each."""

import json
from typing import Any

import pytest
from wires import FAMILY, KIT, QUESTION, Pair, greet, stamp

from waypost.dialects.acp.events import Answer, Dropped, Greeting, Held, Refusal, Told
from waypost.dialects.acp.wire import NOBODYS_ID
from waypost.errors import InvalidMessageError, SecretDetectedError, TooLargeError

LONG = "x" * 70_000


def changed(data: bytes, **fields: Any) -> bytes:
    """A message with other fields, written again."""
    return json.dumps({**json.loads(data), **fields}).encode()


def test_a_question_gets_its_answer() -> None:
    pair = Pair()
    exchange, data = pair.ask()
    answer = pair.answered(exchange, pair.answer(pair.arrives(data)))
    assert isinstance(answer, Answer)
    assert (answer.kind, answer.late) == ("response", False)
    assert answer.message["ref"] == exchange


# -- hello ---------------------------------------------------------------------------------


def test_a_request_before_the_hello_is_not_authorized() -> None:
    early = Pair(greeted=False)
    _, data = Pair().ask()
    assert early.refused(data)[0] == "not_authorized"


def test_what_comes_one_way_before_the_hello_is_dropped() -> None:
    early = Pair(greeted=False)
    data = Pair().left.tell("notify", {"topic": "home"}, stamp())
    assert isinstance(early.right.told(data, 0.0), Dropped)


def test_what_overtakes_the_answering_hello_is_held_but_not_without_end() -> None:
    early, other = Pair(greeted=False), Pair()
    news = other.right.tell("notify", {"topic": "t", "data": "x" * 60_000}, stamp())
    held = [early.left.told(news, 0.0) for _ in range(18)]
    assert [type(event) for event in held] == [Held] * 17 + [Dropped]
    data = other.right.ask("query", QUESTION, stamp(), 30.0)
    assert isinstance(early.left.asked(data, 0.0), Refusal)
    greet(early.left, early.right, 0.1)
    assert early.left.asked(data, 0.2).kind == "query"  # type: ignore[union-attr]


def test_without_a_hello_the_connection_is_over_after_five_seconds() -> None:
    early = Pair(greeted=False)
    assert early.right.due() == 5.0
    assert not early.right.is_over(5.0)
    assert early.right.is_over(5.1)
    assert not Pair().right.is_over(99.0)


def test_a_peer_of_another_version_is_told() -> None:
    early = Pair(greeted=False)
    hello = json.loads(early.left.hello({}, stamp()))
    hello["payload"]["protocol_versions"] = [2, 3]
    assert early.refused(json.dumps(hello).encode())[0] == "incompatible_version"


def test_an_unfit_answer_to_the_hello_opens_nothing() -> None:
    early, new = Pair(greeted=False), stamp()
    greeting = early.right.asked(early.left.hello({}, new), 0.0)
    assert isinstance(greeting, Greeting)
    welcome = early.right.welcome(greeting, {}, stamp())
    chosen = {"protocol_versions": [1], "selected_version": 2}
    assert isinstance(
        early.left.answered(new.id, changed(welcome or b"", payload=chosen), 0.1), Dropped
    )
    assert not early.left.is_ready


# -- who, and what -------------------------------------------------------------------------

FAULTS = [
    ({"from": FAMILY}, "not_authorized"),
    ({"to": KIT}, "not_authorized"),
    ({"v": 2}, "incompatible_version"),
    ({"kind": "gossip"}, "unknown_kind"),
    ({"payload": {}}, "invalid_envelope"),
    ({"ts": "now"}, "invalid_envelope"),
    ({"kind": "notify", "payload": {"topic": "home"}}, "invalid_envelope"),
    ({"from": FAMILY, "kind": "gossip", "payload": 7}, "not_authorized"),
]


@pytest.mark.parametrize(("fields", "code"), FAULTS)
def test_a_faulty_request_gets_its_error(fields: dict[str, Any], code: str) -> None:
    pair = Pair()
    exchange, data = pair.ask()
    assert pair.refused(changed(data, **fields)) == (code, exchange)


def test_a_request_without_an_id_is_answered_all_the_same() -> None:
    pair = Pair()
    _, data = pair.ask()
    assert pair.refused(changed(data, id="first")) == ("invalid_envelope", NOBODYS_ID)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"v":1} {}', LONG.encode()])
def test_what_is_no_message_costs_its_stream(data: bytes) -> None:
    pair = Pair()
    assert isinstance(pair.right.asked(data, 0.0), Dropped)
    assert isinstance(pair.right.told(data, 0.0), Dropped)


def test_both_forms_of_an_id_are_read() -> None:
    pair = Pair()
    _, data = pair.ask()
    assert pair.arrives(changed(data, **{"from": "1" * 32, "to": "f" * 32})).kind == "query"


def test_the_refusal_is_a_message_that_the_peer_reads() -> None:
    pair = Pair()
    exchange, data = pair.ask()
    event = pair.right.asked(changed(data, kind="gossip"), 0.0)
    assert isinstance(event, Refusal)
    answer = pair.answered(exchange, pair.right.refuse(event.fault, stamp()))
    assert isinstance(answer, Answer)
    assert answer.message["payload"]["code"] == "unknown_kind"


# -- once, and in time ---------------------------------------------------------------------


def test_a_request_is_answered_once() -> None:
    pair = Pair()
    request = pair.arrives(pair.ask()[1])
    pair.answer(request)
    assert pair.right.answer(request.number, "response", {"summary": "Again"}, stamp()) is None


def test_an_answer_is_of_a_kind_that_answers() -> None:
    pair = Pair()
    request = pair.arrives(pair.ask()[1])
    with pytest.raises(ValueError, match="a pong doesn't answer a query"):
        pair.right.answer(request.number, "pong", {"status": "idle"}, stamp())


def test_an_answer_to_another_request_is_dropped() -> None:
    pair = Pair()
    (first, one), (_, two) = pair.ask(), pair.ask()
    pair.arrives(one)
    wrong = pair.answer(pair.arrives(two))
    assert isinstance(pair.answered(first, wrong), Dropped)
    assert isinstance(pair.answered(stamp().id, wrong), Dropped)


def test_an_answer_behind_the_deadline_is_late() -> None:
    pair = Pair()
    exchange, data = pair.ask(deadline=5.0)
    answer = pair.answer(pair.arrives(data))
    pair.now = 5.1
    assert pair.answered(exchange, answer).late  # type: ignore[union-attr]


def test_an_answer_after_giving_up_is_late() -> None:
    pair = Pair()
    exchange, data = pair.ask()
    answer = pair.answer(pair.arrives(data))
    pair.left.give_up(exchange)
    assert pair.answered(exchange, answer).late  # type: ignore[union-attr]


def test_deadlines_are_told_at_both_ends() -> None:
    pair = Pair()
    exchange, data = pair.ask(deadline=5.0, question="?", deadline_ms=4000)
    request = pair.arrives(data)
    assert (pair.left.due(), pair.right.due()) == (5.0, 4.0)
    assert pair.right.overdue(4.5) == [(None, request.number, "query")]
    assert pair.left.overdue(5.5) == [(exchange, None, "query")]
    assert pair.left.overdue(99.0) == []


def test_a_request_without_a_deadline_has_thirty_seconds() -> None:
    pair = Pair()
    assert pair.arrives(pair.ask("ping")[1]).deadline == 30.0
    assert pair.arrives(pair.ask(question="?", deadline_ms=0)[1]).deadline == 30.0


def test_a_message_that_comes_twice_is_taken_once() -> None:
    pair = Pair()
    note = pair.left.tell("notify", {"topic": "home"}, stamp())
    assert isinstance(pair.right.told(note, 0.0), Told)
    assert isinstance(pair.right.told(note, 0.0), Dropped)
    _, data = pair.ask()
    pair.arrives(data)
    assert pair.refused(data)[0] == "invalid_envelope"


def test_it_is_known_again_on_another_connection() -> None:
    pair = Pair()
    note = pair.left.tell("notify", {"topic": "home"}, stamp())
    pair.right.told(note, 0.0)
    again = pair.family.channel(0.0, dialled=False)
    greet(pair.kit.channel(0.0, dialled=True), again, 0.0)
    assert isinstance(again.told(note, 0.0), Dropped)


def test_an_error_that_comes_one_way_ends_an_open_exchange() -> None:
    pair = Pair()
    exchange, data = pair.ask()
    pair.arrives(data)
    error = {"code": "overloaded", "message": "Not now."}
    event = pair.left.told(pair.right.tell("error", error, stamp(), exchange), 0.1)
    assert isinstance(event, Answer)
    assert (event.id, event.kind, event.late) == (exchange, "error", False)


# -- what we send --------------------------------------------------------------------------


def test_nothing_is_asked_before_the_hello() -> None:
    with pytest.raises(RuntimeError, match="the hello comes first"):
        Pair(greeted=False).ask()


SENT: list[tuple[dict[str, Any], type[InvalidMessageError]]] = [
    ({"question": "My password=hunter2xyz!"}, SecretDetectedError),
    ({"question": LONG}, TooLargeError),
    ({"question": ""}, InvalidMessageError),
    ({"question": "?", "max_tokens": -1}, InvalidMessageError),
    ({"question": "?", "extra": float("nan")}, InvalidMessageError),
    ({"question": "\ud800"}, InvalidMessageError),
    ({"question": "?", "extra": object()}, InvalidMessageError),
]


@pytest.mark.parametrize(("payload", "kind"), SENT)
def test_what_can_t_be_sent_is_refused_at_once(
    payload: dict[str, Any], kind: type[InvalidMessageError]
) -> None:
    pair = Pair()
    with pytest.raises(kind) as failure:
        pair.ask(**payload)
    assert failure.value.problems
    assert pair.left.due() is None
