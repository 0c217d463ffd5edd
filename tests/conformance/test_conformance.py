"""Runs the corpus beside this file against the Python library. README.md describes the files."""

import json
from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import waypost

HERE = Path(__file__).parent
DIALECTS = HERE.parents[1] / "src" / "waypost" / "dialects"
WITH_BODY_SCHEMA = {
    "follow_up",
    "handoff",
    "handoff_complete",
    "review_request",
    "review_feedback",
    "review_addressed",
    "review_lgtm",
}
TYPES = {"oacp": 12, "acp": 13, "agentmail": 6}

Fields = dict[str, Any]


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def verdicts(folder: str) -> list[Any]:
    entries: dict[str, Fields] = load(HERE / folder / "verdicts.json")
    return [pytest.param(path, verdict, id=path) for path, verdict in entries.items()]


def cases(*, sending: bool) -> list[Any]:
    """The cases about sending, or those about reading, each with the file it stands in."""
    return [
        pytest.param(path, case, id=f"{path.parent.name}/{path.stem}: {case['name']}")
        for path in sorted((HERE / "cases").glob("*/*.json"))
        for case in load(path)["cases"]
        if case.get("send", False) is sending
    ]


# What is expected, and what was found

Found = tuple[str, str, str]


def triples(problems: Iterable[Fields]) -> Counter[Found]:
    return Counter((p["path"], p["code"], p["severity"]) for p in problems)


def found(problems: Iterable[waypost.Problem]) -> Counter[Found]:
    return Counter((p.path, p.code, str(p.severity)) for p in problems)


def assert_as_expected(entry: Fields, problems: Iterable[waypost.Problem]) -> None:
    """Compare as multisets. A null path is any place; `may` and `others` allow for more."""
    there = found(problems)
    for problem in triples(entry["problems"]).elements():
        path, *rest = problem
        match = problem if path is not None else next((f for f in there if [*f[1:]] == rest), None)
        assert match in there, f"not found: {problem}, only {list(there)}"
        there -= Counter([match])
    more = there - triples(entry.get("may", ()))
    assert not more or entry.get("others"), f"not expected: {list(more)}"


# Messages that lie in a file, or are made of pieces


def raw(folder: str, path: str, verdict: Fields) -> bytes:
    if "pieces" in verdict:
        return "".join(text * times for text, times in verdict["pieces"]).encode()
    return (HERE / folder / path).read_bytes()


def judge(folder: str, path: str, verdict: Fields) -> waypost.Message:
    data = raw(folder, path, verdict)
    message = waypost.parse(data, verdict.get("given"), name=verdict.get("name"))
    assert_as_expected(verdict, message.problems)
    assert message.valid is verdict["valid"]
    assert message.dialect == verdict["dialect"]
    return message


@pytest.mark.parametrize(("path", "verdict"), verdicts("seeds"))
def test_an_example_of_the_documents(path: str, verdict: Fields) -> None:
    message = judge("seeds", path, verdict)
    assert verdict["type"] in (None, message.type)


@pytest.mark.parametrize(("path", "verdict"), verdicts("texts"))
def test_a_text(path: str, verdict: Fields) -> None:
    message = judge("texts", path, verdict)
    assert verdict.get("type") in (None, message.type)
    for name, value in verdict.get("fields", {}).items():
        assert message.fields is not None
        assert message.fields[name] == value


# Messages made from a worked example by setting and removing fields


@cache
def example(dialect: str, type_: str) -> Fields:
    suffix = "yaml" if dialect == "oacp" else "json"
    text = (DIALECTS / dialect / "examples" / f"{type_}.{suffix}").read_text(encoding="utf-8")
    fields: Fields = yaml.load(text, yaml.BaseLoader) if suffix == "yaml" else json.loads(text)
    if type_ in WITH_BODY_SCHEMA and isinstance(fields["body"], str):
        fields["body"] = yaml.load(fields["body"], yaml.BaseLoader)
    return fields


def inside(container: Any, path: list[str]) -> Any:
    """The mapping or list that holds the last step of a path; missing mappings are made."""
    for step in path[:-1]:
        if isinstance(container, list):
            container = container[int(step)]
        else:
            container = container.setdefault(step, {})
    return container


def put(fields: Fields, changes: Fields) -> None:
    for path in sorted(changes, key=lambda p: p.count(".")):
        *_, last = steps = path.split(".")
        holder = inside(fields, steps)
        holder[int(last) if isinstance(holder, list) else last] = deepcopy(changes[path])


def remove(fields: Fields, paths: list[str]) -> None:
    for path in paths:
        steps = path.split(".")
        inside(fields, steps).pop(steps[-1], None)


def build(path: Path, case: Fields) -> tuple[str, Fields]:
    corpus = load_once(path)
    fields = deepcopy(example(corpus["dialect"], corpus["type"]))
    put(fields, corpus.get("set", {}))
    put(fields, case.get("set", {}))
    remove(fields, case.get("remove", []))
    return corpus["dialect"], fields


@cache
def load_once(path: Path) -> Any:
    return load(path)


@pytest.mark.parametrize(("path", "case"), cases(sending=False))
def test_a_case_given_as_values(path: Path, case: Fields) -> None:
    dialect, fields = build(path, case)
    assert_as_expected(case, waypost.check(fields, dialect))


@pytest.mark.parametrize(("path", "case"), cases(sending=False))
def test_a_case_given_as_text(path: Path, case: Fields) -> None:
    dialect, fields = build(path, case)
    message = waypost.parse(json.dumps(fields).encode())
    assert message.dialect == dialect
    assert_as_expected(case, message.problems)


@pytest.mark.parametrize(("path", "case"), cases(sending=True))
def test_a_case_about_sending(path: Path, case: Fields) -> None:
    dialect, fields = build(path, case)
    if all(problem["code"] != "secret_detected" for problem in case["problems"]):
        assert_as_expected(case, waypost.check(fields, dialect, sending=True))
    assert_as_expected(case, composed(dialect, fields))


def composed(dialect: str, fields: Fields) -> tuple[waypost.Problem, ...]:
    """The problems of composing a message, which also looks for secrets."""
    type_ = fields["kind" if dialect == "acp" else "type"]
    try:
        return waypost.compose(type_, fields, dialect=dialect).problems
    except waypost.InvalidMessageError as error:
        return error.problems


# The corpus itself


@pytest.mark.parametrize("folder", ["seeds", "texts"])
def test_every_file_has_a_verdict(folder: str) -> None:
    files = {p.relative_to(HERE / folder).as_posix() for p in (HERE / folder).glob("*/*")}
    entries = load(HERE / folder / "verdicts.json")
    assert files == {path for path, verdict in entries.items() if "pieces" not in verdict}


@pytest.mark.parametrize("dialect", TYPES)
def test_every_type_has_cases(dialect: str) -> None:
    names = {p.stem for p in (HERE / "cases" / dialect).glob("*.json")}
    examples = {p.stem for p in (DIALECTS / dialect / "examples").glob("*.*")}
    assert names == examples | {"envelope"}
    assert len(names) == TYPES[dialect] + 1


@pytest.mark.parametrize("folder", ["seeds", "texts"])
def test_valid_means_without_an_error(folder: str) -> None:
    for path, verdict in load(HERE / folder / "verdicts.json").items():
        errors = [p for p in verdict["problems"] if p["severity"] == "error"]
        assert verdict["valid"] is (not errors), path
