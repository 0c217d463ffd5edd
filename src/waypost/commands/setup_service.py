"""`waypost setup service`: the office as a service of this person; written, never started."""

import os
import sys
from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.errors import ConflictError, NotFoundError, UsageError, visible
from waypost.setup.disk import Disk
from waypost.setup.launch import find_program
from waypost.setup.service import Service, is_ours, service_of

_EXAMPLES = """\
  waypost setup service                    write the unit; tells the command that starts it
  waypost setup service --print            show it, write nothing
  waypost setup service --undo             take it away
"""
# A service doesn't see the shell's environment: what leads to this office, and to the programs
# that it wakes, goes along.
_KEPT = ("PATH", "WAYPOST_HOME", "OACP_HOME", "WAYPOST_HTTP", "WAYPOST_QUIC", "WAYPOST_LETTERS",
         "WAYPOST_NAMES", "WAYPOST_TLS_CERT", "WAYPOST_TLS_KEY")  # fmt: skip
_PATHS = ("WAYPOST_HOME", "OACP_HOME", "WAYPOST_TLS_CERT", "WAYPOST_TLS_KEY")


def run(console: Console, argv: Sequence[str]) -> int:
    """Write the unit, or take it away."""
    parser = Parser("waypost setup service", "Run the office as a service of yours.", _EXAMPLES)
    parser.add_argument("--undo", action="store_true", help="take the unit away")
    parser.add_argument("--print", action="store_true", help="show the unit, write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    words = [] if arguments.undo else [find_program(os.environ), "serve"]
    service = service_of(sys.platform, words, _variables(), os.environ)
    if service is None:
        hint = "let your service manager run: waypost serve"
        raise UsageError(f"no service manager is known for {sys.platform}", hint=hint)
    disk = Disk(os.path.dirname(service.path))
    before, text = disk.read(service.path), "" if arguments.undo else service.text
    if before and not is_ours(before):
        hint = "move it away first, or keep it: --print shows ours"
        raise ConflictError(f"{service.path} is somebody else's", hint=hint)
    if arguments.undo and not before:
        raise NotFoundError(f"there is no {service.path}", hint="nothing is to be undone")
    change = disk.change(service.path, text)
    if not arguments.print:
        disk.write(service.path, text)
    _tell(console, service, change, text, is_shown=arguments.print, is_undone=arguments.undo)
    return 0


def _tell(
    console: Console, service: Service, change: str, text: str, *, is_shown: bool, is_undone: bool
) -> None:
    following = service.stop if is_undone else service.start
    if console.as_json:
        told = {"path": service.path, "change": change, "next": following}
        console.json({**told, "text": text} if is_shown else told)
        return
    if is_shown and text:
        console.data(visible(text.rstrip("\n"), keep="\n\t"))
    console.talk(f"{change}: {visible(service.path)}")
    console.talk(f"{'if it runs' if is_undone else 'to start it'}: {visible(following)}")


def _variables() -> dict[str, str]:
    found = {name: os.environ[name] for name in _KEPT if os.environ.get(name)}
    return {
        name: os.path.abspath(os.path.expanduser(value)) if name in _PATHS else value
        for name, value in found.items()
    }
