"""Whatever rounds are played, the open findings are those of a simple model."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from reviewers import Pair, body, finding, refusal

# A round: what blocks among the new findings, and which of the known ones (by number, taken
# round the list) are withdrawn, reopened and addressed.
_SOME = st.lists(st.integers(0, 20), max_size=3)
_ROUND = st.tuples(st.lists(st.booleans(), max_size=3), _SOME, _SOME, _SOME)


class Model:
    """Two sets: what is known, and what of it is open."""

    def __init__(self) -> None:
        self.blocks: dict[str, bool] = {}
        self.open: set[str] = set()

    def chosen(self, numbers: list[int], among: list[str]) -> list[str]:
        names = [among[number % len(among)] for number in numbers] if among else []
        return list(dict.fromkeys(names))

    def find(self, new: list[bool], withdrawn: list[str], reopened: list[str]) -> None:
        names = [f"finding-{len(self.blocks) + count:03d}" for count in range(1, len(new) + 1)]
        self.blocks |= dict(zip(names, new, strict=True))
        self.open = (self.open - set(withdrawn)) | set(reopened) | set(names)

    @property
    def blocking(self) -> int:
        return sum(self.blocks[name] for name in self.open)


def play(pair: Pair, model: Model, new: list[bool], *picks: list[int]) -> None:
    """One round in both worlds."""
    withdrawn = model.chosen(picks[0], sorted(model.open))
    known = [name for name in model.blocks if name not in withdrawn]
    reopened = model.chosen(picks[1], known)
    findings = [finding(blocks=blocks) for blocks in new]
    step = pair.find(*findings, withdrawn=withdrawn, reopened=reopened, may_be_empty=True)
    model.find(new, withdrawn, reopened)
    assert body(step)["blocking_count"] == model.blocking
    settled = model.chosen(picks[2], sorted(model.open))
    if step.reviews[0].unsettled:
        assert body(pair.settle(ids=settled))["addressed_finding_ids"] == settled
        model.open -= set(settled)


@settings(max_examples=15)
@given(st.lists(_ROUND, max_size=5))
def test_open_is_what_the_model_says(
    rounds: list[tuple[list[bool], *tuple[list[int], ...]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair, model = Pair(Path(folder)), Model()
        pair.ask()
        for one in rounds:
            play(pair, model, *one)
            assert set(pair.open_ids()) == model.open
            assert len(pair.review().ledger.blocking) == model.blocking
        if model.blocking:
            assert refusal(pair.approve).code == "conflict"
        else:
            assert pair.approve().reviews[0].approved
