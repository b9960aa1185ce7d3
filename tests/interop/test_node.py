from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_a_program_with_nothing_but_webcrypto_agrees_on_the_vectors() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here")
    run = subprocess.run(
        [node, "--no-warnings", HERE / "check_vectors.mjs"], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    files = ("commit", "derivations", "login")
    vectors = [v for file in files for v in json.loads((HERE / "vectors" / f"{file}.json").read_text("utf-8"))]
    assert len(run.stdout.splitlines()) == len(vectors)
