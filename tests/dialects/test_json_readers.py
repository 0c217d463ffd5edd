"""The fast JSON reader and the careful one agree, with each other and with the standard library."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import any_json, texts
from waypost.dialects import json_text
from waypost.dialects.tree import plain

ODD_JSON = (
    "{}", "[]", '""', "0", "-0", "-0.0", "1e2", "1E+2", "0.1", "1e-999", "01", "1.", ".5", "+1",
    "-", "true", "True", "nul", "[1,]", '{"a":1,}', "{'a':1}", '{a:1}', '"\\u0041"',
    '"\\ud83d\\ude00"', '"\\x"', '"\t"', "[1 2]", "{}{}", "\ufeff{}", "/* */ {}",
    "[" * 64 + "]" * 64,
    " \n\r\t[ 1 , 2 ] ",
)  # fmt: skip


def standard(text: str) -> Any:
    """What the standard library makes of a text: its value in a list, or nothing."""
    try:
        return [json.loads(text)]
    except ValueError:
        return []


def ours(text: str) -> Any:
    tree, problems = json_text.parse(text)
    return [] if problems else [tree]


@given(value=any_json, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans())
def test_what_is_written_is_read(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert repr(ours(text)) == repr(standard(text)) == repr([value])


@given(value=any_json)
def test_what_we_write_is_one_line_that_reads_back(value: Any) -> None:
    text = json_text.write(value)
    assert "\n" not in text
    assert repr(ours(text)) == repr([value])


@pytest.mark.parametrize("text", ODD_JSON)
def test_texts_that_are_odd_but_sound_are_taken_as_the_standard_takes_them(text: str) -> None:
    assert repr(ours(text)) == repr(standard(text))


@given(
    text=st.lists(st.sampled_from([*'{}[]:,"\\ \n', "1", "a", '"k":', "null"]) | texts).map("".join)
)
def test_any_text_is_either_what_the_standard_says_or_has_a_problem(text: str) -> None:
    tree, problems = json_text.parse(text)
    assert problems or repr([tree]) == repr(standard(text))


@given(value=any_json)
def test_the_careful_walk_copies_a_sound_value_unchanged(value: Any) -> None:
    copy, problems = plain(value)
    assert (repr(copy), problems) == (repr(value), [])
    assert copy is not value or not isinstance(value, (dict, list))


@pytest.mark.parametrize(
    ("text", "path", "code"),
    [
        ('{"a": 1, "a": 2}', "a", "duplicate_key"),
        ('{"a": [0, NaN]}', "a.1", "not_finite"),
        ('{"a": -Infinity}', "a", "not_finite"),
        ('{"a": 1e999}', "a", "not_finite"),
        ('{"a": "\\ud800"}', "a", "lone_surrogate"),
        ('{"\\ud800": 1}', "", "lone_surrogate"),
        ('{"a": ' + "9" * 4301 + "}", "a", "number_too_long"),
        ('{"a": ' + "[" * 64 + "]" * 64 + "}", "a" + ".0" * 63, "too_deep"),
        ('{"a": ' + "[" * 9999, "", "too_deep"),
        ('{"a": ', "", "json_syntax"),
        ("{} {}", "", "json_syntax"),
    ],
)  # fmt: skip
def test_what_other_readers_pass_is_told_of(text: str, path: str, code: str) -> None:
    _, problems = json_text.parse(text)
    assert [(problem.path, problem.code) for problem in problems] == [(path, code)]


@given(value=any_json, flaw=st.sampled_from(["NaN", "1e999", '"\\udfff"', '{"b":1,"b":1}']))
def test_a_flaw_is_found_beside_anything(value: Any, flaw: str) -> None:
    text = f'{{"good": {json.dumps(value)}, "bad": [{flaw}]}}'
    tree, problems = json_text.parse(text)
    assert [problem.path.startswith("bad.0") for problem in problems] == [True]
    assert repr(tree["good"]) == repr(value)
