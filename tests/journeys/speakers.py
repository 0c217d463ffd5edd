"""Three agents, each in its own dialect: one writes files, one calls tools, one is live.

Each can send (`tell`), hears what came (`gets`), and says of that in its own words what becomes of
it. What comes back to what one sent is heard with `hears`.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from faces.clients import Mail
from office_town import Town, said
from waypost.agent import Agent, Refused
from waypost.agent.online import Online
from waypost.agent.values import Ended, Note, Query, Result
from waypost.agent.work import Task
from waypost.dialects import dialect

PATIENCE = 60  # seconds; only what hangs uses them up
Run = Callable[[Coroutine[Any, Any, Any]], "Future[Any]"]


class Got(NamedTuple):
    """Something that came: its type in the dialect of who got it, its text, and its own handle."""

    kind: str
    text: str
    own: Any


class Files:
    """An agent that knows OACP and a folder, and nothing of us."""

    dialect = "oacp"

    def __init__(self, town: Town, name: str) -> None:
        self.town, self.name, self._number = town, name, 0

    def tell(
        self, to: str | Sequence[str], kind: str, body: Any, about: str = "", **fields: str
    ) -> str:
        """Drop a message into the inbox of another, or of several; gives its id."""
        self._number += 1
        given = {
            "id": f"{self.name}-{self._number}", "type": kind, "subject": "News", "body": body,
            **fields,
        }  # fmt: skip
        if about:
            given["parent_message_id"] = about
        self.town.drop(self.name, *([to] if isinstance(to, str) else to), **given)
        return str(given["id"])

    def gets(self, text: str, about: str = "") -> Got:
        """A file that holds a text, once it is there; every file must be a sound message."""
        file = self.town.until(lambda: self._file(text, about))
        message = dialect("oacp").read(file.read_bytes(), file.name)
        assert message.valid, message.problems
        return Got(str(message.type), file.read_text(), file)

    def _file(self, text: str, about: str) -> Path | None:
        found = ((one, one.read_text()) for one in self.town.files(self.name))
        fitting = (one for one, held in found
                   if text in held and about in ("", said(held, "parent_message_id")))  # fmt: skip
        return next(fitting, None)

    def hears(self, about: str, text: str) -> Got:
        """The file that answers what one sent, and holds a text."""
        return self.gets(text, about)

    def answer(self, got: Got, body: Any, **fields: str) -> None:
        """Answer a file, and remove it."""
        file: Path = got.own
        about, kind = said(got.text, "id"), fields.pop("type", "notification")
        self.tell(said(got.text, "from"), kind, body, about, **fields)
        file.unlink(missing_ok=True)

    def finish(self, got: Got, body: str) -> None:
        self.answer(got, body, subject="Done")

    def refuse(self, got: Got, body: str) -> None:
        self.answer(got, body, subject="Refused")

    def fail(self, got: Got, body: str) -> None:
        self.answer(got, body, subject="Failed")

    def agree(self, got: Got) -> None:
        self.answer(got, "I do.", subject="Accepted")


class Tools:
    """An agent that reads all its mail in Agent Mail, by the official client of MCP."""

    dialect = "agentmail"

    def __init__(self, run: Run, mail: Mail, name: str) -> None:
        self._run, self._mail, self.name = run, mail, name
        self._last, self._known = 0, list[Got]()

    def do(self, tool: str, **arguments: Any) -> Any:
        return self._run(self._mail.do(tool, **arguments)).result(PATIENCE)

    def tell(self, to: str, kind: str, content: dict[str, Any], about: str = "") -> str:
        given = {"reply_to": about} if about else {}
        sent = self.do("send_message", to=[to], type=kind, content=content, **given)
        return str(sent["id"])

    def gets(self, text: str, about: str = "") -> Got:
        """A letter that holds a text, once it came; it is read then. All are in Agent Mail."""
        while (found := self._find(text, about)) is None:
            new = self.do("wait_for_mail", seconds=PATIENCE, after=self._last)
            assert new["letters"], f"nothing says {text!r}; only {self._known}"
            self._last = new["last"]
            for header in new["letters"]:
                letter = self.do("read_message", id=header["id"])
                assert (header["type"], letter["dialect"]) == (letter["type"], self.dialect)
                self._known.append(Got(letter["type"], letter["message"], letter))
        self._known.remove(found)
        return found

    def _find(self, text: str, about: str) -> Got | None:
        fitting = (one for one in self._known
                   if text in one.text and about in ("", one.own.get("reply_to")))  # fmt: skip
        return next(fitting, None)

    def hears(self, about: str, text: str) -> Got:
        """The letter that answers what one sent, and holds a text."""
        return self.gets(text, about)

    def answer(self, got: Got, text: str, kind: str = "progress", **more: Any) -> None:
        content = {
            "task_id": got.own["thread"], "update_type": kind, "status_summary": text,
            "blockers": [], **more,
        }  # fmt: skip
        self.do("reply_message", id=message_id(got), type="status_update", content=content)

    def finish(self, got: Got, text: str, status: str = "complete", **more: Any) -> None:
        """By the id that stands in the message itself, which for a translation is its own."""
        content = {
            "task_id": got.own["thread"], "status": status, "completion_summary": text,
            "files_modified": [], "test_results": {}, "errors_encountered": [], **more,
        }  # fmt: skip
        self.do("reply_message", id=message_id(got), type="task_completion", content=content)

    def refuse(self, got: Got, text: str) -> None:
        self.do("acknowledge_message", id=got.own["id"], accepted=False, note=text)

    def fail(self, got: Got, text: str) -> None:
        content = {
            "task_id": got.own["thread"], "severity": "medium", "reproduction_steps": [],
            "error": {"code": "BROKEN", "message": text}, "needs_human_intervention": False,
        }  # fmt: skip
        self.do("reply_message", id=message_id(got), type="error_report", content=content)

    def agree(self, got: Got) -> None:
        self.do("acknowledge_message", id=got.own["id"])


def message_id(got: Got) -> str:
    """What stands in the message of Agent Mail between the marks."""
    lines = got.text.splitlines()
    return str(json.loads(lines[2])["message_id"])


class Live:
    """An agent behind a key. What peers ask of it waits until the story says what becomes of it."""

    dialect = "acp"

    def __init__(self, run: Run, name: str) -> None:
        self._run, self.name = run, name
        self.me: Online
        self._came: list[Got] = []
        self._news = asyncio.Condition()
        self._calls: dict[str, Future[Any]] = {}
        self.agent = agent = Agent(name)
        agent.query(self._query)
        agent.delegate(self._task)
        agent.notify(self._note)
        agent.result(self._ended)

    # -- its handlers --------------------------------------------------------------------------

    async def _take(self, kind: str, text: str, own: Any) -> None:
        async with self._news:
            self._came.append(Got(kind, text, own))
            self._news.notify_all()

    async def _query(self, query: Query) -> object:
        return await self._decided("query", query.question, query)

    async def _task(self, task: Task) -> object:
        return await self._decided("delegate", f"{task.task}\n{json.dumps(task.context)}", task)

    async def _decided(self, kind: str, text: str, about: Any) -> object:
        decision: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        await self._take(kind, text, (about, decision))
        try:
            return await decision
        except asyncio.CancelledError:
            await self._take("cancelled", text, None)
            raise

    async def _note(self, note: Note) -> None:
        await self._take("notify", json.dumps(note.data), note)

    async def _ended(self, ended: Ended) -> None:
        await self._take("result", json.dumps(ended.payload), ended)

    # -- what the story does with it -----------------------------------------------------------

    def gets(self, text: str, kind: str = "") -> Got:
        async def wait() -> Got:
            async with self._news, asyncio.timeout(PATIENCE):
                while True:
                    for one in self._came:
                        if text in one.text and kind in one.kind:
                            self._came.remove(one)
                            return one
                    await self._news.wait()

        got: Got = self._run(wait()).result()
        return got

    def _decide(self, got: Got, value: object) -> None:
        async def decide() -> None:
            decision: asyncio.Future[object] = got.own[1]
            if isinstance(value, Exception):
                decision.set_exception(value)
            else:
                decision.set_result(value)

        self._run(decide()).result(PATIENCE)

    def answer(self, got: Got, text: str) -> None:
        self._decide(got, text)

    def finish(self, got: Got, text: str, status: str = "completed", data: object = None) -> None:
        self._decide(got, Result(text, data, status))

    def refuse(self, got: Got, text: str) -> None:
        self._decide(got, Refused(text))

    def fail(self, got: Got, text: str) -> None:
        self._decide(got, Result(text, None, "failed", text))

    def agree(self, got: Got) -> None:
        """It does when its handler is told."""

    # -- what it asks --------------------------------------------------------------------------

    def tell(self, to: str, kind: str, text: str, **more: Any) -> "Future[Any]":
        """Ask, or give a task; what comes of it is the future's."""
        act: Any = {"query": self.me.ask, "delegate": self.me.delegate}[kind]
        return self._run(act(to, text, **more))

    def hears(self, call: "Future[Any]", text: str) -> Got:
        """The answer to a question, or the end of a task."""

        async def end(job: Any) -> Result:
            return await job.result(PATIENCE)  # type: ignore[no-any-return]

        found = call.result(PATIENCE)
        kind = "response"
        if hasattr(found, "result"):
            kind, found = "result", self._run(end(found)).result(PATIENCE)
        heard = found.summary if kind == "response" else f"{found.status}: {found.outcome}"
        assert text in heard
        return Got(kind, heard, found)
