"""`oacp watch`: what is new since a subscriber last looked, once or as it comes."""

from pathlib import Path

import pytest

from commands.desk import Desk, desk
from commands.follower import follow

__all__ = ["desk"]
FROM_CLAUDE = ("--from", "claude", "--to", "codex", "--type", "notification", "-b", "Look.")
EVENT = ("event", "agent", "project", "file", "from", "type", "priority", "subject")


def news(desk: Desk, *words: str) -> list[dict[str, object]]:
    return desk.say("watch", "--agent", "codex", "--json", *words).objects


def test_the_first_look_tells_only_what_comes_after_it(desk: Desk) -> None:
    desk.send()
    assert news(desk) == []
    sent = desk.send()
    assert [event["id"] for event in news(desk)] == [sent["message_id"]]
    assert news(desk) == []


def test_an_event_has_the_fields_that_scripts_read(desk: Desk) -> None:
    desk.drop("a.yaml")
    event = news(desk, "--since", "epoch")[0]
    told = [event[name] for name in EVENT]
    assert told == ["new_message", "codex", "my-app", "a.yaml", "alien",
                    "notification", "P2", "Hello"]  # fmt: skip


def test_what_has_left_is_told_to_who_wants_to_hear_it(desk: Desk) -> None:
    news(desk)
    path = desk.drop("a.yaml")
    news(desk)
    path.unlink()
    assert [one["event"] for one in news(desk, "--show-archived")] == ["message_archived"]


def test_each_subscriber_has_a_place_of_its_own(desk: Desk) -> None:
    desk.drop("a.yaml")
    for name in ("one", "two", "a.b"):
        assert len(news(desk, "--since", "epoch", "--state-id", name)) == 1


def test_a_damaged_cursor_is_put_aside_and_all_is_told_again(desk: Desk) -> None:
    desk.drop("a.yaml")
    news(desk, "--since", "epoch")
    cursor = desk.project / "state" / "watch" / "codex.json"
    for damage in (b"{", b"[" * 100_000, b"\xff", b'{"messages": 3}', b"null"):
        cursor.write_bytes(damage)
        said = desk.say("watch", "--agent", "codex", "--json")
        assert (len(said.objects), "put aside" in said.err) == (1, True)


def test_a_broken_file_is_an_error_once_and_the_rest_is_told(desk: Desk) -> None:
    news(desk)
    desk.drop("broken.yaml", "a: [")
    desk.drop("good.yaml")
    assert {event["event"] for event in news(desk)} == {"new_message", "error"}
    assert news(desk) == []


def test_one_mailbox_that_is_broken_does_not_keep_the_others_from_being_watched(
    desk: Desk, tmp_path: Path
) -> None:
    desk.say("init", "other", "--agents", "codex")
    watched = tmp_path / "home" / "projects" / "other" / "state" / "watch"
    watched.write_text("in the way")
    desk.drop("a.yaml")
    said = desk.say("watch", "--all-projects", "--agent", "codex", "--since", "epoch", "--json")
    assert (said.code, [one["event"] for one in said.objects]) == (1, ["new_message", "error"])


@pytest.mark.parametrize("words", [["--exec", "true"], ["--state-id", "a/b"], ["--since", "soon"]])
def test_a_wrong_call_is_refused(desk: Desk, words: list[str]) -> None:
    assert desk.fail("watch", "--agent", "codex", *words)[0] == 2


def test_a_follower_hears_of_each_message_once(desk: Desk) -> None:
    with follow() as watch:
        for name in ("one", "two"):
            desk.send("-s", name)
            assert watch.hear().endswith(name)
    again = [event["subject"] for event in news(desk)]
    assert again in ([], ["two"])  # the last may have been cut off before it was noted


def test_two_followers_of_one_place_in_the_mail_are_one_too_many(desk: Desk) -> None:
    with follow():
        said = desk.say("watch", "--agent", "codex", "--json")
        assert (said.code, said.objects[0]["error"]) == (1, "conflict")
        assert "--state-id" in said.objects[0]["hint"]


def test_a_project_that_can_t_be_followed_keeps_no_other_from_it(
    desk: Desk, tmp_path: Path
) -> None:
    with follow("--all-projects") as watch:
        others = tmp_path / "home" / "projects"
        for name in ("bad", "new"):
            (others / name / "agents" / "codex" / "inbox").mkdir(parents=True)
            (others / name / "state").mkdir()
        (others / "bad" / "state" / "watch").write_text("in the way")
        assert "bad" in watch.complaint()
        desk.tell("send", desk.project.name, *FROM_CLAUDE, "-s", "from the first")
        assert watch.hear().endswith("from the first")
        desk.say("send", "new", *FROM_CLAUDE, "--create", "-s", "from the new")
        assert watch.hear().endswith("from the new")


def test_a_follower_outlives_its_last_project(desk: Desk, tmp_path: Path) -> None:
    with follow("--all-projects") as watch:
        desk.project.rename(tmp_path / "away")
        assert "inbox cannot be read" in watch.complaint()
        (tmp_path / "away").rename(desk.project)
        desk.send("-s", "back again")
        assert watch.hear().endswith("back again")
