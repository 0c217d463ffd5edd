"""`waypost delegate`, `cancel` and `notify`: what a live peer shall do, or shall know."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.commands.console import Console, Parser
from waypost.commands.live_ask import show_data
from waypost.commands.live_place import (
    add_options,
    add_patience,
    add_secrets,
    home_of,
    json_of,
    seconds,
    text_of,
    visit,
    who,
)
from waypost.errors import ConflictError, UsageError, visible

if TYPE_CHECKING:
    from waypost.agent import Delivery, Job, Online, Result
    from waypost.carriers.keyring import Peer

_DELEGATE = """\
  waypost delegate family "Tell her I'm late" --urgent --wait
  waypost delegate builder --deadline 600 < task.md
  waypost delegate family "Order milk" --context '{"litres": 2}'
"""
_CANCEL = """\
  waypost cancel family 8e4a0b52-6f0d-4c39-9d1e-2b7c85a3f614 --reason "plans changed"
"""
_NOTIFY = """\
  waypost notify family home.state '{"door": "open"}' --importance high
  waypost notify '*' release.done "1.4 is out"        all enrolled peers
"""
_CODES = {"completed": 0, "partial": 0, "failed": 1}


def delegate(console: Console, argv: Sequence[str]) -> int:
    """Give a task; with --wait, print how it ended."""
    parser = Parser("waypost delegate", "Give a live peer a task.", _DELEGATE)
    parser.add_argument("peer", help="its local name, its id, or the beginning of its id")
    parser.add_argument("task", nargs="?", help="what to do; else it is read from a pipe")
    parser.add_argument("--context", metavar="JSON", help="an object with what the peer must know")
    parser.add_argument("--urgent", action="store_true", help="don't wait for a free place there")
    parser.add_argument("--deadline", metavar="SECONDS", type=seconds, help="for the whole task")
    end = parser.add_mutually_exclusive_group()
    end.add_argument("--wait", action="store_true", help="wait for the result, and print it")
    end.add_argument("--no-report", action="store_true", help="ask for no result")
    add_patience(parser, 30.0, "its yes or no")
    add_secrets(parser)
    add_options(parser)
    wanted = parser.parse_args(argv)
    wanted.task = text_of(wanted.task, "task")
    wanted.context = _context(wanted.context)
    job, result = visit(wanted, lambda me: _delegate(console, wanted, me))
    if not wanted.wait:
        result = job.result_so_far()  # it may have come to us before we had left
    return _show_job(console, wanted, job, result)


def _context(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    value = json_of(text)
    if not isinstance(value, dict):
        raise UsageError("--context is no JSON object", hint='write it like {"litres": 2}')
    return value


async def _delegate(
    console: Console, wanted: argparse.Namespace, me: "Online"
) -> "tuple[Job, Result | None]":
    is_shown = wanted.wait and not console.as_json
    job = await me.delegate(
        wanted.peer,
        wanted.task,
        context=wanted.context,
        urgent=wanted.urgent,
        deadline=wanted.deadline,
        report_back=not wanted.no_report,
        on_progress=(lambda how: console.talk(visible(how.text))) if is_shown else None,
        timeout=wanted.timeout,
        allow_secrets=wanted.allow_secrets,
    )
    if is_shown:
        console.talk(_taken(job))
    return job, await job.result() if wanted.wait else None


def _taken(job: "Job") -> str:
    soon = "" if job.estimated_ms is None else f", which takes about {job.estimated_ms / 1000:g} s"
    return f"{job.peer} has taken task {job.id}{soon}"


def _show_job(
    console: Console, wanted: argparse.Namespace, job: "Job", result: "Result | None"
) -> int:
    from waypost.carriers.keyring import Presence

    name = who(wanted)
    listens = Presence(home_of(wanted), name).is_listening()
    if console.as_json:
        shown = {"peer": job.peer, "peer_id": job.peer_id, "id": job.id, "accepted": True}
        shown |= {"estimated_ms": job.estimated_ms, "report_back": job.report_back}
        shown |= {"listener": listens, "result": result and result._asdict()}
        console.json(shown)
    elif result is not None:
        _show_result(console, result)
    else:
        console.data(_taken(job))
        if job.report_back:
            _show_way_back(console, name, listens)
    return 0 if result is None else _CODES[result.status]


def _show_result(console: Console, result: "Result") -> None:
    console.data(visible(result.outcome, keep="\n\t"))
    show_data(console, result.data)
    if result.status != "completed":
        why = f" ({result.error})" if result.error else ""
        console.talk(visible(f"the task is {result.status}{why}"))


def _show_way_back(console: Console, name: str, listens: bool) -> None:
    """Say where the result goes, and when it goes nowhere."""
    if listens:
        console.talk(f"the result goes to the listener of {name}")
        return
    console.talk(f"warning: nobody listens as {name}, so the result finds nobody")
    console.talk(f"hint:    waypost listen --as {name}, or wait for it with --wait")


def cancel(console: Console, argv: Sequence[str]) -> int:
    """Call a task off; fails when the peer did not stop it."""
    parser = Parser("waypost cancel", "Call off a task that a live peer was given.", _CANCEL)
    parser.add_argument("peer", help="who has the task")
    parser.add_argument("task_id", metavar="ID", help="the task's id, as delegate printed it")
    parser.add_argument("--reason", default="", help="why, for the peer")
    add_patience(parser, 10.0)
    add_options(parser)
    wanted = parser.parse_args(argv)

    async def errand(me: "Online") -> "tuple[Peer, bool]":
        peer = me.peers.find(wanted.peer)
        task_id = wanted.task_id.lower()
        return peer, await me.cancel(peer.id, task_id, wanted.reason, timeout=wanted.timeout)

    peer, stopped = visit(wanted, errand)
    if not stopped:
        raise ConflictError(
            f"{peer.name} did not stop the task", hint="it has ended, or was never there"
        )
    if console.as_json:
        shown = {"peer": peer.name, "peer_id": peer.id, "id": wanted.task_id}
        console.json({**shown, "cancelled": True})
    else:
        console.data(f"{peer.name} has stopped the task")
    return 0


def notify(console: Console, argv: Sequence[str]) -> int:
    """Tell one peer something, or all; nobody answers."""
    parser = Parser("waypost notify", "Tell live peers something; nobody answers.", _NOTIFY)
    parser.add_argument("peer", help="whom to tell; * for all enrolled peers")
    parser.add_argument("topic", help="what it is about: home.state")
    parser.add_argument("data", nargs="?", help="JSON or text; - reads it from a pipe")
    parser.add_argument("--importance", choices=["low", "medium", "high"], default="low")
    add_patience(parser, 10.0, "reaching the peer")
    add_secrets(parser)
    add_options(parser)
    wanted = parser.parse_args(argv)
    data = None if wanted.data is None else json_of(text_of(wanted.data, "data"))
    told = visit(
        wanted,
        lambda me: me.notify(
            wanted.topic,
            data,
            to=wanted.peer,
            importance=wanted.importance,
            timeout=wanted.timeout,
            allow_secrets=wanted.allow_secrets,
        ),
    )
    return _show_told(console, told)


def _show_told(console: Console, told: "Delivery") -> int:
    """List who was told and who wasn't; it has failed when somebody wasn't."""
    if console.as_json:
        failed = {name: error.to_json() for name, error in told.failed.items()}
        console.json({"sent": list(told.sent), "failed": failed})
    else:
        console.data("told " + (", ".join(told.sent) or "nobody"))
        for name, error in told.failed.items():
            console.talk(f"not told: {name}: {error.details}")
    return max((error.exit_code for error in told.failed.values()), default=0)
