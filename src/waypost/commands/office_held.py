"""`waypost held`: the letters that a guard holds, and a person's decision."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, local_office, local_place
from waypost.errors import UsageError, visible

_EXAMPLES = """\
  waypost held                   which letters wait for your word, and why
  waypost held allow 8e4a0b52    let one go on
  waypost held bounce 8e4a0b52   send it back to who wrote it
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """List what is held, or decide."""
    parser = Parser("waypost held", "Letters that wait for a person's word.", _EXAMPLES)
    parser.add_argument("action", nargs="?", default="list", choices=["list", "allow", "bounce"])
    parser.add_argument("letter", nargs="?", metavar="ID", help="the letter, or how its id begins")
    add_options(parser, speaks=False)
    arguments = parser.parse_args(argv)
    if (arguments.letter is None) != (arguments.action == "list"):
        raise UsageError("allow and bounce take the id of a letter", hint="waypost held lists them")
    place = local_place(arguments)
    with local_office(arguments) as office:
        project = place.project(arguments.project, office.projects).value
        if arguments.letter is None:
            found = office.held(project)
        else:
            found = office.let_go(project, arguments.letter, goes_on=arguments.action == "allow")
    if console.as_json:
        console.json({"held": [one.to_json() for one in found]})
        return 0
    words = {"list": "held", "allow": "goes on", "bounce": "sent back"}
    for one in found:
        console.data(visible(f"{words[arguments.action]:<10} {one.id}  {one.sender} to {one.to}: "
                             f"{one.subject}"))  # fmt: skip
        console.data(visible(f"           {one.guard}: {one.reason}"))
    if not found:
        console.talk("nothing is held")
    return 0
