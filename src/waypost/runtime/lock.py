"""Whether some process serves a home: it holds a lock, which falls however that ends."""

import fcntl
import json
import os
from typing import Any

LOCK = "serve.lock"


def is_served(home: str) -> bool:
    """Whether a server runs over this home."""
    try:
        descriptor = os.open(os.path.join(home, LOCK), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def server_of(home: str) -> dict[str, Any]:
    """What the server of a home noted: its process and address; empty when none runs."""
    if not is_served(home):
        return {}
    try:
        with open(os.path.join(home, LOCK), encoding="utf-8") as file:
            found = json.loads(file.read(4096))
    except (OSError, ValueError):  # it starts or ends right now
        return {"pid": "?"}
    return found if isinstance(found, dict) else {"pid": "?"}
