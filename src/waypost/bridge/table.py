"""The translation table, read from table.toml: which type becomes which, and where its parts stand.

The file says what its words mean. Nothing in it is decided anywhere else.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from waypost.errors import At

Values = tuple[tuple[At, Any], ...]  # places and what stands in them

ANSWERED, TEXT = "@answered", "@text"  # in what a choice gives
TITLES = {"oacp": "OACP", "acp": "ACP", "agentmail": "Agent Mail"}


class Choice(NamedTuple):
    """One way in which a type becomes another, and when it is taken."""

    to: str
    answers: tuple[str, ...] = ()
    own: bool = False
    says: tuple[str, ...] = ()
    where: Values = ()
    needs: tuple[str, ...] = ()
    gives: Values = ()
    opening: str = ""
    why: str = ""

    @property
    def is_certain(self) -> bool:
        """Whether it always holds."""
        return not (self.answers or self.says or self.where or self.needs)


class Row(NamedTuple):
    """What a type becomes in each other dialect; or why it never becomes a letter."""

    choices: Mapping[str, tuple[Choice, ...]]
    runtime: str = ""


class Layout(NamedTuple):
    """Where the parts of a message of some type stand; an empty place is none."""

    identity: At = ()
    anew: tuple[At, ...] = ()
    sender: At = ()
    recipients: At = ()
    participants: At = ()
    giver: At = ()
    taker: At = ()
    time: At = ()
    title: At = ()
    thread: At = ()
    reply: At = ()
    priority: At = ()
    scale: str = ""
    deadline: At = ()
    text: tuple[At, ...] = ()
    spread: tuple[At, ...] = ()
    places: tuple[tuple[At, tuple[str, ...]], ...] = ()
    blank: tuple[At, ...] = ()
    rest: str = ""
    silent: Values = ()

    @property
    def ends(self) -> tuple[At, ...]:
        """The places of those who write and get the message."""
        return (self.sender, self.recipients)

    @property
    def titled(self) -> bool:
        """Whether the target has a place of its own for a title that people write."""
        return self.title == ("subject",)


@cache
def _document() -> Mapping[str, Any]:
    """The file, read by the loader that found this code."""
    import tomllib

    spec = sys.modules[__name__].__spec__
    path = str(spec.origin).removesuffix("table.py") + "table.toml" if spec else ""
    data: bytes = spec.loader.get_data(path)  # type: ignore[union-attr]
    return tomllib.loads(data.decode())


@cache
def row(dialect: str, type_name: str) -> Row:
    """What becomes of a type."""
    said = _document()["becomes"][dialect][type_name]
    if "runtime" in said:
        return Row({}, said["runtime"])
    return Row({target: tuple(map(_choice, listed)) for target, listed in said.items()})


@cache
def layout(dialect: str, type_name: str) -> Layout:
    """Where the parts of a type stand."""
    common = _document()["layout"][dialect]
    said = {key: value for key, value in common.items() if key in Layout._fields}
    said |= common.get(type_name, {})
    return Layout(**{key: _part(key, value) for key, value in said.items()})


def constants() -> frozenset[str]:
    """Every text that a translation may hold though nobody wrote it, all of them in the table."""
    found = set()
    for dialect, types in _document()["becomes"].items():
        for type_name in types:
            for choices in row(dialect, type_name).choices.values():
                for choice in choices:
                    given = {str(value) for _, value in choice.gives if TEXT not in str(value)}
                    found |= given | {choice.opening}
    return frozenset(found - {"", ANSWERED})


def place(path: str) -> At:
    """A place from its dotted path."""
    return tuple(path.split(".")) if path else ()


def _choice(said: Mapping[str, Any]) -> Choice:
    made = dict(said)
    for key in ("answers", "says", "needs"):
        made[key] = tuple(said.get(key, ()))
    for key in ("where", "gives"):
        made[key] = tuple(_leaves(said.get(key, {})))
    return Choice(**made)


def _part(key: str, value: Any) -> Any:
    if key in ("scale", "rest"):
        return value
    if isinstance(value, str):
        return place(value)
    if isinstance(value, list):
        return tuple(map(place, value))
    leaves = _leaves(value)
    return (
        tuple((place, tuple(names)) for place, names in leaves) if key == "places" else (*leaves,)
    )


def _leaves(tree: Mapping[str, Any], above: At = ()) -> Iterator[tuple[At, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value
