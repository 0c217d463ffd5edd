"""What an enrolled peer may say and should not: each gets its answer, and nobody else notices."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from live.ears import run
from live.mallory import Fields, Mallory, Stage, stage
from waypost.carriers.quic.codes import Code
from waypost.errors import PeerError

NOBODY = "ed25519." + "0" * 32
QUESTION: Fields = {"question": "Swimming?"}


def scene(tell: Callable[[Stage, Mallory], Awaitable[None]]) -> Callable[[Path], None]:
    """A story on a stage where mallory has said hello."""

    def test(tmp_path: Path) -> None:
        async def told() -> None:
            async with stage(tmp_path) as set_up:
                await tell(set_up, await (await set_up.mallory()).hello())

        run(told())

    test.__name__, test.__doc__ = tell.__name__, tell.__doc__
    return test


def test_nobody_is_heard_before_its_hello(tmp_path: Path) -> None:
    async def story() -> None:
        async with stage(tmp_path) as set_up:
            mallory = await set_up.mallory()
            mallory.tell(mallory.envelope("notify", {"topic": "too.early"}))
            for kind in ("query", "ping", "discover", "delegate"):
                payload = {"query": QUESTION, "delegate": {"task": "?"}}.get(kind, {})
                assert await mallory.error(mallory.envelope(kind, payload)) == "not_authorized"
            await mallory.hello()
            assert (await mallory.ask(mallory.envelope("ping", {})))["kind"] == "pong"
            assert set_up.heard == []

    run(story())


@scene
async def test_another_sender_or_recipient_than_the_proven_ones_is_refused(
    set_up: Stage, mallory: Mallory
) -> None:
    for forged in ({"from": set_up.kit.id}, {"from": NOBODY}, {"to": NOBODY}):
        query = mallory.envelope("query", QUESTION, **forged)
        assert await mallory.error(query) == "not_authorized"
        mallory.tell(mallory.envelope("notify", {"topic": "forged"}, **forged))
    assert (await mallory.ask(mallory.envelope("query", QUESTION)))["kind"] == "response"
    assert set_up.heard == ["Swimming?"]


@scene
async def test_two_messages_on_a_stream_cost_the_stream(set_up: Stage, mallory: Mallory) -> None:
    twice = json.dumps(mallory.envelope("query", QUESTION)).encode() * 2
    assert await mallory.raw.refusal(mallory.raw.send(twice)) == Code.DROPPED
    assert (await mallory.ask(mallory.envelope("ping", {})))["kind"] == "pong"
    assert set_up.heard == []


@scene
async def test_a_request_that_comes_again_is_refused(set_up: Stage, mallory: Mallory) -> None:
    query = mallory.envelope("query", QUESTION)
    assert (await mallory.ask(query))["kind"] == "response"
    assert await mallory.error(query) == "invalid_envelope"
    again = await (await set_up.mallory()).hello()  # over another connection, too
    assert await again.error(query) == "invalid_envelope"
    assert set_up.heard == ["Swimming?"]


@scene
async def test_a_notification_that_comes_again_is_heard_once(
    set_up: Stage, mallory: Mallory
) -> None:
    note = mallory.envelope("notify", {"topic": "home.door"})
    for _ in range(3):
        mallory.tell(note)
    assert (await mallory.ask(mallory.envelope("query", QUESTION)))["kind"] == "response"
    assert sorted(set_up.heard) == ["Swimming?", "home.door"]


@scene
async def test_a_delegation_that_comes_again_is_done_once(set_up: Stage, mallory: Mallory) -> None:
    task = mallory.envelope("delegate", {"task": "Tell her", "report_back": False})
    answers = [(await mallory.ask(task))["payload"] for _ in range(3)]
    assert answers == [{"accepted": True}] * 3
    other = {**task, "payload": {"task": "Tell him"}}
    assert await mallory.error(other) == "invalid_envelope"
    assert set_up.heard == ["Tell her"]


@scene
async def test_answers_that_nobody_asked_for_change_nothing(
    set_up: Stage, mallory: Mallory
) -> None:
    strange = str(mallory.envelope("ping", {})["id"])
    answers: dict[str, Fields] = {
        "pong": {"status": "idle"},
        "response": {"summary": "Yes."},
        "ack": {"accepted": True},
        "result": {"status": "completed", "outcome": "Done."},
        "error": {"code": "internal", "message": "no"},
    }
    for kind, payload in answers.items():
        mallory.tell(mallory.envelope(kind, payload, ref=strange))
        unasked = mallory.envelope(kind, payload, ref=strange)
        assert await mallory.error(unasked) == "invalid_envelope"
    assert set_up.heard == []


@scene
async def test_an_answer_to_another_request_ends_the_call_as_what_it_is(
    set_up: Stage, mallory: Mallory
) -> None:
    asking = asyncio.ensure_future(set_up.family.ask("mallory", "And you?", timeout=5))
    stream, question = await mallory.asked()
    strange = mallory.envelope("response", {"summary": "Yes."}, ref=mallory.envelope("x", {})["id"])
    mallory.raw.quic.send_stream_data(stream, json.dumps(strange).encode(), True)
    mallory.raw.flush()
    with pytest.raises(PeerError, match="another request"):
        await asking
    assert question["payload"]["question"] == "And you?"


@scene
async def test_a_task_that_ends_and_whose_ack_is_lost_is_done(
    set_up: Stage, mallory: Mallory
) -> None:
    giving = asyncio.ensure_future(set_up.family.delegate("mallory", "Paint it", timeout=5))
    _, task = await mallory.asked()
    result = {"status": "completed", "outcome": "It is green."}
    mallory.tell(mallory.envelope("result", result, ref=task["id"]))
    mallory.raw.quic.close()
    mallory.raw.flush()
    assert (await (await giving).result()).outcome == "It is green."


@scene
async def test_what_is_no_acp_is_answered_where_it_can_be(set_up: Stage, mallory: Mallory) -> None:
    whole = mallory.envelope("query", QUESTION)
    assert await mallory.error({**whole, "kind": "gossip"}) == "unknown_kind"
    assert await mallory.error({**whole, "v": 2}) == "incompatible_version"
    assert await mallory.error({**whole, "payload": {}}) == "invalid_envelope"
    for nonsense in (b"", b"{", b"[]", b"\xff\xfe", b"nonsense", b"[" * 60_000):
        assert await mallory.raw.refusal(mallory.raw.send(nonsense)) == Code.DROPPED
    assert set_up.heard == []


@scene
async def test_bad_manners_fill_no_memory(set_up: Stage, mallory: Mallory) -> None:
    async def be_rude(times: int) -> int:
        for _ in range(times):
            forged = mallory.envelope("query", QUESTION, to=NOBODY)
            await mallory.error(forged)
            mallory.tell(mallory.envelope("pong", {"status": "idle"}, ref=forged["id"]))
            mallory.raw.quic.reset_stream(mallory.raw.send(b'{"v":', ends=False), 7)
            mallory.raw.send(b"{}{}", pushes=True)
        assert await set_up.is_well()
        return set_up.blocks()

    before = await be_rude(100)
    assert await be_rude(300) - before < 3 * 300  # of 1,200 messages, not three blocks a round
