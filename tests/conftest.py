"""What holds for every test: it cannot reach the person who runs it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

# Generated tests run on slow, shared machines: how long one example takes says nothing there.
settings.register_profile("vademecum", deadline=None)
settings.load_profile("vademecum")


@pytest.fixture(autouse=True)
def _away_from_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Home, the platform's data folders and the keyring are a new, empty place; child processes inherit it."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
            patch.setenv(name, str(home))
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
            patch.setenv(name, str(home / name.lower()))
        patch.setenv("VADEMECUM_HOME", str(home / "vademecum"))
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        yield
