"""What goes wrong, as a table: each fault strikes a device, or the relay, at one step of a world.

A fault draws its particulars from the dice of its own step, so that leaving out other steps changes nothing about it.
What lasts (a partition, a full disk) ends by striking again, by time, or when the world is healed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from tests.simulation.disk import Fate
from vademecum.engine.forgetting import COMPACT
from vademecum.engine.restarting import copy_restarted
from vademecum.storage.tables import Table

if TYPE_CHECKING:
    from tests.simulation.device import Device
    from tests.simulation.world import World

__all__ = ["APART", "FAULTS", "Fault", "Mishap"]

MINUTE, HOUR, DAY, YEAR = 60_000, 3_600_000, 86_400_000, 365 * 86_400_000
REVOKED = ("author-revoked", "keys-missing")
"""What may be wrong with a commit where devices are revoked."""
BARE = (*REVOKED, "unknown-device")
"""And if it comes without the statements that its author had."""
SKEWS = (0, 700, -700, MINUTE, -MINUTE, HOUR, -HOUR, DAY, -DAY, YEAR, -YEAR, 40 * YEAR)


class Fault(Protocol):
    """One kind of fault. ``weight`` is how often it strikes among those that are switched on."""

    @property
    def weight(self) -> int: ...

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        """Whether there was anything to strike at."""
        ...


class Mishap(Enum):
    """What befalls a message on its way, in either direction."""

    DROP = "it is lost"
    DUPLICATE = "it comes again, behind all that are on their way"
    REORDER = "it changes places with others"


@dataclass(frozen=True)
class Mishaps:
    """Something befalls some of the device's next messages."""

    mishap: Mishap
    weight: int

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        device.lossy = True
        device.mishaps += [None] * rng.choice([0, 0, 1, 3, 8]) + [self.mishap] * rng.choice([1, 1, 1, 3])
        return True


@dataclass(frozen=True)
class Delay:
    """One direction stands still for some turns."""

    weight: int = 3

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        if device.line is None:
            return False
        device.line.waits[rng.choice(["up", "down"])] = rng.choice([3, 10, 40])
        return True


@dataclass(frozen=True)
class OneWay:
    """From now on, all is lost in one direction of this connection."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        if device.line is None:
            return False
        device.lossy = True
        device.line.deaf ^= {rng.choice(["up", "down"])}
        return True


@dataclass(frozen=True)
class Reset:
    """The connection ends with all that was on its way; the relay may not have noticed at first."""

    weight: int = 3

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        if device.line is None:
            return False
        device.hang_up(world.relay)
        if rng.random() < 0.7:
            device.connect(world.relay)
        return True


@dataclass(frozen=True)
class Partition:
    """The device cannot reach the relay, until this strikes it again."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        device.apart = not device.apart
        if device.apart:
            device.hang_up(world.relay)
        return True


@dataclass(frozen=True)
class Skew:
    """The device's clock jumps: by a second, an hour, a year, forwards or backwards."""

    weight: int = 3

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        device.skew = rng.choice(SKEWS)
        return True


@dataclass(frozen=True)
class Away:
    """The device is switched off for a year. When it comes back its clock stands where it stood, for a while."""

    weight: int = 1

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        if device.frozen is not None:
            device.apart, device.frozen = False, None
            return True
        device.restart(world.relay)
        device.apart, device.frozen = True, world.now
        world.now += YEAR
        return True


@dataclass(frozen=True)
class Crash:
    """A process of the device ends at one of its next commits, on either side of it."""

    weight: int = 4

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        fate = rng.choice([Fate.BEFORE, Fate.AFTER])
        device.disk.fates += [None] * rng.choice([0, 0, 1, 2, 5]) + [fate]
        return True


@dataclass(frozen=True)
class Restart:
    """All processes of the device end between two commits."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        device.restart(world.relay)
        return True


@dataclass(frozen=True)
class Full:
    """The device's disk has no room for some of its next commits."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        device.disk.fates += [None] * rng.choice([0, 0, 1, 3]) + [Fate.FULL] * rng.choice([1, 1, 3, 8])
        return True


@dataclass(frozen=True)
class RelayCrash:
    """The relay's process ends, before or after it has stored what waits, and nobody is told."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        world.relay.crash(stored=rng.random() < 0.5)
        return True


@dataclass(frozen=True)
class RelayRestore:
    """The relay goes on from an older copy of itself, or from nothing at all."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        world.restore_relay(rng)
        return True


@dataclass(frozen=True)
class Join:
    """A new device joins: not a fault, but seldom convenient."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        return world.join()


@dataclass(frozen=True)
class Carry:
    """Some commits go from hand to hand, past the relay, in any order and twice."""

    weight: int = 3

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        giver = rng.choice(world.devices)
        if giver is device:
            return False
        world.causal = False
        giver.write(lambda _: giver.ledger.seal_pending(), world.relay, in_daemon=True)
        giver.note_sealed()
        statements = [one.raw for one in giver.ledger.roster().statements]
        if world.truth.revoked and rng.random() < 0.3:
            statements = []  # only the commits
        if not device.write(lambda _: device.ledger.merge_roster(statements), world.relay, in_daemon=True)[1]:
            return False
        for channel in giver.ledger.channels():
            if giver.ledger.base(channel) != device.ledger.base(channel):
                continue  # commits pass only between those that build on one snapshot
            have = {} if rng.random() < 0.2 else {who: seq for who, (seq, _) in device.ledger.frontier(channel).items()}
            commits = list(giver.ledger.commits_lacking(channel, have, rng.choice([500, 5_000, 1 << 20])))
            if rng.random() < 0.7:
                rng.shuffle(commits)
                commits = commits[: rng.randrange(len(commits) + 1)] + rng.choices(commits, k=1 if commits else 0)
            while commits:
                batch, commits = commits[:5], commits[5:]
                received, _ = device.write(
                    lambda _, channel=channel, batch=batch: device.ledger.receive_by_hand(channel, batch),  # type: ignore[misc]
                    world.relay,
                    in_daemon=True,
                )
                refused = () if received is None else received.quarantined
                assert all(problem.code in (REVOKED if statements else BARE) for problem in refused), received
        return True


@dataclass(frozen=True)
class Compact:
    """The device's database is replaced by a copy without anything that was deleted or overwritten."""

    weight: int = 1

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        device.disk.replace(copy_restarted)
        return True


@dataclass(frozen=True)
class Renew:
    """A scope is to begin anew from a snapshot, as after a forgetting there."""

    weight: int = 1

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        with device.program.read() as view:
            scopes = list(view.scopes())
        if not scopes:
            return False
        flag = COMPACT + rng.choice(scopes).encode()
        device.write(
            lambda replica: replica.write(lambda transaction: transaction.writer.put(Table.META, flag, b"1")),
            world.relay,
            in_daemon=rng.random() < 0.5,
        )
        return True


@dataclass(frozen=True)
class Copy:
    """The device's folder is copied, or its whole machine, so that nothing in the folder shows it; both go on."""

    weight: int = 1

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        return world.copy(device, seen=rng.random() < 0.5)


@dataclass(frozen=True)
class Restore:
    """A backup of the device is made, or put back: of its database, or of the whole folder with all that shows it."""

    weight: int = 2

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        if not device.saved or rng.random() < 0.3:
            device.save()
        else:
            device.restore(rng.randrange(len(device.saved)), world.relay, seen=rng.random() < 0.5)
            world.causal = False
        return True


@dataclass(frozen=True)
class Revoke:
    """The device revokes another one, which may hear of it late, or never, and goes on writing. So may others."""

    weight: int = 1

    def strike(self, world: World, device: Device, rng: random.Random) -> bool:
        return world.revoke(device, rng)


FAULTS: dict[str, Fault] = {
    "drop": Mishaps(Mishap.DROP, 3),
    "duplicate": Mishaps(Mishap.DUPLICATE, 3),
    "reorder": Mishaps(Mishap.REORDER, 2),
    "delay": Delay(),
    "partition": Partition(),
    "one-way": OneWay(),
    "reset": Reset(),
    "skew": Skew(),
    "away": Away(),
    "crash": Crash(),
    "restart": Restart(),
    "full": Full(),
    "relay-crash": RelayCrash(),
    "relay-restore": RelayRestore(),
    "join": Join(),
    "carry": Carry(),
    "compact": Compact(),
    "renew": Renew(),
    "copy": Copy(),
    "restore": Restore(),
    "revoke": Revoke(),
}
APART = {"copy": ("carry", "relay-restore"), "restore": ("carry", "relay-restore")}
"""Faults beside which others are not drawn: of two copies that write under one name, a third device may get one by hand
and the other from the relay. It then says so, until the scope begins anew."""
