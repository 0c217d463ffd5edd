"""The translation table is whole, names only what is there, and gives its reasons."""

from collections.abc import Iterator

import pytest

from bridges.pairs import LETTERS, PAIRS
from schema_files import TYPES, documents, schema_id, unfold
from waypost.bridge.table import Choice, layout, row
from waypost.dialects import DIALECTS, dialect
from waypost.dialects.describe import fields_of
from waypost.errors import At, dotted

BY_THE_RUNTIME = {"hello", "ping", "pong", "discover", "capabilities"}
CHOICES = [(*pair, choice) for pair in PAIRS for choice in row(*pair[:2]).choices[pair[2]]]
each_choice = pytest.mark.parametrize(("name", "kind", "target", "choice"), CHOICES)


@pytest.mark.parametrize(("name", "kind"), TYPES)
def test_every_type_becomes_something_in_each_other_dialect_or_says_why_not(
    name: str, kind: str
) -> None:
    entry = row(name, kind)
    assert bool(entry.runtime) == (name == "acp" and kind in BY_THE_RUNTIME)
    assert set(entry.choices) == (set() if entry.runtime else set(DIALECTS) - {name})


@each_choice
def test_a_choice_leads_to_a_letter_of_the_target(
    name: str, kind: str, target: str, choice: Choice
) -> None:
    assert (target, choice.to) in LETTERS
    assert set(choice.answers) <= set(dialect(target).types)


@pytest.mark.parametrize(("name", "kind", "target"), PAIRS)
def test_one_choice_holds_whatever_the_message_says(name: str, kind: str, target: str) -> None:
    last = [one for one in row(name, kind).choices[target] if not (one.answers or one.says)]
    last = [one for one in last if not one.needs]
    if not last[-1].is_certain:
        ((place, _),) = last[-1].where
        told = [value for one in last for at, value in one.where if at == place]
        assert sorted(map(str, told)) == sorted(map(str, values_of(name, kind, place)))


@each_choice
def test_what_is_not_one_to_one_has_a_reason(
    name: str, kind: str, target: str, choice: Choice
) -> None:
    there, back = row(name, kind).choices[target], row(target, choice.to).choices[name]
    even = len(there) == len(back) == 1 and back[0].to == kind and not choice.opening
    assert even or choice.why


@each_choice
def test_an_answer_is_made_only_where_something_is_answered(
    name: str, kind: str, target: str, choice: Choice
) -> None:
    answers = target == "acp" and dialect("acp").types[choice.to].is_answer
    assert not answers or choice.answers


@each_choice
def test_what_a_choice_needs_has_its_place(
    name: str, kind: str, target: str, choice: Choice
) -> None:
    placed = [one for _, names in layout(target, choice.to).places for one in names]
    assert set(choice.needs) <= set(placed)


@each_choice
def test_a_choice_names_places_that_are_there(
    name: str, kind: str, target: str, choice: Choice
) -> None:
    assert {dotted(at) for at, _ in choice.where} <= known(name, kind)
    given = {dotted(at) for at, _ in choice.gives}
    assert given - {"payload.data.delegation"} <= known(target, choice.to)


@pytest.mark.parametrize(("name", "kind"), LETTERS)
def test_a_layout_names_places_that_are_there(name: str, kind: str) -> None:
    form = layout(name, kind)
    places = {form.identity, *form.ends, *form.anew, form.time, form.title, form.thread}
    places |= {form.reply, form.priority, form.deadline, form.participants, form.giver, form.taker}
    places |= {*form.blank, *(at for at, _ in (*form.places, *form.silent))}
    assert {dotted(at) for at in places} - {""} <= known(name, kind)


def known(name: str, kind: str) -> set[str]:
    return {field.path for field in fields_of(dialect(name), kind)}


def values_of(name: str, kind: str, place: At) -> Iterator[object]:
    """Every value that a field may have: its words, or true and false."""
    document_id = schema_id(name, kind)
    parts = unfold(documents()[document_id], document_id)
    for step in place:
        subs = [(s["properties"][step], b) for s, b in parts if step in s.get("properties", {})]
        parts = [part for sub in subs for part in unfold(*sub)]
    words = [schema["enum"] for schema, _ in parts if "enum" in schema]
    yield from words[0] if words else (True, False)


def test_every_pair_is_there() -> None:
    assert len(PAIRS) == 2 * (12 + 8 + 6)
