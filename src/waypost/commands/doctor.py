"""`waypost doctor`: finds what is wrong with an office and around it, and mends what it can."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from waypost.carriers.folders.home import AGENT_FOLDERS, Home, Project
from waypost.commands.console import Console, Parser
from waypost.commands.findings import count, examine, show
from waypost.commands.oacp_doctor import of_folders
from waypost.commands.office_place import add_options, local_place
from waypost.doctor import clients, homes, notify, ports, programs, watching
from waypost.doctor.finding import Finding
from waypost.errors import NotFoundError, WaypostError, quoted, words_of
from waypost.letters.names import did_you_mean
from waypost.runtime.place import Place

_EXAMPLES = """\
  waypost doctor                  look at everything
  waypost doctor --fix            mend what can be mended without loss
  waypost doctor --project my-app --json
"""
_CHECKS = (
    "home database chain clock deliveries leases mailboxes leftovers messages watching ports"
    " certificates clients notify programs version"
)


def run(console: Console, argv: Sequence[str]) -> int:
    """Look at everything; exit 1 when something remains that needs a person."""
    parser = Parser("waypost doctor", "Find what is wrong, and mend it with --fix.", _EXAMPLES)
    parser.add_argument("--fix", action="store_true", help="mend what can be mended without loss")
    add_options(parser, speaks=False)
    arguments = parser.parse_args(argv)
    place = local_place(arguments)
    if arguments.project is not None:
        _check_project(place, arguments.project)
    look = _Look(place, arguments.project)
    mended, left = examine(console, look, fix=arguments.fix)
    needs = [finding for finding in left if not finding.is_only_told]
    if console.as_json:
        told = {
            "fixed": len(mended),
            "mended": mended,
            "findings": needs,
            "told": [finding for finding in left if finding.is_only_told],
        }
        listed = {
            key: [one.to_json() for one in value] if isinstance(value, list) else value
            for key, value in told.items()
        }
        console.json({"home": place.home.value, "checks": _CHECKS.split(), **listed})
    else:
        show(console, mended, left, count(len(_CHECKS.split()), "check"))
    return 1 if needs else 0


def _check_project(place: Place, project: str) -> None:
    """Raises NotFoundError for a project that neither the office nor the folders know."""
    from waypost.runtime.client import open_home

    known = set(Home(place.config.find("folders.home").value).projects())
    if project not in known:
        with suppress(WaypostError), open_home(place) as office:
            known.update(office.projects())
    if project not in known:
        hint = did_you_mean(project, known) or "there are " + ", ".join(sorted(known)[:20])
        raise NotFoundError(f"no project is called {quoted(project)}", hint=hint if known else None)


class _Look:
    """One look at everything; a check that can't be made is a finding of its own."""

    def __init__(self, place: Place, project: str | None) -> None:
        self._place = place
        self._home = place.home.value
        self._project = project

    def __call__(self) -> list[Finding]:
        from waypost import __version__

        parts: tuple[tuple[str, Callable[[], Iterable[Finding]]], ...] = (
            ("home", lambda: homes.check(self._home)),
            ("database", self._office),
            ("mailboxes", self._folders),
            ("ports", self._server),
            ("clients", lambda: clients.check(_entries(self._place))),
            ("notify", self._told),
            ("programs", lambda: programs.check(__version__)),
        )
        return [finding for name, part in parts for finding in self._careful(name, part)]

    def _careful(self, name: str, part: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
        try:
            yield from part()
        except WaypostError as error:
            yield Finding(name, self._home, error.details, error.hint or "")
        except OSError as error:
            what = f"it can't be looked at: {words_of(error)}"
            yield Finding(name, error.filename or self._home, what, "look at its permissions")

    def _office(self) -> Iterator[Finding]:
        from waypost.doctor import chain, clock, database, deliveries, leases
        from waypost.office.database import FILE
        from waypost.runtime.client import open_home
        from waypost.runtime.lock import is_served

        if not os.path.isdir(self._home):
            return
        if not os.path.lexists(os.path.join(self._home, FILE)):
            what, hint = "there is no office here yet", "waypost init makes one"
            yield Finding("database", self._home, what, hint, is_only_told=True)
            return
        served = is_served(self._home)
        with open_home(self._place) as office:
            yield from database.check(office)
            yield from chain.check(office)
            yield from clock.check(office)
            yield from deliveries.check(office, self._project, is_served=served)
            yield from leases.check(office, self._project)

    def _folders(self) -> Iterator[Finding]:
        projects = self._projects()
        yield from of_folders(projects)
        agents = sum(len(_agents(project)) for project in projects)
        yield from watching.check(agents * len(AGENT_FOLDERS))

    def _projects(self) -> list[Project]:
        home = Home(self._place.config.find("folders.home").value)
        known = home.projects()
        chosen = [name for name in known if self._project in (None, name)]
        return [home.project(name) for name in chosen]

    def _server(self) -> Iterator[Finding]:
        from urllib.parse import urlsplit

        from waypost.doctor import certificates
        from waypost.runtime import serving
        from waypost.runtime.lock import server_of

        config = self._place.config
        settings = serving.settings(config, insecure=True)
        server = server_of(self._home)
        if not server:
            http, quic = settings.http, settings.quic
            doors = [ports.Door("serve.http", http.host, http.port, is_udp=False),
                     ports.Door("serve.quic", quic.host, quic.port, is_udp=True)]  # fmt: skip
            yield from ports.check_free(doors)
        elif server.get("url"):
            url = urlsplit(server["url"])
            door = ports.Door("serve.http", url.hostname or "", url.port or 0, is_udp=False)
            yield from ports.check_answered(door, server.get("pid", "?"))
        if (certificate := config.look("serve.tls_cert")) is not None:
            key = config.look("serve.tls_key")
            given = os.path.expanduser(key.value) if key else None
            yield from certificates.check(os.path.expanduser(certificate.value), given, time.time())

    def _told(self) -> Iterator[Finding]:
        from waypost.runtime.notify import desktop_program, notify_of

        wanted = notify_of(self._place.config)
        yield from notify.check(wanted.desktop, desktop_program()[0])


def _agents(project: Project) -> list[str]:
    try:
        return project.agents()
    except OSError:  # which another check tells
        return []


def _entries(place: Place) -> Iterator[clients.Entry]:
    """What the settings of every client say of us, here and for the person."""
    from waypost.runtime.place import project_folder
    from waypost.setup.clients import CLIENTS, user_files
    from waypost.setup.disk import Disk
    from waypost.setup.plan import server_in

    disk = Disk(project_folder(place.here))
    for client in CLIENTS.values():
        for files in (client.project, user_files(client, place.environment)):
            try:
                found = server_in(client, disk.read(files.servers), files.servers)
            except WaypostError as error:
                trouble = error.details
                yield clients.Entry(client.name, files.servers, None, trouble)
                continue
            except OSError as error:
                yield clients.Entry(client.name, files.servers, None, str(error))
                continue
            command = found.get("command") if found else None
            if isinstance(command, str):
                yield clients.Entry(client.name, files.servers, command)
