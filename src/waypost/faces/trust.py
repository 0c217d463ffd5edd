"""Whom agents trust, as the doors see it: keys lie with carriers, of which doors know nothing."""

from typing import Protocol

from waypost.errors import NotFoundError
from waypost.office.callers import Caller
from waypost.office.events import Json


class Trust(Protocol):
    """The peers of a project's agents. Every method raises NotAllowedError for who is no person."""

    def peers(self, caller: Caller) -> Json:
        """Every agent that has a key, whom it trusts, and who knocked."""

    def enrol(self, caller: Caller, agent: str, token: str, name: str | None = None) -> Json:
        """Have an agent trust the key of a token."""

    def revoke(self, caller: Caller, agent: str, peer: str) -> Json:
        """Have an agent trust a peer no more."""

    def ping(self, caller: Caller, agent: str, peer: str) -> Json:
        """Ask a peer for a sign of life."""

    def live(self, caller: Caller) -> dict[str, int]:
        """How many exchanges each agent that is online has in progress."""


class NoTrust:
    """Where no keys are at hand: nobody has peers."""

    def peers(self, caller: Caller) -> Json:
        return {"agents": []}

    def enrol(self, caller: Caller, agent: str, token: str, name: str | None = None) -> Json:
        raise self._nothing(agent)

    def revoke(self, caller: Caller, agent: str, peer: str) -> Json:
        raise self._nothing(agent)

    def ping(self, caller: Caller, agent: str, peer: str) -> Json:
        raise self._nothing(agent)

    def live(self, caller: Caller) -> dict[str, int]:
        return {}

    def _nothing(self, agent: str) -> NotFoundError:
        return NotFoundError(f"{agent} has no key here", hint="look where `waypost serve` runs")
