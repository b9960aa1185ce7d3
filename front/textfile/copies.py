"""Copies for reading, beside the text file: what each agent keeps for itself, and what was said in sessions.

``agents/<developer>/<slug>.yaml`` and ``sessions/<id>/messages.jsonl``. They follow the vault; what somebody writes
into them is not taken over, and is moved aside before the copy is written anew. What was forgotten vanishes from them.
What was written where is noted in the vault's database, as digests.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgpack

from vademecum.engine.leaf import leaf_of
from vademecum.engine.messages import message_parts, message_tool
from vademecum.engine.replica import Replica
from vademecum.engine.slots import SlotMap
from vademecum.engine.times import show_time
from vademecum.engine.view import View
from vademecum.storage.files import write_atomically
from vademecum.storage.tables import Table

from .bases import place_key
from .beside import CONFLICT, beside
from .rendering import key_text, render_entries, shown

__all__ = ["Copies", "copied_folders", "write_copies"]

_PREFIX = b"copies/"
_AGENT, _SESSION = "agent/", "session/"


@dataclass(frozen=True, slots=True)
class Copies:
    """How many copies were written and removed; ``kept`` are those that somebody had changed, moved aside."""

    written: int = 0
    removed: int = 0
    kept: tuple[Path, ...] = ()

    def plus(self, later: Copies) -> Copies:
        """Both, one after the other."""
        return Copies(self.written + later.written, self.removed + later.removed, (*self.kept, *later.kept))

    def as_json(self) -> dict[str, Any]:
        return {"written": self.written, "removed": self.removed, "kept": [str(file) for file in self.kept]}


def write_copies(replica: Replica, folder: Path) -> Copies:
    """Brings the copies in *folder* up to date. O(leaves of agents + messages). Raises ``OSError``."""
    with replica.read() as view:
        wanted = dict(_copies(view))
        known = _read_note(view, folder)
    now = {name: [_digest(data)] for name, data in wanted.items()}
    if now == known and all((folder / name).exists() for name in now) and not any(_is_changed(folder, known)):
        return Copies()
    # Noted before anything is written: what is not noted would be taken for somebody's own after a crash.
    _write_note(replica, folder, {name: known.get(name, []) + now.get(name, []) for name in {**known, **now}})
    written = removed = 0
    kept: list[Path] = []
    for name in {**wanted, **known}:
        place, data = folder / name, wanted.get(name)
        found = place.read_bytes() if place.exists() else None
        if found == data:
            continue
        if found is not None and _digest(found) not in known.get(name, []):
            kept.append(beside(place, CONFLICT))
            place.rename(kept[-1])
        if data is None:
            place.unlink(missing_ok=True)
            removed += 1
            _remove_empty(place.parent, folder)
        else:
            _make_folder(place.parent, folder)
            write_atomically(place, data)
            written += 1
    _write_note(replica, folder, now)
    return Copies(written, removed, tuple(kept))


def copied_folders(view: View) -> Iterator[Path]:
    """The folders that hold copies of this vault."""
    for _, found in view.reader.scan(Table.META, _PREFIX):
        yield Path(os.fsdecode(msgpack.unpackb(found)[0]))


def _copies(view: View) -> Iterator[tuple[str, bytes]]:
    """(place below the folder, content) of every copy."""
    for scope in view.scopes(_AGENT):
        name = scope.removeprefix(_AGENT)
        leaves = [
            (path, shown(leaf_of(scope, path, record)))
            for path, record in sorted(view.leaves(scope), key=lambda pair: pair[0].split("."))
        ]
        if leaves:
            head = f"# What {name} keeps for itself. A copy for reading: changes here are not taken over.\n\n"
            lines = ["agents:", f"  {key_text(name)}:", *render_entries(leaves, "    ")]
            yield f"agents/{name}.yaml", (head + "".join(f"{line}\n" for line in lines)).encode()
    for scope in view.scopes(_SESSION):
        messages = []
        for identity, row in view.rows(scope, SlotMap.MESSAGES):
            record = row.winner
            if record is not None:
                speaker, text = message_parts(record)
                tool = message_tool(record)
                line = {"id": identity, "at": show_time(record.created), "speaker": speaker, "text": text}
                if tool is not None:
                    line["tool"] = tool
                messages.append((record.created, identity, json.dumps(line, ensure_ascii=False)))
        if messages:
            lines = [line for _, _, line in sorted(messages)]
            yield f"sessions/{scope.removeprefix(_SESSION)}/messages.jsonl", ("\n".join(lines) + "\n").encode()


def _is_changed(folder: Path, known: Mapping[str, list[bytes]]) -> Iterator[bool]:
    for name, digests in known.items():
        yield _digest((folder / name).read_bytes()) not in digests


def _make_folder(folder: Path, top: Path) -> None:
    for one in reversed([folder, *folder.parents]):
        if one.is_relative_to(top):
            one.mkdir(mode=0o700, exist_ok=True)


def _remove_empty(folder: Path, top: Path) -> None:
    with suppress(OSError):  # somebody else's file is in it
        while folder != top:
            folder.rmdir()
            folder = folder.parent


def _read_note(view: View, folder: Path) -> dict[str, list[bytes]]:
    found = view.reader.get(Table.META, place_key(_PREFIX, folder))
    return {} if found is None else dict(msgpack.unpackb(found)[1])


def _write_note(replica: Replica, folder: Path, copies: Mapping[str, list[bytes]]) -> None:
    row = msgpack.packb([os.fsencode(folder), copies])
    replica.write(lambda transaction: transaction.writer.put(Table.META, place_key(_PREFIX, folder), row))


def _digest(data: bytes) -> bytes:
    return sha256(data).digest()
