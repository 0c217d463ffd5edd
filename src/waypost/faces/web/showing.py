"""How pages are written: the templates, and how times, names and strangers' words look in them."""

import time
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from waypost.errors import visible
from waypost.faces.web.attached import LIMITS, NONE, Found
from waypost.faces.web.markdown import harmless, rendered
from waypost.letters.words import brief, word
from waypost.office.views import when

_STEPS = ((86_400, "d"), (3600, "h"), (60, "min"))
_MOST_ITEMS = 200
_DEEPEST = 8


@cache
def templates() -> Environment:
    """The templates; whatever they show is escaped, and nothing that is missing is passed over."""
    made = Environment(
        loader=PackageLoader("waypost.faces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_shown,
    )
    made.filters |= {
        "ago": ago, "brief": brief, "value": value, "word": word, "text": rendered,
        "harmless": harmless, "segment": segment, "plural": plural,
    }  # fmt: skip
    made.globals |= {"url": url, "limits": LIMITS}
    return made


def write(template: str, given: Mapping[str, Any]) -> str:
    """A page as text."""
    return templates().get_template(template).render(given)


def ago(milliseconds: int | None) -> Markup:
    """A time as one says it, with the exact one on hover and for programs."""
    if milliseconds is None:
        return Markup("")
    exact = when(milliseconds)
    return Markup('<time datetime="{0}" title="{0}" data-at="{1}">{2}</time>').format(
        exact, milliseconds, _distance(milliseconds / 1000 - time.time())
    )


def url(path: str, /, **query: Any) -> str:
    """An address on this site; what is empty is left out of its query."""
    filled = {key: value for key, value in query.items() if value not in (None, "", False)}
    return path + ("?" + urlencode(filled) if filled else "")


def segment(text: str) -> str:
    """A text as one part of a path."""
    return quote(text, safe="")


def plural(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def value(said: Any, found: Found = NONE, depth: int = 0) -> Markup:
    """Any value of a message: mappings as definitions, lists as lists, text as text.

    The addresses of `found` in it become links.
    """
    if isinstance(said, str):
        return rendered(said, found)
    if depth > _DEEPEST:
        return Markup("<p>…</p>")
    if isinstance(said, Mapping):
        pairs = [
            Markup("<dt>{}</dt><dd>{}</dd>").format(_label(key), value(inside, found, depth + 1))
            for key, inside in list(said.items())[:_MOST_ITEMS]
        ]
        return Markup("<dl>{}</dl>").format(Markup("").join(pairs))
    if isinstance(said, list):
        items = [
            Markup("<li>{}</li>").format(value(item, found, depth + 1))
            for item in said[:_MOST_ITEMS]
        ]
        return Markup("<ul>{}</ul>").format(Markup("").join(items)) if items else Markup("<p>–</p>")
    return Markup("<p>{}</p>").format(_plain(said))


def _plain(found: Any) -> str:
    if found is None:
        return "–"
    return str(found) if not isinstance(found, bool) else "yes" if found else "no"


def _label(key: object) -> str:
    return visible(str(key)[:100]).replace("_", " ")


def _distance(seconds: float) -> str:
    size = abs(seconds)
    for step, unit in _STEPS:
        if size >= step:
            said = f"{int(size // step)} {unit}"
            return f"{said} ago" if seconds < 0 else f"in {said}"
    return "just now" if seconds < 0 else "in a moment"


def _shown(found: Any) -> Any:
    """Every text that a template shows, with control and bidirectional characters written out."""
    if isinstance(found, Markup) or not isinstance(found, str):
        return found
    return harmless(found)
