"""Pairing a new device by a short code, as two state machines that take and return messages.

The *inviter* is a member and shows the code; the *joiner* is the new device, where the code is typed. Whoever carries
the messages (a relay's mailbox) learns neither the code nor what is said, and gets one guess at the code.

====  =====================  ========================================================================
j1    joiner → inviter       SPAKE2 message
i1    inviter → joiner       SPAKE2 message
j2    joiner → inviter       proof of the key, and sealed with it: the device's public keys and name
i2    inviter → joiner       proof of the key, and sealed with it: the grant
no    either → the other     a refusal
====  =====================  ========================================================================

A machine serves one code for one attempt. Anything but the expected message, unaltered, ends it: `receive` raises
`PairingFailed`, and `refusal` is then the message to send, so that the other side ends as well. A refusal has no proof:
a carrier can invent one, which ends one side and gains nothing; the other ends when its time is up. The machines keep
no time; whoever drives them lets a code die after some minutes.
"""

from __future__ import annotations

import enum
import hashlib
import hmac
import os
from collections.abc import Callable
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from spake2 import SPAKE2_A, SPAKE2_B, SPAKEError
from spake2.ed25519_basic import NotOnCurve

from vademecum.errors import CannotDecrypt, InvalidArgument, MalformedBytes, PairingFailed, PeerFault
from vademecum.transport import contexts
from vademecum.transport.grant import MAX_GRANT, Grant
from vademecum.transport.keys import PUBLIC_SIZE, DevicePublic, fingerprint, hkdf
from vademecum.transport.padding import pad, unpad
from vademecum.transport.pairing_code import mailbox_id, normal_code, secret_part
from vademecum.transport.roster import MAX_NAME, Roster

__all__ = ["MAX_MESSAGE", "Grant", "Inviter", "Joiner", "State", "Step"]

MAX_MESSAGE: Final = 1 << 20  # bytes of one message

_VERSION: Final = 1
_PREFIX: Final = 2  # version, step
_SPAKE_SIZE: Final = 33
_PROOF_SIZE: Final = 32
_ZERO_NONCE: Final = bytes(12)  # each key seals one message

_TRY_AGAIN: Final = "A code is good for one try: make a new one on the other device and type that."


class Step(enum.IntEnum):
    """What a message is; its second byte."""

    NO = 0
    J1 = 1
    I1 = 2
    J2 = 3
    I2 = 4


class State(enum.Enum):
    """Where a machine stands. The joiner begins in NEW, the inviter in WAITING."""

    NEW = "new"  # joiner: not started
    GREETED = "greeted"  # joiner: j1 is made, i1 comes next
    WAITING = "waiting"  # inviter: j1 comes next
    ANSWERED = "answered"  # inviter: i1 is made, j2 comes next
    PROVEN = "proven"  # joiner: j2 is made, i2 comes next
    DONE = "done"
    FAILED = "failed"


class _Reason(enum.IntEnum):
    """Why a side refuses; the third byte of a refusal."""

    MISMATCH = 1
    DECLINED = 2


_REFUSALS: Final = {
    _Reason.MISMATCH: f"The pairing code was wrong, or a message was altered on its way. {_TRY_AGAIN}",
    _Reason.DECLINED: "The other device ended the pairing. Look there for the reason, then make a new code.",
}


class _Machine:
    """What both sides have in common; their tables differ."""

    _role: str
    _begin: State

    def __init__(self, code: str, spake: Callable[..., Any], entropy: Callable[[int], bytes]) -> None:
        self.code: Final = normal_code(code)
        self.mailbox: Final = mailbox_id(code)
        self.state = self._begin
        self.refusal: bytes | None = None
        self.fingerprint: str | None = None
        self._spake: Final = spake(
            secret_part(code),
            idA=contexts.PAIRING_JOINER + self.mailbox,
            idB=contexts.PAIRING_INVITER + self.mailbox,
            entropy_f=entropy,
        )
        self._key = b""
        self._transcript = hashlib.sha256(contexts.PAIRING_TRANSCRIPT + self.mailbox).digest()

    @property
    def done(self) -> bool:
        """The pairing succeeded."""
        return self.state is State.DONE

    @property
    def failed(self) -> bool:
        """The pairing failed, and the code is burnt."""
        return self.state is State.FAILED

    def receive(self, message: bytes) -> bytes | None:
        """Takes the other side's message; returns the one to send back, or None when this side is done.

        Raises:
            PairingFailed: the code is wrong, the message is altered or not the expected one, or the other side refused.
                The machine has failed, and `refusal` is the message to send, if any. Where it had failed before, or is
                done, nothing changes.
        """
        if self.failed or (self.done and not _is_refusal(message)):
            raise PairingFailed(f"The pairing code has been used. {_TRY_AGAIN}")
        if self.state is State.NEW:
            raise InvalidArgument("The joiner of a pairing speaks first: call start().")
        try:
            step, content = _open_message(message)
            if step is Step.NO:
                raise self._fail(_refusal_text(content), None)
            handler = self._handlers().get((self.state, step))
            if handler is None:
                raise MalformedBytes(
                    f"{step.name} is not what the {self._role} of a pairing expects when {self.state.value}."
                )
            return handler(content)
        except PeerFault as error:
            if self.failed:  # the grant was declined, and the caller is told why
                raise
            raise self._fail(_REFUSALS[_Reason.MISMATCH], _Reason.MISMATCH) from error

    def cancel(self) -> bytes | None:
        """Ends the pairing from this side; returns the refusal to send, or None where it has ended already."""
        if self.done or self.failed:
            return None
        self._fail("cancelled", _Reason.DECLINED)
        return self.refusal

    def _handlers(self) -> dict[tuple[State, Step], Callable[[bytes], bytes | None]]:
        raise NotImplementedError

    def _fail(self, sentence: str, reason: _Reason | None) -> PairingFailed:
        self.state = State.FAILED
        self._key = b""
        self.refusal = None if reason is None else _message(Step.NO, bytes([reason]))
        return PairingFailed(sentence)

    def _finish_exchange(self, element: bytes) -> None:
        if len(element) != _SPAKE_SIZE:
            raise MalformedBytes(f"A SPAKE2 message has {_SPAKE_SIZE} bytes, not {len(element)}.")
        try:
            self._key = self._spake.finish(element)
        except (SPAKEError, NotOnCurve, ValueError) as error:
            raise MalformedBytes("A SPAKE2 message is not a point of the right group.") from error

    def _note(self, message: bytes) -> bytes:
        """Adds a message, sent or received, to the transcript that all later keys depend on."""
        self._transcript = hashlib.sha256(contexts.PAIRING_TRANSCRIPT + self._transcript + message).digest()
        return message

    def _protect(self, sender: tuple[bytes, bytes], plaintext: bytes) -> bytes:
        """proof 32 ‖ sealed. The proof comes first in reading, too: AES-GCM alone does not commit to its key."""
        key, proof_key = (hkdf(self._key, context, salt=self._transcript) for context in sender)
        sealed = AESGCM(key).encrypt(_ZERO_NONCE, pad(plaintext), None)
        return hmac.digest(proof_key, sealed, "sha256") + sealed

    def _unprotect(self, sender: tuple[bytes, bytes], content: bytes) -> bytes:
        key, proof_key = (hkdf(self._key, context, salt=self._transcript) for context in sender)
        proof, sealed = content[:_PROOF_SIZE], content[_PROOF_SIZE:]
        if not hmac.compare_digest(proof, hmac.digest(proof_key, sealed, "sha256")):
            raise CannotDecrypt("The other side of the pairing has another key.")
        try:
            return unpad(AESGCM(key).decrypt(_ZERO_NONCE, sealed, None))
        except InvalidTag as error:
            raise CannotDecrypt("A sealed message of the pairing does not open.") from error


_JOINER: Final = (contexts.PAIRING_JOINER_KEY, contexts.PAIRING_JOINER_PROOF)
_INVITER: Final = (contexts.PAIRING_INVITER_KEY, contexts.PAIRING_INVITER_PROOF)


class Inviter(_Machine):
    """The member's side.

    Args:
        code: from `pairing_code.new_code`, never used before.
        grant: called once, when the new device has proven that it knows the code, with its public keys and name; admits
            it and returns the grant. An error raised there ends the pairing and reaches the caller of `receive`.
        entropy: for tests; takes a number of bytes.

    Attributes:
        fingerprint: what to show when done.
        joined: the new device, when done.
    """

    _role = "inviter"
    _begin = State.WAITING

    def __init__(
        self,
        code: str,
        grant: Callable[[DevicePublic, str], Grant],
        *,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        super().__init__(code, SPAKE2_B, entropy)
        self.joined: DevicePublic | None = None
        self._grant: Final = grant

    def _handlers(self) -> dict[tuple[State, Step], Callable[[bytes], bytes | None]]:
        return {
            (State.WAITING, Step.J1): self._answer,
            (State.ANSWERED, Step.J2): self._admit,
        }

    def _answer(self, element: bytes) -> bytes:
        own: bytes = self._spake.start()
        self._finish_exchange(element)
        self._note(_message(Step.J1, element))
        self.state = State.ANSWERED
        return self._note(_message(Step.I1, own))

    def _admit(self, content: bytes) -> bytes:
        plain = self._unprotect(_JOINER, content)
        public = DevicePublic.from_bytes(plain[:PUBLIC_SIZE])
        name = _name(plain[PUBLIC_SIZE:])
        self._note(_message(Step.J2, content))
        granted = False
        try:
            grant = self._grant(public, name)
            packed = grant.to_bytes()
            if len(packed) > MAX_GRANT:
                raise InvalidArgument(f"The grant of a pairing has at most {MAX_GRANT} bytes, not {len(packed)}.")
            granted = True
        finally:
            if not granted:
                self._fail("declined", _Reason.DECLINED)
        reply = _message(Step.I2, self._protect(_INVITER, packed))
        self.joined = public
        self.fingerprint = fingerprint(grant.vault, grant.inviter, public.device)
        self.state = State.DONE
        return reply


class Joiner(_Machine):
    """The new device's side.

    Args:
        code: as typed.
        public: the new device's public keys.
        name: of the new device, 1 to 127 bytes of UTF-8.
        entropy: for tests; takes a number of bytes.

    Attributes:
        grant, roster: what was granted, when done; the roster is verified and holds this device and the inviter.
        fingerprint: what to show when done.
    """

    _role = "joiner"
    _begin = State.NEW

    def __init__(
        self,
        code: str,
        public: DevicePublic,
        name: str,
        *,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        if not 1 <= len(name.encode("utf-8")) <= MAX_NAME:
            raise InvalidArgument(f"A device's name has 1 to {MAX_NAME} bytes.")
        super().__init__(code, SPAKE2_A, entropy)
        self.grant: Grant | None = None
        self.roster: Roster | None = None
        self._public: Final = public
        self._name: Final = name

    def start(self) -> bytes:
        """The first message, j1. Raises PairingFailed when called again."""
        if self.state is not State.NEW:
            raise PairingFailed(f"The pairing code has been used. {_TRY_AGAIN}")
        self.state = State.GREETED
        own: bytes = self._spake.start()
        return self._note(_message(Step.J1, own))

    def _handlers(self) -> dict[tuple[State, Step], Callable[[bytes], bytes | None]]:
        return {
            (State.GREETED, Step.I1): self._prove,
            (State.PROVEN, Step.I2): self._join,
        }

    def _prove(self, element: bytes) -> bytes:
        self._finish_exchange(element)
        self._note(_message(Step.I1, element))
        plain = self._public.to_bytes() + self._name.encode("utf-8")
        self.state = State.PROVEN
        return self._note(_message(Step.J2, self._protect(_JOINER, plain)))

    def _join(self, content: bytes) -> None:
        grant = Grant.from_bytes(self._unprotect(_INVITER, content))
        roster = Roster.verify(grant.vault, grant.statements)
        roster.member(grant.inviter)
        roster.member(self._public.device)
        self.grant, self.roster = grant, roster
        self.fingerprint = fingerprint(grant.vault, grant.inviter, self._public.device)
        self.state = State.DONE


def _message(step: Step, content: bytes) -> bytes:
    return bytes([_VERSION, step]) + content


def _open_message(message: bytes) -> tuple[Step, bytes]:
    if not _PREFIX <= len(message) <= MAX_MESSAGE or message[0] != _VERSION:
        raise MalformedBytes("A message of the pairing has a wrong length or an unknown version.")
    try:
        return Step(message[1]), message[_PREFIX:]
    except ValueError as error:
        raise MalformedBytes(f"The step {message[1]} of a pairing is unknown.") from error


def _is_refusal(message: bytes) -> bool:
    return message[:_PREFIX] == bytes([_VERSION, Step.NO])


def _refusal_text(content: bytes) -> str:
    declined = content == bytes([_Reason.DECLINED])
    return _REFUSALS[_Reason.DECLINED if declined else _Reason.MISMATCH]


def _name(plain: bytes) -> str:
    if not 1 <= len(plain) <= MAX_NAME:
        raise MalformedBytes(f"The name of a joining device has {len(plain)} bytes.")
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedBytes("The name of a joining device is not UTF-8.") from error
