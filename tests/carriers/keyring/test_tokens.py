"""A token says which key, and where; what is written is read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.carriers.keyring import DEFAULT_PORT, agent_id, read_token, token_of
from waypost.errors import UsageError

KEY = bytes(range(32))
HOSTS = st.sampled_from([None, "127.0.0.1", "::1", "family.local", "a-b.example"])


@given(st.binary(min_size=32, max_size=32), HOSTS, st.integers(1, 65535), st.booleans())
def test_what_is_written_is_read(key: bytes, host: str | None, port: int, alpn: bool) -> None:
    peer = read_token(token_of(key, host, port, alpn=alpn), "family")
    assert (peer.name, peer.public_key, peer.id) == ("family", key, agent_id(key))
    assert (peer.host, peer.port) == ((host, port) if host else (None, None))
    assert peer.alpn == alpn


def test_a_token_without_a_port_means_the_usual_one() -> None:
    text = token_of(KEY, "kit.local").removesuffix(f":{DEFAULT_PORT}")
    assert read_token(text + "\n").port == DEFAULT_PORT


def test_a_token_looks_as_documented() -> None:
    key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    assert token_of(KEY, "::1", 7, alpn=False) == f"waypost://{key}@[::1]:7?alpn=none"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "https://example.org",
        "waypost://short@127.0.0.1:1",
        token_of(KEY, "h", 7) + "0000",
        token_of(KEY, "h", 7).replace(":7", ":70000"),
        token_of(KEY)[:-1] + "9",
        token_of(KEY) + "@h:1@h:2",
        token_of(KEY, "h", 1) + "\nwaypost://",
    ],
)
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_token(text)
