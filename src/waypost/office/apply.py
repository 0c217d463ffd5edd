"""From events to tables: the only place that writes them.

Deterministic: all that is needed stands in the event, its time too. So a replay, or another machine
that follows the same journal, comes to the same tables. What a kind does is one function.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from waypost.office import delivering, words
from waypost.office import statements as sql
from waypost.office.delivering import PEOPLE
from waypost.office.events import Entry, canonical, letters_about
from waypost.office.states import State
from waypost.office.tables import scope_key


def apply(db: sqlite3.Connection, entry: Entry) -> None:
    """Bring the tables to where they stand after this entry. Once for each entry, in order."""
    for scope in entry.scopes:
        db.execute(sql.MOVE_SCOPE, (scope_key(scope), entry.position))
    event = entry.event
    db.execute(sql.ADD_DEED, (event.project, event.actor, event.kind, entry.position))
    _KINDS[event.kind](db, entry)
    for letter in letters_about(event):
        db.execute(sql.ADD_TRACE, (letter, entry.position))


def is_known(kind: str) -> bool:
    """Whether events of a kind can be applied."""
    return kind in _KINDS


def _agent_registered(db: sqlite3.Connection, entry: Entry) -> None:
    event, data = entry.event, entry.event.data
    if data.get("opens"):
        db.execute(sql.OPEN_PROJECT, (event.project, event.project.casefold(), event.at))
        _add_agent(db, entry, {"name": PEOPLE, "kind": PEOPLE})
    _add_agent(db, entry, data)


def _add_agent(db: sqlite3.Connection, entry: Entry, data: Mapping[str, Any]) -> None:
    event = entry.event
    about = canonical(event.texts or {}) if data["kind"] != PEOPLE else "{}"
    key, carrier, token = data.get("key_id"), data.get("carrier"), data.get("token")
    who = event.project, data["name"], data["name"].casefold(), data["kind"]
    times = event.at, event.at
    db.execute(sql.ADD_AGENT, (*who, about, key, carrier, token, "{}", *times, data.get("node")))


def _agent_changed(db: sqlite3.Connection, entry: Entry) -> None:
    event, data = entry.event, entry.event.data
    who = event.project, data["name"].casefold()
    about, key, carrier, node, token, rules = db.execute(sql.AGENT_ROW, who).fetchone()
    about = canonical(json.loads(about) | dict(event.texts or {}))
    rules = canonical(data["rules"]) if "rules" in data else rules
    token = data.get("token", token) or None  # an empty one takes it away
    lives = data.get("key_id", key), data.get("carrier", carrier), data.get("node", node)
    db.execute(sql.CHANGE_AGENT, (about, *lives, token, rules, event.at, *who))


def _letter_sent(db: sqlite3.Connection, entry: Entry) -> None:
    event, data, position = entry.event, entry.event.data, entry.position
    texts = event.texts or {}
    subject = texts.get("subject", "")
    sent_at = data.get("sent_at", event.at)
    expires_at, ack_by = data.get("expires_at"), data.get("ack_by")
    envelope = (event.project, data["id"], data["sender"], canonical(data["to"]), data["thread"])
    kind = (data["priority"], data["dialect"], data["type"], sent_at, expires_at, ack_by)
    db.execute(
        sql.ADD_LETTER,
        (position, *envelope, data.get("reply_to"), subject, *kind, data.get("wants_ack", 0),
         event.door, event.proof, data["given"]),
    )  # fmt: skip
    db.execute(sql.WIDEN_SPAN, (position, sent_at))
    delivering.add_deliveries(db, entry, (sent_at, event.at, expires_at, ack_by))
    if (box := data.get("from_box")) is not None:
        db.execute(sql.AGENT_ACTIVE, (event.at, box))
    if "answers" in data:
        letter, mailbox = data["answers"]
        reached = data.get("answer_state", State.DONE)
        noted = position if data.get("noted") else None
        delivering.move(db, letter, mailbox, reached, event.at, data.get("accepted"), noted)
    if "bounces" in data:
        letter, mailbox = data["bounces"]
        reached = data.get("bounced_as", State.BOUNCED)
        delivering.move(db, letter, mailbox, reached, event.at, noted=position)
    if "until" in data:
        db.execute(sql.ADD_ASKED, (position, data["boxes"][0], data["until"]))
    for box, name in data.get("files", ()):
        db.execute(sql.PLACE, (box, name, position, data["given"], data.get("node")))
    if event.message is not None:
        db.execute(sql.ADD_WORDS, (position, *words.of_letter(event, data["to"])))
    if "reservation" in data:
        _reserve(db, entry, data["reservation"], texts.get("reason", ""), data["sender"])


def _letter_translated(db: sqlite3.Connection, entry: Entry) -> None:
    """What goes to the recipient in place of the letter's own message."""
    data = entry.event.data
    whose = (data["letter"], data["dialect"], data["recipient"], entry.event.project)
    db.execute(sql.ADD_TRANSLATION, (*whose, data["id"], data["type"], entry.position))


def _exchange_ended(db: sqlite3.Connection, entry: Entry) -> None:
    """Nobody waits for the answer to these letters any more."""
    for letter in entry.event.data["letters"]:
        db.execute(sql.ASK_NO_MORE, (letter,))


def _files_reserved(db: sqlite3.Connection, entry: Entry) -> None:
    event = entry.event
    _reserve(db, entry, event.data, (event.texts or {}).get("reason", ""), event.actor)


def _reserve(
    db: sqlite3.Connection, entry: Entry, data: Mapping[str, Any], reason: str, holder: str
) -> None:
    for renewed in data.get("renews", ()):
        db.execute(sql.END_RESERVATION, (entry.event.at, holder, renewed))
    lease = (data.get("task_id"), reason, entry.event.at, data["ends_at"])
    what = (holder, data["mode"], canonical(data["patterns"]))
    db.execute(sql.ADD_RESERVATION, (entry.position, entry.event.project, *what, *lease))


def _files_released(db: sqlite3.Connection, entry: Entry) -> None:
    for reservation in entry.event.data["reservations"]:
        db.execute(sql.END_RESERVATION, (entry.event.at, entry.event.actor, reservation))


def _attachment_stored(db: sqlite3.Connection, entry: Entry) -> None:
    event, data = entry.event, entry.event.data
    if event.message is None:
        return  # it was removed since
    name = (event.texts or {}).get("name", "")
    what = (name, data["media_type"], data["size"], event.at)
    db.execute(sql.ADD_ATTACHMENT, (data["sha256"], event.project, entry.position, *what))


def _contents_removed(db: sqlite3.Connection, entry: Entry) -> None:
    """What was written at these positions goes, from everywhere; the events stay."""
    had_words = False
    for position in entry.event.data["positions"]:
        had_words |= words.forget(db, position)
        db.execute(sql.FORGET_SUBJECT, (entry.event.at, position))
        db.execute(sql.FORGET_REASON, (position,))
        db.execute(sql.FORGET_ATTACHMENT, (position,))
        db.execute(sql.FORGET_CONTENT, (position,))
    if had_words and entry.event.data.get("for_good"):  # a replay never had them
        words.merge(db)


def _only_noted(db: sqlite3.Connection, entry: Entry) -> None:
    """What happened elsewhere, and changes no table here; its scopes may say it."""


_KINDS: dict[str, Callable[[sqlite3.Connection, Entry], None]] = {
    "agent.registered": _agent_registered,
    "agent.changed": _agent_changed,
    "letter.sent": _letter_sent,
    "letters.moved": delivering.letters_moved,
    "letter.translated": _letter_translated,
    "delivery.waits": delivering.delivery_waits,
    "delivery.reopened": delivering.delivery_reopened,
    "letter.redirected": delivering.letter_redirected,
    "pairs.held": delivering.pairs_held,
    "pairs.released": delivering.pairs_released,
    "exchange.ended": _exchange_ended,
    "files.reserved": _files_reserved,
    "files.released": _files_released,
    "attachment.stored": _attachment_stored,
    "contents.removed": _contents_removed,
    **dict.fromkeys(
        ("message.refused", "peer.enrolled", "peer.revoked", "people.told"), _only_noted
    ),
}
KINDS = tuple(_KINDS)
