"""Repairing a vault: what is derived is made anew; what is lost is fetched again; nothing is guessed.

Everything is prepared aside and moved in at the end, so a repair that fails or is killed has changed nothing. The
damaged file is kept. Three ways, the gentlest first:

1. Only what is derived is wrong: it is made anew, in place.
2. All that is not derived can still be read: it is copied, and the rest made anew. Nothing is lost.
3. Otherwise a new database is filled from the commits that can still be read and from the relay. What this device wrote
   and the relay never got is taken over as far as it can be read, and what may be lost is said.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from vademecum.doctor import Finding, Level
from vademecum.engine import journal, restoring
from vademecum.engine.checking import check_replica, rebuild_derived
from vademecum.engine.merging import bind_own_client, unbind_own_client
from vademecum.engine.replica import Replica, Transaction
from vademecum.errors import DamagedStore, NoRelay, PeerFault, StorageTrouble
from vademecum.founding import STORE, read_keys
from vademecum.storage.environment import Environment
from vademecum.storage.folders import Folders
from vademecum.storage.identity import OWNER, Identity
from vademecum.storage.occupancy import Occupancy
from vademecum.storage.salvage import Salvage, salvage, scan_loose
from vademecum.storage.sealer import Sealer
from vademecum.storage.tables import HEADER, Table
from vademecum.storage.transaction import Writer
from vademecum.transport.chains import base, channels, commits_by_channel
from vademecum.transport.frames import BEGINNING
from vademecum.transport.inspecting import check_chains, check_roster
from vademecum.transport.ledger import ReplicaLedger, keep_statements
from vademecum.transport.roster import Roster
from vademecum.vault import RELAY, Vault, wall_ms

__all__ = ["repair"]

Seal: TypeAlias = "tuple[Sealer, bytes]"
"""The data key of a sealed vault at work, and the header that says how it is kept."""

_SOURCES = (
    Table.META,
    Table.SCOPES,
    Table.DOCUMENTS,
    Table.JOURNAL,
    Table.OUTBOX,
    Table.COMMITS,
    Table.FRONTIERS,
    Table.ROSTER,
)
"""What cannot be made from anything else here."""
_NO_MEMORY = frozenset({"document", "document-lacks", "scopes"})
"""Codes of what is wrong with the memory itself, and not with its past or with what is sent of it."""
_OWN = (Table.LEAVES, Table.SCOPES)
"""Where all that this device has written can be read."""
_REMADE = (b"owner", b"channel/", b"told/", b"claims/", b"client/", b"client-of/", b"gathered/", b"vector-place/")
_REMADE_TOO = (b"base/", b"weight/", b"carried/", b"generation/", b"sync/", b"relay", b"learned")
"""Rows of the meta table that filling the new database writes anew."""
_BATCH = 200


async def repair(home: Path, findings: Sequence[Finding], relay: str | None = None) -> tuple[str, ...]:
    """Repairs what `examine` found; returns in words what was done.

    *relay* is the address of the vault's relay, for when the damage has taken it. Raises `NoRelay` where the relay is
    needed and unknown, `RelayUnreachable` and the like where it cannot be had, `StorageTrouble` while another program
    has a damaged vault open. In all these cases nothing has changed.
    """
    if any(one.level is Level.BROKEN for one in findings):
        return await _Rebuilding(home, relay).carry_out()
    if any(one.level is Level.DERIVED for one in findings):
        with Vault.open(home) as vault:
            vault.write(rebuild_derived)
            vault.rebuild_index()
        return ("What is derived has been made anew. Nothing was lost.",)
    return ()


class _Rebuilding:
    """One database being made from what is left of another."""

    def __init__(self, home: Path, relay: str | None) -> None:
        self._home = home
        self._relay = relay
        self._identity = Identity.read(home)
        self._done: list[str] = []

    async def carry_out(self) -> tuple[str, ...]:
        store = self._home / STORE
        file = _damaged_file(store)
        if file is not None and not Occupancy(file).is_free():
            raise StorageTrouble("Another program has this vault open. Stop it, and repair again.")
        try:
            found = salvage(file) if file is not None else Salvage({table: {} for table in Table}, frozenset())
            aside = Path(tempfile.mkdtemp(dir=self._home, prefix=".repair-"))
            try:
                seal = self._seal(found)
                self._keys = read_keys(self._home, self._identity.device, None if seal is None else seal[0])
                made = await self._make(found, file, aside, seal)
                kept = Folders(store).take_in(made, "damaged")
            finally:
                shutil.rmtree(aside, ignore_errors=True)
        except OSError as error:
            raise StorageTrouble(f"The vault in {self._home} cannot be repaired: {error.strerror}.") from error
        with Vault.open(self._home) as vault:
            vault.rebuild_index()
        if kept:
            self._done.append(f"The damaged database is kept in {store / kept}; delete it when you need it no more.")
        return tuple(self._done)

    def _seal(self, found: Salvage) -> Seal | None:
        """The key of a sealed vault, which stays sealed. Raises `VaultLocked`, `WrongKey`."""
        from vademecum.sealing import SEAL_FILE

        header = found.pairs[Table.SEAL].get(HEADER)
        if header is None and (self._home / SEAL_FILE).exists():
            header = (self._home / SEAL_FILE).read_bytes()
        if header is None:
            return None
        from vademecum.seal_header import Header
        from vademecum.unlocking import unlock

        return unlock(Header.from_bytes(header)), header

    async def _make(self, found: Salvage, file: Path | None, aside: Path, seal: Seal | None) -> Path:
        """The folder of a whole, closed database."""
        if seal is not None:
            file = None  # what lies about loose cannot be told apart from what is there, nor read by itself
        old = self._replica(aside / "old", seal)
        try:
            old.environment.write(lambda writer: _put_all(writer, found))
            if self._stands_alone(old, found):
                self._done.append(
                    "All that is not derived could be read, and the rest has been made anew. Nothing was lost."
                )
                made = aside / "old" / "1"
            else:
                new = self._replica(aside / "new", seal)
                made = aside / "new" / "1"
                try:
                    await self._fill(new, old, found.whole, file)
                except NoRelay:
                    if not self._is_readable(old, found):
                        raise
                    made = aside / "old" / "1"
                finally:
                    new.close()
        finally:
            old.close()
        return made

    def _is_readable(self, old: Replica, found: Salvage) -> bool:
        """Whether the memory is whole, though what it takes to sync is not; what is derived has then been made anew."""
        if not found.whole.issuperset((Table.SCOPES, Table.DOCUMENTS)):
            return False

        def work(transaction: Transaction) -> bool:
            transaction.writer.put(Table.META, OWNER, self._identity.owner)
            if any(one.code in _NO_MEMORY for one in check_replica(transaction)):
                return False
            rebuild_derived(transaction)
            return True

        if not old.write(work):
            return False
        self._done.append(
            "The memory could be read, but not the list of the vault's devices: it can be used here and not be synced. "
            "If the vault has a relay, `vademecum doctor --repair --relay URL` fetches the list."
        )
        return True

    def _stands_alone(self, old: Replica, found: Salvage) -> bool:
        """Whether what could be read is all there was; what is derived has then been made anew in *old*."""
        if not found.whole.issuperset(_SOURCES):
            return False
        try:
            with old.read() as view:
                roster, wrong = check_roster(view.reader, self._identity.vault)
                wrong += [*check_replica(view), *check_chains(view.reader, self._identity.vault, roster)]
            if any(one.level is Level.BROKEN for one in wrong):
                return False
            old.write(rebuild_derived)
        except (DamagedStore, PeerFault):
            return False
        return True

    async def _fill(self, new: Replica, old: Replica, whole: Collection[Table], file: Path | None) -> None:
        with old.read() as view:
            based = {channel for channel in channels(view.reader) if base(view.reader, channel) != BEGINNING}
            kept = {table: dict(view.reader.scan(table)) for table in (Table.META, Table.ROSTER, Table.COMMITS)}
        relay, roster = await self._relay_and_roster(kept, whole, file)
        new.write(lambda transaction: self._begin(transaction, kept[Table.META], roster, relay))
        ledger = ReplicaLedger(new, self._identity.vault, self._keys)
        commits = kept[Table.COMMITS]
        if relay is None and Table.COMMITS not in whole and file is not None:
            commits = scan_loose(file, {Table.COMMITS})[Table.COMMITS] | commits
        for channel, some in commits_by_channel(commits).items():
            if channel in based:
                continue  # these build on a snapshot, which only the relay has
            for start in range(0, len(some), _BATCH):
                ledger.receive(channel, b"", [(0, data) for data in some[start : start + _BATCH]], 0)
        if relay is not None:
            from vademecum.transport.client import sync_once

            report = await sync_once(ledger, relay)
            self._done.append(f"Everything that the relay holds has been fetched again: {report.pulled:,} commits.")
        again = new.write(lambda transaction: self._take_over(transaction, old))
        self._tell(again, relay, whole=set(whole).issuperset(_OWN))

    async def _relay_and_roster(
        self, found: Mapping[Table, Mapping[bytes, bytes]], whole: Collection[Table], file: Path | None
    ) -> tuple[str | None, Roster]:
        loose = scan_loose(file, {Table.META, Table.ROSTER}) if file is not None else {}
        kept = found[Table.META].get(RELAY)
        if kept is None and Table.META not in whole:
            kept = loose.get(Table.META, {}).get(RELAY)
        relay = self._relay or (None if kept is None else kept.decode("utf-8", "replace"))
        statements = [*loose.get(Table.ROSTER, {}).values(), *found[Table.ROSTER].values()]
        if self._is_revoked(statements):
            relay = None  # it gives this device nothing any more
        if relay is not None:
            from vademecum.transport.readmission import fetch_statements

            statements += await fetch_statements(relay, self._identity.vault, self._keys)
        try:
            return relay, Roster.verify(self._identity.vault, list(dict.fromkeys(statements)))
        except PeerFault as error:
            raise NoRelay(
                "The damage has taken the list of the vault's devices, or the address of the relay that has it. Give "
                "it with `vademecum doctor --repair --relay URL`; or join this device again from another one."
            ) from error

    def _is_revoked(self, statements: Sequence[bytes]) -> bool:
        try:
            roster = Roster.verify(self._identity.vault, list(dict.fromkeys(statements)))
        except PeerFault:  # what is here is not whole: it will be seen what the relay says
            return False
        return roster.is_revoked(self._identity.device)

    def _begin(self, transaction: Transaction, meta: Mapping[bytes, bytes], roster: Roster, relay: str | None) -> None:
        for key, value in meta.items():
            if not key.startswith(_REMADE + _REMADE_TOO):
                transaction.writer.put(Table.META, key, value)
        transaction.writer.put(Table.META, OWNER, self._identity.owner)
        if relay is not None:
            transaction.writer.put(Table.META, RELAY, relay.encode())
        keep_statements(transaction, roster)
        bind_own_client(transaction)

    def _take_over(self, transaction: Transaction, old: Replica) -> int:
        """Says again what this device had written and nobody has sent; returns how many records that are."""
        unbind_own_client(transaction)
        restoring.all_is_sent(transaction)
        again = 0
        with old.read() as view:
            names = view.scope_names()
            past: dict[str, list[journal.Entry]] = {}
            for entry in journal.entries(view.reader):
                if entry.scope in names:
                    past.setdefault(names[entry.scope], []).append(entry)
            for number, scope in names.items():
                again += restoring.say_again(
                    transaction, scope, restoring.own_slots(view, number, scope, self._identity.device)
                )
                restoring.keep_past(transaction, scope, past.get(scope, []))
        return again

    def _tell(self, again: int, relay: str | None, *, whole: bool) -> None:
        if again:
            self._done.append(f"{again:,} records that this device had written and not yet sent were read and kept.")
        if not whole:
            self._done.append(
                "What this device had written and not yet sent may be lost in part: it could not all be read."
            )
        if relay is None:
            self._done.append(
                "The vault uses no relay: what could not be read here is lost, unless another device has it."
            )

    def _replica(self, folder: Path, seal: Seal | None) -> Replica:
        environment = Environment.create(folder, seal=seal)
        return Replica(environment, device=self._identity.device, client=self._identity.client, wall=wall_ms)


def _damaged_file(store: Path) -> Path | None:
    """The data file in use, or that of the newest folder where ``current`` does not say."""
    try:
        number = Folders(store).current()
    except DamagedStore:
        numbers = [one.name for one in store.iterdir() if one.name.isdigit()] if store.is_dir() else []
        if not numbers:
            return None
        number = max(numbers, key=int)
    file = store / number / "data.mdb"
    return file if file.exists() else None


def _put_all(writer: Writer, found: Salvage) -> None:
    """Puts everything as it was stored, sealed or not."""
    for table, pairs in found.pairs.items():
        Writer.put_many(writer, table, sorted(pairs.items()))
