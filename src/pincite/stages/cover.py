"""Measure how much of the question a candidate covers: a signal with a scale, for the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pincite.model import Signal
from pincite.support.message_values import Message
from pincite.support.question_words import without_question_words
from pincite.support.ranges import require_range
from pincite.support.term_share import term_share

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pincite.model import Candidate


class CoverageConfig(msgspec.Struct, frozen=True):
    """`candidates`: the number of top candidates to examine. `word_weight`: the weight of the words
    where the cosine, whose weight is 1, is known.

    AUROC of on-topic against off-topic questions, mean of ten tasks: only words .941, only the best
    cosine .991, cosine + w words .994 (w = 1), .995 (0.5); product .994, maximum .983. Questions
    whose answers were taken out of the corpus, mean of seven: .685, .675, .727, .725, product .720.
    5 candidates, 10 or 1 make no difference (.941, .940, .943). Words that weigh by their rarity:
    near questions .744 to .765, mean of nine sets, far ones .999 as before (docs/decisions/0024).
    """

    candidates: int = 5
    word_weight: float = 0.5

    def __post_init__(self) -> None:
        require_range(self, "cover", "candidates", least=1)
        require_range(self, "cover", "word_weight", least=0)


class CoverFacts(msgspec.Struct, frozen=True):
    """Facts about the searched collections. `foreign` are those whose language their dense model
    does not know, `partial` those where some chunks have no vector yet. `rarity` has the weight of
    each word of the question in a collection, where that is known."""

    foreign: frozenset[str] = frozenset()
    partial: Collection[str] = frozenset()
    rarity: Mapping[str, Mapping[str, float]] = msgspec.field(default_factory=dict)


def cover(
    question: str,
    candidates: Sequence[Candidate],
    terms: Callable[[str], frozenset[str]],
    config: CoverageConfig,
    facts: CoverFacts = CoverFacts(),
    before: Sequence[Candidate] = (),
) -> tuple[Candidate, ...]:
    """Return the candidates in their order, with the signal `coverage` on the best few. `before`
    has the same candidates in the order before reranking. The best few of these get the signal too,
    so that a reranker cannot lower a verdict that rests on it.

    `terms` returns the informative words of a text, without function words. The share is that of
    the question's words that a candidate has, 0 for a question without words. Each word weighs its
    `rarity` in the collection, or 1 if that is unknown. If code has the question literally, as an
    error message, the numbers and paths that the message fills in do not count. The signal is

        share                              kind `share`, if no cosine is known
        (cosine + w share) / (1 + w)       kind `normalised`, with negative cosines as 0

    Both lie in 0..1. In `foreign` collections, cosines rank somewhat, but their size means nothing
    (AUROC on Chinese: .64, words .95), so only the words count. A candidate that only a rephrasing
    found has no cosine where others have one, and gets no signal. The exception is a collection in
    `partial`, where its vector may still be missing: it gets the share.
    """
    asked = terms(without_question_words(question))
    message = Message(question)
    said = terms(message.without_values)
    by_meaning = {one.collection for one in candidates if one.signal("dense") is not None}
    by_meaning.difference_update(facts.partial)
    ahead = {one.key for one in before[: config.candidates]}
    return tuple(
        one.with_signal(_coverage(one, _asked_of(one, asked, message, said), terms, config, facts))
        if (place < config.candidates or one.key in ahead)
        and (one.collection not in by_meaning or one.signal("dense") is not None)
        else one
        for place, one in enumerate(candidates)
    )


def only_word(
    question: str, candidates: Sequence[Candidate], terms: Callable[[str], frozenset[str]]
) -> str | None:
    """Return the path of the first candidate with all terms of a question that is one word. None
    for a question of several, or if no candidate has them. `terms` as in `cover`."""
    if len(question.split()) != 1 or not (asked := terms(question)):
        return None
    for one in candidates:
        if asked <= terms(one.chunk.indexed):
            return one.chunk.path
    return None


def _asked_of(
    one: Candidate, asked: frozenset[str], message: Message, said: frozenset[str]
) -> frozenset[str]:
    """Return the terms to look for in this candidate: those that are `said` without the values of
    the message if this is the code that has the message."""
    is_source = said and one.chunk.source_type == "code" and message.is_in(one.chunk.text)
    return asked & said if is_source else asked


def _coverage(
    candidate: Candidate,
    asked: frozenset[str],
    terms: Callable[[str], frozenset[str]],
    config: CoverageConfig,
    facts: CoverFacts,
) -> Signal:
    weights = facts.rarity.get(candidate.collection, {})
    share = term_share(asked, terms(candidate.chunk.indexed), weights)
    dense = candidate.signal("dense")
    if dense is None or dense.kind != "cosine" or candidate.collection in facts.foreign:
        return Signal("coverage", "share", share)
    weight = config.word_weight
    value = (min(1.0, max(0.0, dense.value)) + weight * share) / (1 + weight)
    return Signal("coverage", "normalised", value)
