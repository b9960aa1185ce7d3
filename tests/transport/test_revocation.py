"""Revoking a device: what the roster says of it, in whatever order its statements arrive."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.transport.family import AT, device, found
from vademecum.errors import CannotDecrypt, InvalidRoster, Refused, UnknownDevice
from vademecum.transport import roster as rosters
from vademecum.transport.keys import DeviceKeys
from vademecum.transport.roster import (
    Roster,
    VaultSecrets,
    add,
    is_settled,
    member_name,
    open_secrets,
    rename,
    revoke,
    succeed,
    witness,
)
from vademecum.transport.statement import ADD, REVOKE, Held, entry_fields, make_statement, parse_statement

FAMILY = found()
ONE, TWO, THREE = device(1), device(2), device(3)
CHANNEL = b"c" * 16


def admitted(roster: Roster, by: DeviceKeys, new: DeviceKeys, role: str = "administrator") -> Roster:
    secrets = open_secrets(roster, by)
    return roster.merge([add(by, roster, new.public, f"{new.device.hex()[:4]}", secrets=secrets, at_ms=AT, role=role)])


def revoked(roster: Roster, by: DeviceKeys, *gone: DeviceKeys, key: bytes = b"2") -> Roster:
    secrets = open_secrets(roster, by)
    devices = [one.device for one in gone]
    return roster.merge([revoke(by, roster, devices, secrets=secrets, epoch_key=key * 32, at_ms=AT)])


def raw(roster: Roster) -> list[bytes]:
    return [one.raw for one in roster.statements]


def merged(*rosters: Roster) -> Roster:
    whole = rosters[0]
    for other in rosters[1:]:
        whole = whole.merge(raw(other))
    return whole


@pytest.fixture(scope="module")
def four() -> Roster:
    """The founder and three others, all administrators."""
    roster = FAMILY.roster
    for new in (ONE, TWO, THREE):
        roster = admitted(roster, FAMILY.keys, new)
    return roster


def standing(roster: Roster) -> tuple[object, ...]:
    return (
        roster.head,
        [(who, one.revoked, one.revoked_by, one.sealed_name, one.role) for who, one in roster.members.items()],
        roster.current,
        dict(roster.epochs),
        roster.covered,
        {who: dict(held) for who, held in roster.held.items()},
        roster.snapshots,
        roster.tips,
    )


def test_a_revoked_device_is_told_no_new_key_and_all_others_are(four: Roster) -> None:
    after = revoked(four, FAMILY.keys, ONE)
    assert (after.epoch, after.is_revoked(ONE.device), after.is_revoked(TWO.device)) == (2, True, False)
    for keys in (FAMILY.keys, TWO, THREE, FAMILY.recovery):
        secrets = open_secrets(after, keys)
        assert (secrets.epoch, secrets.epoch_key, [one.epoch for one in secrets.others]) == (2, b"2" * 32, [1])
    assert open_secrets(after, ONE).of(2) == ()
    assert ONE.device not in after.current.wraps


def test_a_device_that_comes_later_reads_what_was_sealed_in_all_epochs_before(four: Roster) -> None:
    after = admitted(revoked(revoked(four, FAMILY.keys, ONE), TWO, THREE, key=b"3"), TWO, device(4))
    secrets = open_secrets(after, device(4))
    assert [one.epoch_key for number in (1, 2, 3) for one in secrets.of(number)] == [b"e" * 32, b"2" * 32, b"3" * 32]
    assert member_name(after, FAMILY.keys.device, secrets) == "laptop"
    assert is_settled(after, secrets)


def test_what_a_device_said_before_it_was_revoked_stays(four: Roster) -> None:
    grown = admitted(four, ONE, device(4))
    after = revoked(grown, FAMILY.keys, ONE)
    assert not after.is_revoked(device(4).device)
    assert open_secrets(after, device(4)).epoch == 2


def test_what_a_device_says_after_it_was_revoked_is_refused(four: Roster) -> None:
    after = revoked(four, FAMILY.keys, ONE)
    with pytest.raises(Refused, match="revoked"):
        admitted(after, ONE, device(4))
    with pytest.raises(Refused, match="revoked"):
        revoked(after, ONE, TWO)
    said = add(ONE, four, device(4).public, "late", secrets=FAMILY.secrets, at_ms=AT)
    forced = said_on(after, ONE, said)
    with pytest.raises(InvalidRoster, match="had been revoked"):
        after.merge([forced])


def said_on(roster: Roster, keys: DeviceKeys, statement: bytes) -> bytes:
    """The same statement, as if its author had known all of *roster*."""
    parsed = parse_statement(statement)
    fields = {"epoch": parsed.epoch, "members": [entry_fields(one) for one in parsed.members]}
    return make_statement(keys, ADD, vault=roster.vault, parents=roster.tips, at_ms=AT, fields=fields)


def test_what_a_device_says_behind_the_back_of_who_revokes_it_is_void(four: Roster) -> None:
    """It may even believe what it says: it had not heard. A thief who never wants to hear is no better off."""
    thief = admitted(four, ONE, device(4))
    deeper = admitted(thief, device(4), device(5))
    after = merged(revoked(four, FAMILY.keys, ONE), deeper)
    assert {who for who in after.members if after.is_revoked(who)} == {
        one.device for one in (ONE, device(4), device(5))
    }
    assert after.members[device(5).device].revoked_by == FAMILY.keys.device
    copy = succeed(ONE, four, device(6).public, "copy", secrets=FAMILY.secrets, at_ms=AT)
    assert after.merge([copy]).is_revoked(device(6).device)


def test_two_who_revoke_others_at_the_same_time_both_have_their_way(four: Roster) -> None:
    mine, theirs = revoked(four, FAMILY.keys, ONE, key=b"m"), revoked(four, TWO, THREE, key=b"t")
    after, also = merged(mine, theirs), merged(theirs, mine)
    assert standing(after) == standing(also)
    assert after.live == {FAMILY.keys.device, TWO.device, FAMILY.recovery.device}
    assert len({one.statement for one in after.epochs.values() if one.number == 2}) == 2
    secrets = open_secrets(after, TWO)
    assert {one.epoch_key for one in secrets.of(2)} == {b"m" * 32, b"t" * 32}
    # Each of the two epochs is known to the device that the other one revokes: a third is due.
    assert not is_settled(after, secrets)
    settled = revoked(after, TWO, key=b"3")
    assert is_settled(settled, open_secrets(settled, TWO))
    assert settled.epoch == 3
    assert settled.covered == settled.live


def test_two_who_revoke_each_other_are_both_revoked(four: Roster) -> None:
    after = merged(revoked(four, ONE, TWO), revoked(four, TWO, ONE, key=b"t"))
    assert after.live == {one.device for one in (FAMILY.keys, THREE, FAMILY.recovery)}
    # Nobody who is left had to know their keys: none of both epochs is in force by more than its number.
    secrets = open_secrets(after, THREE)
    assert not is_settled(after, secrets)
    assert not revoked(after, THREE, key=b"3").current.wraps.keys() & {ONE.device, TWO.device}


def test_an_epoch_that_a_revoked_device_began_behind_the_others_back_is_never_in_force(four: Roster) -> None:
    long = four
    for number in range(5):
        long = revoked(long, ONE, key=bytes([60 + number]))  # it only begins epochs
    after = merged(revoked(four, FAMILY.keys, ONE), long)
    assert max(one.number for one in after.epochs.values()) == 6
    assert after.current.author == FAMILY.keys.device


def test_a_device_let_in_at_the_same_time_gets_its_keys_with_the_next_epoch(four: Roster) -> None:
    after = merged(revoked(four, FAMILY.keys, ONE), admitted(four, TWO, device(4)))
    late = open_secrets(after, device(4))
    assert (late.epoch, late.of(2)) == (1, ())
    secrets = open_secrets(after, TWO)
    assert not is_settled(after, secrets)
    settled = revoked(after, TWO, key=b"3")
    assert [len(open_secrets(settled, device(4)).of(number)) for number in (1, 2, 3)] == [1, 1, 1]
    with pytest.raises(CannotDecrypt):
        add(device(4), after, device(5).public, "five", secrets=late, at_ms=AT)


def test_nobody_revokes_itself_the_recovery_key_a_stranger_or_the_last_administrator(four: Roster) -> None:
    with pytest.raises(Refused, match="itself"):
        revoked(four, ONE, ONE)
    with pytest.raises(Refused, match="recovery"):
        revoked(four, ONE, FAMILY.recovery)
    with pytest.raises(UnknownDevice):
        revoked(four, ONE, device(9))
    with pytest.raises(Refused, match="already"):
        revoked(revoked(four, FAMILY.keys, ONE), FAMILY.keys, ONE)
    with pytest.raises(Refused, match="last administrator"):
        revoked(FAMILY.roster, FAMILY.recovery, FAMILY.keys)
    weak = admitted(four, FAMILY.keys, device(4), role="member")
    with pytest.raises(Refused, match="administrator"):
        revoked(weak, device(4), ONE)
    gone = revoked(four, FAMILY.keys, ONE)
    with pytest.raises(Refused, match="already"):
        admitted(gone, FAMILY.keys, ONE)


def forged(roster: Roster, by: DeviceKeys, **changes: object) -> bytes:
    """A revocation of device one, with some fields as they must not be."""
    good = parse_statement(
        revoke(FAMILY.keys, roster, [ONE.device], secrets=FAMILY.secrets, epoch_key=b"2" * 32, at_ms=AT)
    )
    fields = {
        "epoch": good.epoch,
        "revoked": list(good.revoked),
        "wraps": [list(one) for one in good.wraps],
        "check": good.check,
        "earlier": list(good.earlier),
        "keys": good.earlier_keys,
    }
    return make_statement(by, REVOKE, vault=roster.vault, parents=roster.tips, at_ms=AT, fields=fields | changes)


def test_a_revocation_that_breaks_a_rule_makes_the_roster_invalid(four: Roster) -> None:
    weak = admitted(four, FAMILY.keys, device(4), role="member")
    good = forged(four, FAMILY.keys)
    assert four.merge([good]).is_revoked(ONE.device)
    wraps = sorted([who, b"w"] for who in four.live)
    cases = {
        "itself": forged(four, FAMILY.keys, revoked=[FAMILY.keys.device]),
        "recovery key": forged(four, FAMILY.keys, revoked=[FAMILY.recovery.device]),
        "which was no member": forged(four, FAMILY.keys, revoked=[device(9).device]),
        "exactly those": forged(four, FAMILY.keys, wraps=wraps),
        "not the next": forged(four, FAMILY.keys, epoch=3),
        "has not begun": forged(four, FAMILY.keys, earlier=[b"e" * 32]),
    }
    for match, statement in cases.items():
        with pytest.raises(InvalidRoster, match=match):
            four.merge([statement])
    with pytest.raises(InvalidRoster, match="without being an administrator"):
        weak.merge([forged(weak, device(4))])
    with pytest.raises(InvalidRoster, match="last administrator"):
        FAMILY.roster.merge([last_administrator()])


def last_administrator() -> bytes:
    fields = {
        "epoch": 2,
        "revoked": [FAMILY.keys.device],
        "wraps": [[FAMILY.recovery.device, b"w"]],
        "check": bytes(16),
        "earlier": [],
        "keys": b"",
    }
    return make_statement(
        FAMILY.recovery, REVOKE, vault=FAMILY.roster.vault, parents=FAMILY.roster.tips, at_ms=AT, fields=fields
    )


def test_a_revoked_devices_chain_ends_where_the_witness_with_the_most_says(four: Roster) -> None:
    after = revoked(four, FAMILY.keys, ONE)
    assert after.limit(TWO.device, CHANNEL) is None
    assert after.limit(ONE.device, CHANNEL) == (0, bytes(32))
    less, more = ([Held(ONE.device, CHANNEL, seq, bytes([seq]) * 32)] for seq in (3, 5))
    said = merged(
        after.merge(witness(FAMILY.keys, after, less, [b"s" * 16], at_ms=AT)),
        after.merge(witness(TWO, after, more, [], at_ms=AT)),
    )
    assert said.limit(ONE.device, CHANNEL) == (5, b"\x05" * 32)
    assert said.accepts_snapshot(ONE.device, b"s" * 16)
    assert not said.accepts_snapshot(ONE.device, b"t" * 16)
    assert said.accepts_snapshot(TWO.device, b"t" * 16)
    # a witness that is revoked itself, and said so behind the others' back, has said nothing
    lying = after.merge(witness(TWO, after, [Held(ONE.device, CHANNEL, 9, b"9" * 32)], [], at_ms=AT))
    assert merged(said, lying, revoked(said, FAMILY.keys, TWO, key=b"3")).limit(ONE.device, CHANNEL) == (5, b"\5" * 32)


def test_a_long_testimony_takes_several_statements(four: Roster) -> None:
    after = revoked(four, FAMILY.keys, ONE)
    held = [Held(ONE.device, number.to_bytes(16, "big"), 7, bytes(32)) for number in range(2500)]
    said = witness(TWO, after, held, [], at_ms=AT)
    assert len(said) == 3
    assert len(after.merge(said).held[ONE.device]) == 2500


def test_a_name_is_changed_by_an_administrator_or_the_device_itself(four: Roster) -> None:
    grown = admitted(four, FAMILY.keys, device(4), role="member")
    secrets = open_secrets(grown, ONE)
    named = grown.merge([rename(device(4), grown, device(4).device, "slate", secrets=secrets, at_ms=AT)])
    assert member_name(named, device(4).device, secrets) == "slate"
    with pytest.raises(Refused, match="administrator"):
        rename(device(4), grown, ONE.device, "mine", secrets=secrets, at_ms=AT)
    later = revoked(named, FAMILY.keys, ONE)
    fresh = open_secrets(later, TWO)
    again = later.merge([rename(TWO, later, device(4).device, "stone", secrets=fresh, at_ms=AT)])
    assert member_name(again, device(4).device, fresh) == "stone"
    assert member_name(again, TWO.device, fresh) == TWO.device.hex()[:4]


def test_a_roster_that_is_full_takes_only_a_revocation(four: Roster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rosters, "MAX_ROSTER", four.size + 9_000)
    assert revoked(four, FAMILY.keys, ONE).is_revoked(ONE.device)
    monkeypatch.setattr(rosters, "MAX_ROSTER", four.size + 100)
    with pytest.raises(Refused, match="in one piece"):
        revoked(four, FAMILY.keys, ONE)
    monkeypatch.setattr(rosters, "MAX_ROSTER", four.size)
    with pytest.raises(Refused, match="in one piece"):
        admitted(four, FAMILY.keys, device(4))


# --- any order -----------------------------------------------------------------------------------------------------


def history(rng: random.Random) -> list[bytes]:
    """What some replicas say that hear of each other now and then; some never do."""
    start = FAMILY.roster
    for new in (ONE, TWO):
        start = admitted(start, FAMILY.keys, new)
    keys = [FAMILY.keys, ONE, TWO]
    rosters = [start] * len(keys)
    for step in range(rng.randint(3, 14)):
        at = rng.randrange(len(keys))
        known, me = rosters[at], keys[at]
        if rng.random() < 0.4:
            rosters[at] = merged(known, rng.choice(rosters))
            continue
        if known.members[me.device].revoked:
            continue
        secrets = open_secrets(known, me)
        what = rng.choice(["revoke", "revoke", "rotate", "add", "succeed", "witness", "rename"])
        others = [one for one in keys if one.device in known.live and one is not me]
        said: list[bytes] = []
        try:
            if what == "revoke" and others:
                gone = rng.choice(others).device
                said = [revoke(me, known, [gone], secrets=secrets, epoch_key=bytes([step]) * 32, at_ms=AT + step)]
            elif what == "rotate":
                said = [revoke(me, known, [], secrets=secrets, epoch_key=bytes([step]) * 32, at_ms=AT)]
            elif what in ("add", "succeed") and len(keys) < 9:
                new = device(len(keys) + 10)
                make = add if what == "add" else succeed
                said = [make(me, known, new.public, "new", secrets=secrets, at_ms=AT + rng.randrange(9))]
                keys.append(new)
                rosters.append(known.merge(said))
            elif what == "witness":
                who = rng.choice(keys).device
                if who in known.members:
                    said = witness(me, known, [Held(who, CHANNEL, step + 1, bytes(32))], [bytes([step]) * 16], at_ms=AT)
            elif what == "rename" and others:
                said = [rename(me, known, rng.choice(others).device, f"n{step}", secrets=secrets, at_ms=AT)]
        except CannotDecrypt:
            continue  # it lacks the keys of an epoch that began at the same time
        rosters[at] = known.merge(said)
    return raw(merged(*rosters))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_any_order_of_statements_gives_the_same_roster(seed: int) -> None:
    rng = random.Random(seed)
    statements = history(rng)
    whole = Roster.verify(FAMILY.roster.vault, statements)
    for _ in range(3):
        shuffled = rng.sample(statements, len(statements))
        assert standing(Roster.verify(FAMILY.roster.vault, shuffled)) == standing(whole)
    grown = FAMILY.roster  # one by one, as soon as what each builds on is there
    waiting = rng.sample(statements, len(statements))
    while waiting:
        for one in list(waiting):
            try:
                grown = grown.merge([one])
            except InvalidRoster:
                continue
            waiting.remove(one)
    assert standing(grown) == standing(whole)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_whoever_is_revoked_stays_so_and_the_epoch_in_force_is_by_one_who_counted(seed: int) -> None:
    rng = random.Random(seed)
    statements = history(rng)
    before: frozenset[bytes] = frozenset()
    grown = FAMILY.roster
    for one in Roster.verify(FAMILY.roster.vault, statements).statements:
        grown = grown.merge([one.raw])
        gone = frozenset(who for who in grown.members if grown.is_revoked(who))
        assert before <= gone
        before = gone
        assert grown.current.counts


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1 << 32))
def test_once_an_administrator_that_is_left_has_seen_all_the_keys_go_to_those_who_are_left(seed: int) -> None:
    whole = Roster.verify(FAMILY.roster.vault, history(random.Random(seed)))
    left = [one for one in (FAMILY.keys, ONE, TWO, *map(device, range(10, 20))) if one.device in whole.live]
    assume(left)  # else only the recovery phrase is left
    for turn in range(2 * len(left)):
        for keys in left:
            secrets = open_secrets(whole, keys)
            if not is_settled(whole, secrets):
                whole = whole.merge(
                    [revoke(keys, whole, [], secrets=secrets, epoch_key=bytes([200 + turn]) * 32, at_ms=AT)]
                )
    known: set[tuple[int, bytes]] = set()
    for keys in left:
        secrets = open_secrets(whole, keys)
        assert is_settled(whole, secrets)
        assert secrets.epoch_check(whole.vault) == whole.current.check
        opened = {(one.epoch, one.epoch_key) for one in (secrets, *secrets.others)}
        assert not known or opened == known, "two devices can read different epochs"
        known = opened
    assert whole.covered == whole.live


def test_secrets_of_other_epochs_do_not_make_two_different() -> None:
    assert VaultSecrets(1, b"k" * 32, b"n" * 32) == VaultSecrets(1, b"k" * 32, b"n" * 32, (FAMILY.secrets,))
