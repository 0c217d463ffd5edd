"""Who comes from another site, under another name, or with another's link, gets nowhere."""

import json
import time
from pathlib import Path

import httpx
import pytest

from commands.terminal import say
from faces.clients import Served
from faces.web import story
from faces.web.conftest import link
from faces.web.forms import CHANGING, PAGES, secret, send
from waypost.faces.web.passes import FOLDER, Passes
from waypost.office import Office

CLAUDE, DANA = story.caller("claude"), story.caller("dana")
STRANGERS = ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[::1].x", "")


def enter(town: Served, **more: str) -> httpx.Response:
    return httpx.get(f"{town.url}/enter/{link(town.home)}", **more)  # type: ignore[arg-type]


def test_no_answer_can_be_framed_sniffed_or_opened_by_another_site(dana: httpx.Client) -> None:
    for path in (*PAGES, "/enter/nothing", "/static/app.js", "/choices", "/thread?id=nothing"):
        headers = dana.get(path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert "base-uri 'none'" in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["cross-origin-opener-policy"] == "same-origin", path
        assert headers["referrer-policy"] == "same-origin", path
        assert "access-control-allow-origin" not in headers, path


def test_the_cookie_is_for_our_server_alone(town: Served) -> None:
    (cookie,) = enter(town).headers.get_list("set-cookie")
    words = [word.strip().lower() for word in cookie.split(";")]
    assert {"httponly", "samesite=strict", "path=/"} <= set(words)
    assert not any(word.startswith("domain") for word in words)


def test_nothing_is_done_by_an_address(dana: httpx.Client, office: Office) -> None:
    before, given = office.last(), {"secret": secret(dana), "letter": "x", "text": "x"}
    for path in CHANGING:
        answer = dana.get(path, params=given)
        assert answer.status_code == (200 if path in PAGES else 405), path
    assert office.last() == before


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
     {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "null"}],
)  # fmt: skip
def test_another_sites_form_changes_nothing(
    dana: httpx.Client, office: Office, headers: dict[str, str]
) -> None:
    before = office.last()
    for path in CHANGING:
        for data in ({"text": "x"}, {"secret": "0" * 64}):
            assert dana.post(path, data=data, headers=headers).status_code == 403, path
    assert office.last() == before


def test_the_secret_of_another_session_opens_nothing(town: Served, dana: httpx.Client) -> None:
    with httpx.Client(base_url=town.url) as other:
        other.get("/enter/" + link(town.home))
        stolen = secret(other)
    answer = dana.post("/compose", data={"secret": stolen, "to": "codex", "text": "forged"})
    assert answer.status_code == 403


@pytest.mark.parametrize("host", STRANGERS)
def test_a_name_that_was_bound_to_our_address_opens_no_door(dana: httpx.Client, host: str) -> None:
    for path in ("/", "/live", "/choices", "/static/app.js", "/api/needs", "/mcp"):
        answer = dana.get(path, headers={"host": host})
        assert answer.status_code in (400, 421), path
        assert "claude" not in answer.text, path


def test_a_rebound_name_doesnt_even_use_a_link_up(town: Served) -> None:
    address = f"{town.url}/enter/{link(town.home)}"
    assert httpx.get(address, headers={"host": "evil.example"}).status_code == 421
    assert httpx.get(address).status_code == 200


@pytest.mark.parametrize("guess", ["x", "A" * 43, "A" * 44, "..%2Fpasses", "%00" * 43, "é" * 43])
def test_a_guessed_link_lets_nobody_in(town: Served, guess: str) -> None:
    answer = httpx.get(f"{town.url}/enter/{guess}")
    assert answer.status_code in (403, 404)
    assert "set-cookie" not in answer.headers


def test_a_link_is_no_session_and_a_session_no_link(town: Served) -> None:
    name = f"waypost-{httpx.URL(town.url).port}"
    unused = link(town.home)
    assert httpx.get(town.url, cookies={name: unused}).status_code == 401
    session = enter(town).cookies[name]
    assert httpx.get(f"{town.url}/enter/{session}").status_code == 403


def test_an_old_link_and_an_old_session_are_over(town: Served) -> None:
    def age(path: Path) -> None:
        path.write_text(json.dumps({**json.loads(path.read_text()), "until": time.time() - 1}))

    known = set((town.home / FOLDER).iterdir())
    old = link(town.home)
    (made,) = set((town.home / FOLDER).iterdir()) - known
    age(made)
    assert httpx.get(f"{town.url}/enter/{old}").status_code == 403
    cookies = enter(town).cookies
    for path in (town.home / FOLDER).iterdir():
        age(path)
    assert httpx.get(town.url, cookies=cookies).status_code == 401


def test_a_session_that_somebody_planted_isnt_taken_over(town: Served) -> None:
    name = f"waypost-{httpx.URL(town.url).port}"
    planted = "P" * 43
    answer = enter(town, cookies={name: planted})  # type: ignore[arg-type]
    assert answer.cookies[name] != planted
    assert httpx.get(town.url, cookies={name: planted}).status_code == 401


def test_a_home_that_is_looked_into_gives_no_way_in(town: Served) -> None:
    enter(town)
    name = f"waypost-{httpx.URL(town.url).port}"
    for path in (town.home / FOLDER).iterdir():
        assert httpx.get(town.url, cookies={name: path.name}).status_code == 401
        assert path.stat().st_mode & 0o077 == 0


def test_every_session_of_somebody_is_ended_by_one_command(town: Served, office: Office) -> None:
    cookies, unused = enter(town).cookies, link(town.home)
    whose = ("--as", "dana", "--project", story.PROJECT, "--home", str(town.home))
    said = say("waypost", "open", "--end", "--json", *whose)
    assert said.code == 0
    assert json.loads(said.out)["ended"] >= 2
    assert httpx.get(town.url, cookies=cookies).status_code == 401
    assert httpx.get(f"{town.url}/enter/{unused}").status_code == 403


def test_an_open_page_hears_nothing_more_once_its_session_is_over(
    town: Served, dana: httpx.Client, office: Office
) -> None:
    with dana.stream("GET", "/live", params={"after": office.last()}) as answer:
        lines = answer.iter_lines()
        next(lines)
        Passes(str(town.home)).end_all("dana", story.PROJECT)
        office.send(CLAUDE, "codex", text="not for you any more")
        assert [line for line in lines if line.startswith("event:")] == ["event: over"]


def test_a_person_whose_token_is_taken_keeps_no_api_but_the_session_that_is_its_own(
    town: Served, dana: httpx.Client, office: Office
) -> None:
    token = office.rotate_token(DANA).token
    proof = {"authorization": f"Bearer {token}"}
    assert httpx.get(town.url + "/api/needs", headers=proof).status_code == 200
    office.revoke_token(DANA)
    assert httpx.get(town.url + "/api/needs", headers=proof).status_code == 401
    assert dana.get("/needs").status_code == 200  # ended by leaving, or by waypost open --end


def test_a_session_in_a_project_that_is_gone_shows_nothing(town: Served) -> None:
    stray = Passes(str(town.home)).link("nobody", "no-such-project")
    with httpx.Client(base_url=town.url) as client:
        assert client.get("/enter/" + stray).status_code == 200
        for path in PAGES:
            answer = client.get(path)
            assert answer.status_code in (403, 404), path
            assert "legacy_orders" not in answer.text


def test_undo_takes_back_only_what_is_ones_own(dana: httpx.Client, office: Office) -> None:
    sent = office.send(CLAUDE, "codex", text="Mine, not yours")
    for did, status in (("sent", 403), ("put_away", 403), ("released", 400)):
        assert send(dana, "/undo", did=did, letter=sent.id).status_code == status
    (state,) = office.thread(CLAUDE, sent.thread).letters[0].states.values()
    assert state == "stored"
