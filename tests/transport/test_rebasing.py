"""Contracts of snapshots between real replicas: what they hold, who may build on which, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.transport.family import device, found
from tests.transport.member import LOG, PUBLIC, Member, channel, contents, members
from vademecum.engine import audit
from vademecum.engine.forgetting import COMPACT
from vademecum.engine.generations import generation_of
from vademecum.engine.sight import Sight
from vademecum.engine.snapshots import decode_snapshot, encode_snapshot
from vademecum.storage.tables import Table
from vademecum.transport import chains, rebasing
from vademecum.transport.frames import BEGINNING
from vademecum.transport.intake import Twin
from vademecum.transport.keys import channel_key
from vademecum.transport.rebasing import Rebasing
from vademecum.transport.snapshot import join_parts, open_snapshot, seal_snapshot, snapshot_id

KEY = channel_key(found().secrets.epoch_key, 1, channel())


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Member]]:
    with members(tmp_path, 3) as made:
        yield made


def snapshot_of(member: Member, generation: int = 1) -> list[bytes]:
    member.ledger.seal_pending()
    return list(member.ledger.make_snapshot(channel(), generation))


def adopt(parts: Sequence[bytes], *some: Member) -> None:
    for member in some:
        received = member.ledger.adopt(channel(), LOG, parts, 9)
        assert received.quarantined == ()


def share(*some: Member) -> None:
    """Hands every commit of the generation to every device."""
    for giver in some:
        own = giver.own()
        for taker in some:
            if taker is not giver:
                assert taker.take(own).quarantined == ()


def agreed(*some: Member) -> None:
    first = some[0]
    for member in some:
        assert member.values() == first.values()
        assert member.ledger.frontier(channel()) == first.ledger.frontier(channel())
        assert member.ledger.base(channel()) == first.ledger.base(channel())


def history(member: Member, path: str) -> list[Any]:
    with member.replica.read() as view:
        return [change.value for change in audit.why(Sight(view, None), path, PUBLIC).history]


def remember(member: Member, **values: Any) -> None:
    for path, value in values.items():
        member.wall += 1000
        member.user.set(path, value)


def test_all_that_adopt_a_snapshot_go_on_from_it_and_keep_no_older_commit(three: list[Member]) -> None:
    one, two, three_ = three
    remember(one, diet="vegan")
    remember(one, diet="vegetarian")
    remember(two, home="Lyon")
    share(one, two)
    parts = snapshot_of(one)
    adopt(parts, one, two, three_)
    agreed(one, two, three_)
    assert three_.values() == {"diet": "vegetarian", "home": "Lyon"}
    assert three_.ledger.base(channel()) == (1, snapshot_id(parts[-1]))
    assert three_.ledger.position(channel()) == (LOG, 9)
    assert history(three_, "diet") == history(one, "diet")
    with one.replica.read() as view:
        assert generation_of(view, PUBLIC) == 1
        assert not view.reader.has(Table.COMMITS, channel())
    remember(two, home="Paris")
    remember(three_, pet="cat")
    share(one, two, three_)
    agreed(one, two, three_)
    assert one.values() == {"diet": "vegetarian", "home": "Paris", "pet": "cat"}
    (commit,) = two.own()
    assert commit[56:60] == (1).to_bytes(4, "big")
    assert commit[60:68] == (2).to_bytes(8, "big"), "the chain goes on"


@pytest.mark.parametrize("generations", [1, 3])
def test_a_device_that_was_away_keeps_what_it_wrote_sealed_or_not(three: list[Member], generations: int) -> None:
    one, away, _ = three
    remember(one, diet="vegan")
    share(one, away)
    remember(away, home="Lyon")
    away.ledger.seal_pending()
    remember(away, home="Paris")
    remember(away, pet="cat")
    for number in range(1, generations + 1):
        remember(one, diet=f"the {number}th")
        adopt(snapshot_of(one, number), one)
    adopt(snapshot_of(one, generations + 1), one, away)
    assert away.ledger.seal_pending() == 1
    share(one, away)
    agreed(one, away)
    assert one.values() == {"diet": f"the {generations}th", "home": "Paris", "pet": "cat"}
    assert history(one, "home") == history(away, "home") == ["Lyon", "Paris"]


def test_commits_that_the_snapshot_does_not_contain_get_their_numbers_again(three: list[Member]) -> None:
    one, two, _ = three
    remember(two, home="Lyon")
    share(one, two)
    parts = snapshot_of(one)
    for name in ("a", "b", "c"):
        remember(two, **{name: 1})
        two.ledger.seal_pending()
    assert two.ledger.frontier(channel())[two.id][0] == 4
    adopt(parts, one, two)
    assert two.ledger.frontier(channel())[two.id][0] == 1
    assert two.ledger.seal_pending() == 1
    (again,) = two.own()
    assert again[60:68] == (2).to_bytes(8, "big")
    share(one, two)
    agreed(one, two)


def test_a_commit_of_another_generation_is_never_applied(three: list[Member]) -> None:
    one, two, _ = three
    remember(one, diet="vegan")
    share(one, two)
    remember(two, home="Lyon")
    old = two.own()
    adopt(snapshot_of(one), one)
    before = contents(one)
    received = one.take(old[-1:])
    assert [problem.code for problem in received.quarantined] == ["other-generation"]
    assert "generation 0" in received.quarantined[0].message
    assert contents(one) == before
    remember(one, pet="cat")
    new = one.own()
    received = two.take(new)
    assert [problem.code for problem in received.quarantined] == ["other-generation"]
    assert "pet" not in two.values()


def test_a_commit_that_the_snapshot_contains_is_known_and_no_fork(three: list[Member]) -> None:
    one, two, _ = three
    for value in ("vegan", "vegetarian"):
        remember(one, diet=value)
        one.ledger.seal_pending()
    old = one.own()
    share(one, two)
    adopt(snapshot_of(one), one, two)
    received = two.take(old)
    assert (received.applied, received.duplicates, received.quarantined) == (0, 2, ())


def test_what_is_held_of_a_device_beyond_the_snapshot_is_kept_and_offered_in_the_next(three: list[Member]) -> None:
    one, two, gone = three
    remember(gone, home="Lyon")
    share(*three)
    parts = snapshot_of(two)
    remember(gone, pet="cat")
    one.take(gone.own())
    adopt(parts, two, one)
    assert one.values() == {"home": "Lyon", "pet": "cat"}
    assert one.ledger.frontier(channel()) == two.ledger.frontier(channel())
    assert one.ledger.snapshot_due(channel())
    adopt(snapshot_of(two, 2), two, one)
    assert one.values() == {"home": "Lyon", "pet": "cat"}, "however often it is left out"
    adopt(snapshot_of(one, 3), one, two)
    agreed(one, two)
    assert two.values() == {"home": "Lyon", "pet": "cat"}
    assert not one.ledger.snapshot_due(channel())
    adopt(snapshot_of(two, 4), two, gone)
    gone.ledger.seal_pending()
    assert gone.values() == two.values()


def test_the_flag_of_a_forgetting_stands_until_a_snapshot_contains_it(three: list[Member]) -> None:
    one, two, _ = three
    remember(one, diet="vegan")
    share(one, two)
    early = snapshot_of(two)

    def flag(member: Member) -> None:
        member.replica.write(lambda transaction: transaction.writer.put(Table.META, COMPACT + PUBLIC.encode(), b"1"))

    remember(one, home="Lyon")
    flag(one)
    assert one.ledger.snapshot_due(channel())
    adopt(early, one, two)
    assert one.ledger.snapshot_due(channel()), "what was to be forgotten was not in it"
    one.ledger.seal_pending()
    share(one, two)
    adopt(snapshot_of(one, 2), one, two)
    assert not one.ledger.snapshot_due(channel())


def test_commits_that_outweigh_what_they_led_to_are_due_and_others_are_not(
    three: list[Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = three[0]
    monkeypatch.setattr(rebasing, "LEAST", 20_000)
    for number in range(12):
        one.user.set(f"name{number}", os.urandom(900).hex())
        one.ledger.seal_pending()
    assert not one.ledger.snapshot_due(channel()), "as much as there is"
    for _ in range(130):
        one.user.set("one", os.urandom(500).hex())
        one.ledger.seal_pending()
    assert one.ledger.snapshot_due(channel())
    adopt(snapshot_of(one), one)
    assert not one.ledger.snapshot_due(channel())
    with one.replica.read() as view:
        assert chains.weight(view.reader, channel()) == (0, 0)


def test_the_same_content_under_another_seal_changes_nothing_but_its_name(three: list[Member]) -> None:
    one, two, _ = three
    remember(one, diet="vegan")
    share(one, two)
    adopt(snapshot_of(one), one)
    remember(one, diet="vegetarian")
    one.ledger.seal_pending()
    parts = snapshot_of(two)
    adopt(parts, one, two)
    share(one, two)
    agreed(one, two)
    assert two.values() == {"diet": "vegetarian"}


def resealed(parts: Sequence[bytes], author: int, **changed: Any) -> list[bytes]:
    """What device *author* could make of the snapshot with its keys."""
    first = join_parts(parts, device(0).public)
    scope, content = open_snapshot(parts, KEY)
    fields: dict[str, Any] = {
        "vault": first.vault,
        "channel": first.channel,
        "epoch": 1,
        "generation": first.generation,
        "frontier": first.frontier,
        "scope": scope,
        "content": content,
        "key": KEY,
        **changed,
    }
    return seal_snapshot(device(author), fields.pop("key"), entropy=os.urandom, **fields)


def test_a_snapshot_that_is_not_sound_is_one_problem_and_changes_nothing(three: list[Member]) -> None:
    one, two, _ = three
    remember(one, diet="vegan")
    share(one, two)
    parts = snapshot_of(one)
    content = open_snapshot(parts, KEY)[1]
    later = encode_snapshot(decode_snapshot(content)._replace(generation=5))
    elsewhere = channel("user.private")
    spoiled: dict[str, tuple[Sequence[bytes], str]] = {
        "no parts": ([], "invalid-snapshot"),
        "no bytes of one": ([b"x"], "malformed-bytes"),
        "an altered one": ([parts[0][:-1] + bytes([parts[0][-1] ^ 1])], "bad-signature"),
        "a part twice": ([*parts, *parts], "invalid-snapshot"),
        "a stranger's": (resealed(parts, 9), "unknown-device"),
        "another vault's": (resealed(parts, 1, vault=bytes(16)), "invalid-snapshot"),
        "another channel's": (resealed(parts, 1, channel=elsewhere), "invalid-snapshot"),
        "another scope's": (resealed(parts, 1, scope="user.private"), "invalid-snapshot"),
        "of no scope": (resealed(parts, 1, scope="nonsense"), "invalid-snapshot"),
        "under another key": (resealed(parts, 1, key=bytes(32)), "cannot-decrypt"),
        "of an epoch unknown here": (resealed(parts, 1, epoch=2), "keys-missing"),
        "of two generations": (resealed(parts, 1, content=later), "invalid-snapshot"),
        "of no content": (resealed(parts, 1, content=b"\x93\x01"), "malformed-bytes"),
    }
    before = contents(two)
    for name, (bad, code) in spoiled.items():
        received = two.ledger.adopt(channel(), LOG, bad, 9)
        assert [problem.code for problem in received.quarantined] == [code], name
        assert contents(two) == before, name
    assert two.ledger.base(channel()) == BEGINNING
    adopt(parts, two)


def test_an_earlier_snapshot_than_the_one_here_is_passed_over(three: list[Member]) -> None:
    one, two, _ = three
    remember(one, diet="vegan")
    share(one, two)
    old = snapshot_of(two)
    adopt(snapshot_of(one, 4), one)
    before = contents(one)
    assert one.ledger.adopt(channel(), LOG, old, 9).duplicates == 1
    assert contents(one) == before


@pytest.mark.parametrize(("end", "seen_at"), [(3, 3), (2, 2), (1, 1)])
def test_a_snapshot_that_names_another_chain_of_this_device_shows_a_copy_of_it(
    three: list[Member], end: int, seen_at: int
) -> None:
    one, two, _ = three
    for path in ("home", "pet"):
        remember(two, **{path: 1})
        two.ledger.seal_pending()
    share(one, two)
    parts = resealed(snapshot_of(one), 0, frontier={two.id: (end, b"h" * 32)})
    before = contents(two)
    ledger = two.ledger
    watchful = Rebasing(ledger.vault, channel(), ledger.roster(), ledger.secrets, tripwire=True)
    with pytest.raises(Twin) as caught:
        watchful.adopt(two.replica, parts, lambda writer: None)
    assert (caught.value.device, caught.value.seq) == (two.id, seen_at)
    assert contents(two) == before
    assert watchful.adopt(two.replica, snapshot_of(one), lambda writer: None).applied == 1
