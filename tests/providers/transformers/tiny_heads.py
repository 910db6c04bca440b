"""The tiny BERT of the dense tests with the heads of a cross-encoder and of SPLADE.

What they answer is computed here with numpy from the papers, independently of the code under test.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save_file

from tests.providers.bundled.tiny_bert import (
    HEADS,
    HIDDEN,
    POSITIONS,
    VOCABULARY,
    Tensors,
    gelu,
    last_layer,
    make_tensors,
    make_tokenizer,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def pair_tensors(labels: int = 1, seed: int = 11) -> Tensors:
    """A BERT with pooler and classifier, named as checkpoints name them."""
    generator = np.random.default_rng(seed)

    def weights(*shape: int) -> NDArray[np.float32]:
        return generator.normal(0, 0.3, shape).astype(np.float32)

    named = {f"bert.{name}": value for name, value in make_tensors(seed).items()}
    return named | {
        "bert.pooler.dense.weight": weights(HIDDEN, HIDDEN),
        "bert.pooler.dense.bias": weights(HIDDEN),
        "classifier.weight": weights(labels, HIDDEN),
        "classifier.bias": weights(labels),
    }


def masked_tensors(seed: int = 13) -> Tensors:
    """A BERT that predicts words, its decoder tied to the embeddings."""
    generator = np.random.default_rng(seed)

    def weights(*shape: int) -> NDArray[np.float32]:
        return generator.normal(0, 0.3, shape).astype(np.float32)

    prefix = "cls.predictions"
    return {f"bert.{name}": value for name, value in make_tensors(seed).items()} | {
        f"{prefix}.transform.dense.weight": weights(HIDDEN, HIDDEN),
        f"{prefix}.transform.dense.bias": weights(HIDDEN),
        f"{prefix}.transform.LayerNorm.gamma": 1 + weights(HIDDEN),
        f"{prefix}.transform.LayerNorm.beta": weights(HIDDEN),
        f"{prefix}.bias": weights(len(VOCABULARY)),
    }


def publish(folder: Path, tensors: Tensors, **config: Any) -> Path:
    """A folder as a hub would have it."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    make_tokenizer().save(str(folder / "tokenizer.json"))
    values = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": POSITIONS,
        "id2label": {"0": "LABEL_0"},
    }
    (folder / "config.json").write_text(json.dumps(values | config))
    return folder


def pieces(text: str, second: str | None = None) -> tuple[list[int], list[int]]:
    """Ids and types, whole."""
    tokenizer = make_tokenizer()
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encoded = tokenizer.encode(text, second)
    return encoded.ids, encoded.type_ids


def pair_logits(tensors: Tensors, ids: list[int], types: list[int]) -> NDArray[np.float64]:
    """tanh(W h + b) of the first piece, then the classifier, in double precision."""
    t = {name.removeprefix("bert."): value.astype(np.float64) for name, value in tensors.items()}
    first = last_layer(_body(tensors), ids, types)[0]
    pooled = np.tanh(t["pooler.dense.weight"] @ first + t["pooler.dense.bias"])
    return np.asarray(t["classifier.weight"] @ pooled + t["classifier.bias"])


def piece_logits(tensors: Tensors, ids: list[int]) -> NDArray[np.float64]:
    """What the masked language model expects at each piece: (pieces, vocabulary)."""
    t = {name.removeprefix("bert."): value.astype(np.float64) for name, value in tensors.items()}
    prefix = "cls.predictions.transform"
    hidden = last_layer(_body(tensors), ids, [0] * len(ids))
    hidden = gelu(hidden @ t[f"{prefix}.dense.weight"].T + t[f"{prefix}.dense.bias"])
    hidden = hidden - hidden.mean(1, keepdims=True)
    hidden = hidden / np.sqrt((hidden**2).mean(1, keepdims=True) + 1e-12)
    hidden = hidden * t[f"{prefix}.LayerNorm.gamma"] + t[f"{prefix}.LayerNorm.beta"]
    words = t["embeddings.word_embeddings.weight"]
    return np.asarray(hidden @ words.T + t["cls.predictions.bias"])


def _body(tensors: Tensors) -> Tensors:
    return {name.removeprefix("bert."): value for name, value in tensors.items()}
