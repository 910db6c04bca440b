"""SPLADE on a small real model, against the arithmetic of the paper."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ConfigError, ModelUnavailable
from pincite.ports import SparseEncoder
from pincite.providers.sparse.engine_bm25 import EngineBm25Encoder
from pincite.providers.sparse.splade import SpladeEncoder
from pincite.providers.transformers.heads import predict_words
from pincite.testing.encoders import CountingContract, SparseEncoderContract
from tests.providers.bundled.tiny_bert import VOCABULARY
from tests.providers.transformers.published_graph import publish_graph
from tests.providers.transformers.tiny_heads import masked_tensors, piece_logits, pieces, publish

TEXT = "the retry policy of the agent"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("words") / "tiny", masked_tensors())


def reference(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """max over the pieces of ln(1 + relu(logit))"""
    logits = piece_logits(masked_tensors(), pieces(text)[0])
    return np.asarray(np.log1p(np.maximum(logits, 0)).max(axis=0))


def test_weights_are_those_of_the_paper(folder: Path) -> None:
    expected = reference(TEXT)
    vector = SpladeEncoder(folder, prune_below=0, query_terms=len(VOCABULARY)).encode_query(TEXT)
    assert vector.indices == tuple(np.flatnonzero(expected))
    np.testing.assert_allclose(vector.values, expected[expected > 0], atol=1e-4)


def test_the_heaviest_terms_are_kept(folder: Path) -> None:
    encoder = SpladeEncoder(folder, prune_below=0.3, document_terms=5, query_terms=2)
    expected = reference(TEXT)
    for most, vector in ((5, encoder.encode_document(TEXT, 1)[0]), (2, encoder.encode_query(TEXT))):
        best = np.argsort(-expected)[:most]
        assert set(vector.indices) == {int(i) for i in best if expected[i] > 0.3}
    assert encoder.encode_query(TEXT).indices != ()


def test_light_terms_are_pruned(folder: Path) -> None:
    vector = SpladeEncoder(folder, prune_below=0.5).encode_query(TEXT)
    assert len(vector.indices) == (reference(TEXT) > 0.5).sum() > 0


def test_normalised_vectors_have_length_one_after_pruning(folder: Path) -> None:
    vector, _ = SpladeEncoder(folder, normalise=True, document_terms=3).encode_document(TEXT, 1)
    assert len(vector.values) == 3
    assert np.linalg.norm(vector.values) == pytest.approx(1)


def test_a_published_graph_gives_the_same(folder: Path, tmp_path: Path) -> None:
    twin = SpladeEncoder(publish_graph(tmp_path / "graph", folder, "", predict_words))
    ours, theirs = SpladeEncoder(folder).encode_query(TEXT), twin.encode_query(TEXT)
    assert theirs.indices == ours.indices
    assert theirs.values == pytest.approx(ours.values, abs=1e-5)


def test_whatever_changes_vectors_changes_the_fingerprint(folder: Path) -> None:
    variants: list[dict[str, object]] = [
        {},
        {"prune_below": 0.5},
        {"document_terms": 9},
        {"query_terms": 9},
        {"normalise": True},
        {"max_pieces": 9},
        {"precision": "int7"},
    ]
    prints = {SpladeEncoder(folder, **variant).fingerprint for variant in variants}  # type: ignore[arg-type]
    assert len(prints) == len(variants)


def test_the_length_never_asks_for_weighing_again(folder: Path) -> None:
    encoder = SpladeEncoder(folder)
    assert encoder.encode_document(TEXT, 1.0) == encoder.encode_document(TEXT, 100.0)
    assert encoder.encode_document(TEXT, 1.0)[1] == 1


def test_terms_are_named_for_people(folder: Path) -> None:
    encoder = SpladeEncoder(folder)
    vector = encoder.encode_query(TEXT)
    named = encoder.terms(vector)
    assert set(named) == {VOCABULARY[index] for index in vector.indices}
    assert list(named.values()) == sorted(vector.values, reverse=True)


def test_a_model_without_words_is_refused(tmp_path: Path) -> None:
    tensors = {n: v for n, v in masked_tensors().items() if not n.startswith("cls")}
    with pytest.raises(ModelUnavailable, match=r"cls\.predictions"):
        SpladeEncoder(publish(tmp_path / "no-head", tensors))


def test_numbers_out_of_range_are_refused(folder: Path) -> None:
    with pytest.raises(ConfigError):
        SpladeEncoder(folder, query_terms=0)


def test_the_engine_s_bm25_counts_the_words_of_a_query() -> None:
    encoder = EngineBm25Encoder()
    assert encoder.encode_query("forks fork the forked spoon").values in ((3.0, 1.0), (1.0, 3.0))


def test_the_engine_s_bm25_refuses_a_language_it_does_not_know() -> None:
    with pytest.raises(ConfigError, match="klingon"):
        EngineBm25Encoder("klingon")
    assert EngineBm25Encoder("none").encode_query("the").values == (1.0,)


class TestSplade(SparseEncoderContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[SparseEncoder]:
        with tempfile.TemporaryDirectory() as root:
            yield SpladeEncoder(publish(Path(root) / "tiny", masked_tensors()))


class TestEngineBm25(CountingContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[SparseEncoder]:
        yield EngineBm25Encoder()
