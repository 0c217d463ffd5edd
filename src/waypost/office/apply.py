"""From events to tables: the only place that writes them.

Deterministic: all that is needed stands in the event, its time too. So a replay, or another machine
that follows the same journal, comes to the same tables. What a kind does is one function.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from waypost.office import statements as sql
from waypost.office import words
from waypost.office.events import Entry, canonical, letters_about
from waypost.office.states import State, follows
from waypost.office.tables import scope_key

PEOPLE = "people"  # the name of the mailbox that the people of a project share
PAIR = "held pair"  # the guard of letters between two whom a person keeps apart
_URGENT_KINDS = ("task_request", "review_request")  # come before the rest of their priority


def apply(db: sqlite3.Connection, entry: Entry) -> None:
    """Bring the tables to where they stand after this entry. Once for each entry, in order."""
    for scope in entry.scopes:
        db.execute(sql.MOVE_SCOPE, (scope_key(scope), entry.position))
    _KINDS[entry.event.kind](db, entry)
    for letter in letters_about(entry.event):
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
    who = event.project, data["name"], data["name"].casefold(), data["kind"], about
    facts = data.get("key_id"), data.get("carrier"), data.get("token"), "{}", event.at, event.at
    db.execute(sql.ADD_AGENT, (*who, *facts, data.get("node")))


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
    _add_deliveries(db, entry, (sent_at, event.at, expires_at, ack_by))
    if (box := data.get("from_box")) is not None:
        db.execute(sql.AGENT_ACTIVE, (event.at, box))
    if "answers" in data:
        letter, mailbox = data["answers"]
        reached = data.get("answer_state", State.DONE)
        noted = position if data.get("noted") else None
        _move(db, letter, mailbox, reached, event.at, data.get("accepted"), noted)
    if "bounces" in data:
        letter, mailbox = data["bounces"]
        _move(db, letter, mailbox, data.get("bounced_as", State.BOUNCED), event.at, noted=position)
    if "until" in data:
        db.execute(sql.ADD_ASKED, (position, data["boxes"][0], data["until"]))
    for box, name in data.get("files", ()):
        db.execute(sql.PLACE, (box, name, position, data["given"], data.get("node")))
    if event.message is not None:
        db.execute(sql.ADD_WORDS, (position, *words.of_letter(event, data["to"])))
    if "reservation" in data:
        _reserve(db, entry, data["reservation"], texts.get("reason", ""), data["sender"])


def _add_deliveries(db: sqlite3.Connection, entry: Entry, times: tuple[int | None, ...]) -> None:
    """Put a letter into its mailboxes; where a guard holds it, it doesn't count as unread."""
    data, position = entry.event.data, entry.position
    rank = 2 * data["priority"] + (data["type"] not in _URGENT_KINDS)
    states = data.get("states") or [State.STORED] * len(data["boxes"])
    held = dict(data.get("held", ()))
    for box, state in zip(data["boxes"], states, strict=True):
        db.execute(sql.ADD_DELIVERY, (position, box, state, rank, *times))
        if box in held:
            db.execute(sql.LET_WAIT, (position, box, 0, None, held[box], entry.event.at, position))
        elif state <= State.HANDED_OVER:
            db.execute(sql.MORE_UNREAD, (position, box))


def _letters_moved(db: sqlite3.Connection, entry: Entry) -> None:
    event, data = entry.event, entry.event.data
    noted = entry.position if data.get("noted") else None
    for letter, box in data["deliveries"]:
        if data.get("closes"):
            _close(db, letter, box, entry)
        else:
            _move(db, letter, box, data["state"], event.at, data.get("accepted"), noted)
    for box, name, letter, given in data.get("files", ()):
        db.execute(sql.PLACE, (box, name, letter, given, data.get("node")))
    for box, name in data.get("gone", ()):
        db.execute(sql.FORGET_PLACE, (box, name))


def _letter_translated(db: sqlite3.Connection, entry: Entry) -> None:
    """What goes to the recipient in place of the letter's own message."""
    data = entry.event.data
    whose = (data["letter"], data["dialect"], data["recipient"], entry.event.project)
    db.execute(sql.ADD_TRANSLATION, (*whose, data["id"], data["type"], entry.position))


def _delivery_waits(db: sqlite3.Connection, entry: Entry) -> None:
    """A delivery wasn't made: it is tried again at a time, or a person decides, and has it held.

    What is held is in no inbox. What a person lets in to who fetches it, waits no more.
    """
    event, data = entry.event, entry.event.data
    letter, box = data["delivery"]
    row = db.execute(sql.DELIVERY_STATE, (letter, box)).fetchone()
    if row is None or row[0] != State.STORED:
        return  # it got on, or was given up, meanwhile
    was_held = db.execute(sql.IS_HELD, (letter, box)).fetchone() is not None
    is_held = data.get("next_at") is None
    if data.get("shown_to"):
        db.execute(sql.WAIT_NO_MORE, (letter, box))
    else:
        when = (data["tries"], data.get("next_at"), data.get("guard", ""), event.at)
        db.execute(sql.LET_WAIT, (letter, box, *when, entry.position))
    if is_held and not was_held:
        db.execute(sql.FEWER_UNREAD, (box,))
    elif was_held and not is_held:
        db.execute(sql.MORE_UNREAD, (entry.position, box))


def _delivery_reopened(db: sqlite3.Connection, entry: Entry) -> None:
    """What had come back is on its way again; what was put away is on its owner's list again."""
    data, at = entry.event.data, entry.event.at
    row = db.execute(sql.DELIVERY_STATE, data["delivery"]).fetchone()
    if row == (State.DONE,) and "state" in data:
        db.execute(sql.MOVE_DELIVERY, (data["state"], at, None, None, *data["delivery"]))
    elif row == (State.BOUNCED,):
        db.execute(sql.MOVE_DELIVERY, (State.STORED, at, None, entry.position, *data["delivery"]))
        db.execute(sql.MORE_UNREAD, (entry.position, data["delivery"][1]))


def _letter_redirected(db: sqlite3.Connection, entry: Entry) -> None:
    """A letter goes to somebody else, and to its first recipient no more."""
    event, data = entry.event, entry.event.data
    letter, box = data["delivery"]
    _close(db, letter, box, entry)
    db.execute(sql.TO_SOMEBODY_ELSE, (data["box"], event.at, letter, box))
    db.execute(sql.MORE_UNREAD, (entry.position, data["box"]))
    words.goes_to(db, letter, data["shown_to"])


def _close(db: sqlite3.Connection, letter: int, box: int, entry: Entry) -> None:
    """A person ends a delivery that wasn't read; also one that came to nothing before."""
    row = db.execute(sql.DELIVERY_STATE, (letter, box)).fetchone()
    if row is not None and row[0] in (State.BOUNCED, State.EXPIRED):
        moved = (State.WITHDRAWN, entry.event.at, None, entry.position, letter, box)
        db.execute(sql.MOVE_DELIVERY, moved)
    else:
        _move(db, letter, box, State.WITHDRAWN, entry.event.at, noted=entry.position)


def _pairs_held(db: sqlite3.Connection, entry: Entry) -> None:
    by = entry.event.actor, entry.event.at, entry.position
    for pair in entry.event.data["pairs"]:
        db.execute(sql.HOLD_PAIR, (entry.event.project, *pair, *by))


def _pairs_released(db: sqlite3.Connection, entry: Entry) -> None:
    """Letters between two go on: to their carriers, or to be seen by who fetches them."""
    event = entry.event
    for pair in event.data["pairs"]:
        db.execute(sql.RELEASE_PAIR, (event.project, *pair))
        held = db.execute(sql.HELD_OF_PAIR, (PAIR, event.project, *pair)).fetchall()
        for letter, box, is_carried in held:
            if is_carried:
                db.execute(sql.LET_WAIT, (letter, box, 0, event.at, "", event.at, entry.position))
            else:
                db.execute(sql.WAIT_NO_MORE, (letter, box))
            db.execute(sql.MORE_UNREAD, (entry.position, box))


def _exchange_ended(db: sqlite3.Connection, entry: Entry) -> None:
    """Nobody waits for the answer to these letters any more."""
    for letter in entry.event.data["letters"]:
        db.execute(sql.ASK_NO_MORE, (letter,))


def _move(
    db: sqlite3.Connection,
    letter: int,
    box: int,
    state: int,
    at: int,
    accepted: bool | None = None,
    noted: int | None = None,
) -> None:
    row = db.execute(sql.DELIVERY_STATE, (letter, box)).fetchone()
    if row is None or not follows(row[0], state):
        return
    db.execute(sql.MOVE_DELIVERY, (state, at, accepted, noted, letter, box))
    was_unread, is_unread = row[0] <= State.HANDED_OVER, state <= State.HANDED_OVER
    if row[0] == State.STORED:
        waited = db.execute(sql.WAIT_NO_MORE, (letter, box)).fetchall()
        was_unread = not any(next_at is None for (next_at,) in waited)  # else it was held
    if was_unread and not is_unread:
        db.execute(sql.FEWER_UNREAD, (box,))
    elif is_unread and not was_unread:
        db.execute(sql.MORE_UNREAD, (letter, box))


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
    "letters.moved": _letters_moved,
    "letter.translated": _letter_translated,
    "delivery.waits": _delivery_waits,
    "delivery.reopened": _delivery_reopened,
    "letter.redirected": _letter_redirected,
    "pairs.held": _pairs_held,
    "pairs.released": _pairs_released,
    "exchange.ended": _exchange_ended,
    "files.reserved": _files_reserved,
    "files.released": _files_released,
    "attachment.stored": _attachment_stored,
    "contents.removed": _contents_removed,
    "message.refused": _only_noted,
    **dict.fromkeys(("peer.enrolled", "peer.revoked", "people.told"), _only_noted),
}
