"""How every command talks: data on stdout, talk on stderr, one form for errors, exit codes.

A command is a function of parsed arguments and a Console that returns its exit code. Whatever goes
wrong reaches people as three short lines, and programs as the one JSON error form.
"""

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from waypost.errors import UnreadableError, UsageError, WaypostError, visible, words_of

if TYPE_CHECKING:
    Run = Callable[["Console", Sequence[str]], int]

INTERRUPTED = 130
_SELDOM = 100_000  # a long listing makes much that stays, and little that goes in circles
_HINTS = {
    errno.ENOSPC: "make room on that disk, then do it again; what was there is still there",
    errno.EDQUOT: "make room within the quota, then do it again; what was there is still there",
    errno.EFBIG: "files may not grow that large here; see ulimit -f",
    errno.EROFS: "that disk is mounted for reading only",
    errno.EACCES: "look at the permissions of that path, and of the folders above it",
    errno.EPERM: "look at the permissions of that path, and of the folders above it",
    errno.ENOTDIR: "a file stands where a folder should be",
    errno.ELOOP: "links lead in a circle, or a link stands where none may be",
    errno.EMFILE: "too many files are open; see ulimit -n",
    errno.EIO: "the disk may be failing",
}
_COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "bold": "1", "dim": "2"}


class OutputError(Exception):
    """What a command prints can't be written: the disk is full, or nobody reads any more."""


class _HelpShown(Exception):  # noqa: N818 - it is no error
    """The help was asked for and printed."""


class Console:
    """Where a command writes, and in which form."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self._colour = {
            sys.stdout: _wants_colour(sys.stdout),
            sys.stderr: _wants_colour(sys.stderr),
        }

    def data(self, text: str = "") -> None:
        """Print a line of what was asked for."""
        _write(sys.stdout, text)

    def json(self, value: object) -> None:
        """Print one JSON object, on a line of its own, with nothing a terminal would obey.

        An iterator inside becomes a list that is never held whole.
        """
        import json

        from waypost.commands.pieces import pieces

        for text in pieces(value):
            if not text.isprintable():
                text = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
            _write(sys.stdout, text, end="")
        _write(sys.stdout, "")

    def flush(self) -> None:
        """Have what was printed leave us now: for a command that goes on."""
        _flush(sys.stdout)

    def talk(self, text: str) -> None:
        """Print a line about what is going on; never part of the result.

        What was printed before comes before it, also where both end up in one file.
        """
        _flush(sys.stdout)
        _write(sys.stderr, text)

    def paint(self, text: str, colour: str, stream: TextIO | None = None) -> str:
        """Colour a text where the stream is a terminal that wants it."""
        if not self._colour[stream or sys.stdout]:
            return text
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"

    def fail(self, error: WaypostError) -> int:
        """Tell of a failed call; gives the exit code."""
        if self.as_json:
            self.json(error.to_json())
            return error.exit_code
        self.talk(f"{self.paint('error:', 'red', sys.stderr)} {visible(error.details)}")
        problems = [problem for problem in error.problems if problem.is_error]
        if len(problems) > 1:
            for problem in problems:
                self.talk(f"  {problem.message}" + (f" ({problem.hint})" if problem.hint else ""))
        elif error.hint:
            self.talk(f"{self.paint('hint:', 'blue', sys.stderr)}  {visible(error.hint)}")
        return error.exit_code


def run(main: "Run", argv: Sequence[str]) -> int:
    """Run a command line from its words to its exit code; nothing escapes as a traceback."""
    gc.set_threshold(_SELDOM)
    _prepare_streams()
    options = argv[: argv.index("--")] if "--" in argv else argv
    try:
        code = _call(main, Console(as_json="--json" in options), argv)
        for stream in (sys.stdout, sys.stderr):
            _flush(stream)
    except OutputError as error:
        code = _give_up_printing(error)
    return code


def leave(code: int) -> NoReturn:
    """End the process after `run`; to take a long listing apart first would take a while."""
    os._exit(code)


def _call(main: "Run", console: Console, argv: Sequence[str]) -> int:
    try:
        return main(console, argv)
    except WaypostError as error:
        return console.fail(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return console.fail(system_error(error))
    except _HelpShown:
        return 0
    except OutputError:
        raise
    except Exception as error:
        if os.environ.get("WAYPOST_DEBUG"):
            raise
        details = f"something went wrong inside waypost: {type(error).__name__}: {error}"
        return console.fail(
            WaypostError(details, hint="this is a bug; WAYPOST_DEBUG=1 shows where")
        )


def _prepare_streams() -> None:
    """Make sure that there is something to write to, and that no character stops us."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - as long as the process
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _give_up_printing(error: OutputError) -> int:
    """Leave without a word from the interpreter, which would flush again at its end."""
    if not isinstance(error.__cause__, BrokenPipeError):
        with suppress(OSError):
            os.write(2, f"error: the output can't be written: {error}\n".encode())
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    return 1


def system_error(error: OSError) -> UnreadableError:
    """What the system refused to do, as an error like all others."""
    where = f": {error.filename}" if error.filename else ""
    hint = _HINTS.get(error.errno or 0)
    return UnreadableError(f"the system says {words_of(error)}{where}", hint=hint)


def _write(stream: TextIO, text: str, end: str = "\n") -> None:
    try:
        stream.write(text + end)
    except OSError as error:
        raise OutputError(words_of(error)) from error


def _flush(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError as error:
        raise OutputError(words_of(error)) from error


def _wants_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return os.environ.get("FORCE_COLOR", "0") not in ("", "0") or stream.isatty()


class _HelpForm(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal; asks it directly, which spares a command 2 ms of imports."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=min(_terminal_width(), 100) - 2)


def _terminal_width() -> int:
    if (columns := os.environ.get("COLUMNS", "")).isdigit() and int(columns) > 20:
        return int(columns)
    try:
        return max(os.get_terminal_size(1).columns, 40)
    except OSError:
        return 80


class Parser(argparse.ArgumentParser):
    """An argument parser that reports like everything else; its help begins with examples."""

    def __init__(self, prog: str, description: str, examples: str) -> None:
        super().__init__(prog=prog, formatter_class=_HelpForm, allow_abbrev=False)
        self._opening = f"{description}\n\n{examples.rstrip()}\n\n"

    def format_help(self) -> str:
        return self._opening + super().format_help()

    def print_help(self, file: Any = None) -> None:
        _write(sys.stdout, self.format_help().rstrip("\n"))

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise _HelpShown

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"{self.prog} --help shows how it is used")


class Command:
    """One command of a command line: its name, its line in the help, and where its code is."""

    def __init__(self, name: str, summary: str, module: str, function: str = "run") -> None:
        self.name = name
        self.summary = summary
        self.module = module
        self.function = function


def dispatch(
    program: str,
    commands: Sequence[Command],
    overview: Callable[[], str],
    situation: "Callable[[Console], bool] | None" = None,
) -> Callable[[Console, Sequence[str]], int]:
    """Build the main function of a command line with subcommands, each loaded only when used."""

    def main(console: Console, argv: Sequence[str]) -> int:
        words = list(argv)
        is_bare = not words or words == ["--json"]
        if is_bare and situation is not None and situation(console):
            return 0
        if not words or words[0] in ("-h", "--help", "help"):
            console.data(overview())
            return 0
        if words[0] in ("--version", "-V"):
            from waypost import __version__

            console.data(__version__)
            return 0
        command = _find(program, commands, words[0])
        return load(command)(console, words[1:])

    return main


def _find(program: str, commands: Sequence[Command], word: str) -> Command:
    for command in commands:
        if command.name == word:
            return command
    from waypost.letters.names import did_you_mean

    if word.startswith("-"):
        raise UsageError(f"{word} stands before the command", hint="options come after the command")
    raise UsageError(
        f'{program} has no command "{word}"',
        hint=did_you_mean(word, [command.name for command in commands])
        or f"{program} --help lists them",
    )


def load(command: Command) -> "Run":
    """The code of a command."""
    from importlib import import_module

    function: Run = getattr(import_module(command.module), command.function)
    return function


def list_commands(commands: Sequence[Command], width: int = 0) -> str:
    """The table of commands in an overview."""
    width = max(width, *(len(command.name) for command in commands))
    return "\n".join(f"  {command.name:<{width}}  {command.summary}" for command in commands)
