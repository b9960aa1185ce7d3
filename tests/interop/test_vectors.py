"""Every published vector holds for this implementation, and again for one written from the protocol's page alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from mnemonic import Mnemonic
from spake2 import SPAKE2_A

from tests.interop import reference
from tests.interop.roster_reference import Rosters
from vademecum.errors import VademecumError
from vademecum.transport import keys as ids
from vademecum.transport.body import Body, decode_body, encode_body
from vademecum.transport.commit import commit_hash, open_body, parse_header, seal, verify
from vademecum.transport.epochs import at_hand
from vademecum.transport.grant import Grant
from vademecum.transport.keys import DeviceKeys
from vademecum.transport.login import check_login
from vademecum.transport.padding import pad, padded_length, unpad
from vademecum.transport.pairing import Inviter, Joiner
from vademecum.transport.recovery import new_phrase, recovery_keys
from vademecum.transport.roster import Roster, VaultSecrets, member_name, open_secrets
from vademecum.transport.snapshot import join_parts, open_snapshot, snapshot_id

FOLDER = Path(__file__).parent / "vectors"
TEXT = (
    "name",
    "comment",
    "expect",
    "author",
    "opened_by",
    "scope",
    "fingerprint",
    "phrase",
    "origin",
    "code",
    "device_name",
)

Vector = dict[str, Any]


def load(file: str) -> list[Vector]:
    vectors = json.loads((FOLDER / f"{file}.json").read_text(encoding="utf-8"))
    return [
        {
            name: bytes.fromhex(value) if isinstance(value, str) and name not in TEXT else value
            for name, value in vector.items()
        }
        for vector in vectors
    ]


def each(file: str, *, ok: bool | None = None) -> Callable[[Any], Any]:
    chosen = [v for v in load(file) if ok is None or (v["expect"] == "ok") is ok]
    return pytest.mark.parametrize("vector", chosen, ids=lambda v: v["name"])


DEVICES = {v["name"]: DeviceKeys(v["signing_seed"], v["receiving_seed"]) for v in load("keys") if v["expect"] == "ok"}
SIGNING_SEEDS = {v["name"]: v["signing_seed"] for v in load("keys") if v["expect"] == "ok"}


def refused(vector: Vector, action: Callable[[], object]) -> None:
    with pytest.raises(VademecumError) as caught:
        action()
    assert caught.value.code == vector["expect"]


# --- keys and derivations -------------------------------------------------------------------------------------------


@each("keys", ok=True)
def test_keys(vector: Vector) -> None:
    device = DeviceKeys(vector["signing_seed"], vector["receiving_seed"])
    assert device.public.to_bytes() == vector["signing"] + vector["receiving"]
    assert device.device == vector["device"] == reference.device_id(vector["signing"], vector["receiving"])
    assert device.to_bytes() == vector["file"] == reference.key_file(vector["signing_seed"], vector["receiving_seed"])
    assert DeviceKeys.from_bytes(vector["file"]).device == vector["device"]
    assert device.sign(vector["message"]) == vector["signature"]
    assert device.unwrap(vector["wrapped"], vector["info"]) == vector["plaintext"]


def test_the_receiving_key_is_that_of_the_x_wing_draft() -> None:
    """draft-connolly-cfrg-xwing-kem, appendix C, first vector: beginning and end of its 1,216-byte public key."""
    receiving = DEVICES["x-wing draft"].public.receiving
    assert receiving.hex().startswith("e2236b35a8c24b39b10aa1323a96a919a2ced88400633a7b07131713fc14b2b5")


@each("keys", ok=False)
def test_refused_key_files(vector: Vector) -> None:
    refused(vector, lambda: DeviceKeys.from_bytes(vector["file"]))


@each("derivations")
def test_derivations(vector: Vector) -> None:
    v = vector
    match v["name"]:
        case "vault id":
            founder = next(device.public for device in DEVICES.values() if device.public.signing == v["signing"])
            assert ids.vault_id(founder, v["salt"]) == v["vault"] == reference.vault_id(v["signing"], v["salt"])
        case "channel id":
            arguments = v["naming_key"], v["scope"]
            assert ids.channel_id(*arguments) == v["channel"] == reference.channel_id(*arguments)
        case "channel key":
            key = v["epoch_key"], v["epoch"], v["channel"]
            assert ids.channel_key(*key) == v["channel_key"] == reference.channel_key(*key)
        case "fingerprint":
            pair = v["vault"], v["a"], v["b"]
            assert ids.fingerprint(*pair) == v["fingerprint"] == reference.fingerprint(*pair)
        case "vault secrets":
            secrets = VaultSecrets.from_bytes(v["secrets"])
            fields = v["epoch"], v["epoch_key"], v["naming_key"]
            assert secrets == VaultSecrets(*fields)
            assert reference.vault_secrets(*fields) == v["secrets"]
            assert secrets.epoch_check(v["vault"]) == v["epoch_check"] == reference.epoch_check(v["vault"], *fields)
        case other:
            pytest.fail(f"no check for {other}")


# --- commits --------------------------------------------------------------------------------------------------------


@each("padding")
def test_padding(vector: Vector) -> None:
    if "length" in vector:
        assert padded_length(vector["length"]) == vector["padded"] == reference.padded_length(vector["length"])
    elif vector["expect"] == "ok":
        assert pad(vector["plaintext"]) == vector["data"] == reference.padded(vector["plaintext"])
        assert unpad(vector["data"]) == vector["plaintext"]
    else:
        refused(vector, lambda: unpad(vector["data"]))


@each("body", ok=True)
def test_bodies(vector: Vector) -> None:
    head = vector["relay_head"]
    body = Body(
        vector["scope"],
        vector["changes"],
        {bytes.fromhex(device): (seq, bytes.fromhex(prefix)) for device, seq, prefix in vector["frontier"]},
        None if head is None else (bytes.fromhex(head[0]), head[1]),
    )
    stored = reference.stored_body(vector["scope"], vector["changes"], vector["frontier"], head)
    assert decode_body(vector["plaintext"]) == decode_body(stored) == body
    if vector["compressed"]:
        assert len(encode_body(body)) < len(stored)
    else:
        assert encode_body(body) == vector["plaintext"] == stored


@each("body", ok=False)
def test_refused_bodies(vector: Vector) -> None:
    refused(vector, lambda: decode_body(vector["plaintext"]))


@each("commit", ok=True)
def test_commits(vector: Vector) -> None:
    author = DEVICES[vector["author"]]
    names = ("vault", "channel", "epoch", "generation", "seq", "previous", "nonce")
    header = verify(vector["commit"], author.public)
    assert {name: getattr(header, name) for name in (*names, "device")} == {
        name: vector[name] for name in (*names, "device")
    }
    assert open_body(vector["commit"], vector["channel_key"]) == vector["plaintext"]
    assert commit_hash(vector["commit"]) == vector["hash"] == sha256(vector["commit"]).digest()
    fields = {name: vector[name] for name in (*names, "plaintext")}
    assert seal(author, vector["channel_key"], **fields) == vector["commit"]
    assert reference.commit(SIGNING_SEEDS[vector["author"]], vector["channel_key"], vector) == vector["commit"]


@each("commit", ok=False)
def test_refused_commits(vector: Vector) -> None:
    public = DEVICES[vector["author"]].public
    if vector["expect"] == "cannot-decrypt":
        verify(vector["commit"], public)
        refused(vector, lambda: open_body(vector["commit"], vector["channel_key"]))
    else:
        refused(vector, lambda: verify(vector["commit"], public))
        if vector["expect"] == "malformed-bytes":
            refused(vector, lambda: parse_header(vector["commit"]))


# --- snapshots ------------------------------------------------------------------------------------------------------


@each("snapshot", ok=True)
def test_snapshots(vector: Vector) -> None:
    parts = [bytes.fromhex(part) for part in vector["parts"]]
    author = DEVICES[vector["author"]]
    names = ("vault", "channel", "device", "epoch", "generation")
    first = join_parts(parts, author.public)
    assert {name: getattr(first, name) for name in names} == {name: vector[name] for name in names}
    assert [[d.hex(), seq, end.hex()] for d, (seq, end) in first.frontier.items()] == vector["frontier"]
    assert open_snapshot(parts, vector["channel_key"]) == (vector["scope"], vector["content"])
    assert snapshot_id(parts[-1]) == vector["id"] == sha256(parts[-1]).digest()[:16]
    previous = bytes(32)
    for index, (piece, nonce, part) in enumerate(zip(vector["slices"], vector["nonces"], parts, strict=True)):
        fields = {**vector, "index": index, "count": len(parts), "previous": previous, "nonce": bytes.fromhex(nonce)}
        fields["frontier"] = [] if index else vector["frontier"]
        seed = SIGNING_SEEDS[vector["author"]]
        assert reference.snapshot_part(seed, vector["channel_key"], fields, bytes.fromhex(piece)) == part
        previous = sha256(part).digest()


@each("snapshot", ok=False)
def test_refused_snapshots(vector: Vector) -> None:
    parts = [bytes.fromhex(part) for part in vector["parts"]]
    public = DEVICES[vector["author"]].public

    def read() -> None:
        join_parts(parts, public)
        open_snapshot(parts, vector["channel_key"])

    refused(vector, read)


# --- members --------------------------------------------------------------------------------------------------------


@each("roster", ok=True)
def test_rosters(vector: Vector) -> None:
    statements = [bytes.fromhex(raw) for raw in vector["statements"]]
    roster = Roster.verify(vector["vault"], statements)
    secrets = VaultSecrets.from_bytes(vector["secrets"])
    assert roster.head == vector["head"] == reference.roster_head(vector["vault"], statements)
    assert vector["members"] == [
        [device.hex(), member.role, member_name(roster, device, secrets), member.added_by.hex()]
        for device, member in roster.members.items()
    ]
    for name in vector["opened_by"]:
        assert open_secrets(roster, DEVICES[name]) == secrets
    for statement in roster.statements:
        reference.check_statement(roster.member(statement.author).public.signing, statement.raw)


@each("roster", ok=False)
def test_refused_rosters(vector: Vector) -> None:
    statements = [bytes.fromhex(raw) for raw in vector["statements"]]
    refused(vector, lambda: Roster.verify(vector["vault"], statements))


@each("revocation", ok=True)
def test_rosters_with_revocations(vector: Vector) -> None:
    statements = [bytes.fromhex(raw) for raw in vector["statements"]]
    roster = Roster.verify(vector["vault"], statements)
    anew = Rosters(vector["vault"], statements)
    assert roster.head == vector["head"] == reference.roster_head(vector["vault"], statements)
    assert vector["members"] == [
        [device.hex(), member.role, member.revoked] for device, member in roster.members.items()
    ]
    assert {device for device in roster.members if roster.is_revoked(device)} == anew.revoked()
    assert roster.current.statement == vector["in_force"] == anew.in_force().hash
    assert roster.epoch == vector["epoch"] == anew.in_force().fields["epoch"]
    ends = {(who, where): end for who, held in roster.held.items() for where, end in held.items()}
    told = {(bytes.fromhex(a), bytes.fromhex(b)): (seq, bytes.fromhex(c)) for a, b, seq, c in vector["ends"]}
    assert {key: end for key, end in ends.items() if roster.is_revoked(key[0])} == told == anew.ends()
    secrets = open_secrets(roster, DEVICES[vector["opened_by"]])
    known = {bytes.fromhex(its): bytes.fromhex(key) for its, _, key in vector["keys"]}
    assert {its: one.epoch_key for its, one in at_hand(roster, secrets).items()} == known
    for its, key in known.items():
        if anew.all[its].kind == "revoke":
            assert anew.earlier_keys(anew.all[its], key).items() <= known.items()
    assert vector["names"] == [[who.hex(), member_name(roster, who, secrets)] for who in sorted(roster.live)]
    for statement in roster.statements:
        reference.check_statement(roster.member(statement.author).public.signing, statement.raw)


@each("revocation", ok=False)
def test_refused_revocations(vector: Vector) -> None:
    statements = [bytes.fromhex(raw) for raw in vector["statements"]]
    refused(vector, lambda: Roster.verify(vector["vault"], statements))


@each("recovery", ok=True)
def test_recovery(vector: Vector) -> None:
    assert new_phrase(vector["entropy"]) == vector["phrase"]
    assert reference.phrase(vector["entropy"], Mnemonic("english").wordlist) == vector["phrase"]
    seeds = reference.recovery_seeds(vector["entropy"])
    assert seeds == (vector["signing_seed"], vector["receiving_seed"])
    assert recovery_keys(vector["phrase"]).device == vector["device"] == DeviceKeys(*seeds).device


@each("recovery", ok=False)
def test_refused_phrases(vector: Vector) -> None:
    refused(vector, lambda: recovery_keys(vector["phrase"]))


# --- logins and pairings --------------------------------------------------------------------------------------------


@each("login")
def test_logins(vector: Vector) -> None:
    public = DEVICES[vector["author"]].public
    fields = {name: vector[name] for name in ("origin", "vault", "nonce", "expiry_ms", "now_ms")}
    if vector["expect"] == "ok":
        check_login(public, vector["signature"], **fields)
        reference.check_login(public.signing, vector)
    else:
        refused(vector, lambda: check_login(public, vector["signature"], **fields))


def entropy_of(label: bytes) -> Callable[[int], bytes]:
    return lambda size: b"".join(sha256(label + bytes([i])).digest() for i in range(8))[:size]


@each("pairing", ok=True)
def test_pairings(vector: Vector) -> None:
    v = vector
    device, grant = DEVICES[v["author"]], Grant.from_bytes(v["grant"])
    inviter = Inviter(v["code"], lambda public, name: grant, entropy=entropy_of(v["inviter_entropy"]))
    joiner = Joiner(v["code"], device.public, v["device_name"], entropy=entropy_of(v["joiner_entropy"]))
    assert inviter.mailbox == v["mailbox"] == reference.mailbox(v["code"])
    assert joiner.start() == v["j1"]
    assert inviter.receive(v["j1"]) == v["i1"]
    assert joiner.receive(v["i1"]) == v["j2"]
    assert inviter.receive(v["j2"]) == v["i2"]
    assert joiner.receive(v["i2"]) is None
    assert inviter.fingerprint == joiner.fingerprint == v["fingerprint"]
    assert joiner.grant == grant

    exchange = SPAKE2_A(
        v["code"].replace("-", "")[4:].encode(),
        idA=b"vademecum/pairing-joiner/v1" + v["mailbox"],
        idB=b"vademecum/pairing-inviter/v1" + v["mailbox"],
        entropy_f=entropy_of(v["joiner_entropy"]),
    )
    assert v["j1"] == b"\x01\x01" + exchange.start()
    key = exchange.finish(v["i1"][2:])
    said = [v["j1"], v["i1"]]
    plain = device.public.to_bytes() + v["device_name"].encode()
    transcript = reference.pairing_transcript(v["code"], said)
    assert reference.pairing_open(key, "joiner", transcript, v["j2"]) == reference.padded(plain)
    transcript = reference.pairing_transcript(v["code"], [*said, v["j2"]])
    assert reference.pairing_open(key, "inviter", transcript, v["i2"]) == reference.padded(v["grant"])


@each("pairing", ok=False)
def test_refused_pairings(vector: Vector) -> None:
    inviter = Inviter(vector["code"], lambda public, name: pytest.fail("granted"), entropy=entropy_of(b"inviter"))
    inviter.receive(vector["j1"])
    refused(vector, lambda: inviter.receive(vector["j2"]))
    assert inviter.failed
