"""A command starts at once: nothing slow is loaded before it is needed."""

import subprocess
import sys
from pathlib import Path

import pytest
from law import HOUSE, SLOW_TO_LOAD

from schema_files import DIALECTS
from waypost.office import open_office
from waypost.office.callers import Caller

EXAMPLE = DIALECTS / "oacp" / "examples" / "handoff.yaml"
CRIPPLED = "id: 1\n"
SPY = """
import sys
before = set(sys.modules)
sys.argv[0] = {command!r}
from waypost.commands.{command} import main
try:
    code = main()
except SystemExit as exit:
    code = exit.code
print(code, *sorted({{name.split(".")[0] for name in set(sys.modules) - before}}))
"""

pytestmark = pytest.mark.skipif(not (HOUSE / "commands").exists(), reason="no commands yet")


def loaded_by(command: str, *words: str) -> tuple[str, set[str]]:
    """Run a command in a Python of its own; gives its exit code and what it loaded."""
    spy = [sys.executable, "-c", SPY.format(command=command), *words]
    output = subprocess.run(spy, capture_output=True, text=True, check=True).stdout
    code, *modules = output.splitlines()[-1].split()
    return code, set(modules)


@pytest.mark.parametrize("command", ["oacp", "waypost"])
@pytest.mark.parametrize(
    "words", [["--version"], ["--help"], ["validate", str(EXAMPLE)], ["validate", "--help"]]
)
def test_nothing_slow_is_loaded(command: str, words: list[str]) -> None:
    code, modules = loaded_by(command, *words)
    assert code == "0"
    assert "waypost" in modules
    assert modules & set(SLOW_TO_LOAD.split()) == set()


@pytest.mark.parametrize("word", ["listen", "ask", "delegate", "peers"])
def test_the_help_of_live_commands_starts_no_loop(word: str) -> None:
    code, modules = loaded_by("waypost", word, "--help")
    assert code == "0"
    assert modules & {*SLOW_TO_LOAD.split(), "aioquic", "cryptography"} == set()


def test_translating_loads_nothing_slow_either() -> None:
    code, modules = loaded_by("waypost", "translate", str(EXAMPLE), "--to", "acp")
    assert (code, modules & set(SLOW_TO_LOAD.split())) == ("0", set())


def test_explaining_a_problem_may_take_the_slow_reader(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(CRIPPLED)
    code, modules = loaded_by("oacp", "validate", str(file))
    assert code == "1"
    assert "yaml" in modules


def test_importing_the_package_loads_none_of_it() -> None:
    spy = "import sys; import waypost; print(*[n for n in sys.modules if n.startswith('waypost.')])"
    output = subprocess.run([sys.executable, "-c", spy], capture_output=True, text=True, check=True)
    assert output.stdout.split() == []


NEVER_IN_MAIL = {
    "asyncio",
    "mcp",
    "aioquic",
    "starlette",
    "ssl",
    "http",
    "email",
    "yaml",
    "inspect",
}


@pytest.mark.parametrize("word", ["send", "inbox", "read", "reservations", "status"])
def test_daily_mail_loads_no_server(tmp_path: Path, word: str) -> None:
    office = ["--home", str(tmp_path / "office"), "--agent", "claude", "--project", "p"]
    with open_office(tmp_path / "office") as made:
        for name in ("claude", "codex"):
            made.register(Caller(name, "p"))
        receipt = made.send(Caller("codex", "p"), "claude", text="hi")
    more = {"send": ["codex", "-b", "hi"], "read": [receipt.id]}.get(word, [])
    code, modules = loaded_by("waypost", word, *more, *office)
    assert code == "0"
    assert modules & NEVER_IN_MAIL == set()
