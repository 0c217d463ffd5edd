"""Can the desktop show what people are to be told?"""

import shutil
from collections.abc import Iterator

from waypost.doctor.finding import Finding


def check(is_wanted: bool, program: str) -> Iterator[Finding]:
    """Where the settings want the desktop's notifications: is the program for them here?"""
    if is_wanted and shutil.which(program) is None:
        what = "notify.desktop is true, and that program is not on the path"
        hint = "install it (Debian: libnotify-bin), or set notify.desktop to false"
        yield Finding("notify", program, what, hint)
