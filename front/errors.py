"""Every error that Vademecum raises on purpose: one family, split by whose fault it is.

======================  =====================================================  ==========
family                  whose fault                                            exit code
======================  =====================================================  ==========
``Misuse``              the caller's: an argument breaks a written rule        2
``Refused``             nobody's: a rule of the memory says no                 1
``PeerFault``           the other side's: relay, device or file sent nonsense  1
``Trouble``             the world's: disk, network, a damaged file             1
======================  =====================================================  ==========

Each message is one or more plain sentences that name the thing, the rule and the way out. ``code`` is stable and
may be matched by programs. Unless a class says otherwise, nothing has changed when an error is raised.

This module imports nothing, so every layer may use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from vademecum.engine.formation.budget import Budget


class VademecumError(Exception):
    """Base of every error of this library. ``code`` is stable; ``exit_code`` is what the program exits with."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


# --- the caller's fault ---------------------------------------------------------------------------------------------


class Misuse(VademecumError, ValueError):
    """An argument breaks a written rule. Nothing has changed."""

    code = "misuse"
    exit_code = 2


class InvalidPath(Misuse):
    """A path that is not 1–16 dotted segments of letters, digits, ``_`` and ``-``, at most 400 bytes."""

    code = "invalid-path"


class InvalidValue(Misuse):
    """A value that JSON cannot say, or that is too large, too deep, or not finite."""

    code = "invalid-value"


class InvalidTime(Misuse):
    """A naive datetime, or a text that is not ISO 8601."""

    code = "invalid-time"


class InvalidAgent(Misuse):
    """An agent id that is not ``developer/slug@version``."""

    code = "invalid-agent"


class InvalidScope(Misuse):
    """A scope name that is none of ``user.public``, ``user.private``, ``agent/…``, ``session/…``."""

    code = "invalid-scope"


class InvalidArgument(Misuse):
    """Any other argument outside its range."""

    code = "invalid-argument"


class UnreadableFile(Misuse):
    """A file given to import that does not parse; the message names the line or the entry. Nothing was imported."""

    code = "unreadable-file"


# --- a rule says no -------------------------------------------------------------------------------------------------


class Refused(VademecumError):
    """A rule of the memory says no. Nothing has changed."""

    code = "refused"


class NotFound(Refused, LookupError):
    """Nothing is at that path, in the scopes the caller may see."""

    code = "not-found"


class Protected(Refused):
    """An agent tried to change or delete what the person wrote."""

    code = "protected"


class Confined(Refused):
    """An agent named a scope that is not its own."""

    code = "confined"


class ReceiptRequired(Refused):
    """An agent gave neither the words (``because``) nor a recorded message (``evidence``) that justify a memory."""

    code = "receipt-required"


class Misquoted(Refused):
    """The words given for a memory stand in none of the messages named as its evidence."""

    code = "misquoted"


class NotThePerson(Refused):
    """A memory about the person that only others vouch for: a tool, an assistant, another agent, a web page."""

    code = "not-the-person"


class SuggestionsFull(Refused):
    """As many suggestions wait for the person as may."""

    code = "suggestions-full"


class BudgetExceeded(Refused):
    """There is no room for another memory of agents about the person. Nothing has changed.

    ``budget`` is what there is, as far as who asked may see it; ``creates`` is how many memories were to be added. The
    message names the ways out; as text (`str`) the error also lists what there is, for a model to act on.
    """

    code = "budget-exceeded"

    def __init__(self, message: str, *, budget: Budget, creates: int, details: str) -> None:
        super().__init__(message)
        self.budget = budget
        self.creates = creates
        self.details = details

    def __str__(self) -> str:
        return f"{self.message}\n{self.details}"

    def as_json(self) -> dict[str, Any]:
        """The budget as `Budget.as_json` shows it, with ``code``, ``message``, ``creates`` and ``ways_out``."""
        return {
            "code": self.code,
            "message": self.message,
            "creates": self.creates,
            "ways_out": ["consolidate", "forget", "remember"],
            **self.budget.as_json(),
        }


class VaultExists(Refused):
    """There is a vault in that folder already."""

    code = "vault-exists"


class VaultMissing(Refused):
    """There is no vault in that folder."""

    code = "vault-missing"


class VaultLocked(Refused):
    """A sealed vault, and no key at hand: no passphrase was given, or the keyring has no entry or cannot be asked."""

    code = "vault-locked"


class WrongKey(Refused):
    """A passphrase, recovery phrase or key that is not this sealed vault's."""

    code = "wrong-key"


class PairingFailed(Refused):
    """A pairing code was wrong, used before, or too old."""

    code = "pairing-failed"


class NoRelay(Refused):
    """The vault is not set to use a relay."""

    code = "no-relay"


class DeviceRevoked(Refused):
    """This device was revoked: what it holds can be read and exported, and nothing is exchanged with the others."""

    code = "revoked"


class AlreadySyncing(Refused):
    """Another process of this device holds the connection to the relay, for all of them."""

    code = "already-syncing"


class ClaimLost(Refused):
    """Another curator has taken this vault over, since the claim had run out. What was not yet written is its to do."""

    code = "claim-lost"


# --- the other side's fault -----------------------------------------------------------------------------------------


class PeerFault(VademecumError):
    """The other side broke the protocol, or a key or signature does not match. Nothing of it was applied."""

    code = "peer-fault"


class MalformedBytes(PeerFault):
    """Bytes from outside do not decode. The only error any decoder raises, whatever the bytes."""

    code = "malformed-bytes"


class BadSignature(PeerFault):
    """A signature does not match its bytes and key."""

    code = "bad-signature"


class CannotDecrypt(PeerFault):
    """A key is wrong, or the ciphertext was altered."""

    code = "cannot-decrypt"


class UnknownDevice(PeerFault):
    """A commit or login by a device that the roster does not hold."""

    code = "unknown-device"


class InvalidRoster(PeerFault):
    """A roster statement that is not valid: unknown author, broken signature, or another vault's."""

    code = "invalid-roster"


class InvalidCommit(PeerFault):
    """A commit that breaks its device's chain, or writes under another device's name."""

    code = "invalid-commit"


class KeysMissing(InvalidCommit):
    """A commit or snapshot of an epoch whose keys this device has not been handed yet."""

    code = "keys-missing"


class AuthorRevoked(InvalidCommit):
    """A commit of a device that was revoked, which no other device held by then."""

    code = "author-revoked"


class OtherGeneration(InvalidCommit):
    """A commit of another generation of its scope than the replica's: it is of no use to this replica now."""

    code = "other-generation"


class InvalidSnapshot(PeerFault):
    """A snapshot that is not whole, or is for another vault, channel or scope than the one it came for."""

    code = "invalid-snapshot"


class NotARelay(PeerFault):
    """Whatever answers at that address does not speak this protocol."""

    code = "not-a-relay"


class RelayRefused(PeerFault):
    """The relay refused a request; ``reason`` is its stable code."""

    code = "relay-refused"

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


# --- the world's fault ----------------------------------------------------------------------------------------------


class Trouble(VademecumError):
    """The disk, the network or a damaged file. What was acknowledged is safe unless the message says otherwise."""

    code = "trouble"


class StorageTrouble(Trouble):
    """The database cannot be read or written: a full disk, a read-only folder, a lock that cannot be had."""

    code = "storage-trouble"


class DamagedStore(StorageTrouble):
    """The database file is damaged. It was not read any further."""

    code = "damaged-store"


class Unsupported(Trouble):
    """This system lacks what that needs."""

    code = "unsupported"


class NewerFormat(StorageTrouble):
    """The vault was written by a newer program than this one."""

    code = "newer-format"


class ModelUnavailable(Trouble):
    """The embedding model cannot be loaded; recall answers from text."""

    code = "model-unavailable"


class EditorFailed(Trouble):
    """The editor could not be started, or ended with an error. Nothing was taken over."""

    code = "editor-failed"


class RelayUnreachable(Trouble):
    """No connection to the relay. Everything works on; what waits is sent when it answers again."""

    code = "relay-unreachable"
