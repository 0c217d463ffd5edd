"""Is the office's database sound as a file?"""

from collections.abc import Iterator

from waypost.doctor.finding import Finding
from waypost.office import Office, checkup

MOST_BYTES = 1 << 30


def check(office: Office) -> Iterator[Finding]:
    """Read the whole file, unless that would take long."""
    place = office.desk.database.path
    if checkup.size(office.desk) > MOST_BYTES:
        what = f"is larger than {MOST_BYTES >> 30} GiB and was not read through"
        hint = "waypost audit verify reads it all"
        yield Finding("database", place, what, hint, is_only_told=True)
        return
    for flaw in checkup.flaws(office.desk)[:9]:
        hint = "stop what uses it, move it away, and waypost restore a backup"
        yield Finding("database", place, flaw, hint)
