"""`waypost backup` and `restore`: the office in one file, and back."""

import os
from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, local_office, local_place
from waypost.errors import visible


def backup(console: Console, argv: Sequence[str]) -> int:
    """Copy the office to a new file while it runs."""
    parser = Parser(
        "waypost backup",
        "Copy the whole office to one new file, while it runs.",
        "  waypost backup office-2026-03-13.db\n",
    )
    parser.add_argument("path", metavar="FILE", help="a new file")
    add_options(parser, speaks=False)
    arguments = parser.parse_args(argv)
    with local_office(arguments) as office:
        size = office.backup(os.path.abspath(arguments.path))
    if console.as_json:
        console.json({"path": os.path.abspath(arguments.path), "size": size})
    else:
        console.data(visible(f"copied the office to {arguments.path}, {size:,} bytes"))
    return 0


def restore(console: Console, argv: Sequence[str]) -> int:
    """Put a backup where no office is."""
    parser = Parser(
        "waypost restore",
        "Put a backup in the place of an office that isn't there any more.",
        "  waypost restore office-2026-03-13.db\n",
    )
    parser.add_argument("path", metavar="FILE", help="what waypost backup wrote")
    add_options(parser, speaks=False)
    arguments = parser.parse_args(argv)
    home = local_place(arguments).home.value
    from waypost.office.keeping import restore as put_back

    put_back(home, os.path.abspath(arguments.path))
    if console.as_json:
        console.json({"home": home, "path": os.path.abspath(arguments.path)})
    else:
        console.data(visible(f"the office is back in {home}"))
        console.talk("next: waypost audit verify")
    return 0
