"""A new node begins with a copy of another's tables, where that is good, and comes to the same."""

import asyncio
import gzip
import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.js.api import ObjectMeta
from nats.js.errors import NotFoundError
from nats.js.object_store import ObjectStore

from campaigns import office_audit
from office_scene import Scene, caller, refusal, scene_in
from stream_servers import Servers, stream_of
from waypost.office.journal import snapshots
from waypost.office.journal.address import address_of


@pytest.fixture
def town(servers: Servers, tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "home", servers.address()) as made:
        made.send(text="before")
        yield made


def in_bucket(town: Scene, act: Callable[[ObjectStore], Awaitable[Any]]) -> Any:
    """Do something to the office's object store beside its back."""

    async def done() -> Any:
        client = await nats.connect(str(town.journal).rpartition("/")[0])
        try:
            return await act(await client.jetstream().object_store(stream_of(str(town.journal))))
        finally:
            await client.close()

    return asyncio.run(done())


def is_there(town: Scene) -> bool:
    try:
        in_bucket(town, lambda bucket: bucket.get_info(snapshots.NAME))
    except NotFoundError:
        return False
    return True


def begins(town: Scene, home: Path) -> bool:
    """Whether a new home begins with the snapshot."""
    return snapshots.fetch(str(home), address_of(str(town.journal)), 10)


def test_a_new_node_begins_with_a_snapshot_and_comes_to_the_same(
    town: Scene, tmp_path: Path
) -> None:
    taken = town.office.snapshot()
    assert taken is not None
    assert taken.position == town.office.last()
    town.send(text="after")
    assert begins(town, tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / "office.db")) as db:
        assert db.execute("SELECT position FROM tip").fetchone() == (taken.position,)
    assert (tmp_path / "new" / "office.db").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in (tmp_path / "new").iterdir()] == ["office.db"]
    with town.open(tmp_path / "new") as new:
        assert new.verify() == town.office.verify()
        new.send(caller("codex"), "claude", text="from the new node")
    ours = office_audit.dump(tmp_path / "new")
    assert office_audit.wrong(tmp_path / "new", [], replay=True, journal=town.journal) == []
    in_bucket(town, lambda bucket: bucket.delete(snapshots.NAME))
    with town.open(tmp_path / "slow"):
        assert office_audit.dump(tmp_path / "slow") == ours


def test_opening_a_new_home_takes_the_snapshot(town: Scene, tmp_path: Path) -> None:
    taken = town.office.snapshot()
    in_bucket(town, lambda bucket: _say(bucket, position=0))  # so that it isn't the journal's own
    with town.open(tmp_path / "wary") as wary:
        assert wary.verify() == town.office.verify()
    assert town.office.snapshot() == taken
    with town.open(tmp_path / "quick") as quick:
        assert quick.verify() == town.office.verify()


def test_another_snapshot_is_taken_only_after_so_many_events(town: Scene) -> None:
    assert town.office.snapshot(5) is not None
    town.send()
    assert town.office.snapshot(2) is None
    town.send()
    taken = town.office.snapshot(2)
    assert taken is not None
    assert taken.position == town.office.last()


def test_what_is_removed_for_good_is_in_no_snapshot(town: Scene, tmp_path: Path) -> None:
    secret = town.send(text="hunter2hunter2")
    town.office.snapshot()
    town.office.redact(caller("dana"), secret.id, "leaked")
    assert not is_there(town)
    town.office.snapshot()
    assert begins(town, tmp_path / "new")
    assert b"hunter2" not in (tmp_path / "new" / "office.db").read_bytes()


def test_a_removal_since_the_copy_was_made_outdates_a_snapshot(town: Scene) -> None:
    secret = town.send(text="hunter2hunter2")
    town.office.snapshot()
    link, database = town.office.desk.journal._link, town.office.desk.database  # type: ignore[attr-defined]
    before = town.office.last()
    assert not snapshots._is_outdated(link, database, before)
    town.office.redact(caller("dana"), secret.id, "leaked")
    assert snapshots._is_outdated(link, database, before)


async def _say(bucket: ObjectStore, **other: Any) -> None:
    """Put the snapshot there again, and say other things of it."""
    kept = await bucket.get(snapshots.NAME)
    about = {**json.loads(kept.info.description or ""), **other}
    await bucket.put(
        snapshots.NAME, kept.data or b"", meta=ObjectMeta(description=json.dumps(about))
    )


async def _replace(bucket: ObjectStore, change: Callable[[bytes], bytes]) -> None:
    """Put another content there under the same words."""
    kept = await bucket.get(snapshots.NAME)
    meta = ObjectMeta(description=kept.info.description)
    await bucket.put(snapshots.NAME, change(kept.data or b""), meta=meta)


def _forged(packed: bytes, tmp_path: Path) -> bytes:
    """A sound database with another event at its end."""
    path = tmp_path / "forged.db"
    path.write_bytes(gzip.decompress(packed))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE events SET head = replace(head, 'claude', 'clause')"
                   " WHERE position = (SELECT position FROM tip)")  # fmt: skip
    return gzip.compress(path.read_bytes())


WORDS = {
    "another stream": {"stream": "waypost-x 2026"},
    "another chain": {"chain": "00" * 32},
    "further than the stream": {"sequence": 1 << 40},
    "longer than it says": {"size": 100},
    "shorter than it says": {"size": 1 << 30},
    "no words": {"form": None},
    "no number": {"size": "many"},
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_a_snapshot_that_says_what_is_not_so_is_passed_over(
    town: Scene, tmp_path: Path, words: dict[str, Any]
) -> None:
    town.office.snapshot()
    in_bucket(town, lambda bucket: _say(bucket, **words))
    assert not begins(town, tmp_path / "new")
    with town.open(tmp_path / "new") as new:
        assert new.verify() == town.office.verify()


def test_a_snapshot_that_is_damaged_or_forged_is_passed_over(town: Scene, tmp_path: Path) -> None:
    changes: list[Callable[[bytes], bytes]] = [
        lambda data: data[: len(data) // 2],
        lambda data: b"hello",
        lambda data: gzip.compress(gzip.decompress(data)[:4096].ljust(len(data), b"\0")),
        lambda data: _forged(data, tmp_path),
    ]
    for number, change in enumerate(changes):
        town.send(text="more")
        town.office.snapshot()
        in_bucket(town, partial(_replace, change=change))
        assert not begins(town, tmp_path / f"new-{number}")
        assert not (tmp_path / f"new-{number}" / "office.db").exists()


def test_an_office_of_one_machine_has_no_use_for_one(embedded_scene: Scene) -> None:
    error = refusal(lambda: embedded_scene.office.snapshot())
    assert (error["error"], "waypost backup" in error["hint"]) == ("usage", True)
