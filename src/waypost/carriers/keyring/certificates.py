"""How long a certificate holds."""

from waypost.errors import UsageError

_MOST_BYTES = 1 << 20


def ends_at(path: str) -> float:
    """When the first certificate of a file ends, in seconds since 1970. Raises UsageError."""
    from cryptography import x509

    with open(path, "rb") as file:
        text = file.read(_MOST_BYTES)
    try:
        return x509.load_pem_x509_certificate(text).not_valid_after_utc.timestamp()
    except ValueError as error:
        raise UsageError(f"{path} holds no certificate", hint="in PEM form") from error
