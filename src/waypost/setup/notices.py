"""How a notice of unread mail is said, in the form that a client's event wants. Pure.

Clients hand a program at an event what happened, as JSON; some take plain text back, some JSON.
A notice at the end of a turn sets the agent to work again, so it is given once and not over and
over.
"""

import json
from collections.abc import Mapping
from typing import Any

_CONTEXT = ("SessionStart", "UserPromptSubmit", "BeforeAgent")
FORMS = (*_CONTEXT, "Stop", "sessionStart", "stop")
ENDINGS = ("Stop", "stop")  # forms at the end of a turn


def sentence(unread: int) -> str:
    """The notice for people and models."""
    letters = "1 unread letter" if unread == 1 else f"{unread} unread letters"
    return f"Waypost: {letters} in your mailbox. The tool fetch_inbox lists them."


def answer(form: str | None, text: str) -> str:
    """The notice in a form; without one as it is."""
    if form in _CONTEXT:
        return _json({"hookSpecificOutput": {"hookEventName": form, "additionalContext": text}})
    if form == "Stop":
        return _json({"decision": "block", "reason": text})
    if form == "sessionStart":
        return _json({"additional_context": text})
    if form == "stop":
        return _json({"followup_message": text})
    return text


def may_go_on(happened: Mapping[str, Any]) -> bool:
    """Whether an agent may be set to work again: no notice did so, and nobody stopped it."""
    loops = happened.get("loop_count")
    was_told = happened.get("stop_hook_active") is True or (isinstance(loops, int) and loops > 0)
    return not was_told and happened.get("status", "completed") == "completed"


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value)
