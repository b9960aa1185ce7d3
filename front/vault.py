"""The public API: one person's memory on this device."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from vademecum.bell import Bell
from vademecum.engine import audit
from vademecum.engine.agents import AgentId, AgentPattern
from vademecum.engine.audit import Change, Why
from vademecum.engine.handle import AgentHandle, agent_handle
from vademecum.engine.paths import parse_path
from vademecum.engine.person import Person
from vademecum.engine.recollection import Recollections
from vademecum.engine.replica import Replica, Transaction
from vademecum.engine.scopes import parse_scope
from vademecum.engine.sight import Sight
from vademecum.errors import NoRelay, StorageTrouble, VaultLocked
from vademecum.forming import Forming
from vademecum.founding import INDEX, STORE, check_free, check_name, make_folder
from vademecum.hint import Hint
from vademecum.renewal import Installation
from vademecum.storage.environment import Environment
from vademecum.storage.identity import Identity
from vademecum.storage.migrations import bring_up
from vademecum.storage.tables import Table
from vademecum.talking import Talking

if TYPE_CHECKING:
    import asyncio
    from datetime import datetime

    from vademecum.devices import Device
    from vademecum.embeddings.embedder import Embedder
    from vademecum.engine.checking import Finding
    from vademecum.engine.indexing import Indexer
    from vademecum.engine.recall import Recall
    from vademecum.engine.retention import Retention
    from vademecum.forgetting import Forgetting
    from vademecum.maintenance import Compacted
    from vademecum.status import Status
    from vademecum.sweeping import Sweeper
    from vademecum.transport.client import SyncReport
    from vademecum.transport.keys import DeviceKeys
    from vademecum.transport.ledger import ReplicaLedger
    from vademecum.unlocking import Passphrase

__all__ = ["Joined", "Vault"]

Progress = Callable[[int, int], None]
"""Called with (done, in all)."""

RELAY = b"relay"
"""In the meta table: the URL of the relay that the vault is set to use."""


def wall_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Vault(Forming, Talking):
    """One person's memory, as one device holds it. Use `create`, `open` or `join`, and close it, or use ``with``.

    Several processes may have the same vault open, and threads may share one. Every write is durable when its method
    returns. `user` is the person's own access, `agent` gives an agent its confined one.
    """

    def __init__(self, home: Path, identity: Identity, replica: Replica, installation: Installation) -> None:
        self.home = home
        self.user = Person(replica)
        self.recovery_phrase: str | None = None
        """The 24 words, only on the object that `create` returned. They are kept nowhere: write them down."""
        self.installation = installation
        self._vault_id = identity.vault
        self._replica = replica
        self._bell = Bell(home)
        replica.rings = self._bell.ring
        replica.waits = Hint(home).put
        self._sweepers: list[Sweeper] = []
        self._recall: Recall | None = None
        self._ledger: ReplicaLedger | None = None

    @classmethod
    def create(
        cls,
        home: str | os.PathLike[str],
        *,
        device_name: str = "this device",
        sealed: bool = False,
        passphrase: Passphrase | None = None,
    ) -> Vault:
        """Makes a vault with its first device in the folder *home*.

        With *sealed*, its files can be read with a key only, which the system's keyring keeps; or with *passphrase*,
        a text or what asks for it. The recovery phrase opens it too; it is in `recovery_phrase` of what is returned.
        Raises `VaultExists`, `InvalidArgument`, `StorageTrouble`, `VaultLocked` where there is no keyring.
        """
        from vademecum.transport import recovery, roster
        from vademecum.transport.keys import KEY_SIZE, DeviceKeys
        from vademecum.transport.ledger import keep_statements

        folder = Path(home).expanduser().absolute()
        check_free(folder)
        name = check_name(device_name)
        keys = DeviceKeys.generate()
        phrase = recovery.new_phrase(os.urandom(KEY_SIZE))
        recovery_member = recovery.recovery_keys(phrase).public
        founding = roster.genesis(
            keys,
            recovery_member,
            name,
            salt=os.urandom(16),
            epoch_key=os.urandom(KEY_SIZE),
            naming_key=os.urandom(KEY_SIZE),
            at_ms=wall_ms(),
        )
        first = roster.Roster.verify(None, [founding])
        make = partial(
            make_folder,
            folder,
            vault=first.vault,
            device=keys.device,
            name=name,
            keys=keys.to_bytes(),
            fill=lambda transaction: keep_statements(transaction, first),
            wall=wall_ms,
        )
        if sealed or passphrase is not None:
            from vademecum.sealing import make_sealed, new_seal
            from vademecum.unlocking import as_text

            passphrase = None if passphrase is None else as_text(passphrase)
            make_sealed(make, folder, new_seal(first.vault, keys.device, recovery_member, passphrase))
        else:
            make()
        vault = cls.open(folder, passphrase=passphrase)
        vault.recovery_phrase = phrase
        return vault

    @classmethod
    def open(
        cls,
        home: str | os.PathLike[str],
        *,
        passphrase: Passphrase | None = None,
        recovery_phrase: str | None = None,
    ) -> Vault:
        """Opens the vault in the folder *home*.

        A folder that is a copy of another, or came from a backup, can be read; before anything is written in it, it
        becomes a device of its own, which `status` and the log (``vademecum``, a warning) tell.

        A sealed one takes its key from the system's keyring; or from *passphrase*, a text or what asks for it, or the
        environment's ``VADEMECUM_PASSPHRASE``; or from *recovery_phrase*, the 24 words, where those are lost. Raises
        `VaultMissing`, `NewerFormat`, `DamagedStore`, `StorageTrouble`, `VaultLocked` and `WrongKey`.
        """
        folder = Path(home).expanduser().absolute()
        identity = Identity.read(folder)
        environment = Environment.open(folder / STORE)
        replica = Replica(environment, device=identity.device, client=identity.client, wall=wall_ms)
        try:
            if identity.sealed or environment.header is not None:
                from vademecum.sealing import open_sealed

                identity = open_sealed(folder, identity, environment, passphrase, recovery_phrase)
            bring_up(environment)
            installation = Installation.open(folder, replica, identity, wall_ms)
        except BaseException:
            replica.close()
            raise
        return cls(folder, identity, replica, installation)

    @classmethod
    async def join(
        cls,
        home: str | os.PathLike[str],
        code: str,
        *,
        relay: str,
        device_name: str = "this device",
        sealed: bool = False,
        passphrase: Passphrase | None = None,
    ) -> tuple[Vault, str]:
        """Makes this a device of the vault whose member shows *code*, and opens it; returns it with the fingerprint
        that both screens must show. It holds no memory before its first sync. *sealed* and *passphrase* as in `create`.

        Raises `PairingFailed`, `RelayUnreachable`, `NotARelay`, `VaultExists`; then nothing has been made.
        """
        from vademecum import pairing

        folder, name = Path(home).expanduser().absolute(), check_name(device_name)
        return await pairing.join(folder, code, relay, name, sealed=sealed, passphrase=passphrase)

    async def pair(self, show: Callable[[str], None], *, timeout: float | None = None) -> Joined:
        """Admits one new device: ``show(code)`` is called once, and the code works once, for some minutes.

        Raises `PairingFailed` if nobody comes, or comes with a wrong code; `NoRelay`, `RelayUnreachable`, `NotARelay`.
        """
        from vademecum import pairing

        return await pairing.admit(self, show, timeout)

    def agent(self, agent: str) -> AgentHandle:
        """The access of the agent ``developer/slug@version``. Raises `InvalidAgent`."""
        return agent_handle(self._replica, self._search, AgentId.parse(agent))

    def recall(self, query: str, k: int = 5) -> Recollections:
        """The *k* memories most worth telling for *query*, best first, of everything in the vault.

        Raises `InvalidArgument` for an empty question or a *k* outside 1–1000.
        """
        return self._search(query, k, None)

    def why(self, path: str, *, scope: str | None = None) -> Why:
        """Who wrote *path*, when, because of which words, and what stood there before. Raises `NotFound`."""
        canonical, chosen = parse_path(path), parse_scope(scope) if scope else None
        with self._replica.read() as view:
            return audit.why(Sight(view, None), canonical, chosen)

    def log(self, *, agent: str | None = None, path: str | None = None, limit: int | None = None) -> list[Change]:
        """What has changed, newest first: all, or by one agent, or at and below one path.

        Raises `InvalidAgent`, `InvalidPath`, `InvalidArgument` for a *limit* below 1.
        """
        by = AgentPattern.parse(agent) if agent else None
        at = parse_path(path) if path else None
        with self._replica.read() as view:
            return audit.log(Sight(view, None), agent=by, path=at, limit=limit)

    def forget(
        self,
        path: str | None = None,
        *,
        agent: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        before: datetime | None = None,
        below: bool = True,
    ) -> int:
        """Forgets for good; returns how many leaves (of a session: and messages) are gone here.

        Say one of these, as in `Person.forget`, `forget_agent`, `forget_session` and `forget_span`:

        path: this leaf and, with *below*, all below it, with its history and quotes.
        agent: all that it wrote, ``developer/slug`` or one ``@version``; what the person wrote survives.
        session: all that was said in it, and what agents learned from nothing else.
        since, before: what agents learned in that span; aware datetimes.

        Then writes this device's files anew, so that none holds anything of it: that takes about as long as copying
        them. If that cannot be done now, `forgetting` says so, and the next sync tries again. Commits, relay and other
        devices follow with the next syncs.
        Raises `NotFound` for a path or session of which there is nothing, `InvalidAgent`, `InvalidArgument` unless
        exactly one of them is given, `InvalidTime`; nothing has changed then.
        """
        from vademecum.forgetting import forget

        return forget(self, path, agent=agent, session=session, since=since, before=before, below=below)

    def forgetting(self) -> Forgetting:
        """Where what was forgotten may still be found: which devices and whether the relay have not confirmed."""
        from vademecum.forgetting import read_forgetting

        return read_forgetting(self)

    def index(self, progress: Progress | None = None) -> int:
        """Computes the vectors that recall still lacks; otherwise it does so bit by bit, as questions come.

        Returns how many were computed; 0 if the model cannot be loaded.
        """
        return self.recalling().prepare(progress)

    def rebuild_index(self) -> None:
        """Throws the recall indexes away; they are filled again from the database, at once or as questions come."""
        self.indexer().rebuild()

    def check(self) -> tuple[Finding, ...]:
        """Looks over everything that is kept here; returns what is wrong or worth knowing, nothing if all is well.

        Changes nothing. O(size); other processes may go on, but writers wait for a part of it.
        """
        from vademecum.doctor import check

        return check(self)

    def compact(self) -> Compacted:
        """Makes the vault's files as small as they can be; returns their bytes before and after.

        Afterwards no unused part of them holds anything of what was deleted or overwritten, once every process that
        has the vault open has used it again or closed it. Others may go on meanwhile; writers wait. O(size).
        Raises `StorageTrouble` if there is no room for a copy, or another process keeps a file busy.
        """
        from vademecum.forgetting import compact_and_note

        return compact_and_note(self)

    @property
    def retention(self) -> Retention:
        """How much of the past this device keeps when a scope begins anew: see `Retention`."""
        from vademecum.engine.settings import read_retention

        with self._replica.read() as view:
            return read_retention(view)

    def set_retention(
        self, *, days: int | None = None, size: int | None = None, newest: int | None = None
    ) -> Retention:
        """Changes what is said and leaves the rest; takes effect when a scope next begins anew. *size* is in bytes.

        A setting of this device: what it keeps of the past when it begins a scope anew, all devices then keep.
        Raises `InvalidArgument` for what would keep nothing.
        """
        from vademecum.engine.settings import keep_retention

        given = {"days": days, "bytes": size, "newest": newest}
        retention = self.retention._replace(**{name: value for name, value in given.items() if value is not None})
        self._replica.write(lambda transaction: keep_retention(transaction, retention))
        return retention

    def write(self, work: Callable[[Transaction], object]) -> None:
        """For importers: runs *work* in one transaction (see `Replica.write`)."""
        self._replica.write(work)

    @property
    def device_name(self) -> str:
        from vademecum.devices import own_name

        return own_name(self)

    @property
    def relay(self) -> str | None:
        """The URL of the relay that this vault is set to use."""
        with self._replica.read() as view:
            found = view.reader.get(Table.META, RELAY)
        return None if found is None else found.decode()

    def use_relay(self, url: str) -> None:
        """Points the vault at a relay, ``http://host:port`` or ``https://…``. Raises `InvalidArgument`."""
        from vademecum.transport import chains
        from vademecum.transport.login import origin_of

        origin_of(url)

        def work(transaction: Transaction) -> None:
            if transaction.writer.get(Table.META, RELAY) != url.encode():
                chains.forget_relay(transaction.writer)
                transaction.writer.put(Table.META, RELAY, url.encode())

        self._replica.write(work)

    def relay_or_refuse(self) -> str:
        """The URL of the relay. Raises `NoRelay` if the vault is not set to use one."""
        url = self.relay
        if url is None:
            raise NoRelay("This vault is not set to use a relay. `vademecum relay use URL` sets one.")
        return url

    async def sync_once(self) -> SyncReport:
        """Brings this device and the relay into step once; through the process that holds the connection, if one does.

        Raises `NoRelay`, `RelayUnreachable`, `NotARelay`, `PeerFault`; what was applied before stays, and everything
        goes on working here. `DeviceRevoked` once this device is in the vault no more.
        """
        from vademecum.connection import sync_now

        return await sync_now(self)

    async def sync_forever(self, stop: asyncio.Event | None = None, *, kind: str = "program") -> None:
        """Keeps this device and the relay in step until *stop* is set or the task is cancelled.

        This process then holds the connection for all processes of the device: whoever writes wakes it, and it notices
        when the vault is set to use another relay. A lost connection is made again. *kind* is what others are told
        about this process: ``program``, ``sync`` or ``daemon``. Raises `AlreadySyncing` if another process holds the
        connection, `NoRelay`, `StorageTrouble`, and `DeviceRevoked` as soon as this device is in the vault no more.
        """
        import asyncio

        from vademecum.connection import stay_in_step

        await stay_in_step(self, stop if stop is not None else asyncio.Event(), kind)

    def devices(self) -> tuple[Device, ...]:
        """The devices of this vault, those that were revoked included, in the order in which they came."""
        from vademecum.devices import list_devices

        return list_devices(self.ledger())

    def revoke(self, name: str) -> Device:
        """Takes the device called *name* (or whose id begins so, at least 8 hex digits) out of the vault, for good.

        What is written from now on it cannot read, and what it writes nobody takes in; what it holds it keeps. The
        relay and the others learn of it with the next sync; sync before, too, so that nothing that it had sent is left
        out. Raises `NotFound`; `Refused` for this device itself, for one that is revoked already, and where this one is
        no administrator; `InvalidArgument` where several have that name; `DeviceRevoked`.
        """
        from vademecum.devices import revoke_device

        return revoke_device(self, name)

    def rename_device(self, name: str, new: str) -> Device:
        """Gives a device another name, on all devices. Raises as `revoke`; `InvalidArgument` for what is no name."""
        from vademecum.devices import rename_device

        return rename_device(self, name, new)

    def status(self) -> Status:
        """How this device stands towards the others: see `Status`."""
        from vademecum.status import read_status

        return read_status(self)

    def ledger(self) -> ReplicaLedger:
        """This replica as replication sees it."""
        from vademecum.transport.ledger import ReplicaLedger

        if self._ledger is None:
            copies = self.installation.copies()
            self._ledger = ReplicaLedger(self._replica, self._vault_id, self.keys(), copies=copies)
        self._ledger.follow()
        return self._ledger

    def keys(self) -> DeviceKeys:
        """This device's secret keys. Raises `MalformedBytes` if the file is damaged, `StorageTrouble` if it is lost."""
        return self.installation.keys(self._replica.device)

    def settle(self) -> None:
        """Makes a copy a device of its own now, and not before its first write; otherwise nothing happens."""
        if self._replica.due is not None:
            self._replica.write(lambda _: None)

    @property
    def replica(self) -> Replica:
        return self._replica

    @property
    def sealed(self) -> str | None:
        """Where the key of a sealed vault is: ``passphrase`` or ``keyring``; None for a vault that is not sealed."""
        header = self._replica.environment.header
        if header is None:
            return None
        from vademecum.sealing import way_of

        return way_of(header)

    def seal(self, passphrase: Passphrase | None = None) -> None:
        """Encrypts all files of this vault, and leaves nothing of it in the open: see `create` for the key.

        Takes a second or two for each 100,000 leaves, and writers wait meanwhile. Other processes that have the vault
        open must open it again. Raises `Refused` if it is sealed already, `VaultLocked` where there is no keyring,
        `StorageTrouble`; it is then as it was.
        """
        from vademecum.sealing import seal_vault

        self.installation.identity = seal_vault(self, self.installation.identity, passphrase)

    def unseal(self) -> None:
        """Writes all files of this vault in the open again. Raises `Refused` if it is not sealed, `StorageTrouble`."""
        from vademecum.sealing import unseal_vault

        self.installation.identity = unseal_vault(self, self.installation.identity)

    def rekey(self, passphrase: Passphrase | None = None) -> None:
        """Keeps the key of this sealed vault in another way: under *passphrase*, or without one in the keyring.

        The files stay as they are, and so does the recovery phrase. Raises `Refused` if the vault is not sealed,
        `VaultLocked` where there is no keyring.
        """
        from vademecum.sealing import rekey_vault

        rekey_vault(self, self.installation.identity, passphrase)

    def leave_indexes(self) -> None:
        """Closes the recall indexes; the next question opens those that are there then."""
        if self._recall is not None:
            self._recall.close()
            self._recall = None

    def close(self) -> None:
        """Closes the vault. Nothing is lost by not closing it, but the next opening then checks the whole file."""
        self._stop_sweeping()
        self._note_what_was_shown()
        self.leave_indexes()
        self._bell.close()
        self._replica.close()

    def _note_what_was_shown(self) -> None:
        """What waits for a write that never came; it matters too little to fail for, or to be the first write here."""
        if self._replica.shown.pending and self._replica.due is None:
            with suppress(StorageTrouble, VaultLocked):
                self._replica.write(lambda _: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Vault({str(self.home)!r})"

    def indexer(self) -> Indexer:
        """What keeps the recall indexes in step."""
        return self.recalling().indexer

    def _search(self, query: str, k: int, agent: AgentId | None) -> Recollections:
        return self.recalling()(query, k, agent)

    def recalling(self) -> Recall:
        """What answers questions, opened at the first of them."""
        from vademecum.engine.recall import Recall

        if self._recall is None:
            self._recall = Recall(self._replica, self.home / INDEX, _load_model)
        return self._recall


class Joined:
    """A device that was admitted: its name, and the fingerprint that both screens must show."""

    __slots__ = ("fingerprint", "name")

    def __init__(self, name: str, fingerprint: str) -> None:
        self.name = name
        self.fingerprint = fingerprint


def _load_model() -> Embedder:
    from vademecum.embeddings.embedder import model_facts

    return _model_in(model_facts().folder)


@lru_cache(maxsize=1)
def _model_in(folder: Path) -> Embedder:
    """One for all vaults of the process: a sweep may open a thousand."""
    from vademecum.embeddings.embedder import OnnxEmbedder

    return OnnxEmbedder.load(folder)
