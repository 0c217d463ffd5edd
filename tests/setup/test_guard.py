"""Whose commit is borne, and whose isn't."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.dialects.agentmail.overlap import matches
from waypost.errors import FilesHeldError
from waypost.setup.guard import check

NAMES = st.sampled_from(["a", "b", "a b", "x.py", "[x]", "*", "ü", "{a,b}", "\udcff", ".env"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PATTERNS = st.sampled_from(["**", "a/**", "*.py", "**/*.py", "a*/b", "{a,b}/x.py", "?", ".env"])


def held(holder: str, *patterns: str, mode: str = "exclusive") -> dict[str, Any]:
    return {"holder": holder, "mode": mode, "patterns": patterns, "until": "2026-11-19T22:30:45Z"}


def refusal(paths: list[str], *reservations: dict[str, Any], agent: str | None = "claude") -> Any:
    with pytest.raises(FilesHeldError) as told:
        check(paths, reservations, agent)
    return told.value


def test_what_another_holds_is_refused_and_says_whom_to_ask() -> None:
    error = refusal(["src/a.py", "b"], held("codex", "src/**"))
    assert error.exit_code == 7
    assert error.details == "codex holds src/a.py until 2026-11-19T22:30:45Z"
    assert error.hint == "ask codex to release, or leave out what is held"
    assert error.conflicts[0]["pattern"] == "src/**"


@pytest.mark.parametrize("mode", ["exclusive", "shared_read", "shared"])
def test_only_files_that_all_may_write_are_free(mode: str) -> None:
    refusal(["a"], held("codex", "a", mode=mode))
    check(["a"], [held("codex", "a", mode="shared_write")], "claude")


def test_ones_own_files_are_free() -> None:
    check(["src/a.py"], [held("claude", "**")], "claude")


def test_to_a_person_every_agent_is_another() -> None:
    assert "WAYPOST_AGENT=claude" in refusal(["a"], held("claude", "a"), agent=None).hint


def test_two_holders_are_both_named() -> None:
    error = refusal(["a", "b"], held("codex", "a"), held("gemini", "b"))
    assert error.hint.startswith("ask codex and gemini")
    assert "and 1 more of these files" in error.details


@given(st.lists(PATHS, max_size=5, unique=True), st.lists(PATTERNS, min_size=1, max_size=3))
def test_exactly_the_paths_that_match_are_refused(paths: list[str], patterns: list[str]) -> None:
    wanted = {path for path in paths if any(matches(pattern, path) for pattern in patterns)}
    try:
        check(paths, [held("codex", *patterns)], "claude")
        found: set[object] = set()
    except FilesHeldError as error:
        found = {one["path"] for one in error.conflicts}
    assert found == wanted
