"""`waypost agents`: who has a mailbox, tokens, and whose letters one takes."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect, place_of
from waypost.commands.office_show import listed
from waypost.errors import UsageError, visible

if TYPE_CHECKING:
    from waypost.runtime.client import Client

_EXAMPLES = """\
  waypost agents                              who has a mailbox
  waypost agents add reviewer --description "Reads every change."
  waypost agents add codex --folder --live    in a folder of OACP_HOME; live peers ask it
  waypost agents add ada --key waypost://…    a live peer, known by its key
  waypost agents add claude --mcp --dialect agentmail    it reads all its mail in Agent Mail
  waypost agents add helper --wake 'claude -p'    it is woken for each letter
  waypost agents token reviewer               a new token; shown once, the old one ends
  waypost agents revoke reviewer              it has none any more
  waypost agents move codex --to east         it lives at another node of a shared journal
  waypost agents rules codex --allow claude,ada
  waypost agents rules codex                  codex takes letters from everyone again
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """List agents, or change what is known of one."""
    parser = Parser("waypost agents", "Who has a mailbox in the project.", _EXAMPLES)
    parser.add_argument("action", nargs="?", default="list", choices=list(_ACTIONS))
    parser.add_argument("name", nargs="?", metavar="NAME", help="whom it is about")
    parser.add_argument("--person", action="store_true", help="add: a person, not an agent")
    parser.add_argument("--description", help="add: what others should know")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--folder", action="store_true", help="add: it has its mail in a folder")
    where.add_argument("--mcp", action="store_true", help="add: it fetches its mail by tools")
    where.add_argument("--key", metavar="TOKEN", help="add: a live peer, by its token")
    parser.add_argument("--wake", metavar="CMD", help="add: runs for its letters; prints replies")
    parser.add_argument(
        "--dialect",
        choices=["agentmail", "oacp", "as-written"],
        help="add: in which it reads what it fetches; as written if absent",
    )
    parser.add_argument("--domain", metavar="A,B", help="add: what it can answer for")
    parser.add_argument("--live", action="store_true", help="add: live peers may ask it, too")
    parser.add_argument("--to", metavar="NODE", help="move: the node where it lives from now on")
    parser.add_argument("--allow", metavar="A,B", help="rules: only letters of these")
    parser.add_argument("--deny", metavar="A,B", help="rules: no letters of these")
    add_options(parser)
    arguments = parser.parse_args(argv)
    if (arguments.name is None) != (arguments.action == "list"):
        raise UsageError(
            f"waypost agents {arguments.action} takes "
            + ("no name" if arguments.name else "a name"),
            hint="waypost agents --help shows how it is used",
        )
    known = place_of(arguments).config
    if arguments.agent is None and not (known.look("mail.agent") or known.look("office.url")):
        arguments.agent = arguments.name  # who holds the home may speak for anyone in it
    with connect(arguments, speaks=arguments.action != "list") as office:
        found = _ACTIONS[arguments.action](office, arguments)
    if console.as_json:
        console.json(found)
    else:
        _SHOWN[arguments.action](console, found)
    return 0


def _list(office: "Client", arguments: argparse.Namespace) -> dict[str, Any]:
    return office.ask("agents")


def _add(office: "Client", arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.key and arguments.wake:
        hint = "a program is for an agent with a mailbox here"
        raise UsageError("a live peer answers for itself: --key and --wake don't go together",
                         hint=hint)  # fmt: skip
    given: dict[str, Any] = {"kind": "person" if arguments.person else "agent", "with_token": False}
    if arguments.description is not None:
        given["description"] = arguments.description
    if arguments.domain is not None:
        given["domains"] = _names(arguments.domain)
    if arguments.dialect is not None:
        given["dialect"] = arguments.dialect
    given |= _living(office, arguments)
    added = office.call("register", given, agent=arguments.name)
    if arguments.wake is not None:
        from waypost.runtime.joining import wake_by

        wake_by(office, arguments.name, arguments.wake)
    return added


def _living(office: "Client", arguments: argparse.Namespace) -> dict[str, Any]:
    """Where an agent lives, and the key that it is known by."""
    if arguments.folder or arguments.mcp:
        given = {"carrier": "folder" if arguments.folder else "pickup"}
    else:
        given = {"carrier": "key"} if arguments.key else {}
    if arguments.live or arguments.key:
        from waypost.runtime.joining import key_of

        given["key_id"] = key_of(office, arguments.name, arguments.key)
    return given


def _token(office: "Client", arguments: argparse.Namespace) -> dict[str, Any]:
    return office.ask("rotate_token", name=arguments.name)


def _revoke(office: "Client", arguments: argparse.Namespace) -> dict[str, Any]:
    return office.ask("revoke_token", name=arguments.name)


def _move(office: "Client", arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.to is None:
        hint = "--to NODE; waypost status --cluster shows the nodes"
        raise UsageError("to which node does it move?", hint=hint)
    moved = office.ask("move", name=arguments.name, node=arguments.to)
    return {**moved, "node": arguments.to}


def _rules(office: "Client", arguments: argparse.Namespace) -> dict[str, Any]:
    rules = {"allow": _names(arguments.allow), "deny": _names(arguments.deny)}
    given = {key: names for key, names in rules.items() if names is not None}
    return office.call("set_rules", given, agent=arguments.name)


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


_ACTIONS: dict[str, Callable[["Client", argparse.Namespace], dict[str, Any]]] = {
    "list": _list,
    "add": _add,
    "token": _token,
    "revoke": _revoke,
    "move": _move,
    "rules": _rules,
}


def _show_list(console: Console, found: dict[str, Any]) -> None:
    for one in found["agents"]:
        about = one.get("description", "").replace("\n", " ")
        unread = f"{one.get('unread', 0):>5} unread"
        where = f"(at {one['node']}) " if "node" in one else ""
        line = f"  {one['name']:<16} {one['kind']:<7} {unread}  {where}{_rules_of(one)}{about}"
        console.data(visible(line).rstrip())


def _rules_of(one: dict[str, Any]) -> str:
    words = []
    if "allow" in one:
        words.append(f"only from {listed(one['allow'])}")
    if "deny" in one:
        words.append(f"not from {listed(one['deny'])}")
    return f"({', '.join(words)}) " if words else ""


def _show_added(console: Console, found: dict[str, Any]) -> None:
    word = "added" if found.get("is_new") else "there already:"
    console.data(visible(f"{word} {found['agent']} in {found['project']}"))


def _show_token(console: Console, found: dict[str, Any]) -> None:
    console.data(visible(found["token"]))
    console.talk(visible(f"the token of {found['agent']}: it is shown now and never again"))


def _show_revoked(console: Console, found: dict[str, Any]) -> None:
    console.data(visible(f"{found['agent']} has no token any more"))


def _show_moved(console: Console, found: dict[str, Any]) -> None:
    console.data(visible(f"{found['agent']} lives at {found['node']} now"))


def _show_rules(console: Console, found: dict[str, Any]) -> None:
    console.data(visible(f"the rules of {found['agent']} are set"))


_SHOWN: dict[str, Callable[[Console, dict[str, Any]], None]] = {
    "list": _show_list,
    "add": _show_added,
    "token": _show_token,
    "revoke": _show_revoked,
    "move": _show_moved,
    "rules": _show_rules,
}
