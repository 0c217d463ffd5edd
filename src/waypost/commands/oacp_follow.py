"""`oacp watch --follow`: a line, or a program, for each message as it comes."""

import os
import signal
import stat
import sys
import time
from contextlib import suppress
from typing import NoReturn

from waypost.carriers.folders.watch import Watcher
from waypost.commands.console import OutputError, system_error
from waypost.commands.oacp_watch import EVER, Watch
from waypost.errors import NotFoundError, WaypostError, visible, words_of
from waypost.mailbox.following import Follower
from waypost.mailbox.items import read_item
from waypost.mailbox.waking import Queue, wake
from waypost.mailbox.watching import NEW, Event


class _ProgramError(WaypostError):
    """The program that was to be woken ended with a failure."""

    code = "program_failed"


def follow(watch: Watch, program: str | None) -> int:
    """Follow until interrupted; gives no exit code of its own."""
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup would have it
        signal.signal(signal.SIGHUP, _interrupt)
    watcher = Watcher()
    follower = Follower(watcher)
    try:
        _open_all(watch, watcher, follower)
        if program is None:
            _stop_without_reader(watcher)
            _tell_forever(watch, watcher, follower)
        _wake_forever(watch, watcher, follower, program or "")
    except BrokenPipeError as error:
        raise OutputError("nobody reads it") from error
    finally:
        for subscription in follower.subscriptions():
            subscription.cursor.close()
        watcher.close()


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _open_all(watch: Watch, watcher: Watcher, follower: Follower) -> None:
    for name in watch.names:
        _try_to_open(watch, follower, name, watch.since)
    if watch.all_projects:
        _watch_for_projects(watch, watcher)
    if not watcher.has_push:
        watch.console.talk("this system has no push to give; looking four times a second")
    projects = (subscription.mailbox.project for subscription in follower.subscriptions())
    where = ", ".join(projects) or "no project yet"
    watch.console.talk(f"watching {watch.agent} in {where}; Ctrl-C ends it")


def _try_to_open(watch: Watch, follower: Follower, name: str, since: str) -> None:
    """Begin to follow a project; among all, one that can't be followed keeps no other from it."""
    try:
        _open(watch, follower, name, since)
    except (OSError, WaypostError) as error:
        if not watch.all_projects:
            raise
        watch.fail(system_error(error) if isinstance(error, OSError) else error, name)


def _open(watch: Watch, follower: Follower, name: str, since: str) -> None:
    project, subscription = watch.open(name, patient=True)
    follower.add(project, subscription)
    subscription.begin(since)


def _stop_without_reader(watcher: Watcher) -> None:
    mode = os.fstat(sys.stdout.fileno()).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        watcher.stop_without(sys.stdout.fileno())


def _tell_forever(watch: Watch, watcher: Watcher, follower: Follower) -> NoReturn:
    events = follower.look()
    while True:
        watch.tell(events)
        for event in events:
            follower.subscription_of(event).note([event])
        _commit(watch, follower)
        events = follower.wait()
        events += _new_projects(watch, watcher, follower)


def _wake_forever(watch: Watch, watcher: Watcher, follower: Follower, program: str) -> NoReturn:
    queue = Queue()
    events = follower.look()
    while True:
        for event in events:
            if event.kind == NEW:
                queue.put(event, time.monotonic())
            else:
                watch.tell([event])
                follower.subscription_of(event).note([event])
        if (ready := queue.take(time.monotonic())) is not None:
            _wake(watch, program, ready)
            follower.subscription_of(ready).note([ready])
        _commit(watch, follower)
        events = follower.wait(queue.patience(time.monotonic()))
        events += _new_projects(watch, watcher, follower)


def _wake(watch: Watch, program: str, event: Event) -> None:
    """Run the program for a message, unless the message has left the inbox meanwhile."""
    item = read_item(event.path, event.mailbox)
    if item is None:
        return
    code = wake(program, event, item.message.raw, watch.home.path)
    if code != 0:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        known = {"file": event.file, "path": event.path, "id": event.text("id")}
        error = _ProgramError(
            f"the program failed on {event.text('id') or event.file} ({how})",
            hint="the message stays in the inbox; it does not wake the program again",
        )
        watch.fail(error, event.mailbox.project, **known)


def _commit(watch: Watch, follower: Follower) -> None:
    """Save what was told; should the disk be full, go on and save it another time."""
    for subscription in follower.subscriptions():
        try:
            subscription.cursor.commit()
        except OSError as error:
            place = f"{visible(subscription.cursor.path)} can't be saved: {words_of(error)}"
            watch.console.talk(f"ERROR: {place}; it will be tried again")


def _watch_for_projects(watch: Watch, watcher: Watcher) -> None:
    """Notice new projects and agents, by the sweep alone."""
    root = f"{watch.home.path}/projects"
    watcher.add(root, push=False)
    for name in watch.home.projects():
        watcher.add(f"{root}/{name}/agents", push=False)


def _new_projects(watch: Watch, watcher: Watcher, follower: Follower) -> list[Event]:
    """Begin to follow mailboxes that were made since; all that is in them is new."""
    if not watch.all_projects or not follower.has_strange_changes:
        return []
    _watch_for_projects(watch, watcher)
    events = []
    with suppress(NotFoundError):  # the last mailbox may have gone; another may come
        for name in watch.discover(watch.agent):
            if name not in watch.names:
                watch.names.append(name)
                _try_to_open(watch, follower, name, EVER)
                events += follower.look()
    return events
