"""Reading the file itself, and JSON with the strictness that the importers share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from vademecum.errors import UnreadableFile

__all__ = ["MAX_FILE", "decode_text", "parse_json", "read_text", "refuse"]

MAX_FILE = 64 << 20
"""Bytes of a file to import: a whole file is held in memory while it is checked."""


def read_text(file: Path) -> str:
    """What *file* says. Raises `UnreadableFile` if it is missing, too large, or not UTF-8 (then with the line)."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except FileNotFoundError:
        raise UnreadableFile(f"There is no file {str(file)!r}.") from None
    except OSError as error:
        raise UnreadableFile(f"The file {str(file)!r} cannot be read: {error.strerror}.") from error
    return decode_text(data, file, "Nothing was imported.")


def decode_text(data: bytes, file: Path, outcome: str) -> str:
    """*data*, read from *file*, as text without its byte order mark; *outcome* ends the sentence that refuses it.

    Raises `UnreadableFile` if it is longer than `MAX_FILE`, or not UTF-8 (then with the line).
    """
    if len(data) > MAX_FILE:
        raise UnreadableFile(
            f"The file {str(file)!r} is larger than {MAX_FILE >> 20} MiB. Split it and import the parts."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(f"Line {line} of {file.name!r} is not UTF-8 text. {outcome}") from None


def refuse(file: str, what: str) -> NoReturn:
    """Raises `UnreadableFile`: *what*, a sentence, is wrong with *file*."""
    raise UnreadableFile(f"{file!r} cannot be imported. {what} Nothing was imported.")


def parse_json(text: str) -> Any:
    """The JSON document *text*. Raises `ValueError` (`json.JSONDecodeError` where a place is known), also for a key
    given twice in one object and for NaN and Infinity, which JSON does not have; `RecursionError` if it is too deep.
    """
    return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # `add` is None, so the search goes on
        raise ValueError(f"An object has the key {twice!r} twice.")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON; numbers must be finite.")
