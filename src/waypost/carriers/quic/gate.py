"""How many strangers may begin a handshake: so many at once, so many a second. Pure."""


class Gate:
    """Opens for the next handshake, or doesn't; the clock is an argument."""

    def __init__(self, at_once: int, a_second: float, now: float) -> None:
        self._at_once, self._a_second = at_once, a_second
        self._left, self._counted = a_second, now

    def opens(self, under_way: int, now: float) -> bool:
        """Let one in, if there is room; a second's worth may come in one burst."""
        grown = self._left + (now - self._counted) * self._a_second
        self._left, self._counted = min(self._a_second, grown), now
        if under_way >= self._at_once or self._left < 1:
            return False
        self._left -= 1
        return True
