"""How the page feels in a real browser: keys, the palette, undo, failures that are told."""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from faces.clients import Served, served
from faces.web import story
from faces.web.conftest import link
from waypost.faces.web.passes import FOLDER
from waypost.office import Office, inboxes, open_office
from waypost.office.states import State

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed here")
CLAUDE, CODEX, DANA = map(story.caller, ("claude", "codex", "dana"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


def enter(context: BrowserContext, server: Served) -> Page:
    page = context.new_page()
    page.goto(f"{server.url}/enter/{link(server.home)}")
    page.wait_for_url(f"{server.url}/")
    expect(page.locator("#mark")).to_have_text("live")
    return page


@pytest.fixture
def page(browser: Browser, town: Served) -> Iterator[Page]:
    context = browser.new_context()
    yield enter(context, town)
    context.close()


def choose(page: Page, words: str) -> None:
    """Go to the row that holds these words, by keys."""
    page.keyboard.press("j")
    while words not in page.locator("[data-row].here").inner_text():
        page.keyboard.press("j")


# -- keys -----------------------------------------------------------------------------------------


def test_the_sheet_lists_every_key_that_does_something(page: Page) -> None:
    page.keyboard.press("?")
    shown = page.locator("#keys dt").all_inner_texts()
    known = page.evaluate("KEYS.flatMap((key) => key.on)")
    assert len(known) > 12
    for key in known:
        assert any(text.split()[0].lower() == key.lower() for text in shown), key
    assert "g i" in [" ".join(text.split()) for text in shown]


def test_put_away_by_a_key_and_brought_back_by_another(page: Page, office: Office) -> None:
    asked = office.ask_human(CODEX, "Put me away?", priority="urgent")
    page.goto(page.url + "needs")
    page.keyboard.press("e")  # nothing is chosen yet, so nothing is put away
    choose(page, "Put me away?")
    page.keyboard.press("e")
    expect(page.locator(".said")).to_have_text("Put away.")
    assert asked.id not in [one.header.id for one in office.needs(DANA).letters]
    page.keyboard.press("z")
    expect(page.locator(".said")).to_contain_text("Undone")
    assert asked.id in [one.header.id for one in office.needs(DANA).letters]


def test_deny_asks_for_the_reason_first(page: Page, office: Office) -> None:
    asked = office.ask_human(CODEX, "May I force-push?", priority="urgent")
    page.goto(page.url + "needs")
    choose(page, "May I force-push?")
    page.keyboard.press("d")
    page.keyboard.type("others work there")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".said")).to_contain_text("Denied")
    (reply,) = [one for one in office.inbox(CODEX).letters if one.reply_to == asked.id]
    assert reply.subject == "Denied: others work there"


def test_release_by_a_key_opens_the_reason(page: Page, office: Office) -> None:
    office.reserve(CLAUDE, ["by/keys/**"])
    page.goto(page.url + "reservations")
    choose(page, "by/keys/**")
    page.keyboard.press("d")
    expect(page.locator("[data-row].here input[name=reason]")).to_be_focused()
    page.keyboard.type("stale")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text("free")


def test_a_letter_that_came_back_is_discarded_by_keys(page: Page, office: Office) -> None:
    sent = office.send(CLAUDE, "gemini", text="Nobody fetches me", expires_minutes=60)
    with office.desk.database.reading() as tables:
        box = tables.value("SELECT id FROM agents WHERE name = 'gemini'")
    inboxes.move(office.desk, CLAUDE, [(sent.position, box)], State.EXPIRED)
    page.goto(page.url + "undelivered")
    choose(page, "Nobody fetches me")
    page.keyboard.press("d")
    page.keyboard.type("it is old")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".said")).to_be_visible()
    subjects = [one.header.subject for one in office.undelivered(DANA).failures]
    assert "Nobody fetches me" not in subjects


# -- the palette ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "path"),
    [("journal", "/journal"), ("gemini inbox", "/inbox?agent=gemini"),
     ("error report", "/compose?type=error_report"), ("no such place", "/search?q=no+such+place")],
)  # fmt: skip
def test_the_palette_goes_anywhere(page: Page, town: Served, typed: str, path: str) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    page.wait_for_url(town.url + path)


def test_the_palette_is_driven_by_arrows_and_left_by_escape(page: Page) -> None:
    page.keyboard.press(":")
    field = page.locator("#palette input")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-activedescendant", "choice-0")
    page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "choice-1")
    expect(page.locator("#choice-1")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()


# -- undo -----------------------------------------------------------------------------------------


def test_an_answer_is_taken_back_and_the_question_is_open_again(page: Page, office: Office) -> None:
    asked = office.ask_human(CODEX, "Too fast?", ["yes", "no"], "urgent")
    page.goto(page.url + "needs")
    page.locator("article", has_text="Too fast?").locator("text=yes").click()
    page.click("text=Undo")
    expect(page.locator(".said")).to_contain_text("Undone")
    assert asked.id in [one.header.id for one in office.needs(DANA).letters]
    assert asked.id not in [one.reply_to for one in office.inbox(CODEX).letters]


def test_what_was_read_meanwhile_is_not_undone_and_that_is_said(page: Page, office: Office) -> None:
    asked = office.ask_human(CODEX, "Read at once?", ["yes", "no"], "urgent")
    page.goto(page.url + "needs")
    page.locator("article", has_text="Read at once?").locator("text=yes").click()
    expect(page.locator("text=Undo")).to_be_visible()
    (reply,) = [one for one in office.inbox(CODEX).letters if one.reply_to == asked.id]
    office.read(CODEX, reply.id)
    page.click("text=Undo")
    expect(page.locator(".failed")).to_contain_text("nobody has that letter unread")


def test_what_was_done_is_not_said_again_after_a_reload(page: Page, office: Office) -> None:
    office.ask_human(CODEX, "Once?", ["yes", "no"], "urgent")
    page.goto(page.url + "needs")
    page.locator("article", has_text="Once?").locator("text=yes").click()
    expect(page.locator(".said")).to_be_visible()
    page.reload()
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".said")).to_have_count(0)


# -- failures -------------------------------------------------------------------------------------


def test_a_second_press_sends_nothing_more(page: Page, office: Office) -> None:
    page.goto(page.url + "compose")
    page.fill("#to", "codex")
    page.fill("#text", "Only one of me")
    page.evaluate("const b = document.querySelector('.compose .main'); b.click(); b.click();")
    expect(page.locator(".said")).to_contain_text("on its way")
    assert len(office.search(CODEX, '"Only one of me"').letters) == 1


def test_a_problem_comes_back_at_its_field_without_leaving_the_page(page: Page) -> None:
    page.goto(page.url + "compose")
    page.fill("#to", "nobody-of-that-name")
    page.fill("#text", "Hello?")
    page.click("text=Send as dana")
    expect(page.locator(".failed")).to_contain_text("nobody-of-that-name")
    expect(page.locator("#text")).to_have_value("Hello?")


def test_a_server_that_is_gone_is_told_and_nothing_typed_is_lost(
    browser: Browser, tmp_path: Path
) -> None:
    with open_office(tmp_path / "home") as office:
        story.tell(office)
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        context = browser.new_context()
        with served(tmp_path / "home", "--http", address) as server:
            page = enter(context, server)
            page.goto(server.url + "/compose")
            page.fill("#to", "codex")
            page.fill("#text", "Through the storm")
        page.click("text=Send as dana")
        expect(page.locator(".failed")).to_contain_text("The server doesn’t answer")
        expect(page.locator("#text")).to_have_value("Through the storm")
        expect(page.locator("#mark")).to_have_text("stale")
        with served(tmp_path / "home", "--http", address):
            expect(page.locator("#mark")).to_have_text("live", timeout=20_000)
            page.click("text=Send as dana")
            expect(page.locator(".said")).to_contain_text("on its way")
        assert len(office.search(CODEX, '"Through the storm"').letters) == 1
        context.close()


def test_a_session_that_ended_is_told_and_another_takes_over(
    browser: Browser, town: Served, office: Office
) -> None:
    context = browser.new_context()
    page = enter(context, town)
    page.goto(town.url + "/compose")
    page.fill("#to", "codex")
    page.fill("#text", "Across two sessions")
    for file in (town.home / FOLDER).iterdir():
        file.unlink()
    office.send(CLAUDE, "codex", text="the stream asks who looks before it goes on")
    expect(page.locator("#mark")).to_have_text("logged out", timeout=20_000)
    page.click("text=Send as dana")
    expect(page.locator("form .failed")).to_contain_text("Your session is over")
    other = context.new_page()
    other.goto(f"{town.url}/enter/{link(town.home)}")
    expect(page.locator("#mark")).to_have_text("live", timeout=20_000)
    page.click("text=Send as dana")
    expect(page.locator(".said")).to_contain_text("on its way")
    context.close()


# -- notifications --------------------------------------------------------------------------------

_SHOWN = """
window.shown = [];
window.Notification = class {
  static permission = "granted";
  static requestPermission() { return Promise.resolve("granted"); }
  constructor(title, given) { window.shown.push([title, given.body]); } close() {} };
Object.defineProperty(document, "hidden", { get: () => window.isAway === true });
"""
_AWAY = "window.isAway = true; document.dispatchEvent(new Event('visibilitychange'))"


def test_one_of_two_tabs_that_nobody_looks_at_tells_once(browser: Browser, tmp_path: Path) -> None:
    with open_office(tmp_path / "home") as office:
        story.tell(office)
        office.claim(DANA)
        with served(tmp_path / "home", WAYPOST_NOTIFY_QUIET="0") as server:
            context = browser.new_context()
            context.add_init_script(_SHOWN)
            page = enter(context, server)
            page.goto(server.url + "/needs")
            page.click("text=Notify me when I’m away")
            expect(page.locator("#tell")).to_have_text("Notifications are on")
            tabs = [page, context.new_page()]
            tabs[1].goto(server.url)
            for tab in tabs:
                tab.evaluate(_AWAY)
            office.ask_human(CODEX, "Wake up?")
            assert _shown(tabs, 1) == ["Wake up?"]
            office.ask_human(CODEX, "And now?")
            assert _shown(tabs, 2) == ["And now?", "Wake up?"]
            context.close()


def _shown(tabs: list[Page], least: int) -> list[str]:
    """What the tabs have shown together, once it is so much."""
    found: list[str] = []
    while len(found) < least:
        tabs[0].wait_for_timeout(50)
        found = [text for tab in tabs for _, text in tab.evaluate("window.shown")]
    return sorted(found)
