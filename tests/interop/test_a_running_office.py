"""The existing command takes part in a running office and knows nothing of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from interop import peer
from office_town import PROJECT, Town, caller


@pytest.fixture
def shop(town: Town) -> Town:
    """Claude at its tools, codex in a folder, and an office that runs."""
    town.add("claude")
    town.add("codex", "folder")
    town.start()
    town.until(lambda: town.inbox("codex").is_dir())
    return town


def their_send(town: Town, sender: str, to: str, subject: str) -> dict[str, Any]:
    given = ("--type", "question", "--subject", subject, "--body", "For the login.", "--json")
    code, out, err = peer.say("send", PROJECT, "--from", sender, "--to", to, *given,
                              home=town.folders)  # fmt: skip
    assert code == 0, err
    sent: dict[str, Any] = json.loads(out)
    return sent


def test_what_they_send_is_answered_and_they_find_the_answer(shop: Town) -> None:
    sent = their_send(shop, "codex", "claude", "Which port?")
    letter = shop.letter("claude", "Which port?")
    assert (letter.header.id, letter.header.proof) == (sent["message_id"], "claimed")
    shop.office.reply(caller("claude"), letter.header.id, text="Port 8443")
    shop.file("codex", "Port 8443")
    code, out, _ = peer.say("inbox", PROJECT, "--agent", "codex", "--json", home=shop.folders)
    (found,) = json.loads(out)["agents"][0]["messages"]
    assert (code, found["from"], found["subject"]) == (0, "claude", "Port 8443")


def test_who_never_registered_gets_a_mailbox_by_writing(shop: Town) -> None:
    their_send(shop, "newcomer", "claude", "May I?")
    letter = shop.letter("claude", "May I?")
    shop.office.reply(caller("claude"), letter.header.id, text="You may.")
    assert "You may." in shop.file("newcomer", "You may.").read_text()


def test_their_deletion_is_done(shop: Town) -> None:
    sent = shop.office.send(caller("claude"), "codex", text="Do it.", type="task_request")
    file = shop.file("codex", "Do it.")
    shop.until(lambda: shop.states("claude", sent.id) == {"codex": "handed_over"})
    file.unlink()
    shop.until(lambda: shop.states("claude", sent.id) == {"codex": "done"})


@pytest.mark.parametrize("sender", ["claude", "a" * 64])
def test_they_find_no_fault_with_what_the_office_writes(shop: Town, sender: str) -> None:
    shop.add(sender)
    for number in range(20):
        shop.office.send(caller(sender), "codex", text=f"Letter {number}.")
    written: list[Path] = shop.until(lambda: _all_of(shop, 20))
    assert [one["errors"] for one in peer.read([str(path) for path in written])] == [[]] * 20


def _all_of(town: Town, many: int) -> list[Path] | None:
    found = town.files("codex")
    return found if len(found) == many else None
