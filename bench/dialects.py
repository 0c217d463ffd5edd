"""How fast messages are read and checked, beside the peer and the physical limit, in one run.

OACP: 10,000 valid files, each side in one process, by the functions behind its own command.
ACP and Agent Mail: one message again and again; the limit is `json.loads` alone.
"""

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from drafts import drafts, write_by_hand
from peers import ask_oacp_cli
from table import Row, rounds, show

import waypost
from waypost.commands.inputs import read_inputs
from waypost.commands.validate import bytes_of, check
from waypost.dialects import dialect

FILES = 10_000
_ROUNDS = 3
_TIMES = 20_000


def validate_as_the_command_does(folder: str) -> int:
    """Check a folder of OACP files; gives how many are valid, and never prints."""
    oacp = dialect("oacp")
    valid = 0
    for given in read_inputs([folder]):
        result = check(given, lambda given: oacp.read(bytes_of(given), given.file_name))
        valid += result.message.valid
    return valid


def read_only(folder: str) -> None:
    for entry in os.scandir(folder):
        descriptor = os.open(entry.path, os.O_RDONLY)
        os.read(descriptor, 1 << 20)
        os.close(descriptor)


def oacp_rows() -> list[Row]:
    with TemporaryDirectory() as folder:
        by_peer, by_hand, mixed = (Path(folder, name) for name in ("peer", "hand", "mixed"))
        for place in (by_peer, by_hand, mixed):
            place.mkdir()
        ask_oacp_cli("write", str(mixed), given=drafts(FILES * 3 // 4))
        write_by_hand(mixed, FILES // 4)
        ask_oacp_cli("write", str(by_peer), given=drafts(FILES // 4))
        write_by_hand(by_hand, FILES // 4)
        return [
            _oacp_row("OACP validate, a mix of files", mixed, 6),
            _oacp_row("  as oacp-cli writes them", by_peer),
            _oacp_row("  written by hand", by_hand),
        ]


def _oacp_row(subject: str, folder: Path, times_faster: int | None = None) -> Row:
    files, answers = len(os.listdir(folder)), []
    works: dict[str, Callable[[], object]] = {
        "limit": partial(read_only, str(folder)),
        "us": partial(validate_as_the_command_does, str(folder)),
        "peer": lambda: answers.append(ask_oacp_cli("validate", str(folder))),
    }
    taken = rounds(works, _ROUNDS)
    valid, refused = validate_as_the_command_does(str(folder)), answers[0]["refused"]
    if refused or valid != files:
        raise SystemExit(f"{files} files, {valid} valid for us; {len(refused)} not for the peer")
    peer = sorted(answer["seconds"] for answer in answers)[_ROUNDS // 2]
    each = 1e6 / files
    target = f">= {times_faster} x" if times_faster else ""
    met = peer / taken["us"] >= times_faster if times_faster else None
    return Row(subject, taken["us"] * each, peer * each, taken["limit"] * each, target, met)


def json_rows() -> list[Row]:
    acp = _envelope(400)
    rows = [_json_row("ACP parse and check, 400 bytes", acp, "acp", 50_000)]
    rows.append(_json_row("  dialect to be told", acp, None))
    for kind in ("status_update", "task_assignment"):
        mail = dialect("agentmail").example(kind)
        subject = f"Agent Mail parse and check, {kind}, {len(mail)} bytes"
        rows.append(_json_row(subject, mail, "agentmail"))
    return rows


def _envelope(size: int) -> bytes:
    """A valid ACP query of just this size."""
    fields = json.loads(dialect("acp").example("query"))
    fields["payload"]["question"] = ""
    room = size - len(json.dumps(fields))
    fields["payload"]["question"] = ("Which of the carts are still open? " * 20)[: max(room, 0)]
    return json.dumps(fields).encode()


def _json_row(subject: str, data: bytes, name: str | None, per_second: int = 0) -> Row:
    if waypost.parse(data, name).problems:
        raise SystemExit(f"{subject}: the message is not valid")
    works = {
        "us": partial(_repeat, partial(waypost.parse, data, name)),
        "limit": partial(_repeat, partial(json.loads, data)),
    }
    taken = rounds(works, _ROUNDS)
    each = 1e6 / _TIMES
    target = f">= {per_second:,}/s" if per_second else ""
    met = _TIMES / taken["us"] >= per_second if per_second else None
    return Row(subject, taken["us"] * each, None, taken["limit"] * each, target, met)


def _repeat(work: Callable[[], object]) -> None:
    for _ in range(_TIMES):
        work()


def main() -> int:
    """Print both tables; 1 when a target is missed."""
    good = show("OACP, microseconds a file; the peer is oacp-cli 0.5.4", oacp_rows())
    good &= show("ACP and Agent Mail, microseconds a message", json_rows())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
