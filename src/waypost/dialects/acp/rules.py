"""ACP's rules that a schema can't say: one function a rule, named after what it guards.

They give what they found, and are no generators: every live message passes them twice.
"""

from collections.abc import Sequence

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


def version_is_ours(message: Fields) -> Sequence[Problem]:
    version = message.get("v")
    if not is_whole(version) or version <= VERSION:
        return ()
    said = f"is {quoted(version, 20)}; only version {VERSION} is known here"
    hint = "a peer that speaks version 1 answers incompatible_version"
    return [Problem(("v",), "other_version", said, hint, WARNING)]


def only_answers_refer(message: Fields) -> Sequence[Problem]:
    if not isinstance(message.get("ref"), str):
        return ()
    kind = TYPES.get(str(message.get("kind")))
    if kind is None or kind.is_answer or message.get("kind") == "hello":
        return ()
    said = f"is set, but a {message['kind']} answers nothing"
    return [Problem(("ref",), "unexpected_ref", said, "leave ref out, or null")]


def a_hello_that_answers_selects(message: Fields) -> Sequence[Problem]:
    if message.get("kind") != "hello" or not isinstance(message.get("ref"), str):
        return ()
    payload = message.get("payload")
    if not isinstance(payload, dict) or "selected_version" in payload:
        return ()
    hint = "the answering hello says which version was chosen, for example 1"
    return [Problem(("payload", "selected_version"), "missing_field", "is missing", hint)]


def error_codes_are_known(message: Fields) -> Sequence[Problem]:
    payload = message.get("payload")
    if message.get("kind") != "error" or not isinstance(payload, dict):
        return ()
    code = payload.get("code")
    if not isinstance(code, str) or not code.strip() or code in ERROR_CODES:
        return ()
    said = f"is not a known error code: {quoted(code)}"
    hint = did_you_mean(code, ERROR_CODES) or "known are " + ", ".join(ERROR_CODES)
    return [Problem(("payload", "code"), "unknown_error_code", said, hint, WARNING)]


RULES = (version_is_ours, only_answers_refer, a_hello_that_answers_selects, error_codes_are_known)
