"""What a check reports."""

from collections.abc import Callable
from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that is not as it should be, and how to mend it.

    What is only good to know asks for nothing: it never makes an examination fail.
    """

    check: str
    place: str
    message: str
    hint: str
    repair: Callable[[], None] | None = None
    is_only_told: bool = False

    def to_json(self) -> dict[str, object]:
        """The finding as `--json` prints it."""
        return {
            "check": self.check,
            "place": self.place,
            "message": self.message,
            "hint": self.hint,
            "repairable": self.repair is not None,
        }
