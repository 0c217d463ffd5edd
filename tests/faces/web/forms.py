"""Reading pages and sending their forms as a browser without scripts does."""

import re
from html import unescape

import httpx

from waypost.faces.web.site import _NAVIGATION, DONE, SHOWN

PAGES = tuple(dict.fromkeys((*SHOWN, *(path for path, *_ in _NAVIGATION))))
CHANGING = (*DONE, "/peers/enrol", "/peers/revoke", "/peers/ping", "/told", "/leave")
_SECRET = re.compile(r'name="secret" value="([0-9a-f]{64})"')
_TAGS = re.compile(r"<[^>]*>")


def secret(client: httpx.Client) -> str:
    """The secret that the forms of a session carry."""
    found = _SECRET.search(client.get("/").text)
    assert found is not None
    return found[1]


def send(client: httpx.Client, path: str, **fields: str) -> httpx.Response:
    """Send a form with the session's secret in it."""
    return client.post(path, data={"secret": secret(client), **fields})


def upload(
    client: httpx.Client, path: str, files: list[tuple[str, bytes]], **fields: str
) -> httpx.Response:
    """Send a form with files, each a name and its bytes."""
    data = {"secret": secret(client), **fields}
    return client.post(path, data=data, files=[("files", one) for one in files])


def words(answer: httpx.Response) -> str:
    """What a person reads on a page."""
    main = answer.text.partition("<main")[2].partition("</main>")[0]
    return " ".join(unescape(_TAGS.sub(" ", main)).split())
