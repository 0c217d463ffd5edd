"""The numbers of a running office, read by a parser that forgives nothing."""

import re

import pytest

from office_town import PROJECT, Town, caller

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_SAMPLE = re.compile(rf"({_NAME}) (-?[0-9]+(?:\.[0-9]+)?)")
_UNITS = ("milliseconds", "kibibytes", "kilobytes", "percent")


def read(text: str) -> dict[str, tuple[str, float]]:
    """Kind and value of every number. Raises AssertionError for what the text format forbids."""
    assert text.endswith("\n")
    found: dict[str, tuple[str, float]] = {}
    lines = iter(text.removesuffix("\n").split("\n"))
    for told in lines:
        help_line = re.fullmatch(rf"# HELP ({_NAME}) (.+)", told)
        type_line = re.fullmatch(rf"# TYPE ({_NAME}) (counter|gauge)", next(lines))
        sample = _SAMPLE.fullmatch(next(lines))
        assert help_line
        assert type_line
        assert sample
        assert "\\" not in help_line[2]
        assert help_line[1] == type_line[1] == sample[1], "a family stands together"
        assert sample[1] not in found, "no number is told twice"
        found[sample[1]] = (type_line[2], float(sample[2]))
    return found


def test_prometheus_can_read_them_and_they_are_named_as_it_wants(town: Town) -> None:
    town.add("claude")
    town.add("codex", "folder")
    town.start()
    town.office.send(caller("claude"), "codex", text="Hello")
    town.file("codex")
    found = read(town.metrics())
    assert all(name.startswith("waypost_") for name in found)
    assert all(name.endswith("_total") == (kind == "counter") for name, (kind, _) in found.items())
    assert not [name for name in found if name.endswith(_UNITS)]
    assert (found["waypost_letters_total"][1], found["waypost_agents"][1]) == (1, 2)
    assert found["waypost_most_resident_bytes"][1] > 1 << 20
    assert not [name for name in ("claude", "codex", PROJECT) if name in town.metrics()]


@pytest.mark.parametrize(
    "wrong",
    ["", "# HELP a b\n# TYPE a gauge\na 1", "# HELP a b\n# TYPE a gauge\na x\n", "a 1\na 1\na 1\n"],
)
def test_the_parser_forgives_nothing(wrong: str) -> None:
    with pytest.raises((AssertionError, StopIteration)):
        read(wrong)
