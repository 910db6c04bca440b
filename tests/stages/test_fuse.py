from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Ranking, SignalName
from pincite.stages.fuse import FuseConfig, FuseMethod, dense_weight, fuse
from pincite.support.fields import replace
from tests.builders import chunk, ranking
from tests.stages.rankings import DENSE, METHODS, SPARSE, ranked, values


def test_rrf_adds_one_over_k_plus_rank_counted_from_one() -> None:
    assert values("rrf", DENSE, SPARSE) == pytest.approx(
        {"a": 1 / 61 + 1 / 62, "b": 1 / 62 + 1 / 63, "c": 1 / 63 + 1 / 61}
    )


def test_rrf_bonus_adds_to_rrf_by_the_best_place_in_any_list() -> None:
    dense = ranked("dense", *((name, 1 - n / 10) for n, name in enumerate("abcde")))
    sparse = ranked("sparse", *((name, 9.0 - n) for n, name in enumerate("cadbe")))
    # places, dense and sparse: a 1 and 2, b 2 and 4, c 3 and 1, d 4 and 3, e 5 and 5
    assert values("rrf_bonus", dense, sparse) == pytest.approx(
        {
            "a": 1 / 61 + 1 / 62 + 0.05,  # 0.082522
            "c": 1 / 63 + 1 / 61 + 0.05,  # 0.082266
            "b": 1 / 62 + 1 / 64 + 0.02,  # 0.051754
            "d": 1 / 64 + 1 / 63 + 0.02,  # 0.051498
            "e": 1 / 65 + 1 / 65,  # 0.030769
        }
    )
    assert list(values("rrf_bonus", dense, sparse)) == list("acbde")


def test_a_bonus_is_given_once_and_in_every_collection() -> None:
    docs = (ranked("dense", ("a", 0.9)), ranked("sparse", ("a", 8.0)))
    code = ranked("sparse", ("b", 4.0), collection="code")
    fused = fuse((*docs, code), FuseConfig(method="rrf_bonus"))
    assert [one.id for one in fused] == ["a", "b"]
    assert [one.score for one in fused] == pytest.approx([2 / 61 + 0.05, 1 / 61 + 0.05])


def test_a_bonus_wants_a_place_that_the_source_gave_by_itself_on_a_side_that_counts() -> None:
    completed = ranked("dense", ("a", 0.9), ("b", 0.8), ("c", 0.7), depth=1)
    sparse = ranked("sparse", ("c", 9.0), ("b", 8.0), ("d", 7.0), ("a", 6.0))
    # by meaning only a was found: the second place there is no place of b
    found = values("rrf_bonus", completed, sparse)
    assert found["b"] == pytest.approx(1 / 62 + 0.02)
    alone = values("rrf_bonus", completed, sparse, vector_weight=0)
    assert alone["a"] == pytest.approx(2 / 64)  # the first place by meaning says nothing


def test_the_bonus_of_a_place_among_another_wording_is_the_same() -> None:
    asked = ranked("sparse", ("a", 9.0), ("b", 8.0), ("c", 7.0), ("d", 6.0))
    other = replace(ranked("sparse", ("d", 5.0)), wording=1)
    found = values("rrf_bonus", asked, other)
    assert found["d"] == pytest.approx(1 / 64 + 0.5 / 61 + 0.05)


def test_weighted_rrf_has_weights_that_add_up_to_two() -> None:
    assert values("weighted_rrf", DENSE, SPARSE, dense_weight=0.75) == pytest.approx(
        {
            "a": 1.5 / 61 + 0.5 / 62,
            "b": 1.5 / 62 + 0.5 / 63,
            "c": 1.5 / 63 + 0.5 / 61,
        }
    )
    assert values("weighted_rrf", DENSE, SPARSE) == values("rrf", DENSE, SPARSE)


def test_rrf_ranks_only_what_the_source_found_by_itself() -> None:
    completed = ranked("dense", ("a", 0.9), ("b", 0.5), ("c", 0.1), depth=1)
    assert values("rrf", completed, SPARSE) == pytest.approx(
        {"a": 1 / 61 + 1 / 62, "b": 1 / 63, "c": 1 / 61}
    )


def test_dbsf_places_scores_between_three_deviations_either_side_of_the_mean() -> None:
    # Dense: mean 0.5, deviation of the sample 0.4, so 0.9 lies (0.9 - (0.5 - 1.2)) / 2.4 = 2/3 up.
    # Sparse: mean 6, deviation 2: 8 is at 2/3, 6 at 1/2, 4 at 1/3.
    assert values("dbsf", DENSE, SPARSE) == pytest.approx(
        {"a": 2 / 3 + 1 / 2, "b": 1 / 2 + 1 / 3, "c": 1 / 3 + 2 / 3}
    )


def test_dbsf_without_spread_gives_a_half() -> None:
    assert values("dbsf", ranked("sparse", ("a", 3.0))) == {"a": 0.5}
    assert values("dbsf", ranked("sparse", ("a", 3.0), ("b", 3.0))) == {"a": 0.5, "b": 0.5}


def test_weighted_sum_adds_shares_of_the_range() -> None:
    # Dense: 0.9 is 1, 0.5 is 1/2, 0.1 is 0. Sparse: 8 is 1, 6 is 1/2, 4 is 0.
    assert values("weighted_sum", DENSE, SPARSE) == pytest.approx({"a": 0.75, "c": 0.5, "b": 0.25})
    assert values("weighted_sum", DENSE, SPARSE, dense_weight=0.2) == pytest.approx(
        {"a": 0.2 + 0.8 / 2, "c": 0.8, "b": 0.2 / 2}
    )


def test_weighted_sum_uses_the_scores_that_were_asked_for_by_id() -> None:
    completed = ranked("dense", ("a", 0.9), ("b", 0.5), ("c", 0.1), depth=1)
    assert values("weighted_sum", completed, SPARSE) == values("weighted_sum", DENSE, SPARSE)


def test_a_chunk_without_any_word_of_the_query_has_the_lexical_score_zero() -> None:
    # b shares no word: its score is truly 0, so the range of the lexical side is 0 to 8.
    sparse = ranked("sparse", ("c", 8.0), ("a", 6.0))
    assert values("weighted_sum", DENSE, sparse) == pytest.approx(
        {"a": 0.5 + 0.5 * 6 / 8, "c": 0.5, "b": 0.25}
    )


def test_a_chunk_without_a_dense_score_gets_nothing_from_that_side() -> None:
    dense = ranked("dense", ("a", 0.9), ("b", 0.5))
    assert values("weighted_sum", dense, SPARSE) == pytest.approx(
        {"a": 0.5 + 0.25, "c": 0.5, "b": 0.0}
    )


def test_equal_scores_count_as_half_on_either_side() -> None:
    dense = ranked("dense", ("a", 0.4), ("b", 0.4))
    sparse = ranked("sparse", ("b", 5.0), ("a", 3.0))
    assert values("weighted_sum", dense, sparse) == {"b": 0.25 + 0.5, "a": 0.25}
    dense = ranked("dense", ("a", 0.8), ("b", 0.4))
    sparse = ranked("sparse", ("a", 3.0), ("b", 3.0))
    assert values("weighted_sum", dense, sparse) == {"a": 0.5 + 0.25, "b": 0.25}


def test_equal_scores_of_one_collection_stay_below_the_best_of_another() -> None:
    equal = ranked("dense", ("a", 0.4), ("b", 0.4), collection="docs")
    graded = ranked("dense", ("c", 0.9), ("d", 0.1), collection="code")
    apart = values("weighted_sum", equal, graded, apart=True)
    assert apart == {"c": 1.0, "a": 0.5, "b": 0.5, "d": 0.0}


def test_equal_words_count_in_full_where_other_chunks_have_none() -> None:
    dense = ranked("dense", ("a", 0.4), ("b", 0.4), ("c", 0.4))
    sparse = ranked("sparse", ("a", 3.0), ("b", 3.0))
    assert values("weighted_sum", dense, sparse) == {"a": 0.75, "b": 0.75, "c": 0.25}


def test_a_collection_with_one_side_gives_it_all_the_weight() -> None:
    assert values("weighted_sum", SPARSE) == {"c": 1.0, "a": 0.5, "b": 0.0}
    assert values("weighted_sum", ranked("sparse", ("a", 2.0))) == {"a": 0.5}


@pytest.mark.parametrize("method", METHODS)
def test_nothing_gives_nothing(method: FuseMethod) -> None:
    assert fuse((), FuseConfig(method=method)) == ()
    assert fuse((ranked("dense"), ranked("sparse")), FuseConfig(method=method)) == ()


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_side_keeps_the_order_of_the_other(method: FuseMethod) -> None:
    assert list(values(method, DENSE, ranked("sparse"))) == ["a", "b", "c"]


def test_collections_are_normalised_together_and_an_id_may_be_in_both() -> None:
    # The range of the lexical side is 2 to 10 over both collections.
    docs = ranked("sparse", ("a", 10.0), ("b", 6.0), collection="docs")
    code = ranked("sparse", ("a", 4.0), ("c", 2.0), collection="code")
    fused = fuse((docs, code), FuseConfig())
    assert [(one.collection, one.id, one.score) for one in fused] == [
        ("docs", "a", 1.0),
        ("docs", "b", 0.5),
        ("code", "a", 0.25),
        ("code", "c", 0.0),
    ]


def test_each_collection_has_its_own_dense_weight() -> None:
    rankings = [
        ranked("dense", ("x", 0.8), ("y", 0.2), collection="docs"),
        ranked("sparse", ("x", 2.0), ("y", 4.0), collection="docs"),
        ranked("dense", ("x", 0.8), ("y", 0.2), collection="code"),
        ranked("sparse", ("x", 2.0), ("y", 4.0), collection="code"),
    ]
    fused = fuse(rankings, FuseConfig(), {"docs": 0.25})
    assert {(one.collection, one.id): one.score for one in fused} == {
        ("docs", "y"): 0.75,
        ("docs", "x"): 0.25,
        ("code", "x"): 0.5,
        ("code", "y"): 0.5,
    }


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("rrf", "rrf"),
        ("rrf_bonus", "rrf"),
        ("weighted_rrf", "rrf"),
        ("dbsf", "dbsf"),
        ("weighted_sum", "normalised"),
    ],
)
def test_the_fused_signal_says_what_kind_it_is_and_comes_last(
    method: FuseMethod, kind: str
) -> None:
    best = fuse((DENSE, SPARSE), FuseConfig(method=method))[0]
    assert [(signal.name, signal.kind) for signal in best.signals] == [
        ("dense", "cosine"),
        ("sparse", "bm25"),
        ("fused", kind),
    ]
    assert [signal.value for signal in best.signals[:2]] == [0.9, 6.0]


@pytest.mark.parametrize("method", METHODS)
def test_ties_are_decided_by_id(method: FuseMethod) -> None:
    dense = ranked("dense", ("b", 0.5), ("a", 0.3))
    sparse = ranked("sparse", ("a", 5.0), ("b", 3.0))
    assert list(values(method, dense, sparse)) == ["a", "b"]


def test_a_profile_that_makes_no_sense_is_refused() -> None:
    for wrong in ({"method": "sum"}, {"k": -1}, {"dense_weight": 1.5}, {"code_dense_weight": -1}):
        with pytest.raises(ConfigError):
            FuseConfig(**wrong)


@pytest.mark.parametrize(
    ("query", "collection", "code", "names", "weight"),
    [
        ("english", "english", False, False, 0.5),
        ("english", "english", False, True, 0.5),
        ("german", "german", False, False, 0.2),
        ("unknown", "german", False, False, 0.2),
        ("chinese", "chinese", False, False, 0.2),
        ("english", "german", False, False, 0.5),
        ("german", "english", False, False, 0.5),
        ("english", "english", True, False, 0.78),
        ("english", "english", True, True, 0.5),
        ("unknown", "english", False, False, 0.5),
    ],
)
def test_the_dense_side_is_trusted_by_language_and_matter(
    query: str, collection: str, code: bool, names: bool, weight: float
) -> None:
    known = frozenset({"english"})
    assert dense_weight(query, collection, known, FuseConfig(), code=code, names=names) == weight


@pytest.mark.parametrize(
    ("words", "code", "language", "weight"),
    [
        (0, False, "english", 0.5),
        (1, False, "english", 0.35),
        (2, False, "english", 0.35),
        (3, False, "english", 0.5),
        (1, True, "english", 0.78),
        (1, False, "german", 0.2),
    ],
)
def test_the_dense_side_of_a_short_question_is_trusted_less(
    words: int, code: bool, language: str, weight: float
) -> None:
    known = frozenset({"english"})
    given = dense_weight(language, language, known, FuseConfig(), code=code, words=words)
    assert given == weight
    low = FuseConfig(dense_weight=0.1)
    assert dense_weight("english", "english", known, low, words=1) == 0.1


def test_an_encoder_for_all_languages_is_trusted_in_all() -> None:
    assert dense_weight("german", "german", frozenset(), FuseConfig()) == 0.5


SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 5), min_size=1)


def by_score(signal: SignalName, scores: dict[str, int], shift: float = 0) -> Ranking:
    hits = sorted(((name, score + shift) for name, score in scores.items()), key=_best_first)
    return ranked(signal, *hits)


def _best_first(hit: tuple[str, float]) -> tuple[float, str]:
    return -hit[1], hit[0]


@given(SCORES, SCORES, st.sampled_from(METHODS), st.randoms())
def test_the_order_of_rankings_never_shows(
    dense: dict[str, int], sparse: dict[str, int], method: FuseMethod, random: object
) -> None:
    rankings = [
        by_score("dense", dense),
        by_score("sparse", sparse),
        ranked("sparse", ("z", 1.0), collection="other"),
    ]
    expected = fuse(rankings, FuseConfig(method=method))
    random.shuffle(rankings)  # type: ignore[attr-defined]
    assert fuse(rankings, FuseConfig(method=method)) == expected
    assert list(expected) == sorted(expected, key=lambda one: (-one.score, one.id))


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(*[st.integers(0, 9)] * 2)))
def test_a_constant_added_to_one_side_changes_nothing(scores: dict[str, tuple[int, int]]) -> None:
    dense = {name: pair[0] for name, pair in scores.items()}
    sparse = {name: pair[1] for name, pair in scores.items()}
    plain = values("weighted_sum", by_score("dense", dense), by_score("sparse", sparse))
    shifted = values("weighted_sum", by_score("dense", dense, 3.0), by_score("sparse", sparse, 2.0))
    assert shifted == pytest.approx(plain)


@given(SCORES, SCORES)
def test_a_weighted_sum_lies_between_zero_and_one(
    dense: dict[str, int], sparse: dict[str, int]
) -> None:
    found = values("weighted_sum", by_score("dense", dense), by_score("sparse", sparse))
    assert all(0 <= value <= 1 for value in found.values())
    assert found.keys() == dense.keys() | sparse.keys()


def test_weighted_dbsf_by_hand_together_and_apart() -> None:
    # dense .9 .5 .1: m .5, sd .4, from -.7 to 1.7; sparse 4 of one hit only: no spread, .5
    dense = ranking("dense", ("a", 0.9), ("b", 0.5), ("c", 0.1))
    sparse = ranking("sparse", ("b", 4.0))
    config = FuseConfig(method="weighted_dbsf", dense_weight=0.75)
    fused = {one.id: one.score for one in fuse([dense, sparse], config)}
    assert fused[chunk("a").id] == pytest.approx(0.75 * 1.6 / 2.4)
    assert fused[chunk("b").id] == pytest.approx(0.75 * 1.2 / 2.4 + 0.25 * 0.5)
    other = ranking("dense", ("d", 0.09), ("e", 0.05), ("f", 0.01), collection="other")
    together = [one.id for one in fuse([dense, other], FuseConfig(method="weighted_dbsf"))]
    assert together[:3] == [chunk(name).id for name in "abc"]
    methods: tuple[FuseMethod, ...] = ("weighted_dbsf", "weighted_sum")
    for method in methods:
        apart = fuse([dense, other], FuseConfig(method=method, apart=True))
        assert {one.id for one in apart[:2]} == {chunk("a").id, chunk("d").id}
        assert apart[0].score == pytest.approx(apart[1].score)


def partial(dense: Ranking, sparse: Ranking, weight: float) -> list[tuple[str, float]]:
    """The order where some chunks have no vector yet, the dense side having this weight."""
    fused = fuse((dense, sparse), FuseConfig(), {"main": weight}, {"main"})
    return [(one.id, one.score) for one in fused]


def test_a_chunk_without_a_vector_is_judged_by_its_words_alone() -> None:
    dense = ranked("dense", ("a", 0.9), ("b", 0.1))
    sparse = ranked("sparse", ("c", 8.0), ("a", 6.0), ("b", 4.0))
    assert dict(partial(dense, sparse, 0.5)) == pytest.approx({"a": 0.75, "b": 0.0, "c": 1.0})
    # all have theirs: a zero from the dense side is one
    assert values("weighted_sum", dense, sparse)["c"] == pytest.approx(0.5)


def test_without_any_vector_the_order_is_that_of_the_words() -> None:
    sparse = ranked("sparse", ("c", 8.0), ("a", 6.0), ("b", 4.0))
    found = partial(ranked("dense"), sparse, 0.0)
    alone = fuse((sparse,), FuseConfig())
    assert found == [(one.id, one.score) for one in alone]


@given(
    st.lists(st.floats(0.1, 20.0), min_size=1, max_size=12, unique=True),
    st.sets(st.integers(0, 11)),
    st.floats(0.0, 0.75),
)
def test_a_vector_that_says_the_same_as_the_words_changes_no_order(
    scores: list[float], having: set[int], weight: float
) -> None:
    ordered = sorted(scores, reverse=True)
    sparse = ranked("sparse", *((f"{n:02}", score) for n, score in enumerate(ordered)))
    low, high = ordered[-1], ordered[0]
    everyone = {*(n for n in having if n < len(ordered)), 0, len(ordered) - 1}
    dense = ranked(
        "dense",
        *(
            (f"{n:02}", (ordered[n] - low) / (high - low) if high > low else 0.5)
            for n in sorted(everyone)
        ),
    )
    found = partial(dense, sparse, weight)
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
    by_words = {one.id: one.score for one in fuse((sparse,), FuseConfig())}
    assert dict(found) == pytest.approx(by_words)
