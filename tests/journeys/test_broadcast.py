"""One letter for all: each of the others gets it once, in its own dialect."""

import pytest

from journeys.speakers import PATIENCE
from journeys.trio import NAMES, Trio
from office_town import caller

TOLD = {"codex": "notification", "claude": "status_update", "ada": "notify"}


def tell_all(trio: Trio, sender: str, text: str) -> None:
    if sender == "codex":  # a tool of files names them all, in each one's inbox
        trio.codex.tell(["claude", "ada"], "notification", text)
    elif sender == "claude":
        trio.claude.do("send_message", to=["*"], text=text)
    else:
        told = trio.run(trio.ada.me.notify("news", {"text": text}))
        assert sorted(told.result(PATIENCE).sent) == ["claude", "codex"]


@pytest.mark.parametrize("sender", NAMES)
def test_news_reach_everybody_once(trio: Trio, sender: str) -> None:
    text = f"Release at noon, says {sender}"
    tell_all(trio, sender, text)
    for recipient in NAMES:
        if recipient != sender:
            assert trio[recipient].gets(text).kind == TOLD[recipient]
    letters = trio.town.office.search(caller(sender), f'"{text}"').letters
    assert len(letters) == (2 if sender == "ada" else 1)
