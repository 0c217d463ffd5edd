"""The page on clients: its words are run, and make the files that it shows."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from commands.terminal import transcript
from commands.workplace import Workplace, workplace
from waypost.setup.clients import CLIENTS

__all__ = ["workplace"]
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp-clients.md").read_text()
_BLOCK = re.compile(r"^```console\n\$ waypost (.*)\n((?:(?!\$).*\n)*?)^```", re.MULTILINE)
_FILE = re.compile(r"`([^`\s]+)`:\n\n```(json|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_READ = {"json": json.loads, "toml": tomllib.loads}


def sections() -> dict[str, str]:
    """The part of the page on each client."""
    parts = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    by_title = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {name: by_title[client.title] for name, client in CLIENTS.items()}


@pytest.mark.parametrize("name", CLIENTS)
def test_the_words_make_the_files_that_the_page_shows(name: str, workplace: Workplace) -> None:
    (words,) = re.findall(r"^`waypost (setup [^`]+)`", sections()[name], re.MULTILINE)
    workplace.tell(*shlex.split(words))
    shown = _FILE.findall(sections()[name])
    assert {file for file, *_ in shown} == {*CLIENTS[name].project[:2]}
    for file, kind, text in shown:
        assert _READ[kind]((workplace.folder / file).read_text()) == _READ[kind](text)


@pytest.mark.parametrize(("words", "shown"), _BLOCK.findall(PAGE))
def test_the_transcripts_are_what_happens(words: str, shown: str, workplace: Workplace) -> None:
    if "--undo" in words:
        workplace.tell("setup", "claude")
    assert transcript("waypost", *shlex.split(words)) == shown


@pytest.mark.parametrize("name", CLIENTS)
def test_the_readme_sets_up_every_client(name: str, workplace: Workplace) -> None:
    section = (ROOT / "README.md").read_text().partition("## Set up your agents")[2]
    (words,) = re.findall(rf"^waypost (setup {name} .*?) +#", section, re.MULTILINE)
    told: dict[str, Any] = workplace.tell(*shlex.split(words))
    assert (told["agent"], told["project"]) == (name, "my-app")
    assert {change["change"] for change in told["changes"]} == {"created"}


def test_the_table_names_every_file() -> None:
    for client in CLIENTS.values():
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| {client.title} |"))
        assert re.findall(r"`([^`]+)`", row) == list(client.project)
        for event in client.events:
            assert f"`{event.name}`" in PAGE
