"""Writing a letter of any type: the form, and what comes of it when it is sent."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from waypost.errors import Problem, UsageError, WaypostError
from waypost.faces.doorkeeper import status_of
from waypost.faces.enclosures import enclose
from waypost.faces.web import forms
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.views import Header

USUAL = "notification"
PRIORITIES = ("", "urgent", "high", "normal", "low")
_BESIDE = ("to", "subject", "thread", "priority", "text", "answers")


def compose(office: Office, caller: Caller, query: Query) -> Page:
    """An empty form of a type; the address may fill in whom it goes to and what it says."""
    return _page(office, caller, query)


def send(office: Office, caller: Caller, form: Query) -> Page | str:
    """Send what was written, or show it again with every problem at its field."""
    kind = form.get("type") or USUAL
    try:
        receipt = office.send(caller, **enclose(office, caller, _arguments(kind, form)))
    except WaypostError as error:
        return _page(office, caller, form, error)
    return url("/thread", id=receipt.thread, did="sent") + "#" + receipt.id


def _arguments(kind: str, form: Query) -> dict[str, Any]:
    """Raises UsageError with everything that can't be understood."""
    content, problems = forms.content(kind, form)
    if problems:
        raise UsageError(problems[0].message, problems=problems)
    is_plain = forms.takes_text(kind)
    said: dict[str, Any] = {"text": form.typed("text")} if is_plain else {"content": content}
    given = {name: form.get(name) or None for name in ("subject", "thread", "priority")}
    given["reply_to"] = form.get("answers") or None
    return {
        "to": [name for word in form.all("to") for name in word.replace(",", " ").split()],
        "type": kind,
        "acknowledge": form.has("acknowledge"),
        "attachments": form.attachments(),
        **said,
        **given,
    }


def _page(office: Office, caller: Caller, form: Query, error: WaypostError | None = None) -> Page:
    kind = form.get("type") or USUAL
    try:
        fields = forms.fields(kind)
    except WaypostError as unknown:
        error, kind = unknown, USUAL
        fields = forms.fields(kind)
    shown: Mapping[str, str] = {}
    rest: list[Problem] = []
    if error is not None:
        shown, rest = forms.beside(kind, error.problems)
    names = [one.name for one in office.agents(caller) if one.name != caller.agent]
    typed = {name: form.typed(name) for name in (*(field.key for field in fields), *_BESIDE)}
    typed["to"] = " ".join(form.all("to"))
    data = {
        "kind": kind, "types": forms.types(), "fields": fields, "typed": typed, "names": names,
        "error": error, "shown": shown, "rest": rest, "priorities": PRIORITIES,
        "acknowledge": form.has("acknowledge"),
        "takes_text": forms.takes_text(kind),
        "is_live_only": kind in forms.LIVE_ONLY,
        "answered": _answered(office, caller, form.get("answers")),
    }  # fmt: skip
    return Page("compose", "Compose", data, status_of(error) if error else 200)


def _answered(office: Office, caller: Caller, letter: str) -> Header | None:
    """The letter that is answered, if there is one."""
    if not letter:
        return None
    with suppress(WaypostError):  # sending says what is wrong with it
        return office.read(caller, letter, peek=True, original=True).header
    return None
