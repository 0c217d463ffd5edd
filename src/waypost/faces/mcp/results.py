"""What tools give: a use-case's JSON, shortened for models; a letter's text in a fence; refusals.

Every result is structured, and the same as text. No control or bidi character gets through raw:
what an agent wrote may stand on a terminal next.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from waypost.errors import visible
from waypost.letters.fence import fence

Json = dict[str, Any]
Show = Callable[[Json], Json]
_OF_AN_AGENT = ("name", "kind", "description", "domains", "program", "model", "unread", "active_at")


def as_it_is(found: Json) -> Json:
    """The use-case's own JSON."""
    return found


def without_token(found: Json) -> Json:
    """A registration; a token is nothing that a model should see."""
    return {key: value for key, value in found.items() if key != "token"}


def agents(found: Json) -> Json:
    """Everyone in the project, with what helps to choose whom to write to."""
    shown = [{key: one[key] for key in _OF_AN_AGENT if key in one} for one in found["agents"]]
    for one in shown:
        if one.get("kind") == "agent":
            del one["kind"]
    return {"agents": shown}


def letter(found: Json) -> Json:
    """A letter whose text is fenced as data, with where it comes from."""
    if "message" not in found:
        return found
    origin = (found["from"], found["proof"], found["door"], found["sent_at"])
    return found | {"message": fence(found["message"], *origin)}


def attachment(found: Json) -> Json:
    """An attachment; what can be read as text is fenced, the rest stays base64."""
    try:
        text = b64decode(found.get("data", "")).decode()
    except UnicodeDecodeError:
        return found
    shown = {key: value for key, value in found.items() if key != "data"}
    origin = ("a member of the project", "claimed", "the office", f"attached as {found['name']}")
    return shown | {"message": fence(text, *origin)}


def told(found: Json) -> str:
    """The same as text, for clients that know nothing of structure."""
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def clean(value: Any) -> Any:
    """The same value with every text safe to show."""
    if isinstance(value, str):
        return value if value.isprintable() else visible(value, keep="\n\t")
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, (list, tuple)) else value
