"""The named tables of a vault's database, and what each holds.

The layout of keys and values belongs to the module that writes them; integers inside keys are big-endian so that
byte order is numeric order. ``scope#`` is a 4-byte number local to this database, ``row`` is a one-byte slot map
followed by a name.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = ["CHECK", "HEADER", "NAMES", "Name", "Table"]

CHECK = b"check"
HEADER = b"header"
"""In the seal table: the check value of the data key, and how that key is kept."""


class Table(Enum):
    """A named table; the value is its name in the file."""

    META = b"meta"  # name → format, clock, counters, relay, state of sync
    SCOPES = b"scopes"  # scope name → scope#
    DOCUMENTS = b"documents"  # scope# ‖ seq → CRDT update; seq 0 is the state that the later ones build on
    LEAVES = b"leaves"  # scope# ‖ row → all slots of a name, the winner first
    JOURNAL = b"journal"  # order ‖ device ‖ check → one change
    HISTORY = b"history"  # scope# ‖ row ‖ 00 ‖ order ‖ device → nothing: the journal by name
    REINDEX = b"reindex"  # scope# ‖ row → ticket: names whose text is to be indexed again
    EMBED = b"embed"  # scope# ‖ row → ticket: names whose vector is to be computed again
    VECTORS = b"vectors"  # scope# ‖ row → hash of the text, model, place in the log, vector
    VECTOR_LOG = b"vector-log"  # scope# ‖ place → row: what changed, for indexes held in memory
    OUTBOX = b"outbox"  # scope# ‖ seq → a local change not yet sealed into a commit
    COMMITS = b"commits"  # channel ‖ device ‖ seq → a sealed commit
    FRONTIERS = b"frontiers"  # channel ‖ device → seq, hash
    HELD = b"held"  # channel ‖ device ‖ seq → a commit that waits for the one before it, or was quarantined
    POSITIONS = b"positions"  # relay ‖ channel (‖ device) → place in its log, what it has acknowledged
    ROSTER = b"roster"  # hash → signed statement
    SIGNALS = b"signals"  # seq → scope and message that no curator has read yet
    SEAL = b"seal"  # nothing, or how the data key of a sealed vault is kept; itself never sealed


class Name(NamedTuple):
    """Where in a table's keys stands what tells of the memory: between the first *head* and the last *tail* bytes.

    Where there is a *tail*, it begins with the zero byte that no name holds. *ordered* says that those who read the
    table rely on the order of its keys.
    """

    head: int
    tail: int = 0
    ordered: bool = False


NAMES: dict[Table, Name | None] = {
    Table.META: None,
    Table.SCOPES: Name(0, ordered=True),
    Table.DOCUMENTS: None,
    Table.LEAVES: Name(5, ordered=True),
    Table.JOURNAL: Name(24),  # the check is a short hash of the name, by which a guess could be tried
    Table.HISTORY: Name(5, tail=25),
    Table.REINDEX: Name(5),
    Table.EMBED: Name(5),
    Table.VECTORS: Name(5),
    Table.VECTOR_LOG: None,
    Table.OUTBOX: None,
    Table.COMMITS: None,
    Table.FRONTIERS: None,
    Table.HELD: None,
    Table.POSITIONS: None,
    Table.ROSTER: None,
    Table.SIGNALS: None,
    Table.SEAL: None,
}
"""For every table, the names in its keys, which a sealed vault hides; None where keys are numbers and random ids."""
