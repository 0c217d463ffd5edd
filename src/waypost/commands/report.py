"""Shows what is wrong with a message, as good compilers do: the line, a caret, and a hint."""

from collections.abc import Iterator
from unicodedata import combining, east_asian_width

from waypost.commands.console import Console
from waypost.dialects.message import Message
from waypost.dialects.text import Lines
from waypost.errors import Problem, visible

_WIDTH = 100
_BEFORE = 60  # how much of a long line is shown to the left of the caret


def show_problems(console: Console, source: str, message: Message, first_line: int = 1) -> None:
    """Print every problem of one message, which begins on `first_line` of its source."""
    lines = Lines(message.raw.decode(errors="replace"))
    for problem in message.problems:
        excerpt = lines.line(problem.line - first_line + 1) if problem.line else None
        for line in _problem_lines(console, source, problem, excerpt):
            console.data(line)
        console.data()


def _problem_lines(
    console: Console, source: str, problem: Problem, line: str | None
) -> Iterator[str]:
    colour = "red" if problem.is_error else "yellow"
    yield console.paint(f"{problem.severity}[{problem.code}]", colour) + f": {problem.message}"
    number = str(problem.line) if problem.line else " "
    margin = " " * len(number)
    place = f":{problem.line}:{problem.column or 1}" if problem.line else ""
    yield f"{margin}{console.paint('-->', 'blue')} {visible(source)}{place}"
    if line:
        shown, caret = _excerpt(line, problem.column or 1)
        bar = console.paint("|", "blue")
        yield f"{margin} {bar}"
        yield f"{console.paint(number, 'blue')} {bar} {shown}"
        yield f"{margin} {bar} {' ' * caret}{console.paint('^', colour)}"
    if problem.hint:
        yield f"{margin} {console.paint('= hint:', 'blue')} {visible(problem.hint)}"


def _excerpt(line: str, column: int) -> tuple[str, int]:
    """Cut a line around the column; gives what to show and where the caret goes."""
    start = max(0, column - 1 - _BEFORE) if len(line) > _WIDTH else 0
    before = visible(line[start : column - 1])
    after = visible(line[column - 1 : start + _WIDTH])
    head, tail = "…" if start else "", "…" if start + _WIDTH < len(line) else ""
    return head + before + after + tail, len(head) + sum(map(_cells, before))


def _cells(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1
