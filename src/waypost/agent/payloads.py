"""Between what handlers return or callers get and the payloads on the wire."""

from typing import Any

from waypost.agent.values import Answer, Capabilities, Result, Status
from waypost.dialects import json_text
from waypost.errors import (
    NotAuthorizedError,
    OverloadedError,
    PeerError,
    PeerFailedError,
    PeerNotFoundError,
    RefusedError,
    TaskCancelledError,
    TimedOutError,
    UnknownDomainError,
    WaypostError,
)

Fields = dict[str, Any]
CHARACTERS_A_TOKEN = 4

_BY_CODE: dict[str, type[WaypostError]] = {
    "overloaded": OverloadedError,
    "not_authorized": NotAuthorizedError,
    "unknown_domain": UnknownDomainError,
    "peer_not_found": PeerNotFoundError,
    "cancelled": TaskCancelledError,
    "internal": PeerFailedError,
    "timeout": TimedOutError,
    "refused": RefusedError,
}
_HINTS = {
    "overloaded": "try again in a while, or mark a task urgent",
    "not_authorized": "ask its owner to let you",
    "unknown_domain": "waypost who DOMAIN finds a peer that handles it",
    "internal": "its own log says what broke",
    "timeout": "allow more time, or try later",
}


def error_of(payload: Fields, peer: str) -> WaypostError:
    """The exception that stands for an error a peer answered with."""
    code, retryable = payload["code"], payload.get("retryable", False)
    kind = _BY_CODE.get(code, PeerError)
    more = "" if code in _BY_CODE else f" ({code})"
    return kind(
        f"{peer} answers: {payload['message']}{more}", hint=_HINTS.get(code), retryable=retryable
    )


def refusal_of(payload: Fields, peer: str) -> WaypostError:
    """The exception that stands for an ack that is a no."""
    code = payload.get("code") or "refused"
    said = payload.get("message") or "it gives no reason"
    retryable = payload.get("retryable", False)
    if code in _BY_CODE:
        return error_of({"code": code, "message": said, "retryable": retryable}, peer)
    return RefusedError(f"{peer} refuses: {said} ({code})", wire_code=code, retryable=retryable)


# -- what handlers return ------------------------------------------------------------------


def response(value: object, max_tokens: int) -> Fields:
    """The payload for what a query's handler returned, kept to the asker's budget.

    Raises TypeError for what can't be an answer.
    """
    if isinstance(value, Answer):
        value = {key: item for key, item in value._asdict().items() if item is not None}
    if isinstance(value, str):
        value = {"summary": value}
    if not isinstance(value, dict) or not isinstance(value.get("summary"), str):
        raise TypeError("a query's handler returns text, an Answer, or a dict with a summary")
    return _within_budget(dict(value), max_tokens)


def _within_budget(payload: Fields, max_tokens: int) -> Fields:
    if payload.get("tokens_used") is None:
        payload["tokens_used"] = _tokens(payload)
        counted = True
    else:
        counted = False
    if not max_tokens or payload["tokens_used"] <= max_tokens:
        return payload
    payload["truncated"] = True
    payload["summary"] = payload["summary"][: max_tokens * CHARACTERS_A_TOKEN]
    if counted:
        payload["tokens_used"] = _tokens(payload)
    return payload


def _tokens(payload: Fields) -> int:
    length = len(payload["summary"])
    if payload.get("data") is not None:
        length += len(json_text.write(payload["data"]))
    return -(-length // CHARACTERS_A_TOKEN)


def result(value: object) -> Fields:
    """The payload for what a delegation's handler returned.

    Raises TypeError for what can't be a result.
    """
    if isinstance(value, Result):
        value = {key: item for key, item in value._asdict().items() if item is not None}
    if value is None:
        value = "Done."
    if isinstance(value, str):
        value = {"outcome": value}
    if not isinstance(value, dict) or not isinstance(value.get("outcome"), str):
        raise TypeError("a task's handler returns text, a Result, or a dict with an outcome")
    return {"status": "completed", **value}


# -- what callers send ---------------------------------------------------------------------


def question(text: str, domain: str | None, max_tokens: int, timeout: float) -> Fields:
    """The payload of a query."""
    payload: Fields = {"question": text, "deadline_ms": max(1, int(timeout * 1000))}
    if domain is not None:
        payload["domain"] = domain
    if max_tokens:
        payload["max_tokens"] = max_tokens
    return payload


def task(
    text: str, context: Fields | None, urgent: bool, deadline: float | None, report_back: bool
) -> Fields:
    """The payload of a delegation."""
    payload: Fields = {"task": text}
    if context is not None:
        payload["context"] = context
    if urgent:
        payload["priority"] = "urgent"
    if not report_back:
        payload["report_back"] = False
    if deadline is not None:
        payload["deadline_ms"] = max(1, int(deadline * 1000))
    return payload


# -- what callers get ----------------------------------------------------------------------


def answer_of(payload: Fields) -> Answer:
    return Answer(
        payload["summary"],
        payload.get("data"),
        payload.get("tokens_used"),
        payload.get("truncated", False),
    )


def result_of(payload: Fields) -> Result:
    return Result(payload["outcome"], payload.get("data"), payload["status"], payload.get("error"))


def status_of(payload: Fields, seconds: float) -> Status:
    return Status(
        payload["status"],
        payload.get("uptime_secs"),
        payload.get("active_tasks"),
        payload.get("agent_name"),
        seconds,
    )


def capabilities_of(payload: Fields | None, peer: str, peer_id: str) -> Capabilities:
    said = payload or {}
    return Capabilities(
        peer,
        peer_id,
        said.get("agent_name"),
        tuple(said.get("domains", ())),
        tuple(said.get("channels", ())),
        tuple(said.get("tools", ())),
        said.get("max_concurrent_tasks"),
        said.get("model"),
    )
