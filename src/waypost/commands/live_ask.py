"""`waypost ask`, `ping`, `discover` and `who`: what peers know, how they are, what they can do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.commands.console import Console, Parser
from waypost.commands.live_place import (
    add_options,
    add_patience,
    add_secrets,
    count,
    has_key,
    members_for,
    text_of,
    visit,
)
from waypost.errors import visible

if TYPE_CHECKING:
    from waypost.agent import Answer, Capabilities, Online, Status
    from waypost.carriers.keyring import Peer

_ASK = """\
  waypost ask family "Swim schedules this week?" --domain family.calendar
  git diff | waypost ask reviewer --max-tokens 500 --timeout 120
"""
_PING = "  waypost ping family\n"
_DISCOVER = "  waypost discover family\n"
_WHO = """\
  waypost who family.calendar       live peers, and the members of the project
"""


def ask(console: Console, argv: Sequence[str]) -> int:
    """Ask a question, and print the answer."""
    parser = Parser("waypost ask", "Ask a live peer a question.", _ASK)
    parser.add_argument("peer", help="its local name, its id, or the beginning of its id")
    parser.add_argument("question", nargs="?", help="else it is read from a pipe")
    parser.add_argument("--domain", help="the field that the question belongs to: family.calendar")
    parser.add_argument("--max-tokens", type=count, default=0, metavar="N", help="for the answer")
    add_patience(parser, 30.0)
    add_secrets(parser)
    add_options(parser)
    wanted = parser.parse_args(argv)
    question = text_of(wanted.question, "question")

    async def errand(me: "Online") -> "tuple[Peer, Answer]":
        peer = me.peers.find(wanted.peer)
        return peer, await me.ask(
            peer.id,
            question,
            domain=wanted.domain,
            max_tokens=wanted.max_tokens,
            timeout=wanted.timeout,
            allow_secrets=wanted.allow_secrets,
        )

    peer, answer = visit(wanted, errand)
    if console.as_json:
        console.json({"peer": peer.name, "peer_id": peer.id, **answer._asdict()})
        return 0
    console.data(visible(answer.summary, keep="\n\t"))
    show_data(console, answer.data)
    if answer.truncated:
        console.talk("the answer is cut short; --max-tokens allows more")
    return 0


def show_data(console: Console, data: Any) -> None:
    """Print what came beside the words, if anything."""
    if data is not None:
        console.json(data)


def ping(console: Console, argv: Sequence[str]) -> int:
    """Tell whether a peer is alive, and how busy."""
    parser = Parser("waypost ping", "Is a live peer there, and how busy is it?", _PING)
    parser.add_argument("peer", help="its local name, its id, or the beginning of its id")
    add_patience(parser, 10.0)
    add_options(parser)
    wanted = parser.parse_args(argv)

    async def errand(me: "Online") -> "tuple[Peer, Status]":
        peer = me.peers.find(wanted.peer)
        return peer, await me.ping(peer.id, timeout=wanted.timeout)

    peer, status = visit(wanted, errand)
    milliseconds = round(status.round_trip * 1000, 1)
    if console.as_json:
        shown = status._asdict()
        del shown["round_trip"]
        console.json(
            {"peer": peer.name, "peer_id": peer.id, **shown, "round_trip_ms": milliseconds}
        )
        return 0
    words = [f"{peer.name} is {status.status}"]
    if status.active_tasks is not None:
        words.append(f"{status.active_tasks} at work")
    if status.uptime_secs is not None:
        words.append(f"up {span(status.uptime_secs)}")
    console.data(", ".join([*words, f"{milliseconds} ms"]))
    return 0


def span(seconds: float) -> str:
    """A length of time in words: 12 s, 5 min, 3 h, 2 d."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(max(seconds, 0))} s"


def discover(console: Console, argv: Sequence[str]) -> int:
    """Print what a peer says that it can do."""
    parser = Parser("waypost discover", "What can a live peer do?", _DISCOVER)
    parser.add_argument("peer", help="its local name, its id, or the beginning of its id")
    add_patience(parser, 10.0)
    add_options(parser)
    wanted = parser.parse_args(argv)
    card = visit(wanted, lambda me: me.discover(wanted.peer, timeout=wanted.timeout))
    if console.as_json:
        console.json(card._asdict())
        return 0
    for title, value in card._asdict().items():
        shown = ", ".join(value) if isinstance(value, tuple) else value
        if shown not in (None, ""):
            console.data(f"{title}: {visible(str(shown))}")
    return 0


def who(console: Console, argv: Sequence[str]) -> int:
    """List the peers and members that handle a domain, the most special first."""
    parser = Parser("waypost who", "Who can answer for a domain?  Peers are asked.", _WHO)
    parser.add_argument("domain", help="a field of knowledge: family.calendar")
    parser.add_argument("--project", metavar="PROJECT", help="whose members; else WAYPOST_PROJECT")
    add_patience(parser, 5.0, "an answer")
    add_options(parser)
    wanted = parser.parse_args(argv)
    members = members_for(wanted, wanted.domain)
    able: list[Capabilities] = []
    if members is None or has_key(wanted):
        able = visit(wanted, lambda me: me.who_can(wanted.domain, timeout=wanted.timeout))
    if console.as_json:
        console.json([*(card._asdict() for card in able), *(members or ())])
        return 0
    for card in able:
        console.data(_line_of(card))
    for one in members or ():
        about = f"{one['agent']}: {', '.join(one['domains'])}  by mail in {one['project']}"
        console.data(visible(about))
    if not able and not members:
        domain = visible(wanted.domain)
        console.talk(f"nobody that answers handles {domain}; see waypost peers, waypost agents")
    return 0


def _line_of(card: "Capabilities") -> str:
    tools = f"  tools: {', '.join(card.tools)}" if card.tools else ""
    return visible(f"{card.peer}: {', '.join(card.domains)}{tools}")
