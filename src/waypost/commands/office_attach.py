"""`waypost attach`: files for everybody in the project, known by their hash."""

import base64
import os
import stat
import sys
from collections.abc import Sequence

from waypost.commands.console import Command, Console, Parser, dispatch, list_commands
from waypost.commands.office_place import add_options, connect
from waypost.errors import AlreadyThereError, TooLargeError, UsageError, visible

_HERE = "waypost.commands.office_attach"
_COMMANDS = (
    Command("put", "keep a file; gives its address", _HERE, "put"),
    Command("get", "fetch what an address names", _HERE, "get"),
)
_PUT_EXAMPLES = """\
  waypost attach put build.log --type text/plain
  make 2>&1 | waypost attach put - --name build.log
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Put a file, or get one."""
    return dispatch("waypost attach", _COMMANDS, _overview)(console, argv)


def _overview() -> str:
    return f"""waypost attach: files of up to 8 MiB, for everybody in the project

  waypost attach put findings.yaml
  waypost attach get artifact://sha256-2c26b46b… -o findings.yaml

commands:
{list_commands(_COMMANDS)}

  put  FILE|- [--name NAME] [--type MEDIA/TYPE] [--allow-secrets]
  get  artifact://sha256-… [-o FILE, --output FILE]

A letter names an attachment by its address. Both take --project, --agent, --home and --json."""


def put(console: Console, argv: Sequence[str]) -> int:
    """Keep a file; the same bytes are kept once."""
    parser = Parser("waypost attach put", "Keep a file for others.", _PUT_EXAMPLES)
    parser.add_argument("path", metavar="FILE", help="the file, or - for standard input")
    parser.add_argument("--name", help="what it is called; else the file's own name")
    parser.add_argument("--type", metavar="MEDIA/TYPE", help="like text/plain")
    parser.add_argument(
        "--allow-secrets", action="store_true", help="keep it although it holds one"
    )
    add_options(parser)
    arguments = parser.parse_args(argv)
    data = base64.b64encode(_read(arguments.path)).decode()
    name = arguments.name or (os.path.basename(arguments.path) if arguments.path != "-" else None)
    if name is None:
        raise UsageError("what comes from a pipe needs a name", hint="say --name")
    with connect(arguments) as office:
        kept = office.ask(
            "attach",
            name=name,
            data=data,
            media_type=arguments.type,
            allow_secrets=arguments.allow_secrets or None,
        )
    if console.as_json:
        console.json(kept)
    else:
        console.data(visible(kept["uri"]))
    return 0


def _read(path: str) -> bytes:
    """A file's bytes. Raises UsageError for what is no file, TooLargeError."""
    from waypost.office.attachments import LARGEST

    if path == "-":
        data = sys.stdin.buffer.read(LARGEST + 1) if sys.stdin is not None else b""
    else:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{path} is not a file", hint="put one file, or pipe it in")
            data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise TooLargeError(
            f"{'the input' if path == '-' else path} is larger than {LARGEST >> 20} MiB",
            hint="put a part of it, or say in the letter where it lies",
        )
    return data


def get(console: Console, argv: Sequence[str]) -> int:
    """Fetch an attachment into a new file, or onto a pipe."""
    parser = Parser(
        "waypost attach get",
        "Fetch an attachment.",
        "  waypost attach get artifact://sha256-2c26b46b… -o findings.yaml\n",
    )
    parser.add_argument("uri", metavar="ARTIFACT", help="its address")
    parser.add_argument("-o", "--output", metavar="FILE", help="a new file; else standard output")
    add_options(parser)
    arguments = parser.parse_args(argv)
    to_screen = arguments.output is None and not console.as_json
    if to_screen and sys.stdout.isatty():
        raise UsageError("an attachment isn't for a screen", hint="say -o FILE, or pipe it on")
    with connect(arguments) as office:
        kept = office.ask("attachment", uri=arguments.uri)
    data = base64.b64decode(kept.get("data", ""))
    if arguments.output is not None:
        _write(arguments.output, data)
        kept = {key: value for key, value in kept.items() if key != "data"}
        kept["path"] = arguments.output
    if console.as_json:
        console.json(kept)
    elif to_screen:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        console.data(visible(f"wrote {arguments.output}: {kept['name']}, {len(data):,} bytes"))
    return 0


def _write(path: str, data: bytes) -> None:
    """Write a new file, whole or not at all."""
    try:
        with open(path, "xb") as file:
            try:
                file.write(data)
            except OSError:
                os.unlink(path)
                raise
    except FileExistsError as error:
        raise AlreadyThereError(f"{path} is there already", hint="choose a new name") from error
