"""OACP's folders and the office: what appears in an inbox is accepted, what leaves it is done.

Every agent has a folder in the tree. An agent that lives there is left its files; what is written
to one that lives elsewhere is taken into the office, and its file goes to the archive. The first
bytes of a file are the letter; what is edited later only warns.
"""

import logging
import os
import stat
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Home, Mailbox, Project, leads_out, prepare
from waypost.carriers.folders.reading import read_file
from waypost.dialects import dialect
from waypost.dialects.detect import read
from waypost.dialects.message import Fields, Message, refusal_of
from waypost.errors import (
    ConflictError,
    InvalidMessageError,
    OfficeBusyError,
    Problem,
    UnreadableError,
    WaypostError,
    quoted,
)
from waypost.letters.names import is_name
from waypost.office import Office, bouncing, carrying, consigning
from waypost.office.callers import Caller
from waypost.office.carrying import Handover
from waypost.office.consigning import Box, Placed
from waypost.office.events import digest
from waypost.office.members import FOLDER, RESERVED

_ENDINGS = (".yaml", ".yml")
_MOST_STAMPS = 20_000
_Stamp = tuple[int, int, int]
log = logging.getLogger("waypost.folders")


class Tree:
    """One OACP home, as one office sees it. For one thread at a time."""

    def __init__(
        self, office: Office, home: Home, is_ours: Callable[[str], bool] = lambda path: False
    ) -> None:
        self._office = office
        self._desk, self._company = office.desk, office.desk.journal.company
        self.home = home
        self.is_ending = False  # a look that is under way is left to the next start then
        self._is_ours = is_ours  # is being delivered by ourselves, and isn't noted yet
        self._seen: dict[str, _Stamp] = {}

    def projects(self) -> list[Project]:
        """The projects that have folders."""
        return [self.home.project(name) for name in self.home.projects()]

    def mailboxes(self, project: Project) -> list[Mailbox]:
        """Everybody's folders in a project."""
        return [project.mailbox(name) for name in project.agents() if name not in RESERVED]

    def furnish(self, project: Project) -> None:
        """See to it that the project's agents have folders, and its folders mailboxes."""
        known = {box.name: box for box in consigning.boxes(self._desk, project.name)}
        for name in project.agents():
            if name not in known and name not in RESERVED:
                self._register(project, name)
        for name, box in known.items():
            if box.kind != "people":
                with suppress(ConflictError):
                    project.add_agent(name)

    def furnish_named(self, name: str) -> None:
        """The same for a project by its name; its tree is made for the first agent in a folder."""
        if name in self.home.projects():
            self.furnish(self.home.project(name))
        elif any(box.carrier == FOLDER for box in consigning.boxes(self._desk, name)):
            self.furnish(self.home.create_project(name))

    def sweep(self, project: Project) -> None:
        """Look at every inbox of a project."""
        self.furnish(project)
        for mailbox in self.mailboxes(project):
            self.look(mailbox)

    def look(self, mailbox: Mailbox, names: Collection[str] | None = None) -> set[str]:
        """Take what is new in an inbox into the office, and note what is gone.

        Only some names are looked at where it is known which changed. Gives those for which it is
        too early: we are about to note them ourselves. Raises OfficeBusyError,
        UnreadableError; then it has to be done again.
        """
        box = self._box(mailbox)
        if box is None:
            return set()
        present = _names_in(mailbox) if names is None else _still_in(mailbox, names)
        wanted = present if names is None else {name for name in names if _is_message(name)}
        early = {name for name in wanted if self._is_ours(f"{mailbox.inbox}/{name}")}
        known = consigning.placed(self._desk, box.id, names)
        lives_here = box.carrier == FOLDER and self._company.carries(box.node)
        new = present - known.keys() if names is None else present
        for name in sorted(new - early) if lives_here or not self._is_theirs(box) else ():
            if self.is_ending:
                return set()
            path = f"{mailbox.inbox}/{name}"
            stamp = _stamp(path)
            if stamp is not None and self._seen.get(path) != stamp:
                self._remember(path, stamp)
                self._take(mailbox, box, name, known.get(name), lives_here=lives_here)
        missing = {name: file for name, file in known.items() if name not in present}
        was_here = partial(self._was_here, lives_here=lives_here, is_told=names is not None)
        gone = {name: file.letter for name, file in missing.items() if was_here(file)}
        if gone:
            caller = Caller(mailbox.agent, mailbox.project, "folder")
            carrying.vanished(self._desk, caller, box.id, gone)
        for name in wanted - present:
            self._seen.pop(f"{mailbox.inbox}/{name}", None)
        return early

    def _is_theirs(self, box: Box) -> bool:
        """Whether another node looks after these very files."""
        is_ours = box.node in (None, self._company.me)  # but not at this moment
        return box.carrier == FOLDER and (is_ours or self._company.shares_folders(box.node))

    def _was_here(self, file: Placed, *, lives_here: bool, is_told: bool) -> bool:
        """Whether a file that isn't in our folders was, so that its owner has removed it."""
        if file.node is None and self._company.me is not None:
            return is_told  # from before there were nodes: where it was isn't known
        is_same = file.node == self._company.me
        return is_same or (lives_here and self._company.shares_folders(file.node))

    def take_back(self, project: str, letter: int, box: int) -> None:
        """Remove the file of a letter that its sender has withdrawn."""
        owner = next(one for one in consigning.boxes(self._desk, project) if one.id == box)
        for name, file in consigning.placed(self._desk, box).items():
            if file.letter == letter:
                mailbox = self.home.project(project).mailbox(owner.name)
                files.remove(f"{mailbox.inbox}/{name}")

    def _remember(self, path: str, stamp: _Stamp) -> None:
        if len(self._seen) >= _MOST_STAMPS:
            self._seen.clear()
        self._seen[path] = stamp

    def _box(self, mailbox: Mailbox) -> Box | None:
        boxes = {box.name: box for box in consigning.boxes(self._desk, mailbox.project)}
        return boxes.get(mailbox.agent)

    def _take(
        self, mailbox: Mailbox, box: Box, name: str, before: Placed | None, *, lives_here: bool
    ) -> None:
        path = f"{mailbox.inbox}/{name}"
        data = _read(path, mailbox)
        if data is None:
            return
        if before is not None:
            if digest(data) != before.digest:
                log.warning("%s was edited; its first bytes stay the letter", path)
            return
        try:
            self._accept(mailbox, box, name, data, lives_here=lives_here)
        except (OfficeBusyError, UnreadableError):  # a locked or full disk: looked at once more
            del self._seen[path]
            raise
        except WaypostError as error:
            log.warning("%s stays where it is: %s", path, error.details)
            return
        if not lives_here:
            _archive(mailbox, name)

    def _accept(
        self, mailbox: Mailbox, box: Box, name: str, data: bytes, *, lives_here: bool
    ) -> None:
        project = mailbox.project
        taken = dialect("oacp").read(data)
        if "from" not in (taken.fields or {}):
            self._refuse(project, read(data))
        fields = taken.fields or {}
        letter = consigning.translation_of(self._desk, project, str(fields.get("id")))
        if letter is not None and lives_here:  # we put it there, and died before we noted it
            self._note(project, letter, box, (name, digest(data)))
            return
        sender = fields.get("from")
        if not isinstance(sender, str):
            raise InvalidMessageError("it doesn't say who sent it")
        self._know(project, sender)
        receipt = self._office.accept(
            Caller(sender, project, "folder"),
            data,
            to=_recipients(fields, mailbox.agent, self._names(project)),
            dialect="oacp",
            states={mailbox.agent: "handed_over"} if lives_here else None,
            keep_both=True,
            files={mailbox.agent: name} if lives_here else None,
        )
        if receipt.is_repeat and lives_here:
            self._note(project, receipt.position, box, (name, digest(data)))

    def _note(self, project: str, letter: int, box: Box, file: tuple[str, str]) -> None:
        carrying.handed_over(self._desk, project, [Handover(letter, [box.id], file)])

    def _refuse(self, project: str, taken: Message) -> None:
        """Refuse a message of Agent Mail, whose way is a tool, and tell its writer so."""
        writer = (taken.fields or {}).get("sender_id")
        if taken.dialect != "agentmail" or not isinstance(writer, str):
            return  # the office says what is wrong with it
        error = refusal_of(taken.problems, taken.fields or {}) or InvalidMessageError(
            "a message of Agent Mail isn't taken from a folder",
            hint="send it by the tool send_message, or as a message of OACP",
        )
        bouncing.report(self._desk, project, writer, taken, error)
        raise error

    def _names(self, project: str) -> set[str]:
        return {box.name for box in consigning.boxes(self._desk, project)}

    def _know(self, project: str, sender: str) -> None:
        """Give a sender whom nobody registered a mailbox; its folder comes with its first mail."""
        if is_name(sender) and sender not in self._names(project) and sender not in RESERVED:
            self._office.register(
                Caller(sender, project, "folder"), carrier=FOLDER, with_token=False
            )

    def _register(self, project: Project, name: str) -> None:
        try:
            caller = Caller(name, project.name, "folder")
            self._office.register(caller, carrier=FOLDER, with_token=False)
        except WaypostError as error:
            log.warning("the folder of %s in %s has no mailbox: %s", quoted(name),
                        project.name, error.details)  # fmt: skip


def _is_message(name: str) -> bool:
    return name.endswith(_ENDINGS) and not name.startswith(".")


def _names_in(mailbox: Mailbox) -> set[str]:
    """The names of the message files in an inbox."""
    try:
        return set(filter(_is_message, os.listdir(mailbox.inbox)))
    except OSError:
        return set()


def _still_in(mailbox: Mailbox, names: Iterable[str]) -> set[str]:
    """Those of some names under which there is a message file."""
    return {
        name for name in names if _is_message(name) and os.path.lexists(f"{mailbox.inbox}/{name}")
    }


def _stamp(path: str) -> _Stamp | None:
    """What changes when a file does; None when it is gone."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _read(path: str, mailbox: Mailbox) -> bytes | None:
    """A file's bytes; None where nothing may be read, or nothing is."""
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode) and leads_out(path, mailbox):
            log.warning("%s is a link that leads out of the project", path)
            return None
    except OSError:
        return None
    data = read_file(path)
    if isinstance(data, Problem):
        if data.code != "not_found":
            log.warning("%s %s", path, data.message)
        return None
    return data or None


def _recipients(fields: Fields, owner: str, known: set[str]) -> list[str]:
    """Whom a file goes to: those it names that have a mailbox, and who has it in the inbox."""
    to = fields.get("to")
    named = [to] if isinstance(to, str) else to if isinstance(to, list) else []
    return list(dict.fromkeys([owner, *(name for name in named if name in known)]))


def _archive(mailbox: Mailbox, name: str) -> None:
    """Put a file away whose letter is in the office."""
    prepare(mailbox, "inbox", "inbox/archive")
    stem, ending = os.path.splitext(name)
    for number in range(1000):
        final = f"{mailbox.archive}/{name if number == 0 else f'{stem}.{number}{ending}'}"
        try:
            files.publish(f"{mailbox.inbox}/{name}", final)
        except FileExistsError:
            continue
        except FileNotFoundError:
            return
        return
    log.warning("%s has a thousand files called %s", mailbox.archive, name)
