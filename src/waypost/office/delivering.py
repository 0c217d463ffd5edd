"""What becomes of deliveries: the part of `apply` that writes the mailboxes.

A delivery is one letter in one mailbox: its state, whether it waits, and whether it is unread.
"""

import sqlite3

from waypost.office import statements as sql
from waypost.office import words
from waypost.office.asking import asks
from waypost.office.events import Entry
from waypost.office.states import State, follows

PEOPLE = "people"  # the name of the mailbox that the people of a project share
PAIR = "held pair"  # the guard of letters between two whom a person keeps apart
_URGENT_KINDS = ("task_request", "review_request")  # come before the rest of their priority


def add_deliveries(db: sqlite3.Connection, entry: Entry, times: tuple[int | None, ...]) -> None:
    """Put a letter into its mailboxes; where a guard holds it, it doesn't count as unread."""
    data, position = entry.event.data, entry.position
    rank = 2 * data["priority"] + (data["type"] not in _URGENT_KINDS)
    states = data.get("states") or [State.STORED] * len(data["boxes"])
    held = dict(data.get("held", ()))
    for name, box, state in zip(data["to"], data["boxes"], states, strict=True):
        is_asked = name == PEOPLE or asks(data)
        db.execute(sql.ADD_DELIVERY, (position, box, state, rank, *times, is_asked))
        if box in held:
            db.execute(sql.LET_WAIT, (position, box, 0, None, held[box], entry.event.at, position))
        elif state <= State.HANDED_OVER:
            db.execute(sql.MORE_UNREAD, (position, box))


def letters_moved(db: sqlite3.Connection, entry: Entry) -> None:
    event, data = entry.event, entry.event.data
    noted = entry.position if data.get("noted") else None
    for letter, box in data["deliveries"]:
        if data.get("closes"):
            _close(db, letter, box, entry)
        else:
            move(db, letter, box, data["state"], event.at, data.get("accepted"), noted)
    for box, name, letter, given in data.get("files", ()):
        db.execute(sql.PLACE, (box, name, letter, given, data.get("node")))
    for box, name in data.get("gone", ()):
        db.execute(sql.FORGET_PLACE, (box, name))


def delivery_waits(db: sqlite3.Connection, entry: Entry) -> None:
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


def delivery_reopened(db: sqlite3.Connection, entry: Entry) -> None:
    """What had come back is on its way again; what was put away is on its owner's list again."""
    data, at = entry.event.data, entry.event.at
    row = db.execute(sql.DELIVERY_STATE, data["delivery"]).fetchone()
    if row == (State.DONE,) and "state" in data:
        db.execute(sql.MOVE_DELIVERY, (data["state"], at, None, None, *data["delivery"]))
    elif row == (State.BOUNCED,):
        db.execute(sql.MOVE_DELIVERY, (State.STORED, at, None, entry.position, *data["delivery"]))
        db.execute(sql.MORE_UNREAD, (entry.position, data["delivery"][1]))


def letter_redirected(db: sqlite3.Connection, entry: Entry) -> None:
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
        move(db, letter, box, State.WITHDRAWN, entry.event.at, noted=entry.position)


def pairs_held(db: sqlite3.Connection, entry: Entry) -> None:
    by = entry.event.actor, entry.event.at, entry.position
    for pair in entry.event.data["pairs"]:
        db.execute(sql.HOLD_PAIR, (entry.event.project, *pair, *by))


def pairs_released(db: sqlite3.Connection, entry: Entry) -> None:
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


def move(
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
