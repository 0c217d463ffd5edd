"""The campaign of bodies: generated texts go through our sender, a file, and both tools' readers.

`scripts/campaign bodies --count 5000` prints how many were sent, how many were refused before
anything was written, and every text that a reader read otherwise.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import waypost
from interop import peer
from interop.bodies import generated
from waypost.carriers.folders.home import Home
from waypost.errors import InvalidMessageError
from waypost.mailbox.sending import send


class Carried(NamedTuple):
    """What became of the texts."""

    sent: int
    refusals: Counter[str]  # how often for which reasons
    unlike: list[str]  # how a reader contradicts the sender

    @property
    def refused(self) -> int:
        return self.refusals.total()

    def __str__(self) -> str:
        told = [f"{count} {reason}" for reason, count in self.refusals.most_common()]
        counts = f"{self.sent} sent, {self.refused} refused, {len(self.unlike)} read otherwise"
        return "\n".join((counts, *(f"  refused: {line}" for line in told)))


def carry(texts: Iterable[tuple[str, str]], home: Home) -> Carried:
    """Send every pair of subject and body, then read all of them with both tools."""
    project = home.create_project("texts")
    for agent in ("claude", "codex"):
        project.add_agent(agent)
    sent: list[tuple[str, str, str]] = []
    refusals: Counter[str] = Counter()
    for subject, body in texts:
        draft = {"from": "claude", "to": "codex", "type": "notification"}
        try:
            receipt = send(project, {**draft, "subject": subject, "body": body})
        except InvalidMessageError as error:
            refusals[_reason(error)] += 1
        else:
            sent.append((subject, body, receipt.inbox_paths[0]))
    written = len(os.listdir(project.mailbox("claude").outbox))
    unlike = [] if written == len(sent) else [f"{written} files for {len(sent)} messages"]
    return Carried(len(sent), refusals, [*unlike, *_unlike_ours(sent), *_unlike_theirs(sent)])


def _reason(error: InvalidMessageError) -> str:
    found = {f"{one.path}: {one.code}" for one in error.problems if one.is_error}
    return ", ".join(sorted(found))


def _unlike_ours(sent: list[tuple[str, str, str]]) -> Iterable[str]:
    for subject, body, path in sent:
        message = waypost.parse(Path(path).read_bytes(), "oacp")
        fields = message.fields or {}
        if message.problems or (fields.get("subject"), fields.get("body")) != (subject, body):
            yield f"we read {fields!r} for {subject!r}, {body!r}: {message.problems}"


def _unlike_theirs(sent: list[tuple[str, str, str]]) -> Iterable[str]:
    for (subject, body, _), seen in zip(sent, peer.read([path for *_, path in sent]), strict=True):
        fields = seen["fields"]
        if (fields.get("subject"), fields.get("body")) != (subject, body):
            yield f"oacp-cli reads {fields!r} for {subject!r}, {body!r}"
        if seen["errors"] and subject.strip() and body.strip():  # separators are blank to it
            yield f"oacp-cli refuses {subject!r}, {body!r}: {seen['errors']}"


def main() -> int:
    """Run as many as asked for; exit code 1 when a text was read otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        carried = carry(generated(arguments.count, arguments.seed), Home(folder))
    print(carried, *carried.unlike[:20], sep="\n")
    return int(bool(carried.unlike))


if __name__ == "__main__":
    sys.exit(main())
