"""Finding message types and worked conversations by the words that people type."""

from importlib.resources import files
from typing import NamedTuple

from waypost.dialects import DIALECTS, dialect
from waypost.dialects.message import Dialect
from waypost.errors import NotFoundError, UsageError, quoted
from waypost.letters.names import did_you_mean


class TypeName(NamedTuple):
    """A message type of a dialect."""

    dialect: Dialect
    type: str

    def __str__(self) -> str:
        return f"{self.dialect.name}/{self.type}"


def all_types() -> list[TypeName]:
    """Every message type of every dialect."""
    return [TypeName(dialect(name), kind) for name in DIALECTS for kind in dialect(name).types]


def find_types(words: str) -> list[TypeName]:
    """Find the types that `oacp`, `oacp/handoff` or `handoff` means.

    Raises NotFoundError when nothing is called so, UsageError when several dialects have it.
    """
    known = all_types()
    name, slash, _ = words.partition("/")
    found = [one for one in known if str(one) == words or (not slash and one.dialect.name == name)]
    found = found or [one for one in known if not slash and one.type == words]
    if not found:
        names = [*DIALECTS, *map(str, known), *(one.type for one in known)]
        hint = did_you_mean(words, names) or "waypost schema lists them"
        raise NotFoundError(f"no message type is called {quoted(words)}", hint=hint)
    if not slash and name not in DIALECTS and len(found) > 1:
        raise UsageError(
            f'several dialects have a type "{words}"', hint="say " + " or ".join(map(str, found))
        )
    return found


def conversations() -> dict[str, list[tuple[str, bytes]]]:
    """The worked conversations: their names, and the files of each in order."""
    found: dict[str, list[tuple[str, bytes]]] = {}
    for name in DIALECTS:
        for folder in (files("waypost.dialects") / name / "examples").iterdir():
            if folder.is_dir():
                steps = sorted(folder.iterdir(), key=lambda file: file.name)
                found[folder.name] = [(file.name, file.read_bytes()) for file in steps]
    return dict(sorted(found.items()))
