"""Shows what is wrong with a message, as good compilers do: the line, a caret, and a hint."""

from collections.abc import Iterator

from waypost.commands.console import Console
from waypost.dialects.message import Message
from waypost.errors import Problem, visible

_WIDTH = 100
_BEFORE = 60  # how much of a long line is shown to the left of the caret


def show_problems(console: Console, source: str, message: Message, first_line: int = 1) -> None:
    """Print every problem of one message, which begins on `first_line` of its source."""
    text = message.raw.decode(errors="replace")
    lines = dict(enumerate(text.split("\n"), start=first_line)) if text else {}
    for problem in message.problems:
        for line in _problem_lines(console, source, problem, lines):
            console.data(line)
        console.data()


def _problem_lines(
    console: Console, source: str, problem: Problem, lines: dict[int, str]
) -> Iterator[str]:
    colour = "red" if problem.is_error else "yellow"
    yield console.paint(f"{problem.severity}[{problem.code}]", colour) + f": {problem.message}"
    number = str(problem.line) if problem.line else " "
    margin = " " * len(number)
    place = f":{problem.line}:{problem.column or 1}" if problem.line else ""
    yield f"{margin}{console.paint('-->', 'blue')} {visible(source)}{place}"
    if problem.line in lines:
        shown, caret = _excerpt(lines[problem.line], problem.column or 1)
        bar = console.paint("|", "blue")
        yield f"{margin} {bar}"
        yield f"{console.paint(number, 'blue')} {bar} {shown}"
        yield f"{margin} {bar} {' ' * caret}{console.paint('^', colour)}"
    if problem.hint:
        yield f"{margin} {console.paint('= hint:', 'blue')} {visible(problem.hint)}"


def _excerpt(line: str, column: int) -> tuple[str, int]:
    """Cut a line around the column; gives what to show and where the caret goes."""
    line = line.rstrip("\r")
    start = max(0, column - 1 - _BEFORE) if len(line) > _WIDTH else 0
    before = visible(line[start : column - 1])
    after = visible(line[column - 1 : start + _WIDTH])
    head, tail = "…" if start else "", "…" if start + _WIDTH < len(line) else ""
    return head + before + after + tail, len(head) + len(before)
