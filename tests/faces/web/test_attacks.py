"""What strangers write, forge or steal changes nothing, and shows as what it is."""

import re

import httpx
import pytest

from faces.clients import Served
from faces.web import story
from faces.web.conftest import link
from faces.web.forms import PAGES, secret, send, words
from waypost.faces.web.passes import Passes
from waypost.office import Office

CLAUDE = story.caller("claude")
PAYLOADS = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=alert(1)>",
    "</pre></code></main><script src=//evil.example/x.js></script>",
    "[press me](javascript:alert(1)) ![x](https://evil.example/p.png)",
    "{{ 7 * 7 }}{% raw %}",
    '" onmouseover="alert(1)" \'',
    "\u202etxt.exe\u2066 \x1b[31mred\x07 \x7f",
]
VIEWS = (*PAGES, "/inbox?agent=codex", "/search?q=from:claude", "/compose?to=codex")
_MARKUP = re.compile(r"<(?:script|img)\b[^>]*>")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_letters_are_text_on_every_page(
    dana: httpx.Client, office: Office, payload: str
) -> None:
    line = payload if payload.isprintable() else None  # else no line may hold it
    sent = office.send(CLAUDE, "codex", text=payload, subject=line)
    office.ask_human(CLAUDE, payload, [line] if line else None)
    office.reserve(CLAUDE, ["x/**"], reason=payload)
    pages = [f"/thread?id={sent.thread}", f"/thread?id={sent.thread}&tab=raw", "/reservations"]
    for path in (*pages, *VIEWS):
        text = dana.get(path).text
        assert _MARKUP.findall(text) == [
            f'<script src="/static/{name}.js" defer>'
            for name in ("htmx.min", "app", "keys", "telling")
        ]
        assert all(char.isprintable() or char in "\n\t" for char in text)


def test_a_million_characters_are_shown_in_bounds(dana: httpx.Client, office: Office) -> None:
    sent = office.send(CLAUDE, "codex", text="<b>" * 300_000)
    for path in (f"/thread?id={sent.thread}", f"/thread?id={sent.thread}&tab=raw", "/search?q=b"):
        answer = dana.get(path)
        assert answer.status_code == 200
        assert len(answer.text) < 1_500_000


def test_every_page_forbids_what_it_doesnt_need(dana: httpx.Client, town: Served) -> None:
    for answer in (dana.get("/"), httpx.get(town.url + "/")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/needs", "/live", "/journal", "/compose"])
def test_nothing_is_shown_without_a_session(town: Served, path: str) -> None:
    answer = httpx.get(town.url + path)
    assert answer.status_code == 401
    assert "waypost open" in answer.text
    assert "claude" not in answer.text


def test_a_link_is_good_once(town: Served) -> None:
    address = f"{town.url}/enter/{link(town.home)}"
    assert httpx.head(address).status_code == 405  # a preview doesn't use it up
    assert httpx.get(address).status_code == 200
    again = httpx.get(address)
    assert again.status_code == 403
    assert "set-cookie" not in again.headers


def test_an_old_link_lets_nobody_in(town: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.faces.web.passes.LINK_SECONDS", -1)
    assert httpx.get(f"{town.url}/enter/{link(town.home)}").status_code == 403


def test_a_session_is_no_link_and_a_link_no_session(town: Served, dana: httpx.Client) -> None:
    ((name, session),) = dana.cookies.items()
    assert httpx.get(f"{town.url}/enter/{session}").status_code == 403
    assert httpx.get(town.url, cookies={name: link(town.home)}).status_code == 401


def test_the_folder_of_passes_holds_no_secret(town: Served, dana: httpx.Client) -> None:
    (session,) = dana.cookies.values()
    files = list((town.home / "passes").iterdir())
    assert files
    for file in files:
        assert session not in file.name + file.read_text()
        assert file.stat().st_mode & 0o077 == 0


def test_the_cookie_is_for_us_alone(town: Served) -> None:
    cookie = httpx.get(f"{town.url}/enter/{link(town.home)}").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_a_form_without_the_sessions_secret_is_refused(dana: httpx.Client, office: Office) -> None:
    before = office.last()
    fields = {"type": "notification", "to": "codex", "text": "forged"}
    for forged in (fields, fields | {"secret": "0" * 64}, fields | {"secret": "\u00e4"}):
        assert dana.post("/compose", data=forged).status_code == 403
    assert office.last() == before


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example"]
)
def test_a_form_of_another_site_is_refused(dana: httpx.Client, origin: str) -> None:
    data = {"secret": secret(dana), "type": "notification", "to": "codex", "text": "forged"}
    assert dana.post("/compose", data=data, headers={"origin": origin}).status_code == 403


def test_another_hosts_name_is_refused(dana: httpx.Client) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", ""):
        assert dana.get("/", headers={"host": host}).status_code in (400, 421)


def test_whoever_leaves_is_out_everywhere(town: Served, dana: httpx.Client) -> None:
    cookies = dict(dana.cookies)
    assert dana.post("/leave", data={"secret": "wrong"}).status_code == 403
    send(dana, "/leave")
    assert httpx.get(town.url, cookies=cookies).status_code == 401


def test_a_session_opens_no_other_door(town: Served, dana: httpx.Client) -> None:
    assert dana.get("/api/needs").status_code == 401
    assert dana.post("/api/call/needs", json={}).status_code == 401


def test_an_agent_with_a_session_still_sees_no_more_than_agents_do(
    town: Served, office: Office
) -> None:
    with httpx.Client(base_url=town.url) as client:
        client.get("/enter/" + link(town.home, "codex"))
        refused = client.get("/needs")
    assert refused.status_code == 403
    assert "May I drop" not in refused.text


@pytest.mark.parametrize(
    "path",
    ["/thread?id=%00", "/inbox?agent=../../etc", "/inbox?after=x", "/agents?after=9" + "9" * 20,
     "/search?q=%F0%9F%92%A9%20%22", "/journal?after=-1", "/search?q=" + "a" * 600, "/?after=%FF",
     "/thread?id=" + "x" * 5000, "/compose?type=%3Cscript%3E", "/flow?span=never"],
)  # fmt: skip
def test_hostile_addresses_are_answered_in_words(dana: httpx.Client, path: str) -> None:
    answer = dana.get(path)
    assert answer.status_code < 500
    assert "<script>" not in answer.text
    assert words(answer)


def test_a_form_that_is_too_much_is_refused(dana: httpx.Client) -> None:
    many = {f"field.{number}": "x" for number in range(400)}
    assert dana.post("/compose", data=many).status_code == 400
    assert dana.post("/reply", json={"text": "not a form"}).status_code == 400


def test_passes_that_are_over_are_swept(town: Served) -> None:
    passes = Passes(str(town.home))
    (town.home / "passes" / ("0" * 64)).write_text(
        '{"kind":"link","person":"dana","project":"shop","until":1}'
    )
    passes.link("dana", "shop")
    assert not (town.home / "passes" / ("0" * 64)).exists()
