"""File patterns: what is refused, and that braces are counted as a patient reader would."""

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import texts
from waypost.dialects.agentmail.patterns import MAX_EXPANSIONS, expand, flaw

_ATOMS = st.sampled_from(["a", "b.c", "*", "**", "?", "[xyz]", "[!a-c]", "[]]", "[{,}]", "ü"])


def _in_braces(parts: list[str]) -> str:
    return "{" + ",".join(parts) + "}"


_GROUPS = st.recursive(
    st.lists(_ATOMS, max_size=3).map("".join),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(_in_braces)
        | st.tuples(inner, inner).map("".join)
    ),
    max_leaves=7,
)
patterns = _GROUPS.map("src/".__add__)


def spelled_out(pattern: str) -> list[str]:
    """Replace the first braces by each of their alternatives, and so on until none are left."""
    plain = re.sub(r"\[!?\]?[^\]]*\]", lambda found: "." * len(found[0]), pattern)  # hide [...]
    start = plain.find("{")
    if start < 0:
        return [pattern]
    cuts, depth = [start], 0
    for offset in range(start + 1, len(plain)):
        if plain[offset] in ",}" and depth == 0:
            cuts.append(offset)
            if plain[offset] == "}":
                break
        depth += {"{": 1, "}": -1}.get(plain[offset], 0)
    parts = [pattern[one + 1 : other] for one, other in pairwise(cuts)]
    return [
        text
        for part in parts
        for text in spelled_out(pattern[:start] + part + pattern[cuts[-1] + 1 :])
    ]


@given(pattern=patterns)
def test_braces_stand_for_what_a_patient_reader_finds(pattern: str) -> None:
    assert sorted(expand(pattern)) == sorted(spelled_out(pattern))


@given(pattern=patterns)
def test_too_many_are_refused_and_no_fewer(pattern: str) -> None:
    too_many = len(spelled_out(pattern)) > MAX_EXPANSIONS
    assert (flaw(pattern) is not None) == too_many


@given(count=st.integers(1, 200))
def test_the_limit_is_met_exactly(count: int) -> None:
    alternatives = "{" + ",".join("a" * count) + "}"
    assert (flaw(alternatives) is None) == (count <= MAX_EXPANSIONS)


@given(pattern=_GROUPS | texts | st.text("{},.[]!/ab*", max_size=12))
def test_a_sound_pattern_is_sound_however_it_expands(pattern: str) -> None:
    assume(flaw(pattern) is None)
    expanded = [text for text in expand(pattern) if text.strip()]
    assert [text for text in expanded if text.startswith("/") or ".." in text.split("/")] == []


@pytest.mark.parametrize("pattern", ["a" * 9 + "{b,c}" * 400, "{" * 5000, "{a," * 3000, "[" * 5000])
def test_a_monstrous_pattern_is_refused_without_writing_it_out(pattern: str) -> None:
    assert flaw(pattern) is not None


SOUND = "src/**/*.ts *.md .github/** a..b/c docs/[a-z]?.md {a,b}/{c,d} ... } a,b ]"
OUTSIDE = "/etc/passwd ../x a/../b a/.. c:/x C:x {.,a}{.,b} .{.,x}/etc {,}/etc {/etc,a} {c,d}:/x"
BROKEN = "a\\b a/[b a{b {a,{b} [a/b] a/{,.}./b {a,../b}"


@pytest.mark.parametrize("pattern", [*SOUND.split(), "a b/c"])
def test_ordinary_patterns_are_sound(pattern: str) -> None:
    assert flaw(pattern) is None


@pytest.mark.parametrize("pattern", ["", "  ", *OUTSIDE.split(), *BROKEN.split()])
def test_patterns_that_leave_the_project_or_are_broken_are_refused(pattern: str) -> None:
    assert flaw(pattern) is not None
