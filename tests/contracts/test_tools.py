"""The list of tools is what every model reads first: it changes on purpose, and stays small."""

import json
from typing import Any

from golden import golden

from faces.clients import indoors, story
from faces.conftest import office as office  # a fixture
from faces.messages import ASSIGNMENT, COMPLETION, PROGRESS
from waypost.office import Office

LARGEST_LIST = 12_000  # characters of compact JSON, about 3,000 tokens
DEAREST_INBOX = 1_600  # tokens, four characters each
NAMES = (
    "register_agent list_agents send_message reply_message fetch_inbox read_message "
    "acknowledge_message wait_for_mail get_thread search_messages reserve_files release_files "
    "list_reservations ask_human describe_type"
)


async def listed(office: Office, mode: str) -> list[dict[str, Any]]:
    async with indoors(office, "claude", mode=mode) as claude:
        tools = (await claude.client.list_tools()).tools
        return [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools]


@story
async def test_the_tools_are_as_they_were(office: Office) -> None:
    tools = await listed(office, "auto")
    assert [tool["name"] for tool in tools] == NAMES.split()
    shown = json.dumps(tools, indent=1, ensure_ascii=False) + "\n"
    assert shown == golden("tools.json", shown)


@story
async def test_the_whole_list_is_small(office: Office) -> None:
    for mode in ("auto", "legacy"):
        tools = json.dumps({"tools": await listed(office, mode)}, separators=(",", ":"))
        assert len(tools) <= LARGEST_LIST


@story
async def test_every_tool_says_what_it_takes_and_gives(office: Office) -> None:
    for tool in await listed(office, "auto"):
        assert tool["description"]
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"


@story
async def test_an_inbox_of_twenty_unread_letters_costs_little(office: Office) -> None:
    contents = {"task_assignment": ASSIGNMENT, "task_completion": COMPLETION,
                "status_update": PROGRESS}  # fmt: skip
    async with indoors(office, "orchestrator", "frontend-developer") as (lead, developer):
        for number in range(20):
            kind = list(contents)[number % 3]
            given = {**contents[kind], "task_id": f"bd-{number}"}
            await lead.send("frontend-developer", kind, given)
        text = await developer.text("fetch_inbox")
        assert len(json.loads(text)["letters"]) == 20
        assert len(text) / 4 <= DEAREST_INBOX


@story
async def test_what_is_empty_is_left_out(office: Office) -> None:
    async with indoors(office, "claude") as claude:
        assert await claude.do("fetch_inbox") == {"letters": [], "unread": 0}
        assert await claude.do("list_reservations") == {"reservations": []}
        (me,) = [
            one for one in (await claude.do("list_agents"))["agents"] if one["name"] == "claude"
        ]
        assert set(me) == {"name", "unread", "active_at"}
