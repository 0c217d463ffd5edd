"""Questions and their answers."""

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
