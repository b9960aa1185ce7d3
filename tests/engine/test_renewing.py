"""What a copied device says again under its new name, it says as it stood: what was forgotten stays forgotten."""

from __future__ import annotations

from pathlib import Path

from tests.engine.box import NOW, PUBLIC, Box, boxes
from vademecum.engine import journal
from vademecum.engine.merging import bind_clients
from vademecum.engine.records import Record, encode_record
from vademecum.engine.renewing import TakenOut, put_back, take_out
from vademecum.engine.replica import Transaction
from vademecum.engine.slots import Slot, SlotMap

SECRET = "terrapin"


def become(box: Box, device: bytes, client: int) -> None:
    """*box* goes on as another device; what it has not given to anyone is said again."""
    former, its_client = box.id, box.replica.client

    def work(transaction: Transaction) -> None:
        number = transaction.number(PUBLIC)
        assert number is not None
        taken = take_out(transaction.writer, number, former, its_client, current=True, dropped=())
        bind_clients(transaction, [(former, its_client)])
        put_back(transaction, PUBLIC, taken)

    assert box.replica.renew(device, client, work)
    box.id = device


def told(box: Box) -> str:
    with box.replica.read() as view:
        return repr([entry.record for entry in journal.entries(view.reader)])


def test_what_the_person_has_deleted_elsewhere_is_not_told_again(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        b.user.set("p", "older")
        a.user.set("p", SECRET)  # not yet sent
        b.wall = NOW + 1
        b.user.forget("p")
        b.give(a)
        assert SECRET not in told(a)
        become(a, b"\x09" * 16, 909)
        assert SECRET not in told(a)
        a.give(b)
        assert a.values() == b.values() == {} and SECRET not in told(b)


def test_of_two_devices_that_one_has_been_both_histories_are_told(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        a.user.set("p", "first")
        become(a, b"\x09" * 16, 909)
        a.user.set("q", "a name of its own")
        a.give(b)
        older = TakenOut([(SlotMap.LEAVES, "q", slot_of("older", NOW << 16))])
        a.replica.write(lambda transaction: put_back(transaction, PUBLIC, older))
        a.give(b)
        assert a.values() == b.values() == {"p": "first", "q": "a name of its own"}
        assert "older" in told(a) and "older" in told(b)


def test_of_a_record_that_no_slot_holds_any_more_the_history_is_told(tmp_path: Path) -> None:
    with boxes(tmp_path, 2) as (a, b):
        a.user.set("p", "first")
        a.give(b)
        past = slot_of("past", NOW << 16)
        entry = journal.Entry(b"", SlotMap.LEAVES, "p", past.device, past.record, False)
        a.replica.write(lambda transaction: put_back(transaction, PUBLIC, TakenOut(entries=[entry])))
        a.give(b)
        assert a.values() == b.values() == {"p": "first"}
        assert "past" in told(a) and "past" in told(b)


def slot_of(value: str, order: int) -> Slot:
    record = Record(order, value=value)
    return Slot(True, b"\x01" * 16, encode_record(record), record)
