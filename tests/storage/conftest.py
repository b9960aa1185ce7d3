from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vademecum.storage.environment import Environment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a database is to be; there is none yet."""
    return tmp_path / "database"


@pytest.fixture
def environment(folder: Path) -> Iterator[Environment]:
    """An open, empty database in *folder*."""
    made = Environment.create(folder)
    yield made
    made.close()
