"""From what a caller gives to a message of its dialect: base fields filled in, all checked.

The sender is the caller, never an argument. Free text becomes a notification of OACP.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from waypost.dialects import DIALECTS, dialect
from waypost.dialects.message import Fields, Message
from waypost.dialects.oacp.ids import conversation_id
from waypost.dialects.secrets import find_secrets
from waypost.errors import (
    NotAllowedError,
    SecretDetectedError,
    UnknownTypeError,
    UsageError,
    quoted,
)
from waypost.letters.names import did_you_mean
from waypost.letters.priority import ACP_IMPORTANCE, AGENT_MAIL, OACP, Priority, from_word, to_word
from waypost.office.envelope import first_line
from waypost.office.events import canonical, digest
from waypost.office.members import EVERYONE, Member
from waypost.office.world import World, moment

FREE_TEXT = "notification"
_SENDERS = {"oacp": "from", "acp": "from", "agentmail": "sender_id"}
_IDS = {"oacp": "id", "acp": "id", "agentmail": "message_id"}


class Draft(NamedTuple):
    """A letter as its writer gives it; what is left out is filled in."""

    to: Sequence[str] = ()
    type: str | None = None
    content: Mapping[str, Any] | None = None
    text: str | None = None
    subject: str | None = None
    thread: str | None = None
    reply_to: str | None = None
    priority: str | None = None
    acknowledge: bool = False
    acknowledge_minutes: int | None = None
    expires_minutes: int | None = None
    message_id: str | None = None
    allow_secrets: bool = False
    options: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """The type of the message; free text is a notification."""
        return self.type or FREE_TEXT

    @property
    def fingerprint(self) -> str:
        """The hash of what was given: two sends of one id are the same if these are."""
        given = self._replace(to=list(self.to), content=dict(self.content or {}),
                              options=list(self.options))  # fmt: skip

        return digest(canonical(given._asdict()).encode("utf-8", "surrogatepass"))


def dialect_of(type_name: str) -> str:
    """The dialect that has a type. Raises UnknownTypeError."""
    for name in DIALECTS:
        if type_name in dialect(name).types:
            return name
    if any(find_secrets(type_name)):
        raise SecretDetectedError("the type seems to hold a secret")
    known = [known for name in DIALECTS for known in dialect(name).types]
    near = did_you_mean(type_name, known)
    raise UnknownTypeError(f"no dialect has a message type {quoted(type_name)}", hint=near)


def given_id(draft: Draft) -> str | None:
    """The id that the writer chose, as an argument or inside the content."""
    if draft.message_id is not None or not draft.content:
        return draft.message_id
    named = draft.content.get(_IDS[dialect_of(draft.kind)])
    return named if isinstance(named, str) else None


def compose(
    draft: Draft,
    sender: Member,
    to: Sequence[Member],
    parent: Fields | None,
    world: World,
    now: int,
    uuid: str,
) -> Message:
    """Write the message. Raises InvalidMessageError, or one of its kinds, with every problem."""
    kind = draft.kind
    name = dialect_of(kind)
    fields = _GIVEN[name](draft, sender, to, now, uuid)
    for key, said in ((dialect(name).type_field, kind), (_IDS[name], draft.message_id)):
        if said is not None and (draft.content or {}).get(key, said) != said:
            raise UsageError(
                f"the content's {key} is another than the one given beside it",
                hint=f"leave {key} out of the content",
            )
    fields[dialect(name).type_field] = kind
    claimed = fields.setdefault(_SENDERS[name], sender.key_id if name == "acp" else sender.name)
    if name != "acp" and claimed != sender.name:
        raise NotAllowedError(
            f"the message says that it is from {quoted(claimed)}, but {sender.name} sends it",
            hint=f"leave {_SENDERS[name]} out; it is filled in",
        )
    if draft.message_id is not None:
        fields[_IDS[name]] = draft.message_id
    return dialect(name).compose(
        fields, world.blanks(now, uuid), answering=parent, allow_secrets=draft.allow_secrets
    )


def _oacp(draft: Draft, sender: Member, to: Sequence[Member], now: int, uuid: str) -> Fields:
    content = dict(draft.content or {})
    fields: Fields = content if "body" in content else {"body": content or draft.text}
    if draft.text is not None and content:
        raise UsageError("a message has text or content, not both", hint="leave one of them out")
    everyone = len(to) > 1 and list(draft.to) in (["*"], [EVERYONE])
    names = [member.name for member in to]
    fields["to"] = EVERYONE if everyone else names[0] if len(names) == 1 else names
    fields.setdefault("id", uuid)
    fields.setdefault("subject", draft.subject or first_line(draft.text or _summary(draft)))
    if draft.priority is not None:
        fields["priority"] = to_word(priority_meant(draft.priority), OACP)
    if draft.thread is not None:
        fields["conversation_id"] = draft.thread
    elif draft.reply_to is None and "conversation_id" not in fields:
        fields["conversation_id"] = _new_conversation(moment(now), sender.name, int(uuid[:8], 16))
    if draft.reply_to is not None:
        fields["parent_message_id"] = draft.reply_to
    if draft.expires_minutes is not None:
        fields["expires_at"] = moment(now + draft.expires_minutes * 60_000)
    return fields


def _new_conversation(now: str, sender: str, chance: int) -> str:
    """A name for a new conversation that needs no counting.

    Other tools take at most six digits at its end, which alone would soon meet; those before them
    count as part of the agent's name, of at most 64 characters.
    """
    more, sequence = divmod(chance, 1_000_000)
    return conversation_id(now, f"{sender[:58]}-{more:04d}", sequence)


def _summary(draft: Draft) -> str:
    """What a structured body says about itself in a line; else the name of its type."""
    content = draft.content or {}
    names = ("summary", "diff_summary", "changes_summary", "intent", "next_action")
    return next((str(content[name]) for name in names if content.get(name)),
                draft.kind.replace("_", " "))  # fmt: skip


def _acp(draft: Draft, sender: Member, to: Sequence[Member], now: int, uuid: str) -> Fields:
    content = dict(draft.content or {})
    fields: Fields = content if "payload" in content else {"payload": content}
    if draft.text is not None:
        raise UsageError(f"{draft.type} takes content, not text", hint="waypost schema lists it")
    if sender.key_id is None or len(to) != 1 or to[0].key_id is None:
        raise UsageError(
            f"{draft.type} is a message between two live peers, known by their keys",
            hint="write a task_request, a question or plain text instead",
        )
    fields["to"] = to[0].key_id
    if draft.priority is not None and draft.type in ("delegate", "notify"):
        meant = priority_meant(draft.priority)
        word = "urgent" if meant == Priority.URGENT else "normal"
        key, value = ("importance", to_word(meant, ACP_IMPORTANCE)) if draft.type == "notify" else (
            "priority", word)  # fmt: skip
        fields["payload"] = {key: value, **fields["payload"]}
    return fields


def _agentmail(draft: Draft, sender: Member, to: Sequence[Member], now: int, uuid: str) -> Fields:
    if draft.text is not None:
        raise UsageError(
            f"{draft.type} takes content with its fields, not text",
            hint="leave the type out to send plain text",
        )
    fields = dict(draft.content or {})
    if draft.priority is not None and draft.type == "task_assignment":
        fields.setdefault("priority", to_word(priority_meant(draft.priority), AGENT_MAIL))
    return fields


_GIVEN = {"oacp": _oacp, "acp": _acp, "agentmail": _agentmail}


def priority_meant(word: str) -> Priority:
    """The priority that a word of any dialect means. Raises UsageError."""
    meant = from_word(word)
    if meant is None:
        raise UsageError(f"no priority is called {quoted(word)}", hint="urgent, high, normal, low")
    return meant
