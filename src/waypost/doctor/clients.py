"""Do the settings of coding agents lead to a program that is there?"""

import os
import shutil
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from waypost.doctor.finding import Finding


class Entry(NamedTuple):
    """What a client's settings say of us: which program to start, or why that can't be read."""

    client: str
    file: str
    command: str | None
    trouble: str | None = None


def check(entries: Iterable[Entry], path: str | None = None) -> Iterator[Finding]:
    """Look for each program where the client would."""
    for one in entries:
        if one.trouble is not None:
            yield Finding("clients", one.file, one.trouble, "mend that file; its client fails, too")
        elif one.command is not None and shutil.which(one.command, path=path) is None:
            where = "isn't there" if os.sep in one.command else "isn't on the path"
            hint = f"waypost setup {one.client} writes it anew"
            yield Finding("clients", one.file, f"it starts {one.command}, which {where}", hint)
