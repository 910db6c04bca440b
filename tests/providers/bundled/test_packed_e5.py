"""The second model: its packed file, its prefixes, and `bundled:multilingual`."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from pincite.errors import ConfigError, ModelUnavailable
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.known_models import MULTILINGUAL_E5_SMALL
from pincite.providers.bundled.minilm import MiniLmEncoder
from pincite.providers.bundled.origins import FetchOptions
from pincite.providers.bundled.packed_e5 import read_packed
from pincite.providers.names import parse_model
from pincite.providers.registry import Registry
from pincite.support.fields import replace
from tests.providers.bundled.packed import FILE, NAME, PIECES, pack, publish, tensors_of_pieces
from tests.providers.bundled.tiny_bert import forward


@cache
def raw() -> bytes:
    return pack(tensors_of_pieces())[0]


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    model, _ = publish(tmp_path / "published")
    options = FetchOptions(order=(f"folder:{tmp_path / 'published'}",))
    return fetch(NAME, tmp_path / "models", options=options, catalog={NAME: model})


def test_all_weights_are_read_as_they_were_packed(tmp_path: Path) -> None:
    publish(tmp_path)
    _, said = pack(tensors_of_pieces())
    read = read_packed(tmp_path / FILE).tensors
    assert set(read) == set(said)
    for name, values in said.items():
        np.testing.assert_array_equal(read[name], values, err_msg=name)


def test_words_are_cut_into_the_pieces_with_the_highest_sum_of_scores(tmp_path: Path) -> None:
    publish(tmp_path)
    tokenizer = Tokenizer.from_str(read_packed(tmp_path / FILE).tokenizer.decode())
    found = tokenizer.encode("the  agents retry 漢字")
    assert found.tokens == [*("<s>", "▁the", "▁agent", "s", "▁re", "try", "▁", "漢", "字", "</s>")]
    assert found.ids[0] == PIECES.index("<s>")
    assert tokenizer.encode("Ω").ids[-2] == PIECES.index("<unk>")


def test_a_vector_is_that_of_the_arithmetic_with_the_prefix_before_it(cached: Path) -> None:
    _, said = pack(tensors_of_pieces())
    encoder = MiniLmEncoder(cached)
    tokenizer = Tokenizer.from_file(str(cached / "tokenizer.json"))
    try:
        for prefix, vector in (
            ("query: ", asyncio.run(encoder.embed_query("the agents"))),
            ("passage: ", encoder.embed_many(["the agents"])[0]),
        ):
            wanted = forward(said, tokenizer.encode(prefix + "the agents").ids)
            assert float(vector @ wanted) > 0.98
        assert encoder.languages == frozenset()
    finally:
        encoder.close()


def test_what_is_cached_is_ready_and_is_not_fetched_again(cached: Path, tmp_path: Path) -> None:
    model, _ = publish(tmp_path / "published")
    again = fetch(NAME, cached.parent, options=FetchOptions(order=()), catalog={NAME: model})
    assert again == cached
    other = replace(model, weights=replace(model.weights, sha256="0" * 64))
    with pytest.raises(ModelUnavailable, match="could not be fetched"):
        fetch(NAME, cached.parent, options=FetchOptions(order=()), catalog={NAME: other})


def test_the_hub_has_no_packed_model_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="hub: not published there in this form"):
        fetch(
            *(MULTILINGUAL_E5_SMALL.name, tmp_path),
            options=FetchOptions(order=("hub",), hub_url="http://127.0.0.1:1"),
        )


@settings(max_examples=60)
@example(kept=None, place=575, flipped=128)
@example(kept=None, place=399, flipped=128)
@given(
    kept=st.none() | st.floats(0, 1, exclude_max=True),
    place=st.integers(0, 599),
    flipped=st.integers(1, 255),
)
def test_a_damaged_file_is_refused_and_never_more(
    kept: float | None,
    place: int,
    flipped: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("damaged") / FILE
    bad = bytearray(raw() if kept is None else raw()[: int(kept * len(raw()))])
    if place < len(bad):
        bad[place] ^= flipped
    path.write_bytes(bytes(bad))
    with suppress(ModelUnavailable):  # a weight that is another one is for the hash to find
        read_packed(path)


@pytest.mark.parametrize("name", ["bundled:other", "bundled:multilingual@128"])
def test_a_name_that_there_is_not_is_refused_with_those_that_are(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a bundled model") as caught:
        asyncio.run(Registry(models=tmp_path).open("dense", name))
    assert "bundled:multilingual" in caught.value.hint
    assert parse_model(name).provider == "bundled"


def test_offline_nothing_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="offline is set") as caught:
        asyncio.run(Registry(models=tmp_path, offline=True).open("dense", "bundled:multilingual"))
    assert caught.value.hint == "pincite models fetch multilingual-e5-small"
