"""What the indexes raise when a file of theirs cannot be used."""

from __future__ import annotations

from vademecum.errors import Trouble

__all__ = ["IndexDamaged"]


class IndexDamaged(Trouble):
    """An index file is damaged, cut short, or was deleted under its reader.

    Nothing of it was used. An index is derived, so nothing is lost: throw it away and fill it again from the store.
    """

    code = "index-damaged"
