"""How often what came of curating, on this device, since the vault was made here. Numbers only, in the meta table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgpack

from vademecum.storage.tables import Table
from vademecum.storage.transaction import Reader, Writer

from .report import Report, What

__all__ = ["add", "counters"]

_COUNTERS = b"formation-counters"


def add(writer: Writer, report: Report) -> None:
    """Counts *report*; *dropped* are the messages of which nothing came."""
    counts: Counter[str] = Counter({"signals": report.signals})
    for one in report.outcomes:
        if one.what is What.REFUSED:
            counts[f"refused/{one.reason}"] += 1
        elif one.what is What.NOTHING:
            counts["dropped"] += one.path is None
        else:
            counts[str(one.what)] += 1
    for reason, number in report.rejected.items():
        counts[f"rejected/{reason}"] += number
    counts = Counter({name: number for name, number in counts.items() if number})
    if counts:
        writer.put(Table.META, _COUNTERS, msgpack.packb(dict(Counter(_load(writer)) + counts)))


def counters(reader: Reader) -> dict[str, int | dict[str, int]]:
    """``signals``, ``dropped``, one number for each kind of outcome, ``refused`` by reason, and ``rejected`` (unusable
    pieces of a model's answers) by reason.
    """
    held = _load(reader)
    plain = ("signals", "dropped", *(str(what) for what in What if what not in (What.REFUSED, What.NOTHING)))
    shown: dict[str, int | dict[str, int]] = {name: held.get(name, 0) for name in plain}
    for kind in ("refused", "rejected"):
        shown[kind] = {
            name.partition("/")[2]: number for name, number in sorted(held.items()) if name.startswith(f"{kind}/")
        }
    return shown


def _load(reader: Reader) -> Mapping[str, int]:
    found = reader.get(Table.META, _COUNTERS)
    return {} if found is None else msgpack.unpackb(found)
