"""What all these tests need: the existing command, and a home that both commands share."""

import pytest

from interop import peer
from interop.desks import desks

__all__ = ["desks"]


@pytest.fixture(autouse=True, scope="session")
def the_existing_command() -> None:
    """Without it there is nothing to compare with."""
    if peer.programs() is None:
        pytest.skip("oacp-cli can't be installed here: no network, or no package index")
