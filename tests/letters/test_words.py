"""What strangers wrote, shown so that nobody stumbles over it."""

import shlex

from hypothesis import given
from hypothesis import strategies as some

from waypost.letters.words import brief, size, word


@given(some.text())
def test_a_shell_takes_any_text_for_one_word(text: str) -> None:
    words = shlex.split(word(text))
    assert len(words) == 1
    assert words[0] == text or not text.isprintable()


@given(some.text(), some.integers(1, 50))
def test_a_shown_text_is_short_and_on_one_line(text: str, limit: int) -> None:
    shown = brief(text, limit)
    assert shown.isprintable()
    assert len(shown) <= limit or not text.isprintable()


def test_a_size_is_said_as_people_say_it() -> None:
    assert [size(number) for number in (0, 1, 1023, 1024, 3 << 19)] == [
        "0 bytes", "1 byte", "1023 bytes", "1 KiB", "1.5 MiB",
    ]  # fmt: skip
