"""A live ACP agent in Python: handlers on one side, `ask`, `delegate` and the like on the other.

`switchboard` and `line` are the plumbing between links, channels and tasks; they know of no
handlers, only of a `desk` that answers sometime. `handlers` is the desk of an Agent. This room
knows nothing of how links are carried, nor of mailboxes or the office.
"""

from waypost.agent.agent import Agent
from waypost.agent.jobs import Job
from waypost.agent.online import Online
from waypost.agent.values import (
    Answer,
    Capabilities,
    Delivery,
    Note,
    Progress,
    Query,
    Result,
    Status,
)
from waypost.agent.work import Task
from waypost.errors import RefusedError

Refused = RefusedError

__all__ = [
    "Agent",
    "Answer",
    "Capabilities",
    "Delivery",
    "Job",
    "Note",
    "Online",
    "Progress",
    "Query",
    "Refused",
    "Result",
    "Status",
    "Task",
]
