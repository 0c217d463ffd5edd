"""JSON in pieces: a long list is never held whole, neither as values nor as text."""

import json
from collections.abc import Iterator
from itertools import islice

_AT_ONCE = 500


def pieces(value: object) -> Iterator[str]:
    """Write a value as JSON, piece by piece; an iterator becomes a list."""
    if isinstance(value, Iterator):
        comma = ""
        yield "["
        while some := list(islice(value, _AT_ONCE)):
            yield comma + json.dumps(some, ensure_ascii=False)[1:-1]
            comma = ", "
        yield "]"
    elif isinstance(value, dict) and any(map(_has_iterator, value.values())):
        comma = "{"
        for key, item in value.items():
            yield f"{comma}{json.dumps(key)}: "
            yield from pieces(item)
            comma = ", "
        yield "}"
    elif isinstance(value, list) and any(map(_has_iterator, value)):
        for number, item in enumerate(value):
            yield ", " if number else "["
            yield from pieces(item)
        yield "]"
    else:
        yield json.dumps(value, ensure_ascii=False)


def _has_iterator(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_iterator, value.values()))
    if isinstance(value, list):
        return any(map(_has_iterator, value))
    return isinstance(value, Iterator)
