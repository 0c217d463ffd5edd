"""The transcripts of the guides: who says what to which command, and what it prints."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def steps(page: str, program: str, *who: str) -> list[tuple[str, str, str]]:
    """Who says what, and what it prints; a step that shows nothing needs what isn't there."""
    prompt = "|".join(rf"{name}\$" for name in who)
    step = rf"^({'|'.join(who)})\$ {program}(.*)\n((?:(?!{prompt}).*\n)*)"
    blocks = _BLOCK.findall((DOCS / page).read_text())
    found = [one for block in blocks for one in re.findall(step, block, re.MULTILINE)]
    return [one for one in found if one[2]]
