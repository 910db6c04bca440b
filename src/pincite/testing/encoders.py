"""Tests of what `DenseEncoder` and `SparseEncoder` promise."""

from __future__ import annotations

import numpy as np

from pincite.ports import DenseEncoder, GroupedEncoder, SparseEncoder
from pincite.testing.running import contract

TEXTS = (
    "how are chunks cited?",
    "x",
    "parseHTTPResponse(raw: bytes) -> Response",
    "文書を引用する 🎉 \N{MATHEMATICAL FRAKTUR SMALL A}",
    "a" * 5_000,
    "word " * 2_000,
    "nul \x00 inside",
    " ",
)


class DenseEncoderContract:
    """Derive from it and let `opened` yield an encoder."""

    @contract
    async def test_vectors_are_unit_float32_of_the_stated_length(
        self, encoder: DenseEncoder
    ) -> None:
        matrix = await encoder.embed_documents(TEXTS)
        assert matrix.shape == (len(TEXTS), encoder.dimensions)
        assert matrix.dtype == np.float32
        assert np.allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=1e-3)
        query = await encoder.embed_query(TEXTS[0])
        assert query.shape == (encoder.dimensions,)
        assert query.dtype == np.float32
        assert abs(float(np.linalg.norm(query)) - 1.0) < 1e-3

    @contract
    async def test_a_vector_is_a_function_of_its_text_alone(self, encoder: DenseEncoder) -> None:
        together = await encoder.embed_documents(TEXTS)
        for row, text in zip(together, TEXTS, strict=True):
            alone = await encoder.embed_documents([text])
            assert np.array_equal(alone[0], row)
        backwards = await encoder.embed_documents(TEXTS[::-1])
        assert np.array_equal(backwards[::-1], together)

    @contract
    async def test_no_texts_give_no_rows(self, encoder: DenseEncoder) -> None:
        assert (await encoder.embed_documents([])).shape == (0, encoder.dimensions)

    @contract
    async def test_queries_are_repeatable_and_differ(self, encoder: DenseEncoder) -> None:
        first, again = (
            await encoder.embed_query("one thing"),
            await encoder.embed_query("one thing"),
        )
        assert np.array_equal(first, again)
        assert not np.array_equal(first, await encoder.embed_query("another"))

    @contract
    async def test_the_fingerprint_is_one_printable_line(self, encoder: DenseEncoder) -> None:
        assert encoder.fingerprint
        assert encoder.fingerprint.isprintable()


class GroupedEncoderContract:
    """Derive from it as well as from `DenseEncoderContract`, and let `opened` yield an encoder that
    is both."""

    @contract
    async def test_each_document_gets_a_matrix_of_its_chunks(self, encoder: GroupedEncoder) -> None:
        found = await encoder.embed_grouped([["one", "two", "three"], [], ["four"]])
        assert [len(matrix) for matrix in found] == [3, 0, 1]
        for matrix in found:
            assert matrix.dtype == np.float32
            assert np.allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=1e-3)
        assert await encoder.embed_grouped([]) == ()

    @contract
    async def test_a_vector_depends_on_its_document_and_no_other(
        self, encoder: GroupedEncoder
    ) -> None:
        document = ["the gate", "it turns", "when pushed"]
        together = await encoder.embed_grouped([["something else"], document, list(TEXTS)])
        (alone,) = await encoder.embed_grouped([document])
        assert np.array_equal(together[1], alone)
        (changed,) = await encoder.embed_grouped([["the door", *document[1:]]])
        assert not np.array_equal(changed[1], alone[1])


class SparseEncoderContract:
    """Derive from it and let `opened` yield an encoder. `CountingContract` is for those with
    IDF."""

    @contract
    async def test_vectors_are_ascending_u32_with_positive_values(
        self, encoder: SparseEncoder
    ) -> None:
        for text in TEXTS:
            document, _ = encoder.encode_document(text, 12.5)
            for vector in (document, encoder.encode_query(text)):
                assert len(vector.indices) == len(vector.values)
                assert list(vector.indices) == sorted(set(vector.indices))
                assert all(0 <= index < 2**32 for index in vector.indices)
                assert all(0 < value < float("inf") for value in vector.values)

    @contract
    async def test_a_query_finds_the_terms_of_a_document(self, encoder: SparseEncoder) -> None:
        document, length = encoder.encode_document("the brown turnstile rotates", 4.0)
        assert set(encoder.encode_query("turnstile").indices) <= set(document.indices)
        assert length > 0

    @contract
    async def test_a_text_without_terms_is_empty(self, encoder: SparseEncoder) -> None:
        assert encoder.encode_query("").indices == ()
        vector, length = encoder.encode_document("", 5.0)
        assert (vector.indices, vector.values, length) == ((), (), 0)

    @contract
    async def test_the_fingerprint_is_one_printable_line(self, encoder: SparseEncoder) -> None:
        assert encoder.fingerprint
        assert encoder.fingerprint.isprintable()


class CountingContract(SparseEncoderContract):
    """Tests of term weights that the store multiplies by the IDF."""

    @contract
    async def test_query_values_are_counts(self, encoder: SparseEncoder) -> None:
        vector = encoder.encode_query("turnstile turnstile")
        assert encoder.idf
        assert set(vector.values) == {2.0}

    @contract
    async def test_a_document_longer_than_average_weighs_less(self, encoder: SparseEncoder) -> None:
        short, _ = encoder.encode_document("turnstile", 10.0)
        in_short_ones, _ = encoder.encode_document("turnstile", 0.5)
        assert sum(in_short_ones.values) < sum(short.values)
