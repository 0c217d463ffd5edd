"""Agent Mail's rules that a schema can't say: one function a rule, named after what it guards."""

from collections.abc import Iterator
from typing import Any

from waypost.dialects.agentmail.patterns import flaw
from waypost.dialects.checks import is_whole
from waypost.dialects.message import Fields
from waypost.errors import WARNING, At, Problem, quoted

MAJOR = 1
VERSION = "1.0.0"
PRIORITIES = ("urgent", "high", "normal", "low")  # each at its numeric value


def version_has_our_major(message: Fields) -> Iterator[Problem]:
    version = message.get("version")
    if not isinstance(version, str) or version.count(".") != 2:
        return
    major = version.partition(".")[0]
    if major.isascii() and major.isdigit() and int(major[:9]) != MAJOR:
        yield Problem(
            ("version",),
            "version_mismatch",
            f"is {quoted(version)}; versions {MAJOR}.x.y are spoken here",
            f"write version {VERSION}",
        )


def priority_and_value_agree(message: Fields) -> Iterator[Problem]:
    priority, value = message.get("priority"), message.get("priority_value")
    if priority not in PRIORITIES or not is_whole(value) or not 0 <= value < len(PRIORITIES):
        return
    if PRIORITIES[int(value)] != priority:
        yield Problem(
            ("priority_value",),
            "priority_disagrees",
            f"is {value:g}, which means {PRIORITIES[int(value)]}, but priority is {priority}",
            f"{priority} is {PRIORITIES.index(priority)}",
        )


def reserved_patterns_are_sound(message: Fields) -> Iterator[Problem]:
    request = message.get("reservation_request")
    patterns = request.get("file_patterns") if isinstance(request, dict) else None
    places: list[tuple[At, Any]] = []
    if isinstance(patterns, list):
        places += [
            (("reservation_request", "file_patterns", index), text)
            for index, text in enumerate(patterns)
        ]
    places += [
        (("alternatives", index, "pattern"), other.get("pattern"))
        for index, other in _alternatives(message)
    ]
    for at, text in places:
        if isinstance(text, str) and (wrong := flaw(text)):
            yield Problem(
                at,
                "bad_pattern",
                f"{wrong}: {quoted(text)}",
                "write it relative to the project, like src/**/*.ts",
            )


def shared_means_shared_read(message: Fields) -> Iterator[Problem]:
    request = message.get("reservation_request")
    places: list[tuple[At, Any]] = [
        (("alternatives", index, "mode"), other.get("mode"))
        for index, other in _alternatives(message)
    ]
    if isinstance(request, dict):
        places.insert(0, (("reservation_request", "mode"), request.get("mode")))
    for at, mode in places:
        if mode == "shared":
            yield Problem(
                at,
                "shared_mode",
                'is "shared", which is read as shared_read',
                "write shared_read",
                WARNING,
            )


def _alternatives(message: Fields) -> list[tuple[int, dict[str, Any]]]:
    listed = message.get("alternatives")
    if message.get("type") != "file_reservation" or not isinstance(listed, list):
        return []
    return [(index, other) for index, other in enumerate(listed) if isinstance(other, dict)]


RULES = (
    version_has_our_major,
    priority_and_value_agree,
    reserved_patterns_are_sound,
    shared_means_shared_read,
)
