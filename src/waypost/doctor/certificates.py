"""Does the server's certificate hold, and for how long yet?"""

import os
from collections.abc import Iterator

from waypost.carriers.keyring.certificates import ends_at
from waypost.doctor.finding import Finding
from waypost.errors import UsageError

_DAY = 86_400
_SOON_DAYS = 14


def check(certificate: str, key: str | None, now: float) -> Iterator[Finding]:
    """Look at the files that the settings name."""
    for path in (certificate, key):
        if path is not None and not os.access(path, os.R_OK):
            what = "the settings name it, and it can't be read"
            yield Finding("certificates", path, what, "mend serve.tls_cert and serve.tls_key")
            return
    try:
        days = (ends_at(certificate) - now) / _DAY
    except UsageError as error:
        yield Finding("certificates", certificate, error.details, error.hint or "")
        return
    if days < _SOON_DAYS:
        what = "has ended" if days < 0 else f"ends in {int(days)} days"
        yield Finding("certificates", certificate, what, "renew it, then start the server anew")
