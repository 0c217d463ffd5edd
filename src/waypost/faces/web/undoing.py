"""Undoing what was just done, as far as that can be: the button beside the word about it."""

from contextlib import suppress

from waypost.errors import NotAllowedError, UsageError
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.office import Office
from waypost.office.callers import Caller

_LETTERS = ("replied", "sent", "nudged")
_ANSWERS = ("answered", "approved", "denied")
UNDONE = frozenset((*_LETTERS, *_ANSWERS, "put_away"))  # by the word about what was done


def undo(office: Office, caller: Caller, form: Query) -> str:
    """Take back a letter while nobody has read it, or bring back what was put away.

    A question whose answer is taken back is open again. Raises ConflictError when it is too late.
    """
    did, letter = form.get("did"), form.get("letter")
    if did not in UNDONE:
        raise UsageError("that can't be undone")
    if did == "put_away":
        office.bring_back(caller, letter)
        return url("/needs", did="undone")
    header = office.withdraw(caller, letter)
    if header.reply_to and set(header.states.values()) == {"withdrawn"}:
        with suppress(NotAllowedError):  # it wasn't written to us, so it isn't ours to open
            office.bring_back(caller, header.reply_to)
    if did in _ANSWERS:
        return url("/needs", did="undone")
    return url("/thread", id=header.thread, did="withdrawn")
