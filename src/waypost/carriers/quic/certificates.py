"""The certificate that carries our key: self-signed, new at every start, since keys are pinned."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID

from waypost.carriers.keyring import Identity

_EARLIER, _LATER = timedelta(days=2), timedelta(days=3650)  # nobody's clock is quite right


def certificate(of: Identity) -> x509.Certificate:
    """Make a certificate for an identity's key."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, of.id)])
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(of.private_key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + _LATER)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(of.id)]), critical=False)
        .sign(of.private_key, None)
    )


def public_key(of: x509.Certificate) -> bytes | None:
    """Give the Ed25519 key that a certificate carries; None when it is of another kind."""
    try:
        key = of.public_key()
    except Exception:  # a stranger chose these bytes; the library raises several kinds
        return None
    return key.public_bytes_raw() if isinstance(key, Ed25519PublicKey) else None
