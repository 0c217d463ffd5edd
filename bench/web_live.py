"""How soon a page shows what happens, and how pages and server do while letters pour in.

Two pages of a real browser and fifty live connections, five of which never read, look on while
another process sends. All of it runs on one machine: the senders take their share of it, too.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep, time

from dashboard import Served
from playwright.sync_api import Browser, Page, sync_playwright
from table import Row, show
from town import CLAUDE, DANA

from waypost.office import Office, open_office

CONNECTIONS, STALLED, RATE, SECONDS = 50, 5, 1_000, 20
_SENDERS, _SHOWN_TIMES, _PAUSE = 16, 30, 0.6
_WATCH = """
window.long = [];
new PerformanceObserver((list) => { for (const one of list.getEntries()) long.push(one.duration); })
  .observe({ type: "longtask", buffered: true });
"""
_AWAIT = """(marker) => { window.seen = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (!document.getElementById("live").textContent.includes(marker)) return;
    observer.disconnect();
    resolve(Date.now());
  }).observe(document.body, { childList: true, subtree: true });
}); }"""


def tables(server: Served) -> bool:
    """Print both tables; tells whether no target was missed."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        good = show("From a letter to the page, in milliseconds", shown_rows(server, browser))
        good &= show("While letters pour in; the peer: without pages", load_rows(server, browser))
        browser.close()
    return good


# -- from a letter to the page -----------------------------------------------------------------


def shown_rows(server: Served, browser: Browser) -> Iterator[Row]:
    """From before a letter is sent until it stands in the page."""
    page = entered(server, browser)
    with open_office(server.home) as office:
        for path in ("/", "/inbox?agent=codex"):
            page.goto(server.url + path)
            page.get_by_text("live", exact=True).wait_for()
            taken = [shown(page, office, number) for number in range(_SHOWN_TIMES)]
            p50 = median(taken)
            yield Row(f"{path} (worst {max(taken):.0f})", p50, target="< 100", met=p50 < 100)
    page.context.close()


def shown(page: Page, office: Office, number: int) -> float:
    """Milliseconds until one letter is in the page; by the clock that both processes read."""
    sleep(_PAUSE)  # the page is at rest
    marker = f"marker-{number}-{time()}"
    page.evaluate(_AWAIT, marker)
    start = time() * 1000
    sent = office.send(CLAUDE, "codex", text=marker, priority="urgent")
    taken = float(page.evaluate("seen")) - start
    office.withdraw(CLAUDE, sent.id)  # the next one is as far up in its inbox
    return taken


def entered(server: Served, browser: Browser) -> Page:
    """A page of a browser that followed its link."""
    page = browser.new_context().new_page()
    page.add_init_script(_WATCH)
    page.goto(server.url + server.way_in(DANA))
    page.wait_for_url(f"{server.url}/")
    return page


# -- while letters pour in ---------------------------------------------------------------------


def load_rows(server: Served, browser: Browser) -> Iterator[Row]:
    """What the server and two pages do under load, beside the same load without pages."""
    calm = Flood(server)
    calm.run_with(lambda: sleep(1))
    with ExitStack() as stack:
        crowd = stack.enter_context(onlookers(server))
        resting, clicking = entered(server, browser), entered(server, browser)
        fetched: list[str] = []
        resting.on("request", lambda request: fetched.append(request.url))
        clicks: list[float] = []
        memory: list[float] = []

        def click() -> None:
            clicks.append(clicked(clicking))
            memory.append(server.memory_mb())

        busy = Flood(server)
        busy.run_with(click)
        long = [float(one) for one in resting.evaluate("long")]
        resting.get_by_text("live", exact=True).wait_for()
    asked = len(fetched) / busy.seconds
    p50, told = median(clicks), crowd.told / (CONNECTIONS - STALLED) / busy.seconds
    yield Row("letters a second", busy.rate, calm.rate, target=f">= {RATE * 0.9:.0f}",
              met=busy.rate >= RATE * 0.9)  # fmt: skip
    yield Row("the server's share of a processor, %", busy.share, calm.share)
    yield Row("news a second and connection", told, target="<= 4", met=told <= 4)
    yield Row("fetches a second of a page at rest", asked, target="<= 4", met=asked <= 4)
    yield Row(f"a click until the next page, ms (worst {max(clicks):.0f})", p50)
    yield Row("the longest task in a page at rest, ms", max(long, default=0.0))
    yield Row("tasks over 50 ms in that page, a second", len(long) / busy.seconds)
    yield Row("the server's memory, MB (peer: when half was sent)", memory[-1],
              memory[len(memory) // 2])  # fmt: skip


def clicked(page: Page) -> float:
    """Milliseconds from a click to the next page."""
    path = "/agents" if page.url.endswith("/inbox") else "/inbox"
    start = perf_counter()
    page.click(f'nav a[href="{path}"]')
    page.wait_for_url(f"**{path}")
    return (perf_counter() - start) * 1000


class Flood:
    """Another process that sends so many letters a second, and what the server does meanwhile."""

    def __init__(self, server: Served) -> None:
        self._server = server
        self.rate = self.share = self.seconds = 0.0

    def run_with(self, work: Callable[[], object]) -> None:
        """Send, and do a work again and again until all is sent."""
        words = [sys.executable, __file__, str(self._server.home)]
        sender = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert sender.stdout is not None
        sender.stdout.readline()  # it begins
        begun, used = monotonic(), self._server.processor_seconds()
        while sender.poll() is None:
            work()
        self.seconds = monotonic() - begun
        self.share = 100 * (self._server.processor_seconds() - used) / self.seconds
        self.rate = json.loads(sender.stdout.read())


class Onlookers:
    """Live connections beside those of the browser: most read what they are told, some never do."""

    def __init__(self, server: Served) -> None:
        with server.visit(DANA) as client:
            cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        self._host, _, self._port = server.url.removeprefix("http://").partition(":")
        self._request = (
            f"GET /live?after=0 HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
            f"Cookie: {cookies}\r\n\r\n"
        ).encode()
        self.told = 0
        self._stop = asyncio.Event()

    def run(self) -> None:
        asyncio.run(self._look())

    async def _look(self) -> None:
        self._loop = asyncio.get_running_loop()
        tasks = [asyncio.create_task(self._one(number)) for number in range(CONNECTIONS)]
        await self._stop.wait()
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _one(self, number: int) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=1024)
        writer.write(self._request)
        if number < STALLED:
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            await self._stop.wait()
        while line := await reader.readline():
            self.told += line == b"event: news\n"

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)


@contextmanager
def onlookers(server: Served) -> Iterator[Onlookers]:
    crowd = Onlookers(server)
    thread = threading.Thread(target=crowd.run)
    thread.start()
    sleep(2)  # until all of them are connected, and know where the journal stands
    crowd.told = 0
    try:
        yield crowd
    finally:
        crowd.stop()
        thread.join()


# -- the process that sends --------------------------------------------------------------------


def flood(home: Path) -> float:
    """Send for a while, as evenly as the office takes it; gives the letters a second."""
    sent = [0] * _SENDERS

    def work(place: int, office: Office, start: float) -> None:
        while (passed := monotonic() - start) < SECONDS:
            due = passed * RATE / _SENDERS
            if sent[place] < due:
                office.send(CLAUDE, "codex", text=f"Letter {sent[place]} of {place}")
                sent[place] += 1
            else:
                sleep(1 / RATE)

    with open_office(home) as office:
        start = monotonic()
        threads = [threading.Thread(target=work, args=(place, office, start))
                   for place in range(_SENDERS)]  # fmt: skip
        print("begin", flush=True)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(sent) / (monotonic() - start)


if __name__ == "__main__":
    print(json.dumps(flood(Path(sys.argv[1]))))
