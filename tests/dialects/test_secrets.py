"""Secrets in a message that is about to leave: found, pointed at, and never repeated.

Every made-up secret here has `zq` in its secret part, and nothing else in these tests has.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import waypost
from strategies import texts
from waypost.dialects.secrets import find_secrets
from waypost.errors import InvalidMessageError, SecretDetectedError, WaypostError

NOTE = {"from": "claude", "to": "codex", "subject": "Hello", "body": "Are you there?"}
NOBODY = "ed25519." + "0" * 32
MADE_UP = {
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nZq7Zq7Zq7\n",
    "PGP key": "-----BEGIN PGP PRIVATE KEY BLOCK-----\nZq7\n",
    "AWS": "AKIA" + "ZQ7Z" * 4,
    "GitHub": "ghp_" + "Zq7" * 12,
    "GitHub fine": "github_pat_" + "Zq7" * 17,
    "GitLab": "glpat-" + "Zq7" * 7,
    "Anthropic": "sk-ant-" + "Zq7" * 8,
    "OpenAI": "sk-" + "Zq7" * 16,
    "OpenAI project": "sk-proj-" + "Zq7" * 12,
    "Google": "AIza" + "Zq7zq" * 7,
    "Slack": "xoxb-" + "Zq7" * 5,
    "Stripe": "sk_live_" + "Zq7" * 8,
    "npm": "npm_" + "Zq7" * 12,
    "PyPI": "pypi-AgE" + "Zq7" * 12,
    "Hugging Face": "hf_" + "ZqZ" * 11,
    "JWT": ".".join(["eyJ" + "Zq7" * 4, "eyJ" + "Zq7" * 4, "Zq7" * 5]),
    "link": "postgres://admin:Zq7Zq7Zq7@db.example/shop",
    "link with quotes": 'amqp://u:"Zq7"Zq7@host',
    "password": "password: Zq7Zq7Zq7",
    "bearer": "Authorization: Bearer " + "Zq7" * 9,
}
HARMLESS = (
    "The password is in the vault; ask the shop-lead.",
    "password: see the vault",
    "Reset password: https://example.com/reset?step=2",
    "password=<your password here>, or password: ${DB_PASSWORD}, or password: ********",
    "pwd: /srv/app-2/current",
    "Rename the field password to passphrase2 everywhere.",
    "Add tests for the password reset (see #4521).",
    "passwords: at least 12 characters",
    "The bearer of this note is codex.",
    "Send the header as Authorization: Bearer <token>.",
    "Bearer authentication replaces basic authentication in version 2.",
    "https://example.com:8443/a/b?c=d@e and git@github.com:org/repo.git",
    "postgres://user:password@localhost/db",
    "postgres://user:<password>@localhost/db",
    "class sk-toggle-button-group-primary-large-variant is unused",
    "task-review-the-long-and-winding-road-2-Everything-is-fine-here-now",
    "commit 6f794c1aa0b2c3d4e5f60718293a4b5c6d7e8f90 and 3d5c7a90-1b2e-4f68-8a47-c90e6f1d2b35",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMq claude@laptop",
    "ed25519.5f0c9a7e41d2b8836ac4f19e07d35b62",
)
FIELDS = ("subject", "body", "from", "to", "priority", "id", "channel", "created_at_utc", "note")
quiet = texts.filter(lambda text: "zq" not in text.lower())


@pytest.mark.parametrize("secret", MADE_UP.values(), ids=MADE_UP)
@given(before=quiet, after=quiet)
def test_every_kind_of_secret_is_found_between_other_words(
    secret: str, before: str, after: str
) -> None:
    found = list(find_secrets({"a": [{"b": f"{before} {secret} {after}"}]}))
    assert [one.at for one in found] == [("a", 0, "b")]


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_words_raise_no_alarm(text: str) -> None:
    assert list(find_secrets({"body": text})) == []


@given(text=st.text(max_size=200) | quiet)
def test_no_alarm_by_chance(text: str) -> None:
    assert list(find_secrets({"body": text})) == []


@pytest.mark.parametrize("name", ["password", "Password", "api_key", "access_token", "passwd"])
def test_a_field_that_is_called_a_password_is_one(name: str) -> None:
    assert [one.at for one in find_secrets({"data": {name: "zq"}})] == [("data", name)]


@pytest.mark.parametrize("value", ["", "  ", "<fill in>", "${API_KEY}", "*****", "REDACTED"])
def test_a_placeholder_is_no_password(value: str) -> None:
    assert list(find_secrets({"password": value, "api_key": value})) == []


def refused(type_name: str, fields: dict[str, Any], dialect: str | None = None) -> WaypostError:
    with pytest.raises(InvalidMessageError) as refusal:
        waypost.compose(type_name, fields, dialect=dialect)
    return refusal.value


def told(error: WaypostError) -> str:
    """All that an error says, by every way of asking it."""
    parts = [str(error), repr(error), error.details, error.hint, json.dumps(error.to_json())]
    return " ".join([*map(str, parts), *map(str, error.problems)]).lower()


@pytest.mark.parametrize("secret", MADE_UP.values(), ids=MADE_UP)
@pytest.mark.parametrize(
    "field",
    ["subject", "body", "from", "to", "priority", "id", "channel", "created_at_utc", "note"],
)
def test_a_secret_is_refused_with_its_place_and_never_repeated(field: str, secret: str) -> None:
    error = refused("notification", {**NOTE, field: secret})
    assert isinstance(error, SecretDetectedError)
    assert field in [one.path for one in error.problems if one.code == "secret_detected"]
    assert "zq" not in told(error)


@pytest.mark.parametrize("secret", MADE_UP.values(), ids=MADE_UP)
@pytest.mark.parametrize("field", ["from", "to", "priority", "id", "conversation_id"])
@given(before=quiet)
def test_a_secret_that_begins_later_is_not_repeated_in_part(
    field: str, secret: str, before: str
) -> None:
    error = refused("notification", {**NOTE, field: f"{before} {secret}"})
    assert "zq" not in told(error)


@pytest.mark.parametrize("secret", MADE_UP.values(), ids=MADE_UP)
def test_a_secret_as_a_key_is_refused_and_not_repeated(secret: str) -> None:
    error = refused("notification", {**NOTE, secret: "x"})
    assert isinstance(error, SecretDetectedError)
    assert "zq" not in told(error)


@pytest.mark.parametrize("secret", MADE_UP.values(), ids=MADE_UP)
def test_a_secret_as_the_type_is_not_repeated(secret: str) -> None:
    assert "zq" not in told(refused(secret, dict(NOTE), "oacp"))


def test_a_secret_as_the_type_of_no_dialect_is_not_repeated() -> None:
    assert "zq" not in told(refused(MADE_UP["GitHub"], dict(NOTE)))


def test_a_secret_deep_in_a_payload_is_pointed_at() -> None:
    data = {"steps": ["fine", {"env": MADE_UP["GitHub"]}]}
    payload = {"topic": "build.done", "data": data}
    error = refused("notify", {"from": NOBODY, "to": NOBODY, "payload": payload})
    assert [one.path for one in error.problems] == ["payload.data.steps.1.env"]


def test_a_secret_in_a_written_body_is_found_in_its_field() -> None:
    body = f"pr: '42'\nbranch: main\ndiff_summary: '{MADE_UP['GitHub']}'\n"
    error = refused("review_request", {**NOTE, "body": body})
    assert [one.path for one in error.problems] == ["body.diff_summary"]


def test_secrets_may_be_allowed_for_one_message() -> None:
    fields = {**NOTE, "body": MADE_UP["GitHub"]}
    message = waypost.compose("notification", fields, allow_secrets=True)
    assert (message.fields or {})["body"] == MADE_UP["GitHub"]


def test_a_message_that_is_read_may_hold_anything() -> None:
    fields = {**NOTE, "body": MADE_UP["GitHub"]}
    raw = waypost.compose("notification", fields, allow_secrets=True).raw
    assert waypost.parse(raw).problems == ()
