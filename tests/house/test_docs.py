"""The documents say what the code does: their tables, codes, examples, links and commands."""

import ast
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from law import HOUSE, ROOT

import waypost
from waypost import errors

DIALECT_PAGES = sorted((ROOT / "docs" / "dialects").glob("*.md"))
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
ALL_PAGES = [*PAGES, *sorted((ROOT / "tests").rglob("*.md"))]
PROBLEMS = ROOT / "docs" / "problems.md"

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_INLINE = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"^(?:\$ )?((?:waypost|oacp)(?: .*)?)$")
_MAKERS = ("Problem", "_warning")
_RUN = "import sys; from waypost.commands.{0} import main; sys.argv[0] = '{0}'; sys.exit(main())"


def pages(paths: list[Path]) -> pytest.MarkDecorator:
    """Ask once for each page."""
    names = [path.relative_to(ROOT).as_posix() for path in paths]
    return pytest.mark.parametrize("page", paths, ids=names)


def rows(page: Path, heading: str) -> list[list[str]]:
    """The rows of all tables whose first column has this heading."""
    found: list[list[str]] = []
    inside = False
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        inside = line.startswith("|") and (inside or cells[0].strip(" |") == heading)
        if inside and cells[0].startswith("`"):
            found.append([cells[0].strip("`"), *cells[1:]])
    return found


# -- codes ---------------------------------------------------------------------------------


def _words(node: ast.AST) -> set[str]:
    texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and re.fullmatch("[a-z_0-9]+", text)}


def _assigned(function: ast.AST, name: str) -> set[str]:
    """The words that a name may stand for inside a function."""
    return {
        word
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and name in {part.id for part in ast.walk(node.targets[0]) if isinstance(part, ast.Name)}
        for word in _words(node.value)
    }


def _raised_in(function: ast.FunctionDef) -> Iterator[tuple[str, bool]]:
    """Each code of a problem that is made in a function, and whether it is a warning."""
    given = {argument.arg for argument in function.args.args}
    for call in [node for node in ast.walk(function) if isinstance(node, ast.Call)]:
        maker = getattr(call.func, "id", "")
        if maker not in _MAKERS:
            continue
        code = call.args[1]
        warns = maker == "_warning" or "WARNING" in ast.dump(call)
        if isinstance(code, ast.Name):
            words = _assigned(function, code.id)
            assert words or code.id in given, f"no code found at line {code.lineno}"
        else:
            words = _words(code)
        yield from ((word, warns) for word in words)


@cache
def raised() -> dict[str, bool]:
    """Every code of a problem in the source, and whether it is a warning."""
    found: dict[str, bool] = {}
    for path in HOUSE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                found |= dict(_raised_in(node))
    for path in HOUSE.rglob("schemas/*.json"):
        found |= dict.fromkeys(re.findall(r'"x-code": "([a-z_0-9]+)"', path.read_text()), False)
    return found


def test_every_problem_has_its_line() -> None:
    listed = [row[0] for row in rows(PROBLEMS, "code")]
    assert len(raised()) > 60
    assert sorted(listed) == sorted(raised())


def test_every_line_names_the_right_severity() -> None:
    wrong = [
        row[0]
        for row in rows(PROBLEMS, "code")
        if row[2].startswith("warning") != raised().get(row[0])
    ]
    assert wrong == []


def test_every_error_has_its_line() -> None:
    listed = {tuple(row[:3]) for row in rows(PROBLEMS, "error")}
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.WaypostError)
    ]
    assert listed == {(kind.code, f"`{kind.__name__}`", str(kind.exit_code)) for kind in kinds}


@pages(DIALECT_PAGES)
def test_a_dialects_page_names_only_real_codes(page: Path) -> None:
    told = re.findall(r"(?:error|warning)s? `([a-z_0-9]+)`", page.read_text())
    assert told
    assert set(told) - set(raised()) == set()


# -- tables and examples -------------------------------------------------------------------


def test_the_written_tables_are_fresh() -> None:
    run = [sys.executable, str(ROOT / "scripts" / "generate"), "--check"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def whole_messages(page: Path) -> list[str]:
    """The examples of a page that are marked as whole messages."""
    fences = _FENCE.findall(page.read_text())
    return [text for info, text in fences if info in ("yaml message", "json message")]


@pages(PAGES)
def test_whole_messages_are_flawless(page: Path) -> None:
    assert [waypost.parse(text).problems for text in whole_messages(page)] == [
        () for _ in whole_messages(page)
    ]


@pages(DIALECT_PAGES)
def test_a_dialects_page_begins_with_a_message_of_it(page: Path) -> None:
    first, *_ = whole_messages(page)
    assert waypost.parse(first).dialect == page.stem
    assert waypost.parse(first, page.stem).valid


@pages(PAGES)
def test_json_examples_are_json(page: Path) -> None:
    for info, text in _FENCE.findall(page.read_text()):
        if info.startswith("json"):
            assert isinstance(json.loads(text), dict)


# -- links ---------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The names by which the headings of a page can be reached."""
    text = _FENCE.sub("", page.read_text())
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pages(ALL_PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", page.read_text())):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


# -- commands ------------------------------------------------------------------------------


def commands(page: Path) -> list[str]:
    """Every command of ours that a page shows, in a block or inside a sentence."""
    text = page.read_text()
    lines = [line for _, block in _FENCE.findall(text) for line in block.splitlines()]
    lines += _INLINE.findall(_FENCE.sub("", text))
    parts = [part.strip() for line in lines for part in re.split(r" \| | && ", line)]
    return [match[1] for part in parts if (match := _COMMAND.match(part))]


@cache
def help_of(program: str, *words: str) -> str:
    """What a command prints for --help; fails when there is no such command."""
    run = [sys.executable, "-c", _RUN.format(program), *words, "--help"]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout


@pages(PAGES)
def test_commands_exist_with_their_flags(page: Path) -> None:
    for command in commands(page):
        program, *words = shlex.split(command, comments=True)
        named = [word for word in words[:1] if not word.startswith("-")]
        flags = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
        known = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(program, *named)))
        assert flags <= known | {"--version", "--help"}, command


def test_the_commands_of_the_pages_are_found() -> None:
    shown = [command for page in DIALECT_PAGES for command in commands(page)]
    assert "oacp validate" in shown
    assert "waypost validate --dialect acp message.json" in shown
