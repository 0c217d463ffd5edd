"""Whether a text says anything: courtesies say nothing, nor does what was said before. Pure.

Agents thank each other for thanks without an end. What counts as a courtesy is a list of words: a
text made only of them can be held without harm, one with any other word is never taken for one.
"""

import re

_COURTESIES = frozenset(
    ["a", "again", "all", "am", "an", "and", "any", "anytime", "appreciate", "appreciated", "are", "as", "at", "bitte", "bye", "cheers", "danke", "day", "dear", "for", "forward", "from", "glad", "good", "goodbye", "gracias", "great", "happy", "have", "hear", "heard", "hello", "help", "helped", "helping", "hey", "hi", "i", "i'll", "i'm", "is", "it", "it's", "its", "kind", "kindly", "let", "lovely", "luck", "luego", "many", "me", "merci", "more", "most", "much", "my", "nada", "next", "nice", "no", "of", "on", "once", "or", "ok", "okay", "our", "perfect", "please", "pleased", "pleasure", "problem", "question", "questions", "reach", "really", "received", "regards", "same", "so", "soon", "sounds", "sure", "take", "talk", "thank", "thankful", "thanking", "thanks", "that", "that's", "the", "then", "there", "they", "this", "time", "to", "too", "touch", "und", "very", "was", "we", "we'll", "we're", "welcome", "well", "will", "wish", "wishes", "with", "wonderful", "worries", "you", "you're", "your", "yours", "de", "rien", "care", "been", "can", "feel", "free", "best", "hope", "work", "working", "forever", "ever", "always"]
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SAYS = re.compile(r"\w")
_LONGEST = 600  # no courtesy is longer


def says_nothing(text: str) -> bool:
    """True for thanks, greetings and good wishes, and for a text without letters and digits."""
    if len(text) > _LONGEST or any(character.isdigit() for character in text):
        return False
    found = _WORD.findall(text.casefold().replace("’", "'"))
    return all(word in _COURTESIES for word in found) if found else _SAYS.search(text) is None


def fingerprint(text: str) -> str:
    """What is left of a text when case, numbers, punctuation and spacing don't count."""
    return " ".join(_WORD.findall(text.casefold())) or text.strip()
