"""Finds keys, tokens and passwords in a message that is about to leave. Pure.

Only well-known forms are looked for: a false alarm stops a letter, so each pattern must be one that
nobody writes by chance. What was found is never repeated, not even in part.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from waypost.errors import At, Problem

_START = r"(?<![A-Za-z0-9_-])"


class _Form(NamedTuple):
    """A form of secret: only a text with one of the marks, in lower case, is searched for it."""

    what: str
    marks: tuple[str, ...]
    pattern: str


_FORMS = (
    _Form(
        "a private key",
        ("private key",),
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----",
    ),
    _Form("an AWS access key", ("akia", "asia"), _START + r"(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _Form(
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _START + r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    ),
    _Form("a GitLab token", ("glpat-",), _START + r"glpat-[A-Za-z0-9_-]{20,}"),
    _Form("an Anthropic key", ("sk-ant-",), _START + r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _Form(
        "an OpenAI key",
        ("sk-",),
        _START + r"sk-(?=[A-Za-z0-9_-]{0,99}[0-9])(?=[A-Za-z0-9_-]{0,99}[A-Z])"
        r"(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}",
    ),
    _Form("a Google API key", ("aiza",), _START + r"AIza[0-9A-Za-z_-]{35}"),
    _Form("a Slack token", ("xox",), _START + r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _Form("a Stripe key", ("k_live_",), _START + r"[rs]k_live_[A-Za-z0-9]{20,}"),
    _Form("an npm token", ("npm_",), _START + r"npm_[A-Za-z0-9]{36}\b"),
    _Form("a PyPI token", ("pypi-age",), _START + r"pypi-AgE[A-Za-z0-9_-]{30,}"),
    _Form("a Hugging Face token", ("hf_",), _START + r"hf_[A-Za-z]{30,}\b"),
    _Form(
        "a signed web token",
        ("eyj",),
        _START + r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    _Form(
        "a password in a link",
        ("://",),
        _START + r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:"
        r"(?!\*+@|x+@|pass(?:word)?@|secret@|<|\$|\{)[^\s/:@]{3,100}@",
    ),
    _Form(
        "a password",
        ("passw", "pwd", "_secret", "_key", "_token"),
        r"(?i)(?:password|passwd|pwd|_secret|_key|_token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
        r"(?=[^\s\"']{0,64}[0-9!@#$%^&*])(?![<\$\{\[*/~.`]|https?:|artifact:)[^\s\"',;]{8,}",
    ),
    _Form(
        "a bearer token",
        ("bearer",),
        r"(?i)\bbearer\s{1,3}(?=[A-Za-z0-9._~+/-]{0,99}[0-9])[A-Za-z0-9._~+/-]{24,}",
    ),
)
_compiled = cache(re.compile)  # a process that meets no mark compiles nothing
_PASSWORD_FIELDS = (
    r"(?i).{0,40}(?:password|passwd|secret_?key|api_?key|access_?token|auth_?token"
    r"|client_?secret|private_?key|secret_?access_?key)"
)
_PLACEHOLDER = r"(?i)[<\[{$].*|\*+|x+|none|null|redacted|changeme|your[ _-].*|\s*"
_FIELD_MARKS = ("pass", "key", "token", "secret")
_FIELD_CORES = ("passw", "secret", "apikey", "accesstoken", "authtoken", "privatekey")
_ALL_MARKS = tuple({mark for form in _FORMS for mark in form.marks} | set(_FIELD_CORES))


class Secret(NamedTuple):
    """A secret that was found: where and what, and never its text."""

    at: At
    what: str

    def problem(self) -> Problem:
        """What may be told of it."""
        message = f"seems to hold {self.what}"
        hint = "take it out, or allow secrets for this one message"
        return Problem(self.at, "secret_detected", message, hint)


def suspicious(text: str) -> bool:
    """Tell whether a whole message as text can hold a secret at all; a no is certain and cheap."""
    folded = text.lower()
    for mark in _ALL_MARKS:  # noqa: SIM110  # any() would take twice as long
        if mark in folded:
            return True
    return False


def find_secrets(value: Any, at: At = ()) -> Iterator[Secret]:
    """Yield every text in a message, key or value, that holds a secret of a well-known form."""
    if isinstance(value, str):
        yield from _in_text(value, at)
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10_000_000:
        yield from _in_text(str(value), at)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            in_key = [secret._replace(at=at) for secret in _in_text(str(key), ())]
            yield from in_key
            yield from find_secrets(item, at if in_key else (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from find_secrets(item, (*at, index))


def _in_text(text: str, at: At) -> Iterator[Secret]:
    folded = text.lower()
    for form in _FORMS:
        if any(mark in folded for mark in form.marks) and _compiled(form.pattern).search(text):
            yield Secret(at, form.what)
            return
    if at and _is_password_field(str(at[-1])) and not _compiled(_PLACEHOLDER).fullmatch(text):
        yield Secret(at, "a password")


def _is_password_field(name: str) -> bool:
    folded = name.lower()
    marked = any(mark in folded for mark in _FIELD_MARKS)
    return marked and _compiled(_PASSWORD_FIELDS).fullmatch(name) is not None
