"""The office's face: every use-case by name, over one home. Plain and synchronous.

    with open_office(home) as office:
        office.register(Caller("claude", "my-app"))
        office.send(Caller("claude", "my-app"), "codex", text="Which port?")

Safe to use from many threads at once, and from many processes on one home.
"""

import os
from collections.abc import Callable
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from waypost.errors import UnreadableError, UsageError, words_of
from waypost.office import (
    accepting,
    attachments,
    auditing,
    consigning,
    glancing,
    holding,
    homes,
    inboxes,
    keeping,
    loads,
    looking,
    mending,
    overview,
    pairing,
    people,
    reading,
    registering,
    reopening,
    reserving,
    roster,
    searching,
    sending,
    situation,
    telling,
    threads,
    tracing,
)
from waypost.office.database import FILE, Database
from waypost.office.deciding import Desk
from waypost.office.journal import Journal
from waypost.office.journal.sqlite import SqliteJournal
from waypost.office.rounds import Rounds
from waypost.office.talk import Talk
from waypost.office.world import World

if TYPE_CHECKING:
    from waypost.office.journal.snapshots import Snapshot

_PATIENCE_SECONDS = 10.0
_HINT = "look at the permissions of that path, and of the folders above it; WAYPOST_HOME moves it"
Given = ParamSpec("Given")
Result = TypeVar("Result")


def _method(
    use_case: Callable[Concatenate[Desk, Given], Result],
) -> Callable[Concatenate["Office", Given], Result]:
    """A use-case as a method, with the same arguments."""

    def method(self: "Office", /, *given: Given.args, **named: Given.kwargs) -> Result:
        return use_case(self.desk, *given, **named)

    method.__name__, method.__doc__ = use_case.__name__, use_case.__doc__
    method.__wrapped__ = use_case  # type: ignore[attr-defined]
    return method


def open_office(
    home: str | PathLike[str],
    *,
    journal: str | None = None,
    node: str | None = None,
    world: World | None = None,
    patience: float = _PATIENCE_SECONDS,
) -> "Office":
    """Open the office of a home, made if it isn't there. `patience` bounds the wait for a lock.

    `journal` is the address of one that many machines share (nats://…); the home is a node of it,
    called `node`, or as it was before.
    Raises UnreadableError, OfficeBusyError, UsageError, UnreachableError.
    """
    try:
        if journal is not None:
            _begin(fspath(home), journal, patience)
        database = Database(fspath(home), patience)
    except OSError as error:
        what = f"the system says {words_of(error)}: {error.filename}"
        raise UnreadableError(what, hint=_HINT) from error
    try:
        engine = _engine(fspath(home), database, journal, node, patience)
    except BaseException:
        database.close()
        raise
    desk = Desk(engine, database, world or World(), Rounds(engine, database), Talk())
    return Office(desk, home=fspath(home))


def _begin(home: str, address: str, patience: float) -> None:
    """Have a home that is new begin with a snapshot, if there is one: it is quicker than to read
    the whole journal."""
    if os.path.lexists(os.path.join(home, FILE)):
        return
    from waypost.office.journal.address import address_of

    try:
        from waypost.office.journal import snapshots
    except ModuleNotFoundError:
        return  # which is told when the journal is opened
    snapshots.fetch(home, address_of(address), patience)


def _engine(
    home: str, database: Database, address: str | None, node: str | None, patience: float
) -> Journal:
    """The journal of a home: its own, or one elsewhere. Never its own when it follows another."""
    if address is None:
        if database.follows_a_stream():
            raise UsageError(
                "this home is a node of a journal elsewhere",
                hint="say which with WAYPOST_JOURNAL, or talk to its server with WAYPOST_URL",
            )
        return SqliteJournal(home, database)
    from waypost.office.journal.address import address_of

    place = address_of(address)
    try:
        from waypost.office.journal.jetstream import JetStreamJournal
    except ModuleNotFoundError as error:
        if error.name != "nats":
            raise
        raise UsageError(
            "a journal elsewhere needs the client of NATS", hint='pip install "waypost[cluster]"'
        ) from error
    return JetStreamJournal(home, database, place, patience, node=node)


class Office:
    """What can be done at an office. Every method raises only kinds of WaypostError."""

    register = _method(registering.register)
    rotate_token = _method(registering.rotate_token)
    revoke_token = _method(registering.revoke_token)
    set_rules = _method(registering.set_rules)
    move = _method(registering.move)
    agents = _method(registering.agents)
    authenticate = _method(registering.authenticate)

    whoami = _method(roster.whoami)
    projects = _method(roster.projects)
    names = _method(roster.names)
    recent = _method(roster.recent)

    send = _method(sending.send)
    reply = _method(sending.reply)
    inbox = _method(inboxes.inbox)
    newest_unread = _method(inboxes.newest_unread)
    read = _method(reading.read)
    acknowledge = _method(inboxes.acknowledge)
    done = _method(inboxes.done)
    settle = _method(inboxes.settle)
    withdraw = _method(inboxes.withdraw)
    bring_back = _method(reopening.bring_back)
    thread = _method(threads.thread)
    search = _method(searching.search)
    terms = staticmethod(searching.terms)
    accept = _method(accepting.accept)
    ask_human = _method(people.ask_human)
    answer = _method(people.answer)
    attach = _method(attachments.attach)
    attachment = _method(attachments.attachment)
    attachments_kept = _method(attachments.kept)

    mailbox = _method(looking.mailbox)
    needs = _method(looking.needs)
    undelivered = _method(looking.undelivered)
    deliveries = _method(looking.deliveries)
    history = _method(tracing.history)
    translations = _method(tracing.translations)
    progress = _method(tracing.progress)
    context = _method(tracing.context)
    raw_event = _method(tracing.raw_event)
    numbers = _method(glancing.numbers)
    alarms = _method(glancing.alarms)
    news = _method(glancing.news)
    loads = _method(loads.loads)
    chronicle = _method(glancing.chronicle)
    traffic = _method(glancing.traffic)
    people = _method(telling.people)
    claim = _method(telling.claim)

    reserve = _method(reserving.reserve)
    release = _method(reserving.release)
    reservations = _method(reserving.reservations)

    retry = _method(mending.retry)
    redirect = _method(mending.redirect)
    discard = _method(mending.discard)
    held_pairs = _method(pairing.held_pairs)
    hold_pair = _method(pairing.hold_pair)
    release_pair = _method(pairing.release_pair)

    held = _method(holding.held)
    let_go = _method(holding.let_go)

    events = _method(situation.events)
    status = _method(situation.status)
    cluster = _method(homes.cluster)
    overview = _method(overview.overview)
    verify = _method(auditing.verify)
    log = _method(auditing.log)
    export = _method(auditing.export)
    redact = _method(auditing.redact)
    rebuild = _method(keeping.rebuild)
    backup = _method(keeping.backup)
    prune = _method(keeping.prune)

    def __init__(self, desk: Desk, home: str) -> None:
        self.desk = desk
        self.home = home

    def __enter__(self) -> "Office":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of files and threads; whoever waits returns."""
        self.desk.journal.close()
        self.desk.database.close()

    def snapshot(self, after: int = 0) -> "Snapshot | None":
        """Let new nodes begin from here; None if fewer events came since the last than `after`.

        Raises UsageError where no other machine shares the journal, and what servers refuse.
        """
        journal = self.desk.journal
        if isinstance(journal, SqliteJournal):
            raise UsageError(
                "this office has no other nodes", hint="waypost backup copies it to a file"
            )
        from waypost.office.journal.jetstream import JetStreamJournal

        assert isinstance(journal, JetStreamJournal)
        return journal.snapshot(after)

    def has_folders(self, project: str) -> bool:
        """Whether an agent of a project has its mail in a folder."""
        return consigning.has_folders(self.desk, project)

    def last(self) -> int:
        """The position of the last event."""
        return self.desk.journal.last()

    def wait(self, after: int, timeout: float) -> int:
        """Wait, at most so many seconds, until something happened after a position."""
        return self.desk.journal.wait(after, timeout)

    def add_listener(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Call with the newest position whenever something happened, from any thread.

        An event loop is told by its `call_soon_threadsafe`. Gives the function that ends it.
        """
        return self.desk.journal.add_listener(listener)
