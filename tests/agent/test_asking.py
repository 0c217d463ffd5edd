"""Questions and their answers."""

from pathlib import Path

import pytest
from live_worlds import World, story

from waypost import Agent, Refused
from waypost.agent import Answer, Query
from waypost.errors import NotAuthorizedError, NotFoundError, PeerFailedError, UnknownDomainError


def family() -> Agent:
    """An agent that knows of calendars."""
    agent = Agent("family")

    @agent.query("family.*")
    async def swim(query: Query) -> object:
        return {"summary": "Mon/Wed/Fri 4-5pm", "data": {"asked": query.question}}

    @agent.query("family.secrets")
    async def refuse(query: Query) -> object:
        raise Refused("I don't have access to that calendar")

    @agent.query("family.broken")
    async def fail(query: Query) -> object:
        raise ValueError("the trace stays in the log")

    return agent


@story
async def test_a_question_is_answered(world: World) -> None:
    async with world.both(Agent("kit"), family()) as (kit, _):
        answer = await kit.ask("family", "Swimming?", domain="family.calendar", max_tokens=200)
        assert answer == Answer("Mon/Wed/Fri 4-5pm", {"asked": "Swimming?"}, 10)


@story
async def test_a_domain_that_nobody_handles_is_refused_with_those_that_are(world: World) -> None:
    async with world.both(Agent("kit"), family()) as (kit, _):
        with pytest.raises(UnknownDomainError, match=r"handled are: family\.\*"):
            await kit.ask("family", "Rates?", domain="bank")


@story
async def test_a_handler_may_refuse(world: World) -> None:
    async with world.both(Agent("kit"), family()) as (kit, _):
        with pytest.raises(NotAuthorizedError, match="access to that calendar"):
            await kit.ask("family", "Presents?", domain="family.secrets")


@story
async def test_a_broken_handler_keeps_its_trace_to_itself(world: World) -> None:
    async with world.both(Agent("kit"), family()) as (kit, _):
        with pytest.raises(PeerFailedError) as failure:
            await kit.ask("family", "?", domain="family.broken")
        assert "trace" not in str(failure.value.to_json())


@story
async def test_a_stranger_s_name_is_not_found(world: World) -> None:
    async with world.both(Agent("kit"), family()) as (kit, _):
        with pytest.raises(NotFoundError) as failure:
            await kit.ask("famly", "?")
        assert failure.value.hint == 'did you mean "family"?'


@story
async def test_an_answer_over_the_budget_is_cut_and_marked_but_never_its_data(world: World) -> None:
    agent, data = Agent("family"), {"days": ["Mon", "Wed", "Fri"]}

    @agent.query
    async def tell(query: Query) -> object:
        counted = {"tokens_used": 3} if query.question == "counted" else {}
        return {"summary": "four characters are a token", "data": data, **counted}

    async with world.both(Agent("kit"), agent) as (kit, _):
        cut = await kit.ask("family", "?", max_tokens=4)
        assert (cut.summary, cut.truncated, cut.data) == ("four characters ", True, data)
        whole = await kit.ask("family", "counted", max_tokens=4)
        assert (whole.truncated, whole.tokens_used) == (False, 3)


@story
async def test_a_handler_knows_its_budget_and_how_long_somebody_waits(world: World) -> None:
    agent = Agent("family")

    @agent.query
    async def tell(query: Query) -> str:
        return f"{query.max_tokens} {query.domain} {0 < query.deadline <= 7} {query.peer}"

    async with world.both(Agent("kit"), agent) as (kit, _):
        answer = await kit.ask("family", "?", domain="a.b", max_tokens=90, timeout=7)
        assert answer.summary == "90 a.b True kit"


def test_the_trace_of_a_broken_handler_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    test_a_broken_handler_keeps_its_trace_to_itself(tmp_path)
    assert "the trace stays in the log" in caplog.text
