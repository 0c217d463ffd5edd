"""Somebody who knows nothing of the formats and does, word for word, what the hints say."""

import copy
import json
import re
from typing import Any

Problem = dict[str, Any]
Fields = dict[str, Any]
_NEAR = re.compile(r'did you mean "([^"]+)"')
_ONE_OF = re.compile(r"must be one of ([^,]+)")
_VALUES = (
    re.compile(r"(?:for example|, like) (.+?)(?:, or .*)?$"),
    re.compile(r"^write (?:version )?(\S+?)(?:,|$)"),
    re.compile(r"^\w+ is (\d+)$"),
)
_NO_NAME = re.compile(r"^[^A-Za-z0-9]+|[^A-Za-z0-9._-]+")


def mended(fields: Fields, problems: list[Problem]) -> Fields:
    """Follow one hint: near names first, since a slip often looks like something missing."""
    slips = [one for one in problems if _NEAR.search(one.get("hint", ""))]
    problem = next(iter(slips + [one for one in problems if one["severity"] == "error"]))
    changed = copy.deepcopy(fields)
    *parents, last = [int(step) if step.isdigit() else step for step in problem["path"].split(".")]
    place: Any = changed
    for step in parents:
        place = place[step]
    if problem["code"] == "unknown_field":
        place[advice(problem)] = place.pop(last)
    elif problem["code"] == "bad_name":  # the hint is a rule, which even a newcomer can follow
        place[last] = _NO_NAME.sub("", place[last])
    elif (value := advice(problem)) is None:  # then leave it out, and see what is said
        del place[last]
    else:
        place[last] = value
    return changed


def advice(problem: Problem) -> Any:
    """The value or name that a problem's own words propose; None when they show none."""
    hint = problem.get("hint", "")
    if near := _NEAR.search(hint):
        return near[1]
    for pattern in _VALUES:
        if found := pattern.search(hint):
            return _value(found[1])
    if found := _ONE_OF.search(problem["message"]):
        return found[1]
    if problem["code"] == "missing_field" and hint:  # free text: say something of that sort
        return hint
    return None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
