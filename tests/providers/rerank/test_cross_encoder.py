"""A cross-encoder of this machine, against the arithmetic of the papers."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pincite.errors import ConfigError, ModelUnavailable
from pincite.model import SignalKind
from pincite.ports import Reranker, RerankScore
from pincite.providers.rerank.cross_encoder import CrossEncoder
from pincite.providers.rerank.scoring import AsProbabilities
from pincite.providers.transformers.heads import TYPES, classify
from pincite.testing.rerankers import RerankerContract
from tests.providers.transformers.published_graph import publish_graph
from tests.providers.transformers.tiny_heads import pair_logits, pair_tensors, pieces, publish

QUERY = "retry policy?"
DOCUMENTS = (
    "the agent session",
    "hello world",
    "",
    "the retry policy of the agent! 漢字",
    "x",
)


def scores_of(encoder: Reranker, *documents: str, query: str = QUERY) -> dict[int, float]:
    scores = asyncio.run(encoder.rerank(query, documents or DOCUMENTS))
    return {one.index: one.score for one in scores}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("pairs") / "tiny", pair_tensors())


def test_scores_are_those_of_the_reference(folder: Path) -> None:
    encoder = CrossEncoder(folder, threads=2)
    found = scores_of(encoder)
    for index, document in enumerate(DOCUMENTS):
        expected = pair_logits(pair_tensors(), *pieces(QUERY, document))
        assert found[index] == pytest.approx(expected[0], abs=1e-4)
    assert max(found.values()) - min(found.values()) > 0.01
    asyncio.run(encoder.close())


def test_two_labels_give_the_softmax_of_yes(tmp_path: Path) -> None:
    tensors = pair_tensors(labels=2)
    encoder = CrossEncoder(publish(tmp_path / "two", tensors, id2label={"0": "no", "1": "yes"}))
    (found,) = scores_of(AsProbabilities(encoder), "hello world").values()
    no, yes = pair_logits(tensors, *pieces(QUERY, "hello world"))
    assert found == pytest.approx(math.exp(yes) / (math.exp(no) + math.exp(yes)), abs=1e-5)
    asyncio.run(encoder.close())


def test_long_pairs_are_cut_from_the_longer_text(folder: Path) -> None:
    encoder = CrossEncoder(folder, max_pieces=12)
    (found,) = scores_of(encoder, "hello " * 40).values()
    # [CLS] + 3 pieces of the query + [SEP] + what fits of the document + [SEP]
    assert pieces(QUERY)[0][1:-1] == pieces("retry policy ?")[0][1:-1]
    expected = pair_logits(pair_tensors(), *pieces(QUERY, "hello " * 6))
    assert found == pytest.approx(expected[0], abs=1e-4)
    asyncio.run(encoder.close())


def test_a_score_is_a_function_of_its_pair_alone(folder: Path) -> None:
    encoder = CrossEncoder(folder)
    together = scores_of(encoder)
    alone = [scores_of(encoder, document)[0] for document in DOCUMENTS]
    assert [together[n] for n in range(len(DOCUMENTS))] == alone
    asyncio.run(encoder.close())


def test_a_published_graph_with_a_batch_gives_the_same(folder: Path, tmp_path: Path) -> None:
    copy = publish_graph(tmp_path / "graph", folder, TYPES, lambda w, t, _, h: classify(w, t, h))
    encoder, twin = CrossEncoder(folder), CrossEncoder(copy)
    assert scores_of(twin) == pytest.approx(scores_of(encoder), abs=1e-6)
    assert "/onnx/" in twin.fingerprint
    asyncio.run(encoder.close())
    asyncio.run(twin.close())


def test_quantised_scores_are_near(folder: Path) -> None:
    exact, quantised = CrossEncoder(folder), CrossEncoder(folder, precision="int7")
    assert exact.fingerprint != quantised.fingerprint
    assert scores_of(quantised) == pytest.approx(scores_of(exact), abs=0.15)
    asyncio.run(exact.close())
    asyncio.run(quantised.close())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id2label": {"0": "a", "1": "b", "2": "c"}}, "3 classes"),
        ({"model_type": "xlm-roberta"}, "only BERT weights"),
    ],
)
def test_what_is_no_cross_encoder_is_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises((ConfigError, ModelUnavailable), match=message):
        CrossEncoder(publish(tmp_path / "odd", pair_tensors(), **change))


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(missing: str, tmp_path: Path) -> None:
    folder = publish(tmp_path / "part", pair_tensors())
    (folder / missing).unlink()
    with pytest.raises(ModelUnavailable, match=missing):
        CrossEncoder(folder)


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    tensors = {n: v for n, v in pair_tensors().items() if not n.startswith("classifier")}
    with pytest.raises(ModelUnavailable, match=r"classifier\.weight"):
        CrossEncoder(publish(tmp_path / "no-head", tensors))


def test_a_sigmoid_is_applied_to_logits_once(folder: Path) -> None:
    encoder = CrossEncoder(folder)
    squashed = AsProbabilities(encoder)
    logits, probabilities = scores_of(encoder), scores_of(squashed)
    for index, logit in logits.items():
        assert probabilities[index] == pytest.approx(1 / (1 + math.exp(-logit)))
    with pytest.raises(ConfigError, match="logits only"):
        AsProbabilities(squashed)
    asyncio.run(encoder.close())


class _Constant:
    fingerprint = "constant"
    kind: SignalKind = "logit"
    listwise = False
    instructed = False

    def __init__(self, *logits: float) -> None:
        self._logits = logits

    async def rerank(
        self, query: str, documents: object, top_n: int | None = None, *, instruction: str = ""
    ) -> tuple[RerankScore, ...]:
        return tuple(RerankScore(n, value) for n, value in enumerate(self._logits))

    async def close(self) -> None:
        pass


def test_a_sigmoid_never_overflows() -> None:
    found = scores_of(AsProbabilities(_Constant(900.0, 0.0, -900.0)))
    assert found == {0: 1.0, 1: 0.5, 2: 0.0}


def test_a_cancelled_rerank_stops(folder: Path) -> None:
    encoder = CrossEncoder(folder, threads=1)

    async def give_up() -> None:
        async with asyncio.timeout(0.02):
            await encoder.rerank(QUERY, ["hello world"] * 4_000)

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert scores_of(encoder, "x")  # the worker is free again
    asyncio.run(encoder.close())


class TestCrossEncoder(RerankerContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Reranker]:
        with TemporaryDirectory() as root:
            encoder = CrossEncoder(publish(Path(root) / "tiny", pair_tensors()))
            yield encoder
            await encoder.close()
