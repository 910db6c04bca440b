"""Code is found by passages and ranked by files: what a file is called, what it defines, and how
much of what was found lies in it say more than a few lines can."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from math import fsum
from types import MappingProxyType

from pincite.model import Candidate, Chunk, Query, Signal, SignalName
from pincite.stages.rank_code.bare import is_bare
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.definitions import defining_files, definition_part
from pincite.stages.rank_code.names import name_parts
from pincite.stages.rank_code.paths import priors_for
from pincite.stages.rank_code.words import Overlap, Terms, Vocabulary

__all__ = ["RankCodeConfig", "rank_code"]

_File = tuple[str, str, str]  # collection, source, path
_EQUAL = 1e-6  # scores that differ by less say nothing of a scale; rounding is below it
_NEARLY_ALL = 0.9  # of what was found; .75 costs adk-dev .006, docs/decisions/0028


@dataclass(frozen=True, slots=True)
class _Passage:
    """A candidate, its share of the best score (0..1), what it adds to the coherence of its file
    (0..1), and what its definitions say."""

    candidate: Candidate
    score: float
    adds: float
    definition: float


def rank_code(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    code: frozenset[str] = frozenset(),
    partial: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Candidate, ...]:
    """The candidates with those of code in the order of their files, and the signal `ranked`.

    All candidates of the collections named in `code` take part, and passages of source code of
    the others. They share out the scores that they came with: the best of them gets the highest,
    so that what takes no part keeps its place among them. With s a candidate's score over the
    highest (to the power of `words_power` where words alone gave the scores), the score of a file
    is

        (max s + coherence * share + names + definition) * prior

    - share: the sum of max(0, t - `coherent_from`) over the distinct definitions of the file (of
      each the best passage), over that of the file with the largest sum, times how much definitions
      gather in files: t is the weighted sum of both sides' scores, each over its range,
      `coherent_dense` of it dense, over the highest, and they gather by min(1, 2 (1 - files /
      definitions)), so that nothing is said where every file has but one; what stands in no
      definition is one together, unless nothing that was found stands in any
    - names: see `names.name_parts`; definition: the best of its passages, see `definitions`
    - prior: see `paths`

    and the passages of a file, best first by s + definition, get this score times their s +
    definition over that of the first, times `further` for each one before them. There s +
    definition of nothing but comments and imports is multiplied by `bare`: what they introduce goes
    ahead.

    Where documentation was found beside code, the score of a candidate of code is a mean of the one
    that it came with and the one that it gets, `mixed` of it the latter: such a question wants
    passages, of pages and of several definitions, more than one file. From nine tenths of code on
    the share grows, up to the whole where all that was found is code.

    `terms` gives the stems of a word. `partial` says of collections what part of their chunks has a
    dense vector yet: the dense side says nothing for their coherence, and the power of scores lies
    as far between that of words alone and 1.
    """
    ours: list[Candidate] = []
    others: list[Candidate] = []
    for one in candidates:
        takes_part = one.chunk.source_type == "code" or one.collection in code
        (ours if takes_part else others).append(one)
    if not ours or not config.enabled:
        return tuple(candidates)
    given = sorted((one.rank_signal for one in ours), key=lambda signal: -signal.value)
    trust = _trust(len(ours) / len(candidates), config)
    ranked = [
        one.with_signal(Signal("ranked", signal.kind, _between(one, signal, trust)))
        for one, signal in zip(_ranked(query, ours, terms, config, partial), given, strict=True)
    ]
    if trust < 1:
        ranked.sort(key=lambda one: one.rank_key)
    others.sort(key=lambda one: one.rank_key)
    return tuple(merge(ranked, others, key=lambda one: -one.rank_signal.value))


def _trust(share: float, config: RankCodeConfig) -> float:
    """How much the order of files counts where so much of what was found takes part, 0..1."""
    return config.mixed + (1 - config.mixed) * max(0.0, (share - _NEARLY_ALL) / (1 - _NEARLY_ALL))


def _between(one: Candidate, by_file: Signal, trust: float) -> float:
    return trust * by_file.value + (1 - trust) * one.rank_signal.value


def _ranked(
    query: Query,
    candidates: Sequence[Candidate],
    terms: Terms,
    config: RankCodeConfig,
    partial: Mapping[str, float],
) -> list[Candidate]:
    """The candidates in their new order, with the parts of the scores of their files."""
    vocabulary = Vocabulary(terms)
    asked = vocabulary.asked(query)
    priors = priors_for(query.text, config)
    files: dict[_File, list[_Passage]] = defaultdict(list)
    chunks: dict[_File, list[Chunk]] = defaultdict(list)
    for one in candidates:
        chunks[_file(one)].append(one.chunk)
    overlap = Overlap(asked.words, vocabulary)
    defining = defining_files(chunks.values())
    scores = _scores(candidates, config.words_power, partial)
    adding = _adding(candidates, config.coherent_dense, partial) or scores
    for one, score, adds in zip(candidates, scores, adding, strict=True):
        part = definition_part(asked, one.chunk, overlap, defining, config)
        files[_file(one)].append(_Passage(one, score, adds, part))
    paths = {path for *_, path in files}
    names = name_parts(asked, paths, vocabulary, config, {source for _, source, _ in files})
    shares = _coherence(files, config.coherent_from)
    scored: list[tuple[float, Candidate]] = []
    for key, passages in files.items():
        kinds = {chunk.source_type: chunk for chunk in chunks[key]}
        parts = (
            Signal("coherence", "share", shares[key]),
            Signal("names", "share", names[key[2]]),
            Signal("definition", "share", max(one.definition for one in passages)),
            Signal("prior", "share", max(priors.of(chunk) for chunk in kinds.values())),
        )
        best = max(one.score for one in passages)
        of_file = (
            best + config.coherence * parts[0].value + parts[1].value + parts[2].value
        ) * parts[3].value
        own = [(_own(one, config, len(passages)), one.candidate) for one in passages]
        own.sort(key=lambda pair: (-pair[0], pair[1].chunk.id))
        first = own[0][0] or 1.0
        for before, (score, candidate) in enumerate(own):
            value = of_file * score / first * config.further**before
            scored.append((value, _with_parts(candidate, parts)))
    scored.sort(key=lambda pair: (-pair[0], pair[1].chunk.id, pair[1].collection))
    return [one for _, one in scored]


def _own(passage: _Passage, config: RankCodeConfig, of_file: int) -> float:
    """What a passage counts among the others `of_file`."""
    value = passage.score + passage.definition
    chunk = passage.candidate.chunk
    introduces = of_file > 1 and config.bare < 1 and not chunk.symbols and is_bare(chunk.text)
    return value * config.bare if introduces else value


def _scores(
    candidates: Sequence[Candidate], words_power: float, partial: Mapping[str, float]
) -> list[float]:
    """Their scores over the highest, 0..1. Of what was found by words alone fusion has stretched
    them, and the last would count nothing: see `_unstretched`. One rare word can bring a passage
    far ahead there, so a power brings the others closer to it, the less the more of a collection
    has a vector."""
    by_words = all(one.signal("sparse") and not one.signal("dense") for one in candidates)
    values = _unstretched(candidates) if by_words else [one.rank_signal.value for one in candidates]
    lowest = min(0.0, *values)
    top = max(values) - lowest or 1.0
    return [
        ((value - lowest) / top) ** (share + (1 - share) * words_power)
        for value, one in zip(values, candidates, strict=True)
        for share in (0.0 if by_words else partial.get(one.collection, 1.0),)
    ]


def _unstretched(candidates: Sequence[Candidate]) -> list[float]:
    """The scores of what words alone have found, where no word would be 0. Fusion takes the lowest
    for 0; what has come to a score since (smoothing, the weight of a collection) is kept."""
    of: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in candidates:
        of[one.collection].append((_value(one, "sparse"), _value(one, "fused")))
    together = _slope([pair for pairs in of.values() for pair in pairs])
    slopes = {name: _slope(pairs, together) for name, pairs in of.items()}
    return [
        one.rank_signal.value
        - _value(one, "fused")
        + slopes[one.collection] * _value(one, "sparse")
        for one in candidates
    ]


def _slope(pairs: Sequence[tuple[float, float]], known: float | None = None) -> float:
    """What fusion has made of one unit of a score by words; where the scores do not differ, that is
    `known` from those of all collections."""
    (low, least), (high, most) = min(pairs), max(pairs)
    if high - low > _EQUAL * abs(high) and most > least:
        return (most - least) / (high - low)
    if known is not None:
        return known
    return most / high if high > 0 else 1.0


def _value(one: Candidate, name: SignalName) -> float:
    signal = one.signal(name)
    return one.rank_signal.value if signal is None else signal.value


def _file(one: Candidate) -> _File:
    return one.collection, one.chunk.repo, one.chunk.path or one.chunk.id


def _adding(
    candidates: Sequence[Candidate], dense: float, partial: Mapping[str, float]
) -> list[float]:
    """What was found by each side, over its range, as one number of 0..1 for each candidate; none
    where the sides are not known. The words count more here than they do in a question of prose
    for single passages: which file is about it, its words say better than one vector does. While
    vectors are being made they count alone, for a sum of passages with and without one says how far
    the vectors are, and not which file is meant."""
    sides = {name: [one.signal(name) for one in candidates] for name in ("sparse", "dense")}
    if not any(sides["sparse"]):
        return []
    weight = dense if any(sides["dense"]) else 0.0
    words = _over_range(sides["sparse"], 0.0)
    meanings = _over_range(sides["dense"])
    weights = [0.0 if one.collection in partial else weight for one in candidates]
    mixed = [
        share * by_meaning + (1 - share) * by_word
        for share, by_meaning, by_word in zip(weights, meanings, words, strict=True)
    ]
    top = max(mixed) or 1.0
    return [value / top for value in mixed]


def _over_range(signals: Sequence[Signal | None], lowest: float | None = None) -> list[float]:
    known = [signal.value for signal in signals if signal is not None] or [0.0]
    low, high = min(known) if lowest is None else min(lowest, *known), max(known)
    width = high - low or 1.0
    return [0.0 if signal is None else (signal.value - low) / width for signal in signals]


def _coherence(files: Mapping[_File, Sequence[_Passage]], least: float) -> dict[_File, float]:
    """Of each file the sum over its definitions, over the largest, times how they gather. What
    scores less than `least` hardly belongs to the question, and large files have much of it."""
    sums: dict[_File, float] = {}
    definitions = 0
    known = any(_definition(each.candidate.chunk) for found in files.values() for each in found)
    for key, passages in files.items():
        best: dict[str, float] = {}
        for one in passages:
            chunk = one.candidate.chunk
            name = _definition(chunk) if known else chunk.id
            best[name] = max(best.get(name, 0.0), one.adds - least)
        sums[key] = fsum(best.values())
        definitions += len(best)
    gathered = min(1.0, 2 * (1 - len(files) / definitions))
    largest = max(sums.values()) or 1.0
    return {key: gathered * value / largest for key, value in sums.items()}


def _definition(chunk: Chunk) -> str:
    """What a passage is of: what it defines, else what it stands in, else nothing."""
    if chunk.symbols:
        return chunk.symbols[0]
    return chunk.headings[-1] if chunk.headings else ""


def _with_parts(one: Candidate, parts: Sequence[Signal]) -> Candidate:
    return Candidate(one.collection, one.chunk, (*one.signals, *parts), one.vector)
