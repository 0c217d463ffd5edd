"""Every view over HTTP, without scripts: what it shows, and what can be done there."""

import httpx
import pytest

from faces.web import story
from faces.web.forms import send, words
from waypost.office import Office

CLAUDE, CODEX, GEMINI = map(story.caller, ("claude", "codex", "gemini"))
SHOWN = {
    "/": "needs you",
    "/needs": "Shall I tag `v2.4.0`?",
    "/inbox?agent=gemini": "Page 5 needs an example.",
    "/undelivered": "Nothing came back, nothing waits",
    "/flow": "claude → gemini",
    "/peers": "No agent of this project has a key",
    "/agents": "codex",
    "/reservations": "src/api/** tests/api/**",
    "/search?q=limit": "Rate limit for /api/v1",
    "/journal?kind=files.reserved": "docs/*.md",
    "/compose": "Send as dana",
    "/compose?type=task_assignment": "acceptance criteria",
}


@pytest.mark.parametrize("path", SHOWN)
def test_each_view_shows_what_it_is_for(dana: httpx.Client, path: str) -> None:
    answer = dana.get(path)
    assert answer.status_code == 200
    assert SHOWN[path] in words(answer)


def test_looking_changes_nothing(dana: httpx.Client, office: Office) -> None:
    before = office.last()
    for path in SHOWN:
        dana.get(path)
    assert office.last() == before


def test_a_question_is_answered_with_one_of_its_options(dana: httpx.Client, office: Office) -> None:
    asked = office.ask_human(CLAUDE, "Which colour?", ["red", "green"])
    said = send(dana, "/answer", letter=asked.id, option="green", text="")
    assert "Your answer is on its way" in words(said)
    (reply,) = [one for one in office.inbox(CLAUDE).letters if one.reply_to == asked.id]
    assert (reply.subject, reply.sender, reply.proof) == ("green", "dana", "proven")


@pytest.mark.parametrize(("verdict", "text"), [("approve", "Approved"), ("deny", "Denied")])
def test_a_verdict_carries_its_note(
    dana: httpx.Client, office: Office, verdict: str, text: str
) -> None:
    asked = office.ask_human(CODEX, f"May I {verdict}?")
    send(dana, "/answer", letter=asked.id, verdict=verdict, text="after lunch")
    (reply,) = [one for one in office.inbox(CODEX).letters if one.reply_to == asked.id]
    assert reply.subject == f"{text}: after lunch"


def test_an_empty_answer_is_refused_with_a_way_out(dana: httpx.Client, office: Office) -> None:
    asked = office.ask_human(CODEX, "Anything?")
    refused = send(dana, "/answer", letter=asked.id, text=" ")
    assert refused.status_code == 400
    assert "press one of the buttons" in words(refused)


def test_what_is_put_away_is_off_the_list(dana: httpx.Client, office: Office) -> None:
    asked = office.ask_human(CODEX, "Never mind this one")
    send(dana, "/put-away", letter=asked.id)
    assert "Never mind this one" not in words(dana.get("/needs"))


def test_a_thread_is_shown_in_four_ways_and_replied_to(dana: httpx.Client, office: Office) -> None:
    sent = office.send(CLAUDE, "codex", "task_request", text="Sweep **all** rooms")
    for tab, text in (
        ("", "Sweep all rooms"), ("raw", "Sweep **all** rooms"),
        ("problems", "keeps every rule"), ("delivery", "codex stored"),
    ):  # fmt: skip
        assert text in words(dana.get("/thread", params={"id": sent.thread, "tab": tab}))
    said = send(dana, "/reply", letter=sent.id, text="Begin with the kitchen.")
    assert "Begin with the kitchen." in words(said)
    assert office.inbox(CLAUDE).letters[-1].sender == "dana"


def test_a_letter_of_ones_own_is_taken_back(dana: httpx.Client, office: Office) -> None:
    said = send(dana, "/compose", type="notification", to="gemini", text="Oh, forget it")
    assert "Oh, forget it" in words(said)
    letter = office.search(story.caller("dana"), "forget").letters[0]
    assert "gemini withdrawn" in words(send(dana, "/withdraw", letter=letter.id))


def test_a_nudge_is_a_letter_in_the_same_thread(dana: httpx.Client, office: Office) -> None:
    sent = office.send(CLAUDE, "gemini", text="Look at page nine")
    send(dana, "/nudge", letter=sent.id, agent="gemini")
    subjects = [one.subject for one in office.thread(GEMINI, sent.thread).letters]
    assert subjects == [
        "Look at page nine", "A person asks you to look at this letter now: Look at page nine",
    ]  # fmt: skip


def test_files_are_released_by_force_and_the_holder_learns_why(
    dana: httpx.Client, office: Office
) -> None:
    held = office.reserve(CLAUDE, ["lib/**"])
    refused = send(dana, "/release", reservation=str(held.id), reason="")
    assert refused.status_code == 400
    send(dana, "/release", reservation=str(held.id), reason="claude is on holiday", sure="1")
    assert held.id not in [one.id for one in office.reservations(CLAUDE)]
    assert [one.to for one in office.search(CLAUDE, "holiday").letters] == [("claude",)]


def test_the_journal_is_verified_at_a_press(dana: httpx.Client) -> None:
    assert "The journal is whole" in words(send(dana, "/verify"))


def test_what_isnt_there_is_said_in_the_page(dana: httpx.Client) -> None:
    missing = dana.get("/thread?id=no-such-thread")
    assert missing.status_code == 404
    assert "no-such-thread" in words(missing)
    assert "not_found" in words(missing)


def test_a_long_mailbox_goes_on_on_the_next_page(dana: httpx.Client, office: Office) -> None:
    office.register(story.caller("busy"), with_token=False)
    for number in range(53):
        office.send(CLAUDE, "busy", text=f"number {number:02}")
    page = dana.get("/inbox?agent=busy")
    assert "number 52" not in words(page)
    path = page.text.partition('<p class="more"><a href="')[2].partition('"')[0]
    assert "number 52" in words(dana.get(path.replace("&amp;", "&")))
