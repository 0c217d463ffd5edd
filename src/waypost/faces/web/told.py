"""Events in words: what stands before the letter that an event is about, and what behind it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from waypost.letters.words import brief, size
from waypost.office.auditing import Deed

_MOST_NAMES = 4
_LONG = 160


class Told(NamedTuple):
    """An event as a sentence; between the two parts stands the letter, if it is about one."""

    before: str
    after: str = ""
    is_about_letter: bool = True


KINDS = {
    "letter.sent": "a letter was sent",
    "letters.moved": "a letter got further",
    "letter.translated": "a letter was translated",
    "delivery.waits": "a delivery waits",
    "letter.redirected": "a letter was given to somebody else",
    "delivery.reopened": "a delivery was tried anew",
    "exchange.ended": "nobody waits for an answer any more",
    "files.reserved": "files were reserved",
    "files.released": "files were released",
    "agent.registered": "a mailbox was opened",
    "agent.changed": "a mailbox was changed",
    "attachment.stored": "a file was kept",
    "contents.removed": "contents were removed",
    "pairs.held": "two were kept apart",
    "pairs.released": "two may write again",
    "peer.enrolled": "a peer was trusted",
    "peer.revoked": "a peer was trusted no more",
    "message.refused": "a message was refused",
}
TITLES = {"oacp": "OACP", "acp": "ACP", "agentmail": "Agent Mail"}


def told(
    deed: Deed, to: tuple[str, ...], state: str | None, note: str | None = None, *, own: bool = True
) -> Told:
    """An event as a sentence. `own`: a letter that was sent is the letter that it is about."""
    data, names = deed.data, _listed(to)
    if deed.kind == "letter.sent":
        return _sent(deed, names, state, note, own)
    if deed.kind == "letters.moved":
        return _moved(deed, names, state, note)
    if deed.kind == "letter.translated":
        title = TITLES.get(str(data.get("dialect")), "")
        whom = f" for {data['recipient']}" if data.get("recipient") else ""
        return Told("the office translated", f"into {title} {data.get('type')}{whom}")
    if deed.kind == "delivery.waits":
        return _waits(data, names, note)
    if deed.kind == "letter.redirected":
        return Told(f"{deed.actor} gave", f"to {data.get('shown_to')} instead of {names}")
    if deed.kind == "delivery.reopened":
        return Told(f"{deed.actor} had", f"tried again for {names}")
    if deed.kind == "exchange.ended":
        return Told("nobody waits on the line any more for the answer to")
    return Told(_OTHERS.get(deed.kind, _plain)(deed, data), "", is_about_letter=False)


def _sent(deed: Deed, names: str, state: str | None, note: str | None, own: bool) -> Told:
    sender = str(deed.data.get("sender", deed.actor))
    if own:
        return Told(f"{sender} sent", f"to {names}" if names else "")
    if state == "bounced":
        return Told("the office gave up delivering", f"to {names}" + (f": {note}" if note else ""))
    return Told(f"{sender} answered", f"for {names}" if names and names != sender else "")


def _moved(deed: Deed, names: str, state: str | None, note: str | None) -> Told:
    who = names or deed.actor
    accepted = deed.data.get("accepted")
    behind = f": {note}" if note else ""
    if state == "handed_over":
        return Told("the office brought", f"to {who}{behind}")
    if state == "acknowledged":
        return Told(f"{who} won’t take" if accepted is False else f"{who} took", behind)
    said = {
        "read": Told(f"{who} read", behind), "done": Told(f"{who} dealt with", behind),
        "bounced": Told("the office gave up delivering", f"to {who}{behind}"),
        "withdrawn": Told(f"{deed.actor} took", f"back from {who}{behind}"),
        "expired": Told("nobody fetched", f"in time for {who}{behind}"),
    }  # fmt: skip
    return said.get(state or "", Told(f"{deed.actor} moved", f"for {who}"))


def _waits(data: Mapping[str, Any], names: str, note: str | None) -> Told:
    behind = f": {note}" if note else ""
    guard = str(data.get("guard") or "")
    if guard == "allowed":
        return Told("a person lets", f"go on to {names}")
    if data.get("next_at") is None:
        return Told(f"the guard “{guard}” holds", f"on its way to {names}{behind}")
    tries = data.get("tries")
    return Told("the office couldn’t bring", f"to {names} yet, try {tries}{behind}")


def _plain(deed: Deed, data: Mapping[str, Any]) -> str:
    return f"{deed.actor}: {deed.kind}"


def _reserved(deed: Deed, data: Mapping[str, Any]) -> str:
    patterns = brief(", ".join(map(str, data.get("patterns", ()))), _LONG)
    verb = "renewed" if data.get("renews") else "reserved"
    return f"{deed.actor} {verb} {patterns} ({str(data.get('mode')).replace('_', ' ')})"


def _released(deed: Deed, data: Mapping[str, Any]) -> str:
    count = len(data.get("reservations", ()))
    what = "a reservation" if count == 1 else f"{count} reservations"
    return f"{deed.actor} released {what}" + (" by force" if data.get("forced") else "")


_CHANGED = {
    "carrier": "how its mail travels",
    "key_id": "its key",
    "rules": "whose letters it takes",
}


def _changed(deed: Deed, data: Mapping[str, Any]) -> str:
    parts = [word for key, word in _CHANGED.items() if key in data]
    what = " and ".join(parts) or "its token or what is said of it"
    return f"{deed.actor} changed the mailbox of {data.get('name', deed.actor)}: {what}"


def _removed(deed: Deed, data: Mapping[str, Any]) -> str:
    count = len(data.get("positions", ()))
    return f"{deed.actor} removed {count} content" + ("" if count == 1 else "s")


def _pairs(deed: Deed, data: Mapping[str, Any]) -> str:
    verb = "holds" if deed.kind == "pairs.held" else "releases"
    pairs = [" writes to ".join(map(str, pair)) for pair in data.get("pairs", ())]
    return f"{deed.actor} {verb} what {', and what '.join(pairs)}"


def _peer(deed: Deed, data: Mapping[str, Any]) -> str:
    ends = "no more" if deed.kind == "peer.revoked" else "now"
    return f"{data.get('agent')} trusts {data.get('name')} {ends}"


_OTHERS: Mapping[str, Callable[[Deed, Mapping[str, Any]], str]] = {
    "files.reserved": _reserved,
    "files.released": _released,
    "agent.registered": lambda deed, data: f"{data.get('name', deed.actor)} has a mailbox",
    "agent.changed": _changed,
    "attachment.stored": lambda deed, data: (
        f"{deed.actor} keeps a file of " + size(int(data.get("size", 0)))
    ),
    "contents.removed": _removed,
    "pairs.held": _pairs,
    "pairs.released": _pairs,
    "peer.enrolled": _peer,
    "peer.revoked": _peer,
    "message.refused": lambda deed, data: f"a message of {deed.actor} was refused",
}


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
