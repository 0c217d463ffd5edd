"""Writes OACP's YAML so that every reader, YAML 1.1 or 1.2, reads back the very same text.

A text goes out as a block where that is exact, for human eyes, else in double quotes with escapes.
Nothing is left plain but words that no reader takes for anything else.
"""

import re
from collections.abc import Iterable
from typing import Any

_PLAIN = re.compile(r"[a-z][a-z_]*(?:-[a-z0-9]+)*|P[0-3]")
_NOT_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"])
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_UNSAFE = re.compile('[\x00-\x1f"\\\\\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_NOT_IN_BLOCKS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def write_message(fields: dict[str, Any], order: Iterable[str]) -> str:
    """Write a message; the fields come in the given order, unknown ones last."""
    first = [key for key in order if key in fields]
    keys = first + [key for key in fields if key not in set(first)]
    lines: list[str] = []
    for key in keys:
        value = fields[key]
        if key == "body" and isinstance(value, dict):
            value = write_mapping(value)
        _entry(lines, _key(key) + ":", value, "")
    return "\n".join(lines) + "\n"


def write_mapping(body: dict[str, Any]) -> str:
    """Write a structured body as the text that stands in the message."""
    lines: list[str] = []
    for key, value in body.items():
        _entry(lines, _key(key) + ":", value, "")
    return "\n".join(lines) + "\n"


def _entry(lines: list[str], head: str, value: Any, indent: str) -> None:
    if isinstance(value, dict) and value:
        lines.append(indent + head)
        for key, item in value.items():
            _entry(lines, _key(key) + ":", item, indent + "  ")
    elif isinstance(value, list) and value:
        lines.append(indent + head)
        for item in value:
            _entry(lines, "-", item, indent + "  ")
    elif isinstance(value, str) and _reads_back_as_block(value):
        lines.append(f"{indent}{head} " + ("|" if value.endswith("\n") else "|-"))
        lines += [
            indent + "  " + line if line else "" for line in value.removesuffix("\n").split("\n")
        ]
    else:
        lines.append(f"{indent}{head} {_scalar(value)}")


def _reads_back_as_block(text: str) -> bool:
    """True for texts of several lines whose block form no reader takes otherwise."""
    if "\n" not in text or text[0] in " \n" or text.endswith("\n\n") or _NOT_IN_BLOCKS.search(text):
        return False
    return not any(line.isspace() for line in text.split("\n"))


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value not in _NOT_WORDS else quote(value)
    return "[]" if isinstance(value, list) else "{}"


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) and key not in _NOT_WORDS else quote(key)


def quote(text: str) -> str:
    """Write a text in double quotes, on one line, with escapes that every YAML reader knows."""
    return '"' + _UNSAFE.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"
