"""The named tables of a vault's database, and what each holds.

The layout of keys and values belongs to the module that writes them; integers inside keys are big-endian so that
byte order is numeric order. ``scope#`` is a 4-byte number local to this database, ``row`` is a one-byte slot map
followed by a name.
"""

from __future__ import annotations

from enum import Enum

__all__ = ["Table"]


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
