"""A mix of OACP messages as a busy team would write them: every type, short and long bodies."""

import re
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import yaml

from waypost.dialects import dialect
from waypost.dialects.oacp.types import TYPES

_AGENTS = ("claude", "codex", "cursor", "gemini", "night-shift", "reviewer.2")
_TALK = (
    "The tests of the cart pass again.",
    "Please look at the way the checkout rounds prices: 3 × 0.1 should be 0.3.",
    "I have moved the session store behind one interface, so that the tests can use memory.\n"
    "What is left:\n\n- the migration of old sessions\n- a sentence in the changelog\n",
    "Log of the failing run:\n\n    FAILED tests/test_cart.py::test_total - assert 3 == 4\n"
    "    1 failed, 212 passed in 8.31s\n\nIt fails one time in five. Seed 7 shows it.",
    "Ergänzung: das Café-Menü («thé», “naïve”) wird jetzt richtig sortiert. 🎉",
    "\n".join(f"{number}. Step {number} of the release, with its owner." for number in range(30)),
)
_CONTEXT_LIST = re.compile(r"context_keys:\n(?: *- .*\n)+")
_ID_ENDING = re.compile(r"^(id: .*-)[a-z0-9]{4}(?=\"?$)", re.MULTILINE)


def drafts(count: int) -> list[dict[str, str | list[str]]]:
    """Give drafts in the words of oacp-cli's own message builder."""
    return list(islice(_endless(), count))


def _endless() -> Iterator[dict[str, str | list[str]]]:
    talk = cycle(_TALK)
    for number, kind in enumerate(cycle(TYPES)):
        sender, taker = _AGENTS[number % 6], _AGENTS[(number + 1 + number // 6 % 5) % 6]
        draft: dict[str, str | list[str]] = {
            "sender": sender,
            "recipient": taker,
            "msg_type": kind,
            "subject": f"Step {number}: the shop's {kind.replace('_', ' ')}",
            "body": _body(kind, sender, taker) or next(talk),
            "priority": "P3" if kind == "follow_up" else f"P{(number // 7) % 4}",
        }
        if number % 3:
            draft["conversation_id"] = f"conv-20260313-{sender}-{number % 1000:03d}"
            draft["parent_message_id"] = f"msg-20260313T1430Z-{taker}-{number % 10000:04d}"
        if number % 10 == 0 and kind in ("notification", "question", "brainstorm_request"):
            draft["recipient"] = [agent for agent in _AGENTS if agent != sender][:3]
        if number % 5 == 0:
            draft |= {"expires_at": "2026-12-31T00:00:00Z", "related_pr": str(number % 900 + 1)}
        if number % 8 == 0:
            draft |= {"channel": "shop", "context_keys": "cart\ncheckout\nprices"}
        yield draft


def _body(kind: str, sender: str, taker: str) -> str:
    """The body of the worked example, where the type asks for fields."""
    body = yaml.load(dialect("oacp").example(kind), yaml.CBaseLoader)["body"]
    return str(body).replace("claude", sender).replace("codex", taker) if ": " in body else ""


def write_by_hand(folder: Path, count: int) -> None:
    """Write messages as people and scripts do: the worked examples, each under an id of its own."""
    texts = [dialect("oacp").example(kind).decode() for kind in TYPES]
    for number, text in enumerate(islice(cycle(texts), count)):
        text = _CONTEXT_LIST.sub("context_keys: cart, checkout\n", text)  # the peer takes text only
        text = _ID_ENDING.sub(rf"\g<1>{number % 10000:04d}", text, count=1)
        (folder / f"by-hand-{number:05d}.yaml").write_text(text, encoding="utf-8")
