"""`waypost peers`: whom an agent trusts, how they are, and who knocked."""

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.commands.console import Console, Parser
from waypost.commands.live_ask import span
from waypost.commands.live_place import add_options, add_patience, home_of, visit, who
from waypost.errors import UsageError, quoted, visible

if TYPE_CHECKING:
    from waypost.agent import Online
    from waypost.agent.roster import Standing
    from waypost.carriers.keyring import Identity, Knock, Peer, Peers
    from waypost.carriers.lan import Suggestion

_EXAMPLES = """\
  waypost peers                                        whom we trust, and how they are
  waypost peers token                                  one line, for those who shall trust us
  waypost peers add waypost://… --name family          trust the agent behind a token
  waypost peers remove family                          trust it no more; its links close
  waypost peers --lan                                  who else is in the local network
"""
_NEEDS = {"token": None, "add": "TOKEN", "remove": "PEER"}


def run(console: Console, argv: Sequence[str]) -> int:
    """List the peers, or change who is one."""
    parser = Parser("waypost peers", "Whom a live agent trusts; both ends enrol.", _EXAMPLES)
    parser.add_argument("action", nargs="?", choices=list(_NEEDS), help="what to do; else list")
    parser.add_argument("what", nargs="?", metavar="TOKEN|PEER", help="for add and remove")
    parser.add_argument("--name", help="for add: what we call the peer")
    parser.add_argument("--lan", action="store_true", help="look around the local network, too")
    add_patience(parser, 2.0, "a peer's sign of life")
    add_options(parser)
    wanted = parser.parse_args(argv)
    _check(wanted)
    return _ACTIONS[wanted.action](console, wanted)


def _check(wanted: argparse.Namespace) -> None:
    needs = _NEEDS.get(wanted.action)
    if needs is not None and wanted.what is None:
        raise UsageError(f"{wanted.action} needs a {needs}", hint="waypost peers --help")
    if needs is None and wanted.what is not None:
        raise UsageError(f"{quoted(wanted.what)} is a word too many", hint="waypost peers --help")
    if wanted.name is not None and wanted.action != "add":
        raise UsageError("--name goes with add", hint="waypost peers add TOKEN --name NAME")


def _ring(wanted: argparse.Namespace) -> "tuple[Identity, Peers]":
    """The acting agent and its peers; its key is made when this is its first use."""
    from waypost.carriers.keyring import Peers, identity

    home = home_of(wanted)
    me = identity(home, who(wanted))
    return me, Peers(home, me)


def _our_token(wanted: argparse.Namespace, me: "Identity") -> str:
    from waypost.carriers.keyring import Presence, token_of

    address = Presence(home_of(wanted), me.name).decide().for_others()
    return token_of(me.public_key, *address)


def _token(console: Console, wanted: argparse.Namespace) -> int:
    me, _ = _ring(wanted)
    token = _our_token(wanted, me)
    if console.as_json:
        console.json({"agent": me.name, "id": me.id, "token": token})
    else:
        console.data(token)
    return 0


def _add(console: Console, wanted: argparse.Namespace) -> int:
    me, peers = _ring(wanted)
    peer = peers.add(wanted.what, wanted.name)
    _note(console, wanted, me, peer, is_trusted=True)
    if console.as_json:
        console.json({"agent": me.name, "peer": peer.name, "peer_id": peer.id})
        return 0
    console.data(f"{me.name} trusts {peer.name}, {peer.id}")
    console.talk(f"the other end does likewise: waypost peers add {_our_token(wanted, me)}")
    return 0


def _remove(console: Console, wanted: argparse.Namespace) -> int:
    me, peers = _ring(wanted)
    peer = peers.remove(wanted.what)
    _note(console, wanted, me, peer, is_trusted=False)
    if console.as_json:
        console.json({"agent": me.name, "peer": peer.name, "peer_id": peer.id})
    else:
        console.data(f"{me.name} trusts {peer.name} no more")
    return 0


def _note(
    console: Console, wanted: argparse.Namespace, me: "Identity", peer: "Peer", *, is_trusted: bool
) -> None:
    """Bring a change into the journal of the home's office, if it has one."""
    from waypost.runtime.trust import note_everywhere

    if why := note_everywhere(home_of(wanted), me, peer, is_trusted=is_trusted):
        console.talk(visible(f"the office couldn't note it: {why}"))


# -- the list ------------------------------------------------------------------------------


def _list(console: Console, wanted: argparse.Namespace) -> int:
    me, peers = _ring(wanted)
    standings = visit(wanted, lambda online: _look(online, wanted.timeout)) if peers.all() else []
    knocks = peers.knocks()
    around = _around(wanted, me, peers) if wanted.lan else []
    if console.as_json:
        shown: dict[str, Any] = {"agent": me.name, "id": me.id}
        shown["peers"] = [_peer_json(one) for one in standings]
        shown["knocks"] = [_knock_json(knock) for knock in knocks]
        if wanted.lan:
            shown["lan"] = [one._asdict() for one in around]
        console.json(shown)
        return 0
    for standing in standings:
        console.data(_line_of(standing))
    if not standings:
        console.talk(f"{me.name} trusts nobody yet; waypost peers add TOKEN enrols a peer")
    _tell_of_strangers(console, knocks, around)
    if wanted.lan and not around:
        console.talk("nobody new is announced in the local network")
    return 0


async def _look(me: "Online", timeout: float) -> "list[Standing]":
    from waypost.agent.roster import look

    return await look(me, timeout)


def _around(wanted: argparse.Namespace, me: "Identity", peers: "Peers") -> "list[Suggestion]":
    """Who is announced in the local network, but ourselves and those we trust already."""
    import asyncio

    from waypost.carriers.lan import suggestions

    found = asyncio.run(suggestions(wanted.timeout))
    return [one for one in found if one.id != me.id and peers.by_id(one.id) is None]


def _tell_of_strangers(console: Console, knocks: "list[Knock]", around: "list[Suggestion]") -> None:
    from waypost.carriers.keyring import token_of

    for knock in knocks:
        console.data(f"someone knocked: {knock.id} from {knock.host}, {_times(knock)}")
        console.data(f"  if you know who: waypost peers add {token_of(knock.public_key)}")
    for one in around:
        console.data(f"nearby: {one.name or 'no name'}, {one.id}")
        console.data(f"  if you know who: waypost peers add {one.token}")


def _times(knock: "Knock") -> str:
    often = "once" if knock.times == 1 else f"{knock.times} times"
    return f"{often}, last {_ago(knock.last)}"


def _ago(moment: float) -> str:
    return f"{span(time.time() - moment)} ago"


def _line_of(one: "Standing") -> str:
    words = [f"{one.peer.name:<12}", f"{one.state:<10}"]
    if one.status is not None:
        words.append(
            f"{one.status.round_trip * 1000:.1f} ms, {one.status.active_tasks or 0} at work"
        )
    elif one.last_seen is not None:
        words.append(f"seen {_ago(one.last_seen)}")
    else:
        words.append("never seen")
    return visible("  ".join([*words, one.peer.id]))


def _peer_json(one: "Standing") -> dict[str, Any]:
    peer, status = one.peer, one.status
    return {
        "peer": peer.name,
        "peer_id": peer.id,
        "address": None if peer.host is None else f"{peer.host}:{peer.port}",
        "state": one.state,
        "since": None if peer.since is None else _stamp(peer.since),
        "last_seen": None if one.last_seen is None else _stamp(one.last_seen),
        "round_trip_ms": None if status is None else round(status.round_trip * 1000, 1),
        "active_tasks": None if status is None else status.active_tasks,
        "error": None if one.error is None else one.error.to_json(),
    }


def _knock_json(knock: "Knock") -> dict[str, Any]:
    from waypost.carriers.keyring import token_of

    return {
        "id": knock.id,
        "host": knock.host,
        "times": knock.times,
        "last": _stamp(knock.last),
        "token": token_of(knock.public_key),
    }


def _stamp(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


_ACTIONS = {None: _list, "token": _token, "add": _add, "remove": _remove}
