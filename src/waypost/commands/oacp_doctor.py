"""`oacp doctor`: finds what is wrong with the mailboxes, and mends what it can."""

import os
from collections.abc import Sequence

from waypost.carriers.folders.home import Project
from waypost.commands.console import Console, Parser
from waypost.commands.findings import count, examine, show
from waypost.commands.oacp_place import add_options
from waypost.doctor import leftovers, mailboxes, messages
from waypost.doctor.finding import Finding
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
    home = place.find_home(arguments.oacp_dir, os.environ, place.here())
    names = [arguments.project_option] if arguments.project_option else home.projects()
    projects = [home.project(name) for name in names]
    mended, left = examine(console, lambda: of_folders(projects), fix=arguments.fix)
    if console.as_json:
        console.json(
            {
                "home": home.path,
                "projects": names,
                "fixed": len(mended),
                "mended": [finding.to_json() for finding in mended],
                "findings": [finding.to_json() for finding in left],
            }
        )
    else:
        show(console, mended, left, count(len(names), "project"))
    return 1 if left else 0


def of_folders(projects: Sequence[Project]) -> list[Finding]:
    """All that is wrong with the folders of these projects."""
    checks = (mailboxes.check, leftovers.check, messages.check)
    found = []
    for project in projects:
        if unlisted := mailboxes.unlisted(project):
            found.append(unlisted)
            continue
        found += [finding for check in checks for finding in check(project)]
    return found
