"""From bytes to text: the limits that hold for every dialect, before any parsing."""

import re
from bisect import bisect_right

from waypost.errors import WARNING, Problem, visible

MAX_BYTES = 1 << 20
MAX_DEPTH = 64
MAX_PROBLEMS = 1000
_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(r"\r\n|\n|\r")


def decode(data: bytes, limit: int = MAX_BYTES) -> str | Problem:
    """Decode strict UTF-8 without a byte order mark, or say why that can't be done."""
    if len(data) > limit:
        return too_large(len(data), limit)
    if data.startswith(_BOM):
        return Problem(
            (),
            "byte_order_mark",
            "begins with a byte order mark",
            "save the file as UTF-8 without BOM",
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        line, column = Lines(before).place(len(before))
        return Problem(
            (),
            "not_utf8",
            f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}",
            "save the file as UTF-8",
            line=line,
            column=column,
        )
    if not text or text.isspace():
        return Problem((), "empty", "is empty")
    return text


def too_large(size: int | None, limit: int = MAX_BYTES) -> Problem:
    """The problem of a message that is too long to be read; no size when its end wasn't seen."""
    length = "longer than can be read" if size is None else f"{size:,} bytes long"
    return Problem(
        (),
        "too_large",
        f"is {length}; at most {limit:,} bytes are allowed",
        "send the large part as a file and refer to it",
    )


def brackets(text: str) -> int:
    """Count what may open a container: a bound for how deeply a text nests."""
    return text.count("[") + text.count("{")


class Lines:
    """The lines of a text as editors count them, for turning offsets into places."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of a character, from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str | None:
        """The text of a line without its end, or None beyond the last."""
        if not 1 <= number <= len(self._starts):
            return None
        end = self._starts[number] if number < len(self._starts) else len(self._text)
        return self._text[self._starts[number - 1] : end].rstrip("\r\n")


class Positions:
    """Where the parts of a parsed text stand: something that finds (line, column), from 1."""

    def find(self, at: tuple[str | int, ...], key: bool = False) -> tuple[int, int] | None:
        """The place of a value, or of its key; of the nearest parent when it isn't there."""
        raise NotImplementedError


_WITHOUT_VALUE = frozenset(
    {"number_too_long", "not_finite", "too_deep", "lone_surrogate", "alias_expansion", "wrong_type"}
)


def beside(flaws: list[Problem], findings: list[Problem]) -> list[Problem]:
    """Join what is wrong with the text and with the message; a value that is none is told once."""
    told = {flaw.at for flaw in flaws if flaw.code in _WITHOUT_VALUE}
    return flaws + [finding for finding in findings if finding.at not in told]


def finish(problems: list[Problem], positions: Positions | None) -> tuple[Problem, ...]:
    """Make findings presentable: whole sentences, lines and columns, text order, a bound."""
    more = len(problems) - MAX_PROBLEMS
    if more > 0:  # keep the errors rather than the warnings
        problems = sorted(problems, key=lambda problem: not problem.is_error)[:MAX_PROBLEMS]
    finished = [_finish(problem, positions) for problem in problems]
    if len(finished) > 1:
        finished.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
    if more > 0:
        message = f"the message has more problems than the {MAX_PROBLEMS:,} that are listed"
        finished.append(Problem((), "more_problems", message, severity=WARNING))
    return tuple(finished)


AT_KEY = frozenset({"unknown_field", "duplicate_key", "merge_key"})


def _finish(problem: Problem, positions: Positions | None) -> Problem:
    line, column = problem.line, problem.column
    if positions is not None and line is None:
        found = positions.find(problem.at, key=problem.code in AT_KEY)
        line, column = found or (None, None)
    sentence = visible(f"{problem.path or 'the message'} {problem.message}")
    return Problem(problem.at, problem.code, sentence, problem.hint, problem.severity, line, column)
