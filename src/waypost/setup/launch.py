"""By which words a client starts us, so that it still works tomorrow and in another shell."""

import os
import shutil
import sys
from collections.abc import Mapping
from typing import NamedTuple

from waypost.errors import NotFoundError, UsageError

_PROGRAM = "waypost"
_PASSING = ("/uv/archive-v", "/uv/builds-v", "/.tmp")  # environments that uv makes for one run
_INSTALL = "install it for good (uv tool install, or pipx install), then run setup again"


class Launch(NamedTuple):
    """The command that starts us, and whether it is the same on every machine."""

    command: str
    is_portable: bool


def find_launch(environment: Mapping[str, str], executable: str = sys.executable) -> Launch:
    """The bare name where every shell finds it, else the whole path of the program that runs now.

    The folder of an activated environment doesn't count: a client that starts later may not see
    it. Raises UsageError or NotFoundError when nothing that is there now will surely be there.
    """
    if _on_lasting_path(environment, executable):
        return Launch(_PROGRAM, is_portable=True)
    here = os.path.dirname(os.path.abspath(executable))
    if any(mark in here for mark in _PASSING):
        raise UsageError("this waypost lives in a cache that may be emptied", hint=_INSTALL)
    path = os.path.join(here, _PROGRAM)
    if not os.access(path, os.X_OK):
        raise NotFoundError(f"there is no program {path}", hint=_INSTALL)
    return Launch(path, is_portable=here in ("/usr/bin", "/usr/local/bin"))


def find_program(environment: Mapping[str, str], executable: str = sys.executable) -> str:
    """The whole path of the program that starts us, for who has no path of its own to look on."""
    found = _on_lasting_path(environment, executable)
    return os.path.abspath(found or find_launch(environment, executable).command)


def _on_lasting_path(environment: Mapping[str, str], executable: str) -> str | None:
    here = os.path.dirname(os.path.abspath(executable))
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    lasting = [folder for folder in folders if folder and os.path.abspath(folder) != here]
    return shutil.which(_PROGRAM, path=os.pathsep.join(lasting))
