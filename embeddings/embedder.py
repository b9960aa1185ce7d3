"""Sentences to vectors: the protocol that recall needs, and its implementation with onnxruntime.

A model is a folder: ``model.onnx`` (inputs ``input_ids`` and, if it wants them, ``attention_mask`` and
``token_type_ids``; one output, a vector per text), ``tokenizer.json``, and ``model.json``::

    {"name": "…", "dimensions": 384, "max_tokens": 256, "files": {"model.onnx": SHA-256, "tokenizer.json": SHA-256}}

Nothing here touches the network.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from vademecum.embeddings.runtime import failures, libraries, options
from vademecum.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime
    import tokenizers
    from numpy.typing import NDArray

__all__ = ["MODEL_VARIABLE", "Embedder", "ModelFacts", "OnnxEmbedder", "model_facts"]

MODEL_VARIABLE = "VADEMECUM_MODEL"
"""The environment variable that names the folder of another model than the shipped one."""

SHIPPED = Path(__file__).parent / "models" / "minilm"
WORKERS = 2
"""Texts embedded at once. Fixed: a pool sized by the machine fails or hangs in containers with few processors."""
MAX_CHARACTERS = 32_768
"""A text is cut here before it is tokenised, so that a text of any size costs a bounded time. No model named in the
documentation reads as far: 512 tokens are some 2,500 characters."""
DIGEST_CHARACTERS = 12
PARTS = ("model.onnx", "tokenizer.json")


class Embedder(Protocol):
    """Turns texts into vectors. Implementations are safe to call from several threads."""

    @property
    def model_id(self) -> str:
        """Names the exact weights and tokenizer: equal ids give equal vectors. Letters, digits, ``-``, ``.``, ``_``."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> NDArray[np.float32]:
        """One row of length 1 per text, shape ``(len(texts), dimensions)``; no texts give shape ``(0, dimensions)``.

        A text's row does not depend on the other texts. What goes beyond the model's limit is not read.
        ``progress`` is called with the number done and the total, from the calling thread.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What ``model.json`` says of a model, and the id that follows from it."""

    folder: Path
    name: str
    dimensions: int
    max_tokens: int
    sha256: dict[str, str]

    @property
    def model_id(self) -> str:
        """The name and the first 12 hex digits of a hash over all that decides a vector."""
        decisive = "\n".join([*(self.sha256[part] for part in PARTS), str(self.max_tokens)])
        return f"{self.name}-{hashlib.sha256(decisive.encode()).hexdigest()[:DIGEST_CHARACTERS]}"


def model_facts(folder: Path | None = None) -> ModelFacts:
    """Read ``model.json`` of ``folder`` (else of ``$VADEMECUM_MODEL``, else of the shipped model). Microseconds.

    It tells `model_id` and `dimensions` without loading the model. Raises `ModelUnavailable` if the folder or the
    file is absent or does not say what it must.
    """
    named = os.environ.get(MODEL_VARIABLE)
    if folder is None and named:
        folder = Path(named)
        if not folder.is_dir():
            raise ModelUnavailable(
                f"{MODEL_VARIABLE} names {folder}, which is not a folder. "
                "Correct it, or unset it to use the shipped model."
            )
    folder = folder or SHIPPED
    file = folder / "model.json"
    try:
        described = json.loads(file.read_bytes())
        name, files = described["name"], described["files"]
        dimensions, max_tokens = described["dimensions"], described["max_tokens"]
        sha256 = {part: files[part] for part in PARTS}
    except OSError as error:
        raise _unavailable(file, f"cannot be read ({error.strerror})") from error
    except (ValueError, LookupError, TypeError) as error:
        raise _unavailable(file, "is not the description of a model") from error
    if not (isinstance(name, str) and name.replace("-", "").replace(".", "").replace("_", "").isalnum()):
        raise _unavailable(file, "gives a name that is not of letters, digits, '-', '.' and '_'")
    if not all(isinstance(digest, str) for digest in sha256.values()):
        raise _unavailable(file, "gives no SHA-256 of its files")
    if not all(isinstance(n, int) and 2 < n <= 65_536 for n in (dimensions, max_tokens)):
        raise _unavailable(file, "gives dimensions or max_tokens outside 3 to 65,536")
    return ModelFacts(folder, name, dimensions, max_tokens, sha256)


class OnnxEmbedder:
    """Runs a sentence model with onnxruntime, on the processor, in this process.

    Texts are run one by one, in two threads, and not in padded batches: quantisation scales its activations over
    the whole input, so in a batch a text's vector depends on its neighbours (cosine down to 0.991 [measured]), and
    batches are no faster here (1,236 against 1,212 texts a second on two processors [measured]). onnxruntime's own
    thread pool stays off, so there is nothing that a fork could leave hanging.
    """

    def __init__(
        self,
        facts: ModelFacts,
        session: onnxruntime.InferenceSession,
        tokenizer: tokenizers.Tokenizer,
        run_failures: tuple[type[Exception], ...],
    ) -> None:
        """Callers use `default` or `load`."""
        self._facts = facts
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = frozenset(given.name for given in session.get_inputs())
        self._output = session.get_outputs()[0].name
        self._run_failures = run_failures

    @classmethod
    def default(cls) -> OnnxEmbedder:
        """The model in ``$VADEMECUM_MODEL`` if that is set, else the shipped one. Raises as `load` does."""
        return cls.load(model_facts().folder)

    @classmethod
    def load(cls, folder: Path) -> OnnxEmbedder:
        """Load the model in ``folder``, checking the hash of each file: about 0.1 s for the shipped one.

        Raises `ModelUnavailable` if a file is absent, has another hash than ``model.json`` says, or does not load,
        and where onnxruntime or tokenizers is not installed.
        """
        facts = model_facts(folder)
        for part in PARTS:
            _check(facts, part)
        runtime, tokenizers_module = libraries()
        model, tokenizer = (str(folder / part) for part in PARTS)
        try:
            # From the path: from bytes, onnxruntime would keep a second copy of the weights (22 MB).
            session = runtime.InferenceSession(model, options(runtime), providers=["CPUExecutionProvider"])
        except failures(runtime) as error:
            raise _unavailable(folder / "model.onnx", "is not a model that onnxruntime can run") from error
        try:
            loaded = tokenizers_module.Tokenizer.from_buffer(Path(tokenizer).read_bytes())
        except (OSError, ValueError) as error:
            raise _unavailable(folder / "tokenizer.json", "is not a tokenizer") from error
        loaded.no_padding()
        loaded.enable_truncation(facts.max_tokens)
        embedder = cls(facts, session, loaded, failures(runtime))
        embedder._try_out()
        return embedder

    @property
    def model_id(self) -> str:
        """See `ModelFacts.model_id`."""
        return self._facts.model_id

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        return self._facts.dimensions

    def embed(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> NDArray[np.float32]:
        """See `Embedder.embed`. About 1 ms a text of twenty words, 20 ms one of 256 tokens."""
        import numpy as np

        rows = np.empty((len(texts), self.dimensions), np.float32)
        if len(texts) == 1:
            rows[0] = self._embed_one(texts[0])
            if progress:
                progress(1, 1)
            return rows
        with ThreadPoolExecutor(WORKERS, thread_name_prefix="embed") as pool:
            for index, row in enumerate(pool.map(self._embed_one, texts)):
                rows[index] = row
                if progress:
                    progress(index + 1, len(texts))
        return rows

    def _embed_one(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        # A lone surrogate, which JSON may carry, has no UTF-8 form and would be refused by the tokenizer.
        encodable = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        ids = np.array([self._tokenizer.encode(encodable).ids], np.int64)
        feed = {"input_ids": ids}
        if "attention_mask" in self._inputs:
            feed["attention_mask"] = np.ones_like(ids)
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        try:
            outputs: list[NDArray[np.float32]] = self._session.run([self._output], feed)
        except self._run_failures as error:
            raise _unavailable(self._facts.folder / "model.onnx", f"failed while running ({error})") from error
        vector = outputs[0][0]
        # The graph normalises too; this brings the length to 1 within float32, for models that do not.
        normalised: NDArray[np.float32] = vector / np.maximum(np.linalg.norm(vector), np.float32(1e-12))
        return normalised

    def _try_out(self) -> None:
        """Raise `ModelUnavailable` unless one short text gives one finite vector of the promised length."""
        import numpy as np

        file = self._facts.folder / "model.onnx"
        wanted = {"input_ids", "attention_mask", "token_type_ids"}
        if "input_ids" not in self._inputs or not self._inputs <= wanted:
            raise _unavailable(file, f"takes other inputs than {', '.join(sorted(wanted))}")
        vector = self._embed_one("vademecum")
        if vector.shape != (self.dimensions,) or not np.isfinite(vector).all():
            raise _unavailable(file, f"does not give one vector of {self.dimensions} numbers for a text")


def _check(facts: ModelFacts, part: str) -> None:
    """Raise `ModelUnavailable` unless the file has the hash that ``model.json`` says: 13 ms for 23 MB."""
    file = facts.folder / part
    try:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise _unavailable(file, f"cannot be read ({error.strerror})") from error
    if digest != facts.sha256[part]:
        raise _unavailable(file, "is not the file that model.json describes (its SHA-256 differs)")


def _unavailable(file: Path, fault: str) -> ModelUnavailable:
    remedy = (
        "Install vademecum again"
        if file.parent == SHIPPED
        else f"Put the right file there, or unset {MODEL_VARIABLE} to use the shipped model"
    )
    return ModelUnavailable(f"{file} {fault}. {remedy}; until then recall answers from text.")
