"""`waypost notice`: one line when mail is unread, for the hooks of clients; else nothing at all.

It runs at every turn of an agent, so it is quick, changes nothing, and fails without a word.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.errors import UsageError, WaypostError, quoted
from waypost.letters.names import did_you_mean
from waypost.runtime.place import Place
from waypost.setup.notices import ENDINGS, FORMS, answer, may_go_on, sentence

_EXAMPLES = """\
  waypost notice --agent claude --project my-app
  waypost notice --agent claude --project my-app --event Stop    as a client's hook wants it
"""
_PATIENCE = 2.0  # seconds that a locked or far office may keep an agent waiting
_LONGEST = 1 << 20


def run(console: Console, argv: Sequence[str]) -> int:
    """Tell of unread mail. Always exits 0, but for wrong words on the command line."""
    parser = Parser("waypost notice", "Say in one line that mail is unread, or nothing.", _EXAMPLES)
    parser.add_argument("--agent", metavar="NAME", help="whose mail; else WAYPOST_AGENT")
    parser.add_argument("--project", metavar="P", help="the project; else that of this folder")
    parser.add_argument("--home", metavar="DIR", help="the office; else WAYPOST_HOME")
    parser.add_argument("--event", metavar="E", help="answer as a hook: " + ", ".join(FORMS))
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    form: str | None = arguments.event
    if form is not None and form not in FORMS:
        hint = did_you_mean(form, FORMS) or "known are " + ", ".join(FORMS)
        raise UsageError(f"there is no event {quoted(form)}", hint=hint)
    place = Place(os.environ, os.getcwd(), arguments.home)
    try:
        agent = place.agent(arguments.agent).value
        project = place.project(arguments.project).value
        unread = _unread(place, project, agent)
    except (WaypostError, OSError):
        unread = 0
    if console.as_json:
        console.json({"unread": unread})
    elif unread and (form not in ENDINGS or may_go_on(_happened())):
        console.data(answer(form, sentence(unread)))
    return 0


def _unread(place: Place, project: str, agent: str) -> int:
    from waypost.office import open_office
    from waypost.office.callers import Caller
    from waypost.office.database import FILE

    if (url := place.config.look("office.url")) is not None:
        from waypost.runtime.remote import Remote

        with Remote(url, place.environment, project, agent, _PATIENCE) as there:
            listed = there.ask("agents")["agents"]
        return sum(one.get("unread", 0) for one in listed if one["name"] == agent)
    home = place.home.value
    if not os.path.lexists(os.path.join(home, FILE)):
        return 0
    with open_office(home, journal=place.journal(), patience=_PATIENCE) as office:
        mine = [one for one in office.agents(Caller(agent, project, "cli")) if one.name == agent]
    return mine[0].unread if mine else 0


def _happened() -> Mapping[str, Any]:
    """What the client says of the event, on standard input; it may say nothing."""
    import json

    try:
        said = None if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read(_LONGEST)
        happened = json.loads(said or "{}")
    except (ValueError, OSError, RecursionError):
        return {}
    return happened if isinstance(happened, dict) else {}
