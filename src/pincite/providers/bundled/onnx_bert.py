"""Convert BERT weights (safetensors) to an ONNX graph that encodes one text, without torch.

The graph takes the piece ids of one text, runs the transformer, averages the last layer over the
pieces and normalises: `ids` (pieces,) int64 -> `vector` (hidden,) float32, L2 norm 1.
`providers.transformers.heads` puts other heads on the same body. There is no batch dimension and no
mask on purpose. Dynamic int8 quantisation scales activations by the largest one in the tensor, so
in a batch a text's vector would depend on its neighbours and on padding. With one text per run, a
vector depends on its text alone.

Attention: Vaswani et al. 2017, section 3.2; the encoder layer: Devlin et al. 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from pincite.providers.bundled import protobuf
from pincite.providers.bundled.manifest import INPUT, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Precision = Literal["fp32", "int8", "int7"]
Floats = NDArray[np.float32]

OPERATOR_SET = 20  # the first with Gelu
MICROSOFT = "com.microsoft"  # operators of ONNX Runtime beyond the standard

# Largest weight after rounding, kept in a signed byte either way. Processors with AVX2 but without
# VNNI add two products of an unsigned byte and a weight with saturation at 16 bits: with 127 that
# happens (2 * 255 * 127 = 64,770), with 63 it cannot (32,130 <= 32,767).
LARGEST_WEIGHT: dict[Precision, int] = {"int8": 127, "int7": 63}


@dataclass(frozen=True, slots=True)
class BertShape:
    """The parameters of a BERT model that its weights do not contain."""

    heads: int
    layer_norm_epsilon: float = 1e-12


def convert(tensors: dict[str, Floats], shape: BertShape, precision: Precision) -> bytes:
    """Return the ONNX file for a checkpoint's tensors. Equal input gives equal bytes on every
    machine.

    Raises KeyError if a tensor of a BERT encoder is missing.
    """
    writer = GraphWriter(precision)
    hidden = body(writer, tensors, shape)
    mean = writer.run("ReduceMean", [hidden, writer.integers(0)], keepdims=0)
    writer.run("LpNormalization", [mean], [OUTPUT], axis=-1, p=2)
    return writer.file([INPUT], OUTPUT, tensors["embeddings.LayerNorm.weight"].size)


def read_tensors(weights: Path) -> dict[str, Floats]:
    """Return the tensors of a checkpoint under the current names of BERT."""
    return {_plain_name(name): value for name, value in load_file(weights).items()}


def body(writer: GraphWriter, tensors: dict[str, Floats], shape: BertShape, types: str = "") -> str:
    """Add the embeddings and all layers; return the name of the result, (pieces, hidden). `types`
    names the input with the token types of a pair; without it all pieces have type 0. Raises
    KeyError if a tensor is missing."""
    hidden = _embed(writer, tensors, shape, types)
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in tensors:
        hidden = _encode_layer(writer, tensors, shape, f"encoder.layer.{layer}.", hidden)
        layer += 1
    return hidden


def _plain_name(name: str) -> str:
    """Return the current name of a tensor. Older checkpoints use gamma and beta, and some prefix
    the model's name."""
    plain = name.removeprefix("bert.")
    return plain.replace("Norm.gamma", "Norm.weight").replace("Norm.beta", "Norm.bias")


class GraphWriter:
    """Collect the nodes and constants of a graph; `run` returns the name of its result."""

    def __init__(self, precision: Precision) -> None:
        self._precision = precision
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}

    def constant(self, name: str, values: NDArray[Any]) -> str:
        self._constants.setdefault(name, protobuf.tensor(name, values))
        return name

    def integers(self, *values: int) -> str:
        name = "integers_" + "_".join(map(str, values))
        return self.constant(name, np.array(values, np.int64))

    def run(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str] = (),
        domain: str = "",
        **attributes: protobuf.Attribute,
    ) -> str:
        outputs = outputs or (f"{operator}_{len(self._nodes)}",)
        self._nodes.append(protobuf.node(operator, inputs, outputs, attributes, domain))
        return outputs[0]

    def lookup(self, name: str, table: Floats, ids: str) -> str:
        """Add the lookup of rows in an embedding table. If quantised, each row has its own
        scale."""
        if self._precision == "fp32":
            return self.run("Gather", [self.constant(name, table), ids], axis=0)
        quantised, scales = quantise(table, axis=1, largest=127)
        rows = self.run("Gather", [self.constant(f"{name}.quantised", quantised), ids], axis=0)
        scale = self.run("Gather", [self.constant(f"{name}.scales", scales), ids], axis=0)
        return self.run("Mul", [self.run("Cast", [rows], to=protobuf.FLOAT), scale])

    def linear(self, name: str, x: str, weight: Floats, bias: Floats) -> str:
        """Add `x @ weight + bias`. If quantised, each output column has its own scale."""
        bias_name = self.constant(f"{name}.bias", bias)
        if self._precision == "fp32":
            product = self.run("MatMul", [x, self.constant(f"{name}.weight", weight)])
            return self.run("Add", [product, bias_name])
        largest = LARGEST_WEIGHT[self._precision]
        quantised, scales = quantise(weight, axis=0, largest=largest)
        inputs = [
            x,
            self.constant(f"{name}.quantised", quantised),
            self.constant(f"{name}.scales", scales.reshape(-1)),
            self.constant(f"{name}.zeros", np.zeros(weight.shape[1], np.int8)),
            bias_name,
        ]
        return self.run("DynamicQuantizeMatMul", inputs, domain=MICROSOFT)

    def layer_norm(self, name: str, x: str, gain: Floats, bias: Floats, epsilon: float) -> str:
        inputs = [x, self.constant(f"{name}.gain", gain), self.constant(f"{name}.bias", bias)]
        return self.run("LayerNormalization", inputs, axis=-1, epsilon=epsilon)

    def file(self, inputs: Sequence[str], output: str, size: int) -> bytes:
        """Return the ONNX file: int64 inputs (pieces,), one float32 output (size,)."""
        graph = protobuf.graph(
            "bert",
            self._nodes,
            self._constants.values(),
            [protobuf.value_info(name, protobuf.INT64, ["pieces"]) for name in inputs],
            [protobuf.value_info(output, protobuf.FLOAT, [size])],
        )
        return protobuf.model(graph, "pincite", {"": OPERATOR_SET, MICROSOFT: 1})


def quantise(values: Floats, axis: int, largest: int) -> tuple[NDArray[np.int8], Floats]:
    """Round symmetrically along `axis`: `values ~ quantised * scales`. The axis is kept with size
    1.

    This uses only maxima, divisions and roundings, each exact in IEEE arithmetic. There is no order
    of summation that could differ between machines or versions of numpy.
    """
    peaks = np.abs(values).max(axis=axis, keepdims=True)
    scales = np.maximum(peaks, np.float32(1e-12)) / np.float32(largest)
    return np.rint(values / scales).astype(np.int8), scales


def _embed(writer: GraphWriter, tensors: dict[str, Floats], shape: BertShape, types: str) -> str:
    prefix = "embeddings."
    words = writer.lookup("words", tensors[f"{prefix}word_embeddings.weight"], INPUT)
    rows = tensors[f"{prefix}token_type_embeddings.weight"]
    positions = tensors[f"{prefix}position_embeddings.weight"]
    if types:
        of_type = writer.run("Gather", [writer.constant("types_table", rows), types], axis=0)
        words = writer.run("Add", [words, of_type])
    else:
        # A single text has token type 0 throughout: its row is added to every position here.
        positions = positions + rows[0]
    count = writer.run("Shape", [INPUT])
    bounds = [writer.integers(0), count, writer.integers(0)]
    places = writer.run("Slice", [writer.constant("positions", positions), *bounds])
    return layer_norm(
        writer, tensors, shape, f"{prefix}LayerNorm", writer.run("Add", [words, places])
    )


def layer_norm(
    writer: GraphWriter, tensors: dict[str, Floats], shape: BertShape, name: str, x: str
) -> str:
    """Add the layer norm `name` of the checkpoint."""
    gain, bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    return writer.layer_norm(name, x, gain, bias, shape.layer_norm_epsilon)


def dense(writer: GraphWriter, tensors: dict[str, Floats], name: str, x: str) -> str:
    """Add the linear layer `name` of the checkpoint."""
    # Checkpoints store (out, in); the product needs (in, out).
    return writer.linear(name, x, tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])


def _encode_layer(
    writer: GraphWriter, tensors: dict[str, Floats], shape: BertShape, prefix: str, x: str
) -> str:
    """Add one encoder layer: attention and a feed-forward step, each with residual and norm."""
    attended = _attend(writer, tensors, shape, f"{prefix}attention.self.", x)
    projected = dense(writer, tensors, f"{prefix}attention.output.dense", attended)
    residual = writer.run("Add", [projected, x])
    x = layer_norm(writer, tensors, shape, f"{prefix}attention.output.LayerNorm", residual)
    wide = writer.run("Gelu", [dense(writer, tensors, f"{prefix}intermediate.dense", x)])
    narrow = dense(writer, tensors, f"{prefix}output.dense", wide)
    residual = writer.run("Add", [narrow, x])
    return layer_norm(writer, tensors, shape, f"{prefix}output.LayerNorm", residual)


def _attend(
    writer: GraphWriter, tensors: dict[str, Floats], shape: BertShape, prefix: str, x: str
) -> str:
    """Add softmax(Q K^T / sqrt(d)) V over `heads` slices of width d, as (pieces, hidden).

    Q, K and V come from one product with the three matrices side by side, so that the activations
    are quantised once instead of three times. 1/sqrt(d) is multiplied into Q's weights beforehand.
    """
    hidden = tensors[f"{prefix}query.weight"].shape[0]
    width = hidden // shape.heads
    scale = np.float32(width**-0.5)
    weights = [tensors[f"{prefix}{part}.weight"].T for part in ("query", "key", "value")]
    biases = [tensors[f"{prefix}{part}.bias"] for part in ("query", "key", "value")]
    weight = np.concatenate([weights[0] * scale, *weights[1:]], axis=1)
    bias = np.concatenate([biases[0] * scale, *biases[1:]])
    parts = [f"{prefix}{part}" for part in ("query", "key", "value")]
    together = writer.linear(f"{prefix}qkv", x, weight, bias)
    writer.run("Split", [together, writer.integers(hidden, hidden, hidden)], parts, axis=1)

    def by_head(part: str, order: Sequence[int]) -> str:
        slices = writer.run("Reshape", [part, writer.integers(0, shape.heads, width)])
        return writer.run("Transpose", [slices], perm=order)

    query, key, value = parts
    scores = writer.run("MatMul", [by_head(query, (1, 0, 2)), by_head(key, (1, 2, 0))])
    attention = writer.run("Softmax", [scores], axis=-1)
    mixed = writer.run("MatMul", [attention, by_head(value, (1, 0, 2))])
    joined = writer.run("Transpose", [mixed], perm=(1, 0, 2))
    return writer.run("Reshape", [joined, writer.integers(0, hidden)])
