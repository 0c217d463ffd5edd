"""Passes: the one-time links that `waypost open` makes, and the sessions that begin with them.

A pass is a file of the office's home that bears the hash of a secret; who shows the secret has the
pass. So sessions outlive the server, and a look into the folder gives nobody a way in.
"""

import hashlib
import json
import os
import secrets
import time
from typing import NamedTuple

from waypost.errors import UnreadableError, words_of

FOLDER = "passes"
LINK_SECONDS = 5 * 60
SESSION_SECONDS = 14 * 24 * 3600
_LARGEST = 1000
_SECRET = 43  # characters of 32 bytes
_MOST = 1000


class Pass(NamedTuple):
    """Who it is, in which project, and until when (seconds since 1970)."""

    kind: str
    person: str
    project: str
    until: float

    @property
    def is_over(self) -> bool:
        return self.until <= time.time()


class Passes:
    """The passes of one home."""

    def __init__(self, home: str) -> None:
        self._folder = os.path.join(home, FOLDER)

    def link(self, person: str, project: str) -> str:
        """The secret of a new link, good once and for a few minutes."""
        return self._issue(Pass("link", person, project, time.time() + LINK_SECONDS))

    def session(self, link: str) -> str | None:
        """The secret of a new session for whoever shows a link; None when it isn't good."""
        found = self._find(link, "link")
        if found is None or not self._take(link):
            return None
        return self._issue(found._replace(kind="session", until=time.time() + SESSION_SECONDS))

    def find(self, session: str) -> Pass | None:
        """Whose session it is; None when it isn't good any more."""
        return self._find(session, "session")

    def end(self, session: str) -> None:
        """End a session."""
        self._take(session)

    def end_all(self, person: str, project: str) -> int:
        """End every session and link of somebody; gives how many there were."""
        whose = (person, project)
        return sum(
            self._forget(path)
            for path in self._paths()
            if (found := self._read(path)) is not None and (found.person, found.project) == whose
        )

    def _issue(self, made: Pass) -> str:
        secret = secrets.token_urlsafe(32)
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._sweep()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with os.fdopen(os.open(self._path(secret), flags, 0o600), "w") as file:
                json.dump(made._asdict(), file)
        except OSError as error:
            what = f"the system says {words_of(error)}: {self._folder}"
            raise UnreadableError(what, hint="look at that folder") from error
        return secret

    def _find(self, secret: str, kind: str) -> Pass | None:
        found = self._read(self._path(secret)) if len(secret) == _SECRET else None
        return found if found and found.kind == kind and not found.is_over else None

    def _take(self, secret: str) -> bool:
        """Take a pass away; of several at once, one succeeds."""
        return self._forget(self._path(secret))

    def _forget(self, path: str) -> bool:
        try:
            os.unlink(path)
        except OSError:
            return False
        return True

    def _path(self, secret: str) -> str:
        name = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
        return os.path.join(self._folder, name)

    def _read(self, path: str) -> Pass | None:
        try:
            with open(path, "rb") as file:
                return Pass(**json.loads(file.read(_LARGEST)))
        except (OSError, ValueError, TypeError):
            return None

    def _sweep(self) -> None:
        """Remove what is over."""
        for path in self._paths()[:_MOST]:
            found = self._read(path)
            if found is not None and found.is_over:
                self._forget(path)

    def _paths(self) -> list[str]:
        try:
            with os.scandir(self._folder) as entries:
                return [entry.path for entry in entries]
        except FileNotFoundError:
            return []
