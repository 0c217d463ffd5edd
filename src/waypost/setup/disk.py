"""Reading and replacing the files of clients: whole or not at all, and never behind one's back."""

import os
import stat
from contextlib import suppress

from waypost.carriers.folders import files
from waypost.errors import ConflictError, UsageError
from waypost.setup.json_tree import MOST_BYTES


class Disk:
    """The files of one folder, by names inside it; whole paths are a person's own files."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)
        self._seen: dict[str, bytes] = {}

    def real(self, name: str) -> str:
        """The file behind a name. Raises UsageError when a link leads out of the folder."""
        path = os.path.realpath(os.path.join(self.folder, name))
        if not os.path.isabs(name) and os.path.commonpath([path, self.folder]) != self.folder:
            raise UsageError(
                f"{name} is a link out of {self.folder}",
                hint="make it a file of the project; nothing was changed",
            )
        return path

    def read(self, name: str) -> str:
        """What a file says; an empty text when there is none. Raises UsageError."""
        data = self._bytes(self.real(name))
        self._seen[name] = data
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise UsageError(
                f"{name} isn't UTF-8 at line {line}", hint="mend it; nothing was changed"
            ) from error

    def change(self, name: str, text: str) -> str:
        """Tell what a text would do to a file: create, change, remove, or nothing."""
        before = self._seen[name]
        if text.encode() == before:
            return "unchanged"
        return "created" if not before else "changed" if text else "removed"

    def before(self, name: str) -> str:
        """What the file said when it was read."""
        return self._seen[name].decode()

    def write(self, name: str, text: str) -> None:
        """Replace a file by a text; an empty one removes it.

        Raises ConflictError when somebody else has changed it since it was read.
        """
        if self.change(name, text) == "unchanged":
            return
        path = self.real(name)
        if self._bytes(path) != self._seen[name]:
            details = f"{name} was changed by somebody else just now"
            raise ConflictError(details, hint="do it again", retryable=True)
        if text:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            _replace(path, text.encode())
        else:
            files.remove(path)
            if os.path.dirname(path) != self.folder and not os.path.isabs(name):
                with suppress(OSError):  # others have files there
                    os.rmdir(os.path.dirname(path))

    def _bytes(self, path: str) -> bytes:
        try:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
        except FileNotFoundError:
            return b""
        if len(data) > MOST_BYTES:
            limit = f"at most {MOST_BYTES >> 20} MiB are read"
            raise UsageError(f"{path} is too long for settings", hint=limit)
        return data


def _replace(path: str, data: bytes) -> None:
    """Let a new file take a name at once, with the rights of the old one."""
    staged = f"{path}.waypost-{os.getpid()}"
    descriptor = files.create(staged, data)
    try:
        with suppress(FileNotFoundError):
            os.fchmod(descriptor, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(staged, path)
    except BaseException:
        files.remove(staged)
        raise
    finally:
        os.close(descriptor)
    files.sync_folder(os.path.dirname(path))
