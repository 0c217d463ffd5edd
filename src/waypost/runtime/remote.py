"""An office that runs elsewhere, asked over HTTP with a token; it says who we are."""

import http.client
import json
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from waypost import errors
from waypost.errors import Problem, UnreachableError, UsageError, WaypostError, quoted, words_of
from waypost.runtime.client import Client, Json
from waypost.runtime.config import Setting

TOKEN = "WAYPOST_TOKEN"
_LARGEST_ANSWER = 32 << 20
_PATIENCE_SECONDS = 60.0
_PAUSE_SECONDS = 1.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Remote(Client):
    """The office at an address. The agent is the one whose token this is."""

    def __init__(
        self,
        url: Setting,
        environment: Mapping[str, str],
        project: str | None = None,
        agent: str | None = None,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self.where = url
        self._patience = patience
        self._address = _checked_address(url)
        self._token = environment.get(TOKEN, "")
        if not self._token or not self._token.isascii() or not self._token.isprintable():
            raise UsageError(
                f"the office at {url.value} asks for a token", hint=f"set {TOKEN} to the agent's"
            )
        me = self.call("whoami", {})
        self.agent = Setting(str(me["agent"]), TOKEN)
        self.project = Setting(str(me["project"]), TOKEN)
        meant = ((agent, self.agent, "agent"), (project, self.project, "project"))
        for named, found, what in meant:
            if named is not None and named != found.value:
                raise errors.NotAllowedError(
                    f"the token is that of {found.value}, not of the {what} {quoted(named)}",
                    hint=f"set {TOKEN} to the token of {named}",
                )

    def call(self, use_case: str, arguments: Mapping[str, Any], agent: str | None = None) -> Json:
        """Do something over there."""
        if agent is not None and agent != self.agent.value:
            raise errors.NotAllowedError(
                f"a token speaks only for {self.agent.value}, not for {agent}",
                hint="do it on the machine where the office lives",
            )
        try:
            status, body = self._post(f"/api/call/{use_case}", json.dumps(arguments))
        except (OSError, http.client.HTTPException) as error:
            what = words_of(error)
            raise UnreachableError(
                f"the office at {self._address.geturl()} doesn't answer: {what}",
                hint=_TRUST if "certificate" in what.lower() else "is waypost serve running there?",
                retryable=True,
            ) from error
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if status == 200 and isinstance(answer, dict):
            return answer
        raise error_of(answer, status)

    def position(self) -> int:
        """Where the journal over there ends."""
        return int(self.call("status", {})["last_position"])

    def pause(self, after: int) -> None:
        """Wait a moment: over HTTP nothing wakes us."""
        time.sleep(_PAUSE_SECONDS)

    def _post(self, path: str, body: str) -> tuple[int, bytes]:
        at = self._address
        kind = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
        connection = kind(at.hostname or "", at.port, timeout=self._patience)
        head = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            connection.request("POST", at.path.rstrip("/") + path, body.encode(), head)
            answer = connection.getresponse()
            text = answer.read(_LARGEST_ANSWER + 1)
            return (answer.status if len(text) <= _LARGEST_ANSWER else 0), text
        finally:
            connection.close()


def _checked_address(url: Setting) -> Any:
    """The parts of an address. Raises UsageError for one where a token wouldn't be safe."""
    try:
        parts = urlsplit(url.value)
        is_sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_sound = False
    if not is_sound or parts.username or parts.query or parts.fragment:
        raise UsageError(
            f"{quoted(url.value)}, from {url.source}, is no address of an office",
            hint="write it like http://127.0.0.1:7117",
        )
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise UsageError(
            f"a token isn't sent to {url.value} in the clear", hint="use https, or a tunnel"
        )
    return parts


_TRUST = "if it is the right one, have SSL_CERT_FILE name its certificate, or your authority's"


class _Told(Problem):
    """A problem that another office found: its path is known as text."""

    @property
    def path(self) -> str:
        return str(self.at[0])


_KINDS: dict[str, type[WaypostError]] = {
    kind.code: kind
    for kind in (
        *(errors.UsageError, errors.NotFoundError, errors.UnknownRecipientError),
        *(errors.ConflictError, errors.NotAllowedError, errors.OfficeBusyError),
        *(errors.InvalidMessageError, errors.UnknownTypeError, errors.VersionMismatchError),
        *(errors.TooLargeError, errors.SecretDetectedError, errors.UnreadableError),
    )
}


def error_of(form: object, status: int) -> WaypostError:
    """The error that another office told in the one form, as if it had happened here."""
    if not isinstance(form, dict) or not isinstance(form.get("details"), str):
        return UnreachableError(
            f"what answers there is no office (HTTP {status})", hint="look at the address"
        )
    told: dict[str, Any] = {
        key: form[key] for key in ("hint", "retryable", "message_id") if key in form
    }
    told["problems"] = tuple(_problems(form.get("problems")))
    if "conflicts" in form:
        told["conflicts"] = form["conflicts"]
        return errors.FilesHeldError(
            form["details"], alternatives=form.get("alternatives", ()), **told
        )
    return _KINDS.get(str(form.get("error")), WaypostError)(form["details"], **told)


def _problems(listed: object) -> Iterator[Problem]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            known = {key: one[key] for key in _Told._fields[1:] if key in one}
            yield _Told((str(one.get("path", "")),), **{"code": "", "message": "", **known})
