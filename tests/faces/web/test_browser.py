"""Journeys in a real browser: live, by keys alone, without scripts, on a phone, under attack."""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from commands.terminal import say
from faces.clients import Served, served
from faces.web import story
from faces.web.conftest import link
from waypost.office import Office, open_office

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed here")
CLAUDE, CODEX = story.caller("claude"), story.caller("codex")
VIEWS = (
    *("/", "/needs", "/inbox?agent=gemini", "/undelivered", "/flow", "/agents", "/peers"),
    "/reservations",
    *("/search?q=page", "/journal", "/compose?type=error_report", "/thread?id=nobody-knows"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


def enter(context: BrowserContext, server: Served) -> Page:
    """A page of a browser that followed its link."""
    page = context.new_page()
    page.goto(f"{server.url}/enter/{link(server.home)}")
    page.wait_for_url(f"{server.url}/")
    return page


@pytest.fixture
def page(browser: Browser, town: Served) -> Iterator[Page]:
    context = browser.new_context()
    opened = enter(context, town)
    expect(opened.locator("#mark")).to_have_text("live")
    yield opened
    context.close()


def test_a_letter_through_another_door_appears_by_itself(page: Page, office: Office) -> None:
    office.send(CLAUDE, "codex", text="A letter out of the blue")
    expect(page.locator(".feed li").first).to_contain_text("A letter out of the blue")


def test_a_paused_page_stands_still_until_it_goes_on(page: Page, office: Office) -> None:
    page.keyboard.press("p")
    expect(page.locator("#mark")).to_have_text("paused")
    with page.expect_event("console", lambda said: said.text == "heard"):
        page.evaluate("source.addEventListener('news', () => console.log('heard'));void 0")
        office.send(CLAUDE, "codex", text="While you looked away")
    expect(page.locator(".feed")).not_to_contain_text("While you looked away")
    page.keyboard.press("p")
    expect(page.locator(".feed")).to_contain_text("While you looked away")


def test_a_question_is_answered_by_keys_alone(page: Page, office: Office) -> None:
    asked = office.ask_human(CODEX, "Ship it?", ["ship", "wait"], "urgent")
    page.keyboard.press("g")
    page.keyboard.press("y")
    page.wait_for_url("**/needs")
    page.keyboard.press("j")
    while "Ship it?" not in page.locator("[data-row].here").inner_text():
        page.keyboard.press("j")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_text("Your answer is on its way.")
    (reply,) = [one for one in office.inbox(CODEX).letters if one.reply_to == asked.id]
    assert reply.subject == "ship"


def test_the_sheet_of_keys_opens_and_closes(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_what_somebody_writes_is_not_replaced_by_news(page: Page, office: Office) -> None:
    office.ask_human(CODEX, "Take your time?")
    page.goto(page.url + "needs")
    box = page.locator("textarea").first
    box.fill("half a thought")
    with page.expect_event("console", lambda said: said.text == "heard"):
        page.evaluate(
            "source.addEventListener('news', () => setTimeout(() => console.log('heard'), 0))"
            ";void 0"
        )
        office.send(CLAUDE, "codex", text="news")
    expect(box).to_have_value("half a thought")


def test_hostile_letters_run_nothing_and_ask_nobody(page: Page, office: Office) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    hostile = "<img src=//evil.example/p onerror=alert(1)><script>alert(2)</script> ![x](//evil/p)"
    sent = office.send(CLAUDE, "codex", text=hostile, subject=hostile)
    site = page.url
    for path in (f"thread?id={sent.thread}", f"thread?id={sent.thread}&tab=raw", "", "journal"):
        page.goto(site + path)
        expect(page.locator("#mark")).to_have_text("live")
    assert [url for url in asked if not url.startswith(site)] == []


def test_everything_is_usable_without_scripts(
    browser: Browser, town: Served, office: Office
) -> None:
    asked = office.ask_human(CODEX, "No scripts here?", priority="urgent")
    context = browser.new_context(java_script_enabled=False)
    page = enter(context, town)
    page.click("nav >> text=Needs you")
    question = page.locator("article", has_text="No scripts here?")
    question.locator("textarea").fill("None")
    question.locator("text=Approve").click()
    expect(page.locator(".said")).to_contain_text("Approved")
    assert asked.id not in [one.header.id for one in office.needs(story.caller("dana")).letters]
    context.close()


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_file_goes_by_the_page_and_is_fetched_by_page_and_command(
    browser: Browser, town: Served, tmp_path: Path, has_scripts: bool
) -> None:
    chosen, fetched = tmp_path / f"my findings {has_scripts}.bin", tmp_path / "fetched"
    chosen.write_bytes(os.urandom(200_000))
    context = browser.new_context(java_script_enabled=has_scripts)
    page = enter(context, town)
    page.click("nav >> text=Compose")
    page.fill("#to", "codex")
    page.fill("#text", "What I found")
    page.set_input_files("#files", chosen)
    page.click("text=Send as dana")
    expect(page.locator(".said")).to_have_text("Your letter is on its way.")
    shown = page.locator("a.attachment")
    with page.expect_download() as download:
        shown.click()
    assert download.value.suggested_filename == chosen.name
    assert download.value.path().read_bytes() == chosen.read_bytes()
    codex = ("--home", str(town.home), "--project", story.PROJECT, "--agent", "codex")
    address = shown.get_attribute("title") or ""
    assert say("waypost", "attach", "get", address, "-o", str(fetched), *codex).code == 0
    assert fetched.read_bytes() == chosen.read_bytes()
    context.close()


def test_no_view_is_wider_than_a_phone(browser: Browser, town: Served, office: Office) -> None:
    thread = office.search(CLAUDE, "exempt").letters[0].thread
    context = browser.new_context(viewport={"width": 380, "height": 780})
    page = enter(context, town)
    wide = []
    for path in (*VIEWS, f"/thread?id={thread}"):
        page.goto(town.url + path)
        if page.evaluate("document.documentElement.scrollWidth") > 380:
            wide.append(path)
    assert wide == []
    context.close()


def test_a_page_goes_on_when_the_server_comes_back(browser: Browser, tmp_path: Path) -> None:
    with open_office(tmp_path / "home") as office:
        story.tell(office)
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        context = browser.new_context()
        with served(tmp_path / "home", "--http", address) as server:
            page = enter(context, server)
            expect(page.locator("#mark")).to_have_text("live")
        expect(page.locator("#mark")).to_have_text("stale")
        office.send(CLAUDE, "codex", text="Sent while the server was down")
        with served(tmp_path / "home", "--http", address):
            expect(page.locator(".feed")).to_contain_text(
                "Sent while the server was down", timeout=20_000
            )
            expect(page.locator("#mark")).to_have_text("live")
        context.close()
