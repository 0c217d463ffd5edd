"""What happens in the demo, step by step; every line is shown after it was checked."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from waypost.faces.mcp.visiting import Tool, visiting
from waypost.office import consigning
from waypost.office.callers import Caller
from waypost.runtime.demo_town import PROJECT, DemoError, Ran, Town

_WHAT = "Implement the login form"
_TASK = {
    "task_id": "login-7",
    "description": _WHAT,
    "specification": {"acceptance_criteria": ["it asks the right port"]},
    "file_patterns": ["src/login/**"],
}
_REVIEW = (
    "pr: 7\nbranch: login\ndiff_summary: The form, and a test.\ntest_output: 12 passed\n"
    "findings_packet: none\n"
)
_LGTM = {"quality_gate_result": "pass", "merge_ready": True}


class Line(NamedTuple):
    """One thing that happened: who did what, in which dialect."""

    who: str
    dialect: str
    what: str


Show = Callable[[Line], None]


async def tell(root: Path, show: Show) -> None:
    """Play the whole story on a home of its own. Raises DemoError when anything isn't so."""
    town = Town(root)
    try:
        await town.settle()
        await Story(town, show).play()
    finally:
        await town.close()


class Story:
    """One task, done together."""

    def __init__(self, town: Town, show: Show) -> None:
        self._town, self._show = town, show

    async def play(self) -> None:
        """Everything, in order."""
        async with visiting(self._town.url, self._town.token) as tool:
            task = await self._assign(tool)
            await self._ask()
            await self._collide(tool)
        await self._refuse()
        await self._crash()
        async with visiting(self._town.url, self._town.token) as tool:
            await self._review(tool)
            await self._complete(tool, task)
        await self._account()

    async def _assign(self, tool: Tool) -> str:
        given: dict[str, Any] = {"to": ["codex"], "type": "task_assignment", "content": _TASK}
        receipt = await tool("send_message", **given)
        self._line("claude", "Agent Mail", "task_assignment to codex: " + _WHAT)
        file = await self._town.file("codex", _WHAT)
        _check("task_request" in file.name, "codex finds a task_request")
        self._line("codex", "OACP", f"finds it as a file: {file.name}")
        self._task = field(file, "id")
        return str(receipt.get("id"))

    async def _ask(self) -> None:
        await self._codex("send", "--to", "ada", "--type", "question", "-s", "Which port?",
                          "-b", "For the login.")  # fmt: skip
        self._line("codex", "OACP", "question to ada: Which port?")
        file = await self._town.file("codex", "Port 8443")
        self._line("ada", "ACP", "hears a query over QUIC, responds: Port 8443, with TLS.")
        self._line("codex", "OACP", f"finds the answer: {file.name}")

    async def _collide(self, tool: Tool) -> None:
        ran = await self._town.run(
            "waypost", "reserve", "src/login/**", "--reason", "the login form",
            "--agent", "codex", "--project", PROJECT, "--json",
        )  # fmt: skip
        _check_ran(ran, "codex reserves its files")
        self._line("codex", "command", "reserves src/login/**")
        refused = await tool("reserve_files", patterns=["src/login/form.ts"], reason="a fix")
        held = (refused.get("conflicts") or [{}])[0]
        _check(refused.get("error") == "conflict" and held.get("holder") == "codex",
               "claude is told who holds the file")  # fmt: skip
        self._line("claude", "Agent Mail", "wants src/login/form.ts: conflict, codex holds it "
                   f"for {held['reason']}")  # fmt: skip

    async def _refuse(self) -> None:
        home = {"WAYPOST_HOME": str(self._town.root / "stranger")}
        ran = await self._town.run("waypost", "ask", "codex", "Let me in", "--as", "stranger",
                                   "--json", **home)  # fmt: skip
        _check(ran.code == 4, "a stranger is refused")
        self._line("stranger", "ACP", "asks codex with a key that nobody enrolled: refused")

    async def _crash(self) -> None:
        await self._town.kill()
        self._line("office", "", "killed with kill -9")
        await self._codex(
            "send", "--to", "claude", "--type", "review_request", "-s", "Review the login form",
            "-b", _REVIEW,
        )  # fmt: skip
        self._line("codex", "OACP", "writes a review_request to claude meanwhile")
        await self._town.start()
        self._line("office", "", "runs again")

    async def _review(self, tool: Tool) -> None:
        waited = await tool("wait_for_mail", seconds=15)
        found = {one["subject"]: one["id"] for one in waited["letters"]}
        request = found.get("Review the login form")
        _check(request is not None, "the review_request is there after the crash")
        self._line("claude", "Agent Mail", "woken by wait_for_mail: Review the login form")
        approved = await tool("reply_message", id=request, type="review_lgtm", content=_LGTM)
        _check("id" in approved, "claude approves")
        self._line("claude", "Agent Mail", "review_lgtm to codex: pass, ready to merge")
        file = await self._town.file("codex", "quality_gate_result")
        self._line("codex", "OACP", f"finds it: {file.name}")

    async def _complete(self, tool: Tool, task: str) -> None:
        await self._codex("reply", self._task, "-s", "Done", "-b", "The login form works.")
        self._line("codex", "OACP", "replies to the task: Done")
        await tool("wait_for_mail", seconds=15)
        letters = (await tool("fetch_inbox"))["letters"]
        done = next((one for one in letters if one.get("reply_to") == task), None)
        _check(done is not None, "the answer to the task reaches claude")
        assert done is not None
        said = await tool("acknowledge_message", id=done["id"])
        _check("error" not in said, "claude acknowledges")
        self._line("claude", "Agent Mail", "acknowledges; the task is done")

    async def _account(self) -> None:
        """After all that, nothing is lost, nothing is there twice, and the journal proves it."""
        office = self._town.office
        await self._town.until("no letter waits", lambda: not consigning.pending(office.desk))
        events = office.events(Caller("claude", PROJECT), limit=1000)
        sent = [event.data for event in events if event.kind == "letter.sent"]
        twice = [one for one, count in Counter(data["id"] for data in sent).items() if count > 1]
        seen = office.verify()
        _check(not twice, "no letter is there twice")
        _check(not seen.flaws, "the journal is whole")
        _check(not any(data["sender"] == "postmaster" for data in sent), "nothing came back")
        self._count_files([data["to"] for data in sent].count(["codex"]))
        self._line("office", "", f"{len(sent)} letters, none lost, none twice; "
                   f"{seen.events} events, the chain holds")  # fmt: skip

    def _count_files(self, expected: int) -> None:
        """Each letter to codex is one file."""
        found = list(
            (self._town.folders / "projects" / PROJECT / "agents/codex").glob("inbox/**/*.yaml")
        )
        _check(len(found) == expected, f"codex has {expected} files, and not {len(found)}")

    async def _codex(self, verb: str, *words: str) -> None:
        whose = ("--project", PROJECT) if verb == "reply" else ()
        place = (PROJECT,) if verb == "send" else ()
        ran = await self._town.run("oacp", verb, *place, *words, *whose, "--from", "codex",
                                   "--json")  # fmt: skip
        _check_ran(ran, f"codex can {verb}")

    def _line(self, who: str, dialect: str, what: str) -> None:
        self._show(Line(who, dialect, what))


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise DemoError(f"this is not so: {what}")


def _check_ran(ran: Ran, what: str) -> None:
    if ran.code != 0:
        raise DemoError(f"this is not so: {what}: {(ran.out + ran.err).strip()[:300]}")


def field(file: Path, name: str) -> str:
    """A field of an OACP file."""
    found = re.search(rf"^{name}: (.*)$", file.read_text(), re.MULTILINE)
    return found[1].strip().strip('"') if found else ""
