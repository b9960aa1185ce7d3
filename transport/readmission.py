"""Asking a relay for the list of the vault's devices with nothing in hand but this device's own keys.

For a device whose database is lost: the relay knows it by its keys, and every statement of the list is signed.
"""

from __future__ import annotations

import asyncio

from vademecum.errors import NotARelay, PeerFault, RelayRefused, RelayUnreachable
from vademecum.transport import frames, login
from vademecum.transport.frames import Frame, decode, encode
from vademecum.transport.keys import DeviceKeys
from vademecum.transport.line import Line, dial

__all__ = ["fetch_statements"]

ANSWER_SECONDS = 30.0


async def fetch_statements(
    url: str, vault: bytes, keys: DeviceKeys, *, timeout: float = ANSWER_SECONDS
) -> tuple[bytes, ...]:
    """The signed statements that the relay at *url* holds of *vault*; the caller verifies them.

    *timeout*: seconds. Raises `InvalidArgument` for an address that is none, `RelayUnreachable`, `NotARelay`,
    `RelayRefused` where the relay does not know this device.
    """
    origin = login.origin_of(url)
    try:
        async with asyncio.timeout(timeout), dial(url) as line:
            await line.send([encode(frames.Hello((frames.VERSION,), vault, keys.device))])
            challenge = await _next(line, url)
            if not isinstance(challenge, frames.Challenge):
                raise NotARelay(f"What answers at {url} is not a Vademecum relay.")
            signature = login.sign_login(
                keys, origin=origin, vault=vault, nonce=challenge.nonce, expiry_ms=challenge.expiry
            )
            await line.send([encode(frames.Prove(signature, ()))])
            welcome = await _next(line, url)
            if isinstance(welcome, frames.Statements):  # a proof that this device was revoked; the refusal follows
                welcome = await _next(line, url)
            if not isinstance(welcome, frames.Welcome):
                raise NotARelay(f"What answers at {url} is not a Vademecum relay.")
            await line.send([encode(frames.AskRoster())])
            while not isinstance(told := await _next(line, url), frames.Statements):
                pass  # what happens to the vault meanwhile is none of our business
            return told.statements
    except TimeoutError as error:
        raise RelayUnreachable(f"The relay at {url} says nothing.") from error


async def _next(line: Line, url: str) -> Frame:
    """The next frame. What came behind it in the same moment is passed over: it answers nothing that was asked."""
    while True:
        await line.wait()
        for message in line.take():
            try:
                frame = decode(message)
            except PeerFault as error:
                raise NotARelay(f"What answers at {url} is not a Vademecum relay.") from error
            if isinstance(frame, frames.Refused):
                raise RelayRefused(frame.message, reason=frame.reason)
            return frame
