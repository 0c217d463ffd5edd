"""Two patterns share a path exactly when there is one, and finding out never takes long."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from path_oracle import PATHS, matched

from waypost.dialects.agentmail.overlap import Comparison, beginning, matches, overlap
from waypost.dialects.agentmail.patterns import flaw
from waypost.errors import UsageError

_PIECES = [
    "a",
    "b",
    ".",
    "a",
    "b",
    "*",
    "*",
    "?",
    "[ab]",
    "[!a]",
    "[^.]",
    "[.-a]",
    "[a-b]",
    "{a,b}",
    "{a,*}",
    "{.a,b?}",
]
_SHORT_TEXTS = st.text("ab{},[]!*?/.", min_size=1, max_size=12)


def some_pattern(chance: random.Random) -> str:
    """A pattern whose shared paths, if there are any, have one among the oracle's."""
    while True:
        names = [
            "**"
            if chance.random() < 0.2
            else "".join(chance.choices(_PIECES, k=chance.choice((1, 1, 2, 3))))
            for _ in range(chance.choice((1, 1, 2, 2, 3)))
        ]
        if flaw("/".join(names)) is None and not {".", ".."} & set(names):
            return "/".join(names)


def is_short(path: str) -> bool:
    """Whether the oracle would have tried the path, were its letters among the oracle's."""
    longest = {1: 3, 2: 2, 3: 1}.get(path.count("/") + 1, 0)
    return max(map(len, path.split("/"))) <= longest


def test_five_thousand_pairs_agree_with_a_patient_reader() -> None:
    chance = random.Random(7117)
    shared = none = longer = 0
    for _ in range(5000):
        left, right = some_pattern(chance), some_pattern(chance)
        both = matched(left) & matched(right)
        path = overlap(left, right)
        assert path is not None or not both, (left, right, both)
        if path is None:
            none += 1
        elif both:
            shared += 1
        else:
            longer += 1
            assert not is_short(path) or re.search("[^ab./]", path), (left, right, path)
        if path is not None:
            assert matches(left, path), (left, path)
            assert matches(right, path), (right, path)
    assert min(shared, none) > 1000
    assert longer < 500


@pytest.mark.parametrize("seed", range(20))
def test_a_pattern_matches_the_paths_that_a_patient_reader_finds(seed: int) -> None:
    pattern = some_pattern(random.Random(seed))
    assert {path for path in PATHS if matches(pattern, path)} == matched(pattern)


def pairs(text: str) -> list[tuple[str, str]]:
    words = text.split()
    return list(zip(words[::2], words[1::2], strict=True))


MEETING = """
src/** src/auth/login.ts          src/**/*.ts src/login.ts     src/** **/*.py
** .github/workflows/x.yml        src/** src                   src/ src/a/b
*.md README.md                    a/[a-c]x a/[!a]x             {src,lib}/** **/{lib,bin}/*
./src//x src/x                    *a*b* b*a*                   [[]x] *]
"""
APART = """
*.ts *.tsx    src/* src/a/b       README.md readme.md          [a-c] [d-f]
src/** source/**   [!a]* a*       a?c abbc                     **/test/** src/main/x
[.] *         .? ?.               [+-.]x [0-9]x               src src/x
"""


@pytest.mark.parametrize(("left", "right"), pairs(MEETING))
def test_these_meet_in_a_path_that_both_match(left: str, right: str) -> None:
    path = overlap(left, right)
    assert path is not None
    assert (matches(left, path), matches(right, path)) == (True, True)


@pytest.mark.parametrize(("left", "right"), pairs(APART))
def test_these_never_meet(left: str, right: str) -> None:
    assert (overlap(left, right), overlap(right, left)) == (None, None)


def test_an_example_reads_like_a_file() -> None:
    assert overlap("src/**", "**/*.py") == "src/x.py"
    assert overlap("**", "**") == "x"


@given(pattern=_SHORT_TEXTS, other=_SHORT_TEXTS)
def test_either_may_come_first_and_everything_meets_all_files(pattern: str, other: str) -> None:
    if flaw(pattern) or flaw(other):
        return
    assert (overlap(pattern, other) is None) == (overlap(other, pattern) is None)
    assert overlap(pattern, "**") == overlap("**", pattern)


@given(path=st.text("a[]{}*?!-.,/\n\udc80", min_size=1))
def test_nothing_in_a_path_is_special(path: str) -> None:
    names = path.split("/")
    is_path = not path.startswith("/") and ".." not in names and set(names) - {"", "."}
    assert matches("**", path) == bool(is_path)


def test_no_path_leaves_the_project() -> None:
    assert [matches("**", path) for path in ("../x", "/x", "a/../b", "", ".")] == [False] * 5


@pytest.mark.parametrize("pattern", ["/x", "../x", "a{b", "", "[", "[b-a]"])
def test_an_unsound_pattern_is_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        overlap("src/**", pattern)
    assert caught.value.hint


def far(count: int, step: int = 1, first: int = 0x4E00) -> list[str]:
    return [chr(first + step * at) for at in range(count)]


HOSTILE = {
    "stars": ("*a" * 2000, "*b" * 2000 + "a"),
    "stars that nearly meet": ("*a" * 2000, "*a" * 1999 + "*b*"),
    "folders": ("**/a*/" * 100 + "*", "**/*b/" * 100 + "*"),
    "all folders": ("**/*a/" * 200 + "x*", "*b/**/" * 200 + "*y"),
    "alternatives": tuple(
        "{" + ",".join(f"*{chr(97 + at % 26)}{end}*/**/*" for at in range(64)) + "}" for end in "xy"
    ),
    "groups": ("{*a,*b}" * 6, "{c*,d*}" * 6),
    "sets": ("".join(f"[{a}-{b}]" for a, b in zip(far(800), far(800, first=0x5000), strict=True)),)
    * 2,
    "characters": ("".join(far(4000)) + "*", "*".join(far(2000))),
    "names all different": ("/".join(far(500, 2)) + "/**/*", "**/" + "/**/".join(far(250, 3))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_patterns_cost_a_bounded_number_of_steps(name: str) -> None:
    left, right = HOSTILE[name]
    comparison = Comparison()
    comparison.shared(left, right)
    assert comparison.steps < 1_000_000


@pytest.mark.parametrize("pattern", ["{a,b}{c,d}" + "x" * 2000, "a/" * 600 + "b"])
def test_what_would_cost_more_is_refused_as_too_long(pattern: str) -> None:
    assert "braces spelled out" in (flaw(pattern) or "")


def test_ten_thousand_patterns_of_other_folders_cost_nothing() -> None:
    comparison = Comparison()
    patterns = [f"packages/part{number}/**/*.py" for number in range(10_000)]
    wanted = "packages/part77/src/{a,b}*.py"
    met = [pattern for pattern in patterns if comparison.shared(pattern, wanted)]
    assert met == ["packages/part77/**/*.py"]
    assert comparison.steps < 200


@given(seeds=st.tuples(st.integers(), st.integers()))
def test_patterns_meet_only_where_their_beginnings_do(seeds: tuple[int, int]) -> None:
    left, right = (some_pattern(random.Random(seed)) for seed in seeds)
    one, other = beginning(left), beginning(right)
    if overlap(left, right):
        assert one.startswith(other) or other.startswith(one)


def test_a_beginning_is_what_all_matches_begin_with() -> None:
    wanted = {"src/**": "src", "src/a*.py": "src/a", "{src,sub}/x": "s", "**/x": "", "a/b": "a/b"}
    assert {pattern: beginning(pattern) for pattern in wanted} == wanted
