"""`oacp follow-ups`: the work that was put off, so that nobody forgets it."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.oacp_place import add_options, find_project
from waypost.errors import visible
from waypost.mailbox.follow_ups import FollowUp, follow_ups
from waypost.mailbox.sending import recover_project

_EXAMPLES = """\
  oacp follow-ups                  what was put off, by risk tier and owner
  oacp follow-ups --owner claude --open
"""
_SHOWN = ("source_type", "source_ref", "next_action", "tracking_issue", "due_hint")


def run(console: Console, argv: Sequence[str]) -> int:
    """List the deferred work of a project."""
    parser = Parser("oacp follow-ups", "List deferred work by risk tier and owner.", _EXAMPLES)
    parser.add_argument("project", nargs="?", help="the project")
    parser.add_argument("--owner", help="only the work of this owner")
    parser.add_argument("--open", action="store_true", help="leave out what is done")
    add_options(parser)
    arguments = parser.parse_args(argv)
    project = find_project(arguments)
    recover_project(project)
    found = follow_ups(project, arguments.owner)
    if arguments.open:
        found = [one for one in found if one.done is None]
    if console.as_json:
        console.json([_as_json(one) for one in found])
    else:
        _show(console, found)
    return 0


def _as_json(one: FollowUp) -> dict[str, object]:
    item = one.item
    shown: dict[str, object] = {
        "id": item.id,
        "risk_tier": one.tier,
        "owner": one.owner or None,
        "summary": one.summary,
        "done": one.done is not None,
        "done_by": one.done,
    }
    shown |= {name: one.body[name] for name in _SHOWN if name in one.body}
    names = ("from", "to", "subject", "created_at_utc", "conversation_id")
    shown |= {name: value for name in names if (value := (item.header or {}).get(name))}
    return shown | {"path": item.path, "valid": item.entry.valid}


def _show(console: Console, found: Sequence[FollowUp]) -> None:
    heading = None
    for one in found:
        if heading != (heading := (one.tier, one.owner)):
            title = f"{one.tier or '--'}  {one.owner or 'nobody named'}"
            console.data(console.paint(visible(title), "bold"))
        mark = f"  ({one.done})" if one.done else ""
        console.data(visible(f"  {'x' if one.done else '-'} {one.summary}{mark}"))
        for name in ("next_action", "due_hint", "tracking_issue"):
            if not one.done and name in one.body:
                console.data(visible(f"      {name.replace('_', ' ')}: {one.body[name]}"))
        console.data(console.paint(visible(f"      {one.item.id}"), "dim"))
    done = sum(one.done is not None for one in found)
    console.talk(f"{len(found) - done} open, {done} done")
