"""The agents of a storm that have their mail by tools: MCP over HTTP, each with its token.

When the office dies under a call, an agent comes back and says the same again under the same id,
until it is told what became of it.
"""

import asyncio
import sys
import time
import uuid
from random import Random
from typing import Any, NamedTuple

from campaigns.storming.plan import LAZY, Ledger, Plan, mark_in
from faces.messages import ASSIGNMENT, PROGRESS
from waypost.faces.mcp.visiting import Tool, visiting

_PAUSE_SECONDS = 0.1
_AT_ONCE = 5  # letters, before an agent looks into its inbox again
_PAGE = 25
_LAZY_SECONDS = 20.0  # between two looks of the lazy one
_ASKS = ("task_request", "question", "task_assignment", "query", "delegate")


class Away(Exception):  # noqa: N818
    """The office didn't answer; the call has to be made again."""


class Wish(NamedTuple):
    """A call that has to be made until it is answered."""

    tool: str
    mark: str
    arguments: dict[str, Any]


class ToolAgent:
    """One agent; what it wishes for is kept while it reconnects."""

    def __init__(self, plan: Plan, url: str, token: str, name: str) -> None:
        self.plan, self.name, self._url, self._token = plan, name, url, token
        self.ledger = Ledger(plan, name)
        self.chance = Random(f"{plan.seed} {name}")
        self._left = plan.quota(name)
        self._wishes: list[Wish] = []
        self._taken: set[str] = set()
        self._looked = 0.0
        self.reconnects = 0

    async def run(self) -> None:
        """Write and take until everybody is to go home."""
        while not self.plan.is_over:
            try:
                async with visiting(self._url, self._token) as call:
                    await self._stay(call)
            except Exception:  # whatever the client makes of a server that is gone
                self.reconnects += 1
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _stay(self, call: Tool) -> None:
        while not self.plan.is_over:
            for _ in range(_AT_ONCE):
                if not self._wishes and self._left:
                    self._wish()
                if self._wishes:
                    await self._fulfil(call)
            if self.plan.is_enough:
                self._left = 0
            if self._left == 0 and not self.plan.has_written(self.name):
                self.plan.say(f"written-{self.name}")
            if not await self._take(call) and not self._left:
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _do(self, call: Tool, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool gives, or its refusal."""
        given = await call(tool, **arguments)
        if not given or given.get("retryable"):
            raise Away(given)
        return given

    # -- writing -------------------------------------------------------------------------------

    def _wish(self) -> None:
        """Think of one letter of any kind."""
        others = [one for one in self.plan.everybody if one != self.name]
        if self.name not in self.plan.live and self.chance.random() < 0.98:
            others = [one for one in others if not one.startswith("peer")]
        lot, to = self.chance.random(), [self.chance.choice(others)]
        what: dict[str, Any] = {}
        if lot < 0.15:
            what = {"type": "task_request"}
        elif lot < 0.30:
            what = {"type": "question"}
        elif lot < 0.40:
            what = {"type": "task_assignment"}
        elif lot < 0.50:
            what = {"type": "status_update"}
        elif lot < 0.58:
            to = self.chance.sample(others, 3)
        elif lot < 0.585 and self.name in self.plan.live:
            to = ["*"]
        elif lot < 0.65:
            to, what = [LAZY if self.name != LAZY else "tool-1"], {"expires_minutes": 1}
        mark = self.ledger.begin(to=to, kind=what.get("type", "text"))
        if what.get("type") == "task_assignment":
            what["content"] = {**ASSIGNMENT, "task_id": mark, "description": f"Do it. @{mark}@"}
        elif what.get("type") == "status_update":
            what["content"] = {**PROGRESS, "task_id": mark, "status_summary": f"Well. @{mark}@"}
        else:
            what["text"] = f"A letter. @{mark}@"
        own = {"to": to, "message_id": str(uuid.uuid4()), "subject": "By tool"}
        self._wishes.append(Wish("send_message", mark, {**what, **own}))
        self._left -= 1

    async def _fulfil(self, call: Tool) -> None:
        wish = self._wishes[0]
        told = await self._do(call, wish.tool, **wish.arguments)
        self._wishes.pop(0)
        if "error" in told:
            self.ledger.note("refused", wish.mark, code=told["error"], details=told["details"])
        else:
            to = told.get("to", wish.arguments.get("to"))
            self.ledger.note("kept", wish.mark, id=told["id"], to=to, way="tool")

    # -- taking --------------------------------------------------------------------------------

    async def _take(self, call: Tool) -> int:
        """Look into the mailbox, read what is new, and answer what asks."""
        if self.name == LAZY:
            if time.monotonic() < self._looked + _LAZY_SECONDS:
                return 0
            self._looked = time.monotonic()
        found = (await self._do(call, "fetch_inbox", limit=_PAGE)).get("letters", [])
        for header in found:
            await self._read(call, header)
        return len(found)

    async def _read(self, call: Tool, header: dict[str, Any]) -> None:
        given = await self._do(call, "read_message", id=header["id"])
        mark = mark_in(str(given.get("message", "")))
        if "error" in given or header["from"] == "postmaster" or mark is None:
            return
        if header["id"] not in self._taken:  # a call may have been answered by nobody
            self._taken.add(header["id"])
            self.ledger.note("take", mark, id=header["id"])
        if header["type"] in ("delegate", "cancel") or self.chance.random() < 0.3:
            await self._do(call, "acknowledge_message", id=header["id"])
        if header["type"] in _ASKS:
            own = self.ledger.begin_answer(mark)
            answer = {"id": header["id"], "text": f"Done. @{own}@", "subject": "Done",
                      "message_id": str(uuid.uuid4())}  # fmt: skip
            self._wishes.append(Wish("reply_message", own, answer))
            await self._fulfil(call)


async def live(plan: Plan, facts: dict[str, Any]) -> None:
    """Be all of them, in one loop."""
    agents = [ToolAgent(plan, facts["url"], facts["tokens"][name], name)
              for name in plan.names("tool")]  # fmt: skip
    async with asyncio.TaskGroup() as group:
        for agent in agents:
            group.create_task(agent.run())
    print(sum(agent.reconnects for agent in agents), "reconnects", file=sys.stderr)


if __name__ == "__main__":
    asyncio.run(live(*Plan.read(sys.argv[1])))
