"""The server's certificate comes from flags, the environment or the settings, and never half."""

from pathlib import Path

import pytest

from faces.certificates import self_signed
from waypost.errors import UsageError
from waypost.runtime.config import Config
from waypost.runtime.serving import tls_of


def test_the_settings_name_a_certificate_and_flags_go_before_them(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    written = f'[serve]\ntls_cert = "{certificate}"\ntls_key = "{key}"\n'
    (tmp_path / "config.toml").write_text(written)
    assert tls_of(Config(str(tmp_path), {})) == (str(certificate), str(key))
    with pytest.raises(UsageError):
        tls_of(Config(str(tmp_path), {}), str(key))  # which is no certificate


@pytest.mark.parametrize("variable", ["WAYPOST_TLS_CERT", "WAYPOST_TLS_KEY"])
def test_one_without_the_other_is_refused(tmp_path: Path, variable: str) -> None:
    with pytest.raises(UsageError):
        tls_of(Config(str(tmp_path), {variable: "/some/file.pem"}))


def test_none_is_none(tmp_path: Path) -> None:
    assert tls_of(Config(str(tmp_path), {})) is None
