"""What a device does when it hears that one was revoked: it seals under new keys, and says what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transport.family import AT, device
from tests.transport.member import Member, channel, members
from vademecum.engine.merging import bind_own_client
from vademecum.errors import Refused
from vademecum.transport import chains
from vademecum.transport.commit import commit_hash, parse_header
from vademecum.transport.ledger import ReplicaLedger
from vademecum.transport.roster import add, revoke
from vademecum.transport.statement import WITNESS


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Member]]:
    with members(tmp_path, 3) as made:
        yield made


def revokes(one: Member, other: Member) -> None:
    said = revoke(
        one.keys,
        one.ledger.roster(),
        [other.id],
        secrets=one.ledger.secrets,
        epoch_key=bytes([one.keys.device[0]]) * 32,
        at_ms=AT,
    )
    one.ledger.merge_roster([said])


def hears(one: Member, *others: Member) -> None:
    for other in others:
        one.ledger.merge_roster([statement.raw for statement in other.ledger.roster().statements])


def codes(one: Member, commits: list[bytes]) -> list[str]:
    return [problem.code for problem in one.take(commits).quarantined]


def test_what_is_written_after_it_is_sealed_under_a_key_that_the_revoked_device_lacks(three: list[Member]) -> None:
    laptop, phone, tablet = three
    laptop.user.set("before", 1)
    assert parse_header(laptop.own()[0]).epoch == 1
    revokes(laptop, phone)
    laptop.user.set("after", 2)
    late = laptop.own()[1:]
    assert [parse_header(one).epoch for one in late] == [2]
    assert tablet.take(laptop.own()[:1]).applied == 1
    assert codes(tablet, late) == ["keys-missing"]  # its statements have not come yet
    hears(tablet, laptop)
    assert tablet.take(late).applied == 1
    assert tablet.values() == {"before": 1, "after": 2}
    hears(phone, laptop)
    assert phone.ledger.revoked
    assert codes(phone, laptop.own()[1:]) == ["keys-missing"]


def test_another_process_of_the_device_seals_under_the_new_key_at_once(three: list[Member]) -> None:
    laptop, phone, _ = three
    daemon = ReplicaLedger(laptop.replica, laptop.ledger.vault, laptop.keys)
    revokes(laptop, phone)
    laptop.user.set("after", 2)
    daemon.seal_pending()
    assert [parse_header(one).epoch for one in laptop.own()] == [2]


def test_what_somebody_held_is_taken_in_by_all_and_what_nobody_held_by_none(three: list[Member]) -> None:
    laptop, phone, tablet = three
    for number in range(3):
        phone.user.set(f"p{number}", number)
        phone.ledger.seal_pending()
    first, second, third = phone.own()
    laptop.take([first])
    tablet.take([first, second])
    revokes(laptop, phone)
    roster = laptop.ledger.roster()
    assert roster.limit(phone.id, channel()) == (1, commit_hash(first))
    assert codes(laptop, [second]) == ["author-revoked"]

    hears(tablet, laptop)
    hears(laptop, tablet)
    assert laptop.ledger.roster().limit(phone.id, channel()) == (2, commit_hash(second))
    assert laptop.take([second]).applied == 1
    for member in (laptop, tablet):
        assert codes(member, [third]) == ["author-revoked"]
        assert member.values() == {"p0": 0, "p1": 1}
        with member.replica.read() as view:
            assert chains.refused(view.reader) == {(channel(), phone.id): 3}
    assert phone.values() == {"p0": 0, "p1": 1, "p2": 2}


def test_who_holds_no_more_than_is_known_says_nothing(three: list[Member]) -> None:
    laptop, phone, tablet = three
    phone.user.set("p", 1)
    for member in (laptop, tablet):
        member.take(phone.own())
    revokes(laptop, phone)
    hears(tablet, laptop)
    said = [one.author for one in tablet.ledger.roster().statements if one.kind == WITNESS]
    assert said == [laptop.id]


def test_a_snapshot_by_a_revoked_device_is_built_on_only_if_a_member_does(three: list[Member]) -> None:
    laptop, phone, tablet = three
    phone.user.set("p", 1)
    phone.ledger.seal_pending()
    parts = phone.ledger.make_snapshot(channel(), 1)
    assert tablet.ledger.adopt(channel(), b"l" * 16, parts, 0).applied == 1
    revokes(laptop, phone)
    assert [one.code for one in laptop.ledger.adopt(channel(), b"l" * 16, parts, 0).quarantined] == ["author-revoked"]
    hears(tablet, laptop)
    hears(laptop, tablet)
    assert laptop.ledger.adopt(channel(), b"l" * 16, parts, 0).applied == 1
    assert laptop.values() == {"p": 1}


def test_a_revoked_device_seals_nothing_and_keeps_what_waits(three: list[Member]) -> None:
    laptop, phone, _ = three
    revokes(laptop, phone)
    hears(phone, laptop)
    phone.user.set("p", 1)
    assert phone.ledger.seal_pending() == 0
    assert phone.own() == []
    assert phone.values() == {"p": 1}
    with pytest.raises(Refused, match="revoked"):
        revokes(phone, laptop)


def test_two_revocations_at_the_same_time_end_in_one_epoch_that_neither_revoked_device_can_open(tmp_path: Path) -> None:
    with members(tmp_path, 4) as (laptop, phone, tablet, server):
        revokes(laptop, phone)
        revokes(tablet, server)
        hears(laptop, tablet)
        hears(tablet, laptop)
        hears(laptop, tablet)
        roster = laptop.ledger.roster()
        assert roster.head == tablet.ledger.roster().head
        assert (roster.covered, roster.epoch) == (roster.live, 3)
        laptop.user.set("new", 1)
        tablet.take(laptop.own())
        assert tablet.values() == {"new": 1}
        for gone in (phone, server):
            hears(gone, laptop)
            assert codes(gone, laptop.own()) == ["keys-missing"]


def test_a_revoked_device_can_be_put_together_anew_from_its_own_commits(three: list[Member]) -> None:
    laptop, phone, _ = three
    phone.user.set("p", 1)
    own = phone.own()
    revokes(laptop, phone)
    anew = Member(phone.replica.environment.folder.parent / "anew", 1, laptop.ledger.roster())
    anew.replica.write(bind_own_client)
    assert codes(laptop, own) == ["author-revoked"]
    received = anew.take(own)
    assert received.quarantined == ()
    assert (received.applied, anew.values()) == (1, {"p": 1})
    anew.replica.close()


def test_a_device_let_in_at_the_same_time_reads_all_once_an_administrator_has_seen_both(tmp_path: Path) -> None:
    with members(tmp_path, 3) as (laptop, phone, tablet):
        revokes(laptop, phone)
        laptop.user.set("new", 1)
        commits = laptop.own()
        secrets = tablet.ledger.secrets
        said = add(tablet.keys, tablet.ledger.roster(), device(5).public, "late", secrets=secrets, at_ms=AT)
        tablet.ledger.merge_roster([said])
        late = Member(tmp_path / "late", 5, tablet.ledger.roster())
        hears(late, laptop)
        assert codes(late, commits) == ["keys-missing"]
        hears(tablet, laptop)
        hears(late, tablet)
        assert codes(late, commits) == ["keys-missing"]  # the first administrator would begin the epoch at once
        tablet.ledger.tend()
        hears(late, tablet)
        assert late.take(commits).applied == 1
        late.replica.close()
