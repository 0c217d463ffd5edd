"""The office on a disk that is full or closed: told plainly, and it recovers by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from worlds import SmallDisk, read_only, small_disk

from campaigns import office_audit
from office_scene import caller, refusal, scene_in
from waypost.office.office import open_office


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", kib=2048) as made:
        yield made


def test_a_full_disk_refuses_and_the_same_office_goes_on_once_there_is_room(
    disk: SmallDisk,
) -> None:
    with scene_in(disk.folder / "home") as scene:
        first = scene.send(text="before").id
        disk.fill()
        errors = [refusal(lambda: scene.send(text="x" * 50_000)) for _ in range(3)]
        assert {error["error"] for error in errors} == {"unreadable"}
        assert "room" in errors[0]["hint"]
        assert scene.inbox("gemini") == []  # reading goes on
        disk.free()
        second = scene.send(text="after").id
        assert scene.inbox() == ["before", "after"]
    assert office_audit.wrong(disk.folder / "home", [first, second], replay=True) == []


def test_whoever_comes_to_a_full_disk_is_told_that_it_is_full(disk: SmallDisk) -> None:
    with scene_in(disk.folder / "home") as scene:
        scene.send(text="before")
    disk.fill()
    error = refusal(lambda: open_office(disk.folder / "home").inbox(caller("codex")))
    assert (error["error"], "make room" in error["hint"]) == ("unreadable", True)
    disk.free()
    with open_office(disk.folder / "home") as office:
        assert [one.subject for one in office.inbox(caller("codex")).letters] == ["before"]


def test_however_little_room_there_is_a_letter_is_there_or_not(disk: SmallDisk) -> None:
    sent = []
    with scene_in(disk.folder / "home") as scene:
        for pages in range(0, 40, 3):
            disk.fill(left=pages)
            try:
                sent.append(scene.send(text="y" * 20_000).id)
            except Exception as error:
                assert getattr(error, "code", "") == "unreadable"  # noqa: PT017 - either is right
            disk.free()
    assert office_audit.wrong(disk.folder / "home", sent) == []


def test_a_home_that_may_only_be_read_is_told(tmp_path: Path) -> None:
    with scene_in(tmp_path / "home") as scene:
        scene.send()
    with read_only(tmp_path / "home"):
        error = refusal(lambda: open_office(tmp_path / "home").register(caller("zed")))
    assert error["error"] == "unreadable"
    assert error["hint"]
    with open_office(tmp_path / "home") as office:
        assert office.register(caller("zed")).is_new
