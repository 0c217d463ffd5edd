"""Two agents do one task together, each at its own server, woken by what the other does."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from faces.clients import Mail, Served, indoors, over_http, over_streams, story
from faces.messages import ASSIGNMENT, COMPLETION, COORDINATION, PROGRESS, RESERVATION
from waypost.office import Office

AUTH = "src/frontend/auth/**/*.tsx"


async def woken(mail: Mail, act: Awaitable[object], after: int = 0) -> tuple[dict[str, Any], int]:
    """The letter that wakes a client which waits while something is done, and where it stands."""
    waiting = asyncio.create_task(mail.do("wait_for_mail", seconds=50, after=after))
    await act
    found = await waiting
    (letter,) = found["letters"]
    return letter, found["last"]


async def work(lead: Mail, dev: Mail) -> None:
    """From the assignment to its acknowledged completion."""
    given = lead.send("dev", "task_assignment", ASSIGNMENT)
    assignment, _ = await woken(dev, given)
    await dev.do("acknowledge_message", id=assignment["id"])
    held = await dev.do("reserve_files", patterns=[AUTH], reason="the login", task_id="bd-42")
    conflict = await lead.refused("reserve_files", patterns=["src/frontend/auth/Form.tsx"])
    assert (conflict["error"], conflict["conflicts"][0]["holder"]) == ("conflict", "dev")
    assert conflict["conflicts"][0]["until"] == held["until"]
    progress, seen = await woken(lead, dev.send("lead", "status_update", PROGRESS))
    assert progress["subject"] == PROGRESS["status_summary"]
    done = dev.do(
        "reply_message", id=assignment["id"], type="task_completion", content=COMPLETION,
        acknowledge=True,
    )  # fmt: skip
    completion, _ = await woken(lead, done, after=seen)
    assert (completion["reply_to"], completion["wants_ack"]) == (assignment["id"], True)
    await lead.do("acknowledge_message", id=completion["id"], accepted=True, note="Good")
    thread = (await dev.do("get_thread", thread="bd-42"))["letters"]
    assert [one.get("states") or one["state"] for one in thread] == [
        "done",
        {"lead": "acknowledged"},
    ]
    await dev.do("release_files")
    await lead.do("reserve_files", patterns=[AUTH], mode="shared_read")


@story
async def over_two_programs(home: Path) -> None:
    async with over_streams(home, "lead") as lead, over_streams(home, "dev", "legacy") as dev:
        await work(lead, dev)


def test_two_programs_on_one_home_work_together(tmp_path: Path) -> None:
    over_two_programs(tmp_path / "home")


def test_a_program_and_a_client_of_the_server_work_together(server: Served) -> None:
    across(server)


@story
async def across(server: Served) -> None:
    token = server.token("lead")
    async with over_http(server.url, token) as lead, over_streams(server.home, "dev") as dev:
        await work(lead, dev)


@story
async def test_a_file_reservation_acts(office: Office) -> None:
    async with indoors(office, "lead", "dev") as (lead, dev):
        receipt = await dev.do("send_message", type="file_reservation", content=RESERVATION)
        assert receipt["reservation"]["holder"] == "dev"
        wish = {"pattern": "src/styles/*.css", "mode": "shared", "note": "or the styles"}
        refused = await lead.refused(
            "send_message", type="file_reservation",
            content={**RESERVATION, "alternatives": [wish]},
        )  # fmt: skip
        assert refused["conflicts"][0]["reason"] == "Implementing the login"
        assert refused["alternatives"] == [{**wish, "mode": "shared_read"}]
        (held,) = (await lead.do("list_reservations", path="src/frontend/auth/x.ts"))[
            "reservations"
        ]
        assert held["id"] == receipt["reservation"]["id"]


@story
async def test_a_coordination_request_reaches_all_participants(office: Office) -> None:
    async with indoors(office, "lead", "frontend", "tester") as (lead, frontend, tester):
        await lead.do("send_message", type="coordination_request", content=COORDINATION)
        assert (await frontend.newest())["id"] == (await tester.newest())["id"]


@story
async def test_free_text_and_types_of_other_dialects_can_be_sent(office: Office) -> None:
    async with indoors(office, "lead", "dev") as (lead, dev):
        note = await lead.do("send_message", to=["dev"], text="Port 8080 is taken.")
        assert note["type"] == "notification"
        review = {"pr": "#55", "branch": "feat/limit", "diff_summary": "Adds a limiter."}
        await lead.send("dev", "review_request", review)
        letters = (await dev.do("fetch_inbox"))["letters"]
        assert [one["type"] for one in letters] == ["review_request", "notification"]
        letter = await dev.do("read_message", id=letters[0]["id"])
        assert (letter["dialect"], "feat/limit" in letter["message"]) == ("oacp", True)


@story
async def test_an_agent_asks_the_people(office: Office) -> None:
    async with indoors(office, "dev") as dev:
        asked = await dev.do("ask_human", question="Ship it?", options=["yes", "no"])
        assert asked["to"] == ["people"]


@pytest.mark.parametrize("form", [{"text": "it failed\n"}, {"data": "aXQgZmFpbGVkCg=="}])
def test_attachments_travel_with_a_letter(office: Office, form: dict[str, str]) -> None:
    enclosed(office, form)


@story
async def enclosed(office: Office, form: dict[str, str]) -> None:
    async with indoors(office, "lead", "dev") as (lead, dev):
        files = [{"name": "build.log", **form}]
        await lead.do("send_message", to=["dev"], text="The log.", attachments=files)
        read = await dev.do("read_message", id=(await dev.newest())["id"])
        (address,) = {word for word in read["message"].split() if word.startswith("artifact://")}
        found = await dev.do("read_message", id=address.rstrip('"'))
        assert (found["name"], "it failed" in found["message"]) == ("build.log", True)


@story
async def test_an_attachment_is_called_as_its_sender_calls_it(office: Office) -> None:
    async with indoors(office, "lead", "dev") as (lead, dev):
        for name in ("my passwd", "build.log"):  # the same bytes, and a name that looks like more
            await lead.do("send_message", to=["dev"], attachments=[{"name": name, "text": "x1"}])
            read = await dev.do("read_message", id=(await dev.newest())["id"])
            assert f"- {name}: artifact://" in read["message"]


@story
async def test_what_contradicts_itself_is_refused(office: Office) -> None:
    async with indoors(office, "lead", "dev") as (lead, dev):
        one, other = (f"msg-{digit}23e4567-e89b-42d3-a456-426614174000" for digit in "12")
        sent = {"to": ["dev"], "type": "status_update"}
        for more, given in (
            ({}, {"type": "task_assignment"}),
            ({"message_id": one}, {"message_id": other}),
            ({"attachments": [{"name": "a", "text": "b"}]}, {"attachments": "c"}),
        ):
            content = {**PROGRESS, **given}
            error = await lead.refused("send_message", **sent, **more, content=content)
            assert error["error"] == "usage"
        assert (await dev.do("fetch_inbox"))["unread"] == 0


@story
async def test_a_structured_message_lists_its_attachments(office: Office) -> None:
    async with indoors(office, "lead", "dev") as (lead, dev):
        files = [{"name": "x.bin", "data": "AP8="}]
        await lead.do(
            "send_message", to=["dev"], type="status_update", content=PROGRESS, attachments=files
        )
        read = await dev.do("read_message", id=(await dev.newest())["id"])
        assert '"filename": "x.bin"' in read["message"] or '"filename":"x.bin"' in read["message"]
