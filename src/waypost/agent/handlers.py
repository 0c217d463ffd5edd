"""The desk of an Agent: what peers ask goes to its handlers, as many at once as it allows."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from waypost.agent import payloads
from waypost.agent.agent import Agent, OnQuery
from waypost.agent.desk import Asked, Offered
from waypost.agent.values import Ended, Note, Query
from waypost.agent.work import Task, Tell
from waypost.dialects.secrets import find_secrets
from waypost.errors import RefusedError, WaypostError
from waypost.letters.domains import closest, covers, not_handled

Fields = dict[str, Any]
TAKEN_AFTER = 0.5  # seconds of work without a refusal
LONGEST_REASON = 2000
MOST_NOTES = 1024  # handlers of notifications at work at once
CANCELLED, TOO_LATE, GOING = "cancelled", "too late", "going offline"
log = logging.getLogger("waypost.agent")


class HandlerDesk:
    """Runs the handlers of one agent that is online."""

    def __init__(self, agent: Agent, name_of: Callable[[str], str], tell: Tell) -> None:
        self._agent, self._name_of, self._tell = agent, name_of, tell
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._working: dict[Asked | Offered, asyncio.Task[None]] = {}
        self._why: dict[Offered, str] = {}
        self._notes: set[asyncio.Task[None]] = set()

    # -- answered without a handler --------------------------------------------------------

    def hello(self) -> Fields:
        return {"agent_name": self._agent.agent_name, "features": ["progress"]}

    def pong(self) -> Fields:
        active, most = len(self._working), self._agent.max_concurrent_tasks
        return {
            "status": "idle" if not active else "busy" if active < most else "overloaded",
            "uptime_secs": int(self._loop.time() - self._since),
            "active_tasks": active,
            "agent_name": self._agent.agent_name,
        }

    def capabilities(self) -> Fields:
        return self._agent.card()

    @property
    def _is_full(self) -> bool:
        return len(self._working) >= self._agent.max_concurrent_tasks

    def _start(self, what: Asked | Offered, work: Coroutine[Any, Any, None]) -> None:
        self._working[what] = self._loop.create_task(work)

    def _reason(self, refusal: RefusedError) -> str:
        """What the peer is told; a reason that can't be sent must not stop the refusal."""
        reason = refusal.details.strip()[:LONGEST_REASON] or "it gives no reason"
        if self._agent.allow_secrets or not any(find_secrets({"message": reason}, ())):
            return reason
        log.error("the reason of a refusal holds a secret, so it is not told")
        return "it gives no reason"

    # -- queries ---------------------------------------------------------------------------

    def query(self, asked: Asked) -> None:
        domain = asked.message["payload"].get("domain")
        handler = closest(self._agent.on_query, domain)
        if handler is None:
            known = [pattern for pattern, _ in self._agent.on_query if pattern]
            asked.fail("unknown_domain", not_handled(domain, known))
        elif self._is_full:
            asked.fail("overloaded", "as many handlers run as may", True)
        else:
            self._start(asked, self._answer(asked, handler))

    async def _answer(self, asked: Asked, handler: OnQuery) -> None:
        payload = asked.message["payload"]
        try:
            value = await handler(self._query(asked))
            asked.answer(payloads.response(value, payload.get("max_tokens") or 0))
        except RefusedError as refusal:
            code = "not_authorized" if refusal.wire_code == "refused" else refusal.wire_code
            asked.fail(code, self._reason(refusal), bool(refusal.retryable))
        except Exception as error:
            _log("the handler of a query failed", error)
            asked.fail("internal", "the handler failed")
        finally:
            del self._working[asked]

    def _query(self, asked: Asked) -> Query:
        payload = asked.message["payload"]
        return Query(
            payload["question"],
            payload.get("domain"),
            payload.get("max_tokens") or 0,
            asked.deadline - self._loop.time(),
            self._name_of(asked.peer),
            asked.peer,
            asked.message["id"],
            payload,
        )

    def given_up(self, asked: Asked) -> None:
        if (working := self._working.get(asked)) is not None:
            working.cancel()

    # -- tasks -----------------------------------------------------------------------------

    def delegate(self, offered: Offered) -> None:
        payload = offered.task.message["payload"]
        if self._agent.on_delegate is None:
            offered.refuse("refused", "this agent takes no tasks")
        elif self._is_full and payload.get("priority") != "urgent":
            offered.refuse("overloaded", "as many handlers run as may", True)
        else:
            self._start(offered, self._work(offered, self._agent.on_delegate))

    async def _work(self, offered: Offered, handler: Callable[[Task], Any]) -> None:
        task = Task(offered, self._name_of(offered.task.peer), self._tell)
        timers = [self._loop.call_later(TAKEN_AFTER, offered.accept)]
        if task.deadline is not None:
            timers.append(self._loop.call_later(task.deadline, self._end, offered, TOO_LATE))
        try:
            offered.finish(payloads.result(await handler(task)))
        except RefusedError as refusal:
            offered.refuse(refusal.wire_code, self._reason(refusal), bool(refusal.retryable))
        except asyncio.CancelledError:
            self._stopped(offered)
        except Exception as error:
            _log("the handler of a task failed", error)
            offered.fail("internal", "the handler failed")
        finally:
            for timer in timers:
                timer.cancel()
            self._why.pop(offered, None)
            del self._working[offered]

    def _stopped(self, offered: Offered) -> None:
        why = self._why.get(offered, GOING)
        if why == TOO_LATE:
            offered.fail("timeout", "the task was not done within its deadline", True)
        elif why == GOING:
            offered.fail("internal", "the agent went offline before the task was done", True)
        else:
            offered.stopped(why.removeprefix(CANCELLED))

    def _end(self, offered: Offered, why: str) -> None:
        working = self._working.get(offered)
        if working is not None and offered not in self._why:
            self._why[offered] = why
            working.cancel()

    def overdue(self, offered: Offered) -> None:
        self._end(offered, TOO_LATE)

    def stop(self, offered: Offered, message: Fields) -> None:
        reason = (message.get("payload") or {}).get("reason", "")
        self._end(offered, CANCELLED + reason)

    # -- what comes one way ----------------------------------------------------------------

    def notify(self, peer: str, message: Fields) -> None:
        payload = message["payload"]
        note = Note(
            payload["topic"],
            payload.get("data"),
            payload.get("importance", "low"),
            self._name_of(peer),
            peer,
            message["id"],
            payload,
        )
        for pattern, handler in self._agent.on_notify:
            if covers(pattern, note.topic):
                self._hear(handler(note))

    def result(self, peer: str, kind: str, message: Fields) -> None:
        name, payload = self._name_of(peer), message["payload"]
        if self._agent.on_result is None:
            log.debug("%s told the end of a task that nobody waits for", name)
            return
        result = payloads.result_of(payload) if kind == "result" else None
        error = payloads.error_of(payload, name) if kind == "error" else None
        ended = Ended(message["ref"], name, peer, result, error, payload)
        self._hear(self._agent.on_result(ended))

    def _hear(self, work: Any) -> None:
        if len(self._notes) >= MOST_NOTES:
            log.warning("a notification is dropped: %d are being handled", MOST_NOTES)
            work.close()
            return
        hearing = self._loop.create_task(_logged(work))
        self._notes.add(hearing)
        hearing.add_done_callback(self._notes.discard)

    async def close(self) -> None:
        """Stop every handler, and wait until they have ended, but not for ever."""
        ending = [*self._working.values(), *self._notes]
        for task in ending:
            task.cancel()
        if ending:
            await asyncio.wait(ending, timeout=5.0)


async def _logged(work: Any) -> None:
    try:
        await work
    except Exception as error:
        _log("the handler of a notification failed", error)


def _log(what: str, error: Exception) -> None:
    """Note a failure; one that explains itself needs no trace."""
    log.error("%s: %s", what, error, exc_info=None if isinstance(error, WaypostError) else error)
