"""`oacp doctor`: finds what is wrong with the mailboxes, and mends what it can."""

import os
from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.oacp_place import add_options
from waypost.doctor import leftovers, mailboxes, messages
from waypost.doctor.finding import Finding
from waypost.errors import visible
from waypost.mailbox import place

_EXAMPLES = """\
  oacp doctor                 look at all projects
  oacp doctor --project my-app --fix
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Check every mailbox; exit 1 when something remains that needs a person."""
    parser = Parser("oacp doctor", "Check mailboxes, and repair them with --fix.", _EXAMPLES)
    parser.add_argument("--fix", action="store_true", help="mend what can be mended without loss")
    add_options(parser)
    arguments = parser.parse_args(argv)
    home = place.find_home(arguments.oacp_dir, os.environ, os.getcwd())
    names = [arguments.project_option] if arguments.project_option else home.projects()
    found: list[Finding] = []
    for project in [home.project(name) for name in names]:
        for check in (mailboxes.check, leftovers.check, messages.check):
            found += check(project)
    left = [finding for finding in found if not (arguments.fix and _mend(finding))]
    if console.as_json:
        console.json(
            {
                "home": home.path,
                "projects": names,
                "fixed": len(found) - len(left),
                "findings": [finding.to_json() for finding in left],
            }
        )
    else:
        _show(console, names, found, left)
    return 1 if left else 0


def _mend(finding: Finding) -> bool:
    if finding.repair is None:
        return False
    try:
        finding.repair()
    except FileNotFoundError:  # mended together with another
        return True
    return True


def _show(
    console: Console, names: Sequence[str], found: list[Finding], left: list[Finding]
) -> None:
    for finding in left:
        console.data(f"{console.paint(finding.check, 'yellow')}: {visible(finding.place)}")
        console.data(f"  {visible(finding.message)}")
        console.data(f"  {console.paint('hint:', 'blue')} {visible(finding.hint)}")
    fixed = f", {len(found) - len(left)} mended" if len(found) > len(left) else ""
    console.talk(f"{len(names)} projects, {len(left)} findings{fixed}")
