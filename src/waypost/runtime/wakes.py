"""Which program wakes which agent: a file of the home that only its owner may write.

It is a matter of this machine, and never of the journal, where a token could change it.
"""

import json
import logging
import os
from pathlib import Path

FILE = "wakes.json"
log = logging.getLogger("waypost.wake")


def wakes(home: str) -> dict[str, str]:
    """Which program wakes which agent, by project/agent."""
    try:
        with (Path(home) / FILE).open("rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o022:
                log.error("others may write to %s/%s, so nobody is woken", home, FILE)
                return {}
            found = json.loads(file.read(1 << 20))
    except (OSError, ValueError):
        return {}
    return {str(key): str(one) for key, one in found.items()} if isinstance(found, dict) else {}


def set_wake(home: str, project: str, agent: str, command: str) -> None:
    """Name the program that wakes an agent; an empty one wakes it no more."""
    from waypost.carriers.keyring import files  # much to load, and of no use to who only reads

    known = {**wakes(home), f"{project}/{agent}": command}
    kept = {key: one for key, one in known.items() if one}
    files.replace(Path(home) / FILE, (json.dumps(kept, indent=1) + "\n").encode())
