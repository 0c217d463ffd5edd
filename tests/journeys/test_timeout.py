"""Nobody answers in time: what is late isn't delivered, and whoever waits is told."""

from datetime import UTC, datetime, timedelta

import pytest

from journeys.speakers import PATIENCE
from journeys.trio import Trio, both_ways
from office_town import caller
from waypost.errors import TimedOutError

SOON = timedelta(seconds=2)
PAST = timedelta(minutes=-1)


def moment(distance: timedelta) -> str:
    return (datetime.now(UTC) + distance).strftime("%Y-%m-%dT%H:%M:%SZ")


@both_ways
def test_what_is_late_is_told(trio: Trio, sender: str, recipient: str) -> None:
    text = f"{recipient}, at once, for {sender}"
    _LATE[sender, recipient](trio, text)


def live_to_mail(trio: Trio, text: str) -> None:
    """A question that nobody reads is taken back, and the peer may ask again."""
    name = text.partition(",")[0]
    with pytest.raises(TimedOutError) as caught:
        trio.ada.tell(name, "query", text, timeout=1.0).result(PATIENCE)
    assert caught.value.retryable
    trio.town.until(lambda: not any(text in one.read_text() for one in trio.town.files("codex")))
    headers = trio.town.office.search(caller(name), f'"{text}"').letters
    assert [one.state for one in headers] == ["withdrawn"]


def folder_to_live(trio: Trio, text: str) -> None:
    """A question has as long as it is good; then the postmaster writes."""
    sent = trio.codex.tell("ada", "question", text, expires_at=moment(SOON))
    trio.ada.gets(text)
    told = trio.codex.hears(sent, "was not delivered to ada")
    assert told.kind == "notification"


def tools_to_live(trio: Trio, text: str) -> None:
    """A task has a deadline; the peer that works on it still then has failed."""
    content = {
        "task_id": "late", "description": text, "file_patterns": [], "deadline": moment(SOON),
        "specification": {"acceptance_criteria": []}, "priority": "high", "priority_value": 1,
    }  # fmt: skip
    sent = trio.claude.tell("ada", "task_assignment", content)
    trio.ada.gets(text)
    trio.claude.hears(sent, "within its deadline")


def folder_to_tools(trio: Trio, text: str) -> None:
    """What expired before it was fetched is in no inbox; its state says so."""
    sent = trio.codex.tell("claude", "question", text, expires_at=moment(PAST))
    trio.town.until(lambda: trio.town.office.search(caller("codex"), f'"{text}"').letters)
    listed = trio.claude.do("fetch_inbox", limit=100)["letters"]
    assert sent not in [one["id"] for one in listed]
    trio.town.until(lambda: trio.town.states("codex", sent) == {"claude": "expired"})


def tools_to_folder(trio: Trio, text: str) -> None:
    """What expired before it was in the folder comes back with the reason."""
    content = {"body": text, "expires_at": moment(PAST)}
    sent = trio.claude.tell("codex", "question", content)
    assert trio.claude.hears(sent, "expired before").kind == "status_update"


_LATE = {
    ("ada", "codex"): live_to_mail,
    ("ada", "claude"): live_to_mail,
    ("codex", "ada"): folder_to_live,
    ("claude", "ada"): tools_to_live,
    ("codex", "claude"): folder_to_tools,
    ("claude", "codex"): tools_to_folder,
}
