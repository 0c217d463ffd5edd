"""ACP's rules that a schema can't say: one function a rule, named after what it guards."""

from collections.abc import Iterator

from waypost.dialects.acp.types import TYPES
from waypost.dialects.checks import is_whole
from waypost.dialects.message import Fields
from waypost.errors import WARNING, Problem, quoted
from waypost.letters.names import did_you_mean

ERROR_CODES = (
    "not_authorized",
    "unknown_domain",
    "overloaded",
    "internal",
    "timeout",
    "cancelled",
    "unknown_kind",
    "incompatible_version",
    "peer_not_found",
    "invalid_envelope",
)
VERSION = 1


def version_is_ours(message: Fields) -> Iterator[Problem]:
    version = message.get("v")
    if is_whole(version) and version > VERSION:
        yield Problem(
            ("v",),
            "other_version",
            f"is {quoted(version, 20)}; only version {VERSION} is known here",
            "a peer that speaks version 1 answers incompatible_version",
            WARNING,
        )


def only_answers_refer(message: Fields) -> Iterator[Problem]:
    kind = TYPES.get(str(message.get("kind")))
    if kind is None or kind.is_answer or message.get("kind") == "hello":
        return
    if isinstance(message.get("ref"), str):
        yield Problem(
            ("ref",),
            "unexpected_ref",
            f"is set, but a {message['kind']} answers nothing",
            "leave ref out, or null",
        )


def a_hello_that_answers_selects(message: Fields) -> Iterator[Problem]:
    payload = message.get("payload")
    answers = message.get("kind") == "hello" and isinstance(message.get("ref"), str)
    if answers and isinstance(payload, dict) and "selected_version" not in payload:
        yield Problem(
            ("payload", "selected_version"),
            "missing_field",
            "is missing",
            "the answering hello says which version was chosen, for example 1",
        )


def error_codes_are_known(message: Fields) -> Iterator[Problem]:
    payload = message.get("payload")
    code = (
        payload.get("code")
        if message.get("kind") == "error" and isinstance(payload, dict)
        else None
    )
    if isinstance(code, str) and code.strip() and code not in ERROR_CODES:
        hint = did_you_mean(code, ERROR_CODES) or "known are " + ", ".join(ERROR_CODES)
        yield Problem(
            ("payload", "code"),
            "unknown_error_code",
            f"is not a known error code: {quoted(code)}",
            hint,
            WARNING,
        )


RULES = (version_is_ours, only_answers_refer, a_hello_that_answers_selects, error_codes_are_known)
