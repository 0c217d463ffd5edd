"""Putting one paragraph between marks into a page of Markdown, and taking it out again."""

from typing import NamedTuple

from waypost.errors import UsageError

BEGIN, END = "<!-- waypost:begin -->", "<!-- waypost:end -->"


class Page(NamedTuple):
    """A page; an empty text stands for no file."""

    text: str
    name: str  # for refusals

    def put(self, paragraph: str) -> "Page":
        """With the paragraph between the marks: where it is already, else at the end."""
        eol = self._eol()
        block = eol.join([BEGIN, *paragraph.strip().splitlines(), END])
        if (span := self._find()) is not None:
            return Page(self.text[: span[0]] + block + self.text[span[1] :], self.name)
        if not self.text:
            return Page(block + eol, self.name)
        if self.text.endswith("\n"):
            return Page(self.text + eol + block + eol, self.name)
        return Page(self.text + eol + eol + block, self.name)  # ends as it did: in the line

    def drop(self) -> "Page":
        """Without the paragraph and its marks."""
        if (span := self._find()) is None:
            return self
        eol = self._eol()
        before, after = self.text[: span[0]], self.text[span[1] :]
        if after:
            after = after.removeprefix(eol)
            before = before.removesuffix(eol) if before.endswith(eol + eol) else before
        else:
            before = before.removesuffix(eol + eol)
        return Page(before + after, self.name)

    def holds(self) -> bool:
        """Whether the paragraph is there."""
        return self._find() is not None

    def _eol(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _find(self) -> tuple[int, int] | None:
        """From the first mark to the end of the last. Raises UsageError when they aren't a pair."""
        start, end = self.text.find(BEGIN), self.text.find(END)
        if start == end == -1:
            return None
        if self.text.count(BEGIN) == self.text.count(END) == 1 and start < end:
            return start, end + len(END)
        line = self.text.count("\n", 0, max(0, start if start >= 0 else end)) + 1
        raise UsageError(
            f"{self.name} doesn't have one {BEGIN} and then one {END} (see line {line})",
            hint="take those lines out, then do it again; nothing was changed",
        )
