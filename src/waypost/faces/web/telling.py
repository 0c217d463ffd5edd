"""What a page that nobody looks at tells by the browser's notifications."""

from typing import Any

from waypost.errors import visible
from waypost.faces.web.showing import segment, url
from waypost.letters.words import brief
from waypost.office import Office
from waypost.office.callers import Caller

_AT_ONCE, _TITLE, _TEXT = 5, 80, 200


def told(office: Office, caller: Caller) -> dict[str, Any]:
    """What the caller was never told of; who gets it here tells it, nobody else will."""
    letters = office.claim(caller, _AT_ONCE).letters
    return {
        "needs": [
            {
                "title": brief(visible(f"{one.sender} needs you"), _TITLE),
                "text": brief(visible(one.subject or one.type), _TEXT),
                "path": url("/thread", id=one.thread) + "#" + segment(one.id),
            }
            for one in letters
        ]
    }
