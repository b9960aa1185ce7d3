"""A dozen rounds of what ``python -m tests.crash`` does hundreds of times, and whether it would see a loss."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there")

LIAR = """
import sys
from tests.crash import roles, world
from tests.crash.world import World
from pathlib import Path

def write_one(vault, rng, say):
    vault.user.set("a", 1)
    say(ack={"scope": "user.public", "path": "b", "by_person": True, "device": vault.replica.device.hex(), "order": 1,
             "value": 1, "deleted": False, "seen": 0, "heard": 0, "writer": "user"})

roles._write_one = write_one
with World(Path(sys.argv[1]), 1) as small:
    small.round()
"""


def test_a_dozen_rounds_of_kill_9_lose_nothing_that_was_acknowledged() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash", "--rounds", "12"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("12 rounds, ")
    assert done.stdout.endswith(": nothing lost, nothing damaged, all agree\n")


def test_a_write_that_was_acknowledged_and_is_not_there_is_seen(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LIAR, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "acknowledged, and lost: [{'scope': 'user.public', 'path': 'b'" in done.stderr
