"""The other end, in Python: it asks family a question, and gives it a task."""

import asyncio

from waypost import Agent


async def main() -> None:
    async with Agent("kit").online() as me:
        answer = await me.ask("family", "Swimming this week?", domain="family.calendar")
        print(answer.summary, answer.data)
        job = await me.delegate(
            "family", "Tell her I'm late", urgent=True, on_progress=lambda how: print(how.text)
        )
        print((await job.result()).outcome)


asyncio.run(main())
