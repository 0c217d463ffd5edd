"""A live peer and agents that have mail: one answers on the line, the other when it can."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from faces.clients import story
from faces.messages import ASSIGNMENT
from live.mallory import Mallory
from live.raw import Raw
from office_town import Town, caller, said
from waypost.agent import Agent, Refused
from waypost.agent.online import Online
from waypost.agent.work import Task
from waypost.carriers.keyring import Peers, identity, token_of
from waypost.errors import RefusedError, TimedOutError


def ada() -> Agent:
    """A peer that knows a port, and does every task but one."""
    agent = Agent("ada")

    @agent.query
    async def answer(query: object) -> str:
        return "port 8081"

    @agent.delegate
    async def work(task: Task) -> str:
        if "Sunday" in task.task:
            raise Refused("not on Sundays")
        return "It is painted."

    return agent


@asynccontextmanager
async def meeting(town: Town) -> AsyncIterator[Online]:
    """Codex in a folder and claude at its tools, and ada, who is live; all know each other."""
    town.add("codex", "folder", live=True)
    town.add("claude", live=True)
    town.start()
    async with town.peer(ada()) as me:
        town.befriend(me, "codex", "claude")
        yield me


@story
async def test_ping_and_discover_are_answered_at_once(town: Town) -> None:
    async with meeting(town) as me:
        assert (await me.ping("codex")).status == "idle"
        assert (await me.discover("codex")).agent_name == "codex"


@story
async def test_a_question_waits_for_the_folders_own_answer(town: Town) -> None:
    async with meeting(town) as me:
        asking = asyncio.create_task(me.ask("codex", "Which port?"))
        file = await town.soon(town.file, "codex", "Which port?")
        assert not asking.done()
        await town.soon(lambda: town.answer(file, body="8443, since Monday"))
        assert "8443, since Monday" in (await asking).summary


@story
async def test_a_question_waits_for_an_answer_by_tool(town: Town) -> None:
    async with meeting(town) as me:
        asking = asyncio.create_task(me.ask("claude", "Which port?"))
        letter = await town.soon(town.letter, "claude", "Which port?")
        assert (letter.door, letter.header.proof) == ("quic", "proven")
        town.office.reply(caller("claude"), letter.header.id, text="9000")
        assert "9000" in (await asking).summary


@story
async def test_nobody_takes_a_task_for_an_agent(town: Town) -> None:
    async with meeting(town) as me:
        giving = asyncio.create_task(me.delegate("claude", "Paint the fence"))
        letter = await town.soon(town.letter, "claude", "fence")
        assert not giving.done()
        town.office.acknowledge(caller("claude"), letter.header.id)
        job = await giving
        town.office.reply(caller("claude"), letter.header.id, subject="Done", text="It is green")
        assert "It is green" in (await job.result()).outcome


@story
async def test_a_refusal_is_told_with_its_reason(town: Town) -> None:
    async with meeting(town) as me:
        giving = asyncio.create_task(me.delegate("codex", "Paint the fence"))
        file = await town.soon(town.file, "codex", "fence")
        await town.soon(lambda: town.answer(file, subject="Refused", body="No ladder here"))
        with pytest.raises(RefusedError, match="No ladder here"):
            await giving


@story
async def test_an_unread_question_is_taken_back_when_its_time_is_over(town: Town) -> None:
    async with meeting(town) as me:
        with pytest.raises(TimedOutError) as caught:
            await me.ask("codex", "Anyone?", timeout=1.5)
        assert caught.value.retryable
        await town.soon(town.until, lambda: not town.files("codex"))


@story
async def test_a_question_that_was_read_is_not_to_be_repeated(town: Town) -> None:
    async with meeting(town) as me:
        asking = asyncio.create_task(me.ask("claude", "Anyone?", timeout=2))
        letter = await town.soon(town.letter, "claude", "Anyone?")
        town.office.read(caller("claude"), letter.header.id)
        with pytest.raises(TimedOutError) as caught:
            await asking
        assert not caught.value.retryable


@story
async def test_calling_off_an_unread_task_stops_it(town: Town) -> None:
    async with meeting(town) as me:
        giving = asyncio.create_task(me.delegate("claude", "Paint the fence"))
        letter = await town.soon(town.letter, "claude", "fence")
        assert await me.cancel("claude", letter.fields["id"], "it rains")
        giving.cancel()
        assert town.office.inbox(caller("claude")).unread == 0


@story
async def test_calling_off_a_task_under_way_reaches_its_agent(town: Town) -> None:
    async with meeting(town) as me:
        giving = asyncio.create_task(me.delegate("claude", "Paint the fence"))
        letter = await town.soon(town.letter, "claude", "fence")
        town.office.acknowledge(caller("claude"), letter.header.id)
        job = await giving
        stopping = asyncio.create_task(me.cancel("claude", job.id, "it rains"))
        cancel = await town.soon(town.letter, "claude", "it rains")
        assert cancel.header.reply_to == letter.header.id
        town.office.acknowledge(caller("claude"), cancel.header.id)
        assert await stopping


@story
async def test_a_question_of_a_folder_is_answered_by_the_peer(town: Town) -> None:
    async with meeting(town):
        introduce(town)
        await town.soon(lambda: town.drop("codex", "ada", type="question", subject="Which port?"))
        answer = await town.soon(town.file, "codex", "port 8081")
        assert said(answer.read_text(), "parent_message_id") == "alien-0"


def introduce(town: Town) -> None:
    """Have ada known in the project before she writes."""
    key = identity(town.root / "peer", "ada").id
    town.office.register(caller("ada"), carrier="key", key_id=key, with_token=False)


@story
async def test_an_assignment_is_done_by_the_peer(town: Town) -> None:
    async with meeting(town):
        introduce(town)
        sent = town.office.send(caller("claude"), "ada", "task_assignment", ASSIGNMENT)
        result = await town.soon(town.letter, "claude", "It is painted.")
        assert (result.header.type, result.header.reply_to) == ("result", sent.id)
        assert town.states("claude", sent.id) == {"ada": "done"}


@story
async def test_a_task_waits_for_a_peer_that_is_away(town: Town) -> None:
    async with meeting(town) as me:
        introduce(town)
        token = me.token
    sent = town.office.send(caller("claude"), "ada", type="task_request", text="Paint it")
    await town.soon(town.until, lambda: tried(town))
    assert town.states("claude", sent.id) == {"ada": "stored"}
    address = token.rpartition("@")[2]
    async with ada().online(address, home=town.root / "peer"):
        await town.soon(town.letter, "claude", "It is painted.")


def tried(town: Town) -> bool:
    return any(one.kind == "delivery.waits" for one in town.office.events(caller("claude")))


@story
async def test_mail_finds_the_new_line_of_a_peer_that_died_and_came_back(town: Town) -> None:
    town.add("claude", live=True)
    town.start()
    ada, ours = identity(town.root / "peer", "ada"), identity(town.home, "claude")
    Peers(town.home, ours).add(token_of(ada.public_key), "ada")
    town.office.register(caller("ada"), carrier="key", key_id=ada.id, with_token=False)
    host, port = str(town.where["quic"]).rsplit(":", 1)
    lines = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        for _ in range(2):
            raw = await Raw(ada, ours.id).dial((host, int(port)))
            lines.append(await Mallory(raw, ada.id, ours.id).hello())
            if len(lines) == 1:  # its process ends at once, and another has its port
                place = raw.transport.get_extra_info("sockname")
                raw.close()
                await asyncio.sleep(0)
                deaf.bind(place)
                town.office.send(caller("claude"), "ada", type="notification", text="It rains")
                await town.soon(town.until, lambda: under_way(town))
        await lines[1].raw.until(lambda: b"It rains" in told(lines[1]))
        lines[1].raw.close()


def under_way(town: Town) -> bool:
    return "waypost_under_way 1" in town.metrics()


def told(peer: Mallory) -> bytes:
    """All that a raw peer was sent."""
    return b"".join(getattr(one, "data", b"") for one in peer.raw.happened)


@story
async def test_a_question_to_a_peer_that_is_away_comes_back_at_once(town: Town) -> None:
    async with meeting(town):
        introduce(town)
    sent = town.office.send(caller("claude"), "ada", type="question", text="Which port?")
    bounce = await town.soon(town.letter, "claude", "was not delivered")
    assert (bounce.header.sender, bounce.header.reply_to) == ("postmaster", sent.id)
    assert town.states("claude", sent.id) == {"ada": "bounced"}
