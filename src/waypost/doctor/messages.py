"""Are the files in the inboxes messages? Do two of them share an id?"""

from collections.abc import Callable, Iterator

from waypost.carriers.folders.home import Mailbox, Project
from waypost.doctor.finding import Finding
from waypost.errors import UnreadableError, words_of
from waypost.mailbox.consuming import bury
from waypost.mailbox.items import Item, everything, inbox, twins
from waypost.mailbox.watching import may_be_unfinished


def check(project: Project) -> Iterator[Finding]:
    """Open every message of every mailbox."""
    for agent in project.agents():
        box = project.mailbox(agent)
        try:
            yield from _of_box(box)
        except UnreadableError:  # what stands in a folder's place is found by another check
            continue
        except OSError as error:
            what = f"the mailbox can't be read: {words_of(error)}"
            yield Finding("messages", error.filename or box.path, what, "look at its permissions")


def _of_box(box: Mailbox) -> Iterator[Finding]:
    for item in inbox(box):
        yield from _of_file(box, item)
    yield from _of_ids(box)


def _of_file(box: Mailbox, item: Item) -> Iterator[Finding]:
    if item.header is None:
        reason = item.entry.problems[0].message
        if may_be_unfinished(item):
            hint = "it may still be in the writing; look again in a moment"
            yield Finding("messages", item.path, reason, hint)
            return
        hint = "moved to dead_letter/ with the reason by --fix"
        yield Finding("messages", item.path, reason, hint, _burier(box, item, reason))
    elif not item.entry.valid:
        errors = [problem for problem in item.entry.problems if problem.is_error]
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        yield Finding(
            "messages",
            item.path,
            errors[0].message + more,
            "oacp validate explains it; tell its sender",
        )


def _burier(box: Mailbox, item: Item, reason: str) -> Callable[[], None]:
    def repair() -> None:
        bury(box, item, reason)

    return repair


def _of_ids(box: Mailbox) -> Iterator[Finding]:
    for item, first in twins(everything(box)):
        yield Finding(
            "messages",
            item.path,
            f"shares the id {item.id} with {first.path}, but not the content",
            "both are kept; tell the writer of the second",
        )
