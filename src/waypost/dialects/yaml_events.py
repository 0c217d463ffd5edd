"""YAML where every scalar is text, exactly: follows the parser's events.

It knows what the fast reader can't tell: tags, merge keys, aliases and what they expand to,
duplicate keys, the text as written, and the line and column of everything. It is loaded only to
explain a problem, or for a text that is unusual.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from waypost.dialects.text import MAX_BYTES, MAX_DEPTH, MAX_PROBLEMS, Lines
from waypost.dialects.tree import duplicate_key, key_not_text, too_deep
from waypost.dialects.yaml_positions import ROOT, Marks, YamlPositions
from waypost.errors import At, Problem, quoted

Tree = Any  # text, None, or lists and mappings of trees
_NULLS = frozenset({"", "~", "null"})
_HOPELESS_DEPTH = 512
_COST = 16  # of any value, when what aliases expand to is summed up


class Reading(NamedTuple):
    """What a text holds, what is wrong with it as YAML, and where everything stands."""

    tree: Tree
    problems: list[Problem]
    positions: YamlPositions


def read_exact(text: str) -> Reading:
    """Parse a text with everything known about it; the tree is None when it is no YAML at all."""
    import yaml

    builder = _Builder(Lines(text))
    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    try:
        builder.follow(loader(text).get_event)
    except yaml.YAMLError as error:
        builder.problems.append(_syntax_problem(error, text, builder.lines))
        builder.root = None
    except _HopelessError as error:
        builder.problems.append(error.problem)
        builder.root = None
    positions = YamlPositions(builder.root, builder.marks, builder.blocks, builder.lines)
    return Reading(builder.root, builder.problems, positions)


class _HopelessError(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


class _Frame:
    """A container under construction."""

    __slots__ = ("anchor", "container", "height", "key", "key_mark", "mark", "size")

    def __init__(self, container: dict[str, Tree] | list[Tree], event: Any) -> None:
        self.container = container
        self.anchor: str | None = event.anchor
        self.mark = event.start_mark
        self.key: Any = None  # the key whose value comes next, or _DISCARD
        self.key_mark: Any = None
        self.size = _COST
        self.height = 1


_DISCARD = object()  # stands for a key whose value is not wanted


class _Builder:
    """Builds the tree from the parser's events."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.root: Tree = None
        self.documents = 0
        self.is_done = False
        self.problems: list[Problem] = []
        self.marks: Marks = {}
        self.blocks: dict[str, int] = {}  # root fields that are block texts: where
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Tree, int, int]] = {}
        self._expanded = 0
        self._kept: list[Tree] = []  # marks are kept by id(), so nothing may die meanwhile

    def follow(self, next_event: Callable[[], Any]) -> None:
        """Take every event of a text, until it ends or holds more than one document."""
        takers: dict[type, Callable[[Any], object]] = {}
        while not self.is_done:
            event = next_event()
            take = takers.get(type(event))
            if take is None:
                take = takers[type(event)] = self._taker(type(event).__name__)
            take(event)

    def _taker(self, kind: str) -> Callable[[Any], object]:
        return {
            "DocumentStartEvent": self._document,
            "ScalarEvent": self._scalar,
            "SequenceStartEvent": self._list,
            "MappingStartEvent": self._mapping,
            "SequenceEndEvent": self._close,
            "MappingEndEvent": self._close,
            "AliasEvent": self._alias,
            "StreamEndEvent": self._end,
        }.get(kind, lambda event: None)

    def _note(self, problem: Problem, mark: Any) -> None:
        if len(self.problems) <= MAX_PROBLEMS:
            line, column = self.lines.place(mark.index)
            self.problems.append(problem._replace(line=line, column=column))

    def _end(self, event: Any) -> None:
        self.is_done = True

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            self.is_done = True
            self._note(
                Problem(
                    (),
                    "many_documents",
                    "is more than one YAML document",
                    "write one message a file",
                ),
                event.start_mark,
            )

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        frame = self._stack[-1] if self._stack else None
        if event.tag is not None:
            self._tagged(event)
        plain = event.implicit[0]
        if frame is not None and frame.key is None and type(frame.container) is dict:
            self._take_key(frame, text, event.start_mark, merge=plain and text == "<<")
            frame.size += len(text)
            if event.anchor is not None:
                self._anchors[event.anchor] = (text, len(text) + _COST, 0)
            return
        if (
            event.style == "|"
            and len(self._stack) == 1
            and frame is not None
            and isinstance(frame.key, str)
        ):
            self.blocks[frame.key] = event.start_mark.index
        value = None if plain and text in _NULLS else text
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, len(text) + _COST, 0)
        self._put(value, event.start_mark, len(text) + _COST, 0)

    def _list(self, event: Any) -> None:
        self._open([], event)

    def _mapping(self, event: Any) -> None:
        self._open({}, event)

    def _alias(self, event: Any) -> None:
        value, size, height = self._anchors.get(event.anchor, (None, 0, 0))
        at_bound = self._expanded > MAX_BYTES
        self._expanded += size
        wrong = None
        if event.anchor not in self._anchors:
            wrong = f"refers to *{event.anchor}, which is not finished or not there"
        elif self._expanded > MAX_BYTES:
            wrong = "expands by aliases to more than a message may hold"
        if wrong and not at_bound:
            problem = Problem(self._here(), "alias_expansion", wrong, "write the values out")
            self._note(problem, event.start_mark)
        elif len(self._stack) + height > MAX_DEPTH:
            wrong = "too deep"
            self._note(too_deep(self._here()), event.start_mark)
        self._put(
            *(("", event.start_mark, 1, 0) if wrong else (value, event.start_mark, size, height))
        )

    def _here(self, depth: int | None = None) -> At:
        """The place of the value that comes next, or of the container at a depth."""
        steps: list[str | int] = []
        for frame in self._stack[:depth]:
            if isinstance(frame.container, list):
                steps.append(len(frame.container))
            elif isinstance(frame.key, str):
                steps.append(frame.key)
        return tuple(steps)

    def _open(self, container: dict[str, Tree] | list[Tree], event: Any) -> None:
        if event.tag is not None:
            self._tagged(event)
        depth = len(self._stack)
        if depth == MAX_DEPTH:
            self._note(too_deep(self._here()), event.start_mark)
        if depth >= _HOPELESS_DEPTH:
            raise _HopelessError(too_deep(()))
        self._stack.append(_Frame(container, event))

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        self._kept.append(frame.container)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (frame.container, frame.size, frame.height)
        self._put(frame.container, frame.mark, frame.size, frame.height)

    def _put(self, value: Tree, mark: Any, size: int, height: int) -> None:
        if not self._stack:
            self.root = value
            self.marks[ROOT] = (mark.index, mark.index)
            return
        frame = self._stack[-1]
        frame.size += size
        if height >= frame.height:
            frame.height = height + 1
        if len(self._stack) > MAX_DEPTH:
            return
        if type(frame.container) is list:
            offset = mark.index
            self.marks[id(frame.container), len(frame.container)] = (offset, offset)
            frame.container.append(value)
        elif frame.key is None:
            self._take_key(frame, value, mark, merge=False)
        else:
            self._take_value(frame, value, mark)

    def _take_value(self, frame: _Frame, value: Tree, mark: Any) -> None:
        key, frame.key = frame.key, None
        if key is not _DISCARD:
            frame.container[key] = value
            self.marks[(id(frame.container), key)] = (frame.key_mark.index, mark.index)

    def _take_key(self, frame: _Frame, key: Tree, mark: Any, merge: bool) -> None:
        frame.key, frame.key_mark = key, mark
        if type(key) is str and not merge and key not in frame.container:
            return
        frame.key = _DISCARD
        if len(self.problems) > MAX_PROBLEMS:
            return
        if not isinstance(key, str):
            problem = key_not_text(self._here(-1))
        elif merge:
            problem = Problem(
                (*self._here(-1), key),
                "merge_key",
                "is a merge key, which is not allowed here",
                "write the fields out",
            )
        else:
            problem = duplicate_key((*self._here(-1), key))
        self._note(problem, mark)

    def _tagged(self, event: Any) -> None:
        hint = "remove the word that begins with an exclamation mark"
        self._note(
            Problem(
                self._here(), "yaml_tag", "carries a YAML tag, which is not allowed here", hint
            ),
            event.start_mark,
        )


# What YAML lets nobody write raw.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")


def _syntax_problem(error: Any, text: str, lines: Lines) -> Problem:
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "it can't be parsed"
    hint = "quote texts that hold a colon, a hash or a bracket; indent with spaces"
    mark = getattr(error, "problem_mark", None)
    offset = mark.index if mark else None
    if offset is None and (control := _CONTROL.search(text)):
        offset = control.start()
        said = f"a raw control character stands in the text: {quoted(control[0])}"
        hint = "write it as an escape inside double quotes, like \\u001b, or leave it out"
    elif context := getattr(error, "context", None):
        said += f" ({context})"
    line, column = lines.place(offset) if offset is not None else (None, None)
    return Problem((), "yaml_syntax", f"is not YAML: {said}", hint, line=line, column=column)
