"""Which sessions stay on this device: nothing of them is gathered for the relay until they are handed over.

A setting of the scope, ``local/<device>``, that only that device writes: so neither another device's hand-over of a
session of the same name nor a repair of the database ends it. A scope that stays here has an empty outbox.
"""

from __future__ import annotations

from .records import Record
from .slots import SlotMap
from .view import View

__all__ = ["LOCAL", "is_local", "local_name"]

LOCAL = "local/"
_SESSION = "session/"


def local_name(device: bytes) -> str:
    return LOCAL + device.hex()


def is_local(view: View, scope: str, device: bytes) -> bool:
    """Whether *scope* is a session that stays on *device*, which is this one. O(log n)."""
    if not scope.startswith(_SESSION):
        return False
    record: Record | None = view.get(scope, SlotMap.SETTINGS, local_name(device))
    return record is not None
