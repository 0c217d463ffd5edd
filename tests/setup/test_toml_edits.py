"""A table goes into a TOML file and out again, and nothing else moves."""

import tomllib

import pytest
from hypothesis import assume, given
from written import toml

from waypost.errors import UsageError
from waypost.setup.toml_edits import TomlText

WAY = ("mcp_servers", "waypost")
PAIRS: dict[str, str | list[str]] = {"command": "waypost", "args": ["mcp", "--agent", 'a"b\\']}
OURS = frozenset({"command", "args", "url"})
TWO = '# mine\n[mcp_servers.other]\ncommand = "x" # y\n\n[mcp_servers.waypost]\ncommand = "old"\n'


def of(text: str) -> TomlText:
    return TomlText(text, "config.toml")


def is_sound(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@given(toml())
def test_the_bytes_outside_of_our_table_stay(text: str) -> None:
    assume(is_sound(text))
    after = of(text).put(WAY, PAIRS, OURS)
    assert after.get(WAY) == PAIRS
    assert after.text.startswith(text)
    assert after.drop(WAY).text == text


@given(toml(), toml())
def test_our_table_changes_in_the_middle_of_others(before: str, after: str) -> None:
    text = before.rstrip() + '\n[mcp_servers.waypost]\nurl = "u"\nretry = 3\n\n[end]\n'
    assume(is_sound(text))
    changed = of(text).put(WAY, PAIRS, OURS)
    assert changed.get(WAY) == {**PAIRS, "retry": 3}
    assert changed.text.startswith(before.rstrip())
    assert changed.text.endswith("\nretry = 3\n\n[end]\n")


def test_what_is_as_it_should_be_is_left_alone() -> None:
    after = of(TWO).put(WAY, PAIRS, OURS)
    assert after.put(WAY, PAIRS, OURS) is after


def test_what_a_person_set_in_our_table_stays() -> None:
    text = of(TWO + "startup_timeout_sec = 20 # slow disk\n")
    after = text.put(WAY, {"url": "http://127.0.0.1:7117/mcp"}, OURS)
    assert after.text.endswith(
        'url = "http://127.0.0.1:7117/mcp"\nstartup_timeout_sec = 20 # slow disk\n'
    )
    assert "old" not in after.text


def test_tables_below_ours_go_with_it() -> None:
    text = of(TWO + '\n[mcp_servers.waypost.tools.send_message]\napproval = "never"\n\n[last]\n')
    assert text.drop(WAY).text == '# mine\n[mcp_servers.other]\ncommand = "x" # y\n\n[last]\n'


def test_a_header_inside_a_text_is_none() -> None:
    text = 'notes = """\n[mcp_servers.waypost]\ncommand = "x"\n"""\n'
    assert of(text).drop(WAY).text == text


REFUSED = [
    'mcp_servers = { waypost = { command = "x" } }\n',
    'mcp_servers = { other = { command = "x" } }\n',
    'mcp_servers.waypost.command = "x"\n',
    '[mcp_servers]\nwaypost = { command = "x" }\n',
    'mcp_servers = "none"\n',
    "[mcp_servers]\nwaypost = 3\n",
    "[[mcp_servers.waypost]]\n",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_splices_can_t_do_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as told:
        of(text).put(WAY, PAIRS, OURS)
    assert "nothing was changed" in str(told.value.hint)


def test_a_broken_file_is_refused_with_the_line() -> None:
    with pytest.raises(UsageError, match="line 2"):
        of("a = 1\nb = = 2\n").put(WAY, PAIRS, OURS)
