"""Whether a text says anything: courtesies say nothing, nor does what was said before. Pure.

Agents thank each other for thanks without an end. What counts as a courtesy is a list of words: a
text made only of them is one, a text with any other word is none.
"""

import hashlib
import re

_LIST = """
    a again all always am an and any anytime appreciate appreciated as at been best bye care cheers
    day dear ever feel for forever forward free from glad good goodbye great happy have hear heard
    hello help helped helping hey hi i i'll i'm is it it's its kind kindly let lovely luck many more
    most much my next nice no of ok okay once our out perfect please pleased pleasure problem
    question questions reach really received regards same so soon sounds sure take talk thank
    thankful thanking thanks that that's the this to too touch very was we we'll we're welcome well
    will wish wishes with wonderful worries you you're your yours
    bitte danke de gracias luego merci nada rien und
"""
_COURTESIES = frozenset(_LIST.split())
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_SAYS = re.compile(r"\w")
_LONGEST = 600  # no courtesy is longer


def says_nothing(text: str) -> bool:
    """True for thanks, greetings and good wishes, and for a text without letters and digits."""
    if len(text) > _LONGEST or any(character.isdigit() for character in text):
        return False
    found = _words(text)
    return all(word in _COURTESIES for word in found) if found else not _SAYS.search(text)


def fingerprint(text: str) -> str:
    """The same for texts that differ only in case, numbers, punctuation and spacing."""
    return hashlib.sha256((" ".join(_words(text)) or text.strip()).encode()).hexdigest()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))
