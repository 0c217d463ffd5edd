"""Auto-responders that fetch their mail by tools, and thank each other, are stopped and shown."""

from contextlib import AsyncExitStack

import pytest

from faces.clients import Mail, over_http, story
from office_town import PROJECT, Town, caller

_MANY = 12
THANKS = ["Thank you!", "You are welcome."]
AWAY = ["I am away until Monday.", "Noted, I am away as well.", "Out of the office."]


async def reply_on(mails: list[Mail], words: list[str]) -> int:
    """Let each answer what it finds, as long as one finds anything; gives how many answered."""
    for number in range(_MANY):
        mail = mails[number % len(mails)]
        headers = (await mail.do("fetch_inbox"))["letters"]
        if not headers:
            return number
        whom = {} if len(mails) == 2 else {"to": [NAMES[(number + 1) % len(mails)]]}
        text = words[number % len(words)]
        if whom:
            await mail.do("send_message", **whom, text=text, reply_to=headers[0]["id"])
        else:
            await mail.do("reply_message", id=headers[0]["id"], text=text)
    return _MANY


NAMES = ["claude", "gemini", "cursor"]


@pytest.mark.parametrize(("count", "words"), [(2, THANKS), (3, AWAY)], ids=["two", "a triangle"])
def test_politeness_ends(town: Town, count: int, words: list[str]) -> None:
    for name in NAMES[:count]:
        town.add(name)
    town.office.register(caller("dana"), kind="person", with_token=False)
    town.start()
    town.office.send(caller(NAMES[count - 1]), NAMES[0], text="Hello")

    @story
    async def meeting() -> None:
        async with AsyncExitStack() as open_ones:
            mails = []
            for name in NAMES[:count]:
                token = str(town.office.rotate_token(caller(name)).token)
                door = over_http(town.where["url"], token)
                mails.append(await open_ones.enter_async_context(door))
            assert 2 <= await reply_on(mails, words) < _MANY

    meeting()
    (held,) = town.say("waypost", "held", "--project", PROJECT, "--json").objects[0]["held"]
    assert held["guard"] in ("small talk", "circle")
    (failure,) = town.office.undelivered(caller("dana")).failures
    assert (failure.state, failure.header.id) == ("held", held["id"])
    assert "waypost_held_deliveries 1" in town.metrics()
