"""Reserving files: who holds what, until when; conflicts told with what can be had instead."""

import pytest

from office_scene import Scene, caller, refusal


def reserve(scene: Scene, who: str, *patterns: str, **given: object) -> object:
    return scene.office.reserve(caller(who), list(patterns), **given)  # type: ignore[arg-type]


def holders(scene: Scene, path: str | None = None) -> list[str]:
    return [one.holder for one in scene.office.reservations(caller("dana"), path)]


def test_a_conflict_tells_who_what_until_when_and_why(scene: Scene) -> None:
    held = scene.office.reserve(caller("codex"), ["src/**/*.py"], minutes=30, reason="refactoring")
    error = refusal(lambda: reserve(scene, "claude", "src/a.py"))
    assert error["error"] == "conflict"
    assert error["conflicts"] == [
        {"holder": "codex", "pattern": "src/**/*.py", "mode": "exclusive", "path": "src/a.py",
         "until": "2026-11-19T12:30:00Z", "reason": "refactoring", "id": held.id}
    ]  # fmt: skip


def test_what_is_free_of_what_was_asked_is_offered(scene: Scene) -> None:
    reserve(scene, "codex", "src/**")
    error = refusal(lambda: reserve(scene, "claude", "src/a.py", "docs/*"))
    assert error["alternatives"] == [{"pattern": "docs/*", "mode": "exclusive", "note": "free now"}]


def test_patterns_that_share_no_path_are_both_granted(scene: Scene) -> None:
    reserve(scene, "codex", "src/*.ts")
    reserve(scene, "claude", "src/*.tsx")
    assert holders(scene) == ["codex", "claude"]


def test_several_may_write_together(scene: Scene) -> None:
    reserve(scene, "codex", "docs/**", mode="shared_write")
    reserve(scene, "claude", "docs/**", mode="shared_write")
    assert refusal(lambda: reserve(scene, "gemini", "docs/a", mode="shared_read"))["conflicts"]


def test_a_lease_ends_by_itself(scene: Scene) -> None:
    reserve(scene, "codex", "src/**", minutes=10)
    scene.clock.move(minutes=10)
    assert holders(scene) == []
    reserve(scene, "claude", "src/**")


def test_asking_again_renews(scene: Scene) -> None:
    reserve(scene, "codex", "src/**", minutes=10)
    scene.clock.move(minutes=5)
    again = scene.office.reserve(caller("codex"), ["src/**"], minutes=10)
    (held,) = scene.office.reservations(caller("codex"))
    assert (held.id, held.ends_at) == (again.id, scene.clock.now + 600_000)


def test_a_renewal_keeps_what_it_does_not_say_anew(scene: Scene) -> None:
    reserve(scene, "codex", "src/**", reason="the login", task_id="bd-42")
    reserve(scene, "codex", "src/**", "docs/**")
    (held,) = scene.office.reservations(caller("codex"))
    assert (held.reason, held.task_id) == ("the login", "bd-42")
    reserve(scene, "codex", "src/**", "docs/**", reason="the logout")
    (held,) = scene.office.reservations(caller("codex"))
    assert (held.reason, held.task_id) == ("the logout", "bd-42")


def test_alternatives_are_spoken_of_only_where_there_are_some(scene: Scene) -> None:
    reserve(scene, "codex", "src/**")
    assert "alternatives" not in refusal(lambda: reserve(scene, "claude", "src/a"))["hint"]
    assert "alternatives" in refusal(lambda: reserve(scene, "claude", "src/a", "b"))["hint"]


def test_whose_lease_cannot_be_released_is_told(scene: Scene) -> None:
    reserve(scene, "codex", "src/**")
    release = lambda: scene.office.release(caller("claude"), ["src/**"])  # noqa: E731
    assert refusal(release)["details"] == "codex holds that"


def test_a_release_names_patterns_or_takes_all(scene: Scene) -> None:
    for pattern in ("a/**", "b/**", "c/**"):
        reserve(scene, "codex", pattern)
    scene.office.release(caller("codex"), ["b/**"])
    assert len(holders(scene)) == 2
    scene.office.release(caller("codex"))
    assert holders(scene) == []


def test_anothers_lease_is_released_only_by_force_and_with_a_reason(scene: Scene) -> None:
    held = scene.office.reserve(caller("codex"), ["src/**"])
    dana = caller("dana")
    error = refusal(lambda: scene.office.release(dana, reservation=held.id))
    assert error["error"] == "not_authorized"
    assert refusal(lambda: scene.office.release(dana, reservation=held.id, force=True))
    scene.office.release(dana, reservation=held.id, force=True, reason="codex is gone")
    assert holders(scene) == []


def test_force_without_saying_what_is_refused(scene: Scene) -> None:
    reserve(scene, "codex", "src/**")
    error = refusal(lambda: scene.office.release(caller("dana"), force=True, reason="all"))
    assert error["error"] == "usage"
    assert holders(scene) == ["codex"]


def test_listing_by_path_shows_who_holds_it(scene: Scene) -> None:
    reserve(scene, "codex", "src/**")
    reserve(scene, "claude", "docs/**")
    assert holders(scene, "src/deep/a.py") == ["codex"]
    assert holders(scene, "README.md") == []


@pytest.mark.parametrize("pattern", ["/etc/passwd", "../x", "", "a\\b", "[", "{a,b", "\x1b[2J"])
def test_a_pattern_that_is_none_is_refused(scene: Scene, pattern: str) -> None:
    assert refusal(lambda: reserve(scene, "codex", pattern))["error"] == "usage"


@pytest.mark.parametrize("given", [{"minutes": 0}, {"minutes": 10**9}, {"mode": "exclusiv"}])
def test_a_lease_has_bounds(scene: Scene, given: dict[str, object]) -> None:
    assert refusal(lambda: reserve(scene, "codex", "a", **given))["error"] == "usage"


MESSAGE = {
    "task_id": "bd-42",
    "reservation_request": {"mode": "exclusive", "file_patterns": ["src/**"], "reason": "login"},
    "alternatives": [{"pattern": "docs/**", "mode": "shared", "note": "read only"}],
}


def test_a_reservation_message_acts(scene: Scene) -> None:
    receipt = scene.send("codex", to=[], type="file_reservation", content=MESSAGE)
    assert receipt.reservation["until"] == "2026-11-19T13:00:00Z"
    (held,) = scene.office.reservations(caller("claude"))
    assert (held.holder, held.task_id, held.reason) == ("codex", "bd-42", "login")


def test_a_reservation_message_that_conflicts_sends_nothing_and_offers_its_alternatives(
    scene: Scene,
) -> None:
    reserve(scene, "claude", "src/main.py")
    before = scene.office.last()
    error = refusal(lambda: scene.send("codex", type="file_reservation", content=MESSAGE))
    assert error["alternatives"] == [
        {"pattern": "docs/**", "mode": "shared_read", "note": "read only"}
    ]
    assert (scene.office.last(), scene.inbox()) == (before, [])


def test_a_reservation_message_twice_is_one_lease(scene: Scene) -> None:
    given = {"type": "file_reservation", "content": MESSAGE, "message_id": "msg-" + "a" * 8 +
             "-1111-4111-8111-" + "b" * 12}  # fmt: skip
    scene.send("codex", [], **given)
    assert scene.send("codex", [], **given).is_repeat
    assert len(holders(scene)) == 1


def test_a_lease_from_a_clock_that_ran_ahead_says_so(scene: Scene) -> None:
    scene.clock.move(minutes=60 * 24 * 365)
    reserve(scene, "codex", "src/**")
    scene.clock.move(minutes=-60 * 24 * 365)
    error = refusal(lambda: reserve(scene, "claude", "src/**"))
    assert "clock" in error["hint"]
