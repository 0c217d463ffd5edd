"""Who is meant by an address, and who can answer for a domain. Pure: the book is an argument.

An address is a name, `name@project`, or the id of a key. A bare name is looked for in the writer's
own project first, then among the enrolled peers; it never leads into another project, but the
refusal says which have it. Only a writer of no project finds a name in all of them, where it must
be the only one. Nothing is guessed: an address that nobody has is refused with the near ones.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from waypost.errors import ConflictError, UnknownRecipientError, quoted
from waypost.letters.domains import reach
from waypost.letters.names import did_you_mean

KEY = "ed25519."
_MOST_LISTED = 10


class Book(NamedTuple):
    """Everybody who can get letters: projects with their agents, and peers with their keys."""

    agents: Mapping[str, Collection[str]] = MappingProxyType({})
    peers: Mapping[str, str] = MappingProxyType({})

    @property
    def names(self) -> list[str]:
        """Every name that is known, each once."""
        inside = [name for names in self.agents.values() for name in names]
        return list(dict.fromkeys((*inside, *self.peers)))


class Route(NamedTuple):
    """Where an address leads: an agent in a project, or a peer with its key."""

    name: str
    project: str | None = None
    key: str | None = None


def find(book: Book, address: str, project: str | None = None) -> Route:
    """Whom an address means to a writer in `project`.

    Raises UnknownRecipientError with the near names, ConflictError when several are called so.
    """
    if route := _by_key(book, address) or _in_a_project(book, address):
        return route
    if project is not None and address in book.agents.get(project, ()):
        return Route(address, project)
    if address in book.peers:
        return Route(address, key=book.peers[address])
    found = [name for name, agents in book.agents.items() if address in agents]
    if project is not None and found:
        raise _elsewhere(address, project, found)
    if len(found) > 1:
        choices = " or ".join(f"{address}@{name}" for name in found[:_MOST_LISTED])
        raise ConflictError(f"several projects have an agent {quoted(address)}", hint=choices)
    if not found:
        raise _unknown(book, address, project)
    return Route(address, found[0])


def _by_key(book: Book, address: str) -> Route | None:
    wanted = address if address.startswith(KEY) else KEY + address
    return next((Route(name, key=key) for name, key in book.peers.items() if key == wanted), None)


def _in_a_project(book: Book, address: str) -> Route | None:
    name, at, project = address.partition("@")
    return Route(name, project) if at and name in book.agents.get(project, ()) else None


def _elsewhere(name: str, project: str, found: list[str]) -> UnknownRecipientError:
    near = " or ".join(quoted(f"{name}@{one}") for one in found[:_MOST_LISTED])
    return UnknownRecipientError(
        f"no agent called {quoted(name)} in {project}", hint=f"did you mean {near}?"
    )


def _unknown(book: Book, address: str, project: str | None) -> UnknownRecipientError:
    name, at, other = address.partition("@")
    if at and other not in book.agents:
        hint = did_you_mean(other, book.agents)
        return UnknownRecipientError(f"no project is called {quoted(other)}", hint=hint)
    here = other if at else project
    near = list(book.agents.get(here, ())) if here else book.names
    known = near if at else list(dict.fromkeys((*near, *book.peers)))
    listed = "known are " + ", ".join(known[:_MOST_LISTED]) if known else "nobody is there yet"
    where = f" in {here}" if here else ""
    hint = did_you_mean(name, known) or listed
    return UnknownRecipientError(f"no agent called {quoted(name)}{where}", hint=hint)


def key_of(book: Book, name: str) -> str | None:
    """The key of a peer."""
    return book.peers.get(name)


def name_of(book: Book, key: str) -> str | None:
    """What a peer with this key is called here; what it calls itself doesn't matter."""
    route = _by_key(book, key)
    return route.name if route else None


def who_can(declared: Mapping[str, Collection[str]], domain: str) -> list[str]:
    """Who covers a domain, the closest first; among equals by name."""
    reaches = {name: reach(domains, domain) for name, domains in declared.items()}
    return sorted((name for name in reaches if reaches[name]), key=lambda n: (-reaches[n], n))
