"""The names of OACP's messages, conversations and files. Time and chance are arguments."""

import re

MAX_ID = 200
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_MESSAGE_ID = re.compile(rf"(?:{_UUID}|msg-[0-9]{{8}}T[0-9]{{4}}Z-{_NAME}-[a-z0-9]{{4}})")
_ID = re.compile(r"[^\s/]+")
_CONVERSATION_ID = re.compile(rf"conv-[0-9]{{8}}-{_NAME}-[0-9]{{3,}}")
_RAND = re.compile("_[A-Za-z0-9]+")
_FILE_NAME = re.compile(r"(?P<minute>[0-9]{8}T[0-9]{4}Z)_(?P<rest>.+)[.]ya?ml")


def compact(timestamp: str) -> str:
    """Shorten 2026-03-13T14:30:00Z to the form that ids and file names use."""
    return timestamp[:16].replace("-", "").replace(":", "") + "Z"


def message_id(now: str, sender: str, rand: str) -> str:
    """Make a message's id."""
    return f"msg-{compact(now)}-{sender}-{rand}"


def conversation_id(now: str, agent: str, sequence: int) -> str:
    """Make the id of the `sequence`-th conversation that an agent starts on a day."""
    return f"conv-{compact(now)[:8]}-{agent}-{sequence:03d}"


def file_name(created_at_utc: str, sender: str, type_name: str, rand: str | None = None) -> str:
    """Make the name of a message's file; `rand` keeps it apart from another of the same minute."""
    ending = f"_{rand}.yaml" if rand else ".yaml"
    return f"{compact(created_at_utc)}_{sender}_{type_name}{ending}"


def may_be_id(text: str) -> bool:
    """Tell whether a text can serve as a message's id at all."""
    return len(text) <= MAX_ID and _ID.fullmatch(text) is not None


def is_message_id(text: str) -> bool:
    """Tell whether a text has one of the two usual forms of a message id."""
    return _MESSAGE_ID.fullmatch(text) is not None


def is_conversation_id(text: str) -> bool:
    """Tell whether a text has the usual form of a conversation's id."""
    return _CONVERSATION_ID.fullmatch(text) is not None


def file_name_agrees(name: str, created_at_utc: str, sender: str, type_name: str) -> bool:
    """Tell whether a file name fits the message in it; a name of another form says nothing."""
    match = _FILE_NAME.fullmatch(name)
    if match is None:
        return True
    usual, rest = f"{sender}_{type_name}", match["rest"]
    if match["minute"] != compact(created_at_utc) or not rest.startswith(usual):
        return False
    return rest == usual or _RAND.fullmatch(rest, len(usual)) is not None
