"""Who is there: live peers whom our agents trust, and the agents with what lies on them."""

from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from waypost.errors import UnreachableError, WaypostError
from waypost.faces.trust import Trust
from waypost.faces.web.page import Page
from waypost.faces.web.pages import by_load
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.homes import Cluster

_ROWS = 50


class Known(NamedTuple):
    """A key that agents of ours trust: what it is, and the lines of those who do."""

    peer: str
    peer_id: str
    fingerprint: str
    address: str | None
    trusted: list[dict[str, Any]]


class Peering:
    """What needs the keys beside the office: pages and deeds about peers."""

    def __init__(self, trust: Trust) -> None:
        self._trust = trust

    def peers(self, office: Office, caller: Caller, query: Query) -> Page:
        """Whom our agents trust, who knocked, and our tokens to share."""
        return self._page(caller, {})

    def enrol(self, office: Office, caller: Caller, form: Query) -> str:
        """Have an agent trust a key."""
        name = form.get("name") or None
        self._trust.enrol(caller, form.get("agent"), form.get("token"), name)
        return url("/peers", did="enrolled")

    def revoke(self, office: Office, caller: Caller, form: Query) -> str:
        """Have an agent trust a key no more."""
        self._trust.revoke(caller, form.get("agent"), form.get("peer"))
        return url("/peers", did="revoked")

    def ping(self, office: Office, caller: Caller, form: Query) -> Page:
        """Ask a peer for a sign of life, and show how long that took."""
        agent, peer = form.get("agent"), form.get("peer")
        try:
            told: Any = self._trust.ping(caller, agent, peer)
        except WaypostError as error:
            told = {"error": error}
        return self._page(caller, {(agent, peer): told})

    def agents(self, office: Office, caller: Caller, query: Query) -> Page:
        """Everybody who has a mailbox, with what lies on them."""
        found = by_load(office.agents(caller))
        wanted = query.get("name").casefold()
        found = [one for one in found if wanted in one.name.casefold()]
        begin = int(query.get("after")) if query.get("after").isdecimal() else 0
        shown = found[begin : begin + _ROWS]
        loads = {one.name: one for one in office.loads(caller, [one.name for one in shown])}
        data = {"agents": shown, "name": query.get("name"), "all": len(found), "loads": loads}
        data["next"] = str(begin + _ROWS) if len(found) > begin + _ROWS else None
        data["cluster"] = _cluster(office, caller)
        return Page("agents", "Agents", {**data, "live_now": self._trust.live(caller)})

    def _page(self, caller: Caller, pings: dict[tuple[str, str], Any]) -> Page:
        ours = self._trust.peers(caller)["agents"]
        data = {"ours": ours, "known": _known(ours), "pings": pings, "at": _at}
        data["here"] = data["address"] = "/peers"
        data["knocks"] = [(one["agent"], knock) for one in ours for knock in one["knocks"]]
        return Page("peers", "Peers", data)


def _cluster(office: Office, caller: Caller) -> Cluster | None:
    """The nodes, where there are several; nothing while the journal doesn't answer."""
    with suppress(UnreachableError):
        found = office.cluster(caller)
        if len(found.standing.nodes) > 1:
            return found
    return None


def _known(ours: list[dict[str, Any]]) -> list[Known]:
    """The peers of all our agents, each key once."""
    found: dict[str, Known] = {}
    for agent in ours:
        for one in agent["peers"]:
            facts = one["peer"], one["peer_id"], one["fingerprint"], one.get("address")
            known = found.setdefault(one["peer_id"], Known(*facts, []))
            known.trusted.append({"agent": agent["agent"], **one})
    return sorted(found.values(), key=lambda known: known.peer)


def _at(text: str | None) -> int | None:
    """A time as text in milliseconds, for the page."""
    return None if text is None else int(datetime.fromisoformat(text).timestamp() * 1000)
