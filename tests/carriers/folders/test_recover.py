"""What a dead sender left is finished or swept away by whoever comes next; the living go on."""

import os
import signal
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from posts import UNIQUE, USUAL, Post, open_post

from campaigns.actors import Actor, Report, steps_of
from waypost.carriers.folders.recover import recover

BOTH = [f"ann/outbox/{USUAL}", f"bob/inbox/{USUAL}", f"cat/inbox/{USUAL}"]


@pytest.fixture
def post(tmp_path: Path) -> Post:
    return open_post(tmp_path)


def to_both(post: Post) -> Callable[[Report], None]:
    def act(report: Report) -> None:
        report(post.deliver(b"hello", post.bob, post.cat).outbox_path)

    return act


def recover_all(post: Post) -> list[bool]:
    return [left.is_sent for left in recover(post.project, lambda data: ["bob", "cat"])]


@cache
def _steps() -> list[str]:
    with TemporaryDirectory() as folder:
        return steps_of(to_both(open_post(Path(folder))))


def step_of(call: str) -> int:
    """The number of the first step that begins so."""
    return next(number for number, step in enumerate(_steps(), 1) if step.startswith(call))


def test_wherever_a_sender_dies_everybody_gets_the_message_or_nobody(tmp_path: Path) -> None:
    decided = step_of("rename")
    for step in range(1, len(_steps()) + 1):
        post = open_post(tmp_path / str(step))
        assert Actor(to_both(post), step, signal.SIGKILL).wait().was_killed
        recover_all(post)
        wanted = dict.fromkeys(BOTH, b"hello") if step > decided else {}
        assert (step, post.files()) == (step, wanted)


def test_one_who_dies_before_the_rename_has_sent_nothing(post: Post) -> None:
    Actor(to_both(post), step_of("rename"), signal.SIGKILL).wait()
    assert recover_all(post) == [False]
    assert post.files() == {}


def test_one_who_dies_after_the_rename_has_sent_to_everyone(post: Post) -> None:
    Actor(to_both(post), step_of("rename") + 1, signal.SIGKILL).wait()
    assert recover_all(post) == [True]
    assert post.files() == dict.fromkeys(BOTH, b"hello")


@pytest.mark.parametrize("after", [0, 1])
def test_a_sender_who_is_only_slow_is_left_alone(post: Post, after: int) -> None:
    slow = Actor(to_both(post), step_of("rename") + after, signal.SIGSTOP).wait()
    before = post.files()
    assert recover_all(post) == []
    assert post.files() == before
    assert slow.go_on().reports() == [f"{post.ann.outbox}/{USUAL}"]
    assert post.files() == dict.fromkeys(BOTH, b"hello")


def test_a_copy_that_was_archived_already_does_not_come_again(post: Post) -> None:
    own = [number for number, step in enumerate(_steps(), 1) if "unlink" in step and "bob" in step]
    Actor(to_both(post), own[-1], signal.SIGKILL).wait()  # it shows, and its staged copy, too
    os.rename(f"{post.bob.inbox}/{USUAL}", f"{post.bob.archive}/{USUAL}")
    recover_all(post)
    assert set(post.files()) == {*BOTH[::2], f"bob/inbox/archive/{USUAL}"}


def test_the_name_of_a_dead_sender_is_free_again(post: Post) -> None:
    Actor(to_both(post), step_of("rename"), signal.SIGKILL).wait()
    assert post.deliver(b"next").outbox_path.endswith(UNIQUE)
    recover_all(post)
    assert set(post.files()) == {f"ann/outbox/{UNIQUE}", f"bob/inbox/{UNIQUE}"}
    assert post.deliver(b"again").outbox_path.endswith(USUAL)


def test_what_is_damaged_or_no_file_stays_for_people_to_look_at(post: Post) -> None:
    os.makedirs(f"{post.ann.sending}/folder.sent")
    os.mkfifo(f"{post.ann.sending}/pipe.sent")
    Path(post.ann.sending, "torn.sent").write_bytes(b"\x00")
    assert recover(post.project, lambda data: []) == []
    assert len(os.listdir(post.ann.sending)) == 3


def test_a_staged_copy_without_a_claim_goes_once_it_is_old(post: Post) -> None:
    os.makedirs(post.bob.incoming)
    old, fresh = Path(post.bob.incoming, "old.yaml"), Path(post.bob.incoming, "fresh.yaml")
    for path in (old, fresh):
        path.write_text("staged")
    os.utime(old, (time.time() - 4000,) * 2)
    recover_all(post)
    assert os.listdir(post.bob.incoming) == ["fresh.yaml"]


def test_an_old_copy_whose_sender_lives_stays(post: Post) -> None:
    slow = Actor(to_both(post), step_of("rename"), signal.SIGSTOP).wait()
    for box in (post.bob, post.cat):
        os.utime(f"{box.incoming}/{USUAL}", (time.time() - 4000,) * 2)
    recover_all(post)
    slow.go_on()
    assert post.files() == dict.fromkeys(BOTH, b"hello")
