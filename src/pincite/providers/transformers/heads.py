"""BERT weights with other heads than a sentence vector, as ONNX graphs for one text per run.

Like `providers.bundled.onnx_bert`, whose body they share: no batch dimension, no mask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pincite.providers.bundled.manifest import INPUT
from pincite.providers.bundled.onnx_bert import (
    BertShape,
    Floats,
    GraphWriter,
    Precision,
    body,
    dense,
    layer_norm,
    read_tensors,
)

if TYPE_CHECKING:
    from pathlib import Path

TYPES: Final = "types"  #: the input with the token types of a pair
LOGITS: Final = "logits"
WEIGHTS: Final = "weights"


def classifier(weights: Path, shape: BertShape, precision: Precision) -> bytes:
    """Return a cross-encoder's graph: `ids`, `types` (pieces,) int64 -> `logits` (labels,) float32.

    Raises KeyError if a tensor is missing.
    """
    tensors = read_tensors(weights)
    writer = GraphWriter(precision)
    logits = classify(writer, tensors, body(writer, tensors, shape, TYPES))
    labels = tensors["classifier.weight"].shape[0]
    writer.run("Reshape", [logits, writer.integers(labels)], [LOGITS])
    return writer.file([INPUT, TYPES], LOGITS, labels)


def classify(writer: GraphWriter, tensors: dict[str, Floats], hidden: str) -> str:
    """Add tanh(W h + b) of the first piece, then a linear layer: (1, labels)."""
    bounds = [writer.integers(0), writer.integers(1), writer.integers(0)]
    first = writer.run("Slice", [hidden, *bounds])
    pooled = writer.run("Tanh", [dense(writer, tensors, "pooler.dense", first)])
    return dense(writer, tensors, "classifier", pooled)


def term_weights(weights: Path, shape: BertShape, precision: Precision) -> bytes:
    """Return SPLADE's graph: `ids` (pieces,) int64 -> `weights` (vocabulary,) float32, not
    negative.

    max over the pieces of ln(1 + relu(logit)): Formal et al. 2021, "SPLADE v2", section 3. The
    logarithm is taken after the maximum, which it does not change. Raises KeyError if a tensor is
    missing.
    """
    tensors = read_tensors(weights)
    writer = GraphWriter(precision)
    logits = predict_words(writer, tensors, shape, body(writer, tensors, shape))
    highest = writer.run("ReduceMax", [logits, writer.integers(0)], keepdims=0)
    one = writer.constant("one", np.ones(1, np.float32))
    positive = writer.run("Relu", [highest])
    writer.run("Log", [writer.run("Add", [positive, one])], [WEIGHTS])
    return writer.file([INPUT], WEIGHTS, tensors["embeddings.word_embeddings.weight"].shape[0])


def predict_words(
    writer: GraphWriter, tensors: dict[str, Floats], shape: BertShape, hidden: str
) -> str:
    """Add the masked language model's logits: (pieces, vocabulary)."""
    prefix = "cls.predictions."
    hidden = writer.run("Gelu", [dense(writer, tensors, f"{prefix}transform.dense", hidden)])
    hidden = layer_norm(writer, tensors, shape, f"{prefix}transform.LayerNorm", hidden)
    words = tensors["embeddings.word_embeddings.weight"]  # the decoder may share it
    decoder = tensors.get(f"{prefix}decoder.weight", words)
    name = f"{prefix}bias" if f"{prefix}bias" in tensors else f"{prefix}decoder.bias"
    return writer.linear(f"{prefix}decoder", hidden, decoder.T, tensors[name])
