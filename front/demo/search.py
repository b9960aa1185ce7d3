"""Looking for known texts in files, byte by byte: how the demo shows that a relay's store holds none of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["MIN_BYTES", "bytes_of", "find_texts", "hex_lines", "used_place"]

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


def hex_lines(content: bytes, at: int, lines: int) -> list[str]:
    """*content* from *at* as an editor for bytes shows it."""
    out = []
    for start in range(at, min(at + 16 * lines, len(content)), 16):
        row = content[start : start + 16]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        out.append(f"{start:08x}  {row.hex(' ')}  {shown}")
    return out


def used_place(content: bytes) -> int:
    """A place past the middle of *content* where the bytes are varied, so not those of an empty page."""
    for at in range(len(content) // 2 // 4096 * 4096 + 1024, len(content) - 64, 4096):
        if len(set(content[at : at + 64])) > 40:
            return at
    return 0
