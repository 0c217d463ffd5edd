"""What --help prints is read by people and by models: it changes on purpose or not at all."""

from pathlib import Path

import pytest
from golden import golden

from commands.desk import leave_home
from commands.terminal import quick, say
from waypost.commands.office import FILES, MAIL, OFFICE

OURS = (*MAIL, *FILES, *OFFICE)
AUDIT = ("log", "verify", "export", "redact", "prune", "rebuild")
PAGES = {
    "waypost": ["waypost"],
    "waypost-validate": ["waypost", "validate"],
    "waypost-schema": ["waypost", "schema"],
    "waypost-translate": ["waypost", "translate"],
    "waypost-examples": ["waypost", "examples"],
    "waypost-mcp": ["waypost", "mcp"],
    "waypost-serve": ["waypost", "serve"],
    "waypost-open": ["waypost", "open"],
    "waypost-cluster": ["waypost", "cluster"],
    "waypost-cluster-init": ["waypost", "cluster", "init"],
    "waypost-journal": ["waypost", "journal"],
    "waypost-journal-migrate": ["waypost", "journal", "migrate"],
    "waypost-journal-snapshot": ["waypost", "journal", "snapshot"],
    "waypost-setup": ["waypost", "setup"],
    "waypost-setup-service": ["waypost", "setup", "service"],
    "waypost-doctor": ["waypost", "doctor"],
    "waypost-completion": ["waypost", "completion"],
    "waypost-guard": ["waypost", "guard"],
    "waypost-notice": ["waypost", "notice"],
    "waypost-demo": ["waypost", "demo"],
    "waypost-peers": ["waypost", "peers"],
    "waypost-listen": ["waypost", "listen"],
    "waypost-ask": ["waypost", "ask"],
    "waypost-delegate": ["waypost", "delegate"],
    "waypost-cancel": ["waypost", "cancel"],
    "waypost-notify": ["waypost", "notify"],
    "waypost-ping": ["waypost", "ping"],
    "waypost-discover": ["waypost", "discover"],
    "waypost-who": ["waypost", "who"],
    **{f"waypost-{command.name}": ["waypost", command.name] for command in OURS},
    **{f"waypost-audit-{word}": ["waypost", "audit", word] for word in AUDIT},
    **{f"waypost-attach-{word}": ["waypost", "attach", word] for word in ("put", "get")},
    "oacp": ["oacp"],
    "oacp-init": ["oacp", "init"],
    "oacp-agent": ["oacp", "agent"],
    "oacp-send": ["oacp", "send"],
    "oacp-inbox": ["oacp", "inbox"],
    "oacp-show": ["oacp", "show"],
    "oacp-reply": ["oacp", "reply"],
    "oacp-done": ["oacp", "done"],
    "oacp-watch": ["oacp", "watch"],
    "oacp-thread": ["oacp", "thread"],
    "oacp-review": ["oacp", "review"],
    "oacp-review-request": ["oacp", "review", "request"],
    "oacp-review-feedback": ["oacp", "review", "feedback"],
    "oacp-review-address": ["oacp", "review", "address"],
    "oacp-review-lgtm": ["oacp", "review", "lgtm"],
    "oacp-review-status": ["oacp", "review", "status"],
    "oacp-follow-ups": ["oacp", "follow-ups"],
    "oacp-doctor": ["oacp", "doctor"],
    "oacp-completion": ["oacp", "completion"],
    "oacp-validate": ["oacp", "validate"],
}
each_page = pytest.mark.parametrize("page", PAGES)


@each_page
def test_the_help_is_as_it_was(page: str) -> None:
    said = say(*PAGES[page], "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out == golden(f"help/{page}.txt", said.out)


@each_page
def test_the_help_shows_a_way_to_call_it(page: str) -> None:
    assert "\n  " + " ".join(PAGES[page]) in quick(*PAGES[page], "--help").out


@pytest.mark.parametrize("program", ["waypost", "oacp"])
def test_the_overview_names_every_command_that_has_a_page(program: str) -> None:
    overview = quick(program, "--help").out
    for words in PAGES.values():
        if words[0] == program and len(words) == 2:
            assert f"\n  {words[1]} " in overview


@pytest.mark.parametrize("program", ["waypost", "oacp"])
@pytest.mark.parametrize("words", [[], ["-h"], ["help"]])
def test_no_words_and_help_show_the_overview(
    program: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_home(monkeypatch, tmp_path)  # where there is mail, no words show it
    assert quick(program, *words) == quick(program, "--help")
