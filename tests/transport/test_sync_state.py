"""What the last sync left behind for ``status``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vademecum.storage.environment import Environment
from vademecum.transport.contract import Problem
from vademecum.transport.sync_state import SyncState, note_state, read_state


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Environment]:
    made = Environment.create(tmp_path / "store", initial_map=16 << 20)
    yield made
    made.close()


def state(environment: Environment) -> SyncState:
    with environment.read() as reader:
        return read_state(reader)


def test_a_vault_that_never_synced_is_offline(environment: Environment) -> None:
    assert state(environment) == SyncState("offline", (), 0, None, None)


def test_a_state_comes_back_with_its_problems_and_its_process(environment: Environment) -> None:
    problems = (Problem("fork-detected", "Two of them.", b"c" * 16, b"d" * 16, 7), Problem("refused:quota", "Full."))
    environment.write(lambda writer: note_state(writer, "blocked", problems, 123))
    assert state(environment) == SyncState("blocked", problems, os.getpid(), 123, None)


def test_only_being_synced_moves_the_time_of_the_last_sync(environment: Environment) -> None:
    for name, at in (("synced", 1), ("offline", 2), ("syncing", 3), ("blocked", 4)):
        environment.write(lambda writer, name=name, at=at: note_state(writer, name, (), at))  # type: ignore[misc]
    assert (state(environment).state, state(environment).at_ms, state(environment).synced_at_ms) == ("blocked", 4, 1)
