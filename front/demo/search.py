"""Looking for known texts in files, byte by byte: how the demo shows that a relay's store holds none of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

__all__ = ["MIN_BYTES", "bytes_of", "find_texts", "hex_lines", "squeezed"]

MIN_BYTES = 10
"""Texts of fewer bytes are not looked for: in a megabyte of noise, four bytes are found by chance."""


def bytes_of(folder: Path) -> dict[str, bytes]:
    """The files below *folder*: name and content."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def find_texts(contents: Iterable[bytes], texts: Iterable[str]) -> set[str]:
    """Those of *texts*, of at least `MIN_BYTES` bytes, that stand somewhere in *contents*. O(bytes + texts)."""
    wanted: dict[bytes, list[bytes]] = {}
    for text in texts:
        data = text.encode()
        if len(data) >= MIN_BYTES:
            wanted.setdefault(data[:MIN_BYTES], []).append(data)
    found: set[str] = set()
    for content in contents:
        for place in range(len(content) - MIN_BYTES + 1):
            for data in wanted.get(content[place : place + MIN_BYTES], ()):
                if content.startswith(data, place):
                    found.add(data.decode())
    return found


def squeezed(content: bytes) -> float:
    """To which part of its size *content* compresses, empty pages left out; ciphertext stays near 1."""
    dense = b"".join(
        content[at : at + 4096] for at in range(0, len(content), 4096) if any(content[at : at + 4096].rstrip(b"\0"))
    )
    return len(zlib.compress(dense, 9)) / len(dense) if dense else 1.0


def hex_lines(content: bytes, at: int, lines: int) -> list[str]:
    """*content* from *at* as an editor for bytes shows it."""
    out = []
    for start in range(at, min(at + 16 * lines, len(content)), 16):
        row = content[start : start + 16]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        out.append(f"{start:08x}  {row.hex(' ')}  {shown}")
    return out
