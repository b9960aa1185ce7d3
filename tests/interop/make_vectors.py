"""Writes the test vectors of every format of the protocol: ``python -m tests.interop.make_vectors``.

Each file holds vectors with a name, a comment, what to expect (``ok`` or the stable code of an error), the input, and
the values in between. Bytes are lowercase hex; an ``author`` is a name in ``keys.json``. Wraps and sealed names have
randomness inside, so the roster's statements differ each time they are made; they are made again only when the format
changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any

import zstandard

from tests.interop import reference
from vademecum.transport import contexts, recovery
from vademecum.transport import roster as rosters
from vademecum.transport.body import Body, encode_body
from vademecum.transport.commit import NO_PREVIOUS, commit_hash, seal
from vademecum.transport.epochs import at_hand
from vademecum.transport.grant import Grant
from vademecum.transport.keys import DeviceKeys, channel_id, channel_key, fingerprint, vault_id
from vademecum.transport.login import sign_login
from vademecum.transport.padding import pad, padded_length
from vademecum.transport.pairing import Inviter, Joiner
from vademecum.transport.pairing_code import mailbox_id, new_code
from vademecum.transport.roster import Roster, VaultSecrets
from vademecum.transport.snapshot import snapshot_id
from vademecum.transport.statement import RENAME, REVOKE, Held, make_statement, parse_statement

FOLDER = Path(__file__).parent / "vectors"
AT_MS = 1_790_000_000_000

Vector = dict[str, Any]

SEEDS = {
    "laptop": (bytes(range(32)), bytes(range(32, 64))),
    "phone": (bytes(range(64, 96)), bytes(range(96, 128))),
    # The receiving seed of the X-Wing draft's first test vector, so that one key here is known outside this project.
    "x-wing draft": (
        bytes(range(128, 160)),
        bytes.fromhex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"),
    ),
}
LAPTOP, PHONE = (DeviceKeys(*SEEDS[name]) for name in ("laptop", "phone"))
SALT = bytes(range(16))
VAULT = vault_id(LAPTOP.public, SALT)
EPOCH_KEY, NAMING_KEY = sha256(b"epoch key").digest(), sha256(b"naming key").digest()
ENTROPY = sha256(b"recovery").digest()


def vector(name: str, comment: str, expect: str = "ok", **values: Any) -> Vector:
    return {"name": name, "comment": comment, "expect": expect, **values}


def keys() -> list[Vector]:
    vectors = []
    for name, (signing_seed, receiving_seed) in SEEDS.items():
        device = DeviceKeys(signing_seed, receiving_seed)
        vectors.append(
            vector(
                name,
                "seeds → public keys → id, the key file, a signature and a wrap",
                signing_seed=signing_seed,
                receiving_seed=receiving_seed,
                signing=device.public.signing,
                receiving=device.public.receiving,
                device=device.device,
                file=device.to_bytes(),
                message=b"message",
                signature=device.sign(b"message"),
                info=b"info",
                plaintext=b"plaintext",
                wrapped=device.public.wrap(b"plaintext", b"info"),
            )
        )
    file = LAPTOP.to_bytes()
    for name, damaged in (
        ("another magic", b"XX" + file[2:]),
        ("a newer version", file[:2] + b"\x02" + file[3:]),
        ("a flipped bit in a seed", file[:10] + bytes([file[10] ^ 1]) + file[11:]),
        ("a flipped bit in the check value", file[:-1] + bytes([file[-1] ^ 1])),
        ("cut", file[:-1]),
    ):
        vectors.append(vector(f"key file: {name}", "refused", "malformed-bytes", file=damaged))
    return vectors


def derivations() -> list[Vector]:
    channel = channel_id(NAMING_KEY, "user.public")
    secrets = VaultSecrets(1, EPOCH_KEY, NAMING_KEY)
    return [
        vector("vault id", "from the founder's signing key", signing=LAPTOP.public.signing, salt=SALT, vault=VAULT),
        *(
            vector(
                "channel id",
                "from a scope's name",
                naming_key=NAMING_KEY,
                scope=scope,
                channel=channel_id(NAMING_KEY, scope),
            )
            for scope in ("user.public", "user.private", "agent/prix/daily-eats", "agent/ß/ünïcode")
        ),
        *(
            vector(
                "channel key",
                "from an epoch's key",
                epoch_key=EPOCH_KEY,
                epoch=epoch,
                channel=channel,
                channel_key=channel_key(EPOCH_KEY, epoch, channel),
            )
            for epoch in (1, 2, (1 << 32) - 1)
        ),
        vector(
            "fingerprint",
            "the same for both orders of the devices",
            vault=VAULT,
            a=LAPTOP.device,
            b=PHONE.device,
            fingerprint=fingerprint(VAULT, LAPTOP.device, PHONE.device),
        ),
        vector(
            "vault secrets",
            "their bytes, and the epoch's public check value",
            epoch=1,
            epoch_key=EPOCH_KEY,
            naming_key=NAMING_KEY,
            vault=VAULT,
            secrets=secrets.to_bytes(),
            epoch_check=secrets.epoch_check(VAULT),
        ),
    ]


def padding() -> list[Vector]:
    lengths = [0, 1, 62, 63, 64, 127, 128, 191, 192, 254, 255, 256, 271, 272, 511, 512, 1000, 4095, 65_535, 1_000_000]
    return [
        *(vector("length", "plaintext → padded", length=n, padded=padded_length(n)) for n in lengths),
        vector("padded", "one mark, then zeros", plaintext=b"hello", data=pad(b"hello")),
        vector(
            "padded zeros", "a plaintext that ends in zeros and marks", plaintext=b"\x80\0\0", data=pad(b"\x80\0\0")
        ),
        vector("no mark", "zeros alone", "malformed-bytes", data=bytes(64)),
        vector("wrong step", "a bucket too many", "malformed-bytes", data=pad(b"hello") + bytes(64)),
        vector("nothing", "no bytes at all", "malformed-bytes", data=b""),
    ]


def bodies() -> list[Vector]:
    cases = {
        "smallest": Body("s", b"", {}),
        "one leaf": Body("user.public", b"changes of one leaf", {PHONE.device: (300, b"8 bytes.")}),
        "everything": Body(
            "agent/prix/daily-eats",
            bytes(range(256)),
            {PHONE.device: (1, b"12345678"), LAPTOP.device: ((1 << 64) - 1, b"abcdefgh")},
            (b"log id 16 bytes.", 129),
        ),
        "compressed": Body("user.private", b"again and again, " * 200, {}, (bytes(16), 0)),
    }
    vectors = [
        vector(
            name,
            "fields ↔ plaintext; a compressed one may be written otherwise, but reads the same",
            scope=body.scope,
            changes=body.changes,
            frontier=[[d, seq, prefix] for d, (seq, prefix) in sorted(body.frontier.items())],
            relay_head=list(body.relay_head) if body.relay_head else None,
            compressed=name == "compressed",
            plaintext=encode_body(body),
        )
        for name, body in cases.items()
    ]
    entry = bytes(16) + bytes(8)
    for name, plain in {
        "unknown method": b"\x02\x01\x01s\x00\x00",
        "unknown version": b"\x00\x02\x01s\x00\x00",
        "no scope": b"\x00\x01\x00\x00\x00",
        "cut": b"\x00\x01\x05s",
        "scope is not UTF-8": b"\x00\x01\x01\xff\x00\x00",
        "varint not in its shortest form": b"\x00\x01\x81\x00s\x00\x00",
        "a device twice": b"\x00\x01\x01s\x02" + entry + b"\x01" + entry + b"\x01\x00",
        "seq 0": b"\x00\x01\x01s\x01" + entry + b"\x00\x00",
        "seq of 65 bits": b"\x00\x01\x01s\x01" + entry + b"\xff" * 9 + b"\x02\x00",
        "head flag 2": b"\x00\x01\x01s\x00\x02",
        "no zstd frame": b"\x01\x01\x01s\x00\x00",
    }.items():
        vectors.append(vector(name, "refused", "malformed-bytes", plaintext=pad(plain)))
    return vectors


def commits() -> list[Vector]:
    channel = channel_id(NAMING_KEY, "user.public")
    key = channel_key(EPOCH_KEY, 1, channel)
    nonces = [sha256(b"nonce %d" % i).digest()[:24] for i in range(2)]
    plaintext = encode_body(Body("user.public", b"changes", {}))
    common: Vector = {"vault": VAULT, "channel": channel, "epoch": 1, "generation": 0, "plaintext": plaintext}
    first = seal(LAPTOP, key, **common, seq=1, previous=NO_PREVIOUS, nonce=nonces[0])
    second = seal(LAPTOP, key, **common, seq=2, previous=commit_hash(first), nonce=nonces[1])
    shared: Vector = {"author": "laptop", "channel_key": key}
    vectors = [
        vector(
            name,
            "a whole commit and what it is made of",
            **shared,
            **common,
            device=LAPTOP.device,
            seq=seq,
            previous=previous,
            nonce=nonce,
            commit=whole,
            hash=commit_hash(whole),
        )
        for name, seq, previous, nonce, whole in (
            ("first of its chain", 1, NO_PREVIOUS, nonces[0], first),
            ("second of its chain", 2, commit_hash(first), nonces[1], second),
        )
    ]

    def flipped(at: int) -> bytes:
        return second[:at] + bytes([second[at] ^ 1]) + second[at + 1 :]

    places = [("magic", 0), ("suite", 2), ("kind", 3), ("vault", 4), ("channel", 20), ("device", 36), ("epoch", 52)]
    places += [("generation", 59), ("seq", 60), ("previous", 68), ("nonce", 100), ("commitment", 124), ("body", 156)]
    places += [("tag", len(second) - 65), ("signature", len(second) - 64), ("signature's end", len(second) - 1)]
    for name, at in places:
        expect = "malformed-bytes" if at < 4 else "bad-signature"
        vectors.append(vector(f"flipped bit: {name}", "refused by verify", expect, **shared, commit=flipped(at)))

    def resigned(unsigned: bytes) -> bytes:
        return unsigned + LAPTOP.sign(contexts.COMMIT_SIGNATURE + sha512(unsigned).digest())

    for name, at in [("generation", 59), ("commitment", 124), ("body", 156), ("tag", len(second) - 65)]:
        vectors.append(
            vector(
                f"flipped bit, signed anew: {name}",
                "passes verify, refused by open_body",
                "cannot-decrypt",
                **shared,
                commit=resigned(flipped(at)[:-64]),
            )
        )
    other: Vector = {**shared, "channel_key": bytes(32)}
    vectors += [
        vector("another channel key", "refused by open_body", "cannot-decrypt", **other, commit=second),
        vector("cut", "refused", "malformed-bytes", **shared, commit=second[:-1]),
        vector("lengthened", "refused", "bad-signature", **shared, commit=second + b"\0"),
        vector("too short", "refused", "malformed-bytes", **shared, commit=second[:200]),
        vector(
            "seq 0", "refused", "malformed-bytes", **shared, commit=resigned(second[:60] + bytes(8) + second[68:-64])
        ),
        vector(
            "seq 2 without previous",
            "refused",
            "malformed-bytes",
            **shared,
            commit=resigned(second[:68] + bytes(32) + second[100:-64]),
        ),
        vector(
            "epoch 0", "refused", "malformed-bytes", **shared, commit=resigned(second[:52] + bytes(4) + second[56:-64])
        ),
        vector(
            "another author",
            "refused",
            "bad-signature",
            author="phone",
            channel_key=key,
            commit=second,
        ),
    ]
    return vectors


def snapshots() -> list[Vector]:
    channel = channel_id(NAMING_KEY, "user.public")
    key = channel_key(EPOCH_KEY, 1, channel)
    frontier = {LAPTOP.device: (7, sha256(b"seventh").digest()), PHONE.device: (2, sha256(b"second").digest())}
    content = b"the engine's bytes, " * 20
    packed = zstandard.ZstdCompressor(write_checksum=False).compress(reference.snapshot_content("user.public", content))
    common: Vector = {
        "vault": VAULT,
        "channel": channel,
        "device": LAPTOP.device,
        "epoch": 1,
        "generation": 3,
        "frontier": [[d.hex(), seq, end.hex()] for d, (seq, end) in sorted(frontier.items())],
    }
    shared: Vector = {"author": "laptop", "channel_key": key}

    def made(pieces: Sequence[bytes], **changed: Any) -> tuple[list[bytes], list[bytes]]:
        parts: list[bytes] = []
        nonces = [sha256(b"snapshot nonce %d" % index).digest()[:24] for index in range(len(pieces))]
        for index, piece in enumerate(pieces):
            fields = {
                **common,
                "index": index,
                "count": len(pieces),
                "previous": commit_hash(parts[-1]) if parts else bytes(32),
                "nonce": nonces[index],
                **({} if index == 0 else {"frontier": []}),
                **changed,
            }
            parts.append(reference.snapshot_part(SEEDS["laptop"][0], key, fields, piece))
        return parts, nonces

    def valid(name: str, comment: str, pieces: Sequence[bytes]) -> Vector:
        parts, nonces = made(pieces)
        more: Vector = {"scope": "user.public", "content": content, "slices": list(pieces), "nonces": nonces}
        return vector(name, comment, **shared, **common, **more, parts=parts, id=snapshot_id(parts[-1]))

    def invalid(name: str, expect: str, parts: Sequence[bytes]) -> Vector:
        return vector(name, "refused", expect, **shared, parts=list(parts))

    (whole,), _ = made([packed])
    (first, second), _ = made([packed[:30], packed[30:]])

    def flipped(at: int) -> bytes:
        return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]

    def resigned(unsigned: bytes) -> bytes:
        return unsigned + LAPTOP.sign(contexts.SNAPSHOT_SIGNATURE + sha512(unsigned).digest())

    places = [("magic", 0), ("suite", 2), ("kind", 3), ("vault", 4), ("channel", 20), ("device", 36), ("epoch", 55)]
    places += [("generation", 59), ("nonce", 100), ("commitment", 124), ("entries", 157), ("frontier's seq", 181)]
    places += [("frontier's hash", 182), ("body", 270), ("signature's end", len(whole) - 1)]
    malformed = ("magic", "suite", "kind", "epoch", "entries")
    swapped = whole[:158] + whole[214:270] + whole[158:214] + whole[270:-64]
    return [
        valid("one part", "a whole snapshot and what it is made of", [packed]),
        valid("three parts", "cut anywhere: a reader only joins", [packed[:10], packed[10:11], packed[11:]]),
        *(
            invalid(f"flipped bit: {name}", "malformed-bytes" if name in malformed else "bad-signature", [flipped(at)])
            for name, at in places
        ),
        *(
            invalid(f"flipped bit, signed anew: {name}", "cannot-decrypt", [resigned(flipped(at)[:-64])])
            for name, at in places
            if name in ("generation", "commitment", "frontier's hash", "body")
        ),
        invalid("the last part is missing", "invalid-snapshot", [first]),
        invalid("the first part is missing", "invalid-snapshot", [second]),
        invalid("a part twice", "invalid-snapshot", [first, first, second]),
        invalid("a part of another snapshot", "invalid-snapshot", [first, made([packed[:31], packed[31:]])[0][1]]),
        invalid("generation 0", "malformed-bytes", made([packed], generation=0)[0]),
        invalid("no part of none", "malformed-bytes", made([packed], count=0)[0]),
        invalid("more parts than there may be", "malformed-bytes", made([packed], count=257)[0]),
        invalid("no frontier", "malformed-bytes", made([packed], frontier=[])[0]),
        invalid("frontier not sorted", "malformed-bytes", [resigned(swapped)]),
        invalid("no zstd frame", "malformed-bytes", made([b"not compressed"])[0]),
        invalid("cut", "malformed-bytes", [whole[:300]]),
    ]


def roster() -> list[Vector]:
    rescue = recovery.recovery_keys(recovery.new_phrase(ENTROPY))
    genesis = rosters.genesis(
        LAPTOP, rescue.public, "laptop", salt=SALT, epoch_key=EPOCH_KEY, naming_key=NAMING_KEY, at_ms=AT_MS
    )
    founded = Roster.verify(VAULT, [genesis])
    secrets = rosters.open_secrets(founded, LAPTOP)
    phone = rosters.add(LAPTOP, founded, PHONE.public, "phone", secrets=secrets, at_ms=AT_MS + 1)
    draft = DeviceKeys(*SEEDS["x-wing draft"])
    child = rosters.add(rescue, founded, draft.public, "tablet", secrets=secrets, at_ms=AT_MS + 2, role="member")
    whole = founded.merge([phone, child])
    forced = bytearray(phone)
    forced[-1] ^= 1
    later = rosters.add(PHONE, whole, DeviceKeys(bytes(32), bytes(32)).public, "x", secrets=secrets, at_ms=AT_MS + 3)

    def valid(name: str, statements: Sequence[bytes]) -> Vector:
        made = Roster.verify(VAULT, statements)
        return vector(
            name,
            "the order of the statements does not matter",
            vault=VAULT,
            statements=list(statements),
            head=made.head,
            members=[[d, m.role, rosters.member_name(made, d, secrets), m.added_by] for d, m in made.members.items()],
            secrets=secrets.to_bytes(),
            opened_by=["laptop", "phone"] if phone in statements else ["laptop"],
        )

    def invalid(name: str, expect: str, *statements: bytes, vault: bytes = VAULT) -> Vector:
        return vector(name, "refused", expect, vault=vault, statements=list(statements))

    return [
        valid("founded", [genesis]),
        valid("three devices", [genesis, phone, child]),
        valid("in another order, one twice", [child, genesis, phone, child]),
        valid("an addition that follows two", [later, child, phone, genesis]),
        invalid("forged", "invalid-roster", genesis, bytes(forced)),
        invalid("orphaned", "invalid-roster", genesis, phone, later),
        invalid("no genesis", "invalid-roster", phone),
        invalid("another vault", "invalid-roster", genesis, vault=bytes(16)),
        invalid("garbage", "malformed-bytes", genesis, b"garbage"),
        invalid("a newer version", "malformed-bytes", genesis, b"VR\x02" + phone[3:]),
    ]


def revocations() -> list[Vector]:
    rescue = recovery.recovery_keys(recovery.new_phrase(ENTROPY))
    tablet = DeviceKeys(*SEEDS["x-wing draft"])
    genesis = rosters.genesis(
        LAPTOP, rescue.public, "laptop", salt=SALT, epoch_key=EPOCH_KEY, naming_key=NAMING_KEY, at_ms=AT_MS
    )
    roster = Roster.verify(VAULT, [genesis])
    first = rosters.open_secrets(roster, LAPTOP)
    for at, (keys_, name) in enumerate(((PHONE, "phone"), (tablet, "tablet"))):
        said = rosters.add(LAPTOP, roster, keys_.public, name, secrets=first, at_ms=AT_MS + 1 + at)
        roster = roster.merge([said])
    three = [one.raw for one in roster.statements]

    def revoked(by: DeviceKeys, known: Roster, gone: Sequence[DeviceKeys], label: bytes) -> bytes:
        secrets = rosters.open_secrets(known, by)
        devices = [one.device for one in gone]
        key = sha256(label).digest()
        return rosters.revoke(by, known, devices, secrets=secrets, epoch_key=key, at_ms=AT_MS + 10)

    by_laptop = revoked(LAPTOP, roster, [PHONE], b"epoch 2")
    after = roster.merge([by_laptop])
    end = Held(PHONE.device, channel_id(NAMING_KEY, "user.public"), 7, sha256(b"commit 7").digest())
    seen = rosters.witness(tablet, after, [end], [sha256(b"snapshot").digest()[:16]], at_ms=AT_MS + 11)
    newest = rosters.open_secrets(after, tablet)
    named = rosters.rename(tablet, after, LAPTOP.device, "desk", secrets=newest, at_ms=AT_MS + 12)
    behind = rosters.add(
        PHONE, roster, DeviceKeys(bytes(32), bytes(32)).public, "friend", secrets=first, at_ms=AT_MS + 9
    )
    by_tablet = revoked(tablet, roster, [LAPTOP], b"another epoch 2")
    both = after.merge([by_tablet])
    third = revoked(tablet, both, [], b"epoch 3")
    late = rosters.add(LAPTOP, after, DeviceKeys(b"l" * 32, bytes(32)).public, "late", secrets=newest, at_ms=AT_MS + 13)

    def valid(name: str, comment: str, *more: bytes, opened_by: str = "x-wing draft") -> Vector:
        made = Roster.verify(VAULT, [*three, *more])
        secrets = rosters.open_secrets(made, {"laptop": LAPTOP, "phone": PHONE}.get(opened_by, tablet))
        return vector(
            name,
            comment,
            vault=VAULT,
            statements=[*reversed(more), *three],
            head=made.head,
            members=[[device, member.role, member.revoked] for device, member in made.members.items()],
            names=[[device, rosters.member_name(made, device, secrets)] for device in sorted(made.live)],
            in_force=made.current.statement,
            epoch=made.epoch,
            opened_by=opened_by,
            keys=[[its, one.epoch, one.epoch_key] for its, one in sorted(at_hand(made, secrets).items())],
            ends=[
                [device, channel, *made.held[device][channel]]
                for device in sorted(made.held)
                for channel in sorted(made.held[device])
                if made.is_revoked(device)
            ],
        )

    def changed(**fields: object) -> bytes:
        good = parse_statement(by_laptop)
        whole: dict[str, object] = {
            "epoch": good.epoch,
            "revoked": list(good.revoked),
            "wraps": [list(one) for one in good.wraps],
            "check": good.check,
            "earlier": list(good.earlier),
            "keys": good.earlier_keys,
        }
        return make_statement(
            LAPTOP, REVOKE, vault=VAULT, parents=roster.tips, at_ms=AT_MS + 10, fields={**whole, **fields}
        )

    def invalid(name: str, expect: str, *more: bytes) -> Vector:
        return vector(name, "refused", expect, vault=VAULT, statements=[*three, *more])

    wraps = [list(one) for one in parse_statement(by_laptop).wraps]
    return [
        valid("a phone is revoked", "the keys of both epochs are found from the newer one", by_laptop),
        valid("a witness and a name", "the end of the phone's chain; a name in epoch 2", by_laptop, *seen, named),
        valid("said behind their back", "the phone had let in a friend meanwhile", by_laptop, behind),
        valid("two at the same time", "two epochs have one number", by_laptop, by_tablet),
        valid("and the third epoch", "an epoch that is for those who are left", by_laptop, by_tablet, third),
        valid("what the phone can open", "no more than before", by_laptop, opened_by="phone"),
        invalid("said afterwards", "invalid-roster", by_laptop, late, said_by_the_phone(after, newest)),
        invalid("itself", "invalid-roster", changed(revoked=[LAPTOP.device])),
        invalid("the recovery key", "invalid-roster", changed(revoked=[rescue.device])),
        invalid("a stranger", "invalid-roster", changed(revoked=[bytes(16)])),
        invalid("not the next epoch", "invalid-roster", changed(epoch=3)),
        invalid("a wrap is missing", "invalid-roster", changed(wraps=wraps[1:])),
        invalid("an epoch that has not begun", "invalid-roster", changed(earlier=[bytes(32)])),
        invalid("wraps not sorted", "malformed-bytes", changed(wraps=wraps[::-1])),
        invalid("a wrap twice", "malformed-bytes", changed(wraps=[wraps[0], [wraps[0][0], b"x" * 2000], *wraps[1:]])),
        invalid("a field that is not known", "invalid-roster", changed(colour="blue")),
    ]


def said_by_the_phone(after: Roster, secrets: VaultSecrets) -> bytes:
    """A renaming by the phone that knows that it was revoked."""
    fields = {"epoch": secrets.epoch, "device": PHONE.device, "name": b"n" * 92}
    return make_statement(PHONE, RENAME, vault=VAULT, parents=after.tips, at_ms=AT_MS + 14, fields=fields)


def phrases() -> list[Vector]:
    vectors = []
    for entropy in (bytes(32), b"\xff" * 32, ENTROPY):
        phrase = recovery.new_phrase(entropy)
        made = recovery.recovery_keys(phrase)
        signing_seed, receiving_seed = made.to_bytes()[3:35], made.to_bytes()[35:67]
        vectors.append(
            vector(
                "phrase",
                "BIP 39 words; keys by HKDF from the entropy",
                entropy=entropy,
                phrase=phrase,
                signing_seed=signing_seed,
                receiving_seed=receiving_seed,
                device=made.device,
            )
        )
    words = recovery.new_phrase(ENTROPY).split(" ")
    for name, wrong in {
        "a word that is not in the list": [*words[:-1], "xyzzy"],
        "two words changed places": [words[1], words[0], *words[2:]],
        "a word is missing": words[:-1],
    }.items():
        vectors.append(vector(name, "refused", "invalid-argument", phrase=" ".join(wrong)))
    return vectors


def logins() -> list[Vector]:
    fields: Vector = {
        "origin": "relay.example:443",
        "vault": VAULT,
        "nonce": sha256(b"challenge").digest(),
        "expiry_ms": AT_MS,
    }
    signature = sign_login(LAPTOP, **fields)
    shared: Vector = {"author": "laptop", "signature": signature}
    return [
        vector("login", "a proof in time", **shared, device=LAPTOP.device, **fields, now_ms=AT_MS - 1),
        vector("too late", "refused", "bad-signature", **shared, **fields, now_ms=AT_MS),
        vector("another origin", "refused", "bad-signature", **shared, **{**fields, "origin": "b:1"}, now_ms=0),
        vector("another nonce", "refused", "bad-signature", **shared, **{**fields, "nonce": bytes(32)}, now_ms=0),
        vector("another vault", "refused", "bad-signature", **shared, **{**fields, "vault": bytes(16)}, now_ms=0),
    ]


def pairings(statements: list[bytes]) -> list[Vector]:
    code = new_code(bytes.fromhex("00443214c74254"))
    grant = Grant(
        VAULT, LAPTOP.device, tuple(statements), "https://relay.example", {bytes(16): {LAPTOP.device: (2, bytes(32))}}
    )

    def run(typed: str, label: bytes = b"joiner") -> tuple[Inviter, Joiner, Vector]:
        inviter = Inviter(code, lambda public, name: grant, entropy=_counting(b"inviter"))
        joiner = Joiner(typed, PHONE.public, "phone", entropy=_counting(label))
        j1 = joiner.start()
        i1 = inviter.receive(j1) or b""
        return inviter, joiner, {"j1": j1, "i1": i1, "j2": joiner.receive(i1) or b""}

    inviter, joiner, said = run(code)
    i2 = inviter.receive(said["j2"]) or b""
    joiner.receive(i2)
    _, _, guessed = run(code[:-1] + ("0" if code[-1] != "0" else "1"))
    inputs: Vector = {
        "code": code,
        "mailbox": mailbox_id(code),
        "inviter_entropy": b"inviter",
        "joiner_entropy": b"joiner",
        "author": "phone",
        "device_name": "phone",
        "grant": grant.to_bytes(),
    }
    refusing: Vector = {"code": code, "inviter_entropy": b"inviter"}
    return [
        vector(
            "pairing",
            "all four messages; entropy(n) is the first n bytes of SHA-256(label ‖ 0) ‖ SHA-256(label ‖ 1) …",
            **inputs,
            **said,
            i2=i2,
            fingerprint=inviter.fingerprint,
        ),
        vector("wrong code", "j2 is refused by the inviter", "pairing-failed", **refusing, **guessed),
        vector(
            "altered j1",
            "refused by the inviter at j2",
            "pairing-failed",
            **refusing,
            **{**said, "j1": run(code, b"another joiner")[2]["j1"]},
        ),
        vector(
            "altered j2",
            "refused by the inviter",
            "pairing-failed",
            **refusing,
            **{**said, "j2": said["j2"][:-1] + b"\0"},
        ),
    ]


def _counting(label: bytes) -> Any:
    def entropy(size: int) -> bytes:
        blocks = (sha256(label + bytes([i])).digest() for i in range(8))
        return b"".join(blocks)[:size]

    return entropy


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def main() -> None:
    made = roster()
    files = {
        "keys": keys(),
        "derivations": derivations(),
        "padding": padding(),
        "body": bodies(),
        "commit": commits(),
        "snapshot": snapshots(),
        "roster": made,
        "revocation": revocations(),
        "recovery": phrases(),
        "login": logins(),
        "pairing": pairings(next(v["statements"] for v in made if v["name"] == "three devices")),
    }
    FOLDER.mkdir(exist_ok=True)
    for name, vectors in files.items():
        text = json.dumps(_plain(vectors), indent=1, ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
