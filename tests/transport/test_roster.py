from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transport.family import AT, device, found
from vademecum.errors import (
    CannotDecrypt,
    InvalidArgument,
    InvalidRoster,
    MalformedBytes,
    PeerFault,
    Refused,
    UnknownDevice,
)
from vademecum.transport import membership
from vademecum.transport import roster as rosters
from vademecum.transport.keys import DeviceKeys, DevicePublic, vault_id
from vademecum.transport.roster import Roster, VaultSecrets, add, member_name, open_secrets, succeed
from vademecum.transport.statement import (
    ADD,
    GENESIS,
    SUCCEED,
    Entry,
    entry_fields,
    make_statement,
    parse_statement,
)

FAMILY = found()
SECRETS = FAMILY.secrets


def admit(roster: Roster, by: DeviceKeys, number: int, role: str = "administrator", at_ms: int = AT) -> bytes:
    return add(by, roster, device(number).public, f"device {number}", secrets=SECRETS, at_ms=at_ms, role=role)


@cache
def history() -> tuple[bytes, ...]:
    """Laptop adds 1 and, at the same time, recovery adds 2; then 1 adds 3; then 3, knowing all, adds 4 as a member."""
    one = admit(FAMILY.roster, FAMILY.keys, 1)
    two = admit(FAMILY.roster, FAMILY.recovery, 2)
    three = admit(FAMILY.roster.merge([one]), device(1), 3)
    whole = FAMILY.roster.merge([one, two, three])
    four = admit(whole, device(3), 4, role="member")
    return (FAMILY.genesis, one, two, three, four)


def statement(
    by: DeviceKeys,
    kind: str = ADD,
    *,
    fields: Mapping[str, object],
    vault: bytes = FAMILY.roster.vault,
    parents: tuple[bytes, ...] = FAMILY.roster.tips,
    mandatory: bool = True,
) -> bytes:
    return make_statement(by, kind, vault=vault, parents=parents, at_ms=AT, fields=fields, mandatory=mandatory)


def entry(public: DevicePublic, role: str = "administrator") -> list[object]:
    return entry_fields(Entry(public, role, b"sealed name", b"wrap"))


def follow(roster: Roster, by: DeviceKeys, number: int) -> bytes:
    return succeed(by, roster, device(number).public, f"device {number}", secrets=SECRETS, at_ms=AT)


# --- what a roster says ---------------------------------------------------------------------------------------------


def test_a_founded_vault_has_its_first_device_and_its_recovery_key() -> None:
    roles = {id_: member.role for id_, member in FAMILY.roster.members.items()}
    assert roles == {FAMILY.keys.device: "administrator", FAMILY.recovery.device: "recovery"}
    assert FAMILY.roster.vault == vault_id(FAMILY.keys.public, bytes(16))
    assert FAMILY.roster.epoch == 1


def test_every_member_opens_the_same_secrets() -> None:
    roster = Roster.verify(None, history())
    for keys in (FAMILY.keys, FAMILY.recovery, *(device(number) for number in (1, 2, 3, 4))):
        assert open_secrets(roster, keys) == SECRETS


def test_who_added_whom_and_when_is_known() -> None:
    roster = Roster.verify(None, history())
    member = roster.member(device(3).device)
    assert (member.added_by, member.added_at_ms, member.epoch) == (device(1).device, AT, 1)
    assert roster.member(device(4).device).role == "member"


def test_names_are_for_members_only() -> None:
    roster = Roster.verify(None, history())
    assert member_name(roster, device(2).device, SECRETS) == "device 2"
    assert member_name(roster, FAMILY.keys.device, SECRETS) == "laptop"
    assert all(b"device 2" not in raw and b"laptop" not in raw for raw in history())
    with pytest.raises(CannotDecrypt):
        member_name(roster, device(2).device, VaultSecrets(1, b"w" * 32, b"n" * 32))


def test_a_stranger_has_no_name_no_secrets_and_no_membership() -> None:
    stranger = device(50)
    with pytest.raises(UnknownDevice, match=stranger.device.hex()):
        FAMILY.roster.member(stranger.device)
    with pytest.raises(UnknownDevice):
        open_secrets(FAMILY.roster, stranger)
    with pytest.raises(UnknownDevice):
        member_name(FAMILY.roster, stranger.device, SECRETS)


# --- a roster is a set ----------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_order_and_any_duplicates_make_the_same_roster(data: st.DataObject) -> None:
    expected = Roster.verify(None, history())
    given_ = data.draw(st.permutations(list(history()) + data.draw(st.lists(st.sampled_from(history()), max_size=4))))
    roster = Roster.verify(expected.vault, given_)
    assert roster == expected
    assert roster.head == expected.head
    assert [s.raw for s in roster.statements] == [s.raw for s in expected.statements]
    assert list(roster.members.items()) == list(expected.members.items())


def test_causes_come_before_effects() -> None:
    seen: set[bytes] = set()
    for each in Roster.verify(None, history()).statements:
        assert set(each.parents) <= seen
        seen.add(each.hash)


@settings(max_examples=20, deadline=None)
@given(st.sets(st.sampled_from([1, 2, 3])), st.sets(st.sampled_from([1, 2, 3])))
def test_merging_is_union_whoever_begins(one: set[int], other: set[int]) -> None:
    def closed(wanted: set[int]) -> list[bytes]:
        return [history()[0], *(history()[i] for i in wanted | ({1} if 3 in wanted else set()))]

    a, b = Roster.verify(None, closed(one)), Roster.verify(None, closed(other))
    both = Roster.verify(None, closed(one | other))
    assert a.merge([s.raw for s in b.statements]) == b.merge([s.raw for s in a.statements]) == both


def test_merging_nothing_new_gives_the_same_roster() -> None:
    assert FAMILY.roster.merge([FAMILY.genesis]) is FAMILY.roster


def test_the_head_differs_with_every_statement() -> None:
    rosters_ = [Roster.verify(None, history()[:count]) for count in range(1, 6)]
    assert len({roster.head for roster in rosters_}) == 5
    assert len(set(rosters_)) == 5


def test_two_devices_that_add_a_third_at_once_agree_on_how_it_came() -> None:
    early = admit(FAMILY.roster, FAMILY.recovery, 1, role="member", at_ms=AT + 1)
    late = admit(FAMILY.roster, FAMILY.keys, 1, at_ms=AT + 2)
    one = FAMILY.roster.merge([late]).merge([early])
    other = FAMILY.roster.merge([early]).merge([late])
    assert one == other
    assert one.member(device(1).device) == other.member(device(1).device)
    assert one.member(device(1).device).added_by == FAMILY.recovery.device
    assert open_secrets(one, device(1)) == SECRETS


def test_the_next_statement_follows_all_that_none_follows_yet() -> None:
    roster = Roster.verify(None, history()[:4])
    assert len(roster.tips) == 2
    assert set(parse_statement(history()[4]).parents) == set(roster.tips)
    assert Roster.verify(None, history()).tips == (parse_statement(history()[4]).hash,)


def test_a_kind_from_a_newer_program_is_kept_where_it_may_be_ignored() -> None:
    newer = statement(FAMILY.keys, "nickname", fields={"of": b"x"}, mandatory=False)
    roster = FAMILY.roster.merge([newer])
    assert newer in [s.raw for s in roster.statements]
    assert dict(roster.members) == dict(FAMILY.roster.members)
    after = admit(roster, FAMILY.keys, 1)
    assert device(1).device in roster.merge([after]).members


def test_a_field_from_a_newer_program_is_ignored_where_its_name_says_so() -> None:
    fields = {"epoch": 1, "members": [entry(device(1).public)], "colour?": "blue"}
    assert device(1).device in FAMILY.roster.merge([statement(FAMILY.keys, fields=fields)]).members


# --- attacks --------------------------------------------------------------------------------------------------------


def refused(*statements: bytes, match: str) -> None:
    """Neither a roster made of these statements nor the family's roster merged with them."""
    with pytest.raises(InvalidRoster, match=match):
        Roster.verify(FAMILY.roster.vault, statements)
    head = FAMILY.roster.head
    with pytest.raises(InvalidRoster):
        FAMILY.roster.merge(statements)
    assert FAMILY.roster.head == head


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_flipped_bit_is_refused(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, 1))
    altered = bytearray(history()[index])
    bit = data.draw(st.integers(0, len(altered) * 8 - 1))
    altered[bit // 8] ^= 1 << bit % 8
    rest = [raw for i, raw in enumerate(history()[:2]) if i != index]
    with pytest.raises((InvalidRoster, MalformedBytes)):
        Roster.verify(FAMILY.roster.vault, [*rest, bytes(altered)])


def test_a_forged_statement_is_refused() -> None:
    honest = history()[1]
    refused(FAMILY.genesis, honest[:-64] + bytes(64), match="forged")


def test_a_statement_signed_by_another_member_than_it_names_is_refused() -> None:
    raw = history()[1]
    resigned = raw[:-64] + FAMILY.recovery.sign(b"vademecum/roster-signature/v1" + raw[:-64])
    refused(FAMILY.genesis, resigned, match="forged")


def test_a_stranger_cannot_add() -> None:
    fields = {"epoch": 1, "members": [entry(device(51).public)]}
    refused(FAMILY.genesis, statement(device(50), fields=fields), match="no member")


def test_a_device_cannot_add_itself() -> None:
    fields = {"epoch": 1, "members": [entry(device(50).public)]}
    refused(FAMILY.genesis, statement(device(50), fields=fields), match="no member")


def test_a_member_that_is_no_administrator_cannot_add() -> None:
    child = admit(FAMILY.roster, FAMILY.keys, 1, role="member")
    roster = FAMILY.roster.merge([child])
    with pytest.raises(Refused, match="administrator"):
        admit(roster, device(1), 2)
    forced = statement(device(1), fields={"epoch": 1, "members": [entry(device(2).public)]}, parents=roster.tips)
    refused(FAMILY.genesis, child, forced, match="without being an administrator")


def test_a_device_has_no_say_before_it_is_a_member_in_its_own_past() -> None:
    admitted = history()[1]
    early = statement(device(1), fields={"epoch": 1, "members": [entry(device(2).public)]})
    refused(FAMILY.genesis, admitted, early, match="no member when")


def test_an_orphan_is_refused() -> None:
    refused(FAMILY.genesis, history()[3], match="orphan")
    rootless = statement(FAMILY.keys, fields={"epoch": 1, "members": [entry(device(1).public)]}, parents=())
    refused(FAMILY.genesis, rootless, match="orphan")


def test_another_vault_is_refused() -> None:
    foreign = found(salt=b"s" * 16)
    refused(foreign.genesis, match="that of vault")
    stray = add(foreign.keys, foreign.roster, device(1).public, "x", secrets=foreign.secrets, at_ms=AT)
    refused(FAMILY.genesis, stray, match="orphan")
    moved = statement(
        FAMILY.keys, fields={"epoch": 1, "members": [entry(device(1).public)]}, vault=foreign.roster.vault
    )
    refused(FAMILY.genesis, moved, match="belongs to vault")


def test_there_is_one_genesis() -> None:
    refused(FAMILY.genesis, found(salt=b"s" * 16).genesis, match="one genesis statement; here are 2")
    for statements in ([], [history()[1]]):
        with pytest.raises(InvalidRoster, match="here are 0"):
            Roster.verify(None, statements)


def test_nobody_else_can_found_the_vault_of_a_given_id() -> None:
    thief = device(60)
    fields = {
        "epoch": 1,
        "members": [entry(thief.public), entry(device(61).public, "recovery")],
        "salt": bytes(16),
        "check": bytes(16),
    }
    stolen = statement(thief, GENESIS, fields=fields, parents=())
    with pytest.raises(InvalidRoster, match="does not certify"):
        Roster.verify(FAMILY.roster.vault, [stolen])
    founder, recovery = entry(FAMILY.keys.public), entry(device(61).public, "recovery")
    borrowed = {**fields, "members": [founder, recovery]}
    for raw, sentence in (
        (statement(thief, GENESIS, fields=borrowed, parents=()), "does not certify"),
        (statement(FAMILY.keys, GENESIS, fields={**borrowed, "epoch": 2}, parents=()), "epoch 1"),
        (
            statement(FAMILY.keys, GENESIS, fields={**borrowed, "members": [founder]}, parents=()),
            "one adm",
        ),
        (statement(FAMILY.keys, GENESIS, fields=borrowed, parents=(bytes(32),)), "one administrator"),
    ):
        with pytest.raises(InvalidRoster, match=sentence):
            Roster.verify(FAMILY.roster.vault, [raw])


def test_an_unknown_mandatory_kind_field_or_role_is_refused_by_name() -> None:
    one = {"epoch": 1, "members": [entry(device(1).public)]}
    for raw, name in (
        (statement(FAMILY.keys, "scopes", fields={}), "'scopes'"),
        (statement(FAMILY.keys, fields={**one, "until": 5}), "'until'"),
        (statement(FAMILY.keys, fields={"epoch": 1, "members": [entry(device(1).public, "pope")]}), "'pope'"),
    ):
        refused(FAMILY.genesis, raw, match=name)


def test_a_device_is_added_once_one_at_a_time_in_an_epoch_that_has_begun() -> None:
    first = history()[1]
    tips = FAMILY.roster.merge([first]).tips
    again = {"epoch": 1, "members": [entry(device(1).public)]}
    two = {"epoch": 1, "members": [entry(device(5).public), entry(device(6).public)]}
    later = {"epoch": 2, "members": [entry(device(5).public)]}
    refused(FAMILY.genesis, first, statement(FAMILY.keys, fields=again, parents=tips), match="member already")
    refused(FAMILY.genesis, statement(FAMILY.keys, fields=two), match="one device, not 2")
    refused(FAMILY.genesis, statement(FAMILY.keys, fields=later), match="epoch 2")


def test_an_administrator_that_hands_out_other_keys_is_noticed() -> None:
    lie = VaultSecrets(1, b"l" * 32, SECRETS.naming_key)
    info = b"vademecum/secrets-wrap/v1" + FAMILY.roster.vault + (1).to_bytes(4, "big") + device(1).device
    false = Entry(device(1).public, "member", b"", device(1).public.wrap(lie.to_bytes(), info))
    roster = FAMILY.roster.merge([statement(FAMILY.keys, fields={"epoch": 1, "members": [entry_fields(false)]})])
    with pytest.raises(CannotDecrypt, match="not those of epoch 1"):
        open_secrets(roster, device(1))
    garbage = dataclasses.replace(false, wrap=device(1).public.wrap(b"garbage", info))
    roster = FAMILY.roster.merge([statement(FAMILY.keys, fields={"epoch": 1, "members": [entry_fields(garbage)]})])
    with pytest.raises(CannotDecrypt, match="not a vault's secrets"):
        open_secrets(roster, device(1))


def test_a_wrap_of_another_device_is_of_no_use() -> None:
    other = Entry(device(1).public, "member", b"", FAMILY.roster.member(FAMILY.keys.device).wrap)
    roster = FAMILY.roster.merge([statement(FAMILY.keys, fields={"epoch": 1, "members": [entry_fields(other)]})])
    with pytest.raises(CannotDecrypt):
        open_secrets(roster, device(1))


# --- form -----------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=300) | st.binary(max_size=300).map(lambda rest: b"VR\x01" + rest))
def test_any_bytes_are_a_statement_or_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        parse_statement(data)


@settings(deadline=None)
@given(st.data())
def test_altered_content_parses_or_is_a_peer_s_fault(data: st.DataObject) -> None:
    altered = bytearray(history()[1])
    for _ in range(data.draw(st.integers(1, 3))):
        altered[data.draw(st.integers(3, 200))] = data.draw(st.integers(0, 255))
    try:
        parse_statement(bytes(altered))
    except PeerFault:
        return


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"VR\x01",
        b"VR\x02" + FAMILY.genesis[3:],
        FAMILY.genesis + bytes(128 << 10),
        statement(FAMILY.keys, fields={"epoch": 0, "members": []}),
        statement(FAMILY.keys, fields={"members": []}),
        statement(FAMILY.keys, fields={"epoch": 1, "members": [[b"", b"", "member", b"", b""]]}),
        statement(FAMILY.keys, fields={}, vault=b"short"),
        statement(FAMILY.keys, fields={}, parents=(bytes(32), bytes(32))),
        statement(FAMILY.keys, fields={}, parents=(b"short",)),
    ],
    ids=["empty", "prefix", "version", "size", "epoch", "no epoch", "keys", "vault", "parent twice", "parent"],
)
def test_a_statement_of_another_form_is_malformed(raw: bytes) -> None:
    with pytest.raises(MalformedBytes):
        Roster.verify(None, [FAMILY.genesis, raw])


def test_a_roster_has_an_upper_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership, "MAX_STATEMENTS", 4)
    with pytest.raises(InvalidRoster, match="at most 4"):
        Roster.verify(None, history())


# --- making ---------------------------------------------------------------------------------------------------------


def test_what_must_not_be_said_is_not_said() -> None:
    family = FAMILY
    with pytest.raises(InvalidArgument, match="role"):
        admit(family.roster, family.keys, 1, role="pope")
    with pytest.raises(InvalidArgument, match="name"):
        add(family.keys, family.roster, device(1).public, "n" * 128, secrets=SECRETS, at_ms=AT)
    with pytest.raises(Refused, match="already"):
        add(family.keys, family.roster, family.recovery.public, "x", secrets=SECRETS, at_ms=AT)
    with pytest.raises(UnknownDevice):
        admit(family.roster, device(50), 1)
    with pytest.raises(CannotDecrypt, match="not those of epoch"):
        add(family.keys, family.roster, device(1).public, "x", secrets=VaultSecrets(1, b"w" * 32, b"n" * 32), at_ms=AT)
    with pytest.raises(InvalidArgument, match="recovery"):
        rosters.genesis(
            family.keys,
            family.keys.public,
            "x",
            salt=bytes(16),
            epoch_key=bytes(32),
            naming_key=bytes(32),
            at_ms=AT,
        )


# --- the secrets' own bytes -----------------------------------------------------------------------------------------


def test_secrets_come_back_and_do_not_show() -> None:
    assert VaultSecrets.from_bytes(SECRETS.to_bytes()) == SECRETS
    assert repr(SECRETS) == "VaultSecrets(epoch=1)"


@pytest.mark.parametrize("bit", range(0, 87 * 8, 5))
def test_damaged_secrets_say_so(bit: int) -> None:
    damaged = bytearray(SECRETS.to_bytes())
    damaged[bit // 8] ^= 1 << bit % 8
    with pytest.raises(MalformedBytes, match=r"damaged|not a vault's secrets|version"):
        VaultSecrets.from_bytes(bytes(damaged))


@given(st.binary(max_size=100) | st.binary(max_size=100).map(lambda rest: b"VS\x01" + rest))
def test_any_bytes_are_secrets_or_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        VaultSecrets.from_bytes(data)


def test_secrets_outside_their_range_are_refused() -> None:
    for epoch, key in ((0, bytes(32)), (1 << 32, bytes(32)), (1, b"short")):
        with pytest.raises(InvalidArgument):
            VaultSecrets(epoch, key, bytes(32))


# --- a copy of a device becomes a device ----------------------------------------------------------------------------


@pytest.mark.parametrize("number", [3, 4])
def test_a_copy_of_a_device_gets_its_role_and_its_secrets_and_the_device_stays(number: int) -> None:
    before = Roster.verify(None, history())
    after = before.merge([follow(before, device(number), 7)])
    copy, original = after.member(device(7).device), after.member(device(number).device)
    assert copy.role == original.role and copy.succeeds and not original.succeeds
    assert copy.added_by == device(number).device
    assert open_secrets(after, device(7)) == SECRETS
    assert member_name(after, device(7).device, SECRETS) == "device 7"


def test_each_copy_of_a_device_becomes_one_of_its_own_and_so_does_a_copy_of_a_copy() -> None:
    before = Roster.verify(None, history())
    one, two = follow(before, device(4), 7), follow(before, device(4), 8)
    both = before.merge([one, two])
    again = both.merge([follow(both, device(7), 9)])
    assert {device(number).device for number in (4, 7, 8, 9)} <= set(again.members)


def test_a_copy_takes_no_other_role_than_the_device_has() -> None:
    whole = Roster.verify(None, history())
    for author, role in ((device(4), "administrator"), (device(4), "recovery"), (device(3), "recovery")):
        raised = statement(
            author, SUCCEED, fields={"epoch": 1, "members": [entry(device(7).public, role)]}, parents=whole.tips
        )
        with pytest.raises(InvalidRoster, match="another role"):
            whole.merge([raised])


def test_the_recovery_key_has_no_copies() -> None:
    with pytest.raises(Refused, match="recovery"):
        follow(FAMILY.roster, FAMILY.recovery, 7)
    said = statement(FAMILY.recovery, SUCCEED, fields={"epoch": 1, "members": [entry(device(7).public, "recovery")]})
    with pytest.raises(InvalidRoster):
        FAMILY.roster.merge([said])


def test_a_copy_is_brought_in_once_alone_by_a_member() -> None:
    whole = Roster.verify(None, history())
    fields = [
        {"epoch": 1, "members": [entry(device(3).public)]},
        {"epoch": 1, "members": [entry(device(7).public), entry(device(8).public)]},
        {"epoch": 1, "members": []},
        {"epoch": 2, "members": [entry(device(7).public)]},
    ]
    for one in fields:
        with pytest.raises(InvalidRoster):
            whole.merge([statement(device(3), SUCCEED, fields=one, parents=whole.tips)])
    stranger = statement(device(50), SUCCEED, fields={"epoch": 1, "members": [entry(device(7).public)]})
    with pytest.raises(InvalidRoster, match="no member"):
        FAMILY.roster.merge([stranger])
