"""Findings packets: the files under `packets/review/` in which reviewers list what they found.

A packet lists everything that is open after its round, what was carried over as well as what is
new, so that the latest one tells the whole. A message names it by its path in the project. It is
checked before it is written, appears whole, and is never changed or overwritten.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Project
from waypost.carriers.folders.reading import read_file
from waypost.dialects import json_text
from waypost.dialects.message import Fields
from waypost.dialects.oacp.emitter import write_mapping
from waypost.dialects.oacp.normal import as_text, without_nulls
from waypost.dialects.shape import Shapes
from waypost.dialects.text import MAX_BYTES, Positions, decode, finish, too_large
from waypost.dialects.tree import not_a_mapping, plain
from waypost.errors import (
    ConflictError,
    InvalidMessageError,
    Problem,
    SecretDetectedError,
    UnreadableError,
    quoted,
)

FOLDER = "packets/review"
_DOCUMENT = "urn:waypost:mailbox:packet"
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")


class Finding(NamedTuple):
    """One thing that a reviewer found, with whatever else the reviewer noted of it."""

    fields: Fields

    @property
    def id(self) -> str:
        return str(self.fields["id"])

    @property
    def severity(self) -> str:
        return str(self.fields["severity"])

    @property
    def blocking(self) -> bool:
        return bool(self.fields["blocking"])

    @property
    def place(self) -> str:
        """The file and line, as far as they are known."""
        file, line = self.fields.get("file", ""), self.fields.get("line")
        return f"{file}:{line}" if file and line else str(file)

    def __str__(self) -> str:
        mark = "!" if self.blocking else ""
        words = [self.id, self.severity + mark, self.place, str(self.fields["summary"]).strip()]
        return " ".join(word for word in words if word)


class Packet(NamedTuple):
    """What a packet says."""

    findings: list[Finding]
    withdrawn: list[str]


class Reading(NamedTuple):
    """A packet as read: its fields as far as they could be told, and what is wrong with it."""

    fields: Fields
    problems: tuple[Problem, ...]

    @property
    def packet(self) -> Packet | None:
        """What it says, or None when it says it wrongly."""
        if any(problem.is_error for problem in self.problems):
            return None
        found = [Finding(fields) for fields in self.fields["findings"]]
        return Packet(found, list(self.fields.get("withdrawn", ())))


def _load(document_id: str) -> Mapping[str, Any]:
    folder = os.path.dirname(__file__)
    data = __spec__.loader.get_data(f"{folder}/packet.json")  # type: ignore[union-attr]
    schema: Mapping[str, Any] = json.loads(data)
    return schema


_SHAPES = Shapes(_load)


# -- reading -----------------------------------------------------------------------------------


def read_packet(project: Project, reference: str) -> Reading:
    """Read the packet that a message names; one that lies outside the project is never opened."""
    folder = f"{project.path}/" + ("" if "/" in reference else FOLDER)
    path = os.path.realpath(os.path.join(folder, reference.replace("\0", "")))
    inside = os.path.realpath(f"{project.path}/packets")
    if os.path.commonpath([inside, path]) != inside:
        hint = f"packets lie in {FOLDER}/"
        return _failed(Problem((), "not_found", "lies outside the project's packets", hint))
    data = read_file(path)
    return _failed(data) if isinstance(data, Problem) else parse(data)


def read_findings(data: bytes) -> list[Fields]:
    """Read findings as a reviewer writes them down: a packet, or a bare list; ids may be left out.

    Raises InvalidMessageError with every problem.
    """
    reading = parse(data, ids_needed=False)
    refuse(reading.problems)
    listed: list[Fields] = reading.fields["findings"]
    return listed


def parse(data: bytes, *, ids_needed: bool = True) -> Reading:
    """Read a packet from its bytes, YAML or JSON."""
    text = decode(data)
    if isinstance(text, Problem):
        return _failed(text)
    tree, found, positions = _tree(text)
    bare = isinstance(tree, list)
    if bare:
        tree = {"findings": tree}
    if not isinstance(tree, dict):
        return Reading({}, finish(found or [not_a_mapping()], positions))
    fields = _typed(without_nulls(as_text(tree)))
    found += problems_of(fields, ids_needed=ids_needed)
    if bare:
        found = [problem._replace(at=problem.at[1:]) for problem in found]
    return Reading(fields, finish(found, positions))


def problems_of(fields: Fields, *, ids_needed: bool = True) -> list[Problem]:
    """List what is wrong with a packet given as values."""
    found = list(_SHAPES.check(_DOCUMENT)(fields) or ())
    if not ids_needed:
        found = [
            problem
            for problem in found
            if problem.code != "missing_field" or problem.at[-1] != "id" or len(problem.at) != 3
        ]
    return found + _repeated_ids(fields.get("findings"))


def _repeated_ids(findings: Any) -> list[Problem]:
    seen: set[object] = set()
    found: list[Problem] = []
    for index, finding in enumerate(findings if isinstance(findings, list) else ()):
        name = finding.get("id") if isinstance(finding, dict) else None
        if isinstance(name, str) and name in seen:
            at = ("findings", index, "id")
            hint = "every finding has an id of its own"
            found.append(Problem(at, "not_unique", f"repeats {quoted(name)}", hint))
        seen.add(name if isinstance(name, str) else None)
    return found


def _tree(text: str) -> tuple[Any, list[Problem], Positions | None]:
    if text.lstrip()[:1] in ("{", "["):
        tree, found = json_text.parse(text)
        if not found:
            return tree, found, json_text.JsonPositions(text)
    from waypost.dialects.yaml_events import read_exact

    reading = read_exact(text)
    return reading.tree, reading.problems, reading.positions


def _typed(fields: Fields) -> Fields:
    """Turn text into the numbers and booleans that a packet has; empty optional text is absent."""
    typed = {**fields, "round": _value(fields.get("round"))}
    if isinstance(fields.get("findings"), list):
        typed["findings"] = [
            {
                key: _value(value) if key in ("blocking", "line", "round") else value
                for key, value in finding.items()
                if value != "" or key not in ("id", "file", "line")
            }
            if isinstance(finding, dict)
            else finding
            for finding in fields["findings"]
        ]
    return {key: value for key, value in typed.items() if value is not None}


def _value(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else text


def _failed(problem: Problem) -> Reading:
    return Reading({}, finish([problem], None))


def refuse(problems: Iterable[Problem]) -> None:
    """Raise InvalidMessageError when any of these problems is an error."""
    listed = tuple(problems)
    errors = [problem for problem in listed if problem.is_error]
    if not errors:
        return
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    secret = any(problem.code == "secret_detected" for problem in errors)
    kind = SecretDetectedError if secret else InvalidMessageError
    raise kind(errors[0].message + more, hint=errors[0].hint, problems=listed)


# -- writing -----------------------------------------------------------------------------------


def folder_of(project: Project) -> str:
    """The folder of the packets, made when it is missing. Raises UnreadableError."""
    path = f"{project.path}/{FOLDER}"
    os.makedirs(path, exist_ok=True)
    root = os.path.realpath(project.path)
    if os.path.commonpath([root, os.path.realpath(path)]) != root:
        raise UnreadableError(
            f"{path} is a link that leads out of the project", hint="put a folder in its place"
        )
    return path


def usual_name(pr: str, number: int) -> str:
    """What a packet is called, without its ending."""
    plain_pr = re.sub(r"[^A-Za-z0-9]+", "-", pr).strip("-")[-40:].strip("-") or "review"
    return f"pr-{plain_pr}-round-{number}"


def compose(fields: Fields, *, allow_secrets: bool = False) -> bytes:
    """Check a packet and write it as bytes that read back the same.

    Raises InvalidMessageError or SecretDetectedError with every problem.
    """
    tree, flaws = plain(fields)
    found = flaws + problems_of(tree)
    if not allow_secrets:
        from waypost.dialects.secrets import find_secrets

        secrets = [secret.problem() for secret in find_secrets(tree)]
        found = secrets or found
    refuse(finish(found, None))
    data = write_mapping(tree).encode()
    if len(data) > MAX_BYTES:
        refuse(finish([too_large(len(data))], None))
    again = parse(data)
    refuse(again.problems)
    if again.fields != _typed(as_text(tree)):
        raise InvalidMessageError("the packet does not survive being written and read again")
    return data


def free_name(folder: str, stem: str) -> str:
    """The first name of this sort that is free."""
    for number in range(1, 1000):
        name = f"{stem}.yaml" if number == 1 else f"{stem}-{number}.yaml"
        if not os.path.lexists(f"{folder}/{name}"):
            return name
    raise ConflictError(f"{folder} has a thousand files called {stem}")


def keep(folder: str, name: str, data: bytes) -> None:
    """Write a packet for good under a name that is free. Raises FileExistsError when it isn't."""
    staged = f"{folder}/.{os.getpid()}-{os.urandom(4).hex()}.new"
    os.close(files.create(staged, data))
    try:
        files.publish(staged, f"{folder}/{name}")
    except BaseException:
        files.remove(staged)
        raise
    files.sync_folder(folder)
