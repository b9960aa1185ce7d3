"""The HTTP client under the official SDKs, with bounds that they have not.

- A body is read up to a size and a moment, also that of an error, and never unpacked: a reply that goes on for ever,
  drips, or swells when decompressed ends as one that could not be read.
- A service may ask to be tried again within seconds; one that asks for more is tried in the next sweep. (One SDK sleeps
  as long as it is told to, hours if need be.)
- No redirects: what the person said, and the key, go to the address that was named and to no other.
- The SDKs print whole requests where a program logs at debug level. While a distiller asks, they do not.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

__all__ = ["MAX_BODY", "MAX_WAIT", "bounded_client", "unlogged", "was_too_long"]

MAX_BODY = 2 * 1024 * 1024
"""Bytes of one reply."""
MAX_WAIT = 20.0
"""Seconds that a service may ask to be left alone for, within a sweep."""
CONNECT = 10.0
"""Seconds to reach a service."""
_TOO_LONG = "the reply is too long"


def bounded_client(timeout: float, clock: Callable[[], float] = time.monotonic) -> httpx2.Client:
    """A client for an SDK. *timeout*: seconds for the whole of one reply, and for each wait within it. Both SDKs use
    httpx2, so it is there where one of them is.
    """
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        """Ends a body that is too long or takes too long, as a connection that failed."""

        def __init__(self, inner: Any) -> None:
            self.inner = inner
            self.until = clock() + timeout

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for chunk in self.inner:
                size += len(chunk)
                if size > MAX_BODY:
                    raise httpx2.ReadError(_TOO_LONG)
                if clock() > self.until:
                    raise httpx2.ReadTimeout("the reply takes too long")
                yield chunk

        def close(self) -> None:
            self.inner.close()

    def bound(response: httpx2.Response) -> None:
        response.stream = Bounded(response.stream)
        response.headers.pop("content-encoding", None)  # asked for plain; packed bytes are not JSON, and so no answer
        if _asks_for_long(response.headers):
            response.headers["x-should-retry"] = "false"

    return httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=min(CONNECT, timeout)),
        follow_redirects=False,
        limits=httpx2.Limits(max_keepalive_connections=0),  # nothing is left open between sweeps
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


def was_too_long(error: BaseException) -> bool:
    """Whether an SDK's *error* of the connection comes from a body that was longer than is read."""
    return str(error.__cause__) == _TOO_LONG


def _asks_for_long(headers: Any) -> bool:
    for name, seconds in (("retry-after", 1.0), ("retry-after-ms", 0.001)):
        asked = headers.get(name)
        if asked is None:
            continue
        try:
            if not 0 <= float(asked) * seconds <= MAX_WAIT:
                return True
        except ValueError:  # a date
            return True
    return False


_asking: ContextVar[bool] = ContextVar("asking", default=False)


def _keep(record: logging.LogRecord) -> bool:
    return not (_asking.get() and record.levelno <= logging.DEBUG)


@contextmanager
def unlogged(*loggers: str) -> Iterator[None]:
    """Within it, this thread leaves nothing at debug level in *loggers*; what others do there is not touched."""
    for name in loggers:
        logging.getLogger(name).addFilter(_keep)  # adding one that is there does nothing
    token = _asking.set(True)
    try:
        yield
    finally:
        _asking.reset(token)
