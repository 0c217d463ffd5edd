"""What Git knows of a working tree: its folders, its hooks, and what is to be committed."""

import os
import subprocess

from waypost.errors import NotFoundError, TimedOutError, UsageError

_PATIENCE = 30  # seconds, for trees on slow disks
# Whatever a person's settings leave out: what another holds may be in it.
_CHANGED = (
    *("-c", "diff.relative=false", "diff", "--cached", "--name-only", "-z", "--no-renames"),
    *("--no-ext-diff", "--ignore-submodules=none"),
)


class WorkingTree:
    """A working tree. Raises UsageError where there is none, NotFoundError without Git."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.top = os.path.realpath(self._line("rev-parse", "--show-toplevel"))
        self.common = self._path(self._line("rev-parse", "--git-common-dir"))

    def hooks(self) -> str:
        """The folder in which Git looks for hooks here."""
        return self._path(self._line("rev-parse", "--git-path", "hooks"))

    def hooks_were_moved(self) -> bool:
        """Whether a setting leads to another folder than Git's own."""
        return bool(self._moved_to())

    def hooks_are_off(self) -> bool:
        """Whether that setting leads to what can be no folder, as people do who want none."""
        moved_to = self._moved_to()
        return moved_to == "\n" or (bool(moved_to) and _is_no_folder(self.hooks()))

    def staged(self) -> list[str]:
        """What a commit would add, change or remove, from the top; a rename counts twice.

        What a merge only takes over from the other side is not the committer's change.
        """
        changed = self._changed()
        for other in self._merged():
            changed &= self._changed(other)
        return sorted(changed)

    def _merged(self) -> list[str]:
        path = self._path(self._line("rev-parse", "--git-path", "MERGE_HEAD"))
        try:
            with open(path, encoding="ascii") as file:
                return file.read(1 << 16).split()
        except FileNotFoundError:
            return []

    def _changed(self, *since: str) -> set[str]:
        return set(filter(None, self._ask(*_CHANGED, *since).split("\0")))

    def _moved_to(self) -> str:
        """The setting with the end of its line; nothing when there is none."""
        return self._ask("config", "--get", "core.hooksPath", may_fail=True)

    def _path(self, said: str) -> str:
        return os.path.realpath(os.path.join(self._folder, said))

    def _line(self, *words: str) -> str:
        return self._ask(*words).removesuffix("\n")

    def _ask(self, *words: str, may_fail: bool = False) -> str:
        try:
            done = subprocess.run(
                ["git", *words],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except FileNotFoundError as error:
            raise NotFoundError("there is no git", hint="install Git") from error
        except subprocess.TimeoutExpired as error:
            raise TimedOutError(f"git took over {_PATIENCE} s", hint="is the disk busy?") from error
        if done.returncode and not may_fail:
            said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
            raise UsageError(f"git says: {said}", hint="run it inside a working tree")
        return os.fsdecode(done.stdout)


def _is_no_folder(path: str) -> bool:
    return os.path.exists(path) and not os.path.isdir(path)
