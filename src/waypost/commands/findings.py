"""How an examination goes: look, mend what can be mended, look again, and tell."""

from collections.abc import Callable, Sequence

from waypost.commands.console import Console
from waypost.doctor.finding import Finding
from waypost.errors import WaypostError, visible, words_of


def examine(
    console: Console, look: Callable[[], list[Finding]], *, fix: bool
) -> tuple[list[Finding], list[Finding]]:
    """Give what was mended, and what is left."""
    left = look()
    if not fix or not any(finding.repair for finding in left):
        return [], left
    found = left
    for finding in found:
        _mend(console, finding)
    left = look()  # what was mended is what isn't found again
    places = {(finding.check, finding.place) for finding in left}
    return [one for one in found if one.repair and (one.check, one.place) not in places], left


def _mend(console: Console, finding: Finding) -> None:
    """Try a repair; one that fails doesn't keep the others from being tried."""
    if finding.repair is None:
        return
    try:
        finding.repair()
    except FileNotFoundError:  # mended together with another
        return
    except OSError as error:
        console.talk(f"could not mend {visible(finding.place)}: {words_of(error)}")
    except WaypostError as error:
        console.talk(f"could not mend {visible(finding.place)}: {error.details}")


def show(
    console: Console, mended: Sequence[Finding], left: Sequence[Finding], examined: str
) -> None:
    """Tell people what was found in what was examined, and end with one line."""
    for finding in mended:
        console.data(f"{console.paint('mended', 'green')}: {visible(finding.place)}")
        console.data(f"  {visible(finding.message)}")
    for finding in left:
        colour = "blue" if finding.is_only_told else "yellow"
        console.data(f"{console.paint(finding.check, colour)}: {visible(finding.place)}")
        console.data(f"  {visible(finding.message)}")
        console.data(f"  {console.paint('hint:', 'blue')} {visible(finding.hint)}")
    fixed = f", {len(mended)} mended" if mended else ""
    found = sum(not finding.is_only_told for finding in left)
    console.talk(f"{examined}, {count(found, 'finding')}{fixed}")


def count(number: int, what: str) -> str:
    """A number of things, in words."""
    return f"{number} {what}" + ("" if number == 1 else "s")
