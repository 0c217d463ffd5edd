"""The power fails: what was written and not synced is gone, or half there; receipts still hold.

A sender runs under strace, which tells every write and every sync in order. From that the disk is
made as it would be if the power had failed at a receipt: first as if nothing unsynced had reached
it, then as if any part of it had.
"""

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from campaigns import office_audit
from office_scene import scene_in

_SENDER = """
import os, sys, threading
from waypost.office import open_office
from waypost.office.callers import Caller

def send(name):
    for number in range(8):
        sent = office.send(Caller(name, "my-app"), "codex", text=f"{name} {number} " + "x" * 3000)
        os.write(1, f"has {sent.id}\\n".encode())

with open_office(sys.argv[1]) as office:
    office.desk.database.writer.execute("PRAGMA wal_autocheckpoint = 20")
    senders = [threading.Thread(target=send, args=(name,)) for name in ("claude", "gemini")]
    for one in senders:
        one.start()
    for one in senders:
        one.join()
"""
_CALL = re.compile(
    r"^(?P<process>\d+) +(?P<call>\w+)\(\d+<(?P<path>[^>]*)>"
    r'(, "(?P<data>[^"]*)", \d+)?(, (?P<at>\d+))?'
)
_RESUMED = re.compile(r"^(?P<process>\d+) +<\.\.\. f\w*sync resumed>\) += 0")


class Change(NamedTuple):
    """A write that is on its way to the disk; without data it cuts the file there."""

    number: int
    name: str
    at: int
    data: bytes | None

    def made_to(self, files: dict[str, bytearray]) -> None:
        file = files.setdefault(self.name, bytearray())
        if self.data is None:
            del file[self.at :]
            return
        file.extend(bytes(max(0, self.at + len(self.data) - len(file))))
        file[self.at : self.at + len(self.data)] = self.data


class Disk:
    """The files of a home as they are on the disk for sure, and what is on its way there."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.sure = {path.name: bytearray(path.read_bytes()) for path in home.iterdir()}
        self.named = set(self.sure)  # a new file has its name once its folder is synced
        self.pending: list[Change] = []
        self.count = 0

    def write(self, name: str, at: int, data: bytes | None) -> None:
        self.count += 1
        self.pending.append(Change(self.count, name, at, data))

    def sync(self, path: Path, began: int) -> None:
        """What was on its way to a file when a sync of it began is there now."""
        if path == self.home:
            self.named |= {change.name for change in self.pending} | set(self.sure)
        arrived = [one for one in self.pending if one.name == path.name and one.number <= began]
        for change in arrived:
            change.made_to(self.sure)
        self.pending = [change for change in self.pending if change not in arrived]

    def after_the_failure(self, home: Path, chance: random.Random | None) -> Path:
        """A home with what is sure, and, if there is a chance, with any part of the rest."""
        files = {name: bytearray(data) for name, data in self.sure.items()}
        for change in self.pending:
            if chance is not None and chance.random() < 0.5:
                change.made_to(files)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        for name in self.named & set(files) - {"office.db-shm"}:  # which is made anew
            (home / name).write_bytes(files[name])
        return home


def played(log: Path, disk: Disk) -> Iterator[str]:
    """Go through what was called; gives the id in each receipt at the moment of the receipt."""
    syncing: dict[str, tuple[Path, int]] = {}
    for line in log.read_text().splitlines():
        if found := _RESUMED.match(line):
            disk.sync(*syncing.pop(found["process"]))
        if (found := _CALL.match(line)) is None:
            continue
        path, data = Path(_bytes(found["path"]).decode()), _bytes(found["data"] or "")
        if data.startswith(b"has "):
            yield data[4:].decode().strip()
        elif found["call"].endswith("sync"):
            syncing[found["process"]] = (path, disk.count)
            if "unfinished" not in line:
                disk.sync(*syncing.pop(found["process"]))
        elif path.parent == disk.home:
            is_cut = found["call"] == "ftruncate"
            disk.write(path.name, int(found["at"] or 0), None if is_cut else data)


def _bytes(shown: str) -> bytes:
    return bytes.fromhex(shown.replace("\\x", ""))


def _traced(home: Path, log: Path) -> None:
    calls = "trace=pwrite64,write,ftruncate,fsync,fdatasync"
    strace = ("strace", "-f", "-y", "-xx", "-s", "200000", "-e", calls, "-o", str(log))
    try:
        done = subprocess.run([*strace, sys.executable, "-c", _SENDER, str(home)], check=False,
                              capture_output=True)  # fmt: skip
    except FileNotFoundError:
        pytest.skip("strace isn't installed")
    if b"ptrace" in done.stderr:
        pytest.skip("this container lets no process be traced")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("what_arrived", ["nothing unsynced", "any part"])
def test_what_has_a_receipt_outlives_the_power(what_arrived: str, tmp_path: Path) -> None:
    home = (tmp_path / "home").resolve()
    with scene_in(home):
        pass
    disk = Disk(home)
    _traced(home, tmp_path / "log")
    chance = random.Random(7) if what_arrived == "any part" else None
    receipts: list[str] = []
    for receipt in played(tmp_path / "log", disk):
        receipts.append(receipt)
        after = disk.after_the_failure(tmp_path / "after", chance)
        assert office_audit.wrong(after, receipts) == []
    assert len(receipts) == 16
