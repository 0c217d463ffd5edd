"""What strangers write shows as text in conversations, needs, searches, files and the journal."""

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import quote

import httpx
import pytest

from faces.clients import Served, served
from faces.web import story, work
from faces.web.test_attacks import PAYLOADS
from waypost.errors import WaypostError
from waypost.office import Office, carrying, consigning, open_office

CLAUDE, CODEX = story.caller("claude"), story.caller("codex")
_OURS = re.compile(r'<script src="/static/[a-z.]+\.js" defer>')
_ACTIVE = re.compile(r"<(?:script|img|iframe|object|embed|base|link rel=.?import)\b[^>]*>")
_HANDLER = re.compile(r"""<[a-z]+(?:\s+[a-z:-]+(?:="[^"]*"|='[^']*')?)*\s+on[a-z]+=""")


def tell(office: Office, number: int, payload: str) -> None:
    """One payload in every place that a letter has."""
    line = payload if payload.isprintable() else "plain"
    task = {
        "task_id": f"t{number}", "description": payload, "file_patterns": [line],
        "specification": {"acceptance_criteria": [payload]},
        "deadline": "2999-01-01T00:00:00.500Z", "estimated_duration_minutes": 1,
    }  # fmt: skip
    sent = office.send(CLAUDE, "depot", "task_assignment", task)
    work.translate(office, sent.id)
    office.acknowledge(story.caller("depot"), sent.id, note=payload)
    asked = {"pr": line, "branch": line, "diff_summary": payload}
    office.send(CLAUDE, "codex", "review_request", asked, subject=line, thread=f"r{number}")
    found = {"findings_packet": line, "round": 1, "blocking_count": 1}
    office.send(CODEX, "claude", "review_feedback", found, subject=line, thread=f"r{number}")
    office.send(CLAUDE, "dana", "question", text=payload, thread=f"r{number}")
    stopped = office.send(CLAUDE, "depot", text=payload, subject=line)
    (pending,) = consigning.pending(office.desk, letters=[stopped.position])
    carrying.waits(office.desk, pending, payload, None, payload)
    office.reserve(CLAUDE, [f"x{number}/**"], task_id=line, reason=payload)
    with suppress(WaypostError):  # what is no pattern is refused
        office.reserve(CODEX, [line], "shared_write")


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("hostile") / "home"
    with open_office(home) as office:
        story.tell(office)
        office.register(story.caller("depot"), with_token=False, carrier="folder")
        for number, payload in enumerate(PAYLOADS):
            tell(office, number, payload)
        office.send(CLAUDE, "codex", text="<b>" * 300_000 + " heavy", thread="heavy")
    with served(home) as server:
        yield server


def places(number: int, payload: str) -> list[str]:
    word = quote(payload)
    thread = [f"/thread?id=t{number}&tab={tab}" for tab in ("", "raw", "problems", "delivery")]
    return [
        *thread, f"/thread?id=r{number}", "/needs", "/reservations", f"/reservations?path={word}",
        "/journal", f"/journal?actor={word}&kind={word}", f"/search?q={word}",
        f"/search?q=from:{word}", f"/search?q=thread:r{number}", "/undelivered",
        f"/compose?type=notification&answers={word}&to={word}",
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_hostile_words_are_text_in_every_place(dana: httpx.Client, number: int) -> None:
    for path in places(number, PAYLOADS[number]):
        answer = dana.get(path)
        assert answer.status_code < 500, path
        active = [tag for tag in _ACTIVE.findall(answer.text) if not _OURS.fullmatch(tag)]
        assert active == [], path
        assert not _HANDLER.search(answer.text), path
        assert all(char.isprintable() or char in "\n\t" for char in answer.text), path


def test_the_check_for_handlers_finds_one() -> None:
    assert _HANDLER.search('<b class="x" onclick="y">')
    assert not _HANDLER.search('<a title="an onclick=1 in a text" href="/">')


@pytest.mark.parametrize("tab", ["", "raw", "problems", "delivery"])
def test_a_heavy_letter_is_shown_in_bounds(dana: httpx.Client, tab: str) -> None:
    answer = dana.get("/thread", params={"id": "heavy", "tab": tab})
    assert answer.status_code == 200
    assert len(answer.text) < 1_500_000
    assert len(dana.get("/search?q=thread:heavy").text) < 50_000


def test_a_hostile_file_is_saved_and_never_shown(dana: httpx.Client, office: Office) -> None:
    sent = office.send(CLAUDE, "codex", text="<script>alert(1)</script>")
    answer = dana.get("/raw", params={"id": sent.id})
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith("attachment;")
