"""A message reaches every inbox and the outbox, under a name that nobody else has, or no one."""

import errno
import os
from pathlib import Path

import pytest
from posts import UNIQUE, USUAL, Post, open_post

from waypost.carriers.folders.deliver import Delivered, Names, Parcel, deliver_all
from waypost.carriers.folders.recover import recover
from waypost.errors import ConflictError, UnreadableError


@pytest.fixture
def post(tmp_path: Path) -> Post:
    return open_post(tmp_path)


def test_a_message_is_in_every_inbox_and_in_the_outbox_and_nowhere_else(post: Post) -> None:
    delivered = post.deliver(b"hello", post.bob, post.cat)
    places = [f"bob/inbox/{USUAL}", f"cat/inbox/{USUAL}", f"ann/outbox/{USUAL}"]
    assert post.files() == dict.fromkeys(places, b"hello")
    assert delivered.inbox_paths == [f"{post.bob.inbox}/{USUAL}", f"{post.cat.inbox}/{USUAL}"]
    assert (delivered.outbox_path, delivered.delayed) == (f"{post.ann.outbox}/{USUAL}", None)


def test_a_second_message_of_the_minute_takes_the_name_with_the_ending(post: Post) -> None:
    post.deliver(b"first")
    assert post.deliver(b"second").outbox_path == f"{post.ann.outbox}/{UNIQUE}"
    assert post.files()[f"bob/inbox/{USUAL}"] == b"first"
    assert post.files()[f"bob/inbox/{UNIQUE}"] == b"second"


def test_a_name_that_is_taken_with_one_recipient_is_used_with_none(post: Post) -> None:
    Path(post.cat.inbox, USUAL).write_bytes(b"alien")
    post.deliver(b"ours", post.bob, post.cat)
    assert {name for name, data in post.files().items() if data == b"ours"} == {
        f"{place}/{UNIQUE}" for place in ("bob/inbox", "cat/inbox", "ann/outbox")
    }


def test_when_both_names_are_taken_nothing_is_sent_or_overwritten(post: Post) -> None:
    post.deliver(b"first")
    post.deliver(b"second")
    before = post.files()
    with pytest.raises(ConflictError, match="there already"):
        post.deliver(b"third")
    assert post.files() == before


def test_a_name_is_taken_even_by_a_link_to_nowhere(post: Post) -> None:
    os.symlink("/nowhere", f"{post.bob.inbox}/{USUAL}")
    assert post.deliver().inbox_paths == [f"{post.bob.inbox}/{UNIQUE}"]
    assert os.readlink(f"{post.bob.inbox}/{USUAL}") == "/nowhere"


def test_a_message_to_oneself_is_in_both_folders(post: Post) -> None:
    post.deliver(b"note", post.ann)
    assert set(post.files()) == {f"ann/inbox/{USUAL}", f"ann/outbox/{USUAL}"}


def test_folders_that_are_missing_are_made(post: Post) -> None:
    for folder in (post.bob.archive, post.bob.inbox, post.ann.outbox):
        os.rmdir(folder)
    post.deliver()
    assert set(post.files()) == {f"bob/inbox/{USUAL}", f"ann/outbox/{USUAL}"}


def test_a_message_that_cannot_be_staged_everywhere_is_sent_to_no_one(post: Post) -> None:
    os.makedirs(f"{post.cat.incoming}/{USUAL}")  # what can't be written over
    with pytest.raises(OSError, match="irectory"):
        post.deliver(b"hello", post.bob, post.cat)
    assert post.files() == {}


def test_an_inbox_that_is_a_file_gets_nothing_and_keeps_others_from_it(post: Post) -> None:
    os.rmdir(post.cat.archive)
    os.rmdir(post.cat.inbox)
    Path(post.cat.inbox).write_text("precious")
    with pytest.raises(UnreadableError, match="is not a folder"):
        post.deliver(b"hello", post.bob, post.cat)
    assert post.files() == {"cat/inbox": b"precious"}


def test_a_link_that_leads_out_of_the_project_is_not_followed(post: Post, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    os.rename(post.bob.inbox, f"{post.bob.path}/before")
    os.symlink(outside, post.bob.inbox)
    with pytest.raises(UnreadableError, match="leads out"):
        post.deliver()
    assert (post.files(), list(outside.iterdir())) == ({}, [])


def test_a_link_within_the_project_is_followed(post: Post) -> None:
    os.rename(post.bob.inbox, f"{post.bob.path}/elsewhere")
    os.symlink("elsewhere", post.bob.inbox)
    post.deliver(b"hello")
    assert post.files()[f"bob/elsewhere/{USUAL}"] == b"hello"


def test_a_stranger_who_takes_the_name_at_the_last_moment_keeps_it(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def decide(old: str, new: str) -> None:
        rename(old, new)
        Path(post.bob.inbox, USUAL).write_bytes(b"alien")

    monkeypatch.setattr(os, "rename", decide)
    beside = USUAL.replace(".yaml", ".1.yaml")
    assert post.deliver(b"ours").inbox_paths == [f"{post.bob.inbox}/{beside}"]
    assert post.files()[f"bob/inbox/{USUAL}"] == b"alien"
    assert post.files()[f"bob/inbox/{beside}"] == b"ours"


def test_what_was_decided_but_cannot_appear_yet_is_sent_and_said_to_be_late(post: Post) -> None:
    name = Names(USUAL, UNIQUE)
    link, refused = os.link, OSError(errno.ENOSPC, "No space left on device")

    def full(source: str, target: str) -> None:
        if target.startswith(post.bob.inbox):
            raise refused
        link(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", full)
        delivered = post.deliver(b"to: bob\n", names=name)
    assert "no space left" in (delivered.delayed or "")
    assert [left.is_sent for left in recover(post.project, lambda data: ["bob"])] == [True]
    assert set(post.files()) == {f"bob/inbox/{USUAL}", f"ann/outbox/{USUAL}"}


def test_many_messages_go_together_and_each_stands_for_itself(post: Post) -> None:
    Path(post.cat.path, "inbox", "archive").rmdir()
    Path(post.cat.inbox).rmdir()
    Path(post.cat.inbox).write_text("precious")
    names = [Names(f"{number}.yaml", f"{number}.yaml") for number in range(40)]
    parcels = [
        Parcel(b"%d" % number, name, post.ann, [post.cat if number % 4 == 0 else post.bob])
        for number, name in enumerate(names)
    ]
    outcomes = deliver_all(parcels)
    failed = [number for number, one in enumerate(outcomes) if isinstance(one, UnreadableError)]
    assert failed == list(range(0, 40, 4))
    good = {n: b"%d" % n for n in range(40) if n % 4}
    inbox = {f"bob/inbox/{n}.yaml": data for n, data in good.items()}
    outbox = {f"ann/outbox/{n}.yaml": data for n, data in good.items()}
    assert post.files() == {**inbox, **outbox, "cat/inbox": b"precious"}


def test_of_two_under_one_name_that_go_together_one_goes(post: Post) -> None:
    names = Names(USUAL, USUAL)
    first, second = deliver_all(
        [Parcel(data, names, post.ann, [post.bob]) for data in (b"1", b"2")]
    )
    assert isinstance(first, Delivered)
    assert isinstance(second, ConflictError)
    assert post.files() == {f"bob/inbox/{USUAL}": b"1", f"ann/outbox/{USUAL}": b"1"}
