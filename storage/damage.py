"""Telling a sound LMDB file from a damaged one, by reading it as plain bytes.

LMDB maps its file into memory and trusts it: a file cut short kills the process with SIGBUS and a file of zero bytes
opens as a new, empty database. So the file is looked at before it is mapped. Two depths:

``check_outline``  the two meta pages; microseconds; at every open.
``check_pages``    every page, by py-lmdb's own verifier, which walks bytes and never maps; about 5 s per GiB; after
                   an unclean stop, or where the file is not the one that was closed.

What lies inside the pages is covered by a checksum on every record (see ``environment``).
"""

from __future__ import annotations

import struct
from pathlib import Path

from vademecum.errors import DamagedStore

__all__ = ["check_outline", "check_pages"]

_MAGIC = 0xBEEFC0DE
_PAGE_HEADER = 16
# magic, version, fixed address, map size; two trees of 48 bytes, the first field of the first is the page size;
# last page, transaction
_META = struct.Struct("<II16x I44x 48x 16x")


def check_outline(file: Path) -> None:
    """Raises `DamagedStore` if *file* cannot be the LMDB file it was: absent, empty, or foreign.

    Its length says nothing by itself: pages given back in the transaction that took them are counted but never
    written, so a sound file may end before its last page. One that was cut is found by `check_pages`.
    """
    try:
        with file.open("rb") as handle:
            head = handle.read(1 << 16)
    except FileNotFoundError:
        raise _damaged(file, "is missing") from None
    if not head:
        raise _damaged(file, "is empty")
    page = _page_size(head, 0)
    if page is None or _page_size(head, page) is None:
        raise _damaged(file, "does not begin like one (its first pages are overwritten)")


def check_pages(file: Path) -> None:
    """Raises `DamagedStore` if any page of *file* breaks LMDB's own rules. O(size); nothing may write meanwhile."""
    from lmdb import verify

    try:
        problems: list[str] = verify.verify(str(file), subdir=False)  # type: ignore[no-untyped-call]  # py-lmdb's verifier has no types
    except verify.VerifyError as error:
        raise _damaged(file, f"cannot be read ({error})") from error
    if problems:
        raise _damaged(file, f"has {len(problems)} broken pages, the first: {problems[0]}")


def _page_size(head: bytes, at: int) -> int | None:
    """The page size that the meta page at *at* names, or None if there is no such page."""
    start = at + _PAGE_HEADER
    if len(head) < start + _META.size:
        return None
    magic, version, page = _META.unpack_from(head, start)
    if magic != _MAGIC or version & 0xFFFF not in (1, 2) or not 256 <= page <= 1 << 16 or page & (page - 1):
        return None
    return int(page)


def _damaged(file: Path, what: str) -> DamagedStore:
    return DamagedStore(
        f"The database file {file} {what}. Nothing was changed. `vademecum doctor` says what can be done."
    )
