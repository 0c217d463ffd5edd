"""`oacp watch`: tells what is new in a mailbox, once or as it happens, and wakes programs."""

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from waypost.carriers.folders.cursor import Cursor
from waypost.carriers.folders.home import Project
from waypost.commands.console import Console, OutputError, Parser, system_error
from waypost.errors import (
    NotFoundError,
    UsageError,
    WaypostError,
    quoted,
    visible,
    words_of,
)
from waypost.letters.names import NAME_RULE, did_you_mean, is_name
from waypost.mailbox import place
from waypost.mailbox.sending import recover_project
from waypost.mailbox.watching import ERROR, Event, Subscription

_EXAMPLES = """\
  oacp watch --project my-app --agent codex --json      what is new since the last time; then ends
  oacp watch --follow                                   a line for each message as it comes
  oacp watch --follow --exec 'codex exec "$(cat)"'      wakes a program for each message

--exec runs the program in the shell, one at a time: P0 at once, the rest after a short quiet, in
processing order. It finds the message on its stdin, and OACP_MESSAGE_FILE, OACP_MESSAGE_ID,
OACP_FROM, OACP_TYPE, OACP_PRIORITY and OACP_SUBJECT around it; quote them: "$OACP_SUBJECT".
stdout is the program's own. If it fails, that is told on stderr; the message stays in the inbox
and doesn't wake it again. A message that has left the inbox meanwhile doesn't wake it either.

A message counts as told when its line was written out or its program has ended. Whoever watches
one mailbox several times gives each watch a --state-id of its own.
"""
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_STATE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
EVER, NEVER = "", "9999"


def run(console: Console, argv: Sequence[str]) -> int:
    """Watch one agent's mailbox in one project, several, or all."""
    arguments = _arguments(argv)
    watch = Watch(console, arguments)
    if not arguments.follow:
        return watch.scan()
    from waypost.commands.oacp_follow import follow

    return follow(watch, arguments.program)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("oacp watch", "Tell what is new in a mailbox.", _EXAMPLES)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--project", dest="projects", action="append", help="which project; may be repeated"
    )
    which.add_argument("--all-projects", action="store_true", help="all projects with this agent")
    parser.add_argument("--agent", help="whose mailbox; else OACP_AGENT")
    parser.add_argument("--state-id", metavar="ID", help="keep a place in the mail of your own")
    parser.add_argument(
        "--since", metavar="TIME", default="now",
        help="on the first run, tell of messages from then on: now, epoch, 30s, 5m, 2h, 7d, "
        "2026-03-13T14:30:00Z",
    )  # fmt: skip
    parser.add_argument("--show-archived", action="store_true", help="also tell what has left")
    parser.add_argument("--follow", action="store_true", help="go on until interrupted")
    parser.add_argument("--exec", dest="program", metavar="CMD", help="wake a program (--follow)")
    parser.add_argument("--oacp-dir", metavar="DIR", help="the home; else OACP_HOME or ~/oacp")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    arguments = parser.parse_args(argv)
    _check(arguments)
    arguments.since = _moment(arguments.since)
    return arguments


def _check(arguments: argparse.Namespace) -> None:
    if arguments.program is not None and not arguments.follow:
        raise UsageError("--exec needs --follow", hint="oacp watch --follow --exec CMD")
    if arguments.program is not None and arguments.show_archived:
        raise UsageError("--exec wakes for new messages only", hint="leave out --show-archived")
    if arguments.state_id is not None and not _STATE_ID.fullmatch(arguments.state_id):
        raise UsageError("a --state-id is 1 to 64 letters, digits, dots, dashes and underscores")


def _moment(text: str) -> str:
    """A moment as messages write it, so that texts compare as times do."""
    if text in ("now", "epoch"):
        return NEVER if text == "now" else EVER
    if match := re.fullmatch(r"([0-9]{1,9})([smhd])", text):
        seconds = max(0.0, time.time() - int(match[1]) * _UNITS[match[2]])
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (ValueError, OverflowError):
        hint = "now, epoch, a duration like 30s, 5m, 2h or 7d, or 2026-03-13T14:30:00Z"
        raise UsageError(f'--since: "{text}" is no moment', hint=hint) from None


class Watch:
    """What a command line asks to watch, and how it tells of it."""

    def __init__(self, console: Console, arguments: argparse.Namespace) -> None:
        self.console = console
        self.home = place.find_home(arguments.oacp_dir, os.environ, place.here())
        self.since: str = arguments.since
        self.all_projects: bool = arguments.all_projects
        self._arguments = arguments
        self._stdout_is_free = arguments.program is None
        self.agent, self.names = self._place()

    def _place(self) -> tuple[str, list[str]]:
        """The agent, and the projects to watch."""
        given = self._arguments.agent or os.environ.get("OACP_AGENT")
        given = given or os.environ.get("AGENT_NAME")
        if self.all_projects:
            if not given:
                raise UsageError("which agent are you?", hint="say --agent, or set OACP_AGENT")
            return given, self.discover(given)
        names = list(dict.fromkeys(self._arguments.projects or ()))
        if names and given:
            return given, names
        first = place.find_project(self.home, names[0] if names else None, os.environ, place.here())
        return place.find_agent(first, given, os.environ).agent, names or [first.name]

    def discover(self, agent: str) -> list[str]:
        """All projects in which the agent has a mailbox. Raises NotFoundError without any."""
        if not is_name(agent):
            raise UsageError(f"{quoted(agent)} is not a name for agents", hint=NAME_RULE)
        agents: dict[str, list[str]] = {}
        for name in self.home.projects():
            with suppress(OSError):  # what stands in the way there is for `oacp doctor`
                agents[name] = self.home.project(name).agents()
        found = [name for name, there in agents.items() if agent in there]
        if not found:
            known = sorted({name for there in agents.values() for name in there})
            raise NotFoundError(
                f'no project in {self.home.path} has an agent called "{agent}"',
                hint=did_you_mean(agent, known) or "oacp agent add makes one",
            )
        return found

    def open(self, name: str, *, patient: bool = False) -> tuple[Project, Subscription]:
        """Take the cursor for one project's mailbox."""
        project = self.home.project(name)
        mailbox = project.mailbox(self.agent)
        cursor = Cursor(project, mailbox, self._arguments.state_id)
        if cursor.was_damaged:
            self.console.talk(
                f"{visible(cursor.path)} was damaged and is put aside; all that is in the inbox "
                "is told again"
            )
        archived = self._arguments.show_archived
        return project, Subscription(mailbox, cursor, archived=archived, patient=patient)

    def scan(self) -> int:
        """Tell once what is new; a project that fails doesn't keep the others from it."""
        code = 0
        for name in self.names:
            try:
                code = max(code, self._scan(name))
            except OSError as error:
                code = max(code, self.fail(system_error(error), name))
            except WaypostError as error:
                code = max(code, self.fail(error, name))
        return code

    def _scan(self, name: str) -> int:
        project, subscription = self.open(name)
        try:
            subscription.begin(self.since)
            recover_project(project)
            events = subscription.look()
            self.tell(events)
            subscription.note(events)
            subscription.cursor.commit()
        finally:
            subscription.cursor.close()
        return int(any(event.kind == ERROR for event in events))

    def tell(self, events: Iterable[Event]) -> None:
        """Write events out; when this returns they have left us."""
        for event in events:
            if self.console.as_json:
                self._print_json(event.to_json(), event.kind == ERROR)
            elif event.kind == ERROR:
                self.console.talk(f"ERROR: {visible(event.path)}: {visible(event.details)}")
            else:
                self.console.data(_line(event))
        try:
            sys.stdout.flush()
        except OSError as error:
            raise OutputError(words_of(error)) from error

    def fail(self, error: WaypostError, project: str, **more: object) -> int:
        """Tell of what went wrong as an event of its own; gives the exit code."""
        if self.console.as_json:
            event = {"event": ERROR, "agent": self.agent, "project": project, **more}
            self._print_json(event | error.to_json(), is_error=True)
        else:
            self.console.talk(f"ERROR: {visible(error.details)}")
            if error.hint:
                self.console.talk(f"hint:  {visible(error.hint)}")
        return error.exit_code

    def _print_json(self, shown: dict[str, object], is_error: bool) -> None:
        """Errors go with the rest, unless stdout belongs to a program."""
        if is_error and not self._stdout_is_free:
            self.console.talk(json.dumps(shown))
        else:
            self.console.json(shown)


def _line(event: Event) -> str:
    shown = [
        event.kind.upper(),
        f"project={event.mailbox.project}",
        f"agent={event.mailbox.agent}",
        f"file={event.file}",
        f"type={event.text('type') or '?'}",
        f"priority={event.text('priority') or '?'}",
        event.text("subject") or "(no subject)",
    ]
    return visible(" ".join(shown))
