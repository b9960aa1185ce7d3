"""Telling a sound LMDB file from a damaged one, by reading it as plain bytes.

LMDB maps its file into memory and trusts it: a file cut short kills the process with SIGBUS and a file of zero bytes
opens as a new, empty database. So the file is looked at before it is mapped. Two depths:

``check_outline``  the two meta pages and the file's length; microseconds; at every open.
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
# magic, version, fixed address, map size; two trees of 48 bytes whose first field is the page size; last page, txn
_META = struct.Struct("<IIQQ I44x 48x QQ")


def check_outline(file: Path) -> None:
    """Raises `DamagedStore` if *file* cannot be the LMDB file it was: absent, empty, foreign, or cut short."""
    try:
        size = file.stat().st_size
        with file.open("rb") as handle:
            head = handle.read(1 << 16)
    except FileNotFoundError:
        raise _damaged(file, "is missing") from None
    if size == 0:
        raise _damaged(file, "is empty")
    first = _meta(head, 0)
    second = _meta(head, first[0]) if first else None
    if first is None or second is None:
        raise _damaged(file, "does not begin like one (its first pages are overwritten)")
    page, last, _ = max(first, second, key=lambda meta: meta[2])
    if size < (last + 1) * page:
        raise _damaged(file, f"is cut short: {size:,} bytes of {(last + 1) * page:,}")


def check_pages(file: Path) -> None:
    """Raises `DamagedStore` if any page of *file* breaks LMDB's own rules. O(size); nothing may write meanwhile."""
    from lmdb import verify

    try:
        problems: list[str] = verify.verify(str(file), subdir=False)  # type: ignore[no-untyped-call]  # py-lmdb's verifier has no types
    except verify.VerifyError as error:
        raise _damaged(file, f"cannot be read ({error})") from error
    if problems:
        raise _damaged(file, f"has {len(problems)} broken pages, the first: {problems[0]}")


def _meta(head: bytes, at: int) -> tuple[int, int, int] | None:
    """(page size, last page, transaction) of the meta page at *at*, or None if there is none."""
    start = at + _PAGE_HEADER
    if len(head) < start + _META.size:
        return None
    magic, version, _, _, page, last, transaction = _META.unpack_from(head, start)
    if magic != _MAGIC or version & 0xFFFF not in (1, 2) or not 256 <= page <= 1 << 16 or page & (page - 1):
        return None
    return page, last, transaction


def _damaged(file: Path, what: str) -> DamagedStore:
    return DamagedStore(
        f"The database file {file} {what}. Nothing was changed. Restore the folder from a backup, or set it aside "
        f"and join this device to the vault again from another device."
    )
