"""Code that was found beside documentation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from tests.builders import chunk

ENGLISH = informative_terms("english")
ASKED = prepare(Question("the retry policy"), PrepareConfig())


def one(name: str, score: float, path: str, kind: Any = "code") -> Candidate:
    found = chunk(name, id=name, path=path, source_type=kind)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def values(*found: Candidate, mixed: float = 0.5) -> dict[str, float]:
    ranked = rank_code(ASKED, found, ENGLISH, RankCodeConfig(mixed=mixed))
    return {one.chunk.id: one.rank_signal.value for one in ranked}


ENGINE, POLICY = one("engine", 1.0, "engine.py"), one("policy", 0.6, "retry_policy.py")
GUIDE = one("guide", 0.9, "guide.md", "docs")


def test_beside_documentation_the_score_is_halfway_between_both_orders() -> None:
    # by files policy goes ahead: it would get 1 and engine .6, and each had the other's score
    assert values(ENGINE, POLICY, GUIDE) == pytest.approx(
        {"guide": 0.9, "engine": 0.8, "policy": 0.8}
    )
    assert next(iter(values(ENGINE, POLICY, GUIDE))) == "guide"


def test_of_nothing_but_code_the_order_of_files_is_the_whole() -> None:
    assert values(ENGINE, POLICY) == {"policy": 1.0, "engine": 0.6}


def test_one_page_among_much_code_changes_little() -> None:
    more = [one(f"n{n}", 0.1, f"n{n}.py") for n in range(50)]
    found = values(ENGINE, POLICY, *more, GUIDE)
    assert found["policy"] == pytest.approx(0.9 * 1.0 + 0.1 * 0.6, abs=0.01)
    assert next(iter(found)) == "policy"


def test_without_weight_beside_documentation_nothing_moves() -> None:
    assert list(values(ENGINE, POLICY, GUIDE, mixed=0.0)) == ["engine", "guide", "policy"]


def test_a_snapshot_of_tests_is_not_a_page_and_a_page_about_tests_is_one() -> None:
    snapshot = one("snapshot", 1.0, "tests/_snaps/retry.md", "docs")
    about = one("about", 1.0, "docs/testing/retry.md", "docs")
    policy = one("policy", 0.6, "policy.py")
    assert list(values(snapshot, policy, mixed=1.0)) == ["policy", "snapshot"]
    assert values(about, policy, mixed=1.0) == {"about": 1.0, "policy": 0.6}


@pytest.mark.parametrize("path", ["specs/payment.md", "testing/guide.md", "t/intro.md"])
def test_pages_of_specifications_keep_their_scores(path: str) -> None:
    page, policy = one("page", 1.0, path, "docs"), one("policy", 0.6, "policy.py")
    assert values(page, policy, mixed=1.0) == {"page": 1.0, "policy": 0.6}


def test_without_code_no_texts_are_ranked_by_files() -> None:
    pages = [one(f"n{n}", 1 - n / 10, f"tests/_snaps/n{n}.md", "docs") for n in range(3)]
    found = rank_code(ASKED, pages, ENGLISH, RankCodeConfig())
    assert [candidate.chunk.id for candidate in found] == ["n0", "n1", "n2"]


def test_pages_keep_their_scores() -> None:
    assert values(ENGINE, POLICY, GUIDE)["guide"] == 0.9


TESTS, CHANGES = one("tests", 1.0, "tests/test_retry.py"), one("new", 1.0, "CHANGELOG.md", "docs")


def asking(question: str, *found: Candidate) -> dict[str, float]:
    query = prepare(Question(question), PrepareConfig())
    ranked = rank_code(query, found, ENGLISH, RankCodeConfig())
    return {one.chunk.id: one.rank_signal.value for one in ranked}


def test_beside_pages_tests_and_changelogs_that_nobody_asks_for_count_half() -> None:
    found = asking("how are requests retried", TESTS, CHANGES, GUIDE)
    assert found == pytest.approx({"guide": 0.9, "tests": 0.5, "new": 0.5})


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("how are retries tested", {"tests": 1.0, "guide": 0.9, "new": 0.5}),
        ("which version added the retries", {"new": 1.0, "tests": 0.2, "guide": 0.36}),
        ("what does the changelog say of retries", {"new": 1.0, "guide": 0.9, "tests": 0.5}),
        ("what is new in the latest release", {"new": 1.0, "guide": 0.9, "tests": 0.5}),
        ("changes in 3.0", {"new": 1.0, "guide": 0.9, "tests": 0.5}),
        ("migrating from v1 to v2", {"new": 1.0, "guide": 0.9, "tests": 0.5}),
    ],
)
def test_those_that_a_question_asks_for_do_not(question: str, first: dict[str, float]) -> None:
    assert asking(question, TESTS, CHANGES, GUIDE) == pytest.approx(first)


def test_tests_that_alone_define_a_name_of_the_question_stay_beside_pages() -> None:
    found = chunk("t", id="t", path="tests/h.py", source_type="code", symbols=("fake_clock",))
    helper = Candidate("main", found, (Signal("fused", "normalised", 0.8),))
    assert asking("what does fake_clock advance", helper, GUIDE)["t"] == 0.8


def test_a_changelog_in_a_collection_of_code_is_lowered_once() -> None:
    more = [one(f"n{n}", 0.1, f"n{n}.py") for n in range(200)]
    query = prepare(Question("how are requests retried"), PrepareConfig())
    code = frozenset(("main",))
    other = Candidate("docs", GUIDE.chunk, GUIDE.signals)
    alone, beside = (
        rank_code(query, [CHANGES, *more, *pages], ENGLISH, RankCodeConfig(), code)
        for pages in ([], [other])
    )
    scores = [next(one for one in found if one.chunk.id == "new") for found in (alone, beside)]
    assert scores[1].rank_signal.value == pytest.approx(scores[0].rank_signal.value, abs=0.1)


def test_among_nearly_nothing_but_code_tests_are_lowered_by_their_files_only() -> None:
    more = [one(f"n{n}", 0.1, f"n{n}.py") for n in range(200)]
    few = asking("how are requests retried", TESTS, *more)
    page = asking("how are requests retried", TESTS, *more, GUIDE)
    assert page["tests"] == pytest.approx(few["tests"], abs=0.1)


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_a_share_that_cannot_be_is_refused(value: float) -> None:
    with pytest.raises(ConfigError, match=r"rank_code\.mixed"):
        RankCodeConfig(mixed=value)


ROWS = st.tuples(
    st.floats(-5, 5), st.sampled_from(["a.py", "b/test_c.py"]), st.sampled_from(["code", "docs"])
)


@given(st.lists(ROWS, max_size=14), st.floats(0, 1), st.randoms())
def test_whatever_the_mixture_nothing_is_lost_and_scores_stay_in_their_range(
    rows: list[tuple[float, str, Any]], mixed: float, dice: Any
) -> None:
    found = [one(f"n{n:02}", score, path, kind) for n, (score, path, kind) in enumerate(rows)]
    assume(any(kind == "code" for *_, kind in rows))
    ranked = values(*found, mixed=mixed)
    assert sorted(ranked) == [one.chunk.id for one in found]
    assert list(ranked.values()) == sorted(ranked.values(), reverse=True)
    scores = [score for score, *_ in rows] or [0.0]
    least = min(scores) if min(scores) < 0 else min(scores) * RankCodeConfig().tests
    assert all(least - 1e-9 <= value <= max(scores) + 1e-9 for value in ranked.values())
    shuffled = [*found]
    dice.shuffle(shuffled)
    assert list(values(*shuffled, mixed=mixed)) == list(ranked)
