"""`oacp agent add`: gives an agent a mailbox in a project."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.oacp_place import add_options, find_project
from waypost.errors import UsageError

_EXAMPLES = "  oacp agent add my-app reviewer\n"


def run(console: Console, argv: Sequence[str]) -> int:
    """Add an agent; adding it twice is harmless."""
    parser = Parser("oacp agent", "Manage the agents of a project.", _EXAMPLES)
    parser.add_argument("action", choices=["add"])
    parser.add_argument("names", nargs="+", metavar="[PROJECT] NAME")
    parser.add_argument("--runtime", help="kept for scripts; has no effect")
    add_options(parser)
    arguments = parser.parse_args(argv)
    if len(arguments.names) > 2:
        raise UsageError("one project and one agent at a time", hint="oacp agent add PROJECT NAME")
    arguments.project = arguments.names[0] if len(arguments.names) == 2 else None
    project = find_project(arguments)
    is_new = project.add_agent(arguments.names[-1])
    if console.as_json:
        console.json({"project": project.name, "agent": arguments.names[-1], "created": is_new})
    else:
        console.data(
            f"{'added' if is_new else 'there already:'} {arguments.names[-1]} in {project.name}"
        )
    return 0


def add(console: Console, argv: Sequence[str]) -> int:
    """`oacp add-agent`, the older spelling."""
    return run(console, ["add", *argv])
