"""How letters are listed: ids that stay apart, and conversations where every letter stands once."""

from hypothesis import given
from hypothesis import strategies as st

from commands.terminal import quick
from waypost.commands.console import Console
from waypost.commands.office_show import short_ids, show_tree

IDS = st.uuids().map(str) | st.text("ab-", min_size=1, max_size=12)


@given(st.lists(IDS, unique=True, max_size=20))
def test_a_short_id_is_the_beginning_of_one_letter_only(ids: list[str]) -> None:
    for whole, short in short_ids([{"id": one} for one in ids]).items():
        others = [one for one in ids if one != whole and not one.startswith(whole)]
        assert whole.removeprefix("msg-").startswith(short)
        assert not any(one.startswith(short) for one in others if short != whole)


@given(st.lists(st.integers(-1, 9), max_size=10))
def test_every_letter_of_a_thread_is_drawn_once_whatever_answers_what(parents: list[int]) -> None:
    letters = [
        {"id": f"id{number}", "reply_to": f"id{parent}", "from": "a", "type": "t", "subject": "s"}
        for number, parent in enumerate(parents)
    ]
    drawn: list[str] = []

    class Paper(Console):
        def data(self, text: str = "") -> None:
            drawn.append(text.split()[-1])

    show_tree(Paper(), letters)
    assert sorted(drawn) == sorted(one["id"] for one in letters)


def test_help_needs_no_office() -> None:
    assert quick("waypost", "inbox", "--help").code == 0
