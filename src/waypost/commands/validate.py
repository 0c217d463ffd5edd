"""`waypost validate`: what is wrong with a message of any dialect, where, and how to mend it."""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

from waypost.commands.console import Console, Parser
from waypost.commands.inputs import Input, read_inputs
from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.dialects.text import finish
from waypost.errors import ERROR, InvalidMessageError, Problem, visible

_EXAMPLES = """\
  waypost validate message.yaml
  waypost validate inbox/ --strict
  cat query.json | waypost validate --dialect acp --json -
"""


class Result(NamedTuple):
    """One input and what was found in it."""

    source: str
    message: Message
    named: bool
    first_line: int = 1

    def to_json(self) -> dict[str, object]:
        """The line that `--json` prints."""
        return {
            "source": self.source,
            "dialect": self.message.dialect,
            "type": self.message.type,
            "valid": self.message.valid,
            "problems": [problem.to_json() for problem in self.message.problems],
        }


Reader = Callable[[Input], Message]


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        "waypost validate",
        "Check messages of any dialect and explain everything that is wrong with them.\n"
        "Folders are searched for .yaml, .yml, .json and .jsonl files; - is standard input.",
        _EXAMPLES,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or -")
    parser.add_argument(
        "--dialect", help="oacp, acp or agentmail; told from each message if absent"
    )
    parser.add_argument("--strict", action="store_true", help="take warnings for errors")
    parser.add_argument("--json", action="store_true", help="print one JSON object a message")
    return parser.parse_args(argv)


def run(console: Console, argv: Sequence[str]) -> int:
    """Check everything that was named; the exit code is 5 when anything isn't valid."""
    arguments = parse_arguments(argv)
    if arguments.dialect:
        dialect(arguments.dialect)  # a wrong name ends here, before anything is read
    tally = Tally()
    for given in read_inputs(arguments.paths):
        result = check(given, _reader(arguments.dialect), strict=arguments.strict)
        tally.count(result)
        if console.as_json:
            console.json(result.to_json())
        else:
            _show(console, result)
    if not console.as_json:
        console.talk(tally.summary())
    return 0 if tally.valid == tally.messages else InvalidMessageError.exit_code


def _reader(name: str | None) -> Reader:
    from waypost.dialects.detect import read

    return lambda given: read(bytes_of(given), name, file_name=given.file_name)


def bytes_of(given: Input) -> bytes:
    """The bytes of an input that could be read."""
    return given.data if isinstance(given.data, bytes) else b""


def check(given: Input, read: Reader, *, strict: bool = False) -> Result:
    """Check one input; one that could not be read is a message with that one problem."""
    if isinstance(given.data, Problem):
        message = Message(None, None, None, finish([given.data], None))
    else:
        message = read(given)
    problems = message.problems
    if given.first_line > 1:
        problems = tuple(_moved(problem, given.first_line - 1) for problem in problems)
    if strict:
        problems = tuple(problem._replace(severity=ERROR) for problem in problems)
    if problems is not message.problems:
        message = message._replace(problems=problems)
    return Result(given.source, message, given.named, given.first_line)


def _moved(problem: Problem, by: int) -> Problem:
    return problem._replace(line=problem.line + by) if problem.line else problem


def _show(console: Console, result: Result) -> None:
    from waypost.commands.report import show_problems

    if result.message.problems:
        show_problems(console, result.source, result.message, result.first_line)
    elif result.named:
        kind = f"{result.message.dialect} {result.message.type}"
        console.data(f"{console.paint('ok', 'green')}  {visible(result.source)}  {visible(kind)}")


class Tally:
    """Counts what a run has seen."""

    def __init__(self) -> None:
        self.messages = self.valid = self.errors = self.warnings = 0

    def count(self, result: Result) -> None:
        self.messages += 1
        self.valid += result.message.valid
        errors = sum(problem.is_error for problem in result.message.problems)
        self.errors += errors
        self.warnings += len(result.message.problems) - errors

    def summary(self) -> str:
        """One line for people."""
        if not self.messages:
            return "no messages found"
        parts = [f"{self.valid} of {self.messages} valid"]
        parts += [_plural(self.errors, "error")] if self.errors else []
        parts += [_plural(self.warnings, "warning")] if self.warnings else []
        return ", ".join(parts)


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
