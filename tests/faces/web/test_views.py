"""Conversations, needs, searches, reservations and the journal, over HTTP and without scripts."""

from html import unescape

import httpx
import pytest

from faces.clients import Served
from faces.web import story, work
from faces.web.forms import send, words
from waypost.errors import NotAllowedError
from waypost.faces.web import needs_page
from waypost.faces.web.query import Query
from waypost.office import Office

CLAUDE, CODEX, DANA = map(story.caller, ("claude", "codex", "dana"))


@pytest.fixture(scope="module")
def town(busy: tuple[Served, work.Work]) -> Served:
    return busy[0]


@pytest.fixture(scope="module")
def told(busy: tuple[Served, work.Work]) -> work.Work:
    return busy[1]


def shown(dana: httpx.Client, letter: str, **query: str) -> str:
    answer = dana.get("/thread", params={"id": letter, **query})
    assert answer.status_code == 200, answer.text
    return words(answer)


def test_a_translation_says_for_whom_into_what_and_what_is_lost(
    dana: httpx.Client, told: work.Work
) -> None:
    page = shown(dana, told.task)
    assert "translated for depot into OACP task_request" in page
    assert "1 thing not said" in page
    assert "OACP's times are written in whole seconds" in page
    assert page.count("Pack the teapots for order 1042") >= 2  # the letter, and what depot got


def test_bytes_are_shown_as_they_are_and_saved_as_they_were(
    dana: httpx.Client, office: Office, told: work.Work
) -> None:
    (made,) = office.translations(DANA, told.task)
    page = dana.get("/thread", params={"id": told.task, "tab": "raw"}).text
    assert "Pack the **teapots**" in page
    original = dana.get("/raw", params={"id": told.task})
    assert original.content == office.read(DANA, told.task, peek=True).message
    assert original.headers["content-type"] == "application/octet-stream"
    assert f'filename="{told.task}.json"' in original.headers["content-disposition"]
    address = page.partition("of the OACP translation")[0].rpartition('href="')[2].partition('"')[0]
    assert dana.get(unescape(address)).content == made.message
    assert dana.get("/raw", params={"id": told.task, "translation": "x"}).status_code == 404


def test_bytes_that_are_no_text_are_named(dana: httpx.Client, office: Office) -> None:
    sent = office.send(CLAUDE, "codex", text="bell \x07 and back \u202e and return\r")
    page = shown(dana, sent.thread, tab="raw")
    assert "\\x07" in page or "\\u0007" in page
    assert "\\u202e" in page


def test_a_delivery_log_tells_every_event_with_door_and_proof(
    dana: httpx.Client, told: work.Work
) -> None:
    page = shown(dana, told.task, tab="delivery")
    for said in (
        "gemini sent it to depot · by cli claimed",
        "the office translated it into OACP task_request",
        "the office brought it to depot",
        "depot took it: tomorrow at nine",
    ):
        assert said in page


def test_a_long_delivery_log_goes_on(dana: httpx.Client, told: work.Work) -> None:
    page = dana.get("/thread", params={"id": told.tried, "tab": "delivery"})
    assert "attempt 01" in words(page)
    assert "attempt 54" not in words(page)
    further = page.text.partition("What happened further on")[0].rpartition('href="')[2]
    assert "attempt 54" in words(dana.get(unescape(further.partition('"')[0])))


def test_a_review_says_its_round_what_blocks_and_whose_turn_it_is(
    dana: httpx.Client, office: Office, told: work.Work
) -> None:
    thread = office.read(DANA, told.review, peek=True).header.thread
    page = shown(dana, thread)
    assert "Review of PR #61 by claude for codex : round 2 · 1 blocking finding" in page
    assert "codex ’s turn: address the findings" in page
    assert "Answer with a review addressed or question" in page


def test_a_task_says_how_it_stands_and_who_waits(dana: httpx.Client, told: work.Work) -> None:
    page = shown(dana, told.task)
    assert "for depot : taken · due in" in page
    assert "gemini waits for depot to finish it" in page


def test_each_letter_can_be_answered_by_a_command(dana: httpx.Client, told: work.Work) -> None:
    said = f"waypost reply --project shop --agent dana {told.task} -b"
    assert said in shown(dana, told.task)


def test_what_needs_a_person_comes_with_what_went_before(
    dana: httpx.Client, told: work.Work
) -> None:
    page = words(dana.get("/needs"))
    assert "The last words before it, claude" in page
    assert "The old orders are exported to cold storage." in page


def test_a_held_letter_is_decided_where_people_look(
    dana: httpx.Client, office: Office, told: work.Work
) -> None:
    page = words(dana.get("/needs"))
    assert "The guard “too often” holds it: claude and depot wrote each other 12 letters" in page
    done = send(dana, "/decide", letter=told.held[0], verdict="back")
    assert "The letter goes back to its sender." in words(done)
    assert words(done).count("Thank you for the thanks") == 1


def test_a_search_marks_what_it_looked_for(dana: httpx.Client) -> None:
    page = dana.get("/search", params={"q": "LIMIT FROM:Claude"}).text
    assert "Rate <mark>limit</mark> for /api/v1" in page
    assert "a rate <mark>limit</mark> in front of" in page


def test_a_name_that_nobody_has_is_told_with_near_ones(dana: httpx.Client) -> None:
    page = words(dana.get("/search", params={"q": "from:codx limit"}))
    assert "Nobody here is called codx . Did you mean from:codex ?" in page


def test_a_query_that_is_none_is_explained(dana: httpx.Client) -> None:
    refused = dana.get("/search", params={"q": "before:yesterday"})
    assert refused.status_code == 400
    assert "“yesterday” is no time" in words(refused) or "is no time" in words(refused)
    assert "How to ask" in words(refused)


def test_a_search_goes_on_on_the_next_page(dana: httpx.Client, office: Office) -> None:
    for number in range(23):
        office.send(CLAUDE, "codex", text=f"samovar {number:02}")
    page = dana.get("/search", params={"q": "samovar"})
    assert "00" not in words(page).split()
    further = page.text.partition("Further on")[0].rpartition('href="')[2].partition('"')[0]
    assert "samovar 00" in words(dana.get(unescape(further)))


def test_files_stand_in_their_directories_with_their_holders(dana: httpx.Client) -> None:
    page = words(dana.get("/reservations"))
    assert "docs/ *.md gemini shared read ends in" in page
    assert "src/ api/ ** codex exclusive ends in" in page


def test_where_two_holders_meet_is_told(dana: httpx.Client, office: Office) -> None:
    for who, pattern in ((CLAUDE, "ui/**"), (CODEX, "ui/*.css")):
        office.reserve(who, [pattern], "shared_write")
    page = words(dana.get("/reservations"))
    assert "claude ( ui/** ) and codex ( ui/*.css ) may both change ui/" in page


def test_a_release_by_force_has_to_be_confirmed(dana: httpx.Client, office: Office) -> None:
    held = office.reserve(CLAUDE, ["attic/**"])
    refused = send(dana, "/release", reservation=str(held.id), reason="stale")
    assert refused.status_code == 400
    assert "tick the box" in words(refused)
    assert held.id in [one.id for one in office.reservations(CLAUDE)]


def test_many_reservations_come_in_pages(dana: httpx.Client, office: Office) -> None:
    for number in range(53):
        office.reserve(CLAUDE, [f"many/{number:02}/**"])
    page = dana.get("/reservations", params={"path": "many/**"})
    assert "many/00" in words(page)
    assert "many/52" not in words(page)
    further = page.text.partition("Further on")[0].rpartition('href="')[2].partition('"')[0]
    assert "many/52" in words(dana.get(unescape(further)))


def test_the_journal_tells_events_in_words(dana: httpx.Client, told: work.Work) -> None:
    page = words(dana.get("/journal", params={"actor": "codex", "kind": "files.reserved"}))
    assert "codex reserved src/api/**, tests/api/** (exclusive)" in page
    assert "because: the rate limit" in page
    page = words(dana.get("/journal", params={"kind": "letters.moved"}))
    assert "depot took" in page


def test_each_event_is_shown_as_it_is_chained(dana: httpx.Client, office: Office) -> None:
    page = words(dana.get("/journal", params={"event": "1"}))
    assert "Event 1 as it is chained" in page
    assert '"kind": "agent.registered"' in page
    assert dana.get("/journal", params={"event": "999999"}).status_code == 404


def test_a_form_answers_a_letter_in_its_thread(
    dana: httpx.Client, office: Office, told: work.Work
) -> None:
    asked = office.send(CLAUDE, "dana", "handoff", work_handoff(), subject="Yours now")
    page = dana.get("/compose", params={"type": "handoff_complete", "answers": asked.id})
    assert "It answers Yours now of claude" in words(page)
    send(
        dana, "/compose", type="handoff_complete", answers=asked.id, to="claude",
        **{"field.issue": "#37", "field.pr": "#42", "field.branch": "main",
           "field.tests_run": "true", "field.next_owner": "claude"},
    )  # fmt: skip
    answer = office.thread(CLAUDE, asked.thread).letters[-1]
    assert (answer.type, answer.reply_to) == ("handoff_complete", asked.id)


def work_handoff() -> dict[str, object]:
    return {
        "source_agent": "claude", "target_agent": "dana", "intent": "Merge it",
        "artifacts_to_review": ["PR #42"], "definition_of_done": ["it is merged"],
        "context_bundle": {"files_touched": ["a.ts"], "decisions_made": ["RS256"],
                           "blockers_hit": ["none"], "suggested_next_steps": ["look"]},
    }  # fmt: skip


def test_only_people_decide_about_held_letters(office: Office, told: work.Work) -> None:
    with pytest.raises(NotAllowedError):
        needs_page.decide(office, CLAUDE, Query({"letter": [told.held[1]], "verdict": ["on"]}))
