"""SPLADE: a masked language model selects and weighs the terms of its vocabulary for a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pincite.errors import ConfigError, ModelUnavailable
from pincite.model import SparseVector
from pincite.providers.transformers.folder import read_folder
from pincite.providers.transformers.heads import term_weights
from pincite.providers.transformers.session import TransformerSession

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.providers.bundled.onnx_bert import Precision

#: Weights at most this are dropped. # guess, unmeasured
PRUNE_BELOW = 0.01
#: Maximum of terms of a document and of a query. Published models average 120 to 260 terms a
#: passage and 20 to 50 a query (Formal et al. 2021, tables 1 and 2). # unmeasured here
DOCUMENT_TERMS, QUERY_TERMS = 256, 64


class SpladeEncoder:
    """A `SparseEncoder` without IDF over a folder (`providers.transformers.folder`).

    A term's weight is max over the pieces of ln(1 + relu(logit)) (Formal et al. 2021, "SPLADE
    v2", section 3); an index is the term's number in the vocabulary. Weights at most `prune_below`
    and all but the heaviest `document_terms` or `query_terms` are dropped, equal ones by number.
    `normalise` divides by the L2 norm of what is left, which makes the scores cosines.
    """

    idf = False

    def __init__(
        self,
        folder: Path,
        *,
        name: str | None = None,
        prune_below: float = PRUNE_BELOW,
        document_terms: int = DOCUMENT_TERMS,
        query_terms: int = QUERY_TERMS,
        normalise: bool = False,
        max_pieces: int | None = None,
        precision: Precision = "fp32",
    ) -> None:
        """Load the model. Raises ModelUnavailable, and ConfigError for numbers out of range."""
        if prune_below < 0 or min(document_terms, query_terms) < 1:
            raise ConfigError(
                "prune_below must not be negative, and the number of terms must be at least 1"
            )
        self._session = TransformerSession(read_folder(folder), term_weights, precision, max_pieces)
        self._prune_below = prune_below
        self._document_terms, self._query_terms = document_terms, query_terms
        self._normalise = normalise
        session = self._session
        self.fingerprint = (
            f"splade/{name or folder.name}/{session.precision}/{session.sha256[:12]}"
            f"/{session.longest}/prune={prune_below:g}/top={document_terms},{query_terms}"
            f"/{'l2' if normalise else 'raw'}"
        )

    def encode_query(self, text: str) -> SparseVector:
        """Return the heaviest `query_terms` terms, none for a text without terms."""
        return self._encode(text, self._query_terms)

    def encode_document(
        self,
        text: str,
        average_length: float,  # noqa: ARG002  # learned weights do not use it
    ) -> tuple[SparseVector, int]:
        """Return the heaviest `document_terms` terms; the length is 1, or 0 if there are none."""
        vector = self._encode(text, self._document_terms)
        return vector, int(bool(vector.indices))

    def terms(self, vector: SparseVector) -> dict[str, float]:
        """Return the vector as words and weights, heaviest first, for people."""
        pairs = sorted(zip(vector.values, vector.indices, strict=True), key=lambda p: (-p[0], p[1]))
        return {self._session.token(index): value for value, index in pairs}

    def _encode(self, text: str, most: int) -> SparseVector:
        if not text.strip():
            return SparseVector((), ())
        weights = _weights(self._session.run(text))
        kept = np.flatnonzero(weights > self._prune_below)
        # Stable, so that the lower number of equal weights stays.
        heaviest = kept[np.argsort(-weights[kept], kind="stable")[:most]]
        heaviest.sort()
        values = weights[heaviest].astype(np.float64)
        if self._normalise and values.size:
            values /= np.linalg.norm(values)
        return SparseVector(tuple(map(int, heaviest)), tuple(map(float, values)))


def _weights(output: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the weight of every term: the output of our graph unchanged, or computed from the
    logits of a published graph."""
    if output.ndim == 1:
        weights = output
    elif output.ndim == 2:  # (pieces, vocabulary)
        weights = np.log1p(np.maximum(output.max(axis=0), 0))
    else:
        raise ModelUnavailable(
            f"SPLADE returned an output with {output.ndim} dimensions, not 1 or 2"
        )
    if not np.isfinite(weights).all():
        raise ModelUnavailable("SPLADE returned weights that are not numbers")
    return weights
