"""Open pages hear of what happens, and go on from where they stopped."""

from collections.abc import Iterator

import httpx

from faces.web import story
from waypost.office import Office

CLAUDE = story.caller("claude")


def news(answer: httpx.Response) -> Iterator[int]:
    """The positions that a page is told."""
    for line in answer.iter_lines():
        if line.startswith("id: "):
            yield int(line[4:])


def test_a_page_hears_of_a_letter_through_another_door(dana: httpx.Client, office: Office) -> None:
    with dana.stream("GET", "/live", params={"after": office.last()}) as answer:
        told = news(answer)
        sent = office.send(CLAUDE, "codex", text="hello")
        assert next(position for position in told if position >= sent.position)


def test_a_page_that_was_away_hears_at_once_that_it_is_behind(
    dana: httpx.Client, office: Office
) -> None:
    seen = office.last()
    sent = office.send(CLAUDE, "codex", text="while it was away")
    with dana.stream("GET", "/live", headers={"last-event-id": str(seen)}) as answer:
        assert next(news(answer)) >= sent.position


def test_many_letters_are_one_piece_of_news(dana: httpx.Client, office: Office) -> None:
    with dana.stream("GET", "/live", params={"after": office.last()}) as answer:
        for number in range(100):
            office.send(CLAUDE, "codex", text=f"letter {number}")
        heard = []
        for position in news(answer):
            heard.append(position)
            if position == office.last():
                break
    assert len(heard) < 50
