"""A roster's statements as a history, and what each may say in its own past.

A statement is judged by its own past alone, so whether it is valid never changes whatever else arrives: its author was
a member there, had not been revoked there, and had a role that may say such a thing. One that is not valid makes the
whole set invalid. What of the valid ones *counts* is another question: `standing`.
"""

from __future__ import annotations

from typing import Final

from vademecum.errors import BadSignature, InvalidRoster
from vademecum.transport.keys import DevicePublic
from vademecum.transport.standing import Line, Standing, standing_of
from vademecum.transport.statement import ADD, RENAME, REVOKE, SUCCEED, WITNESS, Entry, Statement

__all__ = ["ADMINISTRATOR", "FIRST_EPOCH", "MAY_ADD", "MAY_SUCCEED", "RECOVERY", "History", "check_signature"]

FIRST_EPOCH: Final = 1
RECOVERY: Final = "recovery"
ADMINISTRATOR: Final = "administrator"
MAY_ADD: Final = (ADMINISTRATOR, RECOVERY)
"""Roles that may add devices and revoke them."""
MAY_SUCCEED: Final = (ADMINISTRATOR, "member")


class History:
    """Statements, admitted one by one, causes first. The genesis has been checked with `check_genesis`."""

    def __init__(self, first: Statement) -> None:
        self._vault = first.vault
        self._lines: list[Line] = []
        self._by_hash: dict[bytes, Line] = {}
        self._admissions: dict[bytes, list[tuple[int, Entry]]] = {}  # device → (bit, how it was brought in)
        self._revocations: dict[bytes, int] = {}  # device → bits of the statements that revoke it
        self._epochs: list[tuple[int, int, bytes]] = []  # (bit, number, statement)
        self._record(first, 0)

    def admit(self, statement: Statement) -> None:
        """Takes in the next statement. Raises InvalidRoster if it may not say what it says."""
        if statement.vault != self._vault:
            raise InvalidRoster(
                f"A statement of the roster belongs to vault {statement.vault.hex()}, not to {self._vault.hex()}."
            )
        past = 0
        for parent in statement.parents:
            line = self._by_hash[parent]
            past |= line.past | line.bit
        author = self._as_known(statement.author, past)
        if author is None:
            raise InvalidRoster(
                f"A statement of the roster is by device {statement.author.hex()}, which was no member when it said so."
            )
        check_signature(statement, author.public)
        if self._is_revoked(statement.author, past):
            raise InvalidRoster(
                f"A statement of the roster is by device {statement.author.hex()}, which had been revoked before."
            )
        if statement.kind == ADD and author.role not in MAY_ADD:
            raise InvalidRoster(
                f"Device {statement.author.hex()} added another without being an administrator; "
                f"its role is {author.role}."
            )
        if statement.kind == SUCCEED:
            self._check_succession(statement, author)
        if statement.kind in (ADD, SUCCEED):
            self._check_entry(statement, past)
        if statement.kind == REVOKE:
            self._check_revocation(statement, author, past)
        if statement.kind == WITNESS:
            self._check_known({one.device for one in statement.held}, past)
        if statement.kind == RENAME:
            self._check_renaming(statement, author, past)
        self._record(statement, past)

    def standing(self, within: int = -1) -> Standing:
        """What counts of the statements admitted so far; of those with a bit in *within* only, if it is given."""
        return standing_of([line for line in self._lines if line.bit & within])

    # --- what may be said ---------------------------------------------------------------------------------------

    def _check_succession(self, statement: Statement, author: Entry) -> None:
        if author.role not in MAY_SUCCEED or any(entry.role != author.role for entry in statement.members):
            raise InvalidRoster(
                f"A copy of device {statement.author.hex()} took another role than that device has; "
                f"its role is {author.role}."
            )

    def _check_entry(self, statement: Statement, past: int) -> None:
        self._check_begun(statement, past, "A device was added")
        if len(statement.members) != 1:
            raise InvalidRoster(
                f"A statement of the kind {statement.kind!r} adds one device, not {len(statement.members)}."
            )
        device = statement.members[0].public.device
        if self._as_known(device, past) is not None:
            raise InvalidRoster(f"Device {device.hex()} was added although it was a member already.")

    def _check_begun(self, statement: Statement, past: int, what: str) -> None:
        if statement.epoch not in self._numbers(past):
            raise InvalidRoster(f"{what} in epoch {statement.epoch}, which has not begun.")

    def _check_revocation(self, statement: Statement, author: Entry, past: int) -> None:
        who = statement.author.hex()
        if author.role not in MAY_ADD:
            raise InvalidRoster(f"Device {who} revoked another without being an administrator.")
        before = self.standing(past)
        if before.members[statement.author].revoked:
            raise InvalidRoster(f"Device {who} revoked another; it had been let in by a device that was revoked.")
        self._check_known(set(statement.revoked), past)
        for device in statement.revoked:
            if device == statement.author:
                raise InvalidRoster(f"Device {who} revoked itself.")
            if before.members[device].role == RECOVERY or self._is_revoked(device, past):
                raise InvalidRoster(f"Device {who} revoked the recovery key, or what was revoked already.")
        left = before.live - set(statement.revoked)
        if not any(before.members[device].role == ADMINISTRATOR for device in left):
            raise InvalidRoster(f"Device {who} revoked the last administrator.")
        if {device for device, _ in statement.wraps} != left:
            raise InvalidRoster(f"Device {who} began an epoch whose keys are not for exactly those that are left.")
        if statement.epoch != 1 + max(self._numbers(past)):
            raise InvalidRoster(f"Device {who} began epoch {statement.epoch}, which is not the next one.")
        if not before.epochs.keys() >= set(statement.earlier):
            raise InvalidRoster(f"Device {who} named an earlier epoch that has not begun.")

    def _check_renaming(self, statement: Statement, author: Entry, past: int) -> None:
        self._check_known({statement.device}, past)
        self._check_begun(statement, past, "A device was given a name")
        if author.role != ADMINISTRATOR and statement.author != statement.device:
            raise InvalidRoster(f"Device {statement.author.hex()} named another without being an administrator.")

    def _check_known(self, devices: set[bytes], past: int) -> None:
        for device in devices:
            if self._as_known(device, past) is None:
                raise InvalidRoster(f"A statement of the roster is about device {device.hex()}, which was no member.")

    # --- what was so --------------------------------------------------------------------------------------------

    def _as_known(self, device: bytes, past: int) -> Entry | None:
        for bit, entry in self._admissions.get(device, ()):
            if past & bit:
                return entry
        return None

    def _is_revoked(self, device: bytes, past: int) -> bool:
        return bool(self._revocations.get(device, 0) & past)

    def _numbers(self, past: int) -> set[int]:
        return {number for bit, number, _ in self._epochs if bit & past}

    def _record(self, statement: Statement, past: int) -> None:
        line = Line(statement, 1 << len(self._lines), past)
        self._lines.append(line)
        self._by_hash[statement.hash] = line
        for entry in statement.members:
            self._admissions.setdefault(entry.public.device, []).append((line.bit, entry))
        for device in statement.revoked:
            self._revocations[device] = self._revocations.get(device, 0) | line.bit
        if statement.check:
            self._epochs.append((line.bit, statement.epoch, statement.hash))


def check_signature(statement: Statement, public: DevicePublic) -> None:
    """Raises InvalidRoster unless *public* signed *statement*."""
    try:
        statement.verify(public)
    except BadSignature as error:
        raise InvalidRoster(f"A statement of the roster in the name of {public.device.hex()} is forged.") from error
