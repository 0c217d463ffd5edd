"""How people are told who look away: on this machine's desktop, and by a webhook, as configured."""

import hashlib
import hmac
import http.client
import json
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from waypost.errors import UnreachableError, UsageError, quoted, visible, words_of
from waypost.letters.words import brief
from waypost.runtime.config import Config, Setting

_PATIENCE_SECONDS = 10
_PAUSES = (1.0, 4.0)  # between the tries of one request
_LONGEST_QUIET = 24 * 3600
_HOME = ("localhost", "127.0.0.1", "::1")
_HINT = "https://…, or an address of this machine; --insecure allows others"


class Need(NamedTuple):
    """Something that people are to be told of."""

    people: tuple[str, ...]
    facts: Mapping[str, Any]  # as the webhook gets them
    body: str

    @property
    def title(self) -> str:
        """One line about who needs somebody."""
        return brief(visible(f"{self.facts['from']} needs {', '.join(self.people)}"), 80)

    @property
    def text(self) -> str:
        """One line about what is needed."""
        return brief(visible(self.facts["subject"] or self.facts["type"]), 200)


class Channel(Protocol):
    """A way to tell people."""

    name: str

    def tell(self, need: Need) -> None:
        """Tell it, or raise UnreachableError."""


class Notify(NamedTuple):
    """What the settings say about telling people."""

    desktop: bool
    webhook: str | None
    secret: str | None
    body: bool
    quiet_seconds: float


def notify_of(config: Config, *, insecure: bool = False) -> Notify:
    """The settings as they stand. Raises UsageError, which says where to mend them."""
    webhook, secret = config.look("notify.webhook"), config.look("notify.secret")
    if webhook is not None:
        check_address(webhook, insecure=insecure)
    quiet = config.find("notify.quiet")
    if not (quiet.value.isascii() and quiet.value.isdigit() and len(quiet.value) < 9
            and int(quiet.value) <= _LONGEST_QUIET):  # fmt: skip
        what = f"{quoted(quiet.value)}, from {quiet.source}, is no number of seconds"
        raise UsageError(what, hint=f"0 to {_LONGEST_QUIET}")
    return Notify(
        _flag(config.find("notify.desktop")),
        webhook.value if webhook else None,
        secret.value if secret else None,
        _flag(config.find("notify.body")),
        float(quiet.value),
    )


def check_address(found: Setting, *, insecure: bool) -> None:
    """Raises UsageError for an address that letters shouldn't be told to."""
    try:
        parts = urlsplit(found.value)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    said = f"{quoted(found.value)}, from {found.source},"
    if host is None or parts.scheme not in ("http", "https") or port == 0:
        raise UsageError(f"{said} is no address of a webhook", hint=_HINT)
    if "@" in parts.netloc or not all(32 < ord(char) < 127 for char in found.value):
        raise UsageError(f"{said} holds what no webhook may", hint="sign with notify.secret")
    if parts.scheme == "http" and host not in _HOME and not insecure:
        raise UsageError(f"{said} would carry subjects readable on the way", hint=_HINT)


def channels_of(notify: Notify) -> Sequence[Channel]:
    """The ways that are configured."""
    found: list[Channel] = [Desktop()] if notify.desktop else []
    if notify.webhook is not None:
        found.append(Webhook(notify.webhook, notify.secret, with_body=notify.body))
    return found


class Desktop:
    """The notifications of the desktop on which the server runs."""

    name = "desktop"

    def tell(self, need: Need) -> None:
        """Show one; words of letters are never markup or options there."""
        words = [*desktop_program(), need.title, _unmarked(need.text)]
        try:
            subprocess.run(
                words, check=True, timeout=_PATIENCE_SECONDS, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            why = words_of(error) if isinstance(error, OSError) else "it failed"
            raise UnreachableError(f"{words[0]}: {why}") from error


def desktop_program() -> list[str]:
    """What shows a title and a text that follow it."""
    if sys.platform == "darwin":
        script = "display notification (item 2 of argv) with title (item 1 of argv)"
        return ["osascript", "-e", "on run argv", "-e", script, "-e", "end run", "--"]
    return ["notify-send", "--app-name=Waypost", "--"]


def _unmarked(text: str) -> str:
    if sys.platform == "darwin":
        return text
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Webhook:
    """An address that gets each need as a JSON object, signed if there is a secret."""

    name = "webhook"

    def __init__(self, address: str, secret: str | None, *, with_body: bool) -> None:
        self._parts = urlsplit(address)
        self._secret = secret
        self._with_body = with_body

    def tell(self, need: Need) -> None:
        """Send it; where nobody answers, or is too busy, again, twice at most."""
        facts = {**need.facts, "people": list(need.people)}
        body = json.dumps(facts | ({"body": need.body} if self._with_body else {})).encode()
        for pause in (*_PAUSES, None):
            status, why = self._try(body)
            if status is not None and 200 <= status < 300:
                return
            may_try_again = status is None or status == 429 or status >= 500
            if pause is None or not may_try_again:
                raise UnreachableError(f"{self._parts.hostname}: {why}")
            time.sleep(pause)

    def _try(self, body: bytes) -> tuple[int | None, str]:
        """The status that came, and a word about it. Redirects are not followed."""
        at, secure = self._parts, http.client.HTTPSConnection
        kind = secure if at.scheme == "https" else http.client.HTTPConnection
        connection = kind(at.hostname or "", at.port, timeout=_PATIENCE_SECONDS)
        target = (at.path or "/") + (f"?{at.query}" if at.query else "")
        try:
            connection.request("POST", target, body, self._headers(body))
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException, ssl.SSLError) as error:
            return None, words_of(error) if isinstance(error, OSError) else "no answer of HTTP"
        finally:
            connection.close()
        return status, f"it answers {status}"

    def _headers(self, body: bytes) -> dict[str, str]:
        headers = {"content-type": "application/json", "user-agent": "waypost"}
        if self._secret is not None:
            stamp = str(int(time.time()))
            signed = hmac.new(self._secret.encode(), stamp.encode() + b"." + body, hashlib.sha256)
            headers["x-waypost-timestamp"] = stamp
            headers["x-waypost-signature"] = "sha256=" + signed.hexdigest()
        return headers


def _flag(found: Setting) -> bool:
    """Raises UsageError for what is neither yes nor no."""
    if found.value not in ("true", "false"):
        what = f"{quoted(found.value)}, from {found.source}, is neither true nor false"
        raise UsageError(what)
    return found.value == "true"
