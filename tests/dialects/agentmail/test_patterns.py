"""File patterns: what is refused, and that braces are counted as a patient reader would."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import texts
from waypost.dialects.agentmail.patterns import MAX_EXPANSIONS, expand, flaw

_ATOMS = st.sampled_from(["a", "b.c", "*", "**", "?", "/", "[xyz]", "[!a-c]", "[]]", "[{,}]", "ü"])
_GROUPS = st.recursive(
    st.lists(_ATOMS, max_size=3).map("".join),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"{{{','.join(parts)}}}")
        | st.tuples(inner, inner).map("".join)
    ),
    max_leaves=7,
)
patterns = _GROUPS.map("src/".__add__)


def spelled_out(pattern: str) -> list[str]:
    """Expand the first innermost braces, and what comes of it, until none are left."""
    inside_class = start = None
    for offset, character in enumerate(pattern):
        if inside_class is None and character == "[":
            inside_class = offset
        elif inside_class is not None:
            body = pattern[inside_class + 1 : offset].lstrip("!")
            inside_class = None if character == "]" and body else inside_class
        elif character == "{":
            start = offset
        elif character == "}" and start is not None:
            parts = _split(pattern[start + 1 : offset])
            joined = [pattern[:start] + part + pattern[offset + 1 :] for part in parts]
            return [text for one in joined for text in spelled_out(one)]
    return [pattern]


def _split(text: str) -> list[str]:
    """Split at commas outside [...]; the only comma inside one is in `[{,}]`."""
    return [part.replace("\0", "[{,}]") for part in text.replace("[{,}]", "\0").split(",")]


@given(pattern=patterns)
def test_braces_stand_for_what_a_patient_reader_finds(pattern: str) -> None:
    assume("//" not in pattern)
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


@pytest.mark.parametrize(
    "pattern",
    [
        "src/**/*.ts",
        "*.md",
        ".github/**",
        "a..b/c",
        "docs/[a-z]?.md",
        "{a,b}/{c,d}",
        "a b/c",
        "...",
        "}",
    ],
)
def test_ordinary_patterns_are_sound(pattern: str) -> None:
    assert flaw(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "  ",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a/..",
        "c:/x",
        "C:x",
        "a\\b",
        "a/[b",
        "a{b",
        "{a,{b}",
    ]
    + ["{.,a}{.,b}", ".{.,x}/etc", "{,}/etc", "{/etc,a}", "{c,d}:/x", "a/{,.}./b", "{a,../b}"],
)
def test_patterns_that_leave_the_project_or_are_broken_are_refused(pattern: str) -> None:
    assert flaw(pattern) is not None
