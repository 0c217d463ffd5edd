"""A message taken apart: its text, its title, and every other field by name and place. Pure.

Whatever has no part of its own is a field; so nothing of a message can be overlooked.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from waypost.bridge.table import Layout, Values, layout
from waypost.dialects import dialect
from waypost.dialects.message import Fields, Message
from waypost.errors import At, dotted


class Part(NamedTuple):
    """A value, and where it stands in the source."""

    at: At
    value: Any


class Content(NamedTuple):
    """What a message says."""

    dialect: str
    type: str
    layout: Layout
    fields: Fields
    text: Part | None
    title: Part | None
    data: Mapping[str, Part]

    def part(self, place: At) -> Part | None:
        """What stands at a place, if anything does."""
        value = value_at(self.fields, place)
        return None if value is None or not place else Part(place, value)

    @property
    def type_at(self) -> At:
        """Where the source says its type."""
        return (dialect(self.dialect).type_field,)


def take_apart(source: Message, said: Values = ()) -> Content:
    """Sort the fields of a valid message into its parts; what `said` names is said otherwise."""
    name, kind, fields = str(source.dialect), str(source.type), source.fields or {}
    form = layout(name, kind)
    title = _text(fields, form.title)
    text = next((part for place in form.text if (part := _text(fields, place))), None)
    if text is None and form.text and not fields_at(fields, form.text[0]):
        text = _text(fields, form.text[0][:1])  # prose where fields are asked for
    own = {form.time, form.thread, form.reply, form.deadline}
    own |= {form.priority if form.scale else (), *form.ends, form.identity, *form.anew}
    own |= {place for place, _ in said}
    own |= {part.at for part in (title, text) if part}
    own |= {place for place, value in form.silent if value_at(fields, place) == value}
    data: dict[str, Part] = {}
    for part in _fields(fields, form.spread):
        if part.at not in own and part.value is not None:
            key = str(part.at[-1])
            data[dotted(part.at) if key in data else key] = part
    return Content(name, kind, form, fields, text, title, data)


def _fields(fields: Mapping[str, Any], spread: tuple[At, ...], above: At = ()) -> Iterator[Part]:
    """Each field with its place; the entries of the mappings that are spread, not themselves."""
    for key, value in fields.items():
        place = (*above, key)
        if place in spread and isinstance(value, dict):
            yield from _fields(value, spread, place)
        else:
            yield Part(place, value)


def _text(fields: Fields, place: At) -> Part | None:
    value = value_at(fields, place) if place else None
    return Part(place, value) if isinstance(value, str) and says_something(value) else None


def fields_at(fields: Fields, place: At) -> bool:
    """Whether the top of a place is a mapping."""
    return isinstance(fields.get(str(place[0])), dict)


def value_at(fields: Any, place: At) -> Any:
    """What stands at a place; None for nothing."""
    for step in place:
        fields = fields.get(step) if isinstance(fields, dict) else None
    return fields


def says_something(text: str) -> bool:
    """True for a text that isn't blank to any dialect."""
    return _something().search(text) is not None


@cache
def _something() -> re.Pattern[str]:
    oacp = dialect("oacp")
    pattern: str = oacp.shapes.document(oacp.schema_id("envelope"))["$defs"]["nonblank"]["pattern"]
    return re.compile(pattern)
