"""`waypost mcp`: the office as tools of one agent, over standard streams."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from waypost.commands.console import Console, Parser

if TYPE_CHECKING:
    from waypost.runtime.place import Place

_EXAMPLES = """\
  waypost mcp --agent claude                     in the project of this folder
  waypost mcp --agent claude --project my-app    what a client's configuration starts

The client speaks on stdin and stdout; logs go to stderr. The agent and its project are registered
before the first call, and the name stays the agent's own. With WAYPOST_URL the tools are those of
the server there, as the agent whose token is in WAYPOST_TOKEN.
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Serve one agent until its client closes the streams."""
    parser = Parser("waypost mcp", "Give an agent its mail as MCP tools.", _EXAMPLES)
    parser.add_argument("--agent", metavar="AGENT", help="who the client is; else WAYPOST_AGENT")
    parser.add_argument("--project", metavar="PROJECT", help="which project; else found from here")
    parser.add_argument("--home", metavar="DIR", help="the office; else WAYPOST_HOME or ~/.waypost")
    parser.add_argument("--json", action="store_true", help="print errors as JSON")
    arguments = parser.parse_args(argv)

    from waypost.runtime.place import Place

    place = Place(os.environ, os.getcwd(), arguments.home)
    if place.config.look("office.url") is None:
        _serve_here(place, arguments.project, arguments.agent)
    else:
        _serve_from_afar(place, arguments.project, arguments.agent)
    return 0


def _serve_here(place: "Place", project: str | None, agent: str | None) -> None:
    from waypost.office import open_office
    from waypost.office.callers import Caller

    with open_office(place.home.value, journal=place.journal()) as office:
        found = place.project(project, office.projects).value
        caller = Caller(place.agent(agent, lambda: office.names(found)).value, found, "mcp")
        office.register(caller, with_token=False)
        from waypost.faces.mcp.stdio import serve

        serve(office, caller)


def _serve_from_afar(place: "Place", project: str | None, agent: str | None) -> None:
    """The token says who the agent is; a name on the command line must be the same."""
    from waypost.faces.mcp.relay import relay
    from waypost.runtime.client import connect
    from waypost.runtime.remote import TOKEN

    with connect(place, project, agent) as office:
        relay(office.where.value.rstrip("/"), place.environment[TOKEN])
