"""The shipped model and the embedder that runs it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vademecum.embeddings import embedder as module
from vademecum.embeddings.embedder import MODEL_VARIABLE, OnnxEmbedder, model_facts
from vademecum.errors import ModelUnavailable


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(MODEL_VARIABLE, raising=False)
        return OnnxEmbedder.default()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the shipped model that a test may spoil."""
    return Path(shutil.copytree(module.SHIPPED, tmp_path / "model"))


def describe(folder: Path, **changes: object) -> None:
    """Change fields of model.json, with the hashes of the files as they are now."""
    described = json.loads((folder / "model.json").read_text("utf-8")) | changes
    described["files"] = {part: hashlib.sha256((folder / part).read_bytes()).hexdigest() for part in module.PARTS}
    (folder / "model.json").write_text(json.dumps(described), "utf-8")


def test_importing_the_layer_loads_no_heavy_library() -> None:
    program = (
        "import sys, vademecum.embeddings, vademecum.embeddings.embedder, vademecum.embeddings.text_index\n"
        "print([m for m in ('numpy', 'onnxruntime', 'tokenizers', 'hnswlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_model_has_its_licence_and_notice_beside_it() -> None:
    assert "Apache License" in (module.SHIPPED / "LICENSE").read_text("utf-8")
    assert "all-MiniLM-L6-v2" in (module.SHIPPED / "NOTICE").read_text("utf-8")


def test_every_text_has_one_row_of_length_one(embedder: OnnxEmbedder) -> None:
    texts = ["", " ", "I am a vegetarian.", "我吃素", "🎸☕️", "\x00\ud800", "word " * 5_000, "x" * 1_000_000]
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), embedder.dimensions) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_text_has_the_same_vector_whatever_is_embedded_with_it(embedder: OnnxEmbedder) -> None:
    texts = ["short", "a sentence of a few more words than the other one", "word " * 300]
    together = embedder.embed(texts)
    for text, row in zip(texts, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], row)


def test_texts_of_one_meaning_are_nearer_than_texts_of_two(embedder: OnnxEmbedder) -> None:
    ask, near, far = embedder.embed(
        ["where could we eat tonight?", "a good restaurant for dinner", "the compiler reports a type error"]
    )
    assert ask @ near > ask @ far + 0.2


def test_what_lies_beyond_the_limit_is_not_read(embedder: OnnxEmbedder) -> None:
    start = "word " * 300
    first, second = embedder.embed([start + "apples", start + "the moon landing"])
    assert np.array_equal(first, second)


def test_progress_counts_to_the_total(embedder: OnnxEmbedder) -> None:
    calls: list[tuple[int, int]] = []
    embedder.embed(["a", "b", "c"], lambda done, total: calls.append((done, total)))
    embedder.embed(["a"], lambda done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3), (1, 1)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_model_loaded_before_a_fork_works_after_it() -> None:
    program = (
        "import os, sys\n"
        "from vademecum.embeddings.embedder import OnnxEmbedder\n"
        "model = OnnxEmbedder.default(); before = model.embed(['one', 'two'])\n"
        "child = os.fork()\n"
        "if child == 0: os._exit(0 if (model.embed(['one', 'two']) == before).all() else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


def test_the_id_is_known_without_loading_and_names_the_exact_files(embedder: OnnxEmbedder, copied: Path) -> None:
    assert model_facts().model_id == embedder.model_id
    describe(copied)
    assert model_facts(copied).model_id == embedder.model_id
    (copied / "tokenizer.json").write_bytes((copied / "tokenizer.json").read_bytes() + b"\n")
    describe(copied)
    assert model_facts(copied).model_id != embedder.model_id


def test_the_environment_chooses_another_model(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    describe(copied, name="another")
    monkeypatch.setenv(MODEL_VARIABLE, str(copied))
    assert OnnxEmbedder.default().model_id.startswith("another-")


def test_a_folder_that_the_environment_names_must_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, str(tmp_path / "absent"))
    with pytest.raises(ModelUnavailable, match=f"{MODEL_VARIABLE} names .*absent.* unset it"):
        OnnxEmbedder.default()


@pytest.mark.parametrize("part", ["model.json", "model.onnx", "tokenizer.json"])
def test_an_absent_file_is_named(copied: Path, part: str) -> None:
    (copied / part).unlink()
    with pytest.raises(ModelUnavailable, match=f"{part} cannot be read"):
        OnnxEmbedder.load(copied)


@pytest.mark.parametrize("part", ["model.onnx", "tokenizer.json"])
def test_one_changed_byte_is_found_before_anything_is_loaded(copied: Path, part: str) -> None:
    data = bytearray((copied / part).read_bytes())
    data[len(data) // 2] ^= 1
    (copied / part).write_bytes(data)
    with pytest.raises(ModelUnavailable, match=f"{part} is not the file that model.json describes"):
        OnnxEmbedder.load(copied)


@pytest.mark.parametrize(
    ("part", "content"),
    [("model.onnx", b""), ("model.onnx", b"not a model"), ("tokenizer.json", b"{}"), ("tokenizer.json", b"\xff")],
)
def test_a_file_with_the_right_hash_that_is_no_model_is_named(copied: Path, part: str, content: bytes) -> None:
    (copied / part).write_bytes(content)
    describe(copied)
    with pytest.raises(ModelUnavailable, match=part):
        OnnxEmbedder.load(copied)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b"null", b'"x"', b'{"name": "a", "files": [], "dimensions": 3, "max_tokens": 9}', b"\xff"],
)
def test_a_description_that_is_none_is_refused(copied: Path, content: bytes) -> None:
    (copied / "model.json").write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"model\.json"):
        model_facts(copied)


@pytest.mark.parametrize("change", [{"dimensions": 383}, {"dimensions": 0}, {"max_tokens": "9"}, {"name": "../x"}])
def test_a_description_that_does_not_fit_the_model_is_refused(copied: Path, change: dict[str, object]) -> None:
    describe(copied, **change)
    with pytest.raises(ModelUnavailable):
        OnnxEmbedder.load(copied)


def test_embedding_leaves_no_trace_outside_the_vault(tmp_path: Path) -> None:
    """onnxruntime would keep a database of events for its vendor in the cache folder."""
    program = "from vademecum.embeddings.embedder import OnnxEmbedder; OnnxEmbedder.default().embed(['something said'])"
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "TMPDIR", "TEMP", "LOCALAPPDATA"), str(tmp_path))
    subprocess.run([sys.executable, "-c", program], env=os.environ | places, timeout=60, check=True)
    assert list(tmp_path.rglob("*")) == []
