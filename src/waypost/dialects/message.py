"""What a dialect is to the rest of the house: it reads, checks and composes messages.

A dialect is a folder: one schema and one worked example a message type, one line a type in its
table, and the rules that a schema can't say, one function each.
"""

import builtins
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

from waypost.dialects import json_text
from waypost.dialects.shape import Shapes
from waypost.dialects.text import beside, decode, finish
from waypost.dialects.tree import not_a_mapping, plain
from waypost.errors import (
    InvalidMessageError,
    Problem,
    SecretDetectedError,
    TooLargeError,
    UnknownTypeError,
    VersionMismatchError,
    quoted,
)
from waypost.letters.names import did_you_mean

Fields = dict[str, Any]
T = TypeVar("T")
Rule = Callable[[Fields], Iterable[Problem]]


class Message(NamedTuple):
    """One message as read: its dialect and type if they could be told, its fields, its problems."""

    dialect: str | None
    type: str | None
    fields: Fields | None
    problems: tuple[Problem, ...]
    raw: bytes = b""

    @property
    def valid(self) -> bool:
        """True when no problem is an error."""
        return not any(problem.is_error for problem in self.problems)

    def typed(self, form: builtins.type[T]) -> T:
        """Give the fields as one of the forms in `waypost.types`.

        Raises InvalidMessageError when the message is not valid, or of another type.
        """
        _refuse(self.problems, self.fields or {})
        if form.__name__ != camel_case(self.type or ""):
            raise InvalidMessageError(f"the message is a {self.type}, not a {form.__name__}")
        fields: Any = self.fields
        return cast(T, fields)


class MessageType(NamedTuple):
    """A line in a dialect's table of types: what answers it, and how it travels."""

    answered_by: tuple[str, ...] = ()
    is_answer: bool = False
    one_recipient: bool = False


class Blanks(NamedTuple):
    """What the world gives to a new message: the time, and a source of fresh identity."""

    now: str  # YYYY-MM-DDTHH:MM:SSZ
    milliseconds: int
    uuid: str
    rand: str  # four of a-z0-9


class Dialect:
    """What all dialects share; each says in its class what is its own."""

    name: ClassVar[str]
    types: ClassVar[Mapping[str, MessageType]]
    type_field: ClassVar[str] = "type"
    example_ending: ClassVar[str] = "json"
    rules: ClassVar[tuple[Rule, ...]] = ()

    def __init__(self) -> None:
        self.shapes = Shapes(self._load)
        self._shape = cache(lambda part: self.shapes.check(self.schema_id(part)))

    def schema_id(self, part: str) -> str:
        """The `$id` of a type's schema, or of `envelope`."""
        return f"urn:waypost:{self.name}:{part}"

    def resource(self, path: str) -> bytes:
        """Read a file of this dialect's folder, by the loader that found the code."""
        spec = sys.modules[type(self).__module__].__spec__
        folder = str(spec.origin).removesuffix("codec.py") if spec else ""
        data: bytes = spec.loader.get_data(folder + path)  # type: ignore[union-attr]
        return data

    def example(self, type_name: str) -> bytes:
        """Give the worked example of a type."""
        return self.resource(f"examples/{type_name}.{self.example_ending}")

    def _load(self, document_id: str) -> Mapping[str, Any]:
        _, _, dialect, part = document_id.split(":")
        if dialect != self.name:
            raise ValueError(f"{document_id} is not a schema of {self.name}")
        schema: Mapping[str, Any] = json.loads(self.resource(f"schemas/{part}.json"))
        return schema

    def read(self, data: bytes, file_name: str | None = None) -> Message:
        """Read one message; whatever is wrong with it is in its problems, never raised."""
        raise NotImplementedError

    def check(self, fields: Mapping[str, Any], *, sending: bool = False) -> tuple[Problem, ...]:
        """List every problem of a message given as Python values; problems carry paths only."""
        message, found = self.prepare(fields)
        if any(problem.code == "not_a_mapping" for problem in found):
            return finish(found, None)
        return finish(beside(found, self.findings(message, sending=sending)), None)

    def prepare(self, fields: Mapping[str, Any]) -> tuple[Fields, list[Problem]]:
        """Bring Python values into the form that reading gives, and say what can't be."""
        tree, found = plain(fields)
        return (tree, found) if isinstance(tree, dict) else ({}, [not_a_mapping()])

    def findings(self, fields: Fields, *, sending: bool = False) -> list[Problem]:
        """List what is wrong with a message in normal form."""
        type_name = fields.get(self.type_field)
        known = isinstance(type_name, str) and type_name in self.types
        found = list(self._shape(str(type_name) if known else "envelope")(fields) or ())
        if isinstance(type_name, str) and type_name.strip() and not known:
            found.append(self._unknown_type(type_name))
        for rule in self.rules:
            found.extend(rule(fields))
        return found

    def _unknown_type(self, type_name: str) -> Problem:
        hint = did_you_mean(type_name, self.types) or "known are " + ", ".join(self.types)
        return Problem(
            (self.type_field,), "unknown_type", f"is not known: {quoted(type_name)}", hint
        )

    def write(self, fields: Fields) -> bytes:
        """Write a message in normal form as the bytes that travel."""
        raise NotImplementedError

    def fill(self, fields: Fields, blanks: Blanks, answering: Fields | None) -> Fields:
        """Fill in what the caller left out of a new message."""
        raise NotImplementedError

    def compose(
        self,
        fields: Mapping[str, Any],
        blanks: Blanks,
        *,
        answering: Fields | None = None,
        allow_secrets: bool = False,
    ) -> Message:
        """Build, check and write a new message, and read it again to be sure.

        Raises InvalidMessageError (or one of its kinds) with every problem.
        """
        return self.seal(self.draw_up(fields, blanks, answering, allow_secrets=allow_secrets))

    def draw_up(
        self,
        fields: Mapping[str, Any],
        blanks: Blanks,
        answering: Fields | None,
        *,
        allow_secrets: bool = False,
    ) -> Fields:
        """Fill in what was left out and check as a sender; the message is not written yet.

        Raises InvalidMessageError (or one of its kinds) with every problem.
        """
        given, found = plain(fields)
        filled, more = self.prepare(self.fill(given, blanks, answering))
        found = beside(found + more, self.findings(filled, sending=True))
        if not allow_secrets:
            found = _secrets_first(filled, found)
        _refuse(finish(found, None), filled)
        return filled

    def seal(self, fields: Fields) -> Message:
        """Write a message that was drawn up, and read it again: what is read is what was meant."""
        again = self.read(self.write(fields))
        _refuse(again.problems, fields)
        if again.fields != self.as_written(fields):
            raise InvalidMessageError("the message does not survive being written and read again")
        return again

    def as_written(self, fields: Fields) -> Fields:
        """The fields that reading the written message must give."""
        return fields


_KINDS = (SecretDetectedError, UnknownTypeError, VersionMismatchError, TooLargeError)


def _secrets_first(fields: Fields, found: list[Problem]) -> list[Problem]:
    """Add what is secret in a message, and drop the problems that would repeat it."""
    from waypost.dialects.secrets import find_secrets, suspicious

    if not suspicious(repr(fields)):  # which holds every text, and alters no mark
        return found
    secrets = list(find_secrets(fields))
    if not secrets:
        return found
    quiet = [p for p in found if '"' not in p.message and not any(find_secrets(p.path))]
    return [secret.problem() for secret in secrets] + quiet


def _refuse(problems: tuple[Problem, ...], fields: Fields) -> None:
    if refused := refusal_of(problems, fields):
        raise refused


def refusal_of(problems: tuple[Problem, ...], fields: Fields) -> InvalidMessageError | None:
    """The error that a message with these problems is refused with; None when it needn't be."""
    errors = [problem for problem in problems if problem.is_error]
    if not errors:
        return None
    codes = {problem.code for problem in errors}
    kind = next((kind for kind in _KINDS if kind.code in codes), InvalidMessageError)
    first, more = errors[0], len(errors) - 1
    details = first.message + (f", and {more} more" if more else "")
    message_id = fields.get("id") or fields.get("message_id")
    if kind is SecretDetectedError:
        message_id = None  # who knows what stands in it
    return kind(
        details,
        hint=first.hint,
        problems=problems,
        message_id=message_id if isinstance(message_id, str) else None,
    )


class JsonDialect(Dialect):
    """A dialect whose messages are JSON objects."""

    def read(self, data: bytes, file_name: str | None = None) -> Message:
        text = decode(data)
        if isinstance(text, Problem):
            return Message(self.name, None, None, finish([text], None), data)
        return self.judge(data, text, *json_text.parse(text))

    def judge(self, data: bytes, text: str, tree: Any, found: list[Problem]) -> Message:
        """Check a message that is parsed already."""
        if isinstance(tree, dict):
            findings = self.findings(tree)
            found = beside(found, findings) if found else findings
        elif not found:
            found.append(not_a_mapping())
        problems = finish(found, json_text.JsonPositions(text)) if found else ()
        fields = tree if isinstance(tree, dict) else None
        type_name = fields.get(self.type_field) if fields else None
        return Message(
            self.name, type_name if isinstance(type_name, str) else None, fields, problems, data
        )

    def write(self, fields: Fields) -> bytes:
        return json_text.write(fields).encode()


def camel_case(type_name: str) -> str:
    """The name of a type's form in `waypost.types`."""
    return "".join(word.capitalize() for word in type_name.split("_"))


def with_defaults(schema: Mapping[str, Any], fields: Fields) -> Fields:
    """Add the defaults that a schema names for absent fields, also inside nested mappings."""
    filled = dict(fields)
    for name, sub in schema.get("properties", {}).items():
        if name not in filled and "default" in sub:
            filled[name] = sub["default"]
        elif isinstance(filled.get(name), dict):
            filled[name] = with_defaults(sub, filled[name])
    return filled
