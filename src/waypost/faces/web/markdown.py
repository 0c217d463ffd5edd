"""A letter's text as a page shows it: a little Markdown, and nothing that acts.

Headings, lists, quotes, code, bold and emphasis. Links and images stay text, HTML stays text, and
what a page would obey (control and bidirectional characters) is written out. Only the address of an
attachment that the project keeps becomes a link, which is ours.
"""

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from waypost.errors import visible
from waypost.faces.web.attached import NONE, Found, linked

MOST_CHARACTERS = 60_000
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_ITEM = re.compile(r"^\s{0,8}(?:[-*+]|\d{1,4}[.)])\s+(.+)$")
_QUOTE = re.compile(r"^ {0,3}> ?(.*)$")
_CODE = re.compile(r"(`[^`\n]+`)")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*\n]{0,300})\*(?![\w*])")


def harmless(text: str) -> str:
    """A text with what a page would obey written out; lines and tabs stay."""
    return visible(text.replace("\r\n", "\n"), keep="\n\t")


def rendered(text: str, found: Found = NONE) -> Markup:
    """A text as safe markup; what is beyond the limit is left to the raw form, and that is said."""
    cut = text[:MOST_CHARACTERS]
    parts = list(_blocks(harmless(cut).split("\n")))
    if len(cut) < len(text):
        parts.append(Markup("<p class=cut>The text goes on; see its raw form.</p>"))
    return linked(Markup("\n").join(parts), found)


def _blocks(lines: list[str]) -> Iterator[Markup]:
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if fence := _FENCE.match(line):
            while end < len(lines) and not lines[end].lstrip().startswith(fence[1]):
                end += 1
            yield Markup("<pre><code>{}</code></pre>").format("\n".join(lines[at + 1 : end]))
            end += 1
        elif heading := _HEADING.match(line):
            yield Markup("<p class=heading>{}</p>").format(_inline(heading[2]))
        elif kind := _kind(line):
            while end < len(lines) and _kind(lines[end]) == kind:
                end += 1
            yield _group(kind, lines[at:end])
        elif line.strip():
            while end < len(lines) and lines[end].strip() and not _begins(lines[end]):
                end += 1
            yield Markup("<p>{}</p>").format(_joined(lines[at:end]))
        at = end


def _kind(line: str) -> str:
    return "list" if _ITEM.match(line) else "quote" if _QUOTE.match(line) else ""


def _begins(line: str) -> bool:
    """Whether a line ends the paragraph before it."""
    return bool(_kind(line) or _FENCE.match(line) or _HEADING.match(line))


def _group(kind: str, lines: list[str]) -> Markup:
    if kind == "quote":
        inside = [match[1] for line in lines if (match := _QUOTE.match(line))]
        return Markup("<blockquote>{}</blockquote>").format(_joined(inside))
    items = [match[1] for line in lines if (match := _ITEM.match(line))]
    shown = [Markup("<li>{}</li>").format(_inline(item)) for item in items]
    return Markup("<ul>{}</ul>").format(Markup("").join(shown))


def _joined(lines: list[str]) -> Markup:
    return Markup("<br>").join(_inline(line) for line in lines)


def _inline(text: str) -> Markup:
    return Markup("").join(_span(part) for part in _CODE.split(text))


def _span(part: str) -> Markup:
    if _CODE.fullmatch(part):
        return Markup("<code>{}</code>").format(part[1:-1])
    bold = _BOLD.sub(r"<strong>\1</strong>", str(escape(part)))
    return Markup(_EMPHASIS.sub(r"<em>\1</em>", bold))
