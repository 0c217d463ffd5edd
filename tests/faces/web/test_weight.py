"""What a first look costs: a page with all that it needs stays under 100 KB."""

import re

import httpx

from faces.web.forms import PAGES

_NEEDED = re.compile(r'(?:src|href)="(/static/[^"]+)"')
_MOST = 60_000  # 100 KB are promised; this leaves room for what lists hold


def test_every_view_with_all_it_needs_is_light(dana: httpx.Client) -> None:
    heavy = {}
    for path in PAGES:
        page = dana.get(path)
        parts = [page, *(dana.get(found) for found in sorted(set(_NEEDED.findall(page.text))))]
        size = sum(part.num_bytes_downloaded for part in parts)
        if size >= _MOST:
            heavy[path] = size
    assert heavy == {}
