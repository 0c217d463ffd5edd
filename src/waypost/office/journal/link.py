"""The line to the servers of a shared journal: its client's event loop, in a thread of its own.

The office is plain and synchronous; what waits for the network waits here. Whoever calls gives a
coroutine and gets what came of it, or an error that a user understands.
"""

import asyncio
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

import nats
import nats.errors
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.errors import APIError, NoStreamResponseError, ServiceUnavailableError

from waypost.errors import NotAllowedError, TimedOutError, UnreachableError, UnreadableError
from waypost.office.journal.address import Address

Result = TypeVar("Result")
ATTEMPT_SECONDS = 2.0
_PAUSE_SECONDS = 0.1
_PING_SECONDS = 2
_IN_PROCESS = 10158  # the server still writes what came first under this id
_AGAIN = (NoStreamResponseError, ServiceUnavailableError, nats.errors.Error, OSError)


class Link:
    """A connection that comes back by itself, and the loop that it lives in."""

    def __init__(self, address: Address, patience: float) -> None:
        self.address = address
        self.client = Client()
        self.js: JetStreamContext = self.client.jetstream(timeout=ATTEMPT_SECONDS)
        self.loop = asyncio.new_event_loop()
        self._trouble = "nobody answers"
        self._is_refused = False
        self._thread = threading.Thread(target=self._run, name="waypost-stream", daemon=True)
        self._thread.start()
        try:
            self.do(self._connect(patience))
        except BaseException:
            self.close()
            raise

    def do(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Do something in the loop and wait for it. Raises UnreadableError once it's closed."""
        try:
            return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()
        except (CancelledError, RuntimeError) as error:
            coroutine.close()
            raise UnreadableError("this office is closed", hint="open it again") from error

    async def publish(self, subject: str, data: bytes, identity: str, deadline: float) -> int:
        """Bring a message into the stream, once however often it is tried; gives its place.

        Raises TimedOutError when no server could say by the deadline that it keeps it.
        """
        headers = {"Nats-Msg-Id": identity}
        while (left := deadline - time.monotonic()) > 0:
            try:
                ack = await self.js.publish(
                    subject, data, timeout=min(left, ATTEMPT_SECONDS),
                    stream=self.address.stream, headers=headers,
                )  # fmt: skip
            except APIError as error:
                if error.err_code != _IN_PROCESS and not isinstance(error, ServiceUnavailableError):
                    raise UnreadableError(f"the journal refuses it: {error.description}") from error
            except _AGAIN:
                pass
            else:
                return ack.seq
            await asyncio.sleep(min(_PAUSE_SECONDS, max(0, deadline - time.monotonic())))
        raise self.too_late()

    async def patiently(self, ask: Any, deadline: float) -> Any:
        """Ask the servers until one answers; what is no trouble of the moment is raised."""
        while True:
            try:
                return await ask()
            except ServiceUnavailableError as error:
                self._trouble = error.description or "no leader"
            except APIError:
                raise
            except _AGAIN as error:
                self._trouble = str(error) or "no answer"
            if time.monotonic() > deadline:
                raise UnreachableError(
                    f"the journal {self.address} does not answer: {self._trouble}",
                    hint="are enough of its servers up, and is JetStream on?",
                    retryable=True,
                )
            await asyncio.sleep(_PAUSE_SECONDS)

    def too_late(self) -> TimedOutError:
        """What an append ends with that nobody confirmed in time."""
        return TimedOutError(
            f"the journal {self.address} did not confirm it in time",
            hint="it may be stored or not; do it again, a letter under the same id",
            retryable=True,
        )

    def close(self) -> None:
        """Hang up and end the loop."""
        if self._thread.is_alive():
            ending = asyncio.run_coroutine_threadsafe(self._hang_up(), self.loop)
            with suppress(Exception):  # a line that is dead anyway
                ending.result(2 * ATTEMPT_SECONDS)
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join()
            self.loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def _hang_up(self) -> None:
        await self.client.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _note(self, error: Exception) -> None:
        self._trouble = str(error) or type(error).__name__
        self._is_refused |= "authorization" in self._trouble.lower()

    async def _connect(self, patience: float) -> None:
        address = self.address
        proofs: dict[str, Any] = {"user_credentials": address.creds, "nkeys_seed": address.nkey}
        proofs["reconnect_time_wait"] = _PAUSE_SECONDS
        if (tls := address.tls()) is not None:
            proofs["tls"] = tls
        try:
            await asyncio.wait_for(
                self.client.connect(
                    address.servers,
                    name="waypost",
                    error_cb=self._note,
                    max_reconnect_attempts=-1,
                    ping_interval=_PING_SECONDS,
                    **{key: value for key, value in proofs.items() if value is not None},
                ),
                patience,
            )
        except (nats.errors.Error, OSError, ValueError) as error:
            if not isinstance(error, TimeoutError):
                await self._note(error)
            if self._is_refused:
                raise NotAllowedError(
                    f"the journal {address} doesn't let us in",
                    hint="look at the user, token, creds or nkey in its address",
                ) from error
            raise UnreachableError(
                f"the journal {address} can't be reached: {self._trouble}",
                hint="are its servers up?",
                retryable=True,
            ) from error
