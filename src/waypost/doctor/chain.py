"""Is the journal as it was written?"""

from collections.abc import Iterator

from waypost.doctor.finding import Finding
from waypost.office import Office

MOST_EVENTS = 200_000
_SHOWN = 9


def check(office: Office) -> Iterator[Finding]:
    """Go through the chain of the journal, unless that would take long."""
    place = office.desk.database.path
    if (last := office.last()) > MOST_EVENTS:
        what = f"the journal has {last:,} events and was not gone through"
        hint = "waypost audit verify goes through it"
        yield Finding("chain", place, what, hint, is_only_told=True)
        return
    for flaw in office.verify().flaws[:_SHOWN]:
        what = f"event {flaw.position}: {flaw.what}"
        hint = "somebody wrote past the office; waypost audit verify tells all, a backup knows more"
        yield Finding("chain", place, what, hint)
