"""`waypost serve`: a whole office in one process, until it is told to stop."""

import argparse
import logging
import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from waypost.commands.console import INTERRUPTED, Console, Parser
from waypost.errors import visible
from waypost.runtime.logs import Lines, log_to_stderr

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from waypost.office import Office
    from waypost.runtime.endpoint import Endpoint
    from waypost.runtime.serving import Settings, Tls

_EXAMPLES = """\
  waypost serve                                       for this machine
  waypost serve --http 127.0.0.1:0 --json             at a free port; prints where
  waypost serve --http 0.0.0.0:7117 --tls-cert c.pem --tls-key k.pem
  waypost serve --journal nats://a,b,c/team           one node of many; docs/scale.md

It watches the folders of OACP_HOME, hands letters over, answers live peers over QUIC, and serves
HTTP: MCP at /mcp, the office for programs under /api, /healthz and /metrics. Their requests carry
the token of an agent: waypost agents token NAME. People come in by waypost open. It stops in good
order on SIGTERM.
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Serve an office until told to stop."""
    arguments = _arguments(argv)

    from waypost.office import open_office
    from waypost.runtime import serving
    from waypost.runtime.place import Place

    place = Place(os.environ, os.getcwd(), arguments.home)
    insecure = arguments.insecure
    settings = serving.settings(place.config, arguments.http, arguments.quic, insecure=insecure)
    tls = serving.tls_of(place.config, arguments.tls_cert, arguments.tls_key)
    serving.check_reach(settings.http, tls, insecure=insecure)
    settings = settings._replace(names=(*settings.names, *arguments.names, settings.http.host))
    lines = Lines("%(asctime)s %(levelname)s %(name)s %(message)s")
    form = _Objects() if console.as_json else lines
    log_to_stderr(form, logging.DEBUG if arguments.verbose else logging.INFO)
    with ExitStack() as stack:
        journal = place.journal(arguments.journal)
        named = place.config.look("serve.node", arguments.node)
        node = named.value if named else None
        office = stack.enter_context(open_office(place.home.value, journal=journal, node=node))
        for warning in office.desk.journal.warnings:
            console.talk(visible(f"warning: {warning}"))
        note = stack.enter_context(serving.alone_at(place.home.value))
        listener = stack.enter_context(serving.listening(settings.http))
        ended_by = _serve(console, office, settings, listener, tls, note)
    return INTERRUPTED if ended_by == signal.SIGINT else 0


def _serve(
    console: Console,
    office: "Office",
    settings: "Settings",
    listener: "socket.socket",
    tls: "Tls | None",
    note: "Callable[[str], None]",
) -> int:
    from waypost.faces.audience import Audience
    from waypost.runtime.http_server import serve
    from waypost.runtime.notify import channels_of
    from waypost.runtime.post_office import PostOffice
    from waypost.runtime.telling import Teller

    address = settings.http._replace(port=listener.getsockname()[1])
    url = f"{'http' if tls is None else 'https'}://{address}"
    where = {"url": url, "pid": os.getpid(), "home": office.home, "folders": settings.folders}
    if (node := office.desk.journal.company.me) is not None:
        where["node"] = node

    def ready(endpoint: "Endpoint") -> None:
        note(url)
        _say(console, where, endpoint)

    post = PostOffice(office, settings.folders, settings.limits, url)
    audience = Audience(settings.notify.quiet_seconds)
    teller = Teller(office, audience, channels_of(settings.notify), url)
    return serve(post, teller, listener, tls, settings.names, settings.quic, ready)


def _say(console: Console, where: dict[str, Any], endpoint: "Endpoint") -> None:
    """Tell where everything is."""
    if endpoint.address is not None:
        where["quic"] = "{}:{}".format(*endpoint.address)
    if console.as_json:
        console.json(where)
        console.flush()
    console.talk(visible(f"serving {where['home']} at {where['url']}"))


class _Objects(logging.Formatter):
    """An object of JSON a line."""

    def format(self, record: logging.LogRecord) -> str:
        import json

        what = {"at": self.formatTime(record), "level": record.levelname.lower()}
        said = {"room": record.name, "message": record.getMessage()}
        trace = {"trace": self.formatException(record.exc_info)} if record.exc_info else {}
        return json.dumps({**what, **said, **trace})


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("waypost serve", "Run an office: folders, live peers, MCP and HTTP.", _EXAMPLES)
    parser.add_argument("--http", metavar="HOST:PORT", help="where to listen; else 127.0.0.1:7117")
    parser.add_argument("--quic", metavar="HOST:PORT", help="for live peers; else 127.0.0.1:7100")
    parser.add_argument("--tls-cert", metavar="FILE", help="a certificate, in PEM form")
    parser.add_argument("--tls-key", metavar="FILE", help="its key")
    parser.add_argument("--insecure", action="store_true", help="plain HTTP beyond this machine")
    parser.add_argument(
        "--name", dest="names", action="append", default=[], metavar="NAME",
        help="another host name that clients call this server by; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--journal", metavar="ADDRESS",
        help="the journal that many machines share, like nats://host:4222/office",
    )  # fmt: skip
    parser.add_argument(
        "--node", metavar="NAME",
        help="with --journal: what this node is called; else as before, or like its machine",
    )  # fmt: skip
    parser.add_argument("--home", metavar="DIR", help="the office; else WAYPOST_HOME or ~/.waypost")
    parser.add_argument("--verbose", action="store_true", help="log everything")
    parser.add_argument("--json", action="store_true", help="print the addresses and log as JSON")
    return parser.parse_args(argv)
