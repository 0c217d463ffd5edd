"""How a problem looks to people: like a compiler's, whole and safe, whatever the text holds."""

import json
from pathlib import Path
from unicodedata import east_asian_width

import pytest
from golden import golden

from commands.terminal import quick
from schema_files import example

HANDOFF = example("oacp", "handoff")
URGENT = HANDOFF.replace(b"\npriority: P", b"\npriority: X")
QUERY = json.loads(example("acp", "query"))


def flat(**fields: object) -> bytes:
    """The worked query on one line, some fields changed."""
    return json.dumps({**QUERY, **fields}, ensure_ascii=False).encode()


TEXTS: dict[str, bytes] = {
    "one-error": URGENT,
    "error-and-warning": HANDOFF.replace(b"\npriority: ", b"\npriorty: "),
    "nested": HANDOFF.replace(b"    files_touched:", b"    files_tuched:"),
    "crlf": URGENT.replace(b"\n", b"\r\n"),
    "tabs": json.dumps(QUERY, indent="\t").replace('"v": 1', '"v":\t"one"').encode(),
    "long-line-left": flat(v="one", note="x" * 300),
    "long-line-middle": flat(note="x" * 300, ts=-1, more="y" * 300),
    "control": flat(v="\x7f\x9b31m\u202e\u2066red", ts=-1),
    "raw-escape": HANDOFF.replace(b"\nfrom: ", b"\nfrom: \x1b[31m"),
    "escapes-in-value": HANDOFF.replace(b"\nfrom: ", b'\nfrom: "\\e[31m\\u202e" #'),
    "not-utf8": HANDOFF + b"channel: \xff\n",
    "byte-order-mark": b"\xef\xbb\xbf" + HANDOFF,
    "empty": b"",
    "cut": example("acp", "query")[:150],
    "yaml-syntax": HANDOFF.replace(b"\npriority: P", b"\n priority: [P"),
    "unknown-kind": flat(kind="qurey"),
}
each_text = pytest.mark.parametrize("name", TEXTS)


def report(data: bytes) -> str:
    said = quick("waypost", "validate", "-", given=data)
    return said.out + said.err


@each_text
def test_the_report_is_as_it_was(name: str) -> None:
    assert report(TEXTS[name]) == golden(f"reports/{name}.txt", report(TEXTS[name]))


@each_text
def test_no_line_holds_anything_that_a_terminal_obeys(name: str) -> None:
    assert all(line.isprintable() for line in report(TEXTS[name]).split("\n"))


@each_text
def test_the_oacp_report_is_as_harmless(name: str) -> None:
    said = quick("oacp", "validate", "-", given=TEXTS[name])
    assert all(line.isprintable() for line in (said.out + said.err).split("\n"))


def caret_of(shown: str, marker: str) -> tuple[int, int]:
    """Where the marked text begins on a terminal, and where the caret stands."""
    lines = shown.split("\n")
    number = next(n for n, line in enumerate(lines) if line.strip().strip("| ") == "^")
    before = lines[number - 1].partition(marker)[0]
    width = sum(2 if east_asian_width(one) in "WF" else 1 for one in before)
    return width, lines[number].index("^")


@pytest.mark.parametrize("before", ["plain", "ä", "日本語", "한글🙂", "\x7f", "\x9b", "\u202e"])
def test_the_caret_stands_under_the_fault(before: str) -> None:
    data = flat().replace(b'"v": 1', b'"note": "%s", "v": "one"' % before.encode())
    fault, caret = caret_of(report(data).partition("wrong_type")[2], '"one"')
    assert fault == caret


def test_a_combining_mark_takes_no_room() -> None:
    data = flat().replace(b'"v": 1', '"note": "e\u0301", "v": "one"'.encode())
    fault, caret = caret_of(report(data).partition("wrong_type")[2], '"one"')
    assert caret == fault - 1


def test_a_bad_byte_is_pointed_at_after_other_letters() -> None:
    shown = report("channel: äöü ".encode() + b"\xff\n")
    fault, caret = caret_of(shown, "\N{REPLACEMENT CHARACTER}")
    assert fault == caret


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_kind_of_line_end_gives_the_same_excerpt(end: bytes) -> None:
    assert report(URGENT.replace(b"\n", end)) == report(URGENT)


def test_long_lines_are_cut_on_both_sides() -> None:
    shown = report(TEXTS["long-line-middle"])
    excerpts = [line for line in shown.split("\n") if line.startswith("1 | ")]
    assert any("…" in line[4:6] and line.endswith("…") for line in excerpts)
    assert max(map(len, excerpts)) < 110


def test_a_line_of_a_log_is_numbered_as_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n" * 11 + flat() + b"\r\n" + flat(ts=-1) + b"\r\n")
    said = quick("waypost", "validate", str(path))
    assert f"--> {path}:13:13:" in said.out
    assert "\n13 | …" in said.out
