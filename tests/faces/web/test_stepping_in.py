"""A person steps in, in a real browser: helps letters on, keeps two apart, trusts and revokes."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from faces.clients import Served, served
from faces.web import story
from faces.web.conftest import link
from waypost.carriers.keyring import Peers, identity
from waypost.office import Office, open_office

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed here")
CLAUDE, CODEX, GEMINI = (story.caller(name) for name in ("claude", "codex", "gemini"))
DANA = story.caller("dana")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def troubled(tmp_path: Path) -> Iterator[tuple[Served, Office]]:
    """A server of its own over a story in which things went wrong."""
    with open_office(tmp_path / "home") as office:
        story.tell(office)
        story.peers(office)
        lost = office.send(CLAUDE, "gemini", text="Translate the glossary.")
        office.settle(GEMINI, lost.id, "bounced", "its mailbox is full")
        with served(tmp_path / "home", "--quic", "127.0.0.1:0") as server:
            yield server, office


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def page(
    request: pytest.FixtureRequest, browser: Browser, troubled: tuple[Served, Office]
) -> Iterator[Page]:
    server, _ = troubled
    context = browser.new_context(java_script_enabled=request.param, base_url=server.url)
    opened = context.new_page()
    opened.goto(f"/enter/{link(server.home)}")
    opened.wait_for_url(f"{server.url}/")
    yield opened
    context.close()


def test_a_stuck_letter_is_found_and_tried_again(
    page: Page, troubled: tuple[Served, Office]
) -> None:
    page.click("nav >> text=Undelivered")
    page.locator("li", has_text="Translate the glossary.").locator("button").click()
    expect(page.locator(".said")).to_contain_text("On its way again")
    assert "Translate the glossary." in [one.subject for one in troubled[1].inbox(GEMINI).letters]


def test_a_letter_that_came_back_is_given_to_somebody_else(
    page: Page, troubled: tuple[Served, Office]
) -> None:
    page.goto("/undelivered")
    page.get_by_role("checkbox", name="Choose “Translate the glossary.” for gemini").check()
    page.get_by_label("Give to").select_option("codex")
    page.get_by_label("Reason").fill("gemini is full")
    page.get_by_role("button", name="Redirect").click()
    expect(page.locator(".said")).to_contain_text("Given to somebody else")
    assert "Translate the glossary." in [one.subject for one in troubled[1].inbox(CODEX).letters]


def test_a_discarded_letter_needs_a_reason(page: Page, troubled: tuple[Served, Office]) -> None:
    page.goto("/undelivered")
    page.get_by_label("on this page").check()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("alert")).to_contain_text("needs a reason")
    page.get_by_label("on this page").check()
    page.get_by_label("Reason").fill("done by hand")
    page.get_by_role("button", name="Discard").click()
    expect(page.locator(".empty")).to_contain_text("Nothing came back")


def test_an_unread_letter_goes_from_one_inbox_to_another(
    page: Page, troubled: tuple[Served, Office]
) -> None:
    page.goto("/inbox?agent=gemini")
    row = page.locator("li", has_text="Page 2 needs an example.")
    row.locator("summary").click()
    row.get_by_label("Give it to").select_option("codex")
    row.get_by_role("button", name="Redirect").click()
    expect(page.locator(".said")).to_contain_text("Given to somebody else")
    expect(page.locator("main")).not_to_contain_text("Page 2 needs an example.")
    assert "Page 2 needs an example." in [one.subject for one in troubled[1].inbox(CODEX).letters]


def test_two_agents_that_loop_are_held_and_released(
    page: Page, troubled: tuple[Served, Office]
) -> None:
    _, office = troubled
    page.goto("/flow")
    row = page.locator("tr", has_text="claude").filter(has_text="gemini").first
    row.locator("summary").click()
    row.get_by_label("Why?").fill("they go round")
    row.get_by_role("button", name="Hold their letters").click()
    expect(page.locator("article.held")).to_contain_text("dana holds this")
    before = len(office.inbox(GEMINI).letters)
    office.send(CLAUDE, "gemini", text="Thank you!")
    assert len(office.inbox(GEMINI).letters) == before
    page.goto("/undelivered")
    expect(page.locator("main")).to_contain_text("they go round")
    page.goto("/flow")
    page.get_by_role("button", name="Release").click()
    expect(page.locator(".said")).to_contain_text("They may write again")
    assert "Thank you!" in [one.subject for one in office.inbox(GEMINI, limit=100).letters]


def test_who_knocked_is_enrolled_and_revoked_again(
    page: Page, troubled: tuple[Served, Office]
) -> None:
    server, office = troubled
    page.goto("/peers")
    knock = page.locator("article", has_text="192.168.1.20")
    knock.get_by_label("Enrol as").fill("carol")
    knock.get_by_role("button", name="Enrol").click()
    expect(page.locator(".said")).to_contain_text("Trusted from now on")
    trusted = Peers(server.home, identity(server.home, "claude", create=False))
    assert [peer.name for peer in trusted.all()] == ["carol", "family"]
    card = page.locator("article.peer", has_text="carol")
    card.locator("summary").click()
    card.get_by_role("button", name="Revoke carol").click()
    expect(page.locator(".said")).to_contain_text("Trusted no more")
    trusted.refresh()
    assert [peer.name for peer in trusted.all()] == ["family"]
    deeds = [(one.kind, one.actor, one.proof) for one in office.log(DANA, 2)]
    assert deeds == [("peer.revoked", "dana", "proven"), ("peer.enrolled", "dana", "proven")]


def test_a_peer_that_is_away_says_so_when_it_is_pinged(page: Page) -> None:
    page.goto("/peers")
    page.get_by_role("button", name="Ping family as claude").click()
    expect(page.locator("p.wrong")).to_be_visible()


def test_the_page_shows_no_private_key(page: Page, troubled: tuple[Served, Office]) -> None:
    page.goto("/peers")
    secret = (troubled[0].home / "keys" / "claude.key").read_text().splitlines()[1]
    assert secret not in page.content()
    assert "waypost://" in page.content()
