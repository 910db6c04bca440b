"""Score how well the facts of one user fit a query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pincite.providers.sparse.analyser import Analyser
from pincite.providers.sparse.bm25 import K1, B
from pincite.support.term_share import idf_of

#: A fact without a word of the query fits from this cosine on. mem0 uses the same; unmeasured.
LEAST_COSINE: Final = 0.1


def word_scores(query: str, texts: Sequence[str], analyser: Analyser) -> list[float]:
    """Return a keyword score of each text, 0 to 1, in the order of `texts`.

    It is Okapi BM25 (see `providers.sparse.bm25`) with the statistics of these texts, divided by
    its upper bound, which a text of nothing but the query's words would approach:

        sum of idf(t) tf (k1 + 1) / (tf + k1 (1 - b + b length / average))
        over sum of idf(t) (k1 + 1), for each term t of the query

    In the divisor, a term that no text has counts as a term of one text.
    """
    asked = dict.fromkeys(analyser.terms(query))
    counts = [Counter(analyser.terms(text)) for text in texts]
    having = {term: sum(term in one for one in counts) for term in asked}
    idf = {term: idf_of(len(texts), n or 1) for term, n in having.items()}
    highest = (K1 + 1) * math.fsum(idf.values())
    lengths = [sum(one.values()) for one in counts]
    average = max(1.0, sum(lengths) / max(1, len(lengths)))
    scores = []
    for one, length in zip(counts, lengths, strict=True):
        norm = K1 * (1 - B + B * length / average)
        score = math.fsum(idf[t] * one[t] * (K1 + 1) / (one[t] + norm) for t in asked if one[t])
        scores.append(score / highest if highest else 0.0)
    return scores


def combined(words: float, cosine: float) -> float:
    """Combine both scores, 0 to 1: their mean, with a negative cosine as 0. The result is 0 if the
    fact shares no word with the query and has no similar meaning."""
    if not words and cosine < LEAST_COSINE:
        return 0.0
    return (words + max(0.0, min(1.0, cosine))) / 2
