"""BM25 as sparse vectors: the document side here, the IDF in `pincite.index.idf`."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Final

from pincite.model import SparseVector
from pincite.model.catalog import AVERAGE_LENGTH
from pincite.model.term_ids import term_id
from pincite.providers.sparse.analyser import ANALYSER_VERSION, Analyser, is_unspaced
from pincite.providers.sparse.languages import UNSPACED
from pincite.support.question_words import without_question_words
from pincite.support.remembered import Remembered

#: nDCG@10, mean of ten collections, lexical and hybrid: k1 0.6 .683 .754, 0.9 .685 .753, 1.2 .686
#: .752, 1.5 .686 .750, 2.0 .683. 1.2 loses nothing on either side. b 0.6 instead of 0.75: .684 and
#: .752, mostly a loss on code.
K1: Final = 1.2
B: Final = 0.75

#: Used as `AVERAGE_LENGTH` for scripts without spaces, whose terms are characters and pairs of
#: them. A Chinese collection has 195 terms a chunk.
_UNSPACED_LENGTH: Final = 192.0

#: The count of each occurrence of a word in a query that also has a script without spaces. A word
#: of two ideographs gives three terms, a name one. 1, 2, 3: nDCG@10 of xquad-zh .955 .958 .959, MRR
#: of 48 questions about manuals .473 .486 .507 (docs/decisions/0004).
_BESIDE: Final = 3

#: Distinct terms, and distinct units of texts, whose ids are cached; the cache is emptied when
#: full. About 10 MB each.
_REMEMBERED: Final = 100_000


class Bm25Encoder:
    """Implements `SparseEncoder`. A document's weight of a term that it has tf times is

        tf (k1 + 1) / (tf + k1 (1 - b + b * length / average_length))

    a query's is its count, and the index multiplies with ln(1 + (N - n + 0.5) / (n + 0.5)), so
    that the dot product is Okapi BM25 in the form of Robertson and Zaragoza (2009, "The
    Probabilistic Relevance Framework: BM25 and Beyond", 3.1) with an IDF that is never negative.
    """

    idf = True

    def __init__(self, language: str = "english", k1: float = K1, b: float = B) -> None:
        self.analyser = Analyser(language)
        self._k1 = k1
        self._b = b
        self._ids = Remembered(term_id, _REMEMBERED)
        self._known = Remembered(self._ids_of, _REMEMBERED, self.analyser.keeps)

    @property
    def fingerprint(self) -> str:
        """Return analyser version, language and parameters; the average length is not part of
        it."""
        return f"bm25/{ANALYSER_VERSION}/{self.analyser.language}/k1={self._k1:g}/b={self._b:g}"

    def encode_query(self, text: str) -> SparseVector:
        """Return how often the query contains each of its terms. Counts matter: leaving them out
        costs verbose questions up to 9 points of nDCG@10. Question words of Chinese, Japanese and
        Korean are left out. Beside scripts without spaces, a word counts `_BESIDE` times."""
        asked = without_question_words(text)
        counts, _ = self._counts(asked)
        if not asked.isascii():
            units = self.analyser.split(asked)
            words = [unit for unit in units if not is_unspaced(unit)]
            if len(words) < len(units):
                more, _ = self._counts(" ".join(words * (_BESIDE - 1)))
                counts.update(more)
        indices = sorted(counts)
        return SparseVector(tuple(indices), tuple(float(counts[i]) for i in indices))

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        """Return the weights of a text and its number of terms."""
        counts, length = self._counts(text)
        norm, k = self._k1 * (1 - self._b + self._b * length / average_length), self._k1 + 1
        weight_of = {tf: tf * k / (tf + norm) for tf in set(counts.values())}  # a few numbers
        indices = sorted(counts)
        weights = map(weight_of.__getitem__, map(counts.__getitem__, indices))
        return SparseVector(tuple(indices), tuple(weights)), length

    def _counts(self, text: str) -> tuple[dict[int, int], int]:
        """Return the counts by id, and the length in terms. Two terms may share an id; about 1 in
        100,000 does."""
        ids = list(chain.from_iterable(map(self._known.__getitem__, self.analyser.split(text))))
        return Counter(ids), len(ids)

    def _ids_of(self, unit: str) -> tuple[int, ...]:
        return tuple(map(self._ids.__getitem__, self.analyser.terms_of(unit)))


def average_length(language: str) -> float:
    """Return the length in terms to which those of a collection's chunks are compared."""
    return _UNSPACED_LENGTH if language in UNSPACED else AVERAGE_LENGTH
