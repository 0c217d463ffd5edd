"""A live agent in Python: it answers questions about calendars, and makes calls."""

import asyncio

from waypost import Agent, Refused
from waypost.agent import Query, Task

agent = Agent("family", domains=["family.calendar"], tools=["phone"])


@agent.query("family.*")
async def swim(query: Query) -> object:
    return {"summary": "Mon/Wed/Fri 4-5pm", "data": {"days": ["Mon", "Wed", "Fri"]}}


@agent.delegate
async def call(task: Task) -> str:
    if "Sunday" in task.task:
        raise Refused("not on Sundays")
    await task.progress("calling…")
    return "Done, she said okay"


async def main() -> None:
    async with agent.online("127.0.0.1:7100") as me:
        print(me.token, flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
