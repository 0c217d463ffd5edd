"""`waypost open`: log a browser in to the dashboard, by a link that is good once."""

import sys
from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import local_place, login
from waypost.errors import ConflictError, NotFoundError, UsageError

_EXAMPLES = """\
  waypost open                          as you; prints a link, and opens it
  waypost open --as dana --no-browser   print the link only
  waypost open --as dana --end          end every session and link of dana

The link is good once, for five minutes. The dashboard is part of waypost serve.
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Make a link to the running server, and open it where there is a browser."""
    parser = Parser("waypost open", "Open the dashboard in a browser.", _EXAMPLES)
    parser.add_argument("--as", dest="person", metavar="NAME", help="you; else your login name")
    parser.add_argument("--end", action="store_true", help="end all sessions and links of yours")
    parser.add_argument("--no-browser", action="store_true", help="only print the link")
    parser.add_argument("--project", metavar="PROJECT", help="which project; else WAYPOST_PROJECT")
    parser.add_argument("--home", metavar="DIR", help="the office's home; else WAYPOST_HOME")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)

    from waypost.faces.web.passes import Passes
    from waypost.runtime.client import open_home
    from waypost.runtime.serving import running

    place = local_place(arguments)
    home = place.home.value
    with open_home(place) as office:
        project = place.project(arguments.project, office.projects).value
        person = arguments.person or login()
        if person is None:
            raise UsageError("who are you?", hint="say --as NAME")
        if arguments.end:
            return _end(console, home, person, project)
        url = running(home)
        if url is None:
            raise NotFoundError("no server runs for this office", hint="start one: waypost serve")
        _register(office, person, project)
    link = f"{url}/enter/{Passes(home).link(person, project)}"
    if console.as_json:
        console.json({"url": link, "person": person, "project": project})
        return 0
    console.data(link)
    console.talk(f"good once, for five minutes, as {person} in {project}")
    if not arguments.no_browser and sys.stdin is not None and sys.stdin.isatty():
        import webbrowser

        webbrowser.open(link)
    return 0


def _end(console: Console, home: str, person: str, project: str) -> int:
    """End what lets a person in, in every browser."""
    from waypost.faces.web.passes import Passes

    ended = Passes(home).end_all(person, project)
    if console.as_json:
        console.json({"person": person, "project": project, "ended": ended})
    else:
        console.talk(f"ended: {ended} of {person} in {project}")
    return 0


def _register(office: object, person: str, project: str) -> None:
    """See to it that the person has a mailbox. Raises ConflictError for an agent's name."""
    from waypost.office import Office
    from waypost.office.callers import Caller

    assert isinstance(office, Office)
    caller = Caller(person, project, "cli")
    if project not in office.projects():
        raise NotFoundError(f"there is no project {project}", hint="waypost init makes one")
    office.register(caller, kind="person", with_token=False)
    if office.whoami(caller).kind != "person":
        raise ConflictError(f"{person} is an agent in {project}", hint="say --as with your name")
