"""From bytes to text: the limits that hold for every dialect, before any parsing."""

from waypost.errors import Problem

MAX_BYTES = 1 << 20
MAX_DEPTH = 64
MAX_PROBLEMS = 1000
_BOM = b"\xef\xbb\xbf"


def decode(data: bytes, limit: int = MAX_BYTES) -> str | Problem:
    """Decode strict UTF-8 without a byte order mark, or say why that can't be done."""
    if len(data) > limit:
        return Problem(
            (),
            "too_large",
            f"is {len(data):,} bytes long; at most {limit:,} are read",
            "send the large part as a file and refer to it",
        )
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
        before = data[: error.start]
        line = before.count(b"\n") + 1
        return Problem(
            (),
            "not_utf8",
            f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}",
            "save the file as UTF-8",
            line=line,
            column=error.start - (before.rfind(b"\n") + 1) + 1,
        )
    if not text or text.isspace():
        return Problem((), "empty", "is empty")
    return text


class Positions:
    """Where the parts of a parsed text stand: something that finds (line, column), from 1."""

    def find(self, at: tuple[str | int, ...], key: bool = False) -> tuple[int, int] | None:
        """The place of a value, or of its key; of the nearest parent when it isn't there."""
        raise NotImplementedError


def finish(problems: list[Problem], positions: Positions | None) -> tuple[Problem, ...]:
    """Make findings presentable: whole sentences, lines and columns, text order, a bound."""
    finished = [_finish(problem, positions) for problem in problems[:MAX_PROBLEMS]]
    if positions is not None:
        finished.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
    if len(problems) > MAX_PROBLEMS:
        finished.append(
            Problem((), "more_problems", f"only the first {MAX_PROBLEMS} problems are listed")
        )
    return tuple(finished)


_AT_KEY = frozenset({"unknown_field", "duplicate_key", "merge_key"})


def _finish(problem: Problem, positions: Positions | None) -> Problem:
    line, column = problem.line, problem.column
    if positions is not None and line is None:
        found = positions.find(problem.at, key=problem.code in _AT_KEY)
        line, column = found or (None, None)
    subject = problem.path or "the message"
    return problem._replace(message=f"{subject} {problem.message}", line=line, column=column)
