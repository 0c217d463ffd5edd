"""Who is there, what they can do, and news: ping, discover, who can, notify; and failing fast."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from live_worlds import World, story

from waypost import Agent
from waypost.agent import Note, dialling
from waypost.carriers.keyring import Peer, Peers, identity, token_of
from waypost.carriers.links import Link
from waypost.carriers.memory import MemoryTransport
from waypost.errors import (
    LostError,
    NotTrustedError,
    TimedOutError,
    TooLargeError,
    UnreachableError,
)


def house(**card: Any) -> tuple[Agent, "asyncio.Queue[Note]"]:
    """An agent that hears of the home and below."""
    agent, heard = Agent("family", **card), asyncio.Queue[Note]()

    @agent.notify("home.*")
    async def hear(note: Note) -> None:
        heard.put_nowait(note)

    return agent, heard


class Fickle(MemoryTransport):
    """A way on which a link that was dialled has closed before anybody uses it."""

    async def dial(self, peer: Peer, me: str | None = None) -> Link:
        link = await super().dial(peer, me)
        link.close("it changed its mind")
        await asyncio.sleep(0)
        return link


@story
async def test_a_link_that_closes_as_soon_as_it_stands_is_lost(world: World) -> None:
    world.carrier = partial(Fickle, world.network)
    async with world.both(Agent("kit"), Agent("family")) as (kit, _):
        with pytest.raises(LostError):
            await kit.ping("family")


@story
async def test_the_card_is_told_without_a_handler(world: World) -> None:
    agent, _ = house(domains=["family"], tools=["calendar"], model="m", agent_name="The Family")
    async with world.both(Agent("kit"), agent) as (kit, _):
        card = await kit.discover("family")
        assert (card.peer, card.agent_name, card.model) == ("family", "The Family", "m")
        assert (card.domains, card.tools) == (("family",), ("calendar",))


@story
async def test_a_card_is_kept_for_a_while_unless_a_fresh_one_is_wanted(world: World) -> None:
    agent, _ = house(domains=["family"])
    async with world.both(Agent("kit"), agent) as (kit, _):
        await kit.discover("family")
        agent.domains = ("bank",)
        assert (await kit.discover("family")).domains == ("family",)
        assert (await kit.discover("family", fresh=True)).domains == ("bank",)


@story
async def test_the_closest_domain_comes_first(world: World) -> None:
    world.enrol("kit", "ann", "bob", "cat")
    ann, bob = Agent("ann", domains=["family"]), Agent("bob", domains=["family.calendar"])
    async with world.online(ann), world.online(bob), world.online(Agent("kit")) as kit:
        able = await kit.who_can("family.calendar.swim")  # cat is away
        assert [card.peer for card in able] == ["bob", "ann"]
        assert await kit.who_can("familiar") == []


@story
async def test_news_reaches_the_handlers_of_its_topic(world: World) -> None:
    agent, heard = house()
    async with world.both(Agent("kit"), agent) as (kit, _):
        for topic in ("home.state", "homely", "home"):
            await kit.notify(topic, {"door": "open"}, to="family", importance="high")
        first, second = await heard.get(), await heard.get()
        assert sorted([first.topic, second.topic]) == ["home", "home.state"]
        assert (first.data, first.importance, first.peer) == ({"door": "open"}, "high", "kit")
        assert heard.empty()


@story
async def test_news_for_all_tells_who_was_missed(world: World) -> None:
    agent, heard = house()
    world.enrol("kit", "family", "away")
    async with world.online(agent), world.online(Agent("kit")) as kit:
        told = await kit.notify("home.state")
        assert (told.sent, list(told.failed)) == (("family",), ["away"])
        assert isinstance(told.failed["away"], UnreachableError)
        assert (await heard.get()).data is None


@story
async def test_each_way_to_fail_has_its_own_error(world: World) -> None:
    agent, _ = house()

    @agent.query
    async def never(query: object) -> str:
        await asyncio.Event().wait()
        return ""

    async with world.both(Agent("kit"), agent) as (kit, _):
        with pytest.raises(TimedOutError):
            await kit.ask("family", "?", timeout=0.1)
        with pytest.raises(TooLargeError):
            await kit.ask("family", "x" * 70_000)
        while (await kit.ping("family")).active_tasks:
            pass  # nobody works for nobody: what was asked is stopped, a moment later


@story
async def test_a_stranger_is_refused_and_noted(world: World) -> None:
    world.enrol("kit", "family")
    mallory = identity(world.home / "mallory", "mallory")
    known = Peers(world.home / "kit", identity(world.home / "kit", "kit")).find("family")
    token = token_of(known.public_key, known.host, known.port)
    Peers(world.home / "mallory", mallory).add(token, "family")
    stranger = world.online(Agent("mallory"), listens=False)
    async with world.online(Agent("family")) as family, stranger as me:
        with pytest.raises(NotTrustedError):
            await me.ping("family")
        assert [knock.id for knock in family.peers.knocks()] == [mallory.id]


@story
async def test_nobody_at_home_is_told_at_once(world: World) -> None:
    world.enrol("kit", "family")
    async with world.online(Agent("kit")) as kit:
        with pytest.raises(UnreachableError) as failure:
            await kit.ask("family", "?")
        assert failure.value.retryable is True


def test_two_listeners_that_dial_each_other_at_once_keep_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialling, "RETIRE_AFTER", 0.05)

    @story
    async def meet(world: World) -> None:
        async with world.both(Agent("kit"), Agent("family")) as (kit, family):
            await asyncio.gather(kit.ping("family"), family.ping("kit"))
            links = world.network.listening[kit.address or ("", 0)].links
            assert len(links) == 2
            while len(links) > 1:
                await asyncio.sleep(0.01)
            await asyncio.gather(kit.ping("family"), family.ping("kit"))
            assert len(links) == 1

    meet(tmp_path)
