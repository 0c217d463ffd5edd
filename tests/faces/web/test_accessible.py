"""axe-core looks at every view, light and dark, wide and on a phone, and finds nothing serious."""

import shutil
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, sync_playwright

from faces.clients import Served
from faces.web import story
from faces.web.conftest import link
from faces.web.forms import PAGES
from waypost.office import Office

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed here")
GRAVE = ("serious", "critical")
# Views that show more when they are asked for something.
MORE = ("/inbox?agent=gemini", "/search?q=page", "/compose?type=error_report", "/journal?kind=x")


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request: pytest.FixtureRequest, town: Served) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(color_scheme=request.param, bypass_csp=True)
        opened = context.new_page()
        opened.goto(f"{town.url}/enter/{link(town.home)}")
        opened.wait_for_url(f"{town.url}/")
        yield opened
        browser.close()


def findings(page: Page) -> list[str]:
    """What axe-core holds against a page, each with the place."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"][:5]
    ]


@pytest.mark.parametrize("width", [1100, 380])
def test_no_view_has_a_serious_finding(
    page: Page, town: Served, office: Office, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    thread = office.search(story.caller("dana"), "exempt").letters[0].thread
    tabs = [f"/thread?id={thread}{tab}" for tab in ("", "&tab=raw", "&tab=delivery")]
    grave = {}
    for path in (*PAGES, *MORE, *tabs, "/?did=sent&undo=x", "/thread?id=nobody"):
        page.goto(town.url + path)
        if found := findings(page):
            grave[path] = found
    assert grave == {}


@pytest.mark.parametrize("key", ["?", ":"])
def test_no_dialog_has_a_serious_finding(page: Page, town: Served, key: str) -> None:
    page.goto(town.url)
    page.keyboard.press(key)
    assert findings(page) == []


def test_the_page_of_strangers_has_no_serious_finding(page: Page, town: Served) -> None:
    page.goto(town.url + "/enter/nothing")
    assert findings(page) == []
