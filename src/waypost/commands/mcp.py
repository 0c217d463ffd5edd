"""`waypost mcp`: the office as tools of one agent, over standard streams."""

import os
from collections.abc import Sequence

from waypost.commands.console import Console, Parser

_EXAMPLES = """\
  waypost mcp --agent claude                     in the project of this folder
  waypost mcp --agent claude --project my-app    what a client's configuration starts

The client speaks on stdin and stdout; logs go to stderr. The agent and its project are registered
before the first call, and the name stays the agent's own.
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Serve one agent until its client closes the streams."""
    parser = Parser("waypost mcp", "Give an agent its mail as MCP tools.", _EXAMPLES)
    parser.add_argument("--agent", metavar="AGENT", help="who the client is; else WAYPOST_AGENT")
    parser.add_argument("--project", metavar="PROJECT", help="which project; else found from here")
    parser.add_argument("--home", metavar="DIR", help="the office; else WAYPOST_HOME or ~/.waypost")
    parser.add_argument("--json", action="store_true", help="print errors as JSON")
    arguments = parser.parse_args(argv)

    from waypost.office import open_office
    from waypost.office.callers import Caller
    from waypost.runtime.place import Place

    place = Place(os.environ, os.getcwd(), arguments.home)
    with open_office(place.home.value, journal=place.journal()) as office:
        project = place.project(arguments.project, office.projects).value
        agent = place.agent(arguments.agent, lambda: office.names(project)).value
        caller = Caller(agent, project, "mcp")
        office.register(caller, with_token=False)
        from waypost.faces.mcp.stdio import serve

        serve(office, caller)
    return 0
