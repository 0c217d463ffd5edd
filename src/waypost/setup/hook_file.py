"""The pre-commit hook: put in place, taken out again, with whatever stood there kept and run."""

import os
import shlex

from waypost.carriers.folders import files
from waypost.errors import ConflictError, UsageError
from waypost.setup.git import WorkingTree

NAME, KEPT = "pre-commit", "pre-commit.before-waypost"
_MARK = "# waypost guard:"
_SCRIPT = f"""\
#!/bin/sh
{_MARK} keeps commits off files that another agent holds.
# `waypost guard uninstall` takes this out. What stood here before is {KEPT}.
waypost={{program}}
if command -v "$waypost" >/dev/null 2>&1; then
    "$waypost" guard check{{options}} || exit $?
else
    echo "waypost guard: $waypost isn't there, so nobody was asked" >&2
fi
before="$(dirname "$0")/{KEPT}"
if [ -x "$before" ]; then exec "$before" "$@"; fi
"""
_LONGEST = 1 << 20
_BY_HAND = 'add the line "waypost guard check" to {}'


def install(tree: WorkingTree, program: str, options: list[str]) -> str:
    """Put the guard in place: "created", "changed" or "unchanged".

    Raises UsageError where another program looks after the hooks, ConflictError where a hook
    that was kept earlier is in the way.
    """
    folder = _folder(tree)
    hook, kept = os.path.join(folder, NAME), os.path.join(folder, KEPT)
    words = shlex.join(options)
    script = _SCRIPT.format(program=shlex.quote(program), options=f" {words}" if words else "")
    before = _read(hook)
    if before == script:
        return "unchanged"
    is_foreign = before is not None and _MARK not in before
    if is_foreign:
        if "lefthook" in (before or ""):
            raise UsageError("lefthook writes the hooks here", hint=_BY_HAND.format("lefthook.yml"))
        if os.path.lexists(kept):
            raise ConflictError(
                f"{kept} is there already, and {NAME} isn't ours",
                hint=f"move {kept} away, then do it again",
            )
    os.makedirs(folder, exist_ok=True)
    staged = f"{hook}.waypost-{os.getpid()}"
    descriptor = files.create(staged, script.encode())
    try:
        os.fchmod(descriptor, 0o755)
        if is_foreign:
            os.link(hook, kept, follow_symlinks=False)  # at no moment is there no hook
        os.replace(staged, hook)
    except BaseException:
        files.remove(staged)
        raise
    finally:
        os.close(descriptor)
    files.sync_folder(folder)
    return "created" if before is None else "changed"


def uninstall(tree: WorkingTree) -> str:
    """Take the guard out and put back what stood there: "removed" or "unchanged"."""
    folder = tree.hooks()
    hook, kept = os.path.join(folder, NAME), os.path.join(folder, KEPT)
    before = _read(hook)
    if before is None or _MARK not in before:
        return "unchanged"
    if os.path.lexists(kept):
        os.replace(kept, hook)
    else:
        files.remove(hook)
    files.sync_folder(folder)
    return "removed"


def _folder(tree: WorkingTree) -> str:
    """The folder for the hook, if it is this repository's alone. Raises UsageError."""
    if tree.hooks_are_off():
        hint = "git config --unset core.hooksPath lets them run"
        raise UsageError("core.hooksPath turns all hooks off here", hint=hint)
    folder = tree.hooks()
    if tree.hooks_were_moved():
        if ".husky" in folder.split(os.sep):
            hint = _BY_HAND.format(".husky/pre-commit")
            raise UsageError("husky looks after the hooks here", hint=hint)
        if not any(_is_inside(folder, own) for own in (tree.top, tree.common)):
            raise UsageError(
                f"core.hooksPath leads to {folder}, which other repositories may share",
                hint=_BY_HAND.format(f"{folder}/{NAME}"),
            )
    return folder


def _is_inside(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder


def _read(path: str) -> str | None:
    """What a hook says, or None when there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(_LONGEST).decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return "" if os.path.lexists(path) else None  # a link to nothing is somebody's, too
