"""Agents ask people, and people answer: questions wait on a list that a project's people share."""

from collections.abc import Sequence

from waypost.errors import NotAllowedError, UsageError
from waypost.office import members, sending
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import one_line, required_text
from waypost.office.deciding import Desk
from waypost.office.delivering import PEOPLE
from waypost.office.drafts import Draft
from waypost.office.views import Receipt

_MOST_OPTIONS = 20


def ask_human(
    desk: Desk,
    caller: Caller,
    question: str,
    options: Sequence[str] | None = None,
    priority: str | None = None,
    message_id: str | None = None,
) -> Receipt:
    """Ask the people of the project; the answer comes as a letter."""
    offered = tuple(options or ())
    if len(offered) > _MOST_OPTIONS:
        raise UsageError(f"at most {_MOST_OPTIONS} options")
    for option in offered:
        one_line(option, "an option")
    text = required_text(question, "the question")
    if offered:
        text = text.rstrip("\n") + "\n\n" + "\n".join(f"- {option}" for option in offered)
    draft = Draft((PEOPLE,), "question", text=text, priority=priority, acknowledge=True)
    return sending.post(desk, caller, draft._replace(message_id=message_id, options=offered))


def answer(desk: Desk, caller: Caller, letter: str, text: str) -> Receipt:
    """A person's answer to whoever asked; the question is off the list then."""
    checked_caller(caller)
    with desk.database.reading() as tables:
        if not members.of_caller(tables, caller).sees_all:
            raise NotAllowedError("only people answer for people", hint="reply is for agents")
    return sending.reply(desk, caller, letter, required_text(text, "the answer"))
