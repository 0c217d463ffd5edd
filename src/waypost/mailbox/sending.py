"""Sending and answering: from what a person typed to files in inboxes."""

import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from waypost.carriers.folders import counters
from waypost.carriers.folders.deliver import Names, deliver
from waypost.carriers.folders.home import Mailbox, Project, prepare
from waypost.carriers.folders.recover import Leftover, recover
from waypost.dialects import dialect
from waypost.dialects.message import Blanks, Message
from waypost.dialects.oacp import ids
from waypost.dialects.oacp.types import TYPES
from waypost.mailbox.items import Item, items_in

Draft = dict[str, Any]


class Receipt(NamedTuple):
    """What became of a message: the message as written, and where its copies are.

    `delayed` says why a message that is sent can't be seen by everyone yet.
    """

    message: Message
    inbox_paths: list[str]
    outbox_path: str
    created: list[str]  # agents whose mailboxes were made for it
    is_sent: bool = True
    delayed: str | None = None


def send(
    project: Project,
    draft: Draft,
    *,
    answering: Item | None = None,
    allow_secrets: bool = False,
    dry_run: bool = False,
    create: bool = False,
) -> Receipt:
    """Check a message as a sender and deliver it to everyone, durably; refuses before writing.

    With `create`, mailboxes that are missing are made once the message is found good.

    Raises InvalidMessageError with every problem, UnknownRecipientError, UnreadableError, OSError.
    """
    to = draft["to"]
    names = [draft["from"], *([to] if isinstance(to, str) else to)]
    mailbox = project.future_mailbox if create else project.mailbox
    sender, *recipients = [mailbox(name) for name in names]
    missing = [name for name in names if name not in project.agents()] if create else []
    blanks = _blanks("0000")
    parent = answering.message.fields if answering else None
    fields = dialect("oacp").draw_up(draft, blanks, parent, allow_secrets=allow_secrets)
    if dry_run:
        return _trial(fields, sender, recipients, missing)
    if missing:
        _create(project, missing)
    recover_project(project)
    _number(fields, "id" not in draft, sender, blanks.now)
    message = dialect("oacp").seal(fields)
    delivered = deliver(message.raw, _names(message), sender, recipients)
    places = (delivered.inbox_paths, delivered.outbox_path, missing)
    return Receipt(message, *places, delayed=delivered.delayed)


def _trial(
    fields: Draft, sender: Mailbox, recipients: Sequence[Mailbox], missing: list[str]
) -> Receipt:
    """What sending would give; nothing is written and no number is taken."""
    message = dialect("oacp").seal(fields)
    name = _names(message).usual
    inboxes = [f"{box.inbox}/{name}" for box in recipients]
    return Receipt(message, inboxes, f"{sender.outbox}/{name}", missing, is_sent=False)


def _number(fields: Draft, needs_id: bool, sender: Mailbox, now: str) -> None:
    """Take an id, and begin a conversation where the message belongs to none."""
    prepare(sender, ".sending")
    day = None if "conversation_id" in fields else ids.compact(now)[:8]
    numbers = counters.take(
        sender.sending, _random_start, day, lambda: _last_conversation(sender, now)
    )
    if needs_id:
        fields["id"] = ids.message_id(now, sender.agent, numbers.rand)
    if numbers.conversation is not None:
        fields["conversation_id"] = ids.conversation_id(now, sender.agent, numbers.conversation)


def _create(project: Project, agents: Sequence[str]) -> None:
    if not os.path.isdir(project.path):
        project.make()
    for agent in agents:
        project.add_agent(agent)


def answer_type(item: Item) -> str:
    """The type that usually answers a message."""
    kind = TYPES.get(item.entry.type or "")
    return kind.answered_by[0] if kind and kind.answered_by else "notification"


def recover_project(project: Project) -> list[Leftover]:
    """Finish or sweep away what a dead process left on its way."""
    return recover(project, _recipients_of)


def _recipients_of(data: bytes) -> Sequence[str]:
    fields = dialect("oacp").read(data).fields or {}
    to = fields.get("to")
    return [to] if isinstance(to, str) else to if isinstance(to, list) else []


def _names(message: Message) -> Names:
    fields = message.fields or {}
    parts = (fields["created_at_utc"], fields["from"], fields["type"])
    return Names(ids.file_name(*parts), ids.file_name(*parts, fields["id"][-4:]))


def _blanks(rand: str) -> Blanks:
    now = time.time()
    text = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return Blanks(now=text, milliseconds=int(now * 1000), uuid="", rand=rand)


def _random_start() -> int:
    return int.from_bytes(os.urandom(4))


def _last_conversation(sender: Mailbox, now: str) -> int:
    """The number of the last conversation that the outbox knows of, on the day of `now`."""
    begin = ids.conversation_id(now, sender.agent, 0)[:-3]
    ends = [
        item.text("conversation_id").removeprefix(begin)
        for item in items_in(sender, "outbox")
        if item.text("conversation_id").startswith(begin)
    ]
    return max((int(end) for end in ends if end.isascii() and end.isdigit()), default=0)
