"""What errors say, and that nothing they show can steer a terminal or a page."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import waypost
from strategies import texts
from waypost.errors import (
    At,
    InvalidMessageError,
    NotFoundError,
    Problem,
    SecretDetectedError,
    UnknownTypeError,
    UnreadableError,
    UsageError,
    WaypostError,
    dotted,
    quoted,
    visible,
    words_of,
)

ANY_TEXT = texts | st.text(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Ll"]))


def steers(text: str) -> bool:
    """True when a text holds anything but characters to be seen, and plain spaces."""
    return any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(2, "No such file or directory", "/A/B"), "no such file or directory"),
        (TimeoutError("timed out"), "timed out"),
        (ConnectionResetError(), "ConnectionResetError"),
        (NotFoundError("there is no /A/B"), "there is no /A/B"),
        (OSError("\x1b[2Jgone"), "\\u001b[2Jgone"),
    ],
)
def test_what_the_system_says_fits_into_a_sentence(error: Exception, words: str) -> None:
    assert words_of(error) == words


@given(text=ANY_TEXT)
def test_what_is_made_visible_steers_nothing(text: str) -> None:
    assert not steers(visible(text))
    assert not steers(quoted(text))


@given(text=ANY_TEXT)
def test_line_ends_are_kept_where_they_are_asked_for(text: str) -> None:
    shown = visible(text, keep="\n")
    assert shown.count("\n") == text.count("\n")
    assert not steers(shown.replace("\n", ""))


@given(text=st.text("abc äöü→😀", max_size=50))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert quoted(text) == f'"{text}"'


@given(text=ANY_TEXT)
def test_a_quotation_is_short_and_cannot_be_broken_out_of(text: str) -> None:
    shown = quoted(text, 20)
    assert shown[0] == shown[-1] == '"'
    assert '"' not in shown[1:-1].replace('\\"', "")
    assert len(shown) <= 2 + 20 * len("\\U0001f600")


@pytest.mark.parametrize(
    ("at", "path"),
    [
        ((), ""),
        (("body",), "body"),
        (("to", 1), "to.1"),
        (("body", "context_bundle", "files_touched", 0), "body.context_bundle.files_touched.0"),
        (("a.b", "c"), '"a.b".c'),
        (("", "x"), '"".x'),
        (('say "hi"',), '"say \\"hi\\""'),
        (("a\x1b[31m",), '"a\\u001b[31m"'),
        (("\u202eevil",), '"\\u202eevil"'),
        (("größe",), "größe"),
    ],
)
def test_a_path_is_dotted_and_odd_keys_are_quoted(at: At, path: str) -> None:
    assert dotted(at) == path
    assert Problem(at, "any", "is odd").path == path


@given(at=st.lists(ANY_TEXT | st.integers(0, 99)).map(tuple))
def test_a_path_steers_nothing(at: At) -> None:
    assert not steers(dotted(at))


def test_a_problem_says_only_what_is_known() -> None:
    bare = Problem(("to", 0), "bad_name", "to.0 is not a name")
    assert bare.to_json() == {
        "severity": "error",
        "path": "to.0",
        "code": "bad_name",
        "message": "to.0 is not a name",
    }
    full = bare._replace(hint="write a name", line=3, column=7).to_json()
    assert (full["hint"], full["line"], full["column"]) == ("write a name", 3, 7)


def test_an_error_says_only_what_there_is_to_say() -> None:
    assert NotFoundError("no such file").to_json() == {
        "error": "not_found",
        "details": "no such file",
    }


def test_an_error_has_one_form() -> None:
    problem = Problem(("id",), "bad_id", "id is not an id")
    error = InvalidMessageError(
        "id is not an id", hint="h", retryable=False, problems=[problem], message_id="m"
    )
    assert error.to_json() == {
        "error": "invalid_format",
        "details": "id is not an id",
        "hint": "h",
        "retryable": False,
        "message_id": "m",
        "problems": [problem.to_json()],
    }


@pytest.mark.parametrize(
    ("kind", "code", "exit_code"),
    [
        (UsageError, "usage", 2),
        (NotFoundError, "not_found", 3),
        (InvalidMessageError, "invalid_format", 5),
        (UnknownTypeError, "unknown_type", 5),
        (SecretDetectedError, "secret_detected", 5),
        (UnreadableError, "unreadable", 1),
    ],
)
def test_codes_and_exits_are_settled(kind: type[WaypostError], code: str, exit_code: int) -> None:
    assert (kind.code, kind.exit_code) == (code, exit_code)
    assert kind("said").to_json()["error"] == code


def test_all_errors_of_a_message_are_caught_as_one() -> None:
    assert issubclass(UnknownTypeError, InvalidMessageError)
    assert issubclass(SecretDetectedError, InvalidMessageError)
    assert waypost.WaypostError is WaypostError


@given(text=ANY_TEXT)
def test_an_error_about_any_text_steers_nothing(text: str) -> None:
    with pytest.raises(WaypostError) as refusal:
        waypost.compose(text + "\x1b", {})
    shown = refusal.value.to_json()
    assert not steers(refusal.value.details + str(refusal.value))
    assert not steers(json.dumps(shown, ensure_ascii=False))


@given(text=ANY_TEXT, name=ANY_TEXT)
def test_problems_about_any_text_steer_nothing(text: str, name: str) -> None:
    fields = {name: text, "priority": text, "from": text, "to": [text, text], "body": {name: text}}
    for type_name in ("handoff", text):
        problems = waypost.check({**fields, "type": type_name}, "oacp")
        shown = [f"{one.path} {one.message} {one.hint}" for one in problems]
        assert not any(map(steers, shown))
