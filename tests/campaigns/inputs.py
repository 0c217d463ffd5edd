"""Makes hostile inputs for the fuzz campaign: real messages, broken in ways that know their form.

Every input follows from a seed and a number alone, so that any of them can be made again.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from campaigns.tokens import CHARACTERS, PARTS, TOKENS, VALUES

DIALECTS = ("oacp", "acp", "agentmail")
MAX_SIZE = 64 * 1024
_TESTS = Path(__file__).parents[1]
_SOURCES = (
    _TESTS / "conformance" / "seeds",
    _TESTS / "conformance" / "texts",
    _TESTS / "campaigns" / "corpus",
    _TESTS.parent / "src" / "waypost" / "dialects",
)

Mutation = Callable[[Random, bytes], bytes]


class Input(NamedTuple):
    """One text for the parsers, and the dialect it is read as (None: to be told from the text)."""

    number: int
    data: bytes
    dialect: str | None


def make(seed: int, number: int) -> Input:
    """Make the input with this number: one of the corpus, changed one to six times."""
    rng = Random(f"{seed}/{number}")
    home = DIALECTS[number % len(DIALECTS)]
    data = rng.choice(corpus()[home])
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        data = rng.choice(_MUTATIONS[home])(rng, data)
    if rng.random() < 0.01:
        data = _swell(rng, data)
    dialect = rng.choice((home, home, home, None, None, rng.choice(DIALECTS)))
    return Input(number, data[:MAX_SIZE], dialect)


@cache
def corpus() -> dict[str, list[bytes]]:
    """Read the messages to start from, by dialect; folders and endings tell which is which."""
    found: dict[str, list[bytes]] = {name: [] for name in DIALECTS}
    for source in _SOURCES:
        for path in sorted(source.rglob("*.*")):
            folders = path.relative_to(source).parts
            if path.is_file() and _is_message(path.name, folders):
                home = next(name for name in DIALECTS if folders[0].startswith(name))
                times = 8 if "examples" in folders else 1  # what is right is worth more
                found[home] += [path.read_bytes()[:8192]] * times
    return found


def _is_message(name: str, folders: tuple[str, ...]) -> bool:
    return (
        name.endswith((".yaml", ".yml", ".json"))
        and name != "verdicts.json"
        and "schemas" not in folders
        and folders[0].startswith(DIALECTS)
    )


# -- bytes and pieces --------------------------------------------------------------------------


def _flip(rng: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _insert(rng: Random, data: bytes) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(TOKENS) + data[at:]


def _insert_character(rng: Random, data: bytes) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(CHARACTERS).encode("utf-8", "surrogatepass") + data[at:]


def _cut_out(rng: Random, data: bytes) -> bytes:
    start, end = _piece(rng, data)
    return data[:start] + data[end:]


def _repeat(rng: Random, data: bytes) -> bytes:
    start, end = _piece(rng, data)
    times = min(rng.choice((2, 2, 3, 10, 70)), 1 + 8192 // max(1, end - start))
    return data[:start] + data[start:end] * times + data[end:]


def _truncate(rng: Random, data: bytes) -> bytes:
    return data[: rng.randint(0, len(data))]


def _splice(rng: Random, data: bytes) -> bytes:
    other = rng.choice(corpus()[rng.choice(DIALECTS)])
    start, end = _piece(rng, other)
    at = rng.randint(0, len(data))
    return data[:at] + other[start:end] + data[rng.randint(at, len(data)) :]


def _wrap(rng: Random, data: bytes) -> bytes:
    start, end = _piece(rng, data)
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"{", b"}"), (b"- ", b"")))
    times = rng.choice((1, 1, 2, 60, 70))
    return data[:start] + opening * times + data[start:end] + closing * times + data[end:]


def _swell(rng: Random, data: bytes) -> bytes:
    """Repeat a piece until the text is as long as a text may be."""
    start, end = _piece(rng, data)
    if rng.random() < 0.5:
        start, end = _whole_lines(data, start, end)
    times = (MAX_SIZE - len(data)) // max(1, end - start)
    return data[:start] + data[start:end] * times + data[end:]


def _piece(rng: Random, data: bytes) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 2, 4, 10, 30, 100)))


def _whole_lines(data: bytes, start: int, end: int) -> tuple[int, int]:
    after = data.find(b"\n", end)
    return data.rfind(b"\n", 0, start) + 1, len(data) if after < 0 else after + 1


def _value(rng: Random) -> bytes:
    """One of the known values, or a text in quotes that JSON and YAML both take."""
    if rng.random() < 0.7:
        return rng.choice(VALUES)
    text = "".join(rng.choice(CHARACTERS + PARTS) for _ in range(rng.choice((1, 2, 5, 20))))
    whole = text.encode(errors="ignore").decode()
    return json.dumps(whole, ensure_ascii=rng.random() < 0.5).encode()


# -- lines of YAML -----------------------------------------------------------------------------


def _new_line_value(rng: Random, data: bytes) -> bytes:
    """Give one `key:` of a line another value."""
    return _change_line(rng, data, lambda line: line.partition(b":")[0] + b": " + _value(rng))


def _new_line_key(rng: Random, data: bytes) -> bytes:
    return _change_line(rng, data, lambda line: _value(rng) + b":" + line.partition(b":")[2])


def _new_line(rng: Random, data: bytes) -> bytes:
    """Add a field of no meaning, as deep as the line before it."""
    entry = b"extra: " + _value(rng)
    return _change_line(rng, data, lambda line: line + b"\n" + _indent_of(line) + entry)


def _indent_of(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(b" "))]


def _new_indent(rng: Random, data: bytes) -> bytes:
    indent = rng.choice((b"", b" ", b"  ", b"    ", b"\t", b"- ", b"  - ", b"? ", b"# "))
    return _change_line(rng, data, lambda line: indent + line.strip())


def _swap_lines(rng: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _change_line(rng: Random, data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at] = change(lines[at])
    return b"\n".join(lines)


# -- trees of JSON -----------------------------------------------------------------------------


def _new_json_value(rng: Random, data: bytes) -> bytes:
    """Put another value somewhere in the tree, or a new field."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return _insert(rng, data)
    mark = "\x01here\x01"
    _put_mark(rng, tree, mark)
    written = json.dumps(tree, indent=rng.choice((None, 1))).encode()
    return written.replace(json.dumps(mark).encode(), _value(rng))


def _put_mark(rng: Random, holder: Any, mark: str) -> None:
    while isinstance(holder, (dict, list)) and holder:
        key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
        if isinstance(holder, dict) and rng.random() < 0.3:
            holder[rng.choice(PARTS)] = mark
            return
        if not isinstance(holder[key], (dict, list)) or rng.random() < 0.3:
            holder[key] = mark
            return
        holder = holder[key]


_ANY: tuple[Mutation, ...] = (
    _flip,
    _insert,
    _insert,
    _insert_character,
    _cut_out,
    _repeat,
    _truncate,
    _splice,
    _wrap,
)
_YAML = (_new_line_value, _new_line_value, _new_line, _new_line_key, _new_indent, _swap_lines)
_MUTATIONS: dict[str, tuple[Mutation, ...]] = {
    "oacp": _ANY + _YAML * 3,
    "acp": (*_ANY, *(_new_json_value,) * 18),
    "agentmail": (*_ANY, *(_new_json_value,) * 18),
}
