"""`waypost examples`: what it prints is valid, and can be piped and saved as it is."""

from pathlib import Path

import pytest

import waypost
from commands.terminal import quick, shell
from schema_files import DIALECTS, EXAMPLES, TYPES, example

each_type = pytest.mark.parametrize(("dialect", "name"), TYPES)
CONVERSATIONS = sorted({path.parent.name for path in EXAMPLES} - {"examples"})
each_conversation = pytest.mark.parametrize("name", CONVERSATIONS)


def topics() -> list[str]:
    (listed,) = quick("waypost", "examples", "--json").objects
    return [one["topic"] for one in listed]


def test_every_type_and_conversation_is_listed_once() -> None:
    expected = ["/".join(pair) for pair in TYPES] + CONVERSATIONS
    lines = quick("waypost", "examples").out.splitlines()
    assert [line.split()[0] for line in lines] == topics()
    assert sorted(topics()) == sorted(expected)


@each_type
def test_an_example_pipes_into_validate(dialect: str, name: str) -> None:
    said = quick("waypost", "examples", f"{dialect}/{name}")
    assert (said.code, said.out, said.err) == (0, example(dialect, name).decode(), "")
    checked = quick("waypost", "validate", "--strict", "--json", "-", given=said.out.encode())
    (found,) = checked.objects
    assert (checked.code, found["dialect"], found["type"]) == (0, dialect, name)


@each_conversation
def test_a_conversation_is_whole_and_valid(name: str) -> None:
    (shown,) = quick("waypost", "examples", name, "--json").objects
    files = [path for path in EXAMPLES if path.parent.name == name]
    assert shown["topic"] == name
    assert [one["name"] for one in shown["messages"]] == [path.name for path in files]
    for one in shown["messages"]:
        message = waypost.parse(one["text"])
        assert (message.dialect, message.type) == (one["dialect"], one["type"])
        assert message.problems == ()


@each_conversation
def test_people_see_the_same_messages_with_their_names_aside(name: str) -> None:
    (shown,) = quick("waypost", "examples", name, "--json").objects
    said = quick("waypost", "examples", name)
    assert said.err == "".join(f"# {one['name']}\n" for one in shown["messages"])
    mark = {"oacp": "---\n"}.get(shown["messages"][0]["dialect"], "")
    assert said.out == "".join(mark + one["text"].rstrip("\n") + "\n" for one in shown["messages"])


@pytest.mark.parametrize("dialect", ["oacp", "acp", "agentmail"])
def test_a_dialect_is_a_topic_too(dialect: str) -> None:
    (shown,) = quick("waypost", "examples", dialect, "--json").objects
    expected = [f"{dialect}/{name}" for of, name in TYPES if of == dialect]
    assert sorted(one["name"] for one in shown["messages"]) == expected


def test_the_real_programs_join_in_a_pipe(tmp_path: Path) -> None:
    for topic in ("oacp/handoff", "acp/query", "agentmail/task_assignment"):
        said = shell(f"waypost examples {topic} | waypost validate --strict -", tmp_path)
        assert (said.code, said.err) == (0, "1 of 1 valid\n")
    assert shell("waypost examples handoff | oacp validate -", tmp_path).out == "OK: -\n"


def test_the_package_s_own_folder_of_examples_is_valid() -> None:
    for folder in sorted(DIALECTS.glob("*/examples")):
        said = quick("waypost", "validate", "--strict", str(folder))
        assert (said.code, said.out) == (0, "")
