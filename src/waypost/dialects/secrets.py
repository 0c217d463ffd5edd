"""Finds keys, tokens and passwords in a message that is about to leave. Pure.

Only well-known forms are looked for: a false alarm stops a letter, so each pattern must be one that
nobody writes by chance. What was found is never repeated, not even in part.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from waypost.errors import At, Problem

_PATTERNS = {
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----",
    "an AWS access key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    "a GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "an Anthropic key": r"\bsk-ant-[A-Za-z0-9_-]{20,}",
    "an OpenAI key": r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}",
    "a Google API key": r"\bAIza[0-9A-Za-z_-]{35}",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "a Stripe key": r"\b[rs]k_live_[A-Za-z0-9]{20,}",
    "an npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "a PyPI token": r"\bpypi-AgE[A-Za-z0-9_-]{30,}",
    "a Hugging Face token": r"\bhf_[A-Za-z]{30,}\b",
    "a signed web token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "a password in a link": r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:(?!\*+@|x+@|<|\$|\{)[^\s/:@]{3,100}@",
    "a password": r"(?i)\b(?:password|passwd|pwd)\s{0,3}[:=]\s{0,3}[\"']?(?=[^\s\"']*[0-9!@#$%^&*])"
    r"(?![<\$\{\[*])[^\s\"']{8,}",
    "a bearer token": r"(?i)\bbearer\s{1,3}(?=[A-Za-z0-9._~+/-]*[0-9])[A-Za-z0-9._~+/-]{24,}",
}
_COMPILED = [(what, re.compile(pattern)) for what, pattern in _PATTERNS.items()]
_NAMES_A_PASSWORD = re.compile(
    r"(?i)(?:password|passwd|secret_key|api_key|apikey|access_token|auth_token)"
)
_PLACEHOLDER = re.compile(r"(?i)[<\[{$].*|\*+|x+|none|null|redacted|changeme|your[ _-].*|\s*")


def find_secrets(value: Any, at: At = ()) -> Iterator[Problem]:
    """Yield a problem for every text in a message that holds a secret of a well-known form."""
    if isinstance(value, str):
        for what, pattern in _COMPILED:
            if pattern.search(value):
                yield _problem(at, what)
                return
        if at and _NAMES_A_PASSWORD.fullmatch(str(at[-1])) and not _PLACEHOLDER.fullmatch(value):
            yield _problem(at, "a password")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from find_secrets(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from find_secrets(item, (*at, index))


def _problem(at: At, what: str) -> Problem:
    return Problem(
        at,
        "secret_detected",
        f"seems to hold {what}",
        "take it out, or allow secrets for this one message",
    )
