"""Results and errors of tasks on their way: they wait for a line to their peer, and take it."""

import asyncio
from typing import TYPE_CHECKING, cast

from waypost.agent.contact import Contact, Unsent
from waypost.agent.line import Line, new_stamp
from waypost.dialects.acp.tasks import Report
from waypost.errors import LinkError

if TYPE_CHECKING:
    from waypost.agent.switchboard import Switchboard


class Reports:
    """The part of a switchboard that tells peers how their tasks ended."""

    def __init__(self, board: "Switchboard") -> None:
        self._board = board

    def add(self, report: Report) -> None:
        """Take a report along."""
        contact = self._board.contact(report.peer)
        data = contact.ends.write(report.kind, report.payload, report.ref, new_stamp())
        line, _ = cast(tuple[Line, int], report.way)
        contact.unsent.append(Unsent(line, data))
        self.deliver(contact)

    def deliver(self, contact: Contact) -> None:
        """Send what can be sent now."""
        if contact.unsent and contact.delivering is None:
            contact.delivering = asyncio.create_task(self._deliver_all(contact))

    async def _deliver_all(self, contact: Contact) -> None:
        """Push reports until none is left or no line is; what was cut off goes again."""
        try:
            while (next_one := contact.next_unsent()) is not None:
                line, unsent = next_one
                try:
                    await line.link.push(unsent.data)
                    await line.link.drain()
                except LinkError:
                    await asyncio.sleep(0.05)  # busy, or closed and about to be told so
                    continue
                if line.link.is_open:
                    contact.unsent.remove(unsent)
        finally:
            contact.delivering = None
        if contact.unsent:
            self._board.dialling.wanted(contact)

    async def stop(self) -> None:
        """Give what is being delivered a moment to arrive."""
        for contact in self._board.contacts():
            if contact.delivering is not None:
                _, pending = await asyncio.wait([contact.delivering], timeout=1.0)
                for task in pending:
                    task.cancel()
