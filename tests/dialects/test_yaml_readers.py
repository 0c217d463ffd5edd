"""The fast YAML reader and the exact one: where the fast one answers, they say the same.

The texts are made of pieces that YAML readers are known to disagree about.
"""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import waypost
from schema_files import EXAMPLES, example
from strategies import ODD_WORDS, any_yaml, texts
from waypost.dialects import dialect
from waypost.dialects.oacp import emitter
from waypost.dialects.yaml_events import read_exact
from waypost.dialects.yaml_text import read_fast

YAML_EXAMPLES = [path for path in EXAMPLES if path.suffix == ".yaml"]
_BREAKS = ("\n", "\n", "\n", "\n  ", "\n    ", "\n\n", "\r\n", "\r", "\n- ", "\n  - ", "\n# c\n")
_JOINTS = (": ", ": ", ":", " ", "  ", " #", ", ", "\t", "- ", "? ", ": |\n  ", ": >-\n  ", ": '")
_YAML_PIECES = st.sampled_from([*ODD_WORDS, *_BREAKS, *_JOINTS, "a", "b", "key", "x: y", '"', "'"])
FORMS = ("k: {}", "- {}", "k: [{}]", "k:\n  - a: {}\n", "{}: v", "'{}': v", "k: {a: {}}")
yaml_like = st.lists(_YAML_PIECES | st.text(max_size=3), max_size=12).map("".join)
FEEDBACK = example("oacp", "review_feedback").decode()


def exact(text: str) -> Any:
    reading = read_exact(text)
    return reading.tree if not reading.problems else f"has problems: {reading.problems}"


@given(text=yaml_like.map("k: ".__add__) | yaml_like)
def test_where_the_fast_reader_answers_it_is_right(text: str) -> None:
    tree = read_fast(text)
    assert tree is None or tree == exact(text)


@pytest.mark.parametrize("word", ODD_WORDS)
@pytest.mark.parametrize("form", FORMS)
def test_the_readers_agree_on_odd_words(form: str, word: str) -> None:
    text = form.replace("{}", word)
    tree = read_fast(text)
    assert tree is None or tree == exact(text)


@given(value=st.dictionaries(texts, any_yaml, min_size=1, max_size=4))
def test_the_readers_agree_on_what_others_write(value: dict[str, Any]) -> None:
    for style in ("|", ">", '"', "'", None):
        text = yaml.safe_dump(value, default_style=style, allow_unicode=True)
        tree = read_fast(text)
        assert tree is None or tree == exact(text)


@pytest.mark.parametrize("path", YAML_EXAMPLES, ids=lambda path: path.stem)
def test_a_worked_example_is_read_fast_and_the_same(path: Any) -> None:
    text = path.read_text()
    assert read_fast(text) is not None
    assert read_fast(text) == exact(text)


_NUMBER_LIKE = st.from_regex(r"[-+]?[0-9a-fxob_.]{1,20}", fullmatch=True)


@given(number=st.sampled_from(ODD_WORDS) | _NUMBER_LIKE)
def test_a_number_field_is_the_same_by_every_way_of_reading(number: str) -> None:
    read = waypost.parse(FEEDBACK.replace("round: 1", f"round: {number}"), "oacp")
    body = (read.fields or {}).get("body")
    value = body.get("round") if isinstance(body, dict) else None
    about_yaml = {"yaml_tag", "alias_expansion"} & set(codes(read))
    if isinstance(value, (str, int)) and not about_yaml:
        as_text = FEEDBACK.replace("round: 1", "round: " + emitter.quote(str(value)))
        again = waypost.parse(as_text, "oacp")
        assert (again.fields, codes(again)) == (read.fields, codes(read))


def codes(message: waypost.Message) -> list[str]:
    return [problem.code for problem in message.problems]


@pytest.mark.parametrize("name", ["related_pr", "channel", "x"])
@given(value=st.sampled_from(ODD_WORDS) | texts)
def test_a_message_is_the_same_by_every_way_of_reading(value: str, name: str) -> None:
    text = FEEDBACK + f"{name}: {value}\n"
    reading = read_exact(text)
    if isinstance(reading.tree, dict) and not reading.problems:
        normal, _ = dialect("oacp").prepare(reading.tree)
        assert waypost.parse(text, "oacp").fields == normal


@given(value=st.dictionaries(texts, any_yaml, min_size=1, max_size=4))
def test_what_we_write_is_read_alike(value: dict[str, Any]) -> None:
    text = emitter.write_mapping(dialect("oacp").prepare({"body": value})[0]["body"])
    assert read_fast(text) in (None, exact(text))


@pytest.mark.parametrize(
    "text",
    ["a: !x b", "a: &b c\nd: *b", "<<: {a: b}", "a: 0b1", "a: 0x1f", "%YAML 1.1\n---\na: b", "- a"],
)
def test_the_fast_reader_leaves_the_unusual_to_the_exact_one(text: str) -> None:
    assert read_fast(text) is None


def test_text_of_64_levels_is_read_fast_and_65_are_not() -> None:
    assert read_fast("a: " + "[" * 63 + "]" * 63) is not None
    assert read_fast("a: " + "[" * 64 + "]" * 64) is None
