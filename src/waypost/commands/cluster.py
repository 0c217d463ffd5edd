"""`waypost cluster`: what it takes to share one office among machines."""

import os
from collections.abc import Sequence

from waypost.commands.console import Command, Console, Parser, dispatch, list_commands
from waypost.errors import AlreadyThereError, UnreadableError, UsageError, visible, words_of

_HERE = "waypost.commands.cluster"
_COMMANDS = (Command("init", "write configurations for the journal's servers", _HERE, "init"),)
_PORT = 4222
_ROUTES = 6222
_MONITOR = 8222


def run(console: Console, argv: Sequence[str]) -> int:
    """Set up a shared journal."""
    return dispatch("waypost cluster", _COMMANDS, _overview)(console, argv)


def _overview() -> str:
    return f"""waypost cluster: one office, many machines

  waypost cluster init                       three servers on this machine, to try it
  waypost cluster init --hosts a,b,c         one server on each of three machines
  waypost serve --journal nats://a,b,c/team  a node

commands:
{list_commands(_COMMANDS)}

  init  [--hosts A,B,C] [--dir DIR]

docs/scale.md leads through all of it."""


def init(console: Console, argv: Sequence[str]) -> int:
    """Write a configuration for each server, and tell how to start them."""
    parser = Parser(
        "waypost cluster init",
        "Write the smallest right configuration for the journal's servers.",
        "  waypost cluster init --dir cluster\n  waypost cluster init --hosts a,b,c\n",
    )
    parser.add_argument("--hosts", metavar="A,B,C", help="the machines; else three ports of this")
    parser.add_argument("--dir", default="cluster", metavar="DIR", help="where to; else ./cluster")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    arguments = parser.parse_args(argv)
    hosts = _hosts(arguments.hosts)
    folder = os.path.abspath(arguments.dir)
    texts = configurations(folder, hosts)
    written = _write(folder, texts)
    address = _address(hosts)
    if console.as_json:
        console.json({"files": written, "journal": address})
        return 0
    for path in written:
        console.data(visible(f"nats-server -c {os.path.relpath(path)}"))
    console.talk(f"start each of these, then: waypost serve --journal '{address}'")
    return 0


def configurations(folder: str, hosts: Sequence[str]) -> list[str]:
    """What each server is told; only what the office's promises need, and where it listens."""
    is_here = not hosts
    count = 3 if is_here else len(hosts)
    names = [f"waypost-{number + 1}" for number in range(count)]
    machines = hosts or ["127.0.0.1"] * 3
    shift = 1 if is_here else 0
    routes = ", ".join(
        f"nats://{machine}:{_ROUTES + number * shift}" for number, machine in enumerate(machines)
    )
    return [
        f"""\
# One of {count} servers that keep a waypost office's journal: nats-server -c {name}.conf
server_name: {name}
listen: {machine}:{_PORT + number * shift}
http: {"127.0.0.1" if is_here else machine}:{_MONITOR + number * shift}

jetstream {{
  store_dir: "{os.path.join(folder, name)}"
  sync_interval: always  # an answer means: it is on the disk
}}

cluster {{
  name: waypost
  listen: {machine}:{_ROUTES + number * shift}
  routes: [{routes}]
}}

# Before others reach this network: accounts with users, and tls for clients and routes.
"""
        for number, (name, machine) in enumerate(zip(names, machines, strict=True))
    ]


def _hosts(text: str | None) -> list[str]:
    if text is None:
        return []
    hosts = [one.strip() for one in text.split(",")]
    from waypost.office.journal.address import is_host

    if len(hosts) not in (3, 5) or len(set(hosts)) != len(hosts):
        raise UsageError("name three or five different machines", hint="--hosts a,b,c")
    for host in hosts:
        if ":" in host or not is_host(host):
            raise UsageError(f"{visible(host)} is no machine's name", hint="--hosts a,b,c")
    return hosts


def _address(hosts: Sequence[str]) -> str:
    machines = hosts or ["127.0.0.1"] * 3
    shift = 0 if hosts else 1
    places = [f"{machine}:{_PORT + n * shift}" for n, machine in enumerate(machines)]
    monitors = [f"http://{machine}:{_MONITOR + n * shift}" for n, machine in enumerate(machines)]
    return f"nats://{','.join(places)}/office?monitor={','.join(monitors)}"


def _write(folder: str, texts: Sequence[str]) -> list[str]:
    """Write the files; never over one that is there."""
    paths = [os.path.join(folder, f"waypost-{number + 1}.conf") for number in range(len(texts))]
    try:
        os.makedirs(folder, exist_ok=True)
        for path, text in zip(paths, texts, strict=True):
            with open(path, "x", encoding="utf-8") as file:
                file.write(text)
    except FileExistsError as error:
        raise AlreadyThereError(
            f"{error.filename} is there already", hint="name another --dir, or remove it"
        ) from error
    except OSError as error:
        raise UnreadableError(f"{error.filename}: {words_of(error)}") from error
    return paths
