"""`waypost demo`: a whole office at work, checked while it is shown."""

import json

from commands.terminal import say


def test_the_demo_shows_three_dialects_a_conflict_a_stranger_and_a_crash() -> None:
    said = say("waypost", "demo", "--json")
    assert (said.code, said.err.splitlines()[0]) == (
        0, "Every line was checked before it was shown.")  # fmt: skip
    lines = said.objects
    assert all(set(line) == {"who", "dialect", "what"} for line in lines)
    assert {"OACP", "ACP", "Agent Mail"} <= {line["dialect"] for line in lines}
    told = json.dumps(lines)
    for what in ("conflict", "refused", "kill -9", "none lost, none twice", "Port 8443"):
        assert what in told
