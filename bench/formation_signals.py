"""What it costs to note that the person said something: one signal beside a plain LMDB append of the same bytes.

``signal`` is a signal as a write of its own, durable, beside one put and one durable commit of LMDB alone, in a file
of its own. ``signal/within`` is what it adds to the transaction that logs the message, beside one put in the middle of
an LMDB transaction. ``message`` is logging a message of the person through an agent's session, which drops its signal,
beside one of the assistant, which drops none.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

from vademecum import Vault
from vademecum.engine.formation import signals
from vademecum.engine.replica import Transaction
from vademecum.storage.tables import Table

from .measure import Row, at_most, side_by_side
from .workload import AGENT
from .write import raw

__all__ = ["rows"]

ROUNDS = 300
WITHIN = 2000
TIMES_FLOOR = 2.0
SESSION = "session/2026-11-29-lunch"
AT_MS = 1_790_000_000_000
CHECK = 4  # bytes of the checksum, which LMDB's own append is given as well


def rows() -> list[Row]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Vault.create(Path(folder) / "vault") as vault,
        raw(Path(folder) / "raw") as environment,
    ):
        number = itertools.count()

        def signal() -> None:
            vault.write(lambda transaction: signals.drop(transaction.writer, SESSION, _name(next(number)), AT_MS))

        signal()
        data = os.urandom(_size(vault))

        def append() -> None:
            with environment.begin(write=True) as transaction:
                transaction.put(next(number).to_bytes(8, "big"), data, append=True)

        value, floor = side_by_side(ROUNDS, signal, append)
        alone = _row("formation/signal", value, floor)

        took: list[float] = []
        vault.write(partial(_drop_many, took=took))
        plain: list[float] = []
        with environment.begin(write=True) as transaction:
            for _ in range(WITHIN):
                started = time.perf_counter()
                transaction.put(next(number).to_bytes(8, "big"), data, append=True)
                plain.append(time.perf_counter() - started)
        within = at_most("formation/signal/within", 1e6 * median(took), "µs", floor=1e6 * median(plain), target=None)

        talk = vault.agent(AGENT).session("lunch")
        value, floor = side_by_side(
            ROUNDS, lambda: talk.log("user", "I'm vegetarian."), lambda: talk.log("assistant", "I'm a program.")
        )
        message = at_most("formation/message", 1e6 * value, "µs", floor=1e6 * floor, target=None)
    return [alone, within, message]


def _row(name: str, value: float, floor: float) -> Row:
    return at_most(name, 1e6 * value, "µs", floor=1e6 * floor, target=1e6 * TIMES_FLOOR * floor)


def _name(number: int) -> str:
    return f"{number:016x}49db00c5"


def _size(vault: Vault) -> int:
    with vault.replica.read() as view:
        return max(len(value) for _, value in view.reader.scan(Table.SIGNALS)) + CHECK


def _drop_many(transaction: Transaction, took: list[float]) -> None:
    for number in range(WITHIN):
        name = _name(number)
        started = time.perf_counter()
        signals.drop(transaction.writer, SESSION, name, AT_MS)
        took.append(time.perf_counter() - started)
