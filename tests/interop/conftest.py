"""The home that both commands share in these tests."""

from interop.desks import desks

__all__ = ["desks"]
