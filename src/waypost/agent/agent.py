"""An agent as its owner writes it: its card, and a handler for each thing that peers may ask."""

from collections.abc import Awaitable, Callable, Iterable
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from waypost.agent.values import Ended, Note, Query
from waypost.agent.work import Task
from waypost.errors import UsageError, quoted
from waypost.letters.names import NAME_RULE, is_name

if TYPE_CHECKING:
    from waypost.agent.online import Carrier, Online

OnQuery = Callable[[Query], Awaitable[object]]
OnTask = Callable[[Task], Awaitable[object]]
OnNote = Callable[[Note], Awaitable[object]]
OnEnded = Callable[[Ended], Awaitable[object]]
Handler = TypeVar("Handler", bound=Callable[[Any], Awaitable[object]])


class Agent:
    """A live agent: give it handlers, then take it online.

    `name` is the local name of its key; the rest is its card, which peers may discover.
    Raises UsageError.
    """

    def __init__(
        self,
        name: str,
        *,
        domains: Iterable[str] = (),
        channels: Iterable[str] = (),
        tools: Iterable[str] = (),
        model: str | None = None,
        agent_name: str | None = None,
        max_concurrent_tasks: int = 16,
        allow_secrets: bool = False,
    ) -> None:
        if not is_name(name):
            raise UsageError(f"{quoted(name)} can't name an agent", hint=NAME_RULE)
        self.name = name
        self.agent_name = agent_name or name
        self.domains = tuple(domains)
        self.channels, self.tools, self.model = tuple(channels), tuple(tools), model
        self.max_concurrent_tasks = max_concurrent_tasks
        self.allow_secrets = allow_secrets
        self.on_query: list[tuple[str | None, OnQuery]] = []
        self.on_notify: list[tuple[str | None, OnNote]] = []
        self.on_delegate: OnTask | None = None
        self.on_result: OnEnded | None = None

    @overload
    def query(self, pattern: OnQuery) -> OnQuery: ...
    @overload
    def query(self, pattern: str | None = None) -> Callable[[OnQuery], OnQuery]: ...
    def query(self, pattern: Any = None) -> Any:
        """Answer questions, of one domain (`family.*` with all below) or of any."""
        return _register(self.on_query, pattern)

    @overload
    def notify(self, pattern: OnNote) -> OnNote: ...
    @overload
    def notify(self, pattern: str | None = None) -> Callable[[OnNote], OnNote]: ...
    def notify(self, pattern: Any = None) -> Any:
        """Hear notifications, of one topic (`home.*` with all below) or of any."""
        return _register(self.on_notify, pattern)

    def delegate(self, handler: OnTask) -> OnTask:
        """Do tasks. Raise Refused to refuse; what is returned is the outcome."""
        self.on_delegate = _checked(handler)
        return handler

    def result(self, handler: OnEnded) -> OnEnded:
        """Hear of results that no job of this process waits for."""
        self.on_result = _checked(handler)
        return handler

    def card(self) -> dict[str, Any]:
        """What a peer learns that asks what this agent can do."""
        patterns = [pattern.removesuffix(".*") for pattern, _ in self.on_query if pattern]
        card = {
            "agent_name": self.agent_name,
            "domains": list(self.domains or dict.fromkeys(patterns)),
            "channels": list(self.channels),
            "tools": list(self.tools),
            "max_concurrent_tasks": self.max_concurrent_tasks,
        }
        return card if self.model is None else {**card, "model": self.model}

    def online(
        self,
        address: str | None = None,
        *,
        home: Path | str | None = None,
        carrier: "Carrier | None" = None,
    ) -> "Online":
        """Take the agent online, as an async context manager; with an address peers can dial it.

        Keys and peers lie under `home` (default: $WAYPOST_HOME, or ~/.waypost). `carrier` makes
        the transport, and is QUIC unless given.
        """
        from waypost.agent.online import Online

        return Online(self, address, home, carrier)


def _register(handlers: list[Any], pattern: Any) -> Any:
    if callable(pattern):
        handlers.append((None, _checked(pattern)))
        return pattern

    def register(handler: Handler) -> Handler:
        handlers.append((pattern, _checked(handler)))
        return handler

    return register


def _checked(handler: Handler) -> Handler:
    if not iscoroutinefunction(handler) and not iscoroutinefunction(
        getattr(handler, "__call__", None)  # noqa: B004  # an object with an async __call__
    ):
        raise UsageError(
            f"the handler {getattr(handler, '__name__', handler)!r} is not async",
            hint="write async def: a cancelled handler must be stoppable",
        )
    return handler
