"""The answer to one pull, made a part at a time, as the client's line takes it.

Between two parts the channel may be renewed. Then what was sent so far is of no use any more, and the answer begins
anew with the new snapshot: a client never gets commits that do not build on what it was sent before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vademecum.transport import frames
from vademecum.transport.frames import Base, Frame
from vademecum.transport.relay.store import Store

__all__ = ["PAGE_BYTES", "Answer"]

PAGE_BYTES = 1 << 18
"""Commits in one frame, about: small enough to share a line, large enough to be few."""
_END_OF_LOG = (1 << 64) - 2


class Answer:
    """How far the answer has come. ``complete`` once its ``End`` was made."""

    def __init__(self, store: Store, vault: bytes, pull: frames.Pull) -> None:
        self._store, self._vault, self._pull = store, vault, pull
        self._base: Base | None = None  # what the channel built on when the answer was begun; None before that
        self._part: int | None = None  # the snapshot's next part; None if the client has it, or all parts are sent
        self._after = 0
        self._have: Mapping[bytes, int] = {}
        self.complete = False

    def next(self) -> Sequence[Frame]:
        """The next frames, perhaps none. Raises ``StorageTrouble``."""
        channel = self._pull.channel
        if self._base is None:
            self._begin(self._store.base(self._vault, channel))
        if self._part is not None and self._base is not None:
            part = self._store.part(self._vault, channel, self._base, self._part)
            if part is not None:
                self._part += 1
                return [frames.Part(channel, part)]
            self._part = None  # that was the last one, or the channel was renewed, which the page will show
        page = self._store.read_after(self._vault, channel, self._after, self._have, PAGE_BYTES)
        if page.base != self._base:
            self._base = None
            return []
        found: list[Frame] = [frames.Commits(channel, page.entries)] if page.entries else []
        if page.frontier is None:
            self._after = page.seq
            return found
        self.complete = True
        return [*found, frames.End(channel, self._store.log_id, page.seq, page.frontier, page.base, page.wanted)]

    def _begin(self, base: Base) -> None:
        pull = self._pull
        self._base, self._part, self._after, self._have = base, None, 0, {}
        if base == pull.base:
            self._have = pull.have
            self._after = min(pull.after, _END_OF_LOG) if pull.log_id == self._store.log_id else 0
        elif base[0] < pull.base[0]:
            self._after = _END_OF_LOG  # nothing here is of any use to the client
        else:
            self._part = 0
