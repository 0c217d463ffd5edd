"""Messages made from the schemas are good, and survive being written and read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import waypost
from schema_files import TYPES
from strategies import messages
from waypost.dialects import dialect as dialect_named
from waypost.dialects.acp.codec import typed_id


def errors(problems: Any) -> list[Any]:
    return [problem for problem in problems if problem.is_error]


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
@given(data=st.data())
def test_a_message_made_from_its_schema_is_good(
    dialect: str, type_name: str, data: st.DataObject
) -> None:
    message = data.draw(messages(dialect, type_name))
    assert errors(waypost.check(message, dialect, sending=True)) == []


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
@given(data=st.data())
def test_what_is_composed_is_what_is_read(
    dialect: str, type_name: str, data: st.DataObject
) -> None:
    given_fields = data.draw(messages(dialect, type_name))
    composed = waypost.compose(type_name, given_fields, dialect=dialect, allow_secrets=True)
    read = waypost.parse(composed.raw, dialect)
    assert (read.type, errors(read.problems)) == (type_name, [])
    assert read.fields == composed.fields


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
@given(data=st.data())
def test_composing_keeps_all_that_was_given(
    dialect: str, type_name: str, data: st.DataObject
) -> None:
    wanted = data.draw(messages(dialect, type_name))
    composed = waypost.compose(type_name, wanted, dialect=dialect, allow_secrets=True)
    speaker = dialect_named(dialect)
    wanted = speaker.as_written(speaker.prepare(wanted)[0])
    if dialect == "acp":  # its ids are written with their prefix
        wanted |= {end: str(typed_id(wanted[end])) for end in ("from", "to")}
    assert keeps(composed.fields, wanted)


def keeps(found: Any, wanted: Any) -> bool:
    """True when all that is wanted is there; defaults may have joined it, and {} replaced null."""
    if isinstance(wanted, dict):
        return all(key in found and keeps(found[key], item) for key, item in wanted.items())
    return bool(found == wanted) or (wanted is None and found == {})
