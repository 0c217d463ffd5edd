"""Attachments on pages: their addresses in letters as links of ours, and how a file is handed out.

Only an exact address becomes a link, and only one that the project keeps; where it leads is made of
its hash alone. A browser saves what it leads to, and never shows it.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from waypost.errors import visible
from waypost.faces.doorkeeper import LARGEST_BODY
from waypost.faces.enclosures import MOST
from waypost.letters.words import size
from waypost.office.attachments import LARGEST, SCHEME, Attachment

LIMITS = f"at most {MOST}, of {LARGEST >> 20} MiB each and {LARGEST_BODY >> 20} MiB together"
PATH = "/attachment/"
HEADERS = {
    "content-security-policy": "default-src 'none'; sandbox",
    "content-type": "application/octet-stream",
}
# The attachments of some hashes; None for one that was looked for and isn't kept.
Found = Mapping[str, Attachment | None]
NONE: Found = MappingProxyType({})
_MOST = 500
_ADDRESS = re.compile(rf"(?<![\w/.:-]){re.escape(SCHEME)}([0-9a-f]{{64}})(?![\w/-])", re.ASCII)
_NOT_IN_NAMES = re.compile(r'[/\\:*?"<>|]')
_KEPT = Markup('<a class="attachment" href="{}" title="{}">{}</a> <span class="small">{}</span>')
_GONE = ' <span class="small">(not kept here)</span>'


def hashes_in(said: Any, longest: int) -> list[str]:
    """The hashes of the first addresses in the texts of a value, each text as far as is shown."""
    found = (match[1] for text in _texts(said) for match in _ADDRESS.finditer(text[:longest]))
    return list(dict.fromkeys(islice(found, _MOST)))


def linked(markup: Markup, found: Found) -> Markup:
    """Safe markup, whose text is outside of tags only, with links in it.

    An address holds nothing that escaping changes, so it stands there as it was written. A name
    that was written before it isn't said twice.
    """
    if not found:
        return markup
    text, parts, at = str(markup), [], 0
    for match in _ADDRESS.finditer(text):
        before, kept = text[at : match.start()], found.get(match[1])
        if kept:
            parts += [before.removesuffix(f"{_name(kept)}: "), _link(kept)]
        else:
            parts += [before, match[0], _GONE if match[1] in found else ""]
        at = match.end()
    return Markup("".join((*parts, text[at:])))


def disposition(name: str) -> str:
    """The header that has a browser save a file, under a name that leads nowhere (RFC 6266)."""
    safe = "".join(char if char.isprintable() else "_" for char in _NOT_IN_NAMES.sub("_", name))
    plain = "".join(char if char.isascii() else "_" for char in safe)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}"


def _link(kept: Attachment) -> Markup:
    sha256 = kept.uri.removeprefix(SCHEME)
    return _KEPT.format(PATH + sha256, kept.uri, _name(kept), size(kept.size))


def _name(kept: Attachment) -> Markup:
    return escape(visible(kept.name))


def _texts(said: Any) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    elif isinstance(said, Mapping):
        said = list(said.values())
    if isinstance(said, list | tuple):
        for one in said:
            yield from _texts(one)
