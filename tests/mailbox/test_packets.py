"""Findings packets: what may stand in one, and that it reads back as it was written."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from waypost.errors import InvalidMessageError
from waypost.mailbox import packets

WHOLE = {
    "id": "finding-001",
    "severity": "P1",
    "blocking": True,
    "file": "src/limit.ts",
    "line": 12,
    "summary": "raised without a lock",
}


def told(*findings: Any, **more: Any) -> list[tuple[str, str]]:
    """The places and codes of what is wrong with a packet."""
    reading = packets.parse(json.dumps({"findings": list(findings), **more}).encode())
    return [(problem.path, problem.code) for problem in reading.problems]


def test_a_whole_finding_is_good() -> None:
    assert told(WHOLE) == []


@pytest.mark.parametrize("name", ["file", "line"])
def test_the_place_may_be_left_out(name: str) -> None:
    assert told({key: value for key, value in WHOLE.items() if key != name}) == []


@pytest.mark.parametrize("name", ["id", "severity", "blocking", "summary"])
def test_the_rest_may_not(name: str) -> None:
    less = {key: value for key, value in WHOLE.items() if key != name}
    assert told(WHOLE | {"id": "x"}, less) == [(f"findings.1.{name}", "missing_field")]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("id", "two words", "bad_id"),
        ("id", "a,b", "bad_id"),
        ("severity", "high", "not_one_of"),
        ("blocking", "perhaps", "wrong_type"),
        ("line", 0, "out_of_range"),
        ("line", "twelve", "wrong_type"),
        ("file", "a\nb", "not_one_line"),
        ("summary", "  ", "blank_field"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(name: str, value: Any, code: str) -> None:
    assert told(WHOLE | {name: value}) == [(f"findings.0.{name}", code)]


def test_two_findings_may_not_share_an_id() -> None:
    assert told(WHOLE, WHOLE) == [("findings.1.id", "not_unique")]


def test_all_that_is_wrong_comes_at_once_with_its_line() -> None:
    text = "findings:\n- severity: P9\n  blocking: true\n- severity: P1\n  summary: x\n"
    with pytest.raises(InvalidMessageError) as refused:
        packets.read_findings(text.encode())
    found = {(problem.path, problem.line) for problem in refused.value.problems}
    assert ("findings.0.severity", 2) in found
    assert {path for path, _ in found} >= {"findings.0.summary", "findings.1.blocking"}


@pytest.mark.parametrize(
    "text",
    [
        '[{"severity": "P1", "blocking": true, "summary": "\\ud83d\\ude00 x"}]',
        "- severity: P1\n  blocking: True\n  summary: 😀 x\n",
        "{findings: [{severity: P1, blocking: 'true', summary: 😀 x}]}",
    ],
)
def test_reviewers_write_json_or_yaml_and_need_no_ids(text: str) -> None:
    listed = packets.read_findings(text.encode())
    assert listed == [{"severity": "P1", "blocking": True, "summary": "😀 x"}]


def test_a_bare_list_is_told_of_by_its_own_places() -> None:
    with pytest.raises(InvalidMessageError) as refused:
        packets.read_findings(b"- severity: P1\n  blocking: true\n")
    assert [problem.path for problem in refused.value.problems] == ["0.summary"]


def test_a_note_of_the_reviewers_own_is_kept() -> None:
    packet = {"findings": [WHOLE | {"advice": {"see": ["a", "b"]}}]}
    again = packets.parse(packets.compose(packet)).packet
    assert again
    assert again.findings[0].fields["advice"] == {"see": ["a", "b"]}


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
_FINDING = st.fixed_dictionaries(
    {
        "severity": st.sampled_from(["P0", "P1", "P2", "P3"]),
        "blocking": st.booleans(),
        "summary": _TEXT.map(lambda text: "x" + text),
    },
    optional={"line": st.integers(1, 10**6), "advice": _TEXT},
)


@given(st.lists(_FINDING, max_size=4))
def test_what_was_written_is_what_every_reader_reads(listed: list[dict[str, Any]]) -> None:
    packet = {
        "findings": [{"id": f"f-{number}", **one} for number, one in enumerate(listed)],
    }
    data = packets.compose(packet, allow_secrets=True)
    read = packets.parse(data).packet
    assert read
    assert [one.fields for one in read.findings] == packet["findings"]
    assert yaml.safe_load(data)["findings"] == packet["findings"]
