"""Python values that no message is made of: checking and composing refuse them in good order."""

import datetime
import decimal
import enum
import uuid
from collections import ChainMap, OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import waypost
from campaigns.properties import unpresentable
from waypost.dialects import DIALECTS, dialect

Fields = dict[str, Any]


class Text(str):
    """A text of another class."""


class Words(enum.StrEnum):
    """A text that is the member of an enumeration."""

    P2 = "P2"


class Mapping(dict[str, Any]):
    """A mapping of another class."""


def nested(depth: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = "a"
    for _ in range(depth):
        value = wrap(value)
    return value


def in_itself(kind: str) -> Any:
    mapping: Fields = {"a": 1}
    mapping["self"] = mapping if kind == "mapping" else [mapping]
    return mapping


def strange_values() -> Iterator[tuple[str, Any]]:
    yield from {
        "NaN": float("nan"),
        "infinity": float("inf"),
        "a number of 400 digits": 10**400,
        "a number of 5000 digits": -(10**5000),
        "a decimal number": decimal.Decimal("1.0"),
        "a complex number": 1j,
        "bytes": b"a",
        "a date": datetime.datetime(2026, 3, 13, tzinfo=datetime.UTC),
        "a UUID object": uuid.UUID(int=1),
        "a set": {"a"},
        "an object": object(),
        "a function": len,
        "a class": int,
        "half a surrogate": "a\ud800",
        "half a surrogate as a key": {"\ud800": "a"},
        "other keys than text": {1: "a", None: "b", (1, 2): "c", b"d": "e", 1.5: "f"},
        "keys that are one as text": {1: "a", "1": "b"},
        "a bidi text": "\u202e\x1b[31m",
        "a list in itself": in_itself("list"),
        "a mapping in itself": in_itself("mapping"),
        "lists a hundred thousand deep": nested(100_000, lambda value: [value]),
        "mappings a thousand deep": nested(1_000, lambda value: {"a": value}),
    }.items()


def good(name: str) -> Fields:
    """A good message of the dialect, as Python values."""
    kind = {"oacp": "handoff", "acp": "delegate", "agentmail": "file_reservation"}[name]
    message = waypost.parse(dialect(name).example(kind), name)
    assert message.valid
    assert message.fields is not None
    return message.fields


def with_value(fields: Fields, value: object) -> Iterator[Fields]:
    """Put a value into every place of a message: as a field, inside one, as a new one."""
    for key, old in {**fields, "extra": None, "context_keys": None}.items():
        yield {**fields, key: value}
        yield {**fields, key: [value]}
        for inner in old if isinstance(old, dict) else ():
            yield {**fields, key: {**old, inner: value}}


def composed(kind: str, fields: Fields, name: str) -> waypost.Message | waypost.WaypostError:
    try:
        return waypost.compose(kind, fields, dialect=name)
    except waypost.WaypostError as error:
        return error


STRANGE = [pytest.param(value, id=name) for name, value in strange_values()]


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("name", DIALECTS)
def test_a_strange_value_anywhere_is_a_problem_at_most(name: str, value: object) -> None:
    for fields in with_value(good(name), value):
        for sending in (False, True):
            problems = waypost.check(fields, name, sending=sending)
            assert list(unpresentable(problems, b"")) == []
        waypost.check(fields)


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("name", DIALECTS)
def test_a_strange_value_is_never_sent_as_something_else(name: str, value: object) -> None:
    fields = good(name)
    kind = fields.pop(dialect(name).type_field)
    for given in with_value(fields, value):
        sent = composed(kind, given, name)
        if isinstance(sent, waypost.WaypostError):
            assert list(unpresentable(sent.problems, b"")) == []
            assert str(sent).isprintable()
        else:
            assert sent.valid
            assert waypost.parse(sent.raw, name).fields == sent.fields


@pytest.mark.parametrize("value", [b"a", {"a"}, object(), datetime.date(2026, 3, 13), 1j])
@pytest.mark.parametrize("name", DIALECTS)
def test_what_no_message_can_carry_is_refused_wherever_it_is(name: str, value: object) -> None:
    fields = good(name)
    kind = fields.pop(dialect(name).type_field)
    for given in with_value(fields, value):
        with pytest.raises(waypost.InvalidMessageError):
            waypost.compose(kind, given, dialect=name)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("name", DIALECTS)
def test_numbers_that_are_none_are_told_in_every_dialect(name: str, value: float) -> None:
    codes = {problem.code for problem in waypost.check({**good(name), "extra": value}, name)}
    assert "not_finite" in codes


def test_a_text_of_another_class_is_as_good_as_any() -> None:
    fields = good("oacp")
    other = {key: Text(value) for key, value in fields.items() if isinstance(value, str)}
    assert waypost.check({**fields, **other, "priority": Words.P2}, "oacp") == []
    letter = waypost.compose("handoff", {**fields, **other}, dialect="oacp")
    assert letter.fields == fields


@pytest.mark.parametrize("kind", [Mapping, OrderedDict, ChainMap])
@pytest.mark.parametrize("name", DIALECTS)
def test_a_mapping_of_another_class_is_read_as_a_mapping(
    name: str, kind: Callable[[Fields], Any]
) -> None:
    fields = good(name)
    assert waypost.check(kind(fields), name) == waypost.check(fields, name)
    assert waypost.check(kind(fields)) == waypost.check(fields)


NO_MAPPINGS = [None, 1, "a", b"a", [], [("a", 1)], {"a"}, object(), int, float("nan")]


@pytest.mark.parametrize("value", NO_MAPPINGS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", [*DIALECTS, None])
def test_what_is_no_mapping_is_no_message(name: str | None, value: Any) -> None:
    try:
        problems = waypost.check(value, name)
    except waypost.WaypostError as error:
        problems = list(error.problems)
    assert [problem.code for problem in problems] == ["not_a_mapping"]


class Trap(dict[str, Any]):
    """A mapping that raises when it is looked at."""

    def items(self) -> Any:
        raise RuntimeError("a trap")

    keys = values = __iter__ = items


def test_an_error_of_the_callers_own_mapping_is_passed_on() -> None:
    with pytest.raises(RuntimeError, match="a trap"):
        waypost.check(Trap(type="handoff"), "oacp")


REPEATED = {
    "passwords": "pwd=",
    "web tokens": "eyJ-",
    "web tokens with dots": "eyJaaaaaaaaaaa.",
    "bearers": "bearer ",
    "links": "a://b:",
    "begins": "-----BEGIN A ",
    "keys": "sk-ant ",
}


MEANT = ("eyJaaaaaaaaaaa.",)


@pytest.mark.parametrize("unit", REPEATED.values(), ids=REPEATED)
def test_the_search_for_secrets_gets_through_any_text(unit: str) -> None:
    given = {"from": "claude", "to": "codex", "subject": "Hello", "body": unit * 15_000}
    sent = composed("notification", given, "oacp")
    refused = sent.code if isinstance(sent, waypost.WaypostError) else None
    assert refused == ("secret_detected" if unit in MEANT else None)


@pytest.mark.parametrize("name", ["", "OACP", "smtp", "\u202e", "a" * 10_000, "../oacp", "oacp "])
def test_a_dialect_that_is_none_is_the_callers_slip(name: str) -> None:
    for call in (lambda: waypost.check({}, name), lambda: waypost.parse(b"{}", name)):
        with pytest.raises(waypost.WaypostError) as caught:
            call()
        assert str(caught.value).isprintable()
