"""`oacp doctor`: finds what is wrong with the mailboxes, and mends what it can."""

import os
from collections.abc import Sequence

from waypost.carriers.folders.home import Project
from waypost.commands.console import Console, Parser
from waypost.commands.oacp_place import add_options
from waypost.doctor import leftovers, mailboxes, messages
from waypost.doctor.finding import Finding
from waypost.errors import WaypostError, visible
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
    left, mended = _look(projects), []
    if arguments.fix and (found := left):
        for finding in found:
            _mend(console, finding)
        left = _look(projects)  # what was mended is what isn't found again
        places = {(finding.check, finding.place) for finding in left}
        mended = [one for one in found if (one.check, one.place) not in places]
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
        _show(console, names, mended, left)
    return 1 if left else 0


def _look(projects: Sequence[Project]) -> list[Finding]:
    checks = (mailboxes.check, leftovers.check, messages.check)
    found = []
    for project in projects:
        if unlisted := mailboxes.unlisted(project):
            found.append(unlisted)
            continue
        found += [finding for check in checks for finding in check(project)]
    return found


def _mend(console: Console, finding: Finding) -> None:
    """Try a repair; one that fails doesn't keep the others from being tried."""
    if finding.repair is None:
        return
    try:
        finding.repair()
    except FileNotFoundError:  # mended together with another
        return
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        console.talk(f"could not mend {visible(finding.place)}: {what}")
    except WaypostError as error:
        console.talk(f"could not mend {visible(finding.place)}: {error.details}")


def _show(
    console: Console, names: Sequence[str], mended: list[Finding], left: list[Finding]
) -> None:
    for finding in mended:
        console.data(f"{console.paint('mended', 'green')}: {visible(finding.place)}")
        console.data(f"  {visible(finding.message)}")
    for finding in left:
        console.data(f"{console.paint(finding.check, 'yellow')}: {visible(finding.place)}")
        console.data(f"  {visible(finding.message)}")
        console.data(f"  {console.paint('hint:', 'blue')} {visible(finding.hint)}")
    fixed = f", {len(mended)} mended" if mended else ""
    console.talk(f"{_count(len(names), 'project')}, {_count(len(left), 'finding')}{fixed}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
