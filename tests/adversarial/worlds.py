"""Disks that are full or may only be read, made for one test; what it takes to make them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PAGE = 4096
_MAY_MOUNT = os.geteuid() == 0 and os.path.exists("/proc/mounts")


def _mount(*words: str) -> bool:
    try:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@contextmanager
def _mounted(folder: Path, *words: str) -> Iterator[None]:
    if not (_MAY_MOUNT and _mount(*words, str(folder))):
        pytest.skip("only root may mount a disk for a test, and not in every container")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


class SmallDisk:
    """A disk of its own, which can be filled, freed, and closed for writing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, left: int = 0) -> None:
        """Leave room for so many pages and no more."""
        free = os.statvfs(self.folder).f_bavail - left
        (self.folder / "filler").write_bytes(bytes(PAGE * free))

    def free(self) -> None:
        """Make room again."""
        (self.folder / "filler").unlink()

    def close(self) -> None:
        """From now on it may only be read."""
        assert _mount("-o", "remount,ro", str(self.folder))


@contextmanager
def small_disk(folder: Path, kib: int = 512) -> Iterator[SmallDisk]:
    """A small disk in memory; skips the test where there can be none."""
    folder.mkdir()
    with _mounted(folder, "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs"):
        yield SmallDisk(folder)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder that nobody may write to, root neither."""
    if os.geteuid() != 0:
        mode = folder.stat().st_mode
        folder.chmod(0o555)
        try:
            yield
        finally:
            folder.chmod(mode)
        return
    with _mounted(folder, "--bind", str(folder)):
        if not _mount("-o", "remount,ro,bind", str(folder)):
            pytest.skip("this container lets no folder be closed")
        yield
