"""A project with some life in it, for the pages' stories and for their pictures."""

import json
from pathlib import Path
from time import time

from waypost.carriers.keyring import Peers, identity, token_of
from waypost.faces.enclosures import enclose
from waypost.office import Office, carrying, consigning
from waypost.office.callers import Caller

PROJECT = "shop"


def caller(name: str) -> Caller:
    return Caller(name, PROJECT, "cli")


def trouble(office: Office) -> None:
    """What goes wrong: letters that don't arrive, two who only thank each other, peers."""
    dana = Caller("dana", PROJECT, "web")
    office.register(caller("mail-bot"), carrier="folder", with_token=False)
    tried = office.send(caller("codex"), "mail-bot", text="The report of the night is ready.")
    (pending,) = consigning.pending(office.desk, letters=[tried.position])
    soon = office.desk.world.now() + 90_000
    carrying.waits(office.desk, pending._replace(tries=3), "no space left on device", soon)
    lost = office.send(caller("claude"), "gemini", text="Translate the glossary.")
    office.settle(caller("gemini"), lost.id, "bounced", "its mailbox is full")
    for number in range(18):
        sender, to = ("claude", "gemini") if number % 2 else ("gemini", "claude")
        office.send(caller(sender), to, text=f"Thank you for number {number}!")
    office.hold_pair(dana, "claude", "gemini", "they only thank each other")
    office.send(caller("gemini"), "claude", text="You are welcome!")


def peers(office: Office) -> None:
    """A key for claude, a peer that it trusts, and a stranger who knocked."""
    home = Path(office.home)
    me, friend = identity(home, "claude"), identity(home / "elsewhere", "family")
    stranger = identity(home / "elsewhere", "stranger")
    office.register(caller("claude"), key_id=me.id, with_token=False)
    ring = Peers(home, me)
    ring.add(token_of(friend.public_key, "127.0.0.1", 9), "family")
    ring.knocked(stranger.public_key, "192.168.1.20", time())
    ring.saw(friend.id, time() - 4000)
    ring.save_notes()


def tell(office: Office) -> None:
    """Three agents and a person: a task with its answer, a question, an error, files held."""
    for name, program in (("claude", "Claude Code"), ("codex", "Codex"), ("gemini", "Gemini CLI")):
        office.register(caller(name), program=program, with_token=False)
    office.register(caller("dana"), kind="person", with_token=False)
    _work(office)
    _ask(office)
    office.reserve(caller("codex"), ["src/api/**", "tests/api/**"], reason="the rate limit")
    office.reserve(caller("gemini"), ["docs/*.md"], "shared_read", 30, task_id="bd-43")


def _work(office: Office) -> None:
    task = office.send(
        caller("claude"), "codex", "task_request", subject="Rate limit for /api/v1",
        text="Put a rate limit in front of **every** route under `/api/v1`.\n\n"
        "- 100 requests a minute for each key\n- answer 429 with `Retry-After` beyond that\n\n"
        "```\nGET /api/v1/items -> 429\n```", priority="high",
    )  # fmt: skip
    office.read(caller("codex"), task.id)
    office.acknowledge(caller("codex"), task.id, note="begun")
    text = "Done for reads. Are the till and the app exempt?"
    measured = {"name": "load-test.csv", "text": "second,answers,refused\n" + "1,100,12\n" * 400}
    said = enclose(office, caller("codex"), {"text": text, "attachments": [measured]})
    office.reply(caller("codex"), task.id, **said)
    office.send(caller("gemini"), ["claude", "codex"], text="The docs are up to date.")
    office.send(caller("codex"), "gemini", "question", text="Which page lists the error codes?")
    for number in range(5):
        office.send(caller("claude"), "gemini", text=f"Page {number + 1} needs an example.")


def _ask(office: Office) -> None:
    options = ["Yes, drop it", "No, keep it", "Ask me tomorrow"]
    office.ask_human(
        caller("claude"), "May I drop the table `legacy_orders`? Nothing reads it since May.",
        options, "urgent",
    )  # fmt: skip
    office.ask_human(caller("codex"), "The release is ready. Shall I tag `v2.4.0`?")
    report = {
        "task_id": "bd-42", "severity": "blocking", "needs_human_intervention": True,
        "error": {"code": "no_access", "message": "The staging database refuses our password."},
        "reproduction_steps": ["make staging", "wait for the migration"],
        "suggested_actions": ["rotate the password", "give the agent a new one"],
    }  # fmt: skip
    office.send(caller("gemini"), "claude", "error_report", json.loads(json.dumps(report)))
