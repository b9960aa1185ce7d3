"""A real inference model of a few words, written as ONNX by hand, so that no test needs a licence or the package onnx.

Its number for a label is the sum of weights of the words, other weights in the premise than in the hypothesis:

    logits = Σ token (table_p[token] · (1 − type) + table_h[token] · type)
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

__all__ = ["LABELS", "write_model"]

LABELS = ("entailment", "neutral", "contradiction")
FLOAT, INT64 = 1, 7
Weights = Mapping[str, tuple[float, float, float]]


def write_model(
    folder: Path, premise: Weights, hypothesis: Weights, labels: Sequence[str] = LABELS, inputs: Sequence[str] = ()
) -> Path:
    """A model in *folder* whose words weigh as told, by label in the order of *labels*; other words weigh nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    words = {word: place for place, word in enumerate(["[UNK]", "[SEP]", *dict.fromkeys([*premise, *hypothesis])])}
    order = [LABELS.index(label) if label in LABELS else place for place, label in enumerate(labels)]

    def table(weights: Weights) -> list[list[float]]:
        return [[weights.get(word, (0.0, 0.0, 0.0))[place] for place in order] for word in words]

    (folder / "model.onnx").write_bytes(_model(table(premise), table(hypothesis), inputs))
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()  # type: ignore[assignment]
    tokenizer.pre_tokenizer = Whitespace()  # type: ignore[assignment]
    tokenizer.post_processor = TemplateProcessing(  # type: ignore[assignment]
        single="$A [SEP]", pair="$A [SEP] $B:1 [SEP]:1", special_tokens=[("[SEP]", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"id2label": {str(place): label for place, label in enumerate(labels)}, "max_position_embeddings": 64}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


def _model(premise: list[list[float]], hypothesis: list[list[float]], extra: Sequence[str]) -> bytes:
    nodes = [
        _node("Cast", ["token_type_ids"], ["type"], _attribute("to", FLOAT)),
        _node("Unsqueeze", ["type", "last"], ["of_hypothesis"]),
        _node("Sub", ["one", "of_hypothesis"], ["of_premise"]),
        _node("Gather", ["premise", "input_ids"], ["p"]),
        _node("Gather", ["hypothesis", "input_ids"], ["h"]),
        _node("Mul", ["p", "of_premise"], ["p1"]),
        _node("Mul", ["h", "of_hypothesis"], ["h1"]),
        _node("Add", ["p1", "h1"], ["each"]),
        _node("ReduceSum", ["each", "axis"], ["logits"], _attribute("keepdims", 0)),
    ]
    constants = [
        _tensor("premise", [len(premise), len(premise[0])], [weight for row in premise for weight in row]),
        _tensor("hypothesis", [len(hypothesis), len(hypothesis[0])], [weight for row in hypothesis for weight in row]),
        _tensor("one", [1], [1.0]),
        _tensor("last", [1], [2]),
        _tensor("axis", [1], [1]),
    ]
    names = ["input_ids", "attention_mask", "token_type_ids", *extra]
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"tiny"),
            *(_field(5, constant) for constant in constants),
            *(_field(11, _value(name, INT64, [b"batch", b"length"])) for name in names),
            _field(12, _value("logits", FLOAT, [b"batch", b"labels"])),
        ]
    )
    return _number(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _number(2, 13))


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], *attributes: bytes) -> bytes:
    return b"".join(
        [
            *(_field(1, name.encode()) for name in inputs),
            *(_field(2, name.encode()) for name in outputs),
            _field(4, kind.encode()),
            *(_field(5, attribute) for attribute in attributes),
        ]
    )


def _attribute(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, 2)


def _tensor(name: str, shape: Sequence[int], values: Sequence[float] | Sequence[int]) -> bytes:
    whole = all(isinstance(value, int) for value in values)
    raw = struct.pack(f"<{len(values)}{'q' if whole else 'f'}", *values)
    sizes = b"".join(_number(1, size) for size in shape)
    return sizes + _number(2, INT64 if whole else FLOAT) + _field(8, name.encode()) + _field(9, raw)


def _value(name: str, kind: int, sizes: Sequence[bytes]) -> bytes:
    shape = b"".join(_field(1, _field(2, size)) for size in sizes)
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _field(number: int, data: bytes) -> bytes:
    """A field of protobuf that holds bytes."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
