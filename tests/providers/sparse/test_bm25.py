from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.model.catalog import AVERAGE_LENGTH
from pincite.model.term_ids import term_id
from pincite.providers.sparse.analyser import Analyser, is_unspaced
from pincite.providers.sparse.bm25 import Bm25Encoder, average_length
from tests.time_limits import HANGS_S

ENCODER = Bm25Encoder("english", k1=1.5, b=0.75)


def weights(text: str, average: float) -> dict[int, float]:
    vector, _ = ENCODER.encode_document(text, average)
    return dict(zip(vector.indices, vector.values, strict=True))


def test_a_document_weighs_its_terms_by_the_formula() -> None:
    # Three terms, one of them twice; the average is 6, so the norm is
    # 1.5 (1 - 0.75 + 0.75 * 4 / 6) = 1.125.
    found = weights("fox fox cow hen", 6.0)
    assert found[term_id("cow")] == pytest.approx(1 * 2.5 / (1 + 1.125))
    assert found[term_id("fox")] == pytest.approx(2 * 2.5 / (2 + 1.125))


def test_the_length_is_the_number_of_terms() -> None:
    assert ENCODER.encode_document("the fox and the hens", 10.0)[1] == 2
    assert ENCODER.encode_document("get_user", 10.0)[1] == 3


def test_a_query_counts_its_terms() -> None:
    vector = ENCODER.encode_query("fox and fox or hen")
    assert dict(zip(vector.indices, vector.values, strict=True)) == {
        term_id("fox"): 2.0,
        term_id("hen"): 1.0,
    }


@pytest.mark.parametrize("text", ["", "the of and", "🎉"])
def test_without_terms_vectors_are_empty(text: str) -> None:
    assert ENCODER.encode_query(text).indices == ()
    assert ENCODER.encode_document(text, 5.0) == (ENCODER.encode_query(text), 0)


@given(st.text(max_size=500))
def test_indices_are_ascending_unique_and_32_bits(text: str) -> None:
    vector, _ = ENCODER.encode_document(text, 7.0)
    assert list(vector.indices) == sorted(set(vector.indices))
    assert all(0 <= i < 2**32 for i in vector.indices)
    assert len(vector.indices) == len(vector.values)
    assert all(value > 0 for value in vector.values)


def test_ids_are_the_same_in_every_process() -> None:
    code = "from pincite.model.term_ids import term_id; print(term_id('fox'))"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=HANGS_S
    )
    assert int(said.stdout) == term_id("fox") == 3_786_988_939


def test_the_fingerprint_tells_settings_apart() -> None:
    prints = {
        Bm25Encoder(language, k1, b).fingerprint
        for language in ("english", "german")
        for k1 in (1.2, 1.5)
        for b in (0.5, 0.75)
    }
    assert len(prints) == 8


@given(st.lists(st.text(), max_size=5))
@example(["a b a", "b a b"])
@example(["C++ and c#, os.path.join and 漢字カナ", "x" * 200])
@example(["", "e.g. U.S.A don't"])
def test_counts_are_those_of_the_terms_whatever_was_counted_before(texts: list[str]) -> None:
    encoder = Bm25Encoder()
    for text in [*texts, *texts]:
        terms = Analyser().terms(text)
        counts, (_, length) = encoder.encode_query(text), encoder.encode_document(text, 64.0)
        expected = Counter(map(term_id, terms))
        if any(map(is_unspaced, encoder.analyser.split(text))):
            assert set(counts.indices) <= set(expected)
        else:
            assert dict(zip(counts.indices, counts.values, strict=True)) == expected
        assert length == len(terms)


def test_a_name_counts_three_times_beside_a_script_without_spaces() -> None:
    """A word of two ideographs is three terms."""
    encoder = Bm25Encoder()
    asked = encoder.encode_query("SIGPIPE 表示")
    values = dict(zip(asked.indices, asked.values, strict=True))
    expected = {"sigpip": 3.0, "表示": 1.0, "表": 1.0, "示": 1.0}
    assert values == {term_id(term): count for term, count in expected.items()}
    plain = encoder.encode_query("SIGPIPE número")
    assert set(plain.values) == {1.0}


def test_queries_lack_question_words_of_asia_and_documents_have_them() -> None:
    encoder = Bm25Encoder()
    asked, kept = encoder.encode_query("信号是什么"), encoder.encode_query("信号")
    assert set(asked.indices) >= set(kept.indices)
    assert term_id("什么") not in asked.indices
    assert term_id("什么") in encoder.encode_document("信号是什么", 64.0)[0].indices
    assert encoder.encode_query("什么").indices


def test_counts_stay_when_what_was_learnt_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.providers.sparse.bm25._REMEMBERED", 3)
    text = "the lantern on the shelf needs oil_and_wick, the lamp a new wick"
    encoder = Bm25Encoder()
    fresh = Bm25Encoder().encode_document(text, 64.0)
    assert [encoder.encode_document(text, 64.0) for _ in range(3)] == [fresh] * 3


def test_texts_without_spaces_have_a_longer_average() -> None:
    """Each of their characters gives up to two terms."""
    assert average_length("chinese") > 2 * average_length("english")
    assert average_length("english") == average_length("german") == AVERAGE_LENGTH
