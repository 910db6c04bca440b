"""The graph of a model as exporters write it: a batch dimension, three inputs, a hub's folders."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

from pincite.providers.bundled import protobuf
from pincite.providers.bundled.manifest import INPUT
from pincite.providers.bundled.onnx_bert import (
    MICROSOFT,
    OPERATOR_SET,
    BertShape,
    Floats,
    GraphWriter,
    body,
    read_tensors,
)
from pincite.providers.transformers.heads import TYPES
from tests.providers.bundled.tiny_bert import HEADS

if TYPE_CHECKING:
    from pathlib import Path

Head = Callable[[GraphWriter, dict[str, Floats], BertShape, str], str]


def publish_graph(target: Path, source: Path, types: str, head: Head) -> Path:
    """`source` without its weights, with onnx/model.onnx instead."""
    tensors = read_tensors(source / "model.safetensors")
    writer, shape = GraphWriter("fp32"), BertShape(HEADS)
    inputs = {"input_ids": INPUT, "attention_mask": "mask", "token_type_ids": TYPES}
    for name, plain in inputs.items():
        writer.run("Squeeze", [name, writer.integers(0)], [plain])
    out = head(writer, tensors, shape, body(writer, tensors, shape, types))
    writer.run("Unsqueeze", [out, writer.integers(0)], ["logits"])
    graph = protobuf.graph(
        "published",
        writer._nodes,
        writer._constants.values(),
        [protobuf.value_info(name, protobuf.INT64, ["batch", "pieces"]) for name in inputs],
        [protobuf.value_info("logits", protobuf.FLOAT, ["batch", "rows", "columns"])],
    )
    target.mkdir()
    (target / "onnx").mkdir()
    file = protobuf.model(graph, "tests", {"": OPERATOR_SET, MICROSOFT: 1})
    (target / "onnx" / "model.onnx").write_bytes(file)
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(source / name, target / name)
    return target
