"""How far a letter got with one recipient; never further than is known."""

from enum import IntEnum


class State(IntEnum):
    """The states of a delivery; up to `handed_over` a letter counts as unread."""

    STORED = 0  # the office has it for good
    HANDED_OVER = 1  # it is where the recipient looks: listed, in the folder, with the peer
    READ = 2  # its content was shown to the recipient
    ACKNOWLEDGED = 3  # the recipient said that it took it, or that it won't
    DONE = 4  # answered, put away or removed
    BOUNCED = 5  # it can't be delivered
    WITHDRAWN = 6  # taken back before it was read
    EXPIRED = 7  # not handed over in time

    @property
    def word(self) -> str:
        """The word that every door shows."""
        return self.name.lower()


def follows(before: int, after: int) -> bool:
    """Whether a delivery may go from one state to the other: only forward, and not from an end."""
    if after in (State.BOUNCED, State.EXPIRED):
        return before == State.STORED
    if after == State.WITHDRAWN:
        return before <= State.HANDED_OVER
    return before < after and before < State.DONE


def word_of(state: int) -> str:
    """The word for a state as the tables hold it."""
    return State(state).word
