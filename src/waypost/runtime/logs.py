"""How what goes on in the background is told on stderr: in lines that no letter can forge."""

import logging
import sys
from typing import Any

from waypost.errors import visible


class Lines(logging.Formatter):
    """One line for a record, with nothing that a terminal would obey; a trace below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - it is called so
        record.message = visible(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - it is called so
        return visible(super().formatException(ei), keep="\n\t")


def log_to_stderr(form: logging.Formatter, level: int) -> None:
    """Have everything of ours from a level on written to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(form)
    ours = logging.getLogger("waypost")
    ours.addHandler(handler)
    ours.propagate = False
    ours.setLevel(level)


def warn_in_lines() -> None:
    """Have warnings in lines, too, where nobody said where the log goes."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(Lines())
