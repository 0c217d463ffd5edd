"""The soak campaign in its short form: of some thousand exchanges none is lost or done twice.

`scripts/campaign soak` does hundreds of thousands, and looks at memory.
"""

import asyncio
from pathlib import Path

from campaigns.soak import Ledger, Memory, Outcome, soak


def test_exchanges_and_connects_are_each_done_once(tmp_path: Path) -> None:
    outcome = asyncio.run(soak(tmp_path, exchanges=2_000, connects=20))
    assert (outcome.wrong(), outcome.connects) == ([], 20)
    assert outcome.seen == outcome.sent >= 2_000


def test_what_comes_never_or_twice_is_noticed() -> None:
    ledger, outcome = Ledger(), Outcome()
    for number in (1, 2, 2, 4):
        ledger.note(number)
    outcome.sent, outcome.seen, outcome.doubled = 4, ledger.seen, ledger.doubled
    outcome.held = [(4, Memory(1, 1), Memory(1, 1))]
    assert outcome.wrong() == ["4 sent, 3 came, 1 more than once"]


def test_memory_that_grows_is_noticed() -> None:
    outcome = Outcome()
    outcome.sent = outcome.seen = 40_000
    flat, grown = Memory(1000, 1000), Memory(1000, 1200)
    outcome.held = [(20_000, flat, flat), (40_000, flat, grown)]
    (said,) = outcome.wrong()
    assert "has grown" in said
