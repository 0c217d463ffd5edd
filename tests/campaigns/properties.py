"""What must hold for every text that a parser is given; the fuzz campaign and the tests ask here.

Each property yields a sentence for every way in which it doesn't hold.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from campaigns.codes import CODES, OF_TEXTS
from waypost.dialects import dialect, yaml_events, yaml_text
from waypost.dialects.detect import read
from waypost.dialects.message import Message
from waypost.dialects.text import MAX_BYTES, MAX_PROBLEMS
from waypost.errors import ERROR, WARNING, Problem

MAX_SENTENCE = 1000


def broken_by(data: bytes, name: str | None) -> Iterator[str]:
    """Ask for everything of one text; nothing is yielded when all is well."""
    message = read(data, name)
    if read(data, name) != message:
        yield "reading it again gives something else"
    yield from unpresentable(message.problems, data)
    yield from detected_otherwise(message, data, name)
    if message.dialect == "oacp":
        yield from read_otherwise_when_exact(message, data)
    yield from checked_otherwise(message)
    yield from lost_in_writing(message)


def unpresentable(problems: tuple[Problem, ...] | list[Problem], data: bytes) -> Iterator[str]:
    """A problem has a known code, a sentence that is safe to print, and a place in the text."""
    if len(problems) > MAX_PROBLEMS + 1:
        yield f"has {len(problems)} problems"
    lines = len(data.decode(errors="replace").splitlines()) + 1
    for problem in problems:
        sentence = problem.message + (problem.hint or "") + problem.path
        if problem.code not in CODES:
            yield f"has a problem of unknown code {problem.code}"
        if problem.severity not in (ERROR, WARNING) or not problem.message.strip():
            yield f"has a problem without sentence or severity: {problem.code}"
        if not sentence.isprintable():
            yield f"has a problem that is not safe to print: {problem.code} {sentence!r}"
        if len(problem.message) > MAX_SENTENCE:
            yield f"has a sentence of {len(problem.message)} characters"
        if not 0 < (problem.line or 1) <= lines or (problem.column or 1) < 1:
            yield f"has a problem at line {problem.line} of {lines}: {problem.code}"


def detected_otherwise(message: Message, data: bytes, name: str | None) -> Iterator[str]:
    """Detection only chooses: reading with the dialect named gives the very same message."""
    told = name is not None or message.dialect is None
    if not told and not _same(message, read(data, message.dialect)):
        yield f"is read otherwise when {message.dialect} is named"


def read_otherwise_when_exact(message: Message, data: bytes) -> Iterator[str]:
    """The fast reader may be switched off: nothing but the speed changes."""
    with _without_fast_reader():
        exact = read(data, "oacp")
    if not _same(message, exact):
        yield f"is read fast as {_shown(message)}, exactly as {_shown(exact)}"
    text = data.decode(errors="replace")
    fast = yaml_text.read_fast(text)
    if fast is not None:
        reading = yaml_events.read_exact(text)
        if reading.problems or reading.tree != fast:
            yield f"is the tree {fast!r} when read fast, {reading.tree!r} when exactly"


def _same(message: Message, other: Message) -> bool:
    """Equal, but for the word that the dialect was guessed and what it crowds out."""
    told = (
        tuple(p for p in problems if p.code not in ("dialect_guessed", "more_problems"))
        for problems in (message.problems, other.problems)
    )
    first, second = (problems[: MAX_PROBLEMS - 1] for problems in told)
    return first == second and message._replace(problems=()) == other._replace(problems=())


@contextmanager
def _without_fast_reader() -> Iterator[None]:
    fast = yaml_text.read_fast
    yaml_text.read_fast = lambda text: None
    try:
        yield
    finally:
        yaml_text.read_fast = fast


def checked_otherwise(message: Message) -> Iterator[str]:
    """Where the text itself is fine, checking the fields finds what reading found."""
    found = _counted(p for p in message.problems if p.code != "dialect_guessed")
    if message.dialect is None or message.fields is None or len(message.problems) > 500:
        return
    if any(code in OF_TEXTS for _, code, _ in found):
        return
    checked = dialect(message.dialect).check(message.fields)
    if _counted(checked) != found:
        codes = [(p.path, p.code) for p in checked]
        yield f"has the problems {_shown(message)} as a text, {codes} as fields"


def _counted(problems: Iterable[Problem]) -> Counter[tuple[object, str, str]]:
    return Counter((problem.at, problem.code, problem.severity) for problem in problems)


def lost_in_writing(message: Message) -> Iterator[str]:
    """What is valid can be written, and is then read as it was."""
    if not message.valid or message.dialect is None or message.fields is None:
        return
    writer = dialect(message.dialect)
    written = writer.write(message.fields)
    if len(written) > getattr(writer, "limit", MAX_BYTES):
        return
    again = writer.read(written)
    if not again.valid or again.fields != writer.as_written(message.fields):
        yield f"is written as {written[:300]!r}, read again as {_shown(again)}"
    if message.dialect == "oacp":
        yield from (f"once written, {what}" for what in read_otherwise_when_exact(again, written))


def _shown(message: Message) -> str:
    codes = [(p.path, p.code, p.line, p.column) for p in message.problems[:5]]
    return f"{str(message.fields)[:400]} with {codes}"
