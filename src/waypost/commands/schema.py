"""`waypost schema`: which fields a message type has, for people, or as JSON Schema."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.topics import TypeName, all_types, find_types
from waypost.dialects.describe import fields_of, published_schema, title_of

_EXAMPLES = """\
  waypost schema                        list all message types
  waypost schema oacp/handoff           the fields of one, as a table
  waypost schema query --json           its JSON Schema (2020-12), whole
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Show one type, the types of a dialect, or all."""
    parser = Parser("waypost schema", "Show what messages look like.", _EXAMPLES)
    parser.add_argument("type", nargs="?", metavar="DIALECT[/TYPE]", help="which; all if absent")
    parser.add_argument("--json", action="store_true", help="print JSON Schema")
    wanted = parser.parse_args(argv).type
    found = all_types() if wanted is None else find_types(wanted)
    if len(found) == 1:
        _show_one(console, found[0])
    elif console.as_json:
        console.json({str(one): published_schema(one.dialect, one.type) for one in found})
    else:
        for one in found:
            console.data(f"{one!s:<32} {title_of(one.dialect, one.type)[1]}")
    return 0


def _show_one(console: Console, one: TypeName) -> None:
    if console.as_json:
        console.json(published_schema(one.dialect, one.type))
        return
    title, description = title_of(one.dialect, one.type)
    console.data(f"{console.paint(str(one), 'bold')}  {title}: {description}")
    console.data()
    rows = fields_of(one.dialect, one.type)
    width = max(len(row.path) for row in rows)
    for row in rows:
        mark = "required" if row.required else ""
        console.data(f"  {row.path:<{width}}  {mark:<8}  {console.paint(row.kind, 'blue')}")
        if row.description:
            console.data(f"  {'':<{width}}  {'':<8}  {console.paint(row.description, 'dim')}")
    console.talk(f"\na whole message: waypost examples {one}")
