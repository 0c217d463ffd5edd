"""`waypost serve`: the office over HTTP, for agents elsewhere and for programs."""

import argparse
import os
import signal
from collections.abc import Sequence

from waypost.commands.console import INTERRUPTED, Console, Parser
from waypost.errors import UsageError

_EXAMPLES = """\
  waypost serve                                       at 127.0.0.1:7117, for this machine
  waypost serve --http 127.0.0.1:0 --json             at a free port; prints where
  waypost serve --http 0.0.0.0:7117 --tls-cert c.pem --tls-key k.pem

MCP is at /mcp, the office for programs at /api/call/NAME, health at /healthz. Every request
carries the token of an agent: waypost agents token NAME. It stops in good order on SIGTERM.
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Serve an office until told to stop."""
    arguments = _arguments(argv)

    from waypost.office import open_office
    from waypost.runtime import serving
    from waypost.runtime.place import Place

    place = Place(os.environ, os.getcwd(), arguments.home)
    address = serving.address_of(place.config.find("serve.http", arguments.http).value)
    tls = serving.Tls(arguments.tls_cert, arguments.tls_key) if arguments.tls_cert else None
    if tls is not None:
        serving.check_certificate(tls)
    serving.check_reach(address, tls, insecure=arguments.insecure)
    more = place.config.look("serve.names")
    names = [*(more.value.replace(",", " ").split() if more else ()), *arguments.names]

    with (
        open_office(place.home.value) as office,
        serving.alone_at(place.home.value) as note,
        serving.listening(address) as listener,
    ):
        scheme = "http" if tls is None else "https"
        url = f"{scheme}://{address._replace(port=listener.getsockname()[1])}"

        def ready() -> None:
            note(url)
            if console.as_json:
                console.json({"url": url, "pid": os.getpid(), "home": place.home.value})
            console.talk(f"serving {place.home.value} at {url}")

        from waypost.runtime.http_server import serve

        ended_by = serve(office, listener, tls, {*names, address.host}, ready)
    return INTERRUPTED if ended_by == signal.SIGINT else 0


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("waypost serve", "Serve an office over HTTP.", _EXAMPLES)
    parser.add_argument("--http", metavar="HOST:PORT", help="where to listen; else 127.0.0.1:7117")
    parser.add_argument("--tls-cert", metavar="FILE", help="a certificate, in PEM form")
    parser.add_argument("--tls-key", metavar="FILE", help="its key")
    parser.add_argument("--insecure", action="store_true", help="plain HTTP beyond this machine")
    parser.add_argument(
        "--name", dest="names", action="append", default=[], metavar="NAME",
        help="another host name that clients call this server by; may be repeated",
    )  # fmt: skip
    parser.add_argument("--home", metavar="DIR", help="the office; else WAYPOST_HOME or ~/.waypost")
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    arguments = parser.parse_args(argv)
    if bool(arguments.tls_cert) != bool(arguments.tls_key):
        raise UsageError("--tls-cert and --tls-key go together")
    return arguments
