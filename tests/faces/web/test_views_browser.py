"""Journeys in a real browser through conversations, needs, searches, reservations, the journal."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from faces.clients import Served
from faces.web import story, work
from faces.web.test_browser import CHROMIUM, browser, enter
from waypost.office import Office

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed here")
DANA = story.caller("dana")
WITH_AND_WITHOUT = pytest.mark.parametrize("has_scripts", [True, False])
__all__ = ["browser"]


@pytest.fixture(scope="module")
def town(busy: tuple[Served, work.Work]) -> Served:
    return busy[0]


@pytest.fixture(scope="module")
def told(busy: tuple[Served, work.Work]) -> work.Work:
    return busy[1]


@pytest.fixture
def has_scripts() -> bool:
    return True


@pytest.fixture
def page(browser: Browser, town: Served, told: work.Work, has_scripts: bool) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=has_scripts)
    context.set_default_timeout(20_000)
    if has_scripts:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield enter(context, town)
    context.close()


@WITH_AND_WITHOUT
def test_a_translation_is_opened_and_its_bytes_are_saved(
    page: Page, town: Served, told: work.Work, office: Office
) -> None:
    page.goto(f"{town.url}/thread?id={told.task}")
    translation = page.locator("details.translated")
    translation.locator("summary").click()
    expect(translation).to_contain_text("OACP's times are written in whole seconds")
    expect(translation).to_contain_text("Pack the teapots for order 1042")
    page.click(".tabs >> text=Raw")
    with page.expect_download() as download:
        page.locator("text=Download the bytes").nth(1).click()
    (made,) = office.translations(DANA, told.task)
    assert download.value.path().read_bytes() == made.message


def test_a_command_is_copied_at_a_press(page: Page, town: Served, told: work.Work) -> None:
    page.goto(f"{town.url}/thread?id={told.task}")
    page.locator("li .copy").first.click()
    expect(page.locator("li .copy").first).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f'waypost reply --project shop --agent dana {told.task} -b "…"'


@pytest.mark.parametrize("has_scripts", [False])
def test_without_scripts_a_command_is_there_to_be_selected(
    page: Page, town: Served, told: work.Work, has_scripts: bool
) -> None:
    page.goto(f"{town.url}/thread?id={told.task}")
    expect(page.locator("li .copy").first).to_be_hidden()
    page.locator("li .command summary").first.click()
    expect(page.locator("li .command pre").first).to_be_visible()


@WITH_AND_WITHOUT
def test_a_fitting_answer_is_chosen_and_sent(
    page: Page, town: Served, office: Office, has_scripts: bool
) -> None:
    asked = office.send(story.caller("codex"), "dana", "review_request", work.REQUEST)
    page.goto(f"{town.url}/thread?id={asked.thread}")
    page.click("li .answers >> text=review lgtm")
    expect(page.locator("main")).to_contain_text("It answers")
    page.select_option('select[name="field.quality_gate_result"]', "pass")
    page.select_option('select[name="field.merge_ready"]', "true")
    page.click("text=Send as dana")
    expect(page.locator(".work")).to_contain_text("approved")
    expect(page.locator(".work")).to_contain_text("codex’s turn: merge")


@WITH_AND_WITHOUT
def test_a_held_letter_goes_on_from_the_list_of_needs(
    page: Page, town: Served, told: work.Work, office: Office, has_scripts: bool
) -> None:
    held = told.held[has_scripts]
    page.goto(f"{town.url}/needs")
    article = page.locator("article", has=page.locator(f'input[value="{held}"]'))
    expect(article).to_contain_text("12 letters in a minute")
    article.locator("text=Send it back").click()
    expect(page.locator(".said")).to_have_text("The letter goes back to its sender.")
    assert held not in [one.id for one in office.held(story.PROJECT)]


@WITH_AND_WITHOUT
def test_a_search_marks_words_and_mends_a_name(page: Page, town: Served, has_scripts: bool) -> None:
    page.goto(f"{town.url}/search")
    page.fill("main input[name=q]", "FROM:claud limit")
    page.click("main button:has-text('Search')")
    page.click(".near >> text=from:claude")
    expect(page.locator("mark").first).to_have_text("limit")


@WITH_AND_WITHOUT
def test_a_stale_reservation_is_released_only_when_confirmed(
    page: Page, town: Served, office: Office, has_scripts: bool
) -> None:
    held = office.reserve(story.caller("gemini"), [f"stale/{has_scripts}/**"])
    page.goto(f"{town.url}/reservations?path=stale/**")
    article = page.locator(f"#r{held.id}")
    article.locator("summary").click()
    article.locator("input[name=reason]").fill("gemini is gone")
    article.locator("text=Release >> nth=-1").click()
    expect(article).to_be_visible()  # the browser wants the box ticked
    article.locator("input[name=sure]").check()
    article.locator("button.danger").click()
    expect(page.locator(".said")).to_contain_text("The files are free")


@WITH_AND_WITHOUT
def test_the_journal_shows_an_event_as_it_is_chained_and_verifies(
    page: Page, town: Served, has_scripts: bool
) -> None:
    page.goto(f"{town.url}/journal?kind=files.reserved")
    page.locator("tbody td.number a").first.click()
    expect(page.locator("pre.raw")).to_contain_text('"kind": "files.reserved"')
    page.click("text=Verify the whole journal")
    expect(page.locator("main [role=status]")).to_contain_text("The journal is whole")


def test_nothing_new_is_wider_than_a_phone(browser: Browser, town: Served, told: work.Work) -> None:
    context = browser.new_context(viewport={"width": 380, "height": 780}, color_scheme="dark")
    page = enter(context, town)
    wide = []
    tabs = [f"/thread?id={told.task}&tab={tab}" for tab in ("", "raw", "problems", "delivery")]
    for path in (*tabs, f"/thread?id={told.review}", "/needs", "/reservations", "/journal?event=3",
                 "/search?q=from:nobody-at-all-of-that-name"):  # fmt: skip
        page.goto(town.url + path)
        for summary in page.locator("main summary").all():
            summary.click()
        if page.evaluate("document.documentElement.scrollWidth") > 380:
            wide.append(path)
    assert wide == []
    context.close()
