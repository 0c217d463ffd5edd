"""Texts that were made to break, to stall or to take over their reader."""

import random
from pathlib import Path

import pytest
import yaml
from pathological import ACP, FEEDBACK, MAIL, OACP, filled, texts

import waypost
from campaigns.properties import unpresentable
from waypost.dialects.text import MAX_PROBLEMS

DIALECTS = ("oacp", "acp", "agentmail", None)
SIX_THOUSAND = 6000
MEBIBYTE = 1 << 20
EVERY_TEXT = [pytest.param(name.partition(" ")[0], text, id=name) for name, text in texts()]


def read(data: bytes | str, dialect: str | None = None) -> waypost.Message:
    """Parse, and make sure that every problem is fit to be shown."""
    message = waypost.parse(data, dialect)
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    assert list(unpresentable(message.problems, raw)) == []
    return message


def codes(message: waypost.Message) -> set[str]:
    return {problem.code for problem in message.problems if problem.is_error}


@pytest.mark.parametrize(("dialect", "data"), EVERY_TEXT)
def test_a_text_made_to_keep_a_parser_busy_is_read_to_the_end(dialect: str, data: bytes) -> None:
    named, detected = read(data, dialect), read(data)
    assert named.dialect == detected.dialect == dialect
    assert len(detected.problems) <= MAX_PROBLEMS + 1
    assert named.fields == detected.fields


def test_there_are_texts_of_every_dialect_and_most_are_as_long_as_may_be() -> None:
    names = [name.partition(" ")[0] for name, _ in texts()]
    assert {name: names.count(name) > 20 for name in set(names)} == {
        "oacp": True,
        "acp": True,
        "agentmail": True,
    }
    assert sum(len(text) > 60_000 for _, text in texts()) > 90


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("unit", [b"a", b"[", b"{", b'{"a":', b"- ", b"!", b"&a ", b"\n", b"\0"])
def test_ten_megabytes_of_anything_are_too_large(unit: bytes, dialect: str | None) -> None:
    message = read(unit * (10_000_000 // len(unit)), dialect)
    assert codes(message) == {"too_large"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_ten_megabytes_of_random_bytes_are_too_large(dialect: str | None) -> None:
    assert codes(read(random.Random(1).randbytes(10_000_000), dialect)) == {"too_large"}


@pytest.mark.parametrize("dialect", ["oacp", "agentmail", None])
@pytest.mark.parametrize("unit", [b"a", b"[", b"{", b'{"a":', b"- ", b"? ", b"!", b"[{a: ", b'"'])
def test_a_whole_mebibyte_of_anything_is_refused(unit: bytes, dialect: str | None) -> None:
    message = read((unit * MEBIBYTE)[:MEBIBYTE], dialect)
    assert not message.valid
    assert message.fields is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_are_refused(seed: int, dialect: str | None) -> None:
    assert not read(random.Random(seed).randbytes(2000), dialect).valid


DEEP = 100_000
NESTED = {
    "lists": "[" * DEEP + "]" * DEEP,
    "lists never closed": "[" * DEEP,
    "mappings": '{"a":' * DEEP + "1" + "}" * DEEP,
    "mappings never closed": '{"a":' * DEEP,
    "both": '[{"a":' * DEEP + "1" + "}]" * DEEP,
}


@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("dialect", ["oacp", "agentmail", None])
def test_a_hundred_thousand_levels_are_too_deep(nested: str, dialect: str | None) -> None:
    frame = MAIL if dialect == "agentmail" else OACP + "x: HERE\n"
    assert codes(read(frame.replace("HERE", nested), dialect)) & {"too_deep", "json_syntax"}
    assert not read(nested, dialect).valid


@pytest.mark.parametrize("marks", ["- ", "? ", "- ? "])
def test_a_hundred_thousand_marks_on_one_line_are_too_deep(marks: str) -> None:
    assert "too_deep" in codes(read(OACP + "x:\n  " + marks * DEEP))


def test_a_thousand_lines_each_deeper_than_the_last_are_too_deep() -> None:
    lines = "".join(" " * depth + "k:\n" for depth in range(1, 1000))
    assert "too_deep" in codes(read(OACP + "x:\n" + lines))


@pytest.mark.parametrize("depth", [62, 63, 64, 500, *range(960, 1000), 1500])
@pytest.mark.parametrize("shape", [("[", "]"), ('{"a":', "}")])
def test_no_depth_of_json_breaks_the_search_for_places(depth: int, shape: tuple[str, str]) -> None:
    opening, closing = shape
    nested = opening * depth + '{"b":1,"b":2}' + closing * depth
    assert not read(ACP.replace("HERE", nested), "acp").valid


def test_an_alias_bomb_is_told_apart_from_harmless_aliases() -> None:
    bomb = "".join(f"x{n}: &x{n} [{f'*x{n - 1} ,' * 9}*x{n - 1} ]\n" for n in range(1, 30))
    assert codes(read(OACP + "x0: &x0 [boom]\n" + bomb)) == {"alias_expansion"}
    assert read(OACP + "x: &x [a]\ny: [*x , *x ]\n").valid


@pytest.mark.parametrize("knot", ["&x [*x ]", "&x {a: *x }", "&x [[[*x ]]]", "&x {*x : a}"])
def test_an_alias_of_itself_is_refused(knot: str) -> None:
    assert not read(OACP + f"x: {knot}\n").valid
    assert not read(OACP.replace("Some words.", knot)).valid


PYTHON = [
    "!!python/object/apply:os.mkdir [PLACE]",
    "!!python/object/new:os.mkdir [PLACE]",
    "!!python/object/apply:subprocess.check_call [[mkdir, PLACE]]",
]


@pytest.mark.parametrize("order", PYTHON)
def test_nothing_in_a_message_is_carried_out(order: str, tmp_path: Path) -> None:
    place = tmp_path / "made"
    told = order.replace("PLACE", f'"{place.as_posix()}"')
    for text in (f"x: {told}\n", f"{told}\n", f"{told} : x\n", f"- {told}\n"):
        assert not read(OACP + text).valid
        assert not read(text).valid
    assert not read(FEEDBACK + f"body: |\n  round: {told}\n").valid
    assert not place.exists()
    yaml.unsafe_load(told)  # the order itself is a live one
    assert place.exists()


@pytest.mark.parametrize("tag", ["!!python/name:os.system ''", "!!python/module:this ''", "!x a"])
def test_every_tag_is_an_error(tag: str) -> None:
    assert "yaml_tag" in codes(read(OACP + f"x: {tag}\n"))


CONTROLS = [chr(number) for number in range(32) if number not in (9, 10, 13)] + ["\x7f", "\x9b"]


@pytest.mark.parametrize("control", CONTROLS, ids=ascii)
def test_a_raw_control_character_never_reaches_a_sentence(control: str) -> None:
    for place in ("HERE", '"HERE"'):
        read(OACP.replace("claude\n", f"a{place.replace('HERE', control)}\n"))
        read(OACP + f"k{place.replace('HERE', control)}: x\n")
    read(MAIL.replace("bd-1", "a" + control))
    read(MAIL.replace("task_id", "a" + control))


BIDI = ["\u202e", "\u2066", "\u200e", "\u200b", "\u2028", "\u2029", "\ufeff", "\U000e0001"]


@pytest.mark.parametrize("character", BIDI, ids=ascii)
@pytest.mark.parametrize("field", ["id", "from", "to", "type", "priority", "created_at_utc"])
def test_a_text_that_turns_around_is_shown_escaped(field: str, character: str) -> None:
    line = next(line for line in OACP.splitlines() if line.startswith(field + ":"))
    message = read(OACP.replace(line, f'{field}: "a{character}b/"\n"{field}{character}": x'))
    assert len(message.problems) >= 2


ENCODED = {
    "UTF-16": OACP.encode("utf-16"),
    "UTF-16 without mark": OACP.encode("utf-16-le"),
    "UTF-32": OACP.encode("utf-32"),
    "a byte order mark": b"\xef\xbb\xbf" + OACP.encode(),
    "two byte order marks": b"\xef\xbb\xbf" * 2 + OACP.encode(),
    "latin-1": OACP.replace("Hello", "Grüße").encode("latin-1"),
    "a cut character": OACP.encode() + b"\xe2\x82",
    "an overlong slash": OACP.encode() + b"x: \xc0\xaf\n",
    "a surrogate": OACP.encode() + b"x: \xed\xa0\x80\n",
    "beyond Unicode": OACP.encode() + b"x: \xf4\x90\x80\x80\n",
    "NUL": OACP.encode() + b"x: \0\n",
}


@pytest.mark.parametrize("data", ENCODED.values(), ids=ENCODED)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_only_utf8_without_mark_is_read(data: bytes, dialect: str | None) -> None:
    message = read(data, dialect)
    assert message.fields is None
    assert not message.valid


@pytest.mark.parametrize("text", ["\ud800", OACP + "x: \udfff\n", '{"kind": "\ud83d"}'])
def test_text_with_a_lone_surrogate_is_refused(text: str) -> None:
    assert codes(read(text)) == {"not_utf8"}


def test_duplicate_keys_are_found_wherever_they_are() -> None:
    twice = '{"a": {"b": [1, {"c": 1, "c": 2}], "b": 0}, "a": 1}'
    for frame, dialect in ((ACP, "acp"), (OACP + "x: HERE\n", "oacp")):
        found = read(frame.replace("HERE", twice), dialect).problems
        paths = sorted(problem.path for problem in found if problem.code == "duplicate_key")
        assert [path.rpartition(".")[2] for path in paths] == ["a", "b", "c"]


def test_a_million_digits_are_no_number() -> None:
    digits = "9" * 1_000_000
    assert codes(read(MAIL.replace("HERE", '["a"],"estimated_duration":' + digits))) == {
        "number_too_long"
    }
    body = "body:\n  findings_packet: a\n  blocking_count: 0\n  round: " + digits + "\n"
    assert not read(FEEDBACK + body).valid


@pytest.mark.parametrize("digits", [300, 309, 310, 400, 4300, 4301])
@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_beyond_every_float_are_judged_like_others(digits: int, sign: str) -> None:
    for field in ('"v":1,', '"ts":1771108000000,'):
        number = field.partition(":")[0] + ":" + sign + "1" * digits + ","
        read(ACP.replace("HERE", "1").replace(field, number), "acp")


def test_the_most_problems_that_may_be_listed_end_with_a_word_about_the_rest() -> None:
    message = read(filled("a: x\n"))
    assert len(message.problems) == MAX_PROBLEMS + 1
    assert message.problems[-1].code == "more_problems"


def test_any_number_of_warnings_leaves_a_message_valid() -> None:
    for count in (999, 1000, 1001, SIX_THOUSAND):
        assert read(OACP + "".join(f"k{number}: x\n" for number in range(count))).valid


def test_an_error_behind_a_thousand_warnings_still_counts() -> None:
    many = "".join(f"k{number}: x\n" for number in range(SIX_THOUSAND))
    assert not read(many + OACP.replace("P2", "P9")).valid
    assert not read(OACP.replace("P2", "P9") + many).valid


@pytest.mark.parametrize("name", ["a" * 300, "\0", "../../x", "\u202e", "\ud800"])
def test_a_hostile_file_name_is_no_trouble(name: str) -> None:
    message = waypost.parse(OACP, name=f"20260313T1431Z_{name}_question.yaml")
    assert list(unpresentable(message.problems, OACP.encode())) == []
    assert [problem.code for problem in message.problems] == ["file_name"]
