"""Does the clock fit to what was written with it?"""

from collections.abc import Iterator

from waypost.doctor.finding import Finding
from waypost.office import Office, checkup
from waypost.office.views import when

_DRIFT = 60_000


def check(office: Office) -> Iterator[Finding]:
    """Look for events that are yet to come."""
    now, newest = office.desk.world.now(), checkup.newest(office.desk)
    if newest > now + _DRIFT:
        what = f"an event happened at {when(newest)}, and now it is {when(now)}"
        hint = "a clock was changed: set it right, then look at waypost reservations"
        yield Finding("clock", office.home, what, hint)
