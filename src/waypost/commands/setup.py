"""`waypost setup`: writes what a client needs in order to have the mail tools."""

import os
from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.errors import UsageError, quoted, visible
from waypost.letters.names import did_you_mean
from waypost.runtime.place import Place, project_folder
from waypost.setup.clients import CLIENTS, Client, Files, user_files
from waypost.setup.disk import Disk
from waypost.setup.launch import find_launch
from waypost.setup.plan import Wish, by_address, by_command, plan, token_variable, undoing

_EXAMPLES = """\
  waypost setup claude                     the files of this project, for everybody who works in it
  waypost setup codex --project my-app     where nothing says yet which project this is
  waypost setup gemini --print             show what would be written
  waypost setup cursor --http http://127.0.0.1:7117/mcp
  waypost setup claude --undo              take it all back
  waypost setup service                    the office as a service; --help tells more
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Set up a client or the service, or take that back."""
    if argv[:1] == ["service"]:
        from waypost.commands import setup_service

        return setup_service.run(console, argv[1:])
    arguments = _parser().parse_args(argv)
    client = _client(arguments.client)
    disk = Disk(project_folder(os.getcwd()))
    files = user_files(client, os.environ) if arguments.user else client.project
    said: dict[str, object] = {"client": client.name}
    if arguments.undo:
        wanted, notes = undoing(client, files), list[str]()
    else:
        place = Place(os.environ, os.getcwd())
        said["agent"] = agent = place.agent(arguments.agent or client.name).value
        who = ["--agent", agent]
        if arguments.project is not None or not arguments.user:
            said["project"] = project = place.project(arguments.project).value
            who += ["--project", project]
        wanted, notes = _wish(client, files, who, arguments.http)
    texts = plan(wanted, disk)
    changes = [
        _change(disk, name, text, is_shown=arguments.print)
        for name, text in sorted(texts.items())
        if text or disk.before(name)
    ]
    if not arguments.print:
        for name, text in texts.items():
            disk.write(name, text)
    if console.as_json:
        console.json({**said, "folder": disk.folder, "changes": changes, "notes": notes})
    else:
        _show(console, changes, notes)
    return 0


def _parser() -> Parser:
    parser = Parser("waypost setup", "Give a coding agent its mailbox.", _EXAMPLES)
    parser.add_argument("client", help=", ".join(CLIENTS))
    parser.add_argument("--agent", metavar="NAME", help="its name; else the client's")
    parser.add_argument("--project", metavar="P", help="the project; else that of this folder")
    parser.add_argument(
        "--http", metavar="URL", help="a running `waypost serve`, not one of its own"
    )
    parser.add_argument("--user", action="store_true", help="your own settings, not the project's")
    parser.add_argument("--undo", action="store_true", help="take back what was added")
    parser.add_argument("--print", action="store_true", help="show the changes, write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _client(name: str) -> Client:
    if (client := CLIENTS.get(name)) is not None:
        return client
    hint = did_you_mean(name, CLIENTS) or "known are " + ", ".join(CLIENTS)
    raise UsageError(f"there is no client {quoted(name)}", hint=hint)


def _wish(client: Client, files: Files, who: list[str], url: str | None) -> tuple[Wish, list[str]]:
    """What the client needs, and what is left for a person to do."""
    if url is not None:
        variable = token_variable(who[1])
        token = f"set {variable} to the token of {who[1]} where {client.title} starts"
        return by_address(client, files, url, variable), [token, client.after]
    launch = find_launch(os.environ)
    notes = [client.after]
    if not launch.is_portable:
        notes.append(f"on other machines {launch.command} isn't there: see docs/mcp-clients.md")
    return by_command(client, files, launch.command, who), notes


def _change(disk: Disk, name: str, text: str, *, is_shown: bool) -> dict[str, str]:
    """What becomes of one file, with the lines that differ when they are to be shown."""
    told = {"path": name, "change": disk.change(name, text)}
    if is_shown and told["change"] != "unchanged":
        told["difference"] = _difference(disk.before(name), text)
    return told


def _show(console: Console, changes: list[dict[str, str]], notes: list[str]) -> None:
    for told in changes:
        console.data(f"{told['change']:<9}  {visible(told['path'])}")
        for line in told.get("difference", "").splitlines():
            console.data("  " + visible(line))
    if all(told["change"] == "unchanged" for told in changes):
        console.talk("nothing to change")
    for note in notes:
        console.talk(f"next: {visible(note)}")


def _difference(before: str, after: str) -> str:
    from difflib import unified_diff

    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))
