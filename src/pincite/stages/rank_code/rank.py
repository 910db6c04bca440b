"""Rank passages of code by their files. The name of a file, its definitions, and the share of the
hits that lie in it tell more than a few lines can."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import merge
from types import MappingProxyType

from pincite.model import Candidate, Query, Signal, SignalName
from pincite.model.retrieval import in_front
from pincite.stages.rank_code.bare import known_bare
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.copied import Copied
from pincite.stages.rank_code.definitions import (
    apart_from_code,
    defining,
    names_of,
)
from pincite.stages.rank_code.files import (
    FileParts,
    RatedFile,
    best_by_words,
    best_value,
    coherence_of,
    own_value,
    passages_by_file,
)
from pincite.stages.rank_code.first import at_places, tests_of
from pincite.stages.rank_code.headers import bodies_first
from pincite.stages.rank_code.known import KnownTerms, Rarity, asked_terms
from pincite.stages.rank_code.names import name_parts
from pincite.stages.rank_code.page_lead import raise_pages
from pincite.stages.rank_code.paths import is_changelog, is_of_tests, place_of
from pincite.stages.rank_code.priors import Priors, priors_for
from pincite.stages.rank_code.related import related
from pincite.stages.rank_code.routes import handlers
from pincite.stages.rank_code.unasked import changelogs_first, lower_unasked
from pincite.stages.rank_code.words import Likeness, Terms, vocabulary_of

_MOST_KNOWN = 16  # files that are compared with the terms of the question
_NEARLY_ALL = 0.9  # of the candidates; .75 costs adk-dev .006, docs/decisions/0028


def rank_code(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    code: frozenset[str] = frozenset(),
    partial: Mapping[str, float] = MappingProxyType({}),
    rarity: Rarity = MappingProxyType({}),
    places: Mapping[tuple[str, str], int] = MappingProxyType({}),
) -> tuple[Candidate, ...]:
    """Return the candidates, those of code in the order of their files, with the signal `ranked`.

    All candidates of the collections named in `code` take part. In the others, passages of source
    code do, and texts and data of tests, such as snapshots of outputs. They exchange their previous
    scores among themselves, so that the best gets the highest, and candidates that do not take part
    keep their rank among them. With s a candidate's score divided by the highest one (to the power
    of `words_power` if only the keyword search found them), the score of a file is

        (best + coherence * share + names + definition + copied + terms * known) * prior

    - best: the highest s. If both sides are known, it is mixed with the root of the file's highest
      keyword score (divided by the highest of all), whose weight is `words_again` times the
      gathering of definitions.
    - share: the sum of max(0, t - `coherent_from`) over the distinct definitions of the file (of
      each, the best passage), divided by the largest such sum of a file, times the gathering of
      definitions. t is the weighted sum of both sides' scores, each over its range,
      `coherent_dense` of it dense, divided by the highest one. The gathering is min(1, 2 (1 - files
      / definitions)), so that nothing is added if every file has only one definition. A file
      with more than `dominant` of all definitions counts less, down to nothing. The sum of a file
      of more than 50,000 characters is divided by (length / 50,000)^.2. Passages outside of
      definitions count as one definition, unless no hit lies in any.
    - names: see `names.name_parts`; definition: the best of its passages, see `definitions`;
      copied: the best of its passages, see `copied`
    - known: the share of the question's terms in the file's passage with the best keyword score,
      times the gathering. The weight of a term is its `rarity` in the collection, or 1 if that is
      unknown. If all files are of one source, the terms of its name do not count. 0 for all but the
      16 best files by the other parts
    - prior: see `priors`, and `page_lead` for pages. The place of a file does not count if the
      file, or others of tests and examples, define a name that the question writes like code, and
      no other file does

    If a header of C has a higher score than the file with its bodies, the two exchange their scores
    (see `headers`).

    The passages of a file, best first by s + definition + copied, get this score times that sum
    divided by that of the first, times `further` for each passage before them. The s + definition
    of comments and imports only is multiplied by `bare`, so that the code that they introduce
    precedes them.

    If documentation was found beside code, the score of a candidate of code is the mean of its
    previous score and the new one, with the weight `mixed` for the new one: such a question needs
    passages, of pages and of several definitions, more than one file. From nine tenths of code on,
    this weight grows, up to 1 for code alone. As the place of a file counts half there, the scores
    of tests and changelogs that are not asked for are lowered again. But a question that is only a
    name, or asks where one is defined, gets `defined_first` of its definitions first, one of each
    file. A question for the tests of one thing gets as many files of tests with the name of this
    thing. A question for the callers, imports, heirs or overrides of a name gets all of these first
    (see `related`), and one for a route as many handlers of it (see `routes`). 0 switches all of
    this off. If a question asks what changed, or when, the scores of all but changelogs are
    multiplied by `unasked`. Before all of these come the passages, of code and pages, at `places`
    that the question names, such as the frames of a traceback: `first.at_places`. What comes first
    so has a signal with the value 1 that tells why: `relation`, `defined`, `tests`, `route` or
    `place`.

    `terms` returns the stems of a word. `partial` has the share of chunks with a dense vector, by
    collection. In these collections, the dense side does not count for coherence, and the exponent
    of scores lies between `words_power` and 1 in proportion.
    """
    if not config.enabled:
        return tuple(candidates)
    ranked = tuple(candidates)
    if any(_is_code(one, code) for one in candidates):
        ranked = _by_files(query, candidates, terms, config, code, partial, rarity)
    ranked = changelogs_first(query.asked.changes, ranked, config.unasked)
    placed = at_places(places, ranked)
    return in_front(placed, ranked, "place") if placed else ranked


def _by_files(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    code: frozenset[str],
    partial: Mapping[str, float],
    rarity: Rarity,
) -> tuple[Candidate, ...]:
    asked = query.asked
    ours: list[Candidate] = []
    others: list[Candidate] = []
    for one in candidates:
        takes_part = _is_code(one, code) or is_of_tests(one.chunk.path)
        (ours if takes_part else others).append(one)
    given = sorted((one.rank_signal for one in ours), key=lambda signal: -signal.value)
    trust = _trust(len(ours) / len(candidates), config)
    sources = frozenset[str]() if config.source_named else {one.chunk.repo for one in ours}
    known = KnownTerms(asked_terms(query.text, terms, sources), terms, rarity)
    priors = raise_pages(asked.kinds, ours, known, priors_for(asked, config))
    files = _rated(query, ours, terms, config, priors, partial, known, sources)
    ordered = _ordered(bodies_first(query, files) if config.bodies_first else files, config)
    ranked = [
        one.with_signal(*parts, Signal("ranked", signal.kind, _between(one, signal, trust)))
        for (one, parts), signal in zip(ordered, given, strict=True)
    ]
    if others:
        half = (1 - trust) / max(1 - config.mixed, 1e-9)
        ranked = lower_unasked(ranked, priors, half)
        others = lower_unasked(others, priors)
    merged = tuple(merge(ranked, others, key=lambda one: -one.rank_signal.value))
    in_order = [one for one, _ in ordered]
    most = config.defined_first
    ways: tuple[tuple[SignalName, Callable[[], list[Candidate]]], ...] = (
        ("relation", lambda: related(query, in_order)),
        ("defined", lambda: defining(query, in_order, most, beside_pages=bool(others))),
        ("tests", lambda: tests_of(asked.kinds.under_test, in_order, most, vocabulary_of(terms))),
        ("route", lambda: handlers(asked.route, in_order, most)),
    )
    for why, find in ways if most else ():
        if meant := find():
            return in_front(meant, merged, why)
    return merged


def _is_code(one: Candidate, code: AbstractSet[str]) -> bool:
    return one.chunk.source_type == "code" or one.collection in code


def _trust(share: float, config: RankCodeConfig) -> float:
    """Return the weight of the order of files, in 0..1, for the share of the candidates that take
    part."""
    return config.mixed + (1 - config.mixed) * max(0.0, (share - _NEARLY_ALL) / (1 - _NEARLY_ALL))


def _between(one: Candidate, by_file: Signal, trust: float) -> float:
    return trust * by_file.value + (1 - trust) * one.rank_signal.value


def _ordered(
    files: Sequence[RatedFile], config: RankCodeConfig
) -> list[tuple[Candidate, tuple[Signal, ...]]]:
    """Return the candidates of the files in their new order, each with the parts of its file's
    score."""
    scored: list[tuple[float, Candidate, tuple[Signal, ...]]] = []
    for one in files:
        first = one.own[0][0] or 1.0
        for before, (value, candidate) in enumerate(one.own):
            score = one.score * value / first * config.further**before
            scored.append((score, candidate, one.parts))
    scored.sort(key=lambda one: (-one[0], one[1].chunk.id, one[1].collection))
    return [(one, parts) for _, one, parts in scored]


def _rated(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    priors: Priors,
    partial: Mapping[str, float],
    known: KnownTerms,
    sources: AbstractSet[str],
) -> list[RatedFile]:
    """Return the files of the candidates with their scores."""
    vocabulary = vocabulary_of(terms)
    asked = vocabulary.asked(query)
    like, copied = Likeness(asked.words, vocabulary), Copied(query.text)
    files = passages_by_file(candidates, asked, like, copied, config, partial)
    paths = {path for *_, path in files}
    names = name_parts(asked, paths, vocabulary, config, sources)
    shares, gathered = coherence_of(files, config.coherent_from, config.dominant)
    compared = _MOST_KNOWN if config.terms and gathered else 0
    apart = apart_from_code(asked.code, (one.chunk for one in candidates))
    of_files = [
        FileParts(
            passages,
            best_value(passages, gathered),
            shares[key],
            names[key[2]],
            max(one.definition for one in passages),
            max(one.copied for one in passages),
            priors.of(
                {one.candidate.chunk.source_type for one in passages},
                passages[0].candidate.chunk.path,
                sought=any(apart & names_of(one.candidate.chunk.symbols) for one in passages),
            ),
        )
        for key, passages in files.items()
    ]
    of_files.sort(key=lambda one: -one.score(config))
    rated: list[RatedFile] = []
    for place, one in enumerate(of_files):
        passages = one.passages
        share = known.share(best_by_words(passages)) if place < compared else 0.0
        own = [(own_value(each, config, len(passages)), each.candidate) for each in passages]
        own.sort(key=lambda pair: (-pair[0], pair[1].chunk.id))
        parts = one.signals(gathered * share)
        rated.append(RatedFile(one.score(config, gathered * share), parts, own))
    return rated


def forget() -> None:
    """Clear the caches of names, paths and texts."""
    for known in (is_changelog, known_bare, names_of, is_of_tests, place_of, vocabulary_of):
        known.cache_clear()
