"""Whether some process serves a home: it holds a lock, which falls however that ends."""

import fcntl
import os

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
