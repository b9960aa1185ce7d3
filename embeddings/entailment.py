"""An inference model that a person supplies: does one sentence follow from another, or contradict it?

None is shipped, for none is to be had under a licence that allows it. A model is a folder as such models are published:
``model.onnx`` (inputs ``input_ids`` and, if it wants them, ``attention_mask`` and ``token_type_ids``; one output, a
number for each label), ``tokenizer.json``, and ``config.json``, whose ``id2label`` says which number is which, for
models differ in that. ``$VADEMECUM_NLI`` names the folder. Nothing here touches the network.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.embeddings.runtime import failures, libraries, options
from vademecum.errors import ModelUnavailable

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers

__all__ = ["NLI_VARIABLE", "OnnxEntailment", "Probabilities", "SuppliedEntailment", "supplied"]

NLI_VARIABLE = "VADEMECUM_NLI"
"""The environment variable that names the folder of the model."""
MAX_TOKENS = 512
"""Of both sentences together; the model's own limit where it says a lower one."""
MAX_CHARACTERS = 8_192
"""A sentence is cut here before it is tokenised."""
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_PARTS = ("config.json", "tokenizer.json", "model.onnx")
_LABELS = ("entailment", "neutral", "contradiction")


class Probabilities(NamedTuple):
    """What a model makes of a premise and a hypothesis; they sum to 1."""

    entailment: float
    neutral: float
    contradiction: float


class OnnxEntailment:
    """Runs such a model with onnxruntime, on the processor, in this process. Threads may share it."""

    def __init__(
        self,
        folder: Path,
        session: onnxruntime.InferenceSession,
        tokenizer: tokenizers.Tokenizer,
        places: Sequence[int],
        run_failures: tuple[type[Exception], ...],
    ) -> None:
        """Callers use `load`."""
        self._folder = folder
        self._session = session
        self._tokenizer = tokenizer
        self._places = tuple(places)
        self._inputs = frozenset(given.name for given in session.get_inputs())
        self._output = session.get_outputs()[0].name
        self._run_failures = run_failures

    @classmethod
    def load(cls, folder: Path) -> OnnxEntailment:
        """Load the model in *folder*.

        Raises `ModelUnavailable`, which names the file and what is wrong with it, if one is absent or is not what it
        must be, and where onnxruntime or tokenizers is not installed.
        """
        if not folder.is_dir():
            raise _unavailable(folder, "is not a folder")
        config = _config(folder / "config.json")
        places = _places(folder / "config.json", config)
        runtime, tokenizers_module = libraries()
        file = folder / "model.onnx"
        if not file.is_file():
            raise _unavailable(file, "is not there")
        try:
            session = runtime.InferenceSession(str(file), options(runtime), providers=["CPUExecutionProvider"])
        except failures(runtime) as error:
            raise _unavailable(file, "is not a model that onnxruntime can run") from error
        try:
            tokenizer = tokenizers_module.Tokenizer.from_buffer((folder / "tokenizer.json").read_bytes())
        except (OSError, ValueError) as error:
            raise _unavailable(folder / "tokenizer.json", "is not a tokenizer, or is not there") from error
        tokenizer.no_padding()
        limit = config.get("max_position_embeddings")
        tokenizer.enable_truncation(min(MAX_TOKENS, limit) if isinstance(limit, int) and limit > 8 else MAX_TOKENS)
        model = cls(folder, session, tokenizer, places, failures(runtime))
        model._try_out()
        return model

    @property
    def name(self) -> str:
        """The folder's name, for reports."""
        return self._folder.name

    @property
    def fault(self) -> None:
        """It either answers or raises."""

    def __call__(self, premise: str, hypothesis: str) -> Probabilities:
        """What *hypothesis* is to *premise*. Raises `ModelUnavailable` if the model fails."""
        import numpy as np

        numbers = self._run(premise, hypothesis).astype(np.float64)
        spread = np.exp(numbers - numbers.max())
        shares = spread / spread.sum()
        return Probabilities(*(float(shares[place]) for place in self._places))

    def _run(self, premise: str, hypothesis: str) -> Any:
        import numpy as np

        encoding = self._tokenizer.encode(_encodable(premise), _encodable(hypothesis))
        feed = {"input_ids": np.array([encoding.ids], np.int64)}
        if "attention_mask" in self._inputs:
            feed["attention_mask"] = np.ones_like(feed["input_ids"])
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.array([encoding.type_ids], np.int64)
        try:
            return self._session.run([self._output], feed)[0][0]
        except self._run_failures as error:
            raise _unavailable(self._folder / "model.onnx", f"failed while running ({error})") from error

    def _try_out(self) -> None:
        """Raise `ModelUnavailable` unless a pair of sentences gives a finite number for each label."""
        import numpy as np

        file = self._folder / "model.onnx"
        if "input_ids" not in self._inputs or not self._inputs <= _INPUTS:
            raise _unavailable(file, f"takes other inputs than {', '.join(sorted(_INPUTS))}")
        numbers = self._run("It rains.", "It is dry.")
        if numbers.shape != (len(_LABELS),) or not np.isfinite(numbers).all():
            raise _unavailable(file, f"does not give {len(_LABELS)} numbers for a pair of sentences")


class SuppliedEntailment:
    """The model in a folder, loaded at the first question. Where it cannot be used, or a file is not there at the
    beginning, it answers None, and `fault` says why. Threads may share it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._model: OnnxEntailment | None = None
        absent = [part for part in _PARTS if not (folder / part).is_file()]
        self._fault = _unavailable(folder / absent[0], "is not there").message if absent else None

    @property
    def name(self) -> str:
        return self._folder.name

    @property
    def fault(self) -> str | None:
        """Why there is no answer, for a person to read; None as long as all is well, or nothing was asked."""
        return self._fault

    def __call__(self, premise: str, hypothesis: str) -> Probabilities | None:
        with self._lock:
            if self._fault is not None:
                return None
            try:
                if self._model is None:
                    self._model = OnnxEntailment.load(self._folder)
                return self._model(premise, hypothesis)
            except ModelUnavailable as error:
                self._model = None
                self._fault = error.message
                return None


def supplied() -> SuppliedEntailment | None:
    """The model that ``$VADEMECUM_NLI`` names, one for the whole process; None where that is not set."""
    named = os.environ.get(NLI_VARIABLE)
    return _supplied(named) if named else None


@lru_cache(maxsize=2)
def _supplied(folder: str) -> SuppliedEntailment:
    return SuppliedEntailment(Path(folder))


def _config(file: Path) -> Mapping[str, Any]:
    try:
        config = json.loads(file.read_bytes())
    except OSError as error:
        raise _unavailable(file, f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise _unavailable(file, "is not JSON") from error
    if not isinstance(config, dict):
        raise _unavailable(file, "is not a JSON object")
    return config


def _places(file: Path, config: Mapping[str, Any]) -> list[int]:
    """Where among the model's numbers entailment, neutral and contradiction stand."""
    labels = config.get("id2label")
    if not isinstance(labels, dict):
        raise _unavailable(file, "has no id2label, which says what each number of the model means")
    found: dict[str, int] = {}
    for place, label in labels.items():
        named = [one for one in _LABELS if isinstance(label, str) and label.casefold().startswith(one[:7])]
        if len(named) == 1 and place.isdigit():
            found[named[0]] = int(place)
    if sorted(found.values()) != [0, 1, 2] or len(labels) != len(_LABELS):
        shown = ", ".join(f"{place}: {label}" for place, label in sorted(labels.items(), key=str))[:200]
        raise _unavailable(
            file, f"names its labels {shown}; an inference model has three, entailment, neutral and contradiction"
        )
    return [found[label] for label in _LABELS]


def _encodable(text: str) -> str:
    """A lone surrogate, which JSON may carry, has no UTF-8 form and would be refused by the tokenizer."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _unavailable(file: Path, fault: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{file} {fault}. Put an inference model there (model.onnx, tokenizer.json, config.json), or unset "
        f"{NLI_VARIABLE}; contradictions are then judged without one."
    )
