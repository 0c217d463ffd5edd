"""Which reservations of the same file bear each other. Pure."""

MODES = {
    "exclusive": "nobody else reads or writes",
    "shared_read": "the holder is the one writer, others read",
    "shared_write": "several write, and talk to each other about it",
}
_OLD_WORDS = {"shared": "shared_read"}


def mode_meant(word: str) -> str:
    """The mode that a word stands for; an unknown word stands for itself."""
    return _OLD_WORDS.get(word, word)


def conflict(mode: str, other: str) -> bool:
    """Tell whether two agents may not hold the same file in these modes."""
    return not mode_meant(mode) == mode_meant(other) == "shared_write"
