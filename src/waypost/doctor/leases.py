"""Did leases on files end while their holders may still be at work?"""

import json
from collections.abc import Iterator

from waypost.doctor.finding import Finding
from waypost.office import Office, checkup
from waypost.office.views import when

_LATELY = 60 * 60_000


def check(office: Office, project: str | None) -> Iterator[Finding]:
    """Tell of leases that ended by themselves within the last hour."""
    now = office.desk.world.now()
    for one in checkup.lapsed(office.desk, now, now - _LATELY, project):
        listed = ", ".join(json.loads(one.patterns)[:9])
        what = f"{one.holder}'s lease in {one.project} ended at {when(one.ended_at)}: not released"
        hint = f"the files are free; if {one.holder} works on: waypost reserve"
        yield Finding("leases", listed, what, hint, is_only_told=True)
