"""The converter, run by ONNX Runtime and compared with arithmetic that it does not share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import pytest
from safetensors.numpy import save_file

from pincite.providers.bundled.manifest import INPUT, OUTPUT
from pincite.providers.bundled.onnx_bert import (
    BertShape,
    Precision,
    convert,
    quantise,
    read_tensors,
)
from pincite.providers.bundled.protobuf import field, varint
from tests.providers.bundled.tiny_bert import HEADS, HIDDEN, VOCABULARY, forward, make_tensors

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tests.providers.bundled.tiny_bert import Tensors

SHAPE = BertShape(HEADS)


@pytest.fixture(scope="module")
def tensors() -> Tensors:
    return make_tensors()


@pytest.fixture(scope="module")
def weights(tensors: Tensors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "model.safetensors"
    save_file(tensors, path)
    return path


def run(graph: bytes, ids: list[int]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    vector: NDArray[np.float32] = session.run([OUTPUT], {INPUT: np.array(ids, np.int64)})[0]
    return vector


def some_ids(length: int) -> list[int]:
    numbers = np.random.default_rng(length).integers(0, len(VOCABULARY), length)
    return [int(number) for number in numbers]


@pytest.mark.parametrize("length", [1, 2, 7, 64])
def test_fp32_agrees_with_the_papers_arithmetic(
    weights: Path, tensors: Tensors, length: int
) -> None:
    ids = some_ids(length)
    vector = run(convert(read_tensors(weights), SHAPE, "fp32"), ids)
    assert vector.shape == (HIDDEN,)
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, forward(tensors, ids), atol=1e-5)


@pytest.mark.parametrize("precision", ["int8", "int7"])
@pytest.mark.parametrize("length", [1, 2, 7, 64])
def test_quantised_vectors_stay_close(
    weights: Path, tensors: Tensors, precision: Precision, length: int
) -> None:
    ids = some_ids(length)
    vector = run(convert(read_tensors(weights), SHAPE, precision), ids)
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)
    assert float(vector @ forward(tensors, ids)) > 0.98


@pytest.mark.parametrize("precision", ["fp32", "int8", "int7"])
def test_the_same_weights_give_the_same_bytes(weights: Path, precision: Precision) -> None:
    assert convert(read_tensors(weights), SHAPE, precision) == convert(
        read_tensors(weights), SHAPE, precision
    )


def test_int8_is_about_a_quarter_of_fp32(weights: Path) -> None:
    # The tiny model's names and scales weigh more than MiniLM's, where it is 0.26.
    assert len(convert(read_tensors(weights), SHAPE, "int8")) < 0.6 * len(
        convert(read_tensors(weights), SHAPE, "fp32")
    )


def test_old_checkpoint_names_mean_the_same(weights: Path, tensors: Tensors) -> None:
    renamed = {
        f"bert.{name}".replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): value
        for name, value in tensors.items()
    }
    old = weights.with_name("old.safetensors")
    save_file(renamed, old)
    assert convert(read_tensors(old), SHAPE, "fp32") == convert(
        read_tensors(weights), SHAPE, "fp32"
    )


def test_a_missing_tensor_is_named(weights: Path, tensors: Tensors) -> None:
    name = "encoder.layer.1.attention.self.key.bias"
    broken = weights.with_name("broken.safetensors")
    save_file({key: value for key, value in tensors.items() if key != name}, broken)
    with pytest.raises(KeyError, match=name):
        convert(read_tensors(broken), SHAPE, "fp32")


def test_quantising_scales_each_column_by_its_largest_weight() -> None:
    values = np.array([[1.0, -2.54], [-0.5, 1.27]], np.float32)
    quantised, scales = quantise(values, axis=0, largest=127)
    # 1/127 and 2.54/127 = 0.02; -0.5 * 127 = -63.5 rounds to the even -64; 1.27/0.02 = 63.5 too.
    np.testing.assert_allclose(scales, [[1 / 127, 0.02]], rtol=1e-6)
    assert quantised.tolist() == [[127, -127], [-64, 64]]


def test_a_column_of_zeros_stays_zero() -> None:
    quantised, scales = quantise(np.zeros((3, 1), np.float32), axis=0, largest=127)
    assert not quantised.any()
    assert np.isfinite(scales).all()


def test_numbers_are_encoded_as_protobuf_says() -> None:
    assert varint(1) == b"\x01"
    assert varint(300) == b"\xac\x02"
    assert varint(-1) == b"\xff" * 9 + b"\x01"
    assert field(1, 150) == b"\x08\x96\x01"
    assert field(2, "testing") == b"\x12\x07testing"
    assert field(2, 1.0) == b"\x15\x00\x00\x80\x3f"
