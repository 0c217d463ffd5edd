"""The small checks that a schema is made of: each tells what is wrong with one value, or None.

A check's sentences have no subject; the place that a problem ends up with becomes their subject.
"""

import re
from collections.abc import Callable, Mapping
from operator import methodcaller
from typing import Any, TypeGuard

from waypost.dialects.text import MAX_PROBLEMS
from waypost.errors import Problem, quoted
from waypost.letters.names import did_you_mean

Check = Callable[[Any], "list[Problem] | None"]
Schema = Mapping[str, Any]

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
_TYPE_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "null",
}
_VALUE_WORDS: dict[type, str] = {
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    dict: "a mapping",
    list: "a list",
    type(None): "null",
}


def inside(step: str | int, problems: list[Problem]) -> list[Problem]:
    return [problem._replace(at=(step, *problem.at)) for problem in problems]


def accept(value: Any) -> list[Problem] | None:
    return None


class ByType(dict[type, Check]):
    """The check of each Python type that a value may be of; any other gets `wrong`.

    Whoever checks many values looks the check up itself, and spares a call a value.
    """

    wrong: Check

    def __missing__(self, python_type: type) -> Check:
        return self.wrong

    def check(self, value: Any) -> list[Problem] | None:
        return self[type(value)](value)


def wrong_type(types: list[str], hint: str | None) -> Check:
    named = [_TYPE_WORDS[name] for name in types if not (name == "integer" and "number" in types)]
    wanted = " or ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)

    def check(value: Any) -> list[Problem] | None:
        got = _VALUE_WORDS.get(type(value), f"a Python {type(value).__name__}")
        if type(value) is float and "integer" in types:
            got = "a fraction"
        return [Problem((), "wrong_type", f"must be {wanted}, not {got}", hint)]

    return check


def whole(check_int: Check) -> Check:
    wrong = wrong_type(["integer"], None)

    def check(value: float) -> list[Problem] | None:
        return check_int(value) if value.is_integer() else wrong(value)

    return check


def is_whole(value: Any) -> TypeGuard[int | float]:
    """Tell whether a value is a whole number, as JSON Schema counts: 2.0 is one, true is none."""
    return type(value) is int or (type(value) is float and value.is_integer())


def number_within(least: float | None, most: float | None, hint: str | None) -> Check:
    def check(value: float) -> list[Problem] | None:
        if least is not None and value < least:
            return [Problem((), "out_of_range", f"must be at least {least}", hint)]
        if most is not None and value > most:
            return [Problem((), "out_of_range", f"must be at most {most}", hint)]
        return None

    return check


def one_of(allowed: list[Any], hint: str | None, inner: Check) -> Check:
    accepted = frozenset(allowed)
    listed = ", ".join(map(str, allowed))

    def check(value: Any) -> list[Problem] | None:
        if isinstance(value, (list, dict)) or value not in accepted:
            meant = did_you_mean(value, map(str, allowed)) if isinstance(value, str) else None
            return [
                Problem(
                    (), "not_one_of", f"must be one of {listed}, not {quoted(value)}", meant or hint
                )
            ]
        return inner(value)

    return check


TextStep = tuple[Callable[[], Callable[[str], object]], Problem]  # the first makes the test


def text_steps(schemas: list[Schema], hint: str | None) -> list[TextStep]:
    steps: list[TextStep] = []
    for schema in schemas:
        code, own_hint = schema.get("x-code", "bad_format"), schema.get("x-hint", hint)
        if (pattern := schema.get("pattern")) is not None:
            steps.append(
                (
                    _pattern(pattern),
                    Problem((), code, _PATTERN_SENTENCES.get(code, "has the wrong form"), own_hint),
                )
            )
        if schema.get("format") == "date-time":
            steps.append(
                (
                    lambda: _is_real_date,
                    Problem((), code, "names a date or time that does not exist", own_hint),
                )
            )
        if (most := schema.get("maxLength")) is not None:
            steps.append(
                (
                    _at_most(most),
                    Problem((), "too_long", f"is longer than {most} characters", own_hint),
                )
            )
        if (least := schema.get("minLength")) is not None:
            steps.append(
                (
                    _at_least(least),
                    Problem((), "too_short", f"is shorter than {least} characters", own_hint),
                )
            )
    return steps


_PATTERN_SENTENCES = {
    "blank_field": "must not be blank",
    "not_one_line": "must be one line",
    "bad_name": "is not a name",
    "bad_id": "is not an id",
    "bad_timestamp": "is not a UTC timestamp",
    "bad_uuid": "is not a UUID",
    "bad_agent_id": "is not an agent id",
    "bad_version": "is not a version number",
}


def text_passing(steps: list[TextStep]) -> Check:
    """Run the steps; a blank text or a wrong pattern is told once, not once a pattern."""

    def explain(value: str) -> list[Problem]:
        found: list[Problem] = []
        for made, (_, problem) in zip(tests, steps, strict=True):
            if not made(value):
                if problem.code not in ("blank_field", "too_long", "too_short"):
                    problem = problem._replace(message=f"{problem.message}: {quoted(value)}")
                found.append(problem)
                if problem.code == "blank_field" or problem.code.startswith("bad_"):
                    break
        return found

    tests: list[Callable[[str], object]] = []

    def check(value: str) -> list[Problem] | None:
        if not tests:  # made when a text first comes: patterns are dear to compile
            tests.extend(make() for make, _ in steps)
        for holds in tests:
            if not holds(value):
                return explain(value)
        return None

    return check


# "Something in it is no white space": the commonest pattern, and the dearest to compile.
_WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_NONBLANK = (
    r"[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
)


def _pattern(pattern: str) -> Callable[[], Callable[[str], object]]:
    """What makes the search for a pattern."""
    if pattern == _NONBLANK:
        return lambda: methodcaller("strip", _WHITE)
    ends = pattern.endswith("$") and not pattern.endswith(r"\$")
    python = pattern[:-1] + r"\Z" if ends else pattern
    return lambda: re.compile(python).search


def _at_most(limit: int) -> Callable[[], Callable[[str], bool]]:
    return lambda: lambda text: len(text) <= limit


def _at_least(limit: int) -> Callable[[], Callable[[str], bool]]:
    return lambda: lambda text: len(text) >= limit


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _is_real_date(text: str) -> bool:
    year, month, day = int(text[0:4]), int(text[5:7]), int(text[8:10])
    hour, minute, second = int(text[11:13]), int(text[14:16]), int(text[17:19])
    if not (year and 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]):
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (month != 2 or day < 29 or leap) and hour < 24 and minute < 60 and second < 60


def repeats(values: list[Any], hint: str | None) -> list[Problem]:
    seen: set[str] = set()
    found: list[Problem] = []
    for index, value in enumerate(values):
        mark = value if isinstance(value, str) else repr(value)
        if mark in seen and len(found) <= MAX_PROBLEMS:
            found.append(Problem((index,), "not_unique", f"repeats {quoted(value)}", hint))
        seen.add(mark)
    return found
