"""The process that serves an office over HTTP, from its start to its orderly end."""

import asyncio
import signal
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import uvicorn

from waypost.faces.app import Doors
from waypost.runtime import metrics
from waypost.runtime.endpoint import Endpoint
from waypost.runtime.post_office import PostOffice
from waypost.runtime.serving import Tls
from waypost.runtime.telling import Teller
from waypost.runtime.trust import Trust

_GRACE_SECONDS = 5
_MOST_CONNECTIONS = 4000
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Server(uvicorn.Server):
    """Ends in good order when told to: first lets go who waits, then finishes what it does."""

    def __init__(self, config: uvicorn.Config, doors: Doors, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ended_by = 0
        self._doors = doors
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have signals end the server and nothing else: the office is closed after it."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._stop, number)
        try:
            yield
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    def _stop(self, number: int) -> None:
        self.ended_by = number
        self.should_exit = True
        self._doors.stop_waiting()


def serve(
    post: PostOffice,
    teller: Teller,
    listener: socket.socket,
    tls: Tls | None,
    names: Collection[str],
    quic: tuple[str, int],
    ready: Callable[[Endpoint], None],
) -> int:
    """Serve until a signal ends it; gives that signal. `ready` is called when it has begun."""
    trust = Trust(post.office)
    doors = Doors(post.office, names, lambda: metrics.written(post), teller.audience, trust)
    config = uvicorn.Config(
        doors.app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        ws="none",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        return runner.run(_run(config, doors, listener, post, teller, quic, ready, trust))


async def _run(
    config: uvicorn.Config,
    doors: Doors,
    listener: socket.socket,
    post: PostOffice,
    teller: Teller,
    quic: tuple[str, int],
    ready: Callable[[Endpoint], None],
    trust: Trust,
) -> int:
    """Have everything run at once: first the live peers and the folders, then the doors."""
    endpoint = Endpoint(post.office, post.dispatcher, quic)
    server = _Server(config, doors, lambda: ready(endpoint))
    await asyncio.to_thread(post.join)
    post.online = endpoint.online
    try:
        await endpoint.start()
        trust.endpoint = endpoint
        post.start()
        teller.start()
        try:
            await server.serve([listener])
        finally:
            await asyncio.to_thread(teller.stop)
            await asyncio.to_thread(post.stop)
            await endpoint.stop()
    finally:
        await asyncio.to_thread(post.leave)
    return server.ended_by
