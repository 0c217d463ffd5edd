"""Two agents in two shells do one task together, with nothing but the commands."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands.desk import leave_home
from commands.terminal import shell


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    leave_home(monkeypatch, tmp_path)
    monkeypatch.setenv("LOGNAME", "ada")
    (tmp_path / "my-app").mkdir()
    return tmp_path / "my-app"


def test_from_an_assignment_to_the_proof(folder: Path) -> None:
    def run(who: str, line: str, code: int = 0) -> Any:
        said = shell(f"waypost {line} --json", folder, WAYPOST_AGENT=who)
        assert (said.code, said.err) == (code, ""), said
        return said.objects[0]

    assignment = {
        "task_id": "api-7",
        "description": "Rate limit",
        "specification": {"acceptance_criteria": ["429 beyond 100 a minute"]},
        "file_patterns": ["src/api/**"],
    }
    (folder / "task.json").write_text(json.dumps(assignment))
    run("ada", "init my-app --agents claude,codex")
    sent = run("claude", "send codex --type task_assignment --body-file task.json --ack")
    (row,) = run("codex", "inbox")["letters"]
    assert (row["id"], row["thread"], row["wants_ack"]) == (sent["id"], "api-7", True)
    fields = json.loads(run("codex", f"read {sent['id']}")["message"])
    patterns = " ".join(f"'{pattern}'" for pattern in fields["file_patterns"])
    run("codex", f"reserve {patterns} --task api-7 --reason 'rate limit'")
    refused = run("claude", "reserve src/api/limit.ts", code=7)
    assert refused["conflicts"][0]["holder"] == "codex"
    run("codex", f"ack {sent['id'][:12]} --note 'Today.'")
    answer = run("codex", f"reply {sent['id'][:12]} -s Done -b 'It answers 429.'")
    run("codex", "release")
    run("claude", f"read {answer['id']}")
    run("claude", f"done {answer['id']}")
    thread = run("claude", "thread api-7")["letters"]
    assert [one["states"] for one in thread if "states" in one] == [{"codex": "done"}]
    assert [one["id"] for one in thread] == [sent["id"], answer["id"]]
    found = run("claude", "search 429 from:codex")["letters"]
    assert [one["id"] for one in found] == [answer["id"]]
    assert run("claude", "reserve src/api/limit.ts")["holder"] == "claude"
    assert run("ada", "audit verify")["whole"] is True
