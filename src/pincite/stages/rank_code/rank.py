"""Rank passages of code by their files. The name of a file, its definitions, and the share of the
hits that lie in it tell more than a few lines can."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import merge
from math import fsum, sqrt
from types import MappingProxyType
from typing import NamedTuple

from pincite.model import Candidate, Chunk, Query, Signal
from pincite.stages.rank_code.bare import is_bare, known_bare
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.copied import Copied
from pincite.stages.rank_code.definitions import (
    at_their_paths,
    defining,
    defining_files,
    definition_part,
    names_of,
)
from pincite.stages.rank_code.first import changelogs_first, in_front, tests_of
from pincite.stages.rank_code.known import KnownTerms, Rarity, asked_terms
from pincite.stages.rank_code.names import name_parts
from pincite.stages.rank_code.paths import is_changelog, is_of_tests, place_of, priors_for
from pincite.stages.rank_code.scores import Scores
from pincite.stages.rank_code.words import Likeness, QuestionWords, Terms, vocabulary_of

__all__ = ["RankCodeConfig", "rank_code"]

_File = tuple[str, str, str]  # collection, source, path
_FEW = 2  # added to the total: one file easily has most of a few; 0 to 3 are alike
_NEARLY_ALL = 0.9  # of the candidates; .75 costs adk-dev .006, docs/decisions/0028


class _Passage(NamedTuple):
    """A candidate and its numbers, all in 0..1 but `definition`: `score`, its share of the best
    score; `adds`, its contribution to the coherence of its file; `definition`, that of its
    definitions; `copied`, how much of it the question has copied; `words`, its share of the best
    keyword score; `again`, the weight of `words` against `score`."""

    candidate: Candidate
    score: float
    adds: float
    definition: float
    copied: float
    words: float
    again: float


def rank_code(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    code: frozenset[str] = frozenset(),
    partial: Mapping[str, float] = MappingProxyType({}),
    rarity: Rarity = MappingProxyType({}),
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
      with more than `dominant` of all definitions counts less, down to nothing. Passages
      outside of definitions count as one definition, unless no hit lies in any.
    - names: see `names.name_parts`; definition: the best of its passages, see `definitions`;
      copied: the best of its passages, see `copied`
    - known: the share of the question's terms in the file's passage with the best keyword score,
      times the gathering. The weight of a term is its `rarity` in the collection, or 1 if that is
      unknown. If all files are of one source, the terms of its name do not count
    - prior: see `paths`

    The passages of a file, best first by s + definition + copied, get this score times that sum
    divided by that of the first, times `further` for each passage before them. The s + definition
    of comments and imports only is multiplied by `bare`, so that the code that they introduce
    precedes them.

    If documentation was found beside code, the score of a candidate of code is the mean of its
    previous score and the new one, with the weight `mixed` for the new one: such a question needs
    passages, of pages and of several definitions, more than one file. From nine tenths of code on,
    this weight grows, up to 1 for code alone. But a question that is only a name, or asks where one
    is defined, gets `defined_first` of its definitions first, one of each file. A question for the
    tests of one thing gets as many files of tests with the name of this thing. If a question asks
    what changed, or when, the scores of all but changelogs are multiplied by `unasked`.

    `terms` returns the stems of a word. `partial` has the share of chunks with a dense vector, by
    collection. In these collections, the dense side does not count for coherence, and the exponent
    of scores lies between `words_power` and 1 in proportion.
    """
    if not config.enabled:
        return tuple(candidates)
    ranked = tuple(candidates)
    if any(_is_code(one, code) for one in candidates):
        ranked = _by_files(query, candidates, terms, config, code, partial, rarity)
    return changelogs_first(query.text, ranked, config.unasked)


def _by_files(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    code: frozenset[str],
    partial: Mapping[str, float],
    rarity: Rarity,
) -> tuple[Candidate, ...]:
    ours: list[Candidate] = []
    others: list[Candidate] = []
    for one in candidates:
        takes_part = _is_code(one, code) or is_of_tests(one.chunk.path)
        (ours if takes_part else others).append(one)
    given = sorted((one.rank_signal for one in ours), key=lambda signal: -signal.value)
    trust = _trust(len(ours) / len(candidates), config)
    ordered = _ordered(query, ours, terms, config, partial, rarity)
    ranked = [
        one.with_signal(*parts, Signal("ranked", signal.kind, _between(one, signal, trust)))
        for (one, parts), signal in zip(ordered, given, strict=True)
    ]
    if trust < 1:
        ranked.sort(key=lambda one: one.rank_key)
    others.sort(key=lambda one: one.rank_key)
    merged = tuple(merge(ranked, others, key=lambda one: -one.rank_signal.value))
    in_order = [one for one, _ in ordered]
    most = config.defined_first
    meant = defining(query, in_order, most, beside_pages=bool(others)) or tests_of(
        query.text, in_order, most, vocabulary_of(terms)
    )
    return in_front(meant, merged) if meant else merged


def _is_code(one: Candidate, code: AbstractSet[str]) -> bool:
    return one.chunk.source_type == "code" or one.collection in code


def _trust(share: float, config: RankCodeConfig) -> float:
    """Return the weight of the order of files, in 0..1, for the share of the candidates that take
    part."""
    return config.mixed + (1 - config.mixed) * max(0.0, (share - _NEARLY_ALL) / (1 - _NEARLY_ALL))


def _between(one: Candidate, by_file: Signal, trust: float) -> float:
    return trust * by_file.value + (1 - trust) * one.rank_signal.value


def _ordered(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    partial: Mapping[str, float],
    rarity: Rarity,
) -> list[tuple[Candidate, tuple[Signal, ...]]]:
    """Return the candidates in their new order, each with the parts of its file's score."""
    vocabulary = vocabulary_of(terms)
    asked = vocabulary.asked(query)
    priors = priors_for(query.text, config)
    like, copied = Likeness(asked.words, vocabulary), Copied(query.text)
    files = _files(candidates, asked, like, copied, config, partial)
    paths = {path for *_, path in files}
    sources = {source for _, source, _ in files}
    names = name_parts(asked, paths, vocabulary, config, sources)
    shares, gathered = _coherence(files, config.coherent_from, config.dominant)
    named = frozenset[str]() if config.source_named else sources
    needed = (
        asked_terms(query.text, terms, named) if config.terms and gathered else frozenset[str]()
    )
    known = KnownTerms(needed, terms, rarity)
    scored: list[tuple[float, Candidate, tuple[Signal, ...]]] = []
    for key, passages in files.items():
        kinds = {one.candidate.chunk.source_type for one in passages}
        parts = (
            Signal("coherence", "share", shares[key]),
            Signal("names", "share", names[key[2]]),
            Signal("definition", "share", max(one.definition for one in passages)),
            Signal("copied", "share", max(one.copied for one in passages)),
            Signal("terms", "share", gathered * known.share(_by_words(passages))),
            Signal("prior", "share", priors.of(kinds, passages[0].candidate.chunk.path)),
        )
        best = _best(passages, gathered)
        of_file = (
            best
            + config.coherence * parts[0].value
            + parts[1].value
            + parts[2].value
            + parts[3].value
            + config.terms * parts[4].value
        ) * parts[5].value
        own = [(_own(one, config, len(passages)), one.candidate) for one in passages]
        own.sort(key=lambda pair: (-pair[0], pair[1].chunk.id))
        first = own[0][0] or 1.0
        for before, (score, candidate) in enumerate(own):
            scored.append((of_file * score / first * config.further**before, candidate, parts))
    scored.sort(key=lambda one: (-one[0], one[1].chunk.id, one[1].collection))
    return [(one, parts) for _, one, parts in scored]


def _files(
    candidates: Sequence[Candidate],
    asked: QuestionWords,
    like: Likeness,
    copied: Copied,
    config: RankCodeConfig,
    partial: Mapping[str, float],
) -> Mapping[_File, Sequence[_Passage]]:
    """Return the passages of each file."""
    scores = Scores.of(candidates)
    shares = scores.shares(config.words_power, partial)
    adding = scores.adding(config.coherent_dense, partial) or shares
    words = scores.words()
    places: dict[_File, list[int]] = defaultdict(list)
    for place, one in enumerate(candidates):
        places[one.collection, one.chunk.repo, one.chunk.path or one.chunk.id].append(place)
    names = [names_of(one.chunk.symbols) for one in candidates]
    defined = [names_of(one.chunk.definitions) for one in candidates]
    defining = {
        **defining_files([names[place] for place in of_file] for of_file in places.values()),
        **defining_files([defined[place] for place in of_file] for of_file in places.values()),
    }

    found = at_their_paths(asked, [one.chunk for one in candidates])
    placed = frozenset[str]().union(*(one.within for one in found))

    def passage(place: int) -> _Passage:
        one = candidates[place]
        own = found[place].own if found else frozenset[str]()
        both = (names[place], defined[place])
        part = definition_part(asked, *both, like, defining, config, own, placed)
        again = config.words_again * partial.get(one.collection, 1.0) if words else 0.0
        said = words[place] if words else 0.0
        same = config.copied * copied.part(one.chunk.text) if config.copied else 0.0
        return _Passage(one, shares[place], adding[place], part, same, said, again)

    return {key: [passage(place) for place in of_file] for key, of_file in places.items()}


def _best(passages: Sequence[_Passage], gathered: float) -> float:
    """Return the value of a file's best passage. One vector describes single lines; the keyword
    score also tells files apart."""
    again = gathered * passages[0].again
    score = max(one.score for one in passages)
    return (1 - again) * score + again * sqrt(max(one.words for one in passages))


def _by_words(passages: Sequence[_Passage]) -> Candidate:
    """Return the passage of a file with the best keyword score, or with the best score if only one
    side found it."""
    best = min(passages, key=lambda one: (-(one.words or one.score), one.candidate.chunk.id))
    return best.candidate


def _own(passage: _Passage, config: RankCodeConfig, of_file: int) -> float:
    """Return the value of a passage among the `of_file` passages of its file."""
    value = passage.score + passage.definition
    chunk = passage.candidate.chunk
    introduces = of_file > 1 and config.bare < 1 and not chunk.symbols and is_bare(chunk.text)
    return (value * config.bare if introduces else value) + passage.copied


def _coherence(
    files: Mapping[_File, Sequence[_Passage]], least: float, dominant: float
) -> tuple[dict[_File, float], float]:
    """Return the coherence of each file, and how much definitions gather in files. The coherence is
    the sum over the file's definitions, divided by the largest sum, times the gathering. Scores
    below `least` do not count: such passages hardly belong to the question, and large files have
    many of them. A file with more than the share `dominant` of all definitions counts less, because
    hits in it are then expected."""
    sums: dict[_File, float] = {}
    counts: dict[_File, int] = {}
    definitions = 0
    known = any(_definition(each.candidate.chunk) for found in files.values() for each in found)
    for key, passages in files.items():
        best: dict[str, float] = {}
        for one in passages:
            chunk = one.candidate.chunk
            name = _definition(chunk) if known else chunk.id
            best[name] = max(best.get(name, 0.0), one.adds - least)
        sums[key] = fsum(best.values())
        counts[key] = len(best)
        definitions += len(best)
    gathered = min(1.0, 2 * (1 - len(files) / definitions))
    largest = max(sums.values()) or 1.0
    return {
        key: gathered * value / largest * _says(counts[key] / (definitions + _FEW), dominant)
        for key, value in sums.items()
    }, gathered


def _says(of_all: float, dominant: float) -> float:
    """Return how much the coherence of a file with this share of all definitions counts, in
    0..1."""
    return 1.0 if of_all <= dominant else (1 - of_all) / (1 - dominant)


def _definition(chunk: Chunk) -> str:
    """Return the definition that a passage belongs to: its own, else the enclosing one, else ""."""
    if chunk.definitions:
        return chunk.definitions[0]
    return chunk.headings[-1] if chunk.headings else ""


def forget() -> None:
    """Clear the caches of names, paths and texts."""
    for known in (is_changelog, known_bare, names_of, is_of_tests, place_of, vocabulary_of):
        known.cache_clear()
