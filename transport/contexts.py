"""Every domain separator of the protocol, in one place.

A key or a signature is used for one purpose only. Whatever is signed, hashed for an id, or fed to a derivation begins
with one of these constants, so that bytes made for one purpose never mean anything for another. None is a prefix of
another (a test checks it), hence they need no terminator. A change of meaning takes a new number at the end.
"""

from __future__ import annotations

from typing import Final

# Ids: SHA-256 or HMAC over context ‖ parts, cut to 16 bytes.
DEVICE_ID: Final = b"vademecum/device/v1"
VAULT_ID: Final = b"vademecum/vault/v1"
CHANNEL_ID: Final = b"vademecum/channel/v1"
MAILBOX_ID: Final = b"vademecum/mailbox/v1"

# Keys: HKDF info, HMAC input or HPKE info.
CHANNEL_KEY: Final = b"vademecum/channel-key/v1"
COMMIT_KEY: Final = b"vademecum/commit/v1"
SNAPSHOT_KEY: Final = b"vademecum/snapshot/v1"
NAME_KEY: Final = b"vademecum/device-name/v1"
SECRETS_WRAP: Final = b"vademecum/secrets-wrap/v1"
EARLIER_KEYS: Final = b"vademecum/earlier-epochs/v1"
SEALED_PASSPHRASE: Final = b"vademecum/sealed-passphrase/v1"
SEALED_KEYRING: Final = b"vademecum/sealed-keyring/v1"
SEALED_RECOVERY: Final = b"vademecum/sealed-recovery/v1"
RECOVERY_SIGNING: Final = b"vademecum/recovery-signing/v1"
RECOVERY_RECEIVING: Final = b"vademecum/recovery-receiving/v1"
PAIRING_JOINER: Final = b"vademecum/pairing-joiner/v1"
PAIRING_INVITER: Final = b"vademecum/pairing-inviter/v1"
PAIRING_JOINER_KEY: Final = b"vademecum/pairing-joiner-key/v1"
PAIRING_INVITER_KEY: Final = b"vademecum/pairing-inviter-key/v1"
PAIRING_JOINER_PROOF: Final = b"vademecum/pairing-joiner-proof/v1"
PAIRING_INVITER_PROOF: Final = b"vademecum/pairing-inviter-proof/v1"

# Signatures: the first bytes of every signed message.
COMMIT_SIGNATURE: Final = b"vademecum/commit-signature/v1"
SNAPSHOT_SIGNATURE: Final = b"vademecum/snapshot-signature/v1"
ROSTER_SIGNATURE: Final = b"vademecum/roster-signature/v1"
LOGIN_SIGNATURE: Final = b"vademecum/login/v1"

# Digests: check values, set hashes, transcripts, what people compare.
DEVICE_KEYS_CHECK: Final = b"vademecum/device-keys-check/v1"
SECRETS_CHECK: Final = b"vademecum/secrets-check/v1"
EPOCH_CHECK: Final = b"vademecum/epoch-check/v1"
ROSTER_HEAD: Final = b"vademecum/roster-head/v1"
PAIRING_TRANSCRIPT: Final = b"vademecum/pairing-transcript/v1"
FINGERPRINT: Final = b"vademecum/fingerprint/v1"
