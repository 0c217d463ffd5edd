"""The rooms of the house keep to the law: imports go one way, the pure stay pure, all is small."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from law import (
    HOUSE,
    LONG_FILES,
    LONG_FUNCTIONS,
    MAY_IMPORT,
    MOST_LINES,
    MOST_LINES_OF_A_FUNCTION,
    ONLY_IN,
    PURE,
    ROOT,
    WORLDLY,
)

MODULES = sorted(HOUSE.rglob("*.py"))
OURS = [*MODULES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "bench").rglob("*.py"))]
each_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: str(path.relative_to(HOUSE))
)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def room_of(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[str]:
    """The whole names of all modules that are imported, also inside functions and by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports out in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _name(node.func) in ("import_module", "__import__"):
            texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            yield from (text for text in texts if isinstance(text, str) and "." in text)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@each_module
def test_a_room_imports_only_from_below(path: Path) -> None:
    room = room_of(path)
    rooms = {name.split(".")[1] for name in imports(tree_of(path)) if name.startswith("waypost.")}
    rooms = {name for name in rooms if (HOUSE / name).is_dir() or (HOUSE / f"{name}.py").exists()}
    assert rooms - {room} - set(MAY_IMPORT[room]) == set()


@each_module
def test_a_pure_room_knows_nothing_of_the_world(path: Path) -> None:
    used = {name.split(".")[0] for name in imports(tree_of(path))}
    assert room_of(path) not in PURE or used & set(WORLDLY.split()) == set()


@each_module
def test_a_pure_room_opens_nothing(path: Path) -> None:
    called = {_name(node.func) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)}
    assert room_of(path) not in PURE or called & {"open", "print", "input", "breakpoint"} == set()


@each_module
def test_some_libraries_stay_in_one_room(path: Path) -> None:
    inside = path.relative_to(HOUSE).as_posix()
    used = {name.split(".")[0] for name in imports(tree_of(path))}
    strays = [name for name in used & set(ONLY_IN) if not inside.startswith(ONLY_IN[name])]
    assert strays == []


def test_every_room_stands_under_the_law() -> None:
    rooms = {room_of(path) for path in MODULES}
    assert rooms - set(MAY_IMPORT) == set()
    assert {"errors", "letters", "dialects"} <= rooms


def test_the_law_has_no_circles() -> None:
    built: set[str] = set()
    for _ in MAY_IMPORT:
        built |= {room for room, below in MAY_IMPORT.items() if set(below) <= built}
    assert built == set(MAY_IMPORT)


@each_module
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert (ast.get_docstring(tree_of(path)) or "").strip()


def test_files_are_short() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in OURS
    }
    long = {name for name, length in lengths.items() if length > MOST_LINES}
    assert long == set(LONG_FILES), "shorten the file, or take it off the list of exceptions"


def test_functions_are_short() -> None:
    long = {
        f"{path.relative_to(ROOT).as_posix()}:{node.name}"
        for path in OURS
        for node in ast.walk(tree_of(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno + 1 > MOST_LINES_OF_A_FUNCTION
    }
    assert long == set(LONG_FUNCTIONS), "shorten the function, or take it off the list"


def test_every_exception_has_a_reason() -> None:
    assert all(reason.strip() for reason in (LONG_FILES | LONG_FUNCTIONS).values())


HIDDEN = ["import a.b", "def f():\n    from a import b", "import_module('a.b')"]


@pytest.mark.parametrize("text", HIDDEN)
def test_an_import_is_seen_wherever_it_hides(text: str) -> None:
    assert "a.b" in set(imports(ast.parse(text)))
