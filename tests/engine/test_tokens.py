"""The estimate of tokens beside what real tokenizers count.

``token_samples.json`` holds texts, and what cl100k and o200k (OpenAI), the published tokenizers of Claude, Qwen and
DeepSeek, and the shipped sentence model's make of each; only the last can be asked here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import vademecum.embeddings
from vademecum.engine.tokens import estimate_tokens

SAMPLES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "token_samples.json").read_text("utf-8"))
MODEL = Path(vademecum.embeddings.__file__).parent / "models" / "minilm" / "tokenizer.json"
PROMISED = ("english", "german", "chinese", "code")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: f"{one['kind']}-{one['text'][:12]}")
def test_never_more_than_a_tenth_below_any_tokenizer(sample: dict[str, Any]) -> None:
    counts = dict(sample["tokens"])
    if sample["kind"] not in PROMISED:
        del counts["minilm"]  # it knows no script but Latin and Chinese
    assert estimate_tokens(sample["text"]) >= 0.9 * max(counts.values()), counts


@pytest.mark.parametrize("kind", PROMISED)
def test_not_so_far_above_that_half_of_the_window_is_wasted(kind: str) -> None:
    chosen = [one for one in SAMPLES if one["kind"] == kind]
    estimated = sum(estimate_tokens(one["text"]) for one in chosen)
    assert len(chosen) >= 9
    assert estimated <= 1.7 * sum(one["tokens"]["cl100k"] for one in chosen)


def test_the_table_says_what_the_shipped_tokenizer_counts() -> None:
    tokenizer = Tokenizer.from_file(str(MODEL))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    for sample in SAMPLES:
        counted = len(tokenizer.encode(sample["text"], add_special_tokens=False).ids)
        assert counted == sample["tokens"]["minilm"], sample["text"]


@given(st.text())
def test_any_text_has_an_estimate_between_one_and_its_bytes(text: str) -> None:
    size = len(text.encode(errors="surrogatepass"))
    assert min(1, size) <= estimate_tokens(text) <= size
