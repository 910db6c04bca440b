"""Weights of a search: of the dense sides of collections, and of the question's terms."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from pincite.deps import Deps
from pincite.model import Query, Ranking
from pincite.model.term_ids import term_id
from pincite.stages.fuse import FuseConfig, dense_weight
from pincite.support.term_share import idf_of


def dense_weights(
    deps: Deps, query: Query, config: FuseConfig, code: Container[str]
) -> dict[str, float]:
    """Return the weight of the dense side of each collection for this query, in proportion to the
    share of chunks that have a vector. `code` has the names of the collections of code."""
    language = deps.language_of(query.text)
    words = count_words(query.text, deps.terms)
    return {
        one.spec.name: one.embedded
        * dense_weight(
            language,
            one.spec.language,
            one.dense.languages,
            config,
            code=one.spec.name in code,
            names=bool(query.identifiers),
            words=words,
        )
        for one in deps.collections
        if one.dense is not None
    }


def count_words(text: str, terms: Callable[[str], frozenset[str]]) -> int:
    """Return the number of informative words of a question. A name in ASCII such as `user_id` or
    `sn6e00786594` is one word, however many terms it has. Other words count as many times as they
    have terms, because some scripts put no spaces between words."""
    found = ((word, len(terms(word))) for word in text.split())
    return sum(min(count, 1) if word.isascii() else count for word, count in found)


def term_weights(
    deps: Deps, text: str, rankings: Sequence[Ranking], *, apart: bool
) -> Mapping[str, Mapping[str, float]]:
    """Return the IDF of each term of the question among the chunks (`idf_of`), for each collection
    that has counted its terms. A term that no chunk contains weighs as much as a term of one chunk.
    Collections in another language than the first are left out, because the terms are stems of that
    language. Empty if the caller is kept `apart` from others."""
    if apart:
        return {}
    asked = deps.terms(text)
    language = deps.collections[0].spec.language
    alike = {one.spec.name for one in deps.collections if one.spec.language == language}
    found = {}
    for one in rankings:
        counted = one.counted
        if one.collection in alike and counted is not None and one.wording == 0:
            having = {term: max(1, counted.having.get(term_id(term), 0)) for term in asked}
            found[one.collection] = {term: idf_of(counted.chunks, n) for term, n in having.items()}
    return found
