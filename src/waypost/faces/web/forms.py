"""A form for any type of any dialect, made from its schema, and what was typed as its content."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from waypost.dialects import DIALECTS, dialect
from waypost.dialects.describe import content_of, title_of
from waypost.errors import Problem, dotted
from waypost.faces.web.query import Query
from waypost.office.drafts import dialect_of

TITLES = {"oacp": "OACP", "acp": "ACP", "agentmail": "Agent Mail"}
# These are answered by a running peer at once; a letter of such a type is only kept.
LIVE_ONLY = frozenset(("hello", "ping", "pong", "discover", "capabilities"))
_PREFIX = "field."
_DEEPEST = 2
_CONTENT = ("body", "payload")


class Field(NamedTuple):
    """One field of a form. The kind is line, area, lines, choice, flag, number, json or any."""

    name: str
    kind: str
    is_required: bool
    hint: str
    options: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Its name in the form."""
        return _PREFIX + self.name

    @property
    def label(self) -> str:
        """Its name in words."""
        return self.name.replace("_", " ").replace(".", " · ")


@cache
def types() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Every dialect's title, with its types and what each is for."""
    return tuple(
        (TITLES[name], tuple((one, title_of(dialect(name), one)[1]) for one in dialect(name).types
                             if one not in LIVE_ONLY))
        for name in DIALECTS
    )  # fmt: skip


@cache
def fields(type_name: str) -> tuple[Field, ...]:
    """The fields of a type's form; none for one that takes plain text. Raises UnknownTypeError."""
    schema, _ = content_of(dialect(dialect_of(type_name)), type_name)
    return tuple(_fields(schema, "", is_needed=True))


def takes_text(type_name: str) -> bool:
    """Whether a letter of a type is plain text: its body has no fields of its own."""
    return dialect_of(type_name) == "oacp" and not fields(type_name)


def content(type_name: str, form: Query) -> tuple[dict[str, Any], list[Problem]]:
    """What was typed as content, and what can't be understood of it. Empty fields are left out."""
    found: dict[str, Any] = {}
    problems = []
    for field in fields(type_name):
        typed = form.typed(field.key)
        if not typed.strip() and not (field.kind == "lines" and field.is_required):
            continue
        try:
            _put(found, field.name.split("."), _understood(field, typed))
        except ValueError:
            said = f"{field.name} must be {'JSON' if field.kind == 'json' else 'a number'}"
            problems.append(Problem(tuple(field.name.split(".")), "wrong_type", said))
    return found, problems


def beside(type_name: str, problems: Iterable[Problem]) -> tuple[Mapping[str, str], list[Problem]]:
    """The problems by the field where they show, and those that belong to none."""
    known = {field.name for field in fields(type_name)}
    shown: dict[str, str] = {}
    rest = []
    for problem in problems:
        path = problem.at[1:] if problem.at[:1] and problem.at[0] in _CONTENT else problem.at
        names = [dotted(path[:end]) for end in range(len(path), 0, -1)]
        place = next((name for name in names if name in known), None)
        if place is None:
            rest.append(problem)
        else:
            said = problem.message + (f" ({problem.hint})" if problem.hint else "")
            shown[place] = shown[place] + "; " + said if place in shown else said
    return shown, rest


def _fields(
    schema: Mapping[str, Any], prefix: str, *, is_needed: bool, depth: int = 0
) -> Iterator[Field]:
    required = schema.get("required", ())
    for name, inside in schema.get("properties", {}).items():
        path, needed = prefix + name, is_needed and name in required
        if inside.get("properties") and depth < _DEEPEST:
            yield from _fields(inside, path + ".", is_needed=needed, depth=depth + 1)
        else:
            kind, options = _kind(name, inside)
            yield Field(path, kind, needed, str(inside.get("description", "")), options)


_LONG = ("description", "summary", "message", "outcome", "question", "task", "trace", "reason")


def _kind(name: str, schema: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    if "enum" in schema:
        return "choice", tuple(str(one) for one in schema["enum"])
    if "type" not in schema:
        return "any", ()
    kinds = schema["type"]
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if "boolean" in kinds:
        return "flag", ("true", "false")
    if "integer" in kinds or "number" in kinds:
        return "number", ()
    if "array" in kinds:
        is_plain = "string" in str(schema.get("items", {}).get("type", "string"))
        return ("lines" if is_plain else "json"), ()
    if "string" in kinds:
        return ("area" if name.rpartition("_")[2] in _LONG else "line"), ()
    return "json", ()


def _understood(field: Field, typed: str) -> Any:
    """Raises ValueError for what isn't of the field's kind."""
    if field.kind == "lines":
        return [line.strip() for line in typed.split("\n") if line.strip()]
    if field.kind == "flag":
        return typed.strip() == "true"
    if field.kind == "number":
        text = typed.strip()
        return int(text) if text.lstrip("-").isdecimal() else _finite(text)
    if field.kind == "any":
        return _anything(typed)
    if field.kind == "json":
        return json.loads(typed, parse_constant=_finite)
    return typed.strip("\n") if field.kind == "area" else typed.strip()


def _anything(typed: str) -> Any:
    """What is JSON beyond doubt, and else the text."""
    if typed.lstrip()[:1] in ("{", "[", '"'):
        with suppress(ValueError, RecursionError):
            return json.loads(typed, parse_constant=_finite)
    return typed.strip("\n")


def _finite(text: str) -> float:
    number = float(text)
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


def _put(found: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        found = found.setdefault(name, {})
    found[path[-1]] = value
