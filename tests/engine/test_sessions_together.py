"""What three devices do with sessions of the same names: what stays leaks nowhere, what is handed over converges."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.box import PUBLIC, Box, boxes
from vademecum.engine.changes import encode_changes
from vademecum.engine.checking import check_replica
from vademecum.engine.expiring import expire_due
from vademecum.engine.formation import signals
from vademecum.engine.session_handle import persons_session
from vademecum.engine.sessions import listed
from vademecum.engine.snapshots import encode_snapshot
from vademecum.errors import Confined, NotFound

AGENTS = ("prix/daily-eats@1", "acme/trips@2")
SESSIONS = ("lunch", "trip")
SCOPES = (PUBLIC, "session/lunch", "session/trip")
DAY = 86_400_000

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "log",
                "log",
                "log",
                "learn",
                "hand-over",
                "give",
                "give",
                "pin",
                "renew",
                "expire",
                "forget",
                "forget-path",
            ]
        ),
        st.integers(0, 2),
        st.integers(0, 1),
        st.integers(0, 1),
    ),
    max_size=24,
)


class Fleet:
    """Three devices, and what each must not have told yet."""

    def __init__(self, devices: list[Box]) -> None:
        self.boxes = devices
        self.secrets: dict[tuple[int, str], set[str]] = {}
        self.told = 0
        self.count = 0

    def step(self, what: str, at: int, session: str, agent: str) -> None:
        box = self.boxes[at]
        box.wall += 1000
        try:
            if what in ("log", "learn"):
                self.count += 1
                text = f"marker-{self.count}-of-{at}"
                mine = box.agent(agent).session(session).log("user", text)
                if self.is_local(box, session):
                    self.secrets.setdefault((at, session), set()).add(text)
                if what == "learn":
                    box.agent(agent).remember(f"notes.n{self.count}", "quoted", evidence=[mine])
                    for secrets in self.secrets.values():
                        secrets.discard(text)  # the receipt quotes it, for all devices
            elif what == "hand-over":
                persons_session(box.replica, session).hand_over()
                self.secrets.pop((at, session), None)
            elif what == "pin":
                talk = persons_session(box.replica, session)
                talk.pin(talk.messages()[-1].id)
            elif what == "give":
                self.give(at)
            elif what == "renew":
                self.renew(at, f"session/{session}")
            elif what == "expire":
                box.wall += 40 * DAY
                box.replica.write(
                    lambda transaction: signals.done(
                        transaction.writer, list(signals.each(transaction.writer))[: self.count % 3]
                    )
                )
                expire_due(box.replica)
            elif what == "forget":
                box.user.forget_session(session)
            elif what == "forget-agent":
                box.user.forget_agent(agent.partition("@")[0])
            elif what == "forget-path":
                box.user.forget("notes")
        except (Confined, NotFound):
            pass

    def is_local(self, box: Box, session: str) -> bool:
        with box.replica.read() as view:
            return any(one.local for one in listed(view, box.id) if one.id == session)

    def give(self, at: int) -> None:
        others = [one for one in self.boxes if one is not self.boxes[at]]
        for scope in SCOPES:
            changes = self.boxes[at].gather(scope)
            for one in changes:
                self.check(encode_changes(one))
            for other in others:
                other.take(self.boxes[at].id, changes, scope)

    def renew(self, at: int, scope: str) -> None:
        """A new generation, which all adopt when all have heard everything."""
        for giver in range(3):
            self.give(giver)
        with self.boxes[at].replica.read() as view:
            if view.number(scope) is None:
                return
        snapshot = self.boxes[at].snapshot(scope)
        self.check(encode_snapshot(snapshot))
        for box in self.boxes:
            box.adopt(snapshot, scope)

    def check(self, data: bytes) -> None:
        self.told += b"marker-" in data
        for (at, session), secrets in self.secrets.items():
            for text in secrets:
                assert text.encode() not in data, f"{session} of device {at} stays there, and was told"

    def shown(self, box: Box) -> dict[str, Any]:
        with box.replica.read() as view:
            return {one.id: persons_session(box.replica, one.id).messages() for one in listed(view, box.id)}


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_what_stays_leaks_nowhere_and_what_is_handed_over_converges(steps: list[tuple[str, int, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder, boxes(Path(folder), 3) as made:
        fleet = Fleet(made)
        for what, at, session, agent in steps:
            fleet.step(what, at, SESSIONS[session], AGENTS[agent])
        for at in range(3):
            for session in SESSIONS:
                fleet.step("hand-over", at, session, AGENTS[0])
        for _ in range(2):
            for at in range(3):
                fleet.give(at)
        first, *others = (fleet.shown(box) for box in made)
        assert others == [first, first]
        for box in made:
            with box.replica.read() as view:
                assert not list(check_replica(view))


def test_the_check_finds_what_is_told(tmp_path: Path) -> None:
    with boxes(tmp_path, 3) as made:
        fleet = Fleet(made)
        fleet.step("log", 0, "lunch", AGENTS[0])
        fleet.step("hand-over", 0, "lunch", AGENTS[0])
        fleet.step("give", 0, "lunch", AGENTS[0])
        assert fleet.told == 1
