"""A program behind a mailbox: it is woken for a letter, and what it prints is the reply."""

from faces.clients import story
from office_town import PROJECT, Town, caller
from waypost.agent import Agent
from waypost.runtime.waking import set_wake


def begin(town: Town, command: str) -> None:
    town.add("helper", live=True)
    town.add("claude")
    set_wake(str(town.home), PROJECT, "helper", command)
    town.start()


def test_what_the_program_prints_is_the_reply(town: Town) -> None:
    begin(town, "grep -q Which && echo Port 8443")
    sent = town.office.send(caller("claude"), "helper", text="Which port?", priority="urgent")
    assert town.letter("claude", "Port 8443").header.reply_to == sent.id


def test_a_program_that_fails_leaves_the_letter_unanswered(town: Town) -> None:
    begin(town, "echo Never sent; exit 1")
    sent = town.office.send(caller("claude"), "helper", text="Hello", priority="urgent")
    town.until(lambda: town.states("claude", sent.id) == {"helper": "read"})
    assert town.office.inbox(caller("claude")).unread == 0
    assert "waypost_letters 1\n" in town.metrics()


@story
async def test_a_woken_program_answers_a_live_peer(town: Town) -> None:
    begin(town, "echo Port 8443")
    async with town.peer(Agent("ada")) as me:
        town.befriend(me, "helper")
        assert "Port 8443" in (await me.ask("helper", "Which port?")).summary
