"""A message of one dialect said in another, and everything that could not be said. Pure.

`translate` never invents: what a type demands and nobody gave makes it another, more general type.
The translation is checked as the target's own senders are, and names its original by the hash of
its bytes: translating back, where the original is at hand, gives the original.
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from waypost.bridge.content import Content, take_apart, value_at
from waypost.bridge.context import Answered, Context
from waypost.bridge.draft import Banned, Draft
from waypost.bridge.fields import opens_with
from waypost.bridge.losses import Loss, a, demanded
from waypost.bridge.table import TITLES, Choice, row
from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.errors import InvalidMessageError, NoTranslationError, Problem

__all__ = ["Answered", "Context", "Translation", "content_hash", "translate"]

_MOST_ATTEMPTS = 1000


class Translation(NamedTuple):
    """A message in another dialect, what it doesn't say, by which choice, and of what."""

    message: Message
    losses: tuple[Loss, ...]
    rule: Choice
    original: str


def content_hash(message: Message) -> str:
    """What names a message by its bytes."""
    return hashlib.sha256(message.raw).hexdigest()


def translate(
    source: Message | Translation, target: str, context: Context, *, only: str | None = None
) -> Translation:
    """Say a message in the dialect `target`; `only` allows no other type than this.

    A translation whose original is in the context is taken for its original. Raises
    InvalidMessageError for a source that is not valid or a translation that would be too large,
    and NoTranslationError for what never becomes a letter, or not the type that is asked for.
    """
    if isinstance(source, Translation):
        source = context.originals.get(source.original, source.message)
    _must_be_sound(source)
    if source.dialect == dialect(target).name:
        return Translation(source, (), Choice(str(source.type)), content_hash(source))
    fitting = _fitting(source, target, context, only)
    passed: list[Loss] = []
    for choice in fitting:
        content = take_apart(source, choice.where)
        if (done := _attempt(content, choice, target, context)) is not None:
            message, losses = done
            return Translation(message, (*passed, *losses), choice, content_hash(source))
        if choice.needs:
            passed.append(demanded(content.type_at, choice.to, choice.needs, fitting[-1].to))
    raise NoTranslationError(
        f"this {source.type} can't become a {only or target}: what that demands was not given",
        hint="leave the type open, and the nearest that fits is taken",
    )


def _must_be_sound(source: Message) -> None:
    if source.valid and source.fields is not None:
        return
    first = next((problem.message for problem in source.problems if problem.is_error), "is empty")
    raise InvalidMessageError(
        f"the message is not valid, so it can't be translated: {first}",
        hint="waypost validate explains what is wrong with it",
        problems=source.problems,
    )


def _fitting(source: Message, target: str, context: Context, only: str | None) -> list[Choice]:
    """The choices whose conditions hold, best first."""
    entry = row(str(source.dialect), str(source.type))
    if entry.runtime:
        raise NoTranslationError(
            f"{a(str(source.type))} never becomes a letter: {entry.runtime}",
            hint="translate a query, delegate, notify, cancel or one of their answers",
        )
    choices = entry.choices[target]
    if only is not None and only not in {choice.to for choice in choices}:
        known = ", ".join(dict.fromkeys(choice.to for choice in choices))
        raise NoTranslationError(
            f"a {source.type} never becomes {TITLES[target]}'s {only}",
            hint=f"it may become {known}",
        )
    content = take_apart(source)
    fitting = [choice for choice in choices if _holds(choice, content, context.answered)]
    return [choice for choice in fitting if only in (None, choice.to)]


def _holds(choice: Choice, source: Content, answered: Answered | None) -> bool:
    """Whether everything that a choice names is so, but for what it needs."""
    if choice.answers and (
        answered is None or answered.type not in choice.answers or answered.own != choice.own
    ):
        return False
    opening = source.title or source.text
    if choice.says and not (
        opening and any(opens_with(opening.value, word) for word in choice.says)
    ):
        return False
    return all(value_at(source.fields, place) == value for place, value in choice.where)


def _attempt(
    source: Content, choice: Choice, target: str, context: Context
) -> tuple[Message, list[Loss]] | None:
    """Write a translation by one choice; None when it would need what isn't given."""
    banned: Banned = frozenset()
    for _ in range(_MOST_ATTEMPTS):
        draft = Draft(source, choice, target, context, banned)
        if not draft.gives_what_is_needed:
            return None
        try:
            message = dialect(target).compose(draft.fields, context.blanks, allow_secrets=True)
        except InvalidMessageError as error:
            faults = frozenset(_faults(error.problems, draft))
            if not faults:
                if choice.needs:
                    return None
                raise
            banned |= faults
            continue
        return message, draft.losses
    raise AssertionError("a translation never settles")


def _faults(problems: tuple[Problem, ...], draft: Draft) -> Iterator[tuple[str | int, ...]]:
    """The places that could be left empty and whose values the target refuses."""
    for problem in problems:
        for length in range(len(problem.at), 0, -1):
            if problem.is_error and problem.at[:length] in draft.origin:
                yield problem.at[:length]
                break
