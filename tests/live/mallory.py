"""An enrolled peer that speaks ACP by hand, over a raw connection, to an agent that is online."""

import gc
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from aioquic.quic.events import StreamDataReceived

from live.raw import Raw
from waypost import Agent
from waypost.agent import Note, Online, Query, Task
from waypost.carriers.keyring import Peers, identity, token_of

Fields = dict[str, Any]


class Mallory:
    """Writes whatever it likes; each message is a stream of its own."""

    def __init__(self, raw: Raw, me: str, peer: str) -> None:
        self.raw, self.me, self.peer = raw, me, peer

    def envelope(self, kind: str, payload: Fields, **other: Any) -> Fields:
        """A message as it should be, but for what is given."""
        ends = {"from": self.me, "to": self.peer}
        fields = {"v": 1, "id": str(uuid4()), **ends, "ts": 1_773_412_200_000, "kind": kind}
        return {**fields, "ref": None, "payload": payload, **other}

    def tell(self, fields: Fields) -> None:
        self.raw.send(json.dumps(fields).encode(), pushes=True)

    def begin(self, fields: Fields) -> int:
        return self.raw.send(json.dumps(fields).encode())

    async def ask(self, fields: Fields) -> Fields:
        """Send a request; gives its answer."""
        answer: Fields = json.loads(await self.raw.answer(self.begin(fields)))
        return answer

    async def error(self, fields: Fields) -> str:
        """Send a request that is refused; gives the code."""
        answer = await self.ask(fields)
        assert (answer["kind"], answer["ref"]) == ("error", fields["id"])
        return str(answer["payload"]["code"])

    async def hello(self) -> "Mallory":
        answer = await self.ask(self.envelope("hello", {"protocol_versions": [1]}))
        assert answer["payload"]["selected_version"] == 1
        return self

    async def asked(self) -> tuple[int, Fields]:
        """Wait until the agent asks us something; gives the stream to answer on."""
        await self.raw.until(self._request)
        stream, data = self._request() or (0, b"")
        return stream, json.loads(data)

    def _request(self) -> tuple[int, bytes] | None:
        found = [
            (event.stream_id, event.data)
            for event in self.raw.happened
            if isinstance(event, StreamDataReceived) and event.stream_id & 3 == 1
        ]
        return found[-1] if found else None


class Stage:
    """Family is online, kit is its peer and holds a line, mallory is enrolled as well."""

    def __init__(self, home: Path, family: Online, kit: Online, heard: list[str]) -> None:
        self.home, self.family, self.kit, self.heard = home, family, kit, heard
        self._raws: list[Raw] = []

    async def mallory(self) -> Mallory:
        me = identity(self.home, "mallory")
        assert self.family.address is not None
        raw = Raw(me, self.family.id)
        self._raws.append(raw)
        await raw.dial(self.family.address)
        return Mallory(raw, me.id, self.family.id)

    async def is_well(self) -> bool:
        return (await self.kit.ask("family", "Swimming?")).summary == "Swimming? Yes."

    def blocks(self) -> int:
        """What Python holds, without what the raw clients noted."""
        for raw in self._raws:
            raw.happened.clear()
        gc.collect()
        return sys.getallocatedblocks()

    def close(self) -> None:
        for raw in self._raws:
            raw.close()


def _family(heard: list[str]) -> Agent:
    agent = Agent("family")

    @agent.query
    async def answer(query: Query) -> str:
        heard.append(query.question)
        return f"{query.question} Yes."

    @agent.notify
    async def note(note: Note) -> None:
        heard.append(note.topic)

    @agent.delegate
    async def do(task: Task) -> str:
        heard.append(task.task)
        return "Done."

    return agent


@asynccontextmanager
async def stage(home: Path) -> AsyncIterator[Stage]:
    """Everybody in place; at the end kit's line must still do."""
    keys = {name: identity(home, name) for name in ("family", "kit", "mallory")}
    trusted = Peers(home, keys["family"])
    for name in ("kit", "mallory"):
        trusted.add(token_of(keys[name].public_key), name)
    heard: list[str] = []
    async with _family(heard).online("127.0.0.1:0", home=home) as family:
        Peers(home, keys["kit"]).add(family.token, "family")
        async with Agent("kit").online(home=home) as kit:
            played = Stage(home, family, kit, heard)
            assert await played.is_well()
            heard.clear()
            yield played
            assert await played.is_well()
            played.close()
