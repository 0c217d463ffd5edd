"""`waypost import oacp`: takes an OACP home over, with its history."""

import os
from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import local_place
from waypost.commands.office_show import count, listed
from waypost.errors import visible

_MOST_LINES = 20
_EXAMPLES = """\
  waypost import oacp                      the OACP project that you stand in
  waypost import oacp my-app --oacp-dir ~/oacp
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Take over what another kind of office has; doing it again takes only what is new."""
    parser = Parser("waypost import", "Take over mail with its history.", _EXAMPLES)
    parser.add_argument("source", choices=["oacp"], help="what it is")
    parser.add_argument("project", nargs="?", help="its project")
    parser.add_argument("--oacp-dir", metavar="DIR", help="its home; else OACP_HOME or ~/oacp")
    parser.add_argument("--home", metavar="DIR", help="the office's home; else WAYPOST_HOME")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    from waypost.mailbox import place as folders
    from waypost.runtime.client import open_home
    from waypost.runtime.importing import import_oacp

    place = local_place(arguments)
    source = folders.find_home(arguments.oacp_dir, os.environ, place.here)
    project = folders.find_project(source, arguments.project, os.environ, place.here)
    with open_home(place, may_be_new=True) as office:
        done = import_oacp(office, project)
    if console.as_json:
        console.json(done.to_json())
        return 0
    console.data(f"{count(done.letters, 'letter')} taken over into {visible(done.project)}")
    if done.known:
        console.data(f"{count(done.known, 'letter')} were there before")
    console.data(f"members: {listed(done.members)}")
    for one in done.left[:_MOST_LINES]:
        console.talk(visible(f"left alone: {one.path}: {one.details}"))
    if len(done.left) > _MOST_LINES:
        console.talk(f"and {count(len(done.left) - _MOST_LINES, 'more file')} (--json lists all)")
    return 0
