"""Where messages to check come from: files, folders, lists of JSON lines, standard input.

Nothing that lies in a folder may stop, block or outgrow a run: what can't be read becomes a
problem of that one input.
"""

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from waypost.carriers.folders.reading import open_file, read_file, unreadable
from waypost.dialects.text import MAX_BYTES, too_large
from waypost.errors import Problem

ENDINGS = (".yaml", ".yml", ".json", ".jsonl")


class Input(NamedTuple):
    """One message to check, or the reason why it can't be read."""

    source: str
    data: bytes | Problem
    first_line: int = 1
    named: bool = True  # asked for by name, not met in a folder

    @property
    def file_name(self) -> str | None:
        return os.path.basename(self.source) if self.source.endswith((".yaml", ".yml")) else None


def read_inputs(paths: list[str]) -> Iterator[Input]:
    """Yield every message that the paths name, in a stable order."""
    for path in paths:
        if path == "-":
            yield Input("-", standard_input())
        elif os.path.isdir(path):
            yield from _read_folder(path)
        else:
            yield from _read(path, named=True)


def standard_input() -> bytes | Problem:
    """Read standard input to its end, or say why that can't be done."""
    if sys.stdin is None:
        return Problem((), "unreadable", "cannot be read: standard input is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    return too_large(None) if len(data) > MAX_BYTES else data


def _read_folder(folder: str) -> Iterator[Input]:
    """Read all messages below a folder, in order of names; follows no link to a folder."""
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name, reverse=True)
        except NotADirectoryError:
            yield from _read(path, named=False)
            continue
        except OSError as error:
            yield Input(path, unreadable(error), named=False)
            continue
        waiting += [entry.path for entry in entries if _is_wanted(entry)]


def _is_wanted(entry: "os.DirEntry[str]") -> bool:
    if entry.is_dir(follow_symlinks=False):
        return True
    if not entry.name.lower().endswith(ENDINGS):
        return False
    try:
        return not entry.is_dir()
    except OSError:  # a link that leads nowhere, which reading will tell
        return True


def _read(path: str, named: bool) -> Iterator[Input]:
    if path.lower().endswith(".jsonl"):
        yield from _read_lines(path, named)
        return
    yield Input(path, read_file(path), named=named)


def _read_lines(path: str, named: bool) -> Iterator[Input]:
    try:
        opened = open_file(path)
    except OSError as error:
        opened = unreadable(error)
    if isinstance(opened, Problem):
        yield Input(path, opened, named=named)
        return
    with os.fdopen(opened[0], "rb") as lines:
        yield from _lines(path, lines, named)


def _lines(path: str, lines: BinaryIO, named: bool) -> Iterator[Input]:
    number = 0
    while line := lines.readline(MAX_BYTES + 2):
        number += 1
        source = f"{path}:{number}"
        size = len(line.rstrip(b"\r\n"))
        rest = line
        while not rest.endswith(b"\n") and (rest := lines.readline(MAX_BYTES)):
            size += len(rest)
        if size > MAX_BYTES:
            yield Input(source, too_large(size), number, named)
        elif line.strip():
            yield Input(source, line.rstrip(b"\r\n"), number, named)
