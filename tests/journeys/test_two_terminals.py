"""The README's two terminals, word for word: enrol, ask, delegate, cancel, discover."""

import socket
import time
from pathlib import Path

from commands.terminal import PATIENCE
from journeys.terminals import Terminals, shape, steps
from waypost.carriers.keyring import Address, Presence

TYPED = steps("README.md", "family", "kit")


def test_the_page_shows_the_whole_story() -> None:
    words = " ".join(step.line for step in TYPED)
    for word in ("listen", "peers add", "ask", "delegate", "cancel", "discover"):
        assert f"waypost {word}" in words


def test_what_the_page_shows_is_what_happens(tmp_path: Path) -> None:
    for agent, address in zip(("family", "kit"), _free_addresses(), strict=True):
        Presence(tmp_path, agent).remember(address)
    terminals = Terminals(tmp_path)
    try:
        for step in TYPED:
            until = time.monotonic() + PATIENCE
            shown = terminals.play(step)
            while step.line == "waypost peers" and "someone knocked" not in shown:
                assert time.monotonic() < until, shown  # a knock is written down a moment later
                shown = terminals.play(step)
            assert shape(shown) == shape(step.shown), step.line
    finally:
        terminals.close()


def _free_addresses() -> list[Address]:
    """Two ports of this machine that nobody uses."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other,
    ):
        for probe in (one, other):
            probe.bind(("127.0.0.1", 0))
        return [Address(*probe.getsockname()) for probe in (one, other)]
