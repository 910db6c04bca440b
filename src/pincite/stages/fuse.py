"""Fuse several rankings into one list.

All methods run on the client, because engines break ties at random, count ranks from 0 and stretch
them by weights. Ties are broken by id, and sums use `math.fsum`. The order in which rankings and
hits arrive never changes the result.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from pincite.model import Fused, Ranking, Signal, SignalKind, SignalName
from pincite.support.ranges import require_one_of, require_range

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

FuseMethod = Literal["rrf", "rrf_bonus", "weighted_rrf", "dbsf", "weighted_sum", "weighted_dbsf"]
_Key: TypeAlias = tuple[str, str]  # collection, id
_Scale: TypeAlias = tuple[SignalName, SignalKind, str, int]  # scores that may be compared
_KINDS: Final[dict[FuseMethod, SignalKind]] = {
    "rrf": "rrf",
    "rrf_bonus": "rrf",
    "weighted_rrf": "rrf",
    "dbsf": "dbsf",
    "weighted_sum": "normalised",
    "weighted_dbsf": "dbsf",
}
_UNWEIGHTED: Final[tuple[FuseMethod, ...]] = ("rrf", "rrf_bonus", "dbsf")
#: The bonus of `rrf_bonus`, by the best rank in any list: the values of the local engine qmd.
_BONUS: Final = {1: 0.05, 2: 0.02, 3: 0.02}
#: The maximum number of informative words in a short question.
_SHORT: Final = 2


class FuseConfig(msgspec.Struct, frozen=True):
    """`dense_weight` is the share of the dense side; the lexical side has the rest. For `rrf`,
    `rrf_bonus` and `dbsf` it is always half. `foreign_dense_weight`, `code_dense_weight` and
    `short_dense_weight` replace it in the cases of the function `dense_weight`.

    nDCG@10, means of ten collections (docs/decisions/0004): weighted sum .737, with the rules of
    `dense_weight()` .752; dbsf .734, rrf .680, weighted rrf with the rules .712. `dense_weight`
    .3 .4 .5 .6 .7: .722 .732 .737 .731 .714. `foreign_dense_weight` .2 .3 .5: MiniLM on German
    .950 .951 .945, on Chinese .966 .965 .941. `code_dense_weight` .75 .78 .8 .85: CoSQA .599 .605
    .606 .602, code-search-dev .923 .923 .923 .922, adk-dev in code alone .186 .187 .181 at .75 .78
    .8 (docs/decisions/0056). `short_dense_weight` is measured in docs/decisions/0073.

    `vector_weight` shifts all of these weights, see `shifted`. 0 and 1 leave only one side.

    `expansion_weight`: the weight of a rephrasing; the question has 1.

    `apart`: the weighted sums scale each collection separately, so that the best hits of each count
    alike. This is right if all collections have the same subject, and wrong if most of them have
    nothing on the question (docs/decisions/0011): nDCG@12 of documentation and code of one
    framework .496 apart, .459 together, of five pairs of unrelated collections .585 apart, .620
    together.
    """

    method: FuseMethod = "weighted_sum"
    k: int = 60
    expansion_weight: float = 0.5
    dense_weight: float = 0.5
    foreign_dense_weight: float = 0.2
    code_dense_weight: float = 0.78
    short_dense_weight: float = 0.35
    apart: bool = False
    vector_weight: float = 0.5

    def __post_init__(self) -> None:
        weights = (name for name in self.__struct_fields__ if name.endswith("_weight"))
        require_one_of(self, "fuse", method=_KINDS)
        require_range(self, "fuse", "k", least=0)
        require_range(self, "fuse", *weights, least=0, most=1)


def dense_weight(
    query_language: str,
    collection_language: str,
    encoder_languages: frozenset[str],
    config: FuseConfig,
    *,
    code: bool = False,
    names: bool = False,
    words: int = _SHORT + 1,
) -> float:
    """Return how far to trust the dense side of one collection for one query.

    - Question and collection in a language that the encoder does not know: the weight is low,
      because the words do match. A question of unknown language counts as being in the
      collection's.
    - Question and collection in different languages: the default weight. The encoder may be weak
      here, but the words match even less (English questions over German: .52 for .2, .65 for .5,
      .70 for .6).
    - A question without names (`names`), over a collection of code: the weight is higher, because
      prose and code share few words. Names are matched best by their letters.
    - A question of one or two informative `words`, elsewhere: the weight is lower, because the
      encoder has little to go by, and a user who types a single word looks for that word.
    """
    same = query_language in ("unknown", collection_language)
    if encoder_languages and same and collection_language not in encoder_languages:
        return config.foreign_dense_weight
    if code:
        return config.dense_weight if names else config.code_dense_weight
    if 0 < words <= _SHORT:
        return min(config.short_dense_weight, config.dense_weight)
    return config.dense_weight


def shifted(weight: float, vector_weight: float) -> float:
    """Return the weight w of the dense side, shifted by a vector weight v: w v / (w v + (1 - w)(1 -
    v)), which multiplies the odds of both. It is w at v = .5, v at w = .5, 0 at v = 0 and 1 at v =
    1."""
    if vector_weight in (0, 1):
        return vector_weight
    dense, sparse = weight * vector_weight, (1 - weight) * (1 - vector_weight)
    return dense / (dense + sparse)


def fuse(
    rankings: Sequence[Ranking],
    config: FuseConfig,
    dense_weights: Mapping[str, float] | None = None,
    partial: Container[str] = frozenset(),
) -> tuple[Fused, ...]:
    """Return one list over all collections, ordered by (-fused, id, collection).

    `dense_weights` has the weight of the dense side by collection and replaces
    `config.dense_weight`. In a collection that only one signal ranked, that signal has all the
    weight.

    With a `vector_weight` v, `rrf`, `rrf_bonus` and `dbsf` multiply the dense side by 2 v and the
    other by 2 (1 - v). A side without weight brings no chunks.

    - `rrf`: sum of 1 / (k + rank) over the rankings, rank from 1, of the hits that the source
      found by itself (Cormack, Clarke and Büttcher, 2009, "Reciprocal rank fusion outperforms
      Condorcet and individual rank learning methods").
    - `rrf_bonus`: the same, plus a bonus for a chunk's best rank in any list of its collection,
      whatever the weight of the list: .05 for the first, .02 for the second and the third.
    - `weighted_rrf`: `rrf` with w / (k + rank), the weights adding up to the number of sides.
    - `dbsf`: sum of (s - (m - 3 sd)) / (6 sd), with m and sd (of a sample) taken over the hits
      that the source found by itself; 0.5 if there is no spread (Mazzeschi, 2023,
      "Distribution-based score fusion").
    - `weighted_sum`: sum of w (s - min) / (max - min) over all scores that are known, also those
      requested by id; min and max are taken per signal over all collections of one model. If all
      scores are equal, each counts as 0.5. A chunk without a score on one side gets 0 from it; on
      the lexical side that is its true score, and then the minimum is 0 (Bruch, Gai and Ingber,
      2023, "An analysis of fusion functions for hybrid retrieval").
      In a collection named in `partial`, a chunk without a dense score has no vector yet, so the
      lexical side has all of its weight.
    - `weighted_dbsf`: sum of w (s - (m - 3 sd)) / (6 sd) over the same scores, with m and sd
      taken over them; 0.5 w if there is no spread.

    Hits of a rephrasing are added in the same way, times `expansion_weight`, without signals of
    their own. Rankings that the store has fused are merged by their scores; of several wordings,
    the best score of a chunk counts.
    """
    if any(ranking.signal == "fused" for ranking in rankings):
        return _fused_before(rankings)
    sides: dict[str, set[SignalName]] = defaultdict(set)
    for ranking in rankings:
        sides[ranking.collection].add(ranking.signal)

    def weight(ranking: Ranking) -> float:
        if len(sides[ranking.collection]) < 2:
            return 1.0
        unweighted = config.method in _UNWEIGHTED
        known = (dense_weights or {}).get(ranking.collection, config.dense_weight)
        dense = shifted(0.5 if unweighted else known, config.vector_weight)
        share = dense if ranking.signal == "dense" else 1 - dense
        return 2 * share if unweighted else share

    spans = _spans(rankings, config)
    places: dict[str, dict[str, int]] = defaultdict(dict)
    parts: dict[str, dict[str, list[float]]] = defaultdict(dict)
    signals: dict[str, dict[str, list[Signal]]] = defaultdict(dict)
    silent = False  # a side with weight 0 adds signals, but no chunks
    for ranking in sorted(rankings, key=lambda ranking: (ranking.signal, ranking.kind)):
        factor = config.expansion_weight if ranking.wording else 1.0
        share = weight(ranking)
        silent = silent or not share
        span = spans.get(_scale(ranking, config), (0.0, 0.0))  # no hit at all
        if share:
            given = parts[ranking.collection]
            values = _values(ranking, config, share, span)
            alone = _alone(ranking, rankings, config) if ranking.collection in partial else ()
            for hit, value in zip(ranking.hits, values, strict=False):  # rrf: found hits only
                whole = value / share if hit.id in alone else value
                given.setdefault(hit.id, []).append(factor * whole)
            if config.method == "rrf_bonus":
                _note_places(ranking, places[ranking.collection])
        if not ranking.wording:
            known = signals[ranking.collection]
            for hit in ranking.hits:
                signal = Signal(ranking.signal, ranking.kind, hit.score)
                known.setdefault(hit.id, []).append(signal)
    kind = _KINDS[config.method]
    fused = []
    for collection, given in parts.items():
        known = signals[collection]
        for key in given.keys() if silent else given.keys() | known.keys():
            bonus = _BONUS.get(places[collection].get(key, 0), 0.0) if places else 0.0
            score = math.fsum((*given.get(key, ()), bonus))
            named = (*known.get(key, ()), Signal("fused", kind, score))
            fused.append((-score, key, collection, Fused(collection, key, named)))
    fused.sort()  # no two have the same id and collection
    return tuple(one[3] for one in fused)


def _note_places(ranking: Ranking, best: dict[str, int]) -> None:
    """Record the best place of each chunk so far, from 1, among the hits that the source found
    itself."""
    for place, hit in enumerate(ranking.hits[: ranking.depth], start=1):
        best[hit.id] = min(place, best.get(hit.id, place))


def _alone(ranking: Ranking, rankings: Sequence[Ranking], config: FuseConfig) -> frozenset[str]:
    """Return the hits of a lexical ranking for which the dense side has no score."""
    if ranking.signal != "sparse" or config.method != "weighted_sum":
        return frozenset()
    same = (ranking.collection, ranking.wording)
    dense = {
        hit.id
        for one in rankings
        if one.signal == "dense" and (one.collection, one.wording) == same
        for hit in one.hits
    }
    return frozenset(hit.id for hit in ranking.hits) - dense


def _fused_before(rankings: Sequence[Ranking]) -> tuple[Fused, ...]:
    best: dict[_Key, Signal] = {}
    for ranking in rankings:
        for hit in ranking.hits:
            signal = Signal("fused", ranking.kind, hit.score)
            known = best.setdefault((ranking.collection, hit.id), signal)
            if hit.score > known.value:
                best[ranking.collection, hit.id] = signal
    fused = [Fused(*key, (signal,)) for key, signal in best.items()]
    return tuple(sorted(fused, key=lambda one: (-one.score, one.id, one.collection)))


def _values(
    ranking: Ranking,
    config: FuseConfig,
    share: float,
    span: tuple[float, float],
) -> Sequence[float]:
    """Return the contribution of one ranking to each of its hits, in their order."""
    found = ranking.hits[: ranking.depth]
    match config.method:
        case "rrf" | "rrf_bonus" | "weighted_rrf":
            top = 2 * share if config.method == "weighted_rrf" else share
            return [top / (config.k + rank) for rank in range(1, len(found) + 1)]
        case "dbsf":
            return [share * score for score in _dbsf([hit.score for hit in found])]
        case "weighted_sum" | "weighted_dbsf":
            low, high = span
            if high > low:
                width = high - low
                return [share * ((hit.score - low) / width) for hit in ranking.hits]
            return [share * 0.5] * len(ranking.hits)


def _scale(ranking: Ranking, config: FuseConfig) -> _Scale:
    collection = ranking.collection if config.apart else ""
    return (ranking.signal, ranking.kind, f"{ranking.scale} {collection}", ranking.wording)


def _spans(rankings: Sequence[Ranking], config: FuseConfig) -> dict[_Scale, tuple[float, float]]:
    """Return the values that count as 0 and as 1 on each scale: the lowest and the highest score,
    or three standard deviations below and above the mean."""
    union: dict[tuple[str, int], set[str]] = defaultdict(set)
    for ranking in rankings:
        union[ranking.collection, ranking.wording].update([hit.id for hit in ranking.hits])
    extremes = config.method != "weighted_dbsf"
    scores: dict[_Scale, list[float]] = defaultdict(list)
    for ranking in rankings:
        known = scores[_scale(ranking, config)]
        known += [hit.score for hit in ranking.hits]
        lacking = len(ranking.hits) < len(union[ranking.collection, ranking.wording])
        if extremes and ranking.signal == "sparse" and lacking:
            known.append(0.0)
    span = _extremes if extremes else _three_deviations
    return {scale: span(known) for scale, known in scores.items() if known}


def _extremes(scores: Sequence[float]) -> tuple[float, float]:
    return min(scores), max(scores)


def _three_deviations(scores: Sequence[float]) -> tuple[float, float]:
    mean = math.fsum(scores) / len(scores)
    squares = math.fsum((score - mean) ** 2 for score in scores)
    deviation = math.sqrt(squares / (len(scores) - 1)) if len(scores) > 1 else 0.0
    return mean - 3 * deviation, mean + 3 * deviation


def _dbsf(scores: Sequence[float]) -> list[float]:
    if not scores:
        return []
    low, high = _three_deviations(scores)
    return [(s - low) / (high - low) if high > low else 0.5 for s in scores]
