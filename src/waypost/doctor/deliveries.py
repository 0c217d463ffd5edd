"""Are there letters that don't get on?"""

from collections.abc import Iterator

from waypost.doctor.finding import Finding
from waypost.office import Office, checkup
from waypost.office.checkup import Stuck
from waypost.office.views import when

_LATE = 10 * 60_000


def check(office: Office, project: str | None, *, is_served: bool) -> Iterator[Finding]:
    """Look at what waits for its carrier, or for a person."""
    now = office.desk.world.now()
    for one in checkup.stuck(office.desk, now, project):
        place = f"{one.letter} to {one.recipient} in {one.project}"
        if one.was_tried and one.next_at is None:
            what = f"is held by a guard ({one.guard})" if one.guard else "waits for a person"
            hint = f"waypost held allow {one.letter}; waypost held bounce sends it back"
            yield Finding("deliveries", place, what, hint)
        elif is_served and one.next_at is not None and one.next_at > now - _LATE:
            what = f"was tried {_times(one)}; the next try is at {when(one.next_at)}"
            hint = "nothing is to be done; it comes back when it expires"
            yield Finding("deliveries", place, what, hint, is_only_told=True)
        else:
            hint = "look into the log of waypost serve" if is_served else "waypost serve brings it"
            yield Finding("deliveries", place, f"is stored since {when(one.since)}", hint)


def _times(one: Stuck) -> str:
    return "once" if one.tries == 1 else f"{one.tries} times"
