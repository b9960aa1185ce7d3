from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transport.family import AT, device, found
from vademecum.errors import InvalidArgument, MalformedBytes, PairingFailed, Refused
from vademecum.transport.grant import Grant
from vademecum.transport.keys import DeviceKeys, DevicePublic
from vademecum.transport.pairing import MAX_MESSAGE, Inviter, Joiner, State
from vademecum.transport.pairing_code import mailbox_id, new_code, normal_code, secret_part
from vademecum.transport.roster import add, member_name, open_secrets

CODE = "K7QM-3F9X-2P"
FAMILY = found()
JOINING = device(1)
FRONTIER = {b"c" * 16: {FAMILY.keys.device: (7, b"h" * 32)}}


def granting(public: DevicePublic, name: str) -> Grant:
    added = add(FAMILY.keys, FAMILY.roster, public, name, secrets=FAMILY.secrets, at_ms=AT)
    statements = (FAMILY.genesis, added)
    return Grant(FAMILY.roster.vault, FAMILY.keys.device, statements, "https://relay.example", FRONTIER)


def pair(
    *,
    code: str = CODE,
    typed: str = CODE,
    grant: Callable[[DevicePublic, str], Grant] = granting,
    joining: DeviceKeys = JOINING,
) -> tuple[Inviter, Joiner]:
    return Inviter(code, grant), Joiner(typed, joining.public, "phone")


def talk(
    inviter: Inviter, joiner: Joiner, alter: Callable[[int, bytes], bytes] = lambda step, message: message
) -> None:
    """Carries messages until both have ended; `alter` may change the message of step 1 to 4."""
    message: bytes | None = joiner.start()
    step = 1
    while message is not None:
        receiver: Inviter | Joiner = inviter if step % 2 else joiner
        try:
            message = receiver.receive(alter(step, message))
        except PairingFailed:
            message = receiver.refusal
        step += 1


# --- a pairing that works -------------------------------------------------------------------------------------------


def test_a_new_device_is_paired_by_its_code() -> None:
    inviter, joiner = pair()
    talk(inviter, joiner)
    assert inviter.done and joiner.done
    assert inviter.joined == JOINING.public
    assert inviter.fingerprint == joiner.fingerprint is not None
    assert joiner.grant is not None and joiner.roster is not None
    assert joiner.grant.relay == "https://relay.example"
    assert joiner.grant.frontier == FRONTIER
    secrets = open_secrets(joiner.roster, JOINING)
    assert secrets == FAMILY.secrets
    assert member_name(joiner.roster, JOINING.device, secrets) == "phone"


@pytest.mark.parametrize("typed", ["k7qm3f9x2p", " K7QM 3F9X 2P ", "K7-QM3F9X-2P"])
def test_a_code_may_be_typed_carelessly(typed: str) -> None:
    inviter, joiner = pair(typed=typed)
    talk(inviter, joiner)
    assert joiner.done


def test_the_carrier_sees_no_name_no_key_and_no_code() -> None:
    seen: list[bytes] = []

    def listen(step: int, message: bytes) -> bytes:
        seen.append(message)
        return message

    talk(*pair(), listen)
    carried = b"".join(seen)
    assert len(seen) == 4
    for secret in (b"phone", JOINING.public.signing, FAMILY.roster.vault, b"relay.example", b"3F9X2P"):
        assert secret not in carried


# --- one guess ------------------------------------------------------------------------------------------------------


def test_a_wrong_code_fails_on_both_sides_with_what_to_do() -> None:
    granted: list[str] = []

    def never(public: DevicePublic, name: str) -> Grant:
        granted.append(name)
        return granting(public, name)

    inviter, joiner = pair(typed="K7QM-3F9X-2Q", grant=never)
    reply = inviter.receive(joiner.start())
    assert reply is not None
    guess = joiner.receive(reply)
    assert guess is not None
    with pytest.raises(PairingFailed, match="make a new one on the other device"):
        inviter.receive(guess)
    assert inviter.refusal is not None
    with pytest.raises(PairingFailed, match="make a new one on the other device"):
        joiner.receive(inviter.refusal)
    assert inviter.failed and joiner.failed
    assert granted == []
    assert joiner.grant is None and joiner.fingerprint is None and inviter.fingerprint is None


def test_a_code_is_burnt_by_one_wrong_guess() -> None:
    inviter, wrong = pair(typed="K7QM-3F9X-2Q")
    talk(inviter, wrong)
    right = Joiner(CODE, JOINING.public, "phone")
    with pytest.raises(PairingFailed, match="has been used"):
        inviter.receive(right.start())
    assert inviter.failed


def test_a_code_that_has_served_serves_nobody_else() -> None:
    inviter, joiner = pair()
    talk(inviter, joiner)
    for message in (Joiner(CODE, device(2).public, "thief").start(), b"", b"\x01\x03" + bytes(100)):
        with pytest.raises(PairingFailed, match="has been used"):
            inviter.receive(message)
    assert inviter.done and inviter.joined == JOINING.public
    with pytest.raises(PairingFailed, match="has been used"):
        joiner.start()


def test_messages_of_another_pairing_with_the_same_code_do_not_fit() -> None:
    first, second = pair(), pair()
    first_i1 = first[0].receive(first[1].start())
    second_i1 = second[0].receive(second[1].start())
    assert first_i1 is not None and second_i1 is not None
    first_j2 = first[1].receive(first_i1)
    assert first_j2 is not None
    with pytest.raises(PairingFailed):
        second[0].receive(first_j2)


def test_the_same_password_in_another_mailbox_does_not_fit() -> None:
    inviter, joiner = pair(typed="AAAA-3F9X-2P")
    assert inviter.mailbox != joiner.mailbox
    talk(inviter, joiner)
    assert inviter.failed and joiner.failed


def test_a_message_sent_back_to_its_sender_is_refused() -> None:
    inviter, joiner = pair()
    j1 = joiner.start()
    with pytest.raises(PairingFailed):
        joiner.receive(b"\x01\x02" + j1[2:])
    i1 = inviter.receive(j1)
    assert i1 is not None
    with pytest.raises(PairingFailed):
        inviter.receive(b"\x01\x03" + i1[2:])


# --- tampering ------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(step=st.integers(1, 4), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_message_altered_at_any_step_fails_both_sides(step: int, where: float, bit: int) -> None:
    altered = bytearray()

    def alter(at: int, message: bytes) -> bytes:
        if at != step:
            return message
        altered.extend(message)
        altered[int(where * len(message))] ^= 1 << bit
        return bytes(altered)

    inviter, joiner = pair()
    talk(inviter, joiner, alter)
    assert joiner.grant is None
    if altered[1] == 0:  # it has become a refusal, which the next test is about
        assert inviter.failed or joiner.failed
    else:
        assert inviter.failed and joiner.failed


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_carrier_that_invents_a_refusal_ends_one_side_and_lets_nobody_in(step: int) -> None:
    inviter, joiner = pair()
    talk(inviter, joiner, lambda at, message: b"\x01\x00\x02" if at == step else message)
    assert (inviter if step % 2 else joiner).failed
    assert joiner.grant is None
    assert inviter.done is (step == 4)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "change", [lambda m: m[:-1], lambda m: m + b"\0", lambda m: b"", lambda m: m[:2], lambda m: b"\x02" + m[1:]]
)
def test_a_message_cut_lengthened_or_of_another_version_fails_both_sides(
    step: int, change: Callable[[bytes], bytes]
) -> None:
    inviter, joiner = pair()
    talk(inviter, joiner, lambda at, message: change(message) if at == step else message)
    assert inviter.failed and joiner.failed


@settings(max_examples=150, deadline=None)
@given(side=st.booleans(), message=st.binary(max_size=200) | st.binary(max_size=200).map(lambda rest: b"\x01" + rest))
def test_any_bytes_fail_the_pairing_and_raise_nothing_else(side: bool, message: bytes) -> None:
    inviter, joiner = pair()
    joiner.start()
    machine = inviter if side else joiner
    try:
        machine.receive(message)
    except PairingFailed:
        assert machine.failed


def test_a_point_of_the_wrong_group_is_refused() -> None:
    for element in (
        b"A" + bytes(32),
        b"A\x01" + bytes(31),
        b"A" + b"\xff" * 32,
        b"B" + bytes(32),
        b"A" + (2).to_bytes(32, "little"),
    ):
        inviter, _ = pair()
        with pytest.raises(PairingFailed):
            inviter.receive(b"\x01\x01" + element)


def test_a_message_beyond_the_limit_is_refused() -> None:
    inviter, _ = pair()
    with pytest.raises(PairingFailed):
        inviter.receive(b"\x01\x01" + bytes(MAX_MESSAGE))


# --- what is granted ------------------------------------------------------------------------------------------------


def altered_grant(**changes: object) -> Callable[[DevicePublic, str], Grant]:
    def grant(public: DevicePublic, name: str) -> Grant:
        good = granting(public, name)
        fields = {name: getattr(good, name) for name in ("vault", "inviter", "statements", "relay", "frontier")}
        return Grant(**{**fields, **changes})

    return grant


@pytest.mark.parametrize(
    "changes",
    [
        {"vault": b"w" * 16},
        {"inviter": device(9).device},
        {"statements": (FAMILY.genesis,)},
        {"statements": ()},
        {"statements": (FAMILY.genesis, b"garbage")},
        {"relay": ""},
        {"frontier": {b"short": {}}},
        {"frontier": {b"c" * 16: {b"d" * 16: (0, b"h" * 32)}}},
        {"frontier": {b"c" * 16: {b"d" * 16: (1, b"h")}}},
    ],
)
def test_a_grant_that_does_not_hold_together_is_refused(changes: dict[str, object]) -> None:
    inviter, joiner = pair(grant=altered_grant(**changes))
    talk(inviter, joiner)
    assert inviter.failed and joiner.failed
    assert joiner.roster is None


def test_a_member_that_declines_ends_the_pairing_with_its_own_reason() -> None:
    def decline(public: DevicePublic, name: str) -> Grant:
        raise Refused("No thanks.")

    inviter, joiner = pair(grant=decline)
    i1 = inviter.receive(joiner.start())
    assert i1 is not None
    j2 = joiner.receive(i1)
    assert j2 is not None
    with pytest.raises(Refused, match="No thanks"):
        inviter.receive(j2)
    assert inviter.failed and inviter.refusal is not None
    with pytest.raises(PairingFailed, match="Look there for the reason"):
        joiner.receive(inviter.refusal)


def test_a_peer_s_fault_while_granting_reaches_the_caller_as_it_is() -> None:
    def broken(public: DevicePublic, name: str) -> Grant:
        raise MalformedBytes("The roster on disk is damaged.")

    inviter, joiner = pair(grant=broken)
    with pytest.raises(MalformedBytes, match="on disk"):
        talk(inviter, joiner)
    assert inviter.failed and inviter.refusal is not None


def test_a_grant_too_large_for_a_message_is_not_sent() -> None:
    inviter, joiner = pair(grant=altered_grant(statements=(bytes(MAX_MESSAGE),)))
    with pytest.raises(InvalidArgument, match="at most"):
        talk(inviter, joiner)
    assert inviter.failed


# --- misuse and cancelling ------------------------------------------------------------------------------------------


def test_either_side_may_cancel() -> None:
    for turn in (0, 1):
        sides = pair()
        sides[1].start()
        refusal = sides[turn].cancel()
        assert refusal is not None
        with pytest.raises(PairingFailed, match="ended the pairing"):
            sides[1 - turn].receive(refusal)
        assert sides[turn].cancel() is None


def test_the_joiner_speaks_first() -> None:
    _, joiner = pair()
    with pytest.raises(InvalidArgument, match="start"):
        joiner.receive(b"\x01\x02" + bytes(33))
    assert joiner.state is State.NEW


def test_a_name_of_another_size_is_refused() -> None:
    for name in ("", "n" * 128):
        with pytest.raises(InvalidArgument):
            Joiner(CODE, JOINING.public, name)


# --- codes ----------------------------------------------------------------------------------------------------------


@given(st.binary(min_size=7, max_size=7))
def test_a_code_is_its_own_normal_form(entropy: bytes) -> None:
    code = new_code(entropy)
    assert normal_code(code) == code
    assert normal_code(code.lower().replace("-", "")) == code
    assert normal_code(code.replace("0", "o").replace("1", "l")) == code
    assert (len(mailbox_id(code)), len(secret_part(code))) == (16, 6)


def test_every_place_of_a_code_takes_every_letter() -> None:
    plain = [new_code(sha256(bytes([i // 256, i % 256])).digest()[:7]).replace("-", "") for i in range(1000)]
    assert [len(set(place)) for place in zip(*plain, strict=True)] == [32] * 10


@given(st.text(max_size=14))
def test_any_text_is_a_code_or_refused(text: str) -> None:
    try:
        code = normal_code(text)
    except PairingFailed:
        return
    assert normal_code(code) == code


@pytest.mark.parametrize("typed", ["", "K7QM-3F9X", "K7QM-3F9X-2PP", "K7QM-3F9X-2U", "K7QM-3F9X-2é", "K7QM_3F9X_2P"])
def test_what_is_no_code_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(PairingFailed, match="like K7QM-3F9X-2P"):
        normal_code(typed)


def test_entropy_of_another_length_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        new_code(bytes(6))


# --- grants ---------------------------------------------------------------------------------------------------------


def test_a_grant_comes_back() -> None:
    grant = granting(JOINING.public, "phone")
    assert Grant.from_bytes(grant.to_bytes()) == grant
    without = Grant(grant.vault, grant.inviter, grant.statements, None, {})
    assert Grant.from_bytes(without.to_bytes()) == without


@given(st.binary(max_size=200))
def test_any_bytes_are_a_grant_or_malformed(data: bytes) -> None:
    with pytest.raises(MalformedBytes):
        Grant.from_bytes(data)


def test_a_grant_of_another_version_is_malformed() -> None:
    packed = granting(JOINING.public, "phone").to_bytes()
    with pytest.raises(MalformedBytes, match="version"):
        Grant.from_bytes(packed[:1] + b"\x02" + packed[2:])
